#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""GPUs through coexec against one GPU bare: interleaved runs, medians, ratios.

usage: gpu.py --build DIR [--runs N] [--programs a,b] [--sets LABEL=DEVICES,...] [--env NAME=VALUE]... [--out FILE]

A set is what COEXEC_DEVICES gets (| in place of , within one): gpus=gpu, default=all, one=0. The bare run is the same program on the
first GPU. Exits with 1 where a check fails; never for a time. --env sets
options of coexec, as COEXEC_DEBUG=staging=0.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

PROGRAMS = {
    "mandelbrot-long": ["mandelbrot", "--view", "interior", "--size", "4096", "--iterations", "60000"],
    "mandelbrot-uneven": ["mandelbrot", "--size", "4096", "--iterations", "100000"],
    "mandelbrot-short": ["mandelbrot", "--view", "interior", "--size", "1024", "--iterations", "15000"],
    "nbody": ["nbody", "--size", "262144", "--iterations", "4"],
    "gaussian": ["gaussian", "--size", "8192", "--radius", "15", "--iterations", "4"],
    "matmul": ["matmul", "--size", "8192"],
    "saxpy": ["saxpy", "--size", "67108864", "--iterations", "4"],
    "vecadd": ["vecadd", "--size", "67108864"],
    "histogram": ["histogram", "--size", "67108864"],
    "stencil": ["stencil", "--size", "4096", "--iterations", "1000"],
    "stencil-large": ["stencil", "--size", "16384", "--iterations", "1000"],
    "bfs": ["bfs", "--size", "16777216"],
}


def run(command, extra=None):
    env = {k: v for k, v in os.environ.items() if not k.startswith("COEXEC_")}
    if extra:  # through coexec: the program sees it alone, and it takes over the drivers the loader was given
        env["COEXEC_REAL_ICD_FILENAMES"] = env.pop("OCL_ICD_FILENAMES", "")
        env.update(extra)
    result = subprocess.run(command, env=env, capture_output=True, text=True)
    if result.returncode:
        return None, result.stderr
    return dict(f.split("=", 1) for f in result.stdout.strip().splitlines()[-1].split() if "=" in f), result.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--repeat", default="5")
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--sets", default="default=all,gpus=gpu")
    parser.add_argument("--algos", default="sigmoid")
    parser.add_argument("--env", action="append", default=[])
    parser.add_argument("--out")
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    sets = dict(s.split("=", 1) for s in args.sets.split(","))
    rows, bad = [], False
    icd = tempfile.mkdtemp()  # not the build's own folder: the build may have been carried to another machine
    with open(os.path.join(icd, "coexec.icd"), "w") as f:
        f.write(os.path.join(build, "layer", "libcoexec.so") + "\n")
    for name in args.programs.split(","):
        program = [os.path.join(build, "examples", PROGRAMS[name][0]), *PROGRAMS[name][1:], "--repeat", args.repeat]
        bare_ms, times, notes = [], {}, {}
        for _ in range(args.runs):
            bare, error = run(program + ["--device-type", "gpu"])
            if not bare:
                sys.exit(f"{name} bare failed: {error}")
            bare_ms.append(float(bare["ms"]))
            for label, devices in sets.items():
                for algo in args.algos.split(","):
                    got, error = run(program, {"OCL_ICD_VENDORS": icd + "/", "COEXEC_ALGO": algo, "COEXEC_SUMMARY": "1",
                                               "COEXEC_DEVICES": devices.replace("|", ","),
                                               **dict(e.split("=", 1) for e in args.env)})
                    key = f"{label}/{algo}"
                    notes[key] = error[error.find("coexec summary"):]
                    if not got:
                        print(f"{name} {key} FAILED: {error[-2000:]}")
                        bad = True
                        continue
                    if got["checksum"] != bare["checksum"] and PROGRAMS[name][0] != "nbody":
                        print(f"{name} {key}: output differs from bare")
                        bad = True
                    times.setdefault(key, []).append((float(bare["ms"]), float(got["ms"])))
        for key, pairs in times.items():
            ratio = statistics.median(b / c for b, c in pairs)
            ms = statistics.median(c for _, c in pairs)
            split = re.search(r"(\d+) launches, (\d+) split", notes[key])
            print(f"{name:18} {key:20} bare {statistics.median(bare_ms):9.3f} ms  coexec {ms:9.3f} ms  "
                  f"speedup {ratio:.3f}  split {split.group(2) if split else '?'}/{split.group(1) if split else '?'}",
                  flush=True)
            rows.append({"program": name, "set": key, "bare_ms": bare_ms, "pairs": pairs, "speedup": ratio,
                         "summary": notes[key]})
    if args.out:
        with open(args.out, "w") as f:
            json.dump(rows, f, indent=1)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
