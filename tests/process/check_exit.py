#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that ends while a driver's compiler still works for it in the background ends well. TAP.

usage: check_exit.py EXAMPLE ARGUMENTS...

The driver's own cache knows the program's kernels and nothing else, so that the split variant is the first thing
its compiler ever compiles in the process.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

TIMES = 2

command = sys.argv[1:]
results = tap.Results(TIMES)
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
    warm, cache, analyses = (os.path.join(folder, name) for name in ("warm", "cache", "analyses"))
    bare = {k: v for k, v in os.environ.items() if not k.startswith("COEXEC_")}
    for device in os.environ["POCL_DEVICES"].split():
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL,
                       env={**bare, "OCL_ICD_VENDORS": "/etc/OpenCL/vendors", "POCL_DEVICES": device,
                            "POCL_CACHE_DIR": warm})
    for i in range(TIMES):
        shutil.rmtree(cache, ignore_errors=True)
        shutil.rmtree(analyses, ignore_errors=True)
        shutil.copytree(warm, cache)
        done = subprocess.run(command, capture_output=True, text=True, timeout=120,
                              env={**os.environ, "POCL_CACHE_DIR": cache, "COEXEC_CACHE_DIR": analyses})
        results.add(f"exit status {done.returncode}", done.returncode and (done.stderr.strip() or "it said nothing"))
sys.exit(results.status())
