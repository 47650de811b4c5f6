#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attacks by random calls, on bare PoCL and through coexec: the logs of codes and contents must be the same. TAP.

usage: check_attack.py ATTACK --icd FOLDER [--seeds FIRST-LAST] [--steps N] [--settings NAME,...] [--limit SECONDS]

A test is one seed under one setting. Where bare PoCL itself crashes, hangs or is not of one mind with itself, the
seed proves nothing about results: coexec must still come to the end by itself.
"""
import argparse
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

WAITS = "analysis_wait=10000"
SETTINGS = {
    "in place": {"COEXEC_SPLIT": "always", "COEXEC_ALGO": "static"},
    "shadows": {"COEXEC_SPLIT": "always", "COEXEC_DEBUG": WAITS + ",zero_copy=0"},
    "mixed": {"COEXEC_SPLIT": "always", "COEXEC_ALGO": "dynamic", "COEXEC_DEBUG": WAITS + ",zero_copy=0:1"},
    "three": {"COEXEC_SPLIT": "always", "COEXEC_DEBUG": WAITS + ",zero_copy=0", "POCL_DEVICES": "basic pthread pthread"},
    "whole": {"COEXEC_SPLIT": "never", "COEXEC_DEBUG": WAITS + ",zero_copy=0:1"},
    "default": {"COEXEC_DEBUG": "analysis_wait=0"},
}


# PoCL 3.1 looks its loaded kernels up by hash and local size alone, and counts another one's users where two contexts
# run one kernel with and without an offset at once.
POCL_FAULT = "pocl_release_dlhandle_cache: Assertion"


def attack(args, seed, settings, *more):
    """(exit status or None on timeout, log, standard error)."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "OCL_ICD_", "POCL_DEV"))}
    for kept in ("COEXEC_CACHE_DIR", "COEXEC_LOG"):
        if kept in os.environ:
            env[kept] = os.environ[kept]
    env.update(OCL_ICD_FILENAMES="", POCL_MAX_PTHREAD_COUNT="1", **settings)
    try:
        ran = subprocess.run([args.attack, str(seed), str(args.steps), *more], env=env, capture_output=True, text=True,
                             errors="replace", timeout=args.limit)
    except subprocess.TimeoutExpired as late:
        return None, (late.stdout or b"").decode(errors="replace"), ""
    return ran.returncode, ran.stdout, ran.stderr


def bare(args, seed):
    """PoCL's log, and why it is none to compare with."""
    status, log, _ = attack(args, seed, {"OCL_ICD_VENDORS": "/etc/OpenCL/vendors", "POCL_DEVICES": "pthread"}, "--spare")
    return log, None if status == 0 else f"bare PoCL {'hangs' if status is None else f'ends with {status}'}"


def difference(ours, theirs):
    for one, other in zip(ours.splitlines() + ["nothing"], theirs.splitlines() + ["nothing"]):
        if one != other:
            return f"coexec: {one}\nbare:   {other}"
    return None


def compare(args, seed, name, reference):
    """(what went wrong or None, why nothing is compared or None)."""
    settings = {"OCL_ICD_VENDORS": args.icd, "POCL_DEVICES": "basic pthread", "COEXEC_DEBUG": WAITS, **SETTINGS[name]}
    log, excuse = reference
    status, ours, said = attack(args, seed, settings)
    last = ours.splitlines()[-1:] or ["nothing"]
    if status is None:
        return f"hangs after {last[0]}", excuse
    if status and POCL_FAULT in said:
        return None, "PoCL miscounts its kernels' users"
    if status:
        return f"ends with {status} after {last[0]}\n{said[-3000:]}", excuse
    wrong = None if excuse else difference(ours, log)
    if wrong and difference(bare(args, seed)[0], log):
        return None, "bare PoCL does not repeat itself"
    return wrong, excuse


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("attack")
    parser.add_argument("--icd", required=True)
    parser.add_argument("--seeds", default="1-2")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--settings", type=lambda text: text.split(","), default=list(SETTINGS))
    parser.add_argument("--limit", type=float, default=240, help="seconds that one run may take")
    args = parser.parse_args()
    first, last = map(int, args.seeds.split("-"))
    results = tap.Results((last - first + 1) * len(args.settings))
    for seed in range(first, last + 1):
        reference = bare(args, seed)
        for name in args.settings:
            wrong, excuse = compare(args, seed, name, reference)
            results.add(f"seed {seed} {name}", wrong, f"not compared: {excuse}" if excuse else None)
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
