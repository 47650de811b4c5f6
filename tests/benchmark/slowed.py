#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two one-core PoCL devices, the second slowed 2, 4 and 10 times by the wrapper driver: how near coexec comes to the
sum of their speeds.

usage: slowed.py --build DIR [--factors 2,4,10] [--programs a,b] [--algos auto,sigmoid] [--runs N]

efficiency = (speed of both through coexec) / (speed of the first alone + speed of the slowed second alone), speeds by
the median over N runs, in turn, of the median time of a program's repeats; the slowed second alone is what it takes
unslowed, times the factor. Prints one line a case, then the geometric mean over regular and over irregular programs
for each balancer, and whether auto reaches what it should: 0.95 regular, 0.90 irregular. About four minutes a run on a
quiet machine of two cores. Exits with 1 where a program fails; never for a time.
"""
import argparse
import math
import os
import statistics
import subprocess
import sys

PROGRAMS = {  # name: (irregular, arguments)
    "matmul": (False, ["--size", "768"]),
    "nbody": (False, ["--size", "16384", "--iterations", "1"]),
    "taylor": (False, []),
    "mandelbrot": (True, ["--size", "2048", "--iterations", "300"]),
    "ray": (True, []),
}


WANTED = {False: 0.95, True: 0.90}


def environment(extra):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "OCL_ICD", "POCL_DEV", "SLOW_"))}
    env.update(extra, POCL_DEVICES="basic pthread", POCL_MAX_PTHREAD_COUNT="1")
    return env


def milliseconds(command, extra):
    """The program's median, or None where it fails."""
    result = subprocess.run(command, env=environment(extra), capture_output=True, text=True)
    lines = result.stdout.strip().splitlines()
    fields = dict(f.split("=", 1) for f in lines[-1].split() if "=" in f) if lines else {}
    if result.returncode or "ms" not in fields:
        print(f"{' '.join(command)} failed:\n{result.stdout}{result.stderr}", file=sys.stderr)
        return None
    return float(fields["ms"])


def medians(ways, runs):
    """The median of each (command, environment), all run in turn; None where one fails."""
    times = [[milliseconds(*way) for way in ways] for _ in range(runs)]
    return [None if None in column else statistics.median(column) for column in zip(*times)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--factors", default="2,4,10")
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--algos", default="auto,sigmoid")
    parser.add_argument("--runs", type=int, default=1)
    args = parser.parse_args()
    found, failed = {}, False
    coexec = {"OCL_ICD_VENDORS": os.path.join(args.build, "icd"), "COEXEC_DEBUG": "analysis_wait=10000",
              "COEXEC_VENDORS": os.path.join(args.build, "tests", "driver", "libslow.so")}
    print(f"{'program':12} {'factor':>6} {'algo':>10} {'first ms':>9} {'second ms':>9} {'both ms':>9} efficiency")
    for name in args.programs.split(","):
        irregular, options = PROGRAMS[name]
        program = [os.path.join(args.build, "examples", name), "--repeat", "5", *options]
        alone = [([*program, "--device", str(d)], {}) for d in (0, 1)]
        algos = args.algos.split(",")
        for factor in args.factors.split(","):
            both = [(program, dict(coexec, COEXEC_ALGO=algo, SLOW_FACTORS=f"1,{factor}")) for algo in algos]
            first, second, *rest = medians(alone + both, args.runs)
            for algo, ms in zip(algos, rest):
                if None in (first, second, ms):
                    failed = True
                    continue
                slow = second * float(factor)
                efficiency = (1 / ms) / (1 / first + 1 / slow)
                found.setdefault((algo, irregular), []).append(efficiency)
                print(f"{name:12} {factor:>6} {algo:>10} {first:9.1f} {slow:9.1f} {ms:9.1f} {efficiency:.3f}",
                      flush=True)
    for (algo, irregular), values in sorted(found.items()):
        mean = math.exp(statistics.fmean(math.log(v) for v in values))
        kind = "irregular" if irregular else "regular"
        verdict = f"; wanted {WANTED[irregular]:.2f}: {'met' if mean >= WANTED[irregular] else 'NOT MET'}"
        print(f"{algo} {kind}: geomean {mean:.3f}, least {min(values):.3f}, {len(values)} cases"
              f"{verdict if algo == 'auto' else ''}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
