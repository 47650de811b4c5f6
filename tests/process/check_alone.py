#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""With one device a program costs what it costs bare: nothing is analysed, and no thread is made. TAP.

usage: check_alone.py [use]

use: build and launch a program as anybody does, and tell how many threads there are then. Without it: run that bare
and through coexec, on one device and on several, where analyses show that the test can see them.
"""
import ctypes
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

SOURCE = b"kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }\n"
ITEMS = 4096
LAUNCHES = 20


def use():
    cl = ctypes.CDLL("libOpenCL.so.1")
    for name in ("Context", "CommandQueue", "ProgramWithSource", "Kernel", "Buffer"):
        getattr(cl, "clCreate" + name).restype = ctypes.c_void_p
    platform, device, error = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
    reference = ctypes.byref
    assert cl.clGetPlatformIDs(1, reference(platform), None) == 0
    assert cl.clGetDeviceIDs(platform, ctypes.c_ulong(0xFFFFFFFF), 1, reference(device), None) == 0
    context = ctypes.c_void_p(cl.clCreateContext(None, 1, reference(device), None, None, reference(error)))
    queue = ctypes.c_void_p(cl.clCreateCommandQueue(context, device, ctypes.c_ulong(0), reference(error)))
    texts = (ctypes.c_char_p * 1)(SOURCE)
    program = ctypes.c_void_p(cl.clCreateProgramWithSource(context, 1, texts, None, reference(error)))
    assert cl.clBuildProgram(program, 0, None, None, None, None) == 0
    kernel = ctypes.c_void_p(cl.clCreateKernel(program, b"add", reference(error)))
    zeros = (ctypes.c_int * ITEMS)()
    buffer = ctypes.c_void_p(
        cl.clCreateBuffer(context, ctypes.c_ulong(1 | 1 << 5), ctypes.c_size_t(ctypes.sizeof(zeros)), zeros, reference(error)))
    one, items = ctypes.c_int(1), ctypes.c_size_t(ITEMS)
    assert cl.clSetKernelArg(kernel, 0, ctypes.c_size_t(8), reference(buffer)) == 0
    assert cl.clSetKernelArg(kernel, 1, ctypes.c_size_t(4), reference(one)) == 0
    for _ in range(LAUNCHES):
        assert cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, reference(items), None, 0, None, None) == 0
    assert cl.clEnqueueReadBuffer(queue, buffer, 1, ctypes.c_size_t(0), ctypes.c_size_t(ctypes.sizeof(zeros)), zeros, 0,
                                  None, None) == 0
    assert list(zeros) == [LAUNCHES] * ITEMS
    print(len(os.listdir("/proc/self/task")))


def run(env):
    """The number of threads."""
    done = subprocess.run([sys.executable, __file__, "use"], env=env, check=True, capture_output=True, text=True)
    return int(done.stdout)


def main():
    if sys.argv[1:] == ["use"]:
        return use()
    results = tap.Results(3)
    with tap.folder() as folder:
        bare = {k: v for k, v in os.environ.items() if not k.startswith("COEXEC_")}
        bare |= {"OCL_ICD_VENDORS": "/etc/OpenCL/vendors", "POCL_DEVICES": "pthread"}
        seen = pathlib.Path(folder) / "seen"
        analyser = pathlib.Path(folder) / "analyser"
        analyser.write_text(f"#!/bin/sh\n: >{seen}\nexit 1\n")
        analyser.chmod(0o755)
        env = dict(os.environ, COEXEC_CACHE_DIR=folder, COEXEC_ANALYSER=str(analyser), COEXEC_LOG="error")
        threads, own = run(bare), run(env | {"POCL_DEVICES": "pthread"})
        results.add("threads", own != threads and f"{own} in place of {threads}")
        results.add("nothing is analysed", seen.exists() and "the analyser was run")
        run(env | {"POCL_DEVICES": "pthread pthread"})
        results.add("with two devices it is", not seen.exists() and "the analyser was not run")
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
