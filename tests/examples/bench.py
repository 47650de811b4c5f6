#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`coexec bench`: the shapes of field, right under the default options; cold and warm processes; what --resume takes over. TAP.

usage: bench.py COEXEC
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

TOOL = sys.argv[1]
folder = tempfile.TemporaryDirectory()
at = lambda name: os.path.join(folder.name, name)
TIMES = ("ms", "first_ms", "process_ms")
COLD = ("cold_first_ms", "cold_process_ms")


def bench(name, *arguments):
    env = {k: v for k, v in os.environ.items() if not k.startswith("COEXEC_") or k == "COEXEC_CACHE_DIR"}
    env["TMPDIR"] = folder.name
    done = subprocess.run([TOOL, "bench", "--preset", "tiny", "--algos", "auto", "--runs", "1", "--repeat", "1", "--json", at(name), *arguments],
                          env=env, capture_output=True, text=True)
    with open(at(name)) as file:
        return done, json.load(file)


def all_shapes_are_right():
    done, result = bench("field.json", "--programs", "field", "--no-cold")
    names = [p["name"] for p in result["programs"]]
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(names) == 23 and all(n.startswith("field-") for n in names), names
    for program in result["programs"]:
        for row in program["rows"]:
            assert all(row[t] > 0 for t in TIMES) and not any(t in row for t in COLD), (program["name"], row)
            assert all(run["checked"] for run in row["runs"]), (program["name"], row)


def all_is_without_field():
    listed = subprocess.run([TOOL, "bench", "--programs", "none"], capture_output=True, text=True)
    assert listed.returncode == 2 and " field-once" in listed.stderr and " field " in listed.stderr, listed.stderr


def a_cold_process_comes_first():
    done, result = bench("cold.json", "--programs", "vecadd,field-once")
    assert done.returncode == 0, done.stdout + done.stderr
    for row in (row for p in result["programs"] for row in p["rows"]):
        assert all(row[t] > 0 for t in TIMES + COLD) and row["cold"]["ok"] and row["cold"]["checked"], row
        assert row["cold_process_ms"] == row["cold"]["process_ms"], row
    assert "cold: process" in done.stdout, done.stdout
    left = [name for name in os.listdir(folder.name) if name.startswith("coexec-bench")]
    assert not left, left


def what_was_measured_is_kept_with_its_cold_process():
    _, before = bench("kept.json", "--programs", "field-once")
    done, after = bench("kept.json", "--programs", "field-once", "--resume")
    assert done.returncode == 0 and after["programs"] == before["programs"], (before, after)


def tables_have_the_times():
    bench("tables.json", "--programs", "field-once")
    page = subprocess.run([TOOL, "report", at("tables.json"), "--markdown", "-"], capture_output=True, text=True)
    assert page.returncode == 0 and "| program | balancer | later runs | first run | process | cold: first run | cold: process |" in page.stdout, page
    assert "| field-once | alone |" in page.stdout, page.stdout


if __name__ == "__main__":
    sys.exit(tap.run(tap.tests_of(globals())))
