#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""oclgrind, an interpreter of LLVM IR by others, as a second opinion on what kernels do. TAP.

usage: check_oclgrind.py [--full] ANALYSER GENERATOR SPLITCHECK FILE.cl...

Random kernels: its results must be those of the generator's own interpreter, which the analyser's regions are checked
against. Where they differ, PoCL decides: with the interpreter, it is oclgrind that errs, which may happen in few kernels.
Test kernels that compute with whole numbers: the same buffers as on PoCL.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

LIBRARY = "/usr/lib/oclgrind/liboclgrind-rt-icd.so"
MOST_ODD = 0.03  # of the kernels run: those in which oclgrind stands alone
ALONE = {"tally_whole_and_windows"}  # plain C agrees with PoCL, oclgrind loses most updates
FLOATS = re.compile(r"\b(float|double|half)\d*\b")


def environment(room, vendor):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "OCL_ICD_", "POCL_DEV"))}
    env.update(OCL_ICD_VENDORS=vendor, OCL_ICD_FILENAMES="", POCL_DEVICES="basic", POCL_CACHE_DIR=f"{room}/pocl")
    return env


def generated(args, env, first, count):
    command = [args.generator, args.analyser, "--device", "--launches", "1", "--seed", "77", "--first", str(first), "--count", str(count)]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=600).stdout


def random_kernels(args, oclgrind, pocl):
    """(complaints, kernels in which oclgrind stands alone)"""
    bad, alone, compared = [], [], 0
    for first in range(0, 400 if args.full else 60, 20):
        said = generated(args, oclgrind, first, 20)
        counts = re.search(r"# (\d+) launches compared", said)
        compared += int(counts[1]) if counts else 0
        if not counts:
            bad.append(f"kernels {first} to {first + 19} did not run")
        for kernel in map(int, re.findall(r"^# kernel (\d+):", said, re.M)):
            if "ok 1 - 1 kernels, 0 fail" in generated(args, pocl, kernel, 1).splitlines():
                alone.append(kernel)
            else:
                bad.append(f"kernel {kernel}: neither oclgrind nor PoCL agrees with the interpreter")
    if len(alone) > MOST_ODD * compared:
        bad.append(f"oclgrind stands alone in {len(alone)} of {compared}: {alone}")
    return bad, f"{compared} launches compared, oclgrind alone in {alone}"


def hashes(args, env, path):
    """What the kernel leaves in its buffers; None: too slow, or too much for the device."""
    try:
        done = subprocess.run([args.splitcheck, "--cases", "1", path], env=env, capture_output=True, text=True, timeout=20)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 else None


def test_kernels(args, oclgrind, pocl):
    bad, left_out, compared = [], [], 0
    for path in args.files[:: 4 if args.full else 16]:
        text = path.read_text()
        name = re.search(r"^// kernel: (\S+)", text, re.M)[1]
        if "\n// run: no" in text or name in ALONE or FLOATS.search(text):
            continue
        theirs = hashes(args, oclgrind, path)
        ours = theirs and hashes(args, pocl, path)
        if not ours:
            left_out.append(name)
            continue
        compared += 1
        if ours != theirs:
            bad.append(f"{name}: PoCL {ours.strip()[:500]}\n#   oclgrind {theirs.strip()[:500]}")
    if compared < len(left_out):
        bad.append("most kernels do not run")
    return bad, f"{compared} kernels compared, left out: {' '.join(left_out) or 'none'}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    parser.add_argument("analyser")
    parser.add_argument("generator")
    parser.add_argument("splitcheck")
    parser.add_argument("files", type=pathlib.Path, nargs="+")
    args = parser.parse_args()
    if not os.path.exists(LIBRARY):
        print("1..0 # SKIP oclgrind is not installed")
        return 0
    results = tap.Results(2)
    with tempfile.TemporaryDirectory(prefix="coexec-oclgrind-") as room:
        vendors = pathlib.Path(room) / "vendors"
        vendors.mkdir()
        (vendors / "oclgrind.icd").write_text(LIBRARY + "\n")
        oclgrind, pocl = environment(room, f"{vendors}/"), environment(room, "/etc/OpenCL/vendors")
        for test in random_kernels, test_kernels:
            bad, summary = test(args, oclgrind, pocl)
            print(f"# {summary}")
            results.add(test.__name__.replace("_", " "), "\n".join(bad))
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
