#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests parts of run: that mixes of drivers are refused, with a line, where the second driver takes no part, and that
summaries are read. TAP.

usage: check_lib.py BUILD
"""
import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import tap
from lib import mixes, summary

BUILD = pathlib.Path(sys.argv[1])


def get(link=None, **mix):
    """What get() makes of a mix whose driver is there, a link to `link`: its environment, or the line that it exits with."""
    with tap.folder() as name:
        work = pathlib.Path(name)
        folder = work / "mix/test"
        folder.mkdir(parents=True)
        (folder / ".done").touch()
        (folder / "driver.so").symlink_to(link or "/dev/null")
        mixes.MIXES["test"] = mixes.Mix("for this test", "driver.so", **mix)
        try:
            return mixes.get("test", argparse.Namespace(work=work, build=BUILD)).environment
        except SystemExit as end:
            return str(end)


def a_driver_without_devices_is_refused():
    said = get()
    assert isinstance(said, str) and said.endswith("driver.so shows no device"), said


def a_missing_package_is_named():
    said = get(installed=("coexec-no-such-package",))
    assert said == "compat: mix test: not installed: coexec-no-such-package (--install)", said


def a_driver_with_devices_is_taken():
    said = get(link=BUILD / "tests/driver/libstub.so")
    assert isinstance(said, dict) and said["COEXEC_VENDORS"].endswith("driver.so"), said


def reasons_are_counted_without_their_lines():
    said = summary.parse("""  kernel k: 9 launches, 0 split, 9 whole; time 1.0 ms
    whole 2 times: an atomic's result is used (/usr/share/a.cl:346)
    whole 3 times: an atomic's result is used (line 5)
    whole 4 times: no other device (it has two) is there
""")
    assert said["reasons"] == {"an atomic's result is used": 5, "no other device (it has two) is there": 4}, said["reasons"]


if __name__ == "__main__":
    sys.exit(tap.run(tap.tests_of(globals())))
