#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The summary's first lines, what full adds, and files that several processes write. TAP.

usage: check_summary.py BUILD_ROOT
"""
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

BUILD = pathlib.Path(sys.argv[1]).resolve()
APP = [str(BUILD / "examples" / "mandelbrot"), "--size", "256", "--iterations", "200", "--repeat", "3", "--check"]
ENV = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "OCL_ICD_", "POCL_DEV", "POCL_MAX"))}
ENV.update(POCL_DEVICES="basic pthread", POCL_MAX_PTHREAD_COUNT="1", COEXEC_DEBUG="analysis_wait=60000")


def run(*options, app=APP, **variables):
    done = subprocess.run([BUILD / "tools" / "coexec", "run", *options, "--", *app], env={**ENV, **variables}, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done
    return done.stderr


def headline_of_splits():
    said = run("--summary", "--set", "split=always", "--algo", "static").splitlines()
    assert said[0].startswith("coexec summary (pid "), said
    times = re.fullmatch(r"  (\d+\.\d\d)x as fast as the fastest device alone \(estimate(?:; the machine is busy)?\); 4 of 4 launches split", said[1])
    assert times and 0.5 < float(times[1]) < 4, said
    assert said[2].startswith("  kernel mandelbrot: 4 launches, 4 split, 0 whole; "), said
    assert not re.search("decided|account|transport", "\n".join(said)), said


def headline_of_devices_that_share_cores():
    """Each of two CPU devices has as many threads as there are cores."""
    said = run("--summary", "--set", "split=always", "--algo", "static", POCL_DEVICES="pthread pthread", POCL_MAX_PTHREAD_COUNT=str(len(os.sched_getaffinity(0))))
    assert re.search(r"alone \(estimate; devices share cores(; the machine is busy)?\); ", said), said


def headline_of_whole_ones():
    said = run("--summary", "--set", "split=never").splitlines()
    assert said[1] == "  none of 4 launches split, all ran whole" and any("whole 4 times: " in line for line in said), said


def full_tells_more():
    said = run("--summary=full", "--set", "split=always")
    for text in "x as fast as", "decided ", "bytes by transport":
        assert text in said, said


def one_file_of_two_processes():
    """Each adds its summary in one piece; with %p and %h each has its own."""
    with tap.folder() as name:
        at = pathlib.Path(name)
        both = f"{' '.join(APP)} & {' '.join(APP)}; wait"
        run("--summary", app=["sh", "-c", both], COEXEC_SUMMARY_FILE=str(at / "both"))
        blocks = (at / "both").read_text().split("coexec summary (pid ")[1:]
        assert len(blocks) == 2 and all(block.count("  kernel mandelbrot: ") == 1 for block in blocks), blocks
        run("--summary", app=["sh", "-c", both], COEXEC_SUMMARY_FILE=str(at / "of.%p.%h"), COEXEC_LOG_FILE=str(at / "log.%p"), COEXEC_LOG="info")
        files = sorted(path.name for path in at.iterdir())
        pids = {file.split(".")[1] for file in files if file.startswith("of.")}
        assert len(pids) == 2 and all(f"of.{pid}.{socket.gethostname()}" in files and f"log.{pid}" in files for pid in pids), files


def one_trace_of_two_processes():
    """The second one's is beside it, as one line says; both are whole."""
    with tap.folder() as name:
        at = pathlib.Path(name)
        said = run("--trace", str(at / "t.json"), app=["sh", "-c", f"{' '.join(APP)} --size 1k & {' '.join(APP)} --size 1k; wait"])
        files = sorted(at.iterdir())
        assert len(files) == 2 and said.count("another process writes its trace to") == 1 and str(files[1]) in said, (files, said)
        for file in files:
            events = json.loads(file.read_text())
            assert len({event["pid"] for event in events}) == 1 and any(event.get("cat") == "package" for event in events), file
        said = run("--trace", str(at / "t.json"))  # nobody writes to it any more
        assert not said and sorted(at.iterdir()) == files, said


def wait_for(what, seconds=60):
    for _ in range(seconds * 20):
        if found := what():
            return found
        time.sleep(0.05)
    raise AssertionError("it does not come")


def end_by(number):
    """A program that a signal ends tells what it did so far; its status is the signal's, and nothing stays behind."""
    with tap.folder() as name:
        app = [*APP[:1], "--size", "256", "--iterations", "200", "--repeat", "1000000"]
        env = {**ENV, "XDG_RUNTIME_DIR": name, "COEXEC_DEBUG": ""}
        program = subprocess.Popen([BUILD / "tools" / "coexec", "run", "--summary", "--", *app], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_for(lambda: list(pathlib.Path(name).glob("coexec-*/summary.*")))
        program.send_signal(number)
        said = program.communicate(timeout=60)[1]
        assert program.returncode == -number, program.returncode
        assert said.startswith("coexec run: ended before it could tell") and said.count("coexec summary (pid ") == 1, said
        assert f"(pid {program.pid}," in said and "  kernel mandelbrot: " in said, said
        wait_for(lambda: not os.listdir(name))


def nothing_stays_of_a_regular_end():
    with tap.folder() as name:
        said = run("--summary", XDG_RUNTIME_DIR=name)
        assert said.count("coexec summary") == 1 and "ended before" not in said, said
        wait_for(lambda: not os.listdir(name))
        # the watcher is no child of the program, which would wait for it
        count = "import os, sys\ntry:\n    os.wait()\nexcept ChildProcessError:\n    sys.exit(0)\nsys.exit(1)"
        run("--summary", app=[sys.executable, "-c", count], XDG_RUNTIME_DIR=name)
        wait_for(lambda: not os.listdir(name))


def kept_beside_a_file():
    """Without coexec run, too: what is there when a process is killed stays."""
    with tap.folder() as name:
        at = pathlib.Path(name)
        env = {**ENV, "OCL_ICD_VENDORS": f"{BUILD}/icd/", "COEXEC_SUMMARY": "1", "COEXEC_SUMMARY_FILE": str(at / "s"), "COEXEC_DEBUG": ""}
        program = subprocess.Popen([*APP[:1], "--size", "256", "--repeat", "1000000"], env=env, stdout=subprocess.DEVNULL)
        wait_for(lambda: list(at.iterdir()))
        program.kill()
        program.wait()
        assert [path.name for path in at.iterdir()] == [f"s.{program.pid}"] and "kernel mandelbrot" in (at / f"s.{program.pid}").read_text(), os.listdir(name)


ENDS = [(f"ended by {number.name}", lambda number=number: end_by(number)) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)]
sys.exit(tap.run([*ENDS, nothing_stays_of_a_regular_end, kept_beside_a_file, headline_of_splits, headline_of_devices_that_share_cores, headline_of_whole_ones, full_tells_more, one_file_of_two_processes, one_trace_of_two_processes]))
