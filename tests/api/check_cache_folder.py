#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cache folders that cannot be made, written or filled mean no cache: right results, split, and one warning. TAP.

usage: check_cache_folder.py ANALYSER EXAMPLE ARGUMENTS...

File systems that are read-only or full are mounted in a namespace of the program's own, where that is allowed.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

ANALYSER, COMMAND = os.path.abspath(sys.argv[1]), sys.argv[2:]
NOBODY = 65534
COMPLAINT = "cannot keep analysis results"


def run(room, folder, prefix=(), log="warn", **settings):
    """(checksum, standard error), of a run that must split."""
    summary = room / "summary"
    summary.write_text("")
    summary.chmod(0o666)
    env = dict(os.environ, COEXEC_CACHE_DIR=str(folder), COEXEC_LOG=log, COEXEC_SUMMARY="1", COEXEC_SUMMARY_FILE=str(summary),
               COEXEC_ALGO="static", COEXEC_SPLIT="always", COEXEC_DEBUG="analysis_wait=60000", COEXEC_ANALYSER=str(room / "analyser"),
               POCL_CACHE_DIR=str(room / "pocl"), **settings)
    done = subprocess.run([*prefix, *COMMAND], capture_output=True, text=True, timeout=240, env=env)
    told = f"{done.stdout}\n{done.stderr}"
    assert done.returncode == 0 and "check=pass" in done.stdout, f"status {done.returncode}\n{told}"
    assert re.search(r", [1-9]\d* split", summary.read_text()), f"nothing split\n{summary.read_text()}\n{told}"
    return re.search(r"checksum=(\w+)", done.stdout)[1], done.stderr


def analyses(room):
    """How often the analyser ran."""
    return (room / "analyses").read_text().count("\n")


def refused(room, folder, prefix=(), **settings):
    """The folder is of no use: one line says so, and what to do."""
    checksum, said = run(room, folder, prefix, **settings)
    assert checksum == EXPECTED, f"checksum {checksum}, not {EXPECTED}"
    assert said.count("\n") == 1 and COMPLAINT in said and "Set COEXEC_CACHE_DIR" in said, said
    _, said = run(room, folder, prefix, log="error", **settings)
    assert said == "", said


def mounted(folder, *steps):
    """The words in front of a command that has a file system of its own in the folder; None: not allowed."""
    script = " && ".join((f"mount -t tmpfs -o size=64k none {shlex.quote(str(folder))}", *steps, 'exec "$@"'))
    for unshare in ["unshare", "-m"], ["unshare", "-r", "-m"]:
        prefix = [*unshare, "sh", "-c", script, "sh"]
        try:
            if subprocess.run([*prefix, "true"], capture_output=True, timeout=60).returncode == 0:
                return prefix
        except FileNotFoundError:
            break
    return None


def good(room):
    """The reference: kept the first time, found the second."""
    global EXPECTED
    EXPECTED, _ = run(room, room / "good")
    assert list((room / "good").iterdir()), "nothing kept"
    before = analyses(room)
    checksum, _ = run(room, room / "good")
    assert checksum == EXPECTED, checksum
    assert before and analyses(room) == before, f"analysed {before} and {analyses(room)} times"


def below_a_file(room):
    (room / "file").write_text("")
    refused(room, room / "file" / "cache")


def a_file(room):
    (room / "file").write_text("")
    refused(room, room / "file")


def broken_link(room):
    (room / "link").symlink_to("/proc/nowhere/cache")
    refused(room, room / "link")


def not_to_be_made(room):
    refused(room, "/proc/nowhere/cache")


def takes_no_files(room):
    refused(room, "/proc")


def no_home(room):
    refused(room, "", XDG_CACHE_HOME="", HOME="/proc/nowhere")


def of_another_user(room):
    folder, prefix = room / "theirs", []
    folder.mkdir(mode=0o555)
    if os.geteuid() == 0:
        prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        (room / "pocl nobody").mkdir()
        (room / "pocl nobody").chmod(0o777)
        needed = [COMMAND[0], os.environ["OCL_ICD_VENDORS"], str(room)]
        if subprocess.run([*prefix, "sh", "-c", 'for f; do [ -r "$f" ] || exit 1; done', "sh", *needed], capture_output=True).returncode:
            return "SKIP the build cannot be read by others"
    (room / "pocl").rename(room / "pocl own")
    try:
        (room / "pocl").symlink_to("pocl nobody" if prefix else "pocl own")
        refused(room, folder, prefix)
    finally:
        (room / "pocl").unlink()
        (room / "pocl own").rename(room / "pocl")
    assert not list(folder.iterdir()), "something kept"
    return None


def read_only(room):
    (room / "ro").mkdir()
    prefix = mounted(room / "ro", f"mount -o remount,ro {shlex.quote(str(room / 'ro'))}")
    if not prefix:
        return "SKIP may not mount"
    refused(room, room / "ro", prefix)
    refused(room, room / "ro" / "below", prefix)
    return None


def read_only_but_filled(room):
    """What is there already is of use."""
    folder = shlex.quote(str(room / "ro"))
    prefix = mounted(room / "ro", f"cp -p {shlex.quote(str(room / 'good'))}/* {folder}", f"mount -o remount,ro {folder}")
    if not prefix:
        return "SKIP may not mount"
    before = analyses(room)
    checksum, said = run(room, room / "ro", prefix, log="analysis:info")
    assert checksum == EXPECTED and COMPLAINT not in said, said
    assert analyses(room) == before, "analysed again"
    return None


def full(room):
    (room / "full").mkdir()
    folder = shlex.quote(str(room / "full"))
    fill = f"! dd if=/dev/zero of={folder}/filler bs=1k 2>/dev/null"
    prefix = mounted(room / "full", fill)
    if not prefix:
        return "SKIP may not mount"
    refused(room, room / "full", prefix)
    # nothing half-written is left; a full disk may still have room for names
    watched = [*prefix, "sh", "-c", f'"$@"; status=$?; ls -A {folder} >&2; exit $status', "sh"]
    _, said = run(room, room / "full", watched, log="error")
    assert said.split() == ["filler"], said
    return None


def reports(room):
    """What cannot be written to the end is told of, once a file."""
    env = dict(os.environ, COEXEC_SUMMARY="1", COEXEC_SUMMARY_FILE="/dev/full", COEXEC_TRACE="/dev/full", COEXEC_LOG="warn",
               COEXEC_CACHE_DIR=str(room / "good"), POCL_CACHE_DIR=str(room / "pocl"))
    done = subprocess.run(COMMAND, capture_output=True, text=True, timeout=240, env=env)
    assert done.returncode == 0 and "check=pass" in done.stdout, f"status {done.returncode}\n{done.stdout}\n{done.stderr}"
    for said in "COEXEC_TRACE=/dev/full: ", "cannot write the summary to /dev/full: ":
        assert done.stderr.count(said) == 1, done.stderr


def main():
    cases = [good, below_a_file, a_file, broken_link, not_to_be_made, takes_no_files, no_home, of_another_user, read_only,
             read_only_but_filled, full, reports]
    with tap.folder("coexec-cache-") as name:
        room = pathlib.Path(name)
        room.chmod(0o755)
        (room / "pocl").mkdir()
        (room / "analyses").write_text("")
        (room / "analyser").write_text(f'#!/bin/sh\necho >> "{room}/analyses"\nexec "{ANALYSER}" "$@"\n')
        (room / "analyser").chmod(0o755)
        return tap.run([(case.__name__.replace("_", " "), lambda case=case: case(room)) for case in cases])


if __name__ == "__main__":
    sys.exit(main())
