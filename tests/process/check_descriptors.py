#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that close all descriptors that they do not know, as daemons do, and open files of their own, which get the numbers of the
layer's: it neither writes there nor reads or closes them. And programs that are started without standard output and error. TAP.

usage: check_descriptors.py [CASE]

CASE: be that program, with files in the current folder.
"""
import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

SOURCE = b"kernel void stub_inc(global int *a) { a[get_global_id(0)]++; }\n"
FILES, ITEMS = 40, 1 << 16
ANALYSER = "#!/bin/sh\nsleep 1\nexit 1\n"


def launches(cl, context, device, program):
    """Some, each waited for."""
    n, error = ctypes.c_size_t(ITEMS), ctypes.c_int()
    buffer = ctypes.c_void_p(cl.clCreateBuffer(context, ctypes.c_ulong(1), ctypes.c_size_t(4 * ITEMS), None, ctypes.byref(error)))
    queue = ctypes.c_void_p(cl.clCreateCommandQueue(context, device, ctypes.c_ulong(0), ctypes.byref(error)))
    kernel = ctypes.c_void_p(cl.clCreateKernel(program, b"stub_inc", ctypes.byref(error)))
    assert cl.clSetKernelArg(kernel, 0, ctypes.c_size_t(8), ctypes.byref(buffer)) == 0
    for _ in range(20):
        assert cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, ctypes.byref(n), None, 0, None, None) == 0
        assert cl.clFinish(queue) == 0


def replace_files(count):
    os.closerange(3, 1024)
    own = {}
    for i in range(count):
        file = os.open(f"own{i}", os.O_RDWR | os.O_CREAT, 0o600)
        os.pwrite(file, b"mine", 0)
        own[file] = os.fstat(file).st_ino
    return own


def check_files(own):
    for file, inode in own.items():
        info = os.fstat(file)
        assert info.st_ino == inode, f"{file} is another file"
        assert os.lseek(file, 0, os.SEEK_CUR) == 0, f"{file} was read"
        assert os.pread(file, 1000, 0) == b"mine", f"{file} was written: {os.pread(file, 100, 0)}"


def check_outputs(outputs):
    for output in outputs:
        try:
            os.write(output, b"printed\n")
            assert False, os.readlink(f"/proc/self/fd/{output}")
        except OSError:
            pass


def be(case):
    """The program, which says in a file what went wrong."""
    try:
        if case == "outputs":
            os.closerange(0, 3)
        cl = ctypes.CDLL("libOpenCL.so.1")
        for name in "clCreateContext", "clCreateProgramWithSource", "clCreateBuffer", "clCreateKernel", "clCreateCommandQueue":
            getattr(cl, name).restype = ctypes.c_void_p
        platform, device, error = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
        texts = (ctypes.c_char_p * 1)(SOURCE)
        assert cl.clGetPlatformIDs(1, ctypes.byref(platform), None) == 0
        assert cl.clGetDeviceIDs(platform, ctypes.c_ulong(0xFFFFFFFF), 1, ctypes.byref(device), None) == 0
        context = ctypes.c_void_p(cl.clCreateContext(None, 1, ctypes.byref(device), None, None, ctypes.byref(error)))
        program = ctypes.c_void_p(cl.clCreateProgramWithSource(context, 1, texts, None, ctypes.byref(error)))
        assert cl.clBuildProgram(program, 0, None, None, None, None) == 0
        time.sleep(0.3)  # the analysis has begun
        own = replace_files(FILES) if case == "files" else {}
        launches(cl, context, device, program)
        if case == "outputs":
            check_outputs((1, 2))
        time.sleep(1.5)  # ... and has ended
        launches(cl, context, device, program)
        check_files(own)
    except BaseException as problem:  # pylint: disable=broad-except
        pathlib.Path("problem").write_text("".join(traceback.format_exception(problem)))


def run(case):
    with tempfile.TemporaryDirectory() as folder:
        analyser = pathlib.Path(folder) / "analyser"
        analyser.write_text(ANALYSER)
        analyser.chmod(0o755)
        env = {**os.environ, "COEXEC_ANALYSER": str(analyser), "COEXEC_CACHE_DIR": folder + "/cache", "COEXEC_LOG": "debug",
               "COEXEC_LOG_FILE": folder + "/log", "COEXEC_TRACE": folder + "/trace", "COEXEC_RECORD": folder + "/record"}
        subprocess.run([sys.executable, __file__, case], env=env, cwd=folder, check=True, timeout=60)
        problem = pathlib.Path(folder) / "problem"
        assert not problem.exists(), problem.read_text()
        assert (pathlib.Path(folder) / "trace").stat().st_size  # it was written there while that was the layer's


def all_closed():
    run("files")


def no_outputs():
    run("outputs")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        be(sys.argv[1])
    else:
        sys.exit(tap.run(tap.tests_of(globals())))
