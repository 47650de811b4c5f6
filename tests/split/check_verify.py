#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""COEXEC_VERIFY: a wrong split is caught, right ones are not blamed. TAP.

usage: check_verify.py ICD_FOLDER SPLITCHECK DAMAGE_SUMMARY FOLDER_OF_KERNELS
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

ICD, SPLITCHECK, DAMAGE, KERNELS = sys.argv[1:5]
PERMUTED = str(pathlib.Path(__file__).resolve().parent / "permuted.cl")
ROOM = pathlib.Path(tempfile.mkdtemp(prefix="coexec-verify-"))
ENV = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "OCL_ICD_", "POCL_DEV", "POCL_MAX"))}
ENV.update(OCL_ICD_VENDORS=f"{ICD}/", OCL_ICD_FILENAMES="", POCL_DEVICES="basic pthread", POCL_MAX_PTHREAD_COUNT="1",
           COEXEC_DEBUG="analysis_wait=60000,zero_copy=0", COEXEC_SPLIT="always", COEXEC_SUMMARY="1", COEXEC_ALGO="static",
           COEXEC_CACHE_DIR=str(ROOM / "cache"))


def run(*arguments, **settings):
    return subprocess.run([SPLITCHECK, *map(str, arguments)], env={**ENV, **settings}, capture_output=True, text=True, timeout=900)


def counts(done):
    """(verified, differing) of all launches."""
    found = re.search(r"in all: verified (\d+) launches, (\d+) of them differ", done.stderr)
    assert done.returncode == 0 and found, done.stderr[-2000:]
    return int(found[1]), int(found[2])


def reports(done):
    return [line for line in done.stderr.splitlines() if "COEXEC_VERIFY" in line]


def right_split_is_clean():
    done = run("--cases", 4, PERMUTED, COEXEC_VERIFY="1")
    verified, differing = counts(done)
    assert verified == 8 and differing == 0 and not reports(done), done.stderr


def every_nth_is_verified():
    assert counts(run("--cases", 4, PERMUTED, COEXEC_VERIFY="3"))[0] == 3  # launches 0, 3 and 6
    assert "verified" not in run("--cases", 1, PERMUTED).stderr


def wrong_split_is_caught():
    wanted = run("--cases", 4, PERMUTED, COEXEC_SPLIT="never").stdout
    damaged = subprocess.run([DAMAGE, ENV["COEXEC_CACHE_DIR"], "permuted"], capture_output=True, text=True)
    assert damaged.returncode == 0, damaged
    done = run("--cases", 4, PERMUTED, COEXEC_VERIFY="1")
    verified, differing = counts(done)
    assert done.stdout != wanted, "the damage does no harm"
    assert verified == 8 and differing > 0 and len(reports(done)) == differing, done.stderr
    form = (r"coexec: error: plan: COEXEC_VERIFY: kernel permuted, argument 1 out \(int\*\): the split run differs from the "
            r"whole run on .+, first at byte (\d+): (-?\d+) split, (-?\d+) whole; (\d+) of 16384 bytes differ")
    for line in reports(done):
        found = re.fullmatch(form, line)
        assert found and int(found[1]) % 4 == 0 and found[2] != found[3] and 0 < int(found[4]) <= 16384, line
    # in place there is one memory, and both devices' stores are in it
    assert counts(run("--cases", 4, PERMUTED, COEXEC_VERIFY="1", COEXEC_DEBUG="analysis_wait=60000")) == (8, 0)


CHECKED = "analysis_wait=60000,zero_copy=0,check_after=1,powers=1:1"


def checked_splits_are_replayed():
    """Launches that were split first and stand are compared with their packages run again in the claimed order."""
    files = [path for path in sorted(pathlib.Path(KERNELS).glob("*.cl")) if "\n// checked: " in path.read_text()]
    for algo in "static", "dynamic":
        done = run("--cases", 3, *files, COEXEC_VERIFY="1", COEXEC_ALGO=algo, COEXEC_DEBUG=CHECKED)
        verified, differing = counts(done)
        assert verified >= 2 * len(files) and differing == 0 and not reports(done), done.stderr[-3000:]


def wrong_checked_split_is_caught():
    """By an honest summary several devices change the result, and every launch is undone. By one that lies they seem apart."""
    kernel = str(pathlib.Path(PERMUTED).with_name("permuted_counted.cl"))
    honest = run("--cases", 4, kernel, COEXEC_VERIFY="1", COEXEC_DEBUG=CHECKED)
    assert honest.returncode == 0 and not reports(honest) and " 0 split" in honest.stderr, honest.stderr
    damaged = subprocess.run([DAMAGE, ENV["COEXEC_CACHE_DIR"], "permuted_counted"], capture_output=True, text=True)
    assert damaged.returncode == 0, damaged
    done = run("--cases", 4, kernel, COEXEC_VERIFY="1", COEXEC_DEBUG=CHECKED)
    verified, differing = counts(done)
    assert verified > 0 and differing > 0 and len(reports(done)) >= differing, done.stderr
    assert all("argument 1 out" in line for line in reports(done)), done.stderr


def races_are_told():
    """One store, from many work-groups, of unlike values to ten places: no fault of the split."""
    done = run("--cases", 2, str(pathlib.Path(KERNELS) / "scatter_last_wins.cl"), COEXEC_VERIFY="1")
    lines = reports(done)
    assert lines and all("work-groups race for a place" in line and "argument 2 out" in line for line in lines), done.stderr


def clean(slice_number, **settings):
    """Every sixth kernel that leaves nothing to chance; with SLICES=1 in the environment each of them. (The tests splitcheck
    compare them all; here it is whether the layer itself blames none of them.)"""
    step = int(os.environ.get("SLICES", "6"))
    files = [path for path in sorted(pathlib.Path(KERNELS).glob("*.cl"))[slice_number % step::step]
             if not re.search(r"^// (compare|run):", path.read_text(), re.M)]
    done = run("--cases", 1, *files, COEXEC_VERIFY="1", **settings)
    verified, differing = counts(done)
    assert verified > len(files) // 2 and differing == 0 and not reports(done), "\n".join(reports(done)[:8])


def kernels_with_memory_are_clean():
    clean(0, COEXEC_ALGO="sigmoid")


def kernels_in_place_are_clean():
    clean(1, COEXEC_DEBUG="analysis_wait=60000")


def kernels_on_three_devices_are_clean():
    clean(2, POCL_DEVICES="basic pthread pthread")


def main():
    status = tap.run(tap.tests_of(globals()))
    shutil.rmtree(ROOM)
    return status


if __name__ == "__main__":
    sys.exit(main())
