#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Analyses that nobody waits for run one after the other, while a core is idle; those that a launch waits for run at
once. TAP.

usage: check_task_queue.py [use]

use: build some programs and end a while later. Without it: run that with an analyser that notes how it is called, and
whether another one runs.
"""
import ctypes
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

PROGRAMS = 6
# for the stub driver
SOURCE = "kernel void stub_inc(global int *a) { a[get_global_id(0)]++; }\n"
ANALYSER = """#!/bin/sh
echo "$@" >>{folder}/calls
mkdir {folder}/runs 2>/dev/null || echo >>{folder}/overlaps
sleep 0.1
rmdir {folder}/runs 2>/dev/null
exit 1
"""


def use():
    cl = ctypes.CDLL("libOpenCL.so.1")
    cl.clCreateContext.restype = cl.clCreateProgramWithSource.restype = ctypes.c_void_p
    platform, device, error = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
    assert cl.clGetPlatformIDs(1, ctypes.byref(platform), None) == 0
    assert cl.clGetDeviceIDs(platform, ctypes.c_ulong(0xFFFFFFFF), 1, ctypes.byref(device), None) == 0
    context = ctypes.c_void_p(cl.clCreateContext(None, 1, ctypes.byref(device), None, None, ctypes.byref(error)))
    for i in range(PROGRAMS):
        texts = (ctypes.c_char_p * 1)((SOURCE + f"// {i}\n").encode())
        program = ctypes.c_void_p(cl.clCreateProgramWithSource(context, 1, texts, None, ctypes.byref(error)))
        assert cl.clBuildProgram(program, 0, None, None, None, None) == 0
    end = time.monotonic() + 60
    calls = pathlib.Path(os.environ["LATER_FOLDER"]) / "calls"
    while time.monotonic() < end and (not calls.exists() or len(calls.read_text().splitlines()) < PROGRAMS):
        time.sleep(0.05)
    time.sleep(0.2)


def run(parent, name, wait):
    """Lines of calls, and whether calls overlapped."""
    folder = pathlib.Path(parent) / name
    folder.mkdir()
    analyser = folder / "analyser"
    analyser.write_text(ANALYSER.format(folder=folder))
    analyser.chmod(0o755)
    env = dict(os.environ, COEXEC_CACHE_DIR="-", COEXEC_ANALYSER=str(analyser), COEXEC_LOG="error",
               COEXEC_DEBUG=f"analysis_wait={wait}", LATER_FOLDER=str(folder))
    subprocess.run([sys.executable, __file__, "use"], env=env, check=True)
    return (folder / "calls").read_text().splitlines(), (folder / "overlaps").exists()


def main():
    if sys.argv[1:] == ["use"]:
        return use()
    results = tap.Results(4)
    with tap.folder() as parent:
        calls, overlap = run(parent, "patient", 0)
        results.add("all are analysed", len(calls) != PROGRAMS and f"{len(calls)} of {PROGRAMS}")
        results.add("one after the other", overlap and "two ran at a time")
        results.add("while a core is idle", not all("--idle" in call for call in calls) and "not told so")
        calls, overlap = run(parent, "urgent", 10000)
        results.add("at once where launches wait", any("--idle" in call for call in calls) and "told to take its time")
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
