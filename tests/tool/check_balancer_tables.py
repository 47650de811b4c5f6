#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the tables of docs/balancers.md are those that the simulator gives now. TAP on standard output.

usage: check_balancer_tables.py BUILD

A slice of random cases (TEST_PART) leaves the grid out, which takes half a minute.
"""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

TOOL = pathlib.Path(__file__).resolve().parent.parent.parent / "tools" / "balancer-tables"


def run(*args):
    return subprocess.run([sys.executable, str(TOOL), *args], capture_output=True, text=True, check=False)


def check(names, build):
    result = run("check", "--build", build, "--only", ",".join(names))
    assert result.returncode == 0, result.stdout + result.stderr + "`tools/balancer-tables update` makes them anew"


def main():
    names = run("list").stdout.split()
    grid = [name for name in names if name.startswith("grid") or name == "drift"]
    others = [name for name in names if name not in grid]
    points = [(f"table {name}", lambda name=name: check([name], sys.argv[1])) for name in others]
    if os.environ.get("TEST_PART", "1") == "1":
        points.append(("tables of the grid", lambda: check(grid, sys.argv[1])))
    sys.exit(tap.run(points))


main()
