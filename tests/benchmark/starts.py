#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times whole processes bare and through coexec, in turn: cold (no cache knows the program) and warm. Prints a
Markdown table of medians and of the medians of the ratios of pairs.

usage: starts.py --build BUILD [--cold N] [--warm N] [--limit S] NAME=COMMAND...

Bare, the real drivers are those of /etc/OpenCL/vendors; both see the devices that the environment shows (POCL_DEVICES).
Each side has driver and analysis caches of its own. Processor time, of all processes, tells more than the clock on a
machine that has other work: it stands behind it.
"""
import argparse
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def run(command, env, limit):
    """Seconds by the clock, and of processor time."""
    start, before = time.monotonic(), os.times()
    done = subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=limit)
    after = os.times()
    if done.returncode:
        sys.exit(f"{shlex.join(command)} ended with {done.returncode}\n{done.stderr.decode(errors='replace')}")
    return (time.monotonic() - start,
            after.children_user + after.children_system - before.children_user - before.children_system)


class Sides:
    """The two environments, with caches below a folder."""

    def __init__(self, build, folder):
        self.folder = pathlib.Path(folder)
        base = {k: v for k, v in os.environ.items() if not k.startswith("COEXEC_") and k != "OCL_ICD_FILENAMES"}
        self.env = {side: dict(base, POCL_CACHE_DIR=str(self.folder / side), XDG_CACHE_HOME=str(self.folder / side))
                    for side in ("bare", "coexec")}
        self.env["bare"]["OCL_ICD_VENDORS"] = "/etc/OpenCL/vendors"
        self.env["coexec"]["OCL_ICD_VENDORS"] = str(pathlib.Path(build).resolve() / "icd")

    def forget(self):
        for side in self.env:
            shutil.rmtree(self.folder / side, ignore_errors=True)
            (self.folder / side).mkdir()

    def pair(self, command, limit, first):
        order = ("bare", "coexec") if first else ("coexec", "bare")
        times = {side: run(command, self.env[side], limit) for side in order}
        return times["bare"], times["coexec"]


def row(pairs):
    """Clock of both, the ratio of pairs, and that of processor time."""
    bare, coexec = (statistics.median(pair[side][0] for pair in pairs) for side in (0, 1))
    ratio, work = (statistics.median(pair[1][k] / max(pair[0][k], 1e-3) for pair in pairs) for k in (0, 1))
    return f"{bare:.2f} | {coexec:.2f} | {ratio:.2f} | {work:.2f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--cold", type=int, default=3)
    parser.add_argument("--warm", type=int, default=7)
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    print("| program | cold: bare, s | coexec, s | ratio | of processor time | warm: bare, s | coexec, s | ratio | of processor time |")
    print("|---|---|---|---|---|---|---|---|---|")
    for program in options.programs:
        name, command = program.split("=", 1)
        command = shlex.split(command)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            sides = Sides(options.build, folder)
            cold = []
            for i in range(options.cold):
                sides.forget()
                cold.append(sides.pair(command, options.limit, i % 2 == 0))
            sides.pair(command, options.limit, True)  # what cold runs left to do
            warm = [sides.pair(command, options.limit, i % 2 == 0) for i in range(options.warm)]
        print(f"| {name} | {row(cold)} | {row(warm)} |", flush=True)


if __name__ == "__main__":
    main()
