#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Steps of an iterative program over stub GPUs whose link is slow beside what they compute: a launch takes 10 ms on one,
moving a whole buffer 160 ms, as 1 GB takes on a PCIe link where a launch on it takes 1.2 ms. Prints, for each balancer,
the median time of all steps over that of one device, which launches take that are enqueued at once and that are each
waited for; 1/devices would be perfect. By turns.

usage: steps.py [--build BUILD] [--devices N] [--steps N] [--rounds N] [--believed GB/S] [ALGO...]
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

LINK = 1.6  # megabytes a second


def run(args, algo, waits, cache):
    build = args.build.resolve()
    env = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "OCL_ICD_", "STUB_"))}
    env.update(OCL_ICD_FILENAMES="", OCL_ICD_VENDORS=str(build / "icd"), COEXEC_VENDORS=str(build / "tests/driver/libstub.so"),
               COEXEC_ALGO=algo, COEXEC_DEBUG=f"link={args.believed},staging=0,analysis_wait=10000",
               COEXEC_CACHE_DIR=cache, STUB_DEVICES=str(args.devices), STUB_TYPE="gpu", STUB_IN_PLACE="0", STUB_ASYNC="1",
               STUB_SPEED="0.1", STUB_UNITS="2", STUB_LINK=str(LINK))
    done = subprocess.run([build / "tests/benchmark/steps", str(args.steps), str(int(waits))], env=env, check=True,
                          capture_output=True, text=True)
    ms, total = (field.split("=")[1] for field in done.stdout.split()[-2:])
    return float(ms), total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--devices", type=int, default=4)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--believed", type=float, default=LINK / 1000, help="what coexec takes the link for, COEXEC_DEBUG=link")
    parser.add_argument("algo", nargs="*", default=["static", "sigmoid", "auto"])
    args = parser.parse_args()
    sums = set()
    with tempfile.TemporaryDirectory() as cache:
        run(args, "single", False, cache)
        for waits in (False, True):
            times = {algo: [] for algo in ["single", *args.algo]}
            for _ in range(args.rounds):
                for algo in times:
                    ms, total = run(args, algo, waits, cache)
                    times[algo].append(ms)
                    sums.add(total)
            whole = statistics.median(times.pop("single"))
            said = "  ".join(f"{algo} {statistics.median(each) / whole:.2f}" for algo, each in times.items())
            print(f"{'each waited for' if waits else 'all at once':16} one device {whole:.0f} ms; of that: {said}", flush=True)
    if len(sums) != 1:
        sys.exit("steps: results differ")


if __name__ == "__main__":
    main()
