#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""COEXEC_ALGO with balancers of single kernels, on two devices of PoCL: each kernel gets its own. TAP.

usage: check_algo.py BUILD_FOLDER SPLITCHECK FOLDER_OF_KERNELS
"""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

BUILD, SPLITCHECK, KERNELS = map(pathlib.Path, sys.argv[1:4])
TOOL = str(BUILD / "tools" / "coexec")
PROGRAM = [str(SPLITCHECK), "--cases", "3", str(KERNELS / "escape_time.cl"), str(KERNELS / "julia_set.cl")]
ENV = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "OCL_ICD_", "POCL_DEV", "POCL_MAX"))}
ENV.update(OCL_ICD_VENDORS=f"{BUILD}/icd/", OCL_ICD_FILENAMES="", POCL_DEVICES="basic pthread", POCL_MAX_PTHREAD_COUNT="1",
           COEXEC_DEBUG="analysis_wait=60000,zero_copy=0", COEXEC_SPLIT="always", COEXEC_SUMMARY="full")
SHARE = "its share by speeds known before"  # what static decides, and no other


def run(command, **settings):
    done = subprocess.run(command, env={**ENV, **settings}, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done
    return done


def decisions(done):
    """By kernel: what was decided about its packages."""
    parts = re.split(r"^  kernel (\w+): ", done.stderr, flags=re.MULTILINE)
    return {name: text for name, text in zip(parts[1::2], parts[2::2])}


def each_kernel_has_its_own():
    for one, other in ("escape_time", "julia_set"), ("julia_set", "escape_time"):
        algo = f"static;{one}=dynamic:packages=8"
        done = run(PROGRAM, COEXEC_ALGO=algo)
        found = decisions(done)
        assert f"balancer {algo})" in done.stderr, done.stderr
        assert SHARE not in found[one] and SHARE in found[other], done.stderr


def the_tool_takes_the_same():
    found = decisions(run([TOOL, "run", "--algo", "escape_time=static;dynamic", *PROGRAM], COEXEC_ALGO="auto"))
    assert SHARE in found["escape_time"] and SHARE not in found["julia_set"], found


def a_bad_one_is_told_once():
    done = run(PROGRAM, COEXEC_ALGO="static;escape_time=sigmoid:q=1")
    line = "coexec: COEXEC_ALGO=static;escape_time=sigmoid:q=1: sigmoid has no parameter 'q'; accepted: k_regular, k_irregular, p, d, l, published; using auto\n"
    assert done.stderr.count(line) == 1 and "balancer auto)" in done.stderr, done.stderr
    bad = subprocess.run([TOOL, "run", "--algo", "sigmoid:q=1", "true"], env=ENV, capture_output=True, text=True)
    assert bad.returncode == 2 and "sigmoid has no parameter 'q'; accepted: k_regular," in bad.stderr, bad


if __name__ == "__main__":
    sys.exit(tap.run(tap.tests_of(globals())))
