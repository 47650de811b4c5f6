#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs every case of cases.c in a process of its own: each ends by itself, with status 0, in time. TAP.

usage: check_process.py CASES [--timeout S] [case ...]
"""
import argparse
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap


def run(program, case, timeout):
    """What went wrong, or None."""
    process = subprocess.Popen([program, case], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="replace", start_new_session=True)
    try:
        output, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # with the children it may have
        output, _ = process.communicate()
        return "hangs\n" + output
    if process.returncode < 0:
        return f"killed by signal {-process.returncode}\n{output}"
    return f"status {process.returncode}\n{output}" if process.returncode else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    names = options.cases or subprocess.run([options.program], capture_output=True, text=True, check=True).stdout.split()
    results = tap.Results(len(names))
    for name in names:
        start = time.monotonic()
        wrong = run(options.program, name, options.timeout)
        results.add(f"{name} ({time.monotonic() - start:.1f} s)", wrong)
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
