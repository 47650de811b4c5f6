#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the analyser takes for a program: processor time of it and of the clang it runs, the least of three runs.

usage: analysis.py ANALYSER FILE.cl... [-- BUILD OPTIONS]

Processor time, for what else runs on the machine matters less to it. First as the layer runs it where all devices are alike, then as
for unlike ones, whose texts of the program are compared.
"""
import resource
import statistics
import subprocess
import sys
import tempfile

RUNS = 3


def used():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (usage.ru_utime + usage.ru_stime) * 1e3


def cost(analyser, path, options, room, text):
    """(milliseconds, exit status)"""
    times = []
    command = [analyser, "--time-limit", "60000", "--ask", "-o", f"{room}/summary", *text, path, "--", *options]
    for _ in range(RUNS):
        before = used()
        status = subprocess.run(command, capture_output=True).returncode
        times.append(used() - before)
    return min(times), status


def main():
    arguments, options = sys.argv[1:], []
    if "--" in arguments:
        cut = arguments.index("--")
        arguments, options = arguments[:cut], arguments[cut + 1:]
    if len(arguments) < 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as room:
        for devices, text in ("alike", []), ("unlike", ["--text", f"{room}/text"]):
            costs = sorted((*cost(arguments[0], path, options, room, text), path) for path in arguments[1:])
            times = [ms for ms, status, _ in costs if not status]
            if not times:
                sys.exit("no file could be analysed")
            print(f"devices {devices}: {len(times)} files analysed, {len(costs) - len(times)} refused; median {statistics.median(times):.0f} ms, "
                  f"9 of 10 at most {times[int((len(times) - 1) * 0.9)]:.0f} ms, most {times[-1]:.0f} ms")
            for ms, _, path in costs[-3:]:
                print(f"  {ms:6.0f} ms  {path}")


if __name__ == "__main__":
    main()
