#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The shapes of field on two devices, the second of which costs much: to open, to use a kernel on for the first time, to move bytes to.
Right under the default options; and a program over at once leaves the second device alone. TAP.

usage: costly.py --build DIR
"""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import field
import tap

EACH = ["steps-long", "chain", "search", "queues"]  # under each cost alone; the others under all together


def wrong(build, shape, costs):
    outcome = field.run(build, shape, field.COSTS[costs], True, ["--preset", "tiny", "--repeat", "2", "--check"])
    if not outcome.right():
        return f"status {outcome.status}\n{outcome.text}"
    if len(outcome.devices) != 2 or not outcome.devices[0]["launches"]:
        return f"the driver was not used as meant: {outcome.devices}\n{outcome.text}"
    if shape == "once" and (outcome.devices[1]["launches"] or outcome.devices[1]["mb"]):
        return f"the second device was used: {outcome.devices}\n{outcome.text}"
    return None


def scattered(build, shape):
    """A program that is never split moves its buffers as it does bare, however its launches are scattered over them."""
    runs = [field.run(build, shape, {}, through, ["--preset", "tiny", "--repeat", "2", "--check"], COEXEC_SPLIT="never",
                      COEXEC_DEBUG="zero_copy=0,analysis_wait=60000") for through in (False, True)]
    for outcome in runs:
        if not outcome.right():
            return f"status {outcome.status}\n{outcome.text}"
    bare, through = (outcome.devices[0]["transfers"] for outcome in runs)
    return f"{through} transfers, bare {bare}" if through > bare else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    args = parser.parse_args()
    cases = [(shape, "all") for shape in field.SHAPES] + [(shape, costs) for shape in EACH for costs in ("none", "context", "first", "link")]
    results = tap.Results(len(cases) + 2)
    for shape, costs in cases:
        results.add(f"{shape}, costs: {costs}", wrong(args.build, shape, costs))
    for shape in "wave", "eliminate":
        results.add(f"{shape} moves no more often than bare", scattered(args.build, shape))
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
