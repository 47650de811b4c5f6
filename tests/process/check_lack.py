#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each of the layer's requests for memory refused once: no crash, no hang, no wrong result that nobody told of. TAP.

usage: check_lack.py PROGRAM PRELOAD [STEP [FIRST]]   every STEP-th request, from FIRST on
"""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap


def run(program, preload, at):
    """What went wrong, or None; how many requests there were."""
    env = {**os.environ, "LD_PRELOAD": preload, "LACK_AT": str(at)}
    try:
        ran = subprocess.run([program], env=env, capture_output=True, text=True, errors="replace", timeout=120)
    except subprocess.TimeoutExpired:
        return f"request {at}: hangs", 0
    wrong = None if ran.returncode in (0, 1) else f"request {at}: ends with {ran.returncode}\n{ran.stderr[-1000:]}"
    return wrong, int(ran.stdout or 0)


def main():
    program, preload = sys.argv[1:3]
    step, first = [int(text) for text in sys.argv[3:]] + [1, 1][len(sys.argv) - 3:]
    results = tap.Results(2)
    wrong, count = run(program, preload, 0)
    results.add("none refused", wrong or (None if count > 100 else f"{count} requests"))
    failed = [wrong for wrong, _ in (run(program, preload, at) for at in range(first, count, step)) if wrong]
    results.add("one refused", "\n".join(failed) or None)
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
