#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every example bare and through coexec with devices that have memory of their own: same checksum, split. Some under
several policies and at odd sizes, all with the preset tiny; then what is refused. TAP.

usage: run.py --build DIR [--full]

--full: each also in place, and at odd sizes each policy both ways. (The test "bench tiny" checks all of them in place.)
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import field
import tap

ODD = {  # under each of POLICIES
    "vecadd": ["--size", "100008"],
    "saxpy": ["--size", "100003", "--iterations", "3"],
    "mandelbrot": ["--size", "253", "--iterations", "200"],
    "nbody": ["--size", "1000", "--iterations", "4"],
    "gaussian": ["--size", "250", "--iterations", "3"],
    "matmul": ["--size", "150"],
    "histogram": ["--size", "100003"],
    "bfs": ["--size", "20011"],
    "stencil": ["--size", "250", "--iterations", "5"],
    "lattice": ["--size", "25", "--iterations", "5"],
}
POLICIES = ("static", "hguided", "sigmoid")
TINY = [*ODD, "binomial", "taylor", "krist", "segmentation", "filter", "perlin", "spmv", "spmv --profile triangular",
        "rap", "aho", "fft", "ray", "ray --scene ray2", "bm3d", "barneshut", "pepc", "cfd"]
NATIVE = ["mandelbrot", "nbody", "gaussian", "binomial", "matmul", "ray", "saxpy", "spmv", "lattice"]  # split by hand over both devices, unevenly
REFUSED = [  # arguments, what the message must name
    ("vecadd --preset huge", "default|tiny|small|paper|large"),
    ("ray --scene ray3", "ray1|ray2"),
    ("bm3d --size 7", "--size 7"),
    ("nbody --native 1,,2", "1,,2"),
    ("nbody --native 1,1,1,1", "4 powers"),
    ("nbody --native 1@none:0,1", "a platform named \"none\""),
    ("nbody --native 1@none", "NUMBER@PLATFORM:DEVICE"),
    ("nbody --native 1@none:x", "NUMBER@PLATFORM:DEVICE"),
    ("rap --native 1,1", "unknown option"),
    ("field --shape none", "steps-short"),
    ("field", "--shape NAME"),
]
POCL = {"POCL_DEVICES": "basic pthread", "POCL_MAX_PTHREAD_COUNT": "1"}


def execute(args, words, extra):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "POCL_", "OCL_ICD"))}
    for key in ("POCL_CACHE_DIR", "COEXEC_CACHE_DIR"):
        if key in os.environ:
            env[key] = os.environ[key]
    env.update(POCL)
    env.update(extra)
    command = [os.path.join(args.build, "examples", words[0]), *words[1:]]
    result = subprocess.run(command, env=env, capture_output=True, text=True)
    last = (result.stdout.strip().splitlines() or [""])[-1]
    return dict(f.split("=", 1) for f in last.split() if "=" in f), result.stderr, result.returncode


def cases(full):
    """(name, words of the command, policy, zero-copy)"""
    for name, sizes in ODD.items():
        for number, algo in enumerate(POLICIES):
            for copy in "01" if full else str(number % 2):
                yield name, [name, *sizes, "--repeat", "2", "--check"], algo, copy
    for name in TINY:
        for copy in "01" if full else "0":
            yield name + " tiny", [*name.split(), "--preset", "tiny", "--repeat", "1", "--check"], "sigmoid", copy


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--full", action="store_true")
    args = parser.parse_args()
    every = list(cases(args.full))
    results = tap.Results(len(every) + 2 * len(field.SHAPES) + len(NATIVE) + len(REFUSED))
    bare = {}
    for name, words, algo, copy in every:
        if name not in bare:
            bare[name], _, _ = execute(args, [w for w in words if w != "--check"], {})
        got, summary, status = execute(args, words, {
            "OCL_ICD_VENDORS": os.path.join(args.build, "icd"), "COEXEC_ALGO": algo, "COEXEC_SPLIT": "always",
            "COEXEC_DEBUG": f"zero_copy={copy},analysis_wait=60000", "COEXEC_SUMMARY": "1"})
        # each kernel must split; a short launch may be over before the second device has started: that is a split too
        kernels = re.findall(r"kernel (\w+): \d+ launches, (\d+) split.*\n((?:    .*\n)*)", summary)
        splits = all(int(n) > 0 or "one device took all" in reasons for _, n, reasons in kernels)
        ok = (status == 0 and got.get("check") == "pass" and got.get("checksum") == bare[name].get("checksum") and
              len(kernels) > 0 and splits)
        results.add(f"{name} {algo} zero-copy {copy}", None if ok else f"bare {bare[name]} got {got} status {status}\n{summary}")
    for name in field.SHAPES:  # not all of their kernels split, and none has to
        words = ["field", "--shape", name, "--preset", "tiny", "--repeat", "2", "--check"]
        bare[name], _, _ = execute(args, words, {})
        for split in ("always", "auto"):
            extra = {"OCL_ICD_VENDORS": os.path.join(args.build, "icd"), "COEXEC_SPLIT": split,
                     "COEXEC_DEBUG": "zero_copy=0" + (",analysis_wait=60000" if split == "always" else "")}
            got, message, status = execute(args, words, extra)
            ok = status == 0 and got.get("check") == "pass" and got.get("checksum") == bare[name].get("checksum")
            results.add(f"field {name} split {split}", None if ok else f"bare {bare[name]} got {got} status {status}\n{message}")
    for name in NATIVE:
        powers = "1@Portable Computing Language:1,2.7@Portable Computing Language:0" if name == "saxpy" else "1,2.7"
        words = [name, "--preset", "tiny", "--repeat", "1", "--check", "--native", powers]
        got, message, status = execute(args, words, {})
        ok = status == 0 and got.get("check") == "pass" and got.get("checksum") == bare[name + " tiny"].get("checksum")
        results.add(f"{name} split by hand", None if ok else f"got {got} status {status}\n{message}")
    for words, needle in REFUSED:
        _, message, status = execute(args, words.split(), {})
        results.add(f"refused: {words}", None if status == 2 and needle in message else f"status {status}\n{message}")
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
