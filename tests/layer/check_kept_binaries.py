#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that keeps its binaries runs bare, through coexec and bare again, with one folder for them.

usage: check_kept_binaries.py PROGRAM BARE_ICD_FOLDER COEXEC_ICD_FOLDER
"""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402


def run(folder, key, side):
    program, bare, coexec = sys.argv[1:]
    vendors = {"bare": bare, "coexec": coexec}[side]
    return subprocess.run([program, folder, key], capture_output=True, text=True, timeout=240,
                          env=dict(os.environ, OCL_ICD_VENDORS=vendors, OCL_ICD_FILENAMES=""))


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


if __name__ == "__main__":
    sys.exit(tap.run([made_bare_runs_through_coexec_and_stays_the_drivers_own,
                      by_the_drivers_version_they_are_kept_apart]))
