# SPDX-License-Identifier: MIT
"""Reads what COEXEC_SUMMARY printed, of all processes of a program."""
import re

KERNEL = re.compile(r"^  kernel (.*): (\d+) launches, (\d+) split, (\d+) whole; time ([\d.]+) ms")
MERGED = re.compile(r"^    merged afterwards (\d+) times")
PRIVATE = re.compile(r"^    private copies combined (\d+) times")
WHOLE = re.compile(r"^    whole (\d+) times: (.*?)(?: \((?:line |[^()]*:)\d+\))?$")
VERIFIED = re.compile(r"^  in all: verified (\d+) launches, (\d+) of them differ(?:; (\d+) could not)?")


def parse(text):
    """Totals: kernels, launches, split, own, merge, private, whole, reasons {text: launches}, verified, differ."""
    total = dict(kernels=0, launches=0, split=0, own=0, merge=0, private=0, whole=0, reasons={}, verified=0, differ=0,
                 unverified=0)
    names = set()
    for line in text.splitlines():
        if match := KERNEL.match(line):
            names.add(match[1])
            for key, n in zip(("launches", "split", "whole"), match.groups()[1:4]):
                total[key] += int(n)
        elif match := MERGED.match(line):
            total["merge"] += int(match[1])
        elif match := PRIVATE.match(line):
            total["private"] += int(match[1])
        elif match := WHOLE.match(line):
            total["reasons"][match[2]] = total["reasons"].get(match[2], 0) + int(match[1])
        elif match := VERIFIED.match(line):
            for key, n in zip(("verified", "differ", "unverified"), match.groups()):
                total[key] += int(n or 0)
    total["kernels"] = len(names)
    # a launch with merged and with private arguments counts in both
    total["own"] = max(0, total["split"] - total["merge"] - total["private"])
    return total


def reason(total):
    """The most frequent reason of whole launches, "" without any."""
    return max(total["reasons"].items(), key=lambda r: r[1])[0] if total["reasons"] else ""
