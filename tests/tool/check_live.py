#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""coexec top and coexec run --live, over the tests' stub driver: what they tell of programs that run, are ended or forked, or show
something odd; in a real terminal (tmux), which they leave as it was. TAP.

usage: check_live.py PATH_OF_COEXEC PATH_OF_LIBSTUB LIVE_PROGRAM
"""
import contextlib
import ctypes
import fcntl
import itertools
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

TOOL, STUB, PROGRAM = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:4])
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "OCL_ICD_", "STUB_"))}
ENV = {**CLEAN, "COEXEC_VENDORS": STUB, "STUB_NAMES": "Quick Graphics,Slow Graphics", "STUB_SPEED": "0", "TERM": "xterm"}


@contextlib.contextmanager
def program(*arguments, variables=None, **options):
    """A program that launches, from its first launches on."""
    process = subprocess.Popen([TOOL, "run", "--", PROGRAM, *arguments], env={**ENV, **(variables or {})}, text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    try:
        line = process.stdout.readline()
        assert line == "ready\n", line + process.stderr.read()
        yield process
    finally:
        process.kill()
        process.communicate()


def top(*arguments):
    return subprocess.run([TOOL, "top", "--interval", "0.2", *map(str, arguments)], env=ENV, capture_output=True, text=True, timeout=60)


def shown(pid):
    """What is told of it."""
    done = top("--once", "--json", pid)
    assert done.returncode == 0 and not done.stderr, done
    return json.loads(done.stdout)["processes"][0]


def listed(*arguments):
    return [process["pid"] for process in json.loads(top("--once", "--json", *arguments).stdout)["processes"]]


def not_shown(pid, why="does not use coexec"):
    done = top("--once", pid)
    assert done.returncode == 1 and why in done.stderr and not done.stdout, done


def until(condition, seconds=30):
    """Waits for it, and gives what it is."""
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def one_process():
    """Counters, rates, names."""
    with program() as process:
        facts = shown(process.pid)
        assert facts["pid"] == process.pid and facts["program"] == "live_program" and facts["balancer"] == "auto", facts
        assert facts["launches"] >= 20 and facts["launches_per_s"] > 0 and facts["kernel"] == "stub_inc", facts
        assert facts["kernels"][0]["name"] == "stub_inc" and facts["kernels"][0]["launches"] >= 20, facts
        assert "Quick Graphics" in facts["devices"][0]["name"], facts
        assert abs(sum(device["work"] for device in facts["devices"]) - 1) < 1e-6, facts
        assert facts["bytes_per_s"]["to_devices"] >= 0, facts
        assert shown(process.pid)["launches"] > facts["launches"]


def launches_are_counted():
    """As many as the summary counts, of launches that are split and of whole ones."""
    for split in ("never", "always"):
        with program(variables={"COEXEC_SPLIT": split, "COEXEC_SUMMARY": "1", "COEXEC_DEBUG": "analysis_wait=60000"}) as process:
            process.send_signal(signal.SIGSTOP)  # they stand still
            facts = shown(process.pid)
            assert facts["launches"] >= 20 and facts["under_way"] <= 1, facts
            assert (facts["split"] > 0) == (split == "always"), facts
            process.send_signal(signal.SIGCONT)
            assert until(lambda: shown(process.pid)["launches"] > facts["launches"])
            _, err = process.communicate("0\n", timeout=60)
            told = re.search(r"of (\d+) launches", err)
            assert process.returncode == 0 and int(told.group(1)) > facts["launches"], err


def text_of_all():
    with program() as first, program() as second:
        text = top("--once").stdout
        assert text.count("live_program") >= 2 and str(first.pid) in text and str(second.pid) in text, text
        assert {first.pid, second.pid} <= set(listed())


def lines_until_it_ends():
    """On a pipe: text again and again, no sequences of terminals, and the end is told of, by whatever it came."""
    with program() as process:
        lines = subprocess.Popen([TOOL, "top", "--interval", "0.1", str(process.pid)], env=ENV, stdout=subprocess.PIPE, text=True)
        first = [lines.stdout.readline() for _ in range(3)]
        assert first[0].startswith("live_program (pid"), first
        process.send_signal(signal.SIGKILL)
        rest, _ = lines.communicate(timeout=60)
        assert lines.returncode == 0 and f"process {process.pid} has ended" in rest and "\033" not in rest, rest


def two_contexts():
    with program("two") as process:
        facts = shown(process.pid)
        assert facts["launches"] >= 20 and len(facts["devices"]) == len({device["index"] for device in facts["devices"]}), facts


def child_of_fork():
    """It has its parent's file open, but is not its parent."""
    with program("fork") as process:
        child = int(process.stdout.readline())
        assert process.pid in listed() and child not in listed()
        not_shown(child)


def becomes_another():
    with program("exec") as process:
        assert process.pid in listed()
        process.stdin.write("x\n")
        process.stdin.flush()
        assert until(lambda: top("--once", process.pid).returncode == 1)
        not_shown(process.pid)


def switched_off():
    with program(variables={"COEXEC_DEBUG": "live=0"}) as process:
        not_shown(process.pid)


def no_room():
    """The program goes on where no such file may be written."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    with program(preexec_fn=limit, variables={"COEXEC_CACHE_DIR": "-"}) as process:
        not_shown(process.pid)
        out, err = process.communicate("7\n", timeout=60)
        assert process.returncode == 7 and not err, (process.returncode, out, err)


def full_disk():
    with program() as process, open("/dev/full", "w") as full:
        for arguments in ([], ["--json"], [str(process.pid)]):
            assert subprocess.run([TOOL, "top", "--once", "--interval", "0.1", *arguments], env=ENV, stdout=full, timeout=60).returncode == 1


def closed_outputs():
    """A program that was started without standard output or error does not write into the page what it says there."""
    for closed in (1, 2):
        process = subprocess.Popen([TOOL, "run", "--", PROGRAM, "seconds", "30"], env=ENV, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, preexec_fn=lambda number=closed: os.close(number))
        try:
            assert until(lambda: process.pid in listed()), closed
            files = pathlib.Path(f"/proc/{process.pid}/fd")
            assert not (files / str(closed)).exists(), os.readlink(files / str(closed))
            link = next(file for file in files.iterdir() if "coexec-live" in os.readlink(file))
            file = os.open(link, os.O_WRONLY)
            try:
                os.write(file, b"x")
                assert False, "it can be written by its descriptor"
            except PermissionError:
                os.close(file)
        finally:
            process.kill()
            process.communicate()


def not_there():
    not_shown(2**22 - 5, "does not run")
    not_shown(os.getpid())


def odd_pages():
    """Files of that name that are none, and names with sequences of terminals."""
    class Head(ctypes.Structure):
        _fields_ = [("magic", ctypes.c_char * 8), ("version", ctypes.c_uint32), ("size", ctypes.c_uint32), ("pid", ctypes.c_int32),
                    ("unused", ctypes.c_uint32), ("since", ctypes.c_uint64), ("balancer", ctypes.c_char * 64),
                    ("devices", ctypes.c_uint32), ("kernels", ctypes.c_uint32), ("current", ctypes.c_uint32)]
    with program() as process:
        link = next(file for file in pathlib.Path(f"/proc/{process.pid}/fd").iterdir() if "coexec-live" in os.readlink(file))
        page = link.read_bytes()
    head = Head.from_buffer_copy(page)
    head.pid = os.getpid()
    whole = bytes(head) + page[ctypes.sizeof(head):]
    wild = Head.from_buffer_copy(whole)
    wild.balancer, wild.devices, wild.kernels, wild.current = b"\033]0;x\007" + 57 * b"y", 2**31, 2**32 - 1, 99999
    newer = Head.from_buffer_copy(whole)
    newer.version = 2
    for content, sealed, good in [(b"", True, False), (b"x" * 100, True, False), (os.urandom(len(page)), True, False), (whole, False, False),
                                  (page, True, False), (bytes(newer) + whole[ctypes.sizeof(head):], True, False), (whole, True, True),
                                  (bytes(wild) + b"\xff" * (len(page) - ctypes.sizeof(head)), True, True)]:
        file = os.memfd_create("coexec-live", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.write(file, content)
        if sealed:
            fcntl.fcntl(file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
        done = top("--once", os.getpid())
        assert done.returncode == (0 if good else 1) and "\033" not in done.stdout, (content[:40], done)
        if good:
            assert os.getpid() == shown(os.getpid())["pid"]
        os.close(file)


def without_terminal():
    """run --live shows nothing then; the program's output and status are its own."""
    done = subprocess.run([TOOL, "run", "--live", "--", PROGRAM, "seconds", "0.3"], env=ENV, capture_output=True, text=True, timeout=60)
    assert done.returncode == 3 and done.stdout.startswith("ready\noutput"), done
    assert done.stderr.count("\n") == 1 and "no terminal" in done.stderr, done


# ---- in a terminal ----

class Terminal:
    """A shell in tmux, with a server of its own: one that is ending still takes new sessions, which end with it."""

    number = itertools.count()

    def __init__(self, **variables):
        self.name = f"coexec-live-{os.getpid()}-{next(self.number)}"
        shell = {**ENV, "PS1": "$ ", "HISTFILE": "/dev/null", **variables}
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "20", "bash --norc --noprofile", env=shell)
        self.tmux("set-option", "-g", "default-terminal", "screen")

    def tmux(self, *arguments, env=None):
        done = subprocess.run(["tmux", "-L", self.name, *arguments], env=env or ENV, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done
        return done.stdout

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def text(self):
        return self.tmux("capture-pane", "-p")

    def until(self, text, away=False):
        found = until(lambda: (text in self.text()) != away)
        assert found, f"{'still' if away else 'no'} '{text}' in:\n{self.text()}"

    def state(self):
        """Whether another screen is shown, whether there is a cursor, the lines that scroll."""
        return self.tmux("display-message", "-p", "#{alternate_on} #{cursor_flag} #{scroll_region_upper}-#{scroll_region_lower}").strip()

    def clean(self):
        """Whether the shell has it back as it was."""
        assert until(lambda: self.state() in ("0 1 0-19", "0 1 0-11")), self.state()
        self.keys("clear; stty -a | grep -o ' -*icanon\\| -*echo '; echo 'is 'clean", "Enter")
        found = until(lambda: all(word in self.text() for word in (" icanon", " echo", "is clean")))
        assert found, self.text()


@contextlib.contextmanager
def terminal(**variables):
    shell = Terminal(**variables)
    try:
        yield shell
    finally:
        shell.tmux("kill-server")


def pid_of(command):
    """The process that was begun with exactly these words; not every system has pgrep."""
    words = command.split()
    for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if entry.read_bytes().decode(errors="replace").split("\0")[:-1] == words:
                return int(entry.parent.name)
        except OSError:
            continue
    raise AssertionError(f"no process {command}")


def screen():
    """One process on the whole screen, which follows its size; q and signals end it, Ctrl-Z stops it."""
    if not shutil.which("tmux"):
        return "SKIP no tmux"
    with program() as process, terminal() as shell:
        for end in ("q", "C-c", "TERM", "C-z"):
            shell.keys(f"clear; {TOOL} top {process.pid}", "Enter")
            for text in "WORK-ITEMS/S", "stub_inc", "Quick Graphics":
                shell.until(text)
            assert shell.state().startswith("1 0"), shell.state()
            shell.tmux("resize-window", "-x", "60", "-y", "12")
            shell.until("WORK-ITEMS", away=True)
            shell.tmux("resize-window", "-x", "100", "-y", "20")
            shell.until("WORK-ITEMS/S")
            if end == "TERM":
                os.kill(pid_of(f"{TOOL} top {process.pid}"), signal.SIGTERM)
            else:
                shell.keys(end)
            shell.until("WORK-ITEMS/S", away=True)
            shell.clean()
        shell.keys("fg", "Enter")
        shell.until("WORK-ITEMS/S")
        process.send_signal(signal.SIGKILL)
        shell.until("has ended")
        shell.clean()
    return None


def screen_of_all():
    if not shutil.which("tmux"):
        return "SKIP no tmux"
    with program() as process, terminal(NO_COLOR="1") as shell:
        shell.keys(f"{TOOL} top", "Enter")
        shell.until(f"{process.pid} live_program")
        assert "\033[7m" not in shell.tmux("capture-pane", "-p", "-e"), shell.tmux("capture-pane", "-p", "-e")
        process.send_signal(signal.SIGKILL)
        process.wait()
        shell.until(f"{process.pid} live_program", away=True)
        shell.keys("q")
        shell.until("coexec top PID", away=True)
        shell.clean()
    return None


def dumb_terminal():
    if not shutil.which("tmux"):
        return "SKIP no tmux"
    with program() as process, terminal() as shell:
        shell.keys(f"TERM=dumb {TOOL} top --once {process.pid}; TERM=dumb {TOOL} run --live -- {PROGRAM} seconds 0.1", "Enter")
        shell.until("no terminal")
        assert shell.state().startswith("0 1 0-19"), shell.state()
        shell.clean()
    return None


def line_below_the_output():
    """run --live: a line at the foot, the output above it, the program's status."""
    if not shutil.which("tmux"):
        return "SKIP no tmux"
    with terminal() as shell:
        shell.keys(f"clear; {TOOL} run --live -- {PROGRAM} seconds 4; echo status $?", "Enter")
        shell.until("launches/s")
        lines = shell.text().splitlines()
        assert lines[-1].startswith("coexec "), lines
        assert shell.state().endswith("0-18"), shell.state()
        shell.tmux("resize-window", "-x", "60", "-y", "12")
        assert until(lambda: shell.text().splitlines()[-1:] and "coexec" in shell.text().splitlines()[-1] and shell.state().endswith("0-10"))
        shell.until("status 3")
        text = shell.text()
        assert "launches/s" not in text and "output" in text, text
        shell.clean()
    return None


def signals_of_a_run():
    """Ctrl-C, and a signal that only coexec gets, end the program; the shell is told how it ended."""
    if not shutil.which("tmux"):
        return "SKIP no tmux"
    for end, status in (("C-c", 130), ("TERM", 143)):
        with terminal() as shell:
            command = f"{TOOL} run --live -- {PROGRAM} seconds 60"
            shell.keys(f"clear; {command}", "Enter")
            shell.until("launches/s")
            if end == "TERM":
                os.kill(pid_of(command), signal.SIGTERM)
            else:
                shell.keys(end)
            shell.until("launches/s", away=True)
            shell.keys("echo status $?", "Enter")
            shell.until(f"status {status}")
            shell.clean()
    return None


def not_found():
    if not shutil.which("tmux"):
        return "SKIP no tmux"
    with terminal() as shell:
        shell.keys(f"{TOOL} run --live -- /nonexistent/program; echo status $?", "Enter")
        shell.until("status 127")
    return None


if __name__ == "__main__":
    sys.exit(tap.run(tap.tests_of(globals())))
