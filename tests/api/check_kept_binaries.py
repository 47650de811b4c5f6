#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that keeps its binaries runs bare, through coexec and bare again, with one folder for them; and is told
by a file of entries what its device is called.

usage: check_kept_binaries.py PROGRAM BARE_ICD_FOLDER COEXEC_ICD_FOLDER
"""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402


LINKER = pathlib.Path("/lib64/ld-linux-x86-64.so.2")


def run(folder, key, side, before=(), **more):
    program, bare, coexec = sys.argv[1:]
    vendors = {"bare": bare, "coexec": coexec}[side]
    return subprocess.run([*before, program, folder, key], capture_output=True, text=True, timeout=240,
                          env=dict(os.environ, OCL_ICD_VENDORS=vendors, OCL_ICD_FILENAMES="", **more))


def check(key, sides, expected):
    """What went wrong when the sides ran one after another, each of which built or loaded as expected."""
    results = set()
    with tap.folder() as folder:
        for side, how in zip(sides, expected):
            done = run(folder, key, side)
            said = f"{key}, {side} after {len(results)}: exit {done.returncode}, {done.stdout!r}, {done.stderr!r}"
            assert done.returncode == 0 and not done.stderr and done.stdout.startswith(how + "\n"), said
            results.add(done.stdout.split("\n", 1)[1])
            assert len(results) == 1, said


def made_bare_runs_through_coexec_and_stays_the_drivers_own():
    check("name", ["bare", "coexec", "bare"], ["built", "loaded", "loaded"])


def by_the_drivers_version_they_are_kept_apart():
    check("version", ["bare", "coexec", "bare", "coexec"], ["built", "built", "loaded", "loaded"])


def told_by(before):
    """The program's file of entries gives the device a name, under which it keeps its binary."""
    with tap.folder() as folder:
        kept = os.path.join(folder, "kept")
        programs = os.path.join(folder, "programs")
        os.mkdir(kept)
        with open(programs, "w") as file:
            file.write('keeps_bin*  CL_DEVICE_NAME  "Its own"  # for the test\nother  CL_DEVICE_NAME  "Not this"\n')
        done = run(kept, "name", "coexec", before, COEXEC_PROGRAMS=programs)
        assert done.returncode == 0 and not done.stderr and os.listdir(kept) == ["Its_own"], \
            f"{os.listdir(kept)}, {done.stderr}"


def entries_are_for_the_executable():
    told_by([])


def entries_are_for_what_the_linker_runs():
    if not LINKER.exists():
        return "SKIP no linker of that name"
    return told_by([str(LINKER)])


if __name__ == "__main__":
    sys.exit(tap.run([entries_are_for_the_executable, entries_are_for_what_the_linker_runs,
                      made_bare_runs_through_coexec_and_stays_the_drivers_own,
                      by_the_drivers_version_they_are_kept_apart]))
