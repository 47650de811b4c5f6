#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every test kernel split against unsplit, byte by byte, under each policy, memory mode and number of devices. TAP.

usage: splitcheck.py --program SPLITCHECK --icd FOLDER [--settings POLICY/ZERO_COPY/DEVICES,...] [--slice K/N]
                     [--seed N] [--cases N] [--locals 1|2] [--together N] [--jobs N] FILE.cl...

A test is one kernel under one setting: the hashes of all its buffers must be those of the run with COEXEC_SPLIT=never,
and the summary must say that it was split, or not, as the file's `// expect:` asks. What kernels marked `// order:` leave
depends on the order of work-groups, any of which is right: they run with COEXEC_VERIFY=1, which repeats on one device the
order that a split stands for, and no buffer of any launch may differ. Without --settings: all forty.
PoCL's and coexec's caches are kept in one folder for all runs and removed at the end.
"""
import argparse
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

SUMMARY = re.compile(r"kernel (\S+): (\d+) launches, (\d+) split, (\d+) whole")
VERIFIED = re.compile(r"^ +verified (\d+) launch(?:es)?, (\d+) of them")
WHOLE = re.compile(r"whole (\d+) times?: (.*)")
# reasons of launches that could have been split: one device was quicker than the others woke, or did another's package again
CHECKED = ""  # with --checked: what makes launches such
TAKEN_BY_ONE = ["one device took all of its work-groups", "another device still works on what others have done"]
NO_IMAGES = "its arguments cannot be had on another device"  # PoCL moves no images of sub-devices, which the third device needs
POLICIES = ("static", "hguided", "sigmoid", "single", "dynamic", "adaptive", "logfit", "concord", "hdss", "marrow", "auto")
ALL_SETTINGS = ["/".join(s) for s in itertools.product(POLICIES, "10", "23")]
# not "basic basic": two threads in one kind of device at once trip over PoCL 3.1's list of loaded kernels
# and cut with a core left over, and along what processors share, which on some machines leaves the second one whole
DEVICES = {"2": {"POCL_MAX_PTHREAD_COUNT": "1"}, "3": {"POCL_MAX_PTHREAD_COUNT": "2", "COEXEC_FISSION": "1"},
           "rest": {"POCL_MAX_PTHREAD_COUNT": "3", "COEXEC_FISSION": "2"}, **{level: {"COEXEC_FISSION": level} for level in ("l1", "l2", "l3", "numa")}}
SETTINGS = {"/".join(s) for s in itertools.product(POLICIES, "10", DEVICES)}


def run(args, files, caches, devices, **settings):
    """One process over the files: lines by kernel, and (split, whole, reasons) by kernel from the summary."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "OCL_ICD_", "POCL_"))}
    if "COEXEC_LOG" in os.environ:
        env["COEXEC_LOG"] = os.environ["COEXEC_LOG"]
    env.update(OCL_ICD_VENDORS=args.icd, OCL_ICD_FILENAMES="", POCL_DEVICES="basic pthread", POCL_CACHE_DIR=caches,
               COEXEC_CACHE_DIR=caches + "/coexec", COEXEC_SUMMARY="1",
               **{"COEXEC_DEBUG": "analysis_wait=60000", **DEVICES[devices], **settings})
    command = [args.program]
    for name in ("seed", "cases", "locals", "together"):
        command += [f"--{name}", str(getattr(args, name))]
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen([*command, *map(str, files)], env=env, stdout=output, stderr=errors)
        try:
            process.wait(args.limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        status = process.returncode
        output.seek(0)
        errors.seek(0)
        printed, said = output.read().splitlines(), errors.read()
    lines, verdicts, current = {}, {}, None
    for line in printed:
        lines.setdefault(line.split()[0], []).append(line)
    for line in said.splitlines():
        if found := SUMMARY.search(line):
            current = verdicts[found[1]] = [int(found[3]), int(found[4]), [], None]
        elif (found := VERIFIED.search(line)) and current:
            current[3] = (int(found[1]), int(found[2]))
        elif (found := WHOLE.search(line)) and current:
            current[2].append(found[2])
    after = printed[-1] if printed else "nothing"
    failure = f"exit status {status} after {after}: {said[-2000:]}" if status else None
    return lines, verdicts, failure


def head(path):
    """(kernel, expectation, has images) of a file, None where it is for the analyser alone."""
    text = path.read_text()
    kernel = re.search(r"^// kernel: (\S+)", text, re.M)
    expect = re.search(r"^// expect: (split|whole|any)\b(.*)", text, re.M)
    depends = re.search(r"^// llvm: ", text, re.M)
    if not kernel or not expect:
        sys.exit(f"{path}: no '// kernel:' or no '// expect:'")
    wanted = "split" if CHECKED else "any" if depends else expect[1]
    return None if re.search(r"^// run: no", text, re.M) else (kernel[1], wanted, "\n// arg: image" in text)


def complaint_of_verified(kernel, wanted, outcome):
    """The same of a kernel whose results depend on the order of work-groups."""
    lines, verdicts, failure = outcome
    _, _, _, verified = verdicts.get(kernel, (0, 0, [], None))
    if failure or len(lines.get(kernel, [])) != len(wanted.get(kernel, [])) or not wanted.get(kernel):
        return failure or "no output"
    return "verified {} launches, {} of them differ".format(*verified) if verified and verified[1] else None


def complaint(kernel, expect, excuses, wanted, outcome):
    lines, verdicts, failure = outcome
    if lines.get(kernel) != wanted.get(kernel) or not wanted.get(kernel):
        for ours, theirs in zip(lines.get(kernel, []), wanted.get(kernel, [])):
            if ours != theirs:
                return f"split:   {ours}\n# unsplit: {theirs}"
        return failure or "no output"
    split, whole, reasons, _ = verdicts.get(kernel, (0, 0, ["not in the summary"], None))
    if expect == "split" and split == 0 and not set(excuses) & set(reasons):
        return f"never split: {'; '.join(reasons)}"
    if expect == "whole" and split > 0:
        return f"{split} launches split"
    return None


def compare(args, caches):
    settings = [setting.split("/") for setting in args.settings]
    ordered = {path for path in args.files if "\n// order: " in path.read_text()}
    files = {False: [path for path in args.files if path not in ordered], True: [path for path in args.files if path in ordered]}
    kernels = [(*found, path in ordered) for path in args.files if (found := head(path))]
    results = tap.Results(len(settings) * len(kernels))
    wanted, failures = {}, []
    for which in filter(files.get, (False, True)): # what a buffer holds depends on the files before its own
        lines, _, failure = run(args, files[which], caches, "2", COEXEC_SPLIT="never")
        wanted.update(lines)
        failures += [failure] * bool(failure)
    for failure in failures:
        print(f"# unsplit: {failure}", file=sys.stderr)

    def outcome(setting):
        """Of kernels whose results depend on no order, and of the others."""
        return [run(args, files[which], caches, setting[2], COEXEC_SPLIT="always", COEXEC_ALGO=setting[0], COEXEC_VERIFY=str(int(which)),
                    COEXEC_DEBUG=f"analysis_wait=60000{CHECKED},zero_copy={setting[1].replace(',', ':')}") if files[which] else ({}, {}, None)
                for which in (False, True)]

    with ThreadPoolExecutor(args.jobs) as pool:
        for (policy, zero_copy, devices), result in zip(settings, pool.map(outcome, settings)):
            for kernel, expect, images, which in kernels:
                # under a dynamic policy one device may take every package of a short launch before another wakes: still right
                excuses = TAKEN_BY_ONE + [NO_IMAGES] * (images and zero_copy == "0" and devices != "2")
                wrong = complaint_of_verified(kernel, wanted, result[1]) if which else complaint(kernel, expect, excuses, wanted, result[0])
                split, whole, _, _ = result[which][1].get(kernel, (0, 0, [], None))
                name = f"{kernel} {policy} zero-copy {zero_copy} {devices} devices ({split} split, {whole} whole)"
                results.add(name, wrong)
    return 1 if results.failed or failures else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--icd", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=4)
    parser.add_argument("--locals", type=int, default=2)
    parser.add_argument("--together", type=int, default=12)
    parser.add_argument("--settings", type=lambda text: text.split(","), default=ALL_SETTINGS)
    parser.add_argument("--slice", default="1/1")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=300, help="seconds that one run may take")
    parser.add_argument("--checked", action="store_true", help="only kernels with '// checked:', which are split first and checked afterwards")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    if unknown := set(args.settings) - SETTINGS:
        sys.exit(f"unknown settings {unknown}; there are {', '.join(sorted(SETTINGS))}")
    global CHECKED
    if args.checked:
        CHECKED = ",check_after=1,powers=1:1:1"
        args.files = [path for path in args.files if "\n// checked: " in path.read_text()]
    which, slices = map(int, args.slice.split("/"))
    args.files = args.files[which - 1::slices]
    with tempfile.TemporaryDirectory(prefix="splitcheck-") as caches:
        return compare(args, caches)


if __name__ == "__main__":
    sys.exit(main())
