#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every example bare and through coexec, under each policy, zero-copy on and off: same checksum, right verdict. TAP.

usage: run.py --build DIR
"""
import argparse
import os
import re
import subprocess

EXAMPLES = {  # arguments, whether it splits
    "vecadd": (["--size", "100008"], True),
    "saxpy": (["--size", "100003", "--iterations", "3"], True),
    "mandelbrot": (["--size", "253", "--iterations", "200"], True),
    "nbody": (["--size", "1000", "--iterations", "4"], True),
    "gaussian": (["--size", "250", "--iterations", "3"], True),
    "matmul": (["--size", "150"], True),
    "histogram": (["--size", "100003"], True),
    "bfs": (["--size", "20011"], True),
}
POCL = {"POCL_DEVICES": "basic pthread", "POCL_MAX_PTHREAD_COUNT": "1"}


def run(args, name, extra):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "POCL_", "OCL_ICD"))}
    for key in ("POCL_CACHE_DIR", "COEXEC_CACHE_DIR"):
        if key in os.environ:
            env[key] = os.environ[key]
    env.update(POCL)
    env.update(extra)
    command = [os.path.join(args.build, "examples", name), *EXAMPLES[name][0], "--repeat", "2", "--check"]
    result = subprocess.run(command, env=env, capture_output=True, text=True)
    last = (result.stdout.strip().splitlines() or [""])[-1]
    return dict(f.split("=", 1) for f in last.split() if "=" in f), result.stderr, result.returncode


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    args = parser.parse_args()
    cases = [(name, algo, copy) for name in EXAMPLES for algo in ("static", "hguided", "sigmoid") for copy in "01"]
    print(f"1..{len(cases)}")
    bare = {}
    for number, (name, algo, copy) in enumerate(cases, 1):
        if name not in bare:
            bare[name], _, _ = run(args, name, {})
        got, summary, status = run(args, name, {
            "OCL_ICD_VENDORS": os.path.join(args.build, "icd"), "COEXEC_ALGO": algo, "COEXEC_ZERO_COPY": copy,
            "COEXEC_SPLIT": "always", "COEXEC_ANALYSIS_WAIT": "60000", "COEXEC_SUMMARY": "1"})
        # a short launch may be over before the second device has started: that is a split too
        splits = sum(int(n) for n in re.findall(r"(\d+) split", summary)) + summary.count("one device took all")
        ok = (status == 0 and got.get("check") == "pass" and got.get("checksum") == bare[name].get("checksum") and
              (splits > 0) == EXAMPLES[name][1])
        print(f"{'ok' if ok else 'not ok'} {number} - {name} {algo} zero-copy {copy}", flush=True)
        if not ok:
            for line in (f"bare {bare[name]} got {got} status {status} splits {splits}\n" + summary).splitlines():
                print("# " + line)


if __name__ == "__main__":
    main()
