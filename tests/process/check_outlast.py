#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An analysis outlasts a program that is shorter than it: its result is on disk soon after, and nothing else is left; no
result either where a file that the text includes has changed meanwhile. TAP.

usage: check_outlast.py [ENDING FOLDER]

ENDING: build a program that includes a file of FOLDER and end in this way. Without one: run such programs and watch. The
analysis's process is found among the program's children.
"""
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

# for the stub driver, which builds at once; long enough to keep clang busy
SOURCE = b"#include \"one.h\"\n" + b"kernel void stub_inc(global int *a) { a[get_global_id(0)]++; }\n" + b"".join(
    b"float f%d(float x) { return sin(x) + cos(x + %d) * fma(x, x, 2.0f); }\n" % (i, i) for i in range(100))
TRIES = 20
ENDINGS = ("exit", "release", "_exit", "kill", "changed")
BOUND = 5  # seconds that an analysis may live on; a busy machine may take as long to notice


def short_program(ending, folder):
    """In a process of its own, as nothing is ever closed."""
    cl = ctypes.CDLL("libOpenCL.so.1")
    cl.clCreateContext.restype = cl.clCreateProgramWithSource.restype = ctypes.c_void_p
    platform, device, error = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
    texts = (ctypes.c_char_p * 1)(SOURCE)
    assert cl.clGetPlatformIDs(1, ctypes.byref(platform), None) == 0
    assert cl.clGetDeviceIDs(platform, ctypes.c_ulong(0xFFFFFFFF), 1, ctypes.byref(device), None) == 0
    context = ctypes.c_void_p(cl.clCreateContext(None, 1, ctypes.byref(device), None, None, ctypes.byref(error)))
    program = ctypes.c_void_p(cl.clCreateProgramWithSource(context, 1, texts, None, ctypes.byref(error)))
    assert cl.clBuildProgram(program, 0, None, b"-I" + folder.encode(), None, None) == 0
    if ending == "release":
        assert cl.clReleaseProgram(program) == 0 and cl.clReleaseContext(context) == 0
        time.sleep(2)
    elif ending == "_exit":
        os._exit(0)
    elif ending == "kill":
        os.kill(os.getpid(), signal.SIGKILL)


def children(pid):
    found = []
    try:
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            found += (task / "children").read_text().split()
    except OSError:
        pass
    return [int(child) for child in found]


def words(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


def alive(pid):
    """Whether the process runs; one that ended and was not reaped does not."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def watch(ending, folder, env):
    """Runs the program; (analyses seen, which of them ran on when it had ended)."""
    header = pathlib.Path(folder) / "one.h"
    header.write_text("// one\n")
    process = subprocess.Popen([sys.executable, __file__, ending, folder], env=env, stderr=subprocess.DEVNULL)
    seen = {}
    while process.poll() is None:
        for child in children(process.pid):
            line = words(child)
            if "--keep" in line:
                seen[child] = line
    if ending == "changed":
        header.write_text("// another\n")
    return seen, [child for child in seen if alive(child)]


def check(ending, folder):
    """What went wrong, or None; and whether there was something to be seen."""
    cache = pathlib.Path(folder) / "analyses"
    wanted = ending != "changed"
    shutil.rmtree(cache, ignore_errors=True)
    env = dict(os.environ, COEXEC_CACHE_DIR=str(cache), COEXEC_DEBUG="analysis_wait=0")
    seen, outlasting = watch(ending, folder, env)
    end = time.monotonic() + BOUND + 10
    while any(alive(child) for child in seen) and time.monotonic() < end:
        time.sleep(0.02)
    gave_up = time.monotonic() - end + 10 > -0.5
    for child, line in seen.items():
        if alive(child):
            return f"the analysis {child} does not end", True
        room = pathlib.Path(line[line.index("-o") + 1]).parent
        if room.exists():
            return f"{room} is left", True
    shown = bool(seen if ending == "release" else outlasting)
    kept = any(file.stat().st_size > 100 for file in cache.glob("?" * 64))  # not what is noted of drivers
    if shown and not gave_up and kept != wanted:
        return f"nothing was kept in {cache}" if wanted else "a result of nobody knows what text was kept", True
    return None, shown and not gave_up


def main():
    if len(sys.argv) > 1:
        return short_program(*sys.argv[1:])
    results = tap.Results(len(ENDINGS))
    with tap.folder() as folder:
        for ending in ENDINGS:
            shown = 0
            for _ in range(TRIES):
                wrong, one = check(ending, folder)
                shown += one
                if wrong or shown == 2:
                    break
            results.add(ending, wrong, None if shown else "no analysis was longer than the program")
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
