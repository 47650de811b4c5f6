#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiling ahead: a program whose launches stay whole because PoCL would first have to compile the kernel for another device, which
takes longer than the account holds, has that compiled beside it, and its launches are split later on. TAP.

usage: check_compile_ahead.py PATH_OF_COEXEC PATH_OF_COEXEC_COMPILE PATH_OF_MANDELBROT
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

TOOL, COMPILE, PROGRAM = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:4])
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "OCL_ICD_", "POCL_"))}
COMMAND = [PROGRAM, "--size", "1024", "--iterations", "100", "--repeat", "10", "--check"]
SECONDS = 200  # the compiler runs where the processor idles


class Caches:
    """A folder of caches of a test's own."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="coexec-ahead-"))
        (self.folder / "pocl").mkdir()
        self.log = self.folder / "log"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def environment(self, **more):
        return CLEAN | {"POCL_CACHE_DIR": str(self.folder / "pocl"), "POCL_MAX_PTHREAD_COUNT": "1", "XDG_CACHE_HOME": str(self.folder)} | more

    def run(self, **more):
        """The program on two devices, each a core. How many launches were split, and what the log says of compiling ahead."""
        self.log.unlink(missing_ok=True)
        environment = self.environment(POCL_DEVICES="basic pthread", COEXEC_LOG="plan:debug", COEXEC_LOG_FILE=str(self.log), **more)
        run = subprocess.run([TOOL, "run", "--summary", "--", *COMMAND], env=environment, capture_output=True, text=True, timeout=300)
        split = re.search(r"launches, (\d+) split", run.stderr)
        if run.returncode or not split:
            raise AssertionError(run.stdout + run.stderr)
        return int(split[1]), [line for line in self.log.read_text().splitlines() if " ahead" in line]


def begin(caches):
    """PoCL has the kernel for whole launches on the first device, as of somebody who has used that alone."""
    subprocess.run(COMMAND, env=caches.environment(POCL_DEVICES="basic"), check=True, capture_output=True, timeout=300)


def launches_get_split():
    with Caches() as caches:
        begin(caches)
        lines, until = [], time.monotonic() + SECONDS
        while time.monotonic() < until:
            split, more = caches.run()
            lines += more
            if split and any("compiling ahead" in line for line in lines):
                return
            time.sleep(1)
        raise AssertionError(f"never split; {lines}")


def leaves_nothing_behind():
    before = set(pathlib.Path("/tmp").glob("coexec-??????"))
    with Caches() as caches:
        begin(caches)
        until = time.monotonic() + SECONDS
        lines = []
        while time.monotonic() < until and not any("compiling ahead" in line for line in lines):
            lines += caches.run()[1]
        assert lines, "nothing was compiled ahead"
        while time.monotonic() < until:
            processes = subprocess.run(["pgrep", "-f", f"^{COMPILE} "], capture_output=True, text=True, check=False).stdout
            mine = [file for file in set(pathlib.Path("/tmp").glob("coexec-??????")) - before if file.is_file()]
            if not processes and not mine:
                return
            time.sleep(0.5)
        raise AssertionError(f"processes {processes}, files {mine}")


def no_cache_no_compiling():
    """Where the driver keeps nothing, nor coexec, another process cannot help."""
    with Caches() as caches:
        begin(caches)
        lines = []
        for more in ({"POCL_KERNEL_CACHE": "0"}, {"COEXEC_CACHE_DIR": "-"}):
            lines += caches.run(**more)[1]
        assert not lines, lines


def bad_requests_are_refused():
    with Caches() as caches:
        request = caches.folder / "bad"
        for content in (b"", b"\0" * 64, b"\x10" + b"\0" * 7 + b"coexec-compile 9\0"):
            request.write_bytes(content)
            end = subprocess.run([COMPILE, str(request)], env=CLEAN, capture_output=True, text=True, timeout=60, check=False)
            assert end.returncode == 2 and "no request" in end.stderr and request.read_bytes() == content, f"{content}: {end}"  # not ours to remove
        for arguments in [], ["--no", "such"], [str(caches.folder / "missing")]:
            end = subprocess.run([COMPILE, *arguments], env=CLEAN, capture_output=True, text=True, timeout=60, check=False)
            assert end.returncode == 2 and end.stderr and not end.stdout, f"{arguments}: {end}"
        end = subprocess.run([COMPILE, "--version"], env=CLEAN, capture_output=True, text=True, timeout=60, check=False)
        assert end.returncode == 0 and end.stdout.startswith("coexec-compile "), end


TESTS = (launches_get_split, leaves_nothing_behind, no_cache_no_compiling, bad_requests_are_refused)
results = tap.Results(len(TESTS))
for test in TESTS:
    results.add(test.__name__, tap.failure(test)[0])
sys.exit(results.status())
