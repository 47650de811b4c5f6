#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What coexec costs programs as people write them: the shapes of field bare on the first of two PoCL devices and through coexec on both, whose
second one costs to open, to use a kernel on for the first time and to move bytes to.

usage: field.py --build DIR [--shapes a,b] [--costs none,all] [--preset small] [--pairs 5]

A line a shape: bare's time over coexec's (above 1: coexec is faster) for later runs, the first run and the process, medians over pairs that
are run in turn after one that is not counted; then what the second device did in the last one, and what that cost it. Exits with 1
where a result is wrong; never for a time.
"""
import argparse
import math
import os
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import field

TIMES = ("later", "first", "process")


def measure(build, shape, costs, preset, pairs):
    """(medians of the ratios, the last run through coexec); None where a run fails."""
    ratios = {t: [] for t in TIMES}
    for pair in range(pairs + 1):
        bare, through = (field.run(build, shape, costs, way, ["--preset", preset, "--repeat", "3"] + ["--check"] * (pair == 0))
                         for way in (False, True))
        for outcome in bare, through:
            if not outcome.right():
                print(f"{shape}: status {outcome.status}\n{outcome.text}", file=sys.stderr)
                return None
        for t in TIMES:
            if pair > 0 and getattr(through, t) and getattr(bare, t):
                ratios[t].append(getattr(bare, t) / getattr(through, t))
    return {t: statistics.median(v) for t, v in ratios.items() if v}, through


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--shapes", default=",".join(field.SHAPES))
    parser.add_argument("--costs", default="none,all")
    parser.add_argument("--preset", default="small")
    parser.add_argument("--pairs", type=int, default=5)
    args = parser.parse_args()
    failed, build = False, os.path.abspath(args.build)
    for costs in args.costs.split(","):
        print(f"costs: {costs} {field.COSTS[costs]}\n{'shape':12} {'bare ms':>9} {'later':>7} {'first':>7} {'process':>7}  second device", flush=True)
        every = {t: [] for t in TIMES}
        for shape in args.shapes.split(","):
            got = measure(build, shape, field.COSTS[costs], args.preset, args.pairs)
            if not got:
                failed = True
                continue
            ratio, last = got
            for t in ratio:
                every[t].append(ratio[t])
            second = last.devices[1]
            print(f"{shape:12} {last.later * ratio['later']:9.3f}" + "".join(f" {ratio.get(t, math.nan):7.3f}" for t in TIMES) +
                  f"  contexts {second['contexts']:.0f}, launches {second['launches']:.0f}, {second['mb']:.2f} MB, {second['cost']:.1f} ms", flush=True)
        for t in TIMES:
            if every[t]:
                print(f"geometric mean, {t}: {statistics.geometric_mean(every[t]):.3f}, least {min(every[t]):.3f}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
