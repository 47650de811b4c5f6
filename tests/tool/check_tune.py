#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`coexec tune` over two made-up GPUs, one twice as fast as the other: what it tries, leaves out and advises. TAP.

usage: check_tune.py PATH_OF_COEXEC PATH_OF_LIBSTUB LIVE_PROGRAM
"""
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

TOOL, STUB, PROGRAM = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:4])
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "OCL_ICD_", "STUB_"))}
ENV = {**CLEAN, "COEXEC_VENDORS": STUB, "STUB_TYPE": "gpu", "STUB_DEVICES": "2", "STUB_ASYNC": "1", "STUB_SPEED": "0.02,0.01",
       "COEXEC_KNOWLEDGE": "0", "COEXEC_DEBUG": "analysis_wait=10000"}


def tune(*arguments, status=0, **more):
    done = subprocess.run([TOOL, "tune", *arguments], env={**ENV, **more}, capture_output=True, text=True, timeout=300)
    assert done.returncode == status, done
    return done.stdout if status == 0 else done.stderr


def rows(text):
    """Label to seconds, runs and part of auto's time."""
    found = re.findall(r"^(\S.*?) +([0-9.]+) +(\d+) +([0-9.]+)$", text, re.M)
    return {label: (float(seconds), int(runs), float(part)) for label, seconds, runs, part in found}


def tries_all():
    with tap.folder() as folder:
        path = os.path.join(folder, "tune.json")
        text = tune("--runs", "2", "--by", "launches", "--json", path, "--", PROGRAM, "times", "100")
        table, settings = rows(text), json.load(open(path))["settings"]
        expected = {"auto", "single", "static", "dynamic", "hguided", "adaptive", "sigmoid", "logfit", "concord", "hdss", "marrow",
                    "hguided:k=1.5", "dynamic:packages=32", *(f"static, shares {share}:{100 - share}" for share in range(10, 100, 10))}
        assert expected <= set(table), sorted(expected - set(table))
        assert table["auto"][2] == 1 and table["auto"][1] == 2, table
        assert list(table) == sorted(table, key=lambda label: table[label][0]), table
        assert {(s["algo"], s["powers"]): len(s["seconds"]) for s in settings}[("static", "60:40")] == table["static, shares 60:40"][1]
        # a tenth of it on the faster device takes 0.9 / 0.01, all of it on that one 1 / 0.02: far more than two thirds of both's speed
        assert table["static, shares 10:90"][1] == 1 and table["static, shares 10:90"][2] > table["static, shares 70:30"][2], table
        assert "faster than auto by more than runs differ" in text or "of auto's time:" in text, text


def advises():
    """A program that does less with one balancer."""
    script = f"case $COEXEC_ALGO in sigmoid:d=0.5) n=20;; *) n=400;; esac; exec {PROGRAM} times $n"
    text = tune("--algos", "static,sigmoid:d=0.5", "--", "sh", "-c", script)
    assert list(rows(text))[0] == "sigmoid:d=0.5" and rows(text)["auto"][1] == 3, text
    assert re.search(r"^sigmoid:d=0\.5 takes 0\.\d+ of auto's time:\n  coexec run --algo 'sigmoid:d=0\.5' -- sh \.\.\.$", text, re.M), text
    assert rows(text)["static"][1] == 1, text


def no_advice_without_need():
    script = f"case $COEXEC_ALGO in auto) n=20;; *) n=400;; esac; exec {PROGRAM} times $n"
    assert "no balancer is faster than auto" in tune("--runs", "1", "--algos", "single", "--", "sh", "-c", script)


def failures_are_told():
    script = f"case $COEXEC_ALGO in hguided) echo it broke >&2; exit 7;; esac; exec {PROGRAM} times 1"
    text = tune("--runs", "2", "--algos", "hguided", "sh", "-c", script)
    assert re.search(r"^hguided +- +- +-  exit status 7: it broke$", text, re.M), text
    assert "exit status 1" in tune("--", "false", status=1)
    assert "launches nothing" in tune("--by", "launches", "--", "true", status=1)


def chosen_devices():
    """With one device chosen there are no shares, and each setting runs on that one."""
    text = tune("--runs", "1", "--devices", "1", "--", PROGRAM, "times", "5")
    assert "shares" not in text and "auto" in rows(text), text


if __name__ == "__main__":
    sys.exit(tap.run([tries_all, advises, no_advice_without_need, failures_are_told, chosen_devices]))
