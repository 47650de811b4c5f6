#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two one-core CPU shares through coexec against one of them bare: interleaved runs, medians, ratios.

usage: shares.py --build DIR [--runs N] [--beds shares,fission] [--programs a,b] [--algos static,sigmoid]

Beds: shares = PoCL's basic and pthread devices of one core each, against basic bare;
      fission = the two one-core sub-devices of one pthread device, against a pthread device of one core.
Prints one line a case: bare ms, coexec ms, speedup (median of the pairs' ratios), load balance; then the cost of a
launch that stays whole. Exits with 1 where outputs differ or nothing was split; never for a time.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys

PROGRAMS = {
    "mandelbrot": ["--size", "2048", "--iterations", "500"],
    "nbody": ["--size", "20480", "--iterations", "1"],
    "nbody-steps": ["--size", "8192", "--iterations", "6"],
    "gaussian": ["--size", "2048", "--radius", "8", "--iterations", "1"],
    "histogram": ["--size", "67108864"],
    "bfs": ["--size", "2000000"],
    "gaussian-passes": ["--size", "2048", "--radius", "4", "--iterations", "4"],
}
BEDS = {
    "shares": {
        "bare": {"POCL_DEVICES": "basic", "POCL_MAX_PTHREAD_COUNT": "1"},
        "both": {"POCL_DEVICES": "basic pthread", "POCL_MAX_PTHREAD_COUNT": "1"},
    },
    "fission": {
        "bare": {"POCL_DEVICES": "pthread", "POCL_MAX_PTHREAD_COUNT": "1"},
        "both": {"POCL_DEVICES": "pthread", "POCL_MAX_PTHREAD_COUNT": "2", "COEXEC_FISSION": "1"},
    },
}


def environment(extra):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "POCL_", "OCL_ICD"))}
    env.update(extra)
    return env


def run(command, extra):
    result = subprocess.run(command, env=environment(extra), capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{result.stderr}")
    fields = dict(f.split("=", 1) for f in result.stdout.strip().splitlines()[-1].split() if "=" in f)
    return fields, result.stderr


def case(args, bed, name, algo):
    program = [os.path.join(args.build, "examples", name.split("-")[0]), "--repeat", "3", *PROGRAMS[name]]
    both_env = dict(BEDS[bed]["both"], OCL_ICD_VENDORS=os.path.join(args.build, "icd"), COEXEC_ALGO=algo,
                    COEXEC_SUMMARY="1", COEXEC_DEBUG="analysis_wait=10000")
    bare_ms, both_ms, ratios, balances, packages = [], [], [], [], []
    for _ in range(args.runs):
        bare, _ = run(program, BEDS[bed]["bare"])
        both, summary = run(program, both_env)
        if bare["checksum"] != both["checksum"]:
            sys.exit(f"{name}: outputs differ: {bare['checksum']} {both['checksum']}")
        split = re.search(r"(\d+) launches, (\d+) split", summary)
        if not split or split.group(2) == "0":
            sys.exit(f"{name}: nothing was split:\n{summary}")
        bare_ms.append(float(bare["ms"]))
        both_ms.append(float(both["ms"]))
        ratios.append(float(bare["ms"]) / float(both["ms"]))
        balance = re.search(r"load balance ([\d.]+)", summary)
        balances.append(float(balance.group(1)) if balance else 0)
        packages.append(sum(int(n) for n in re.findall(r"(\d+) packages", summary)) / int(split.group(1)))
    median = statistics.median
    print(f"{bed:8} {name:16} {algo:8} bare {median(bare_ms):8.1f} ms  coexec {median(both_ms):8.1f} ms  "
          f"speedup {median(ratios):.3f} ({min(ratios):.3f}-{max(ratios):.3f})  balance {median(balances):.3f}  "
          f"packages {median(packages):.1f}", flush=True)


def launches(args):
    program = [os.path.join(args.build, "tests", "benchmark", "launches")]
    icd = {"OCL_ICD_VENDORS": os.path.join(args.build, "icd")}
    both = BEDS["shares"]["both"]
    beds = {"basic": BEDS["shares"]["bare"], "pthread": BEDS["fission"]["bare"]}
    for label, env in beds.items():
        rows = []
        for _ in range(args.runs):
            bare, _ = run(program, env)
            alone, _ = run(program, dict(env, **icd))
            pair, _ = run(program, dict(both, **icd))
            rows.append([float(x[k]) for x in (bare, alone, pair) for k in ("us", "waited")])
        bare, bare_w, alone, alone_w, pair, pair_w = (statistics.median(column) for column in zip(*rows))
        print(f"launch of one work-group, us: {label} bare {bare:.2f} (waited {bare_w:.2f}), "
              f"through coexec alone {alone:.2f} ({alone_w:.2f}), with two devices {pair:.2f} ({pair_w:.2f})",
              flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--beds", default=",".join(BEDS))
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--algos", default="static,sigmoid")
    args = parser.parse_args()
    args.build = os.path.abspath(args.build)
    for bed in args.beds.split(","):
        for name in args.programs.split(","):
            for algo in args.algos.split(","):
                case(args, bed, name, algo)
    launches(args)


if __name__ == "__main__":
    main()
