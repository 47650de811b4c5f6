#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The knowledge base and `coexec knowledge`: many processes at once of which some are killed, a damaged file, a full disk, a
folder that cannot be written or is somebody else's, its bounds, and each subcommand. TAP.

usage: check_knowledge.py PATH_OF_COEXEC PATH_OF_COEXEC_KNOWLEDGE PATH_OF_LIBSTUB PATH_OF_LIVE_PROGRAM
"""
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

TOOL, STORE, STUB, PROGRAM = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:5])
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "OCL_ICD_", "STUB_"))}


def limited(most):
    """Options of a process none of whose files may be longer. ThreadSanitizer's own one, which it makes as it starts, is not to be
    the first: there is no folder for it."""
    return {"variables": {"TMPDIR": "/nowhere"}, "preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))}


def bits(number):
    return "%x" % struct.unpack("<Q", struct.pack("<d", number))[0]


def line(kernel, size, length=0.1, speeds=(4000.0, 1000.0), seen=None, name="saxpy", saved=0.02, devices="cd"):
    """A profile as coexec writes it."""
    words = ["profile", f"{kernel:032x}", devices * 16, name, "1", str(size), "0", "0", "0", "0", "0", str(size // 16), "5", "1",
             bits(length), "0", "3", bits(0.8), bits(saved), "0", "1", str(int(time.time()) if seen is None else seen), str(len(speeds))]
    for speed in speeds:
        words += [bits(speed), "2"]
    return " ".join(words + ["-"])


def text(lines):
    return "\n".join(["coexec-knowledge 1", f"set {'cd' * 16} 0 {bits(0.02)}{' 0' * 14} One + Other", *lines]) + "\n"


def knowledge(folder, *arguments, status=0, variables=None, **more):
    done = subprocess.run([TOOL, "knowledge", *arguments], env={**CLEAN, "COEXEC_CACHE_DIR": folder, **(variables or {})},
                          capture_output=True, text=True, timeout=120, **more)
    assert status is None or done.returncode == status, f"{arguments}: {done.returncode} {done.stdout} {done.stderr}"
    return done.stdout if status == 0 else done.stderr


def add(folder, lines):
    path = os.path.join(folder, "import.txt")
    with open(path, "w") as out:
        out.write(text(lines))
    return knowledge(folder, "import", path)


def listed(folder, *arguments):
    return json.loads(knowledge(folder, "list", "--json", *arguments))["kernels"]


def lists_and_forgets():
    with tap.folder() as folder:
        assert "nothing is known yet" in knowledge(folder, "list")
        add(folder, [line(1, 1024), line(1, 4096, name="saxpy"), line(2, 64, name="dot", seen=int(time.time()) - 40 * 86400)])
        shown = knowledge(folder, "list")
        assert "saxpy" in shown and "One + Other, 80.0:20.0" in shown and "100.000" in shown, shown
        assert len(listed(folder)) == 3 and len(listed(folder, "--kernel", "s*")) == 2
        assert knowledge(folder, "where").strip() == folder + "/knowledge"
        assert knowledge(folder, "check").endswith("ok\n")
        assert "1 profiles were dropped" in knowledge(folder, "forget", "--older", "30")
        assert "2 profiles were dropped" in knowledge(folder, "forget", "--kernel", "saxpy")
        add(folder, [line(1, 1024)])
        knowledge(folder, "forget", "--all")
        assert listed(folder) == []


def make_caches(folder):
    """A made-up machine of this process's processors: an L2 cache each, and one L3 cache."""
    cpus = sorted(os.sched_getaffinity(0))
    for cpu in cpus:
        for index, (level, shared) in enumerate((("2", [cpu]), ("3", cpus))):
            cache = pathlib.Path(folder, "sys", "cpu", f"cpu{cpu}", "cache", f"index{index}")
            cache.mkdir(parents=True)
            for name, value in (("level", level), ("type", "Unified"), ("shared_cpu_list", ",".join(map(str, shared)))):
                (cache / name).write_text(value + "\n")
    return len(cpus)


def lists_levels_of_programs():
    """What processes of a program measured with a CPU device whole, and cut, is listed, and dropped."""
    with tap.folder() as folder:
        units = make_caches(folder)
        env = {**CLEAN, "COEXEC_CACHE_DIR": folder, "COEXEC_FISSION": "auto", "COEXEC_SYSFS": folder + "/sys", "COEXEC_VENDORS": STUB,
               "STUB_TYPE": "cpu", "STUB_DEVICES": "1", "STUB_UNITS": str(units), "STUB_CUTS": "counts", "STUB_ASYNC": "1", "STUB_SPEED": "0.002"}
        for _ in range(2):
            subprocess.run([TOOL, "run", "--", PROGRAM, "seconds", "1.5"], env=env, capture_output=True, input=b"0\n", timeout=120)
        shown = knowledge(folder, "list")
        assert re.search(r"^live_program +whole 1\.00" + (r" l2 \d+\.\d\d$" if units > 1 else "$"), shown, re.M), shown
        kept = json.loads(knowledge(folder, "list", "--json"))["programs"]
        assert len(kept) == 1 and kept[0]["program"] == "live_program" and kept[0]["time_of_whole"]["whole"] == 1, kept
        assert "live_program" not in knowledge(folder, "list", "--kernel", "*")
        knowledge(folder, "forget", "--all")
        assert "nothing is known yet" in knowledge(folder, "list")


def exports_and_imports():
    with tap.folder() as folder, tap.folder() as other:
        add(folder, [line(kernel, 1024) for kernel in range(50)])
        path = os.path.join(folder, "all")
        knowledge(folder, "export", path)
        assert knowledge(folder, "export") == open(path).read()
        assert "50 profiles" in knowledge(other, "import", path)
        assert knowledge(other, "export") == knowledge(folder, "export")
        with open(path, "w") as out:
            out.write("something else\n")
        assert "not what coexec knowledge export writes" in knowledge(other, "import", path, status=1)
        assert len(listed(other)) == 50


def predicts():
    with tap.folder() as folder:
        add(folder, [line(1, size, length=size * 1e-6, speeds=(4000.0, 1000.0)) for size in (1024, 4096, 16384)])
        said = knowledge(folder, "predict", "--size", "8192")
        assert "whole 8.192 ms, parts 80.0:20.0 % (derived)" in said, said
        assert "(measured)" in knowledge(folder, "predict", "--size", "4096")
        knowledge(folder, "predict", "--size", "64x64", status=1)


def stays_bounded():
    """Ten times as many profiles as there is room for."""
    with tap.folder() as folder:
        now = int(time.time())
        for turn in range(20):
            add(folder, [line(turn * 4000 + i, 1024, seen=now - 100 + turn, speeds=(1.5, 2.5) * 8) for i in range(4000)])
        size = sum(f.stat().st_size for f in pathlib.Path(folder, "knowledge").iterdir())
        kept = listed(folder)
        assert size <= 16 << 20, size
        assert 1000 <= len(kept) <= 8000 and kept[0]["seen"] >= now - 82, len(kept)
        assert os.path.getsize(folder + "/knowledge/view") < 1 << 20


def old_ones_go():
    with tap.folder() as folder:
        add(folder, [line(1, 1024, seen=int(time.time()) - 200 * 86400), line(2, 1024)])
        assert len(listed(folder)) == 1


def leftovers_go():
    """Of processes that were killed while they wrote."""
    with tap.folder() as folder:
        add(folder, [line(1, 1024)])
        for name, age in ((".new.1.1.0", 100000), (".new.2.2.0", 10)):
            path = folder + "/knowledge/" + name
            with open(path, "w"):
                pass
            os.utime(path, (time.time() - age,) * 2)
        knowledge(folder, "list")
        assert not os.path.exists(folder + "/knowledge/.new.1.1.0") and os.path.exists(folder + "/knowledge/.new.2.2.0")


def many_at_once():
    """Sixteen processes write what they learned and take it in, one in three is killed at any time. The base opens, and has what
    was committed."""
    random.seed(3)
    with tap.folder() as folder:
        add(folder, [line(0, 1024)])
        source = os.path.join(folder, "source")
        with open(source, "w") as out:
            out.write(text([line(kernel, 2048) for kernel in range(1, 400)]))
        for _ in range(4):
            running = [subprocess.Popen([TOOL, "knowledge", "import", source] if i % 2 else [STORE, "take-in", folder + "/knowledge"],
                                        env={**CLEAN, "COEXEC_CACHE_DIR": folder}, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL) for i in range(16)]
            for i, process in enumerate(running):
                if i % 3 == 0:
                    time.sleep(random.random() * 0.01)
                    process.send_signal(signal.SIGKILL)
            for process in running:
                process.wait(timeout=60)
            assert knowledge(folder, "check").endswith("ok\n")
            assert not os.path.exists(folder + "/knowledge/knowledge.sqlite.damaged")
        assert len(listed(folder)) == 400


def program(folder, seconds, variables=None, **options):
    """One whose launches of 0.6 ms are worth knowing; it ends with status 3."""
    return subprocess.Popen([TOOL, "run", "--", PROGRAM, "seconds", str(seconds)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            env={**CLEAN, "COEXEC_CACHE_DIR": folder, "COEXEC_VENDORS": STUB, "STUB_DEVICES": "2", "STUB_SPEED": "0.1",
                                 "COEXEC_LOG": "error", **(variables or {})}, **options)


def programs_at_once():
    """Sixteen programs at once, one in three of which is killed: the others end well, and the base has what they learned."""
    random.seed(5)
    with tap.folder() as folder:
        for _ in range(3):
            running = [program(folder, 0.5) for _ in range(16)]
            for process in running[::3]:
                time.sleep(random.random() * 0.1)
                process.kill()
            for i, process in enumerate(running):
                said = process.communicate(timeout=100)[1]
                assert i % 3 == 0 or (process.returncode == 3 and not said), said
        assert knowledge(folder, "check").endswith("ok\n")
        kept = listed(folder, "--kernel", "stub_inc")
        assert kept and kept[0]["processes"] > 1 and kept[0]["whole_seconds"] > 0, kept
        assert not list(pathlib.Path(folder, "knowledge").glob("new.*"))


def programs_never_notice():
    """Nothing can be kept, or what there is makes no sense."""
    def damage(folder, name, content):
        os.makedirs(folder + "/knowledge", exist_ok=True)
        with open(f"{folder}/knowledge/{name}", "wb") as out:
            out.write(content)

    def ends_well(folder, **options):
        process = program(folder, 0.2, **options)
        said = process.communicate(timeout=100)[1]
        assert process.returncode == 3 and not said, said

    with tap.folder() as folder:
        ends_well(folder, **limited(0))
        with open(folder + "/knowledge", "w"):
            pass
        ends_well(folder)
        os.unlink(folder + "/knowledge")
        for name in ("view", "new.1.1", "knowledge.sqlite", "salt"):
            damage(folder, name, bytes(range(256)) * 40)
        ends_well(folder)
        ends_well(folder)
        assert listed(folder, "--kernel", "stub_inc")
    ends_well("/proc/nothing")
    ends_well("-")


def damage_begins_anew():
    """Bits flip in the file: whatever happens the tool ends well, and the base takes in what comes."""
    random.seed(4)
    with tap.folder() as folder:
        path = folder + "/knowledge/knowledge.sqlite"
        add(folder, [line(kernel, 1024) for kernel in range(100)])
        whole = open(path, "rb").read()
        for turn in range(max(8, tap.part(60))):
            damaged = bytearray(whole)
            for _ in range(1 << turn % 8):
                damaged[random.randrange(len(damaged) if turn % 2 else 4096)] ^= 1 << random.randrange(8)
            for other in pathlib.Path(folder, "knowledge").glob("knowledge.sqlite*"):
                other.unlink()
            with open(path, "wb") as out:
                out.write(damaged if turn % 5 else damaged[:random.randrange(len(damaged))])
            knowledge(folder, "list", status=None)
            add(folder, [line(1000 + turn, 1024, name=f"turn{turn}")])
            assert len(listed(folder, "--kernel", f"turn{turn}")) == 1, turn


def full_disk():
    """No file may become longer than this: nothing is written, what is there stays."""
    with tap.folder() as folder:
        add(folder, [line(kernel, 1024) for kernel in range(20)])
        source = os.path.join(folder, "source")
        with open(source, "w") as out:
            out.write(text([line(kernel, 2048) for kernel in range(3000)]))
        for most in (0, 4096, 20000, 100000):
            knowledge(folder, "import", source, status=1, **limited(most))
        assert len(listed(folder)) == 20 and knowledge(folder, "check").endswith("ok\n")


def small_disk():
    """The same of a disk of half a megabyte, where one may be mounted."""
    with tap.folder() as folder:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k,mode=700", "tmpfs", folder], capture_output=True, check=False)
        if mounted.returncode:
            return "SKIP nothing may be mounted"
        try:
            add(folder, [line(kernel, 1024) for kernel in range(20)])
            with tap.folder() as other:
                source = os.path.join(other, "source")
                with open(source, "w") as out:
                    out.write(text([line(kernel, 2048) for kernel in range(3000)]))
                knowledge(folder, "import", source, status=1)
            assert len(listed(folder)) == 20 and knowledge(folder, "check").endswith("ok\n")
        finally:
            subprocess.run(["umount", folder], check=True)


def not_ours():
    with tap.folder() as folder:
        os.makedirs(folder + "/knowledge")
        os.chmod(folder + "/knowledge", 0o777)
        assert "not yours alone" in knowledge(folder, "list", status=1)
        shutil.rmtree(folder + "/knowledge")
        with open(folder + "/knowledge", "w"):
            pass
        knowledge(folder, "list", status=1)
    assert "cannot be made" in knowledge("/proc/nothing", "list", status=1)
    assert "no cache folder" in knowledge("-", "list", status=1)


sys.exit(tap.run([lists_and_forgets, lists_levels_of_programs, exports_and_imports, predicts, stays_bounded, old_ones_go, leftovers_go, many_at_once, programs_at_once, programs_never_notice, damage_begins_anew, full_disk,
                  small_disk, not_ours]))
