#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where the system gives the layer no more threads, programs end well all the same, told of it in one line. TAP.

usage: check_threads.py PROGRAM [MOST]

PROGRAM is linked with no_threads.c, and prints "right". Run with only the first 0, 1, ... MOST - 1 threads, and with all but one of these.
"""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

LINE = "the system gives no more threads"


def run(program, first, count):
    """What is wrong, or None. One that waits for ever is killed."""
    env = {**os.environ, "NO_THREADS": str(first), "NO_THREADS_COUNT": str(count)}
    try:
        done = subprocess.run([program], capture_output=True, text=True, timeout=120, env=env)
    except subprocess.TimeoutExpired:
        return "waits for ever"
    lines = done.stderr.splitlines()
    told = [line for line in lines if LINE in line]
    if done.returncode or done.stdout != "right\n":
        return f"status {done.returncode}\n{done.stdout}{done.stderr}"
    if len(told) > 1 or (first == 0 and not told):
        return f"told {len(told)} times\n{done.stderr}"
    return None


def main():
    program = sys.argv[1]
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    results = tap.Results(2 * most)
    for first in range(most):
        results.add(f"the first {first} threads", run(program, first, 10**6))
        results.add(f"all threads but number {first}", run(program, first, 1))
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
