#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The configuration file: sections by program, what goes before what, mistakes with their lines, and who may not give it. TAP.

usage: check_config.py PATH_OF_COEXEC PATH_OF_LIBSTUB LIVE_PROGRAM
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

TOOL, STUB, PROGRAM = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:4])
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "OCL_ICD_", "STUB_", "XDG_CONFIG"))}
ENV = {**CLEAN, "COEXEC_VENDORS": STUB, "STUB_SPEED": "0"}


def tool(*arguments, **variables):
    return subprocess.run([TOOL, *arguments], env={**ENV, **variables}, capture_output=True, text=True, timeout=120)


def options(text, *arguments, mode=0o600, **variables):
    """The options by name as (value, origin), with that file, what is said on standard error, and the file's name."""
    with tap.folder() as folder:
        path = pathlib.Path(folder) / "coexec.conf"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        path.chmod(mode)
        done = tool("info", "--json", *arguments, **{"XDG_CONFIG_HOME": folder, **variables})
        assert done.returncode == 0, done
        facts = json.loads(done.stdout)
        assert facts["config_file"] in (None, str(path)), facts["config_file"]
        told = done.stderr.replace(str(path), "FILE").splitlines()
        return {row["name"]: (row["value"], row["origin"]) for row in facts["options"]}, told


FILE = "configuration file"


def sections():
    text = ("# of all\nbudget = 0.5\n\n[one two*]\n; of these\nCOEXEC_SPLIT=never\nzero_copy = 0\n"
            "[other]\nsplit = always\n[ * ]\n  Verify =  3  \n")
    for program, split in (("one", "never"), ("twofold", "never"), ("other", "always"), ("third", "auto"), ("On", "auto")):
        rows, told = options(text, "--for", program)
        assert not told and rows["COEXEC_SPLIT"] == (split, FILE if split != "auto" else "default"), (program, rows["COEXEC_SPLIT"], told)
        assert rows["COEXEC_BUDGET"] == ("0.5", FILE) and rows["COEXEC_VERIFY"] == ("3", FILE), rows
        assert rows["zero_copy"] == (("0", FILE) if split == "never" else ("1", "default")), rows["zero_copy"]


def last_one_counts():
    rows, told = options("split = never\nsplit = always\n[*]\nbudget = 1\n[coexec]\nbudget = 0\n")
    assert not told and rows["COEXEC_SPLIT"][0] == "always" and rows["COEXEC_BUDGET"][0] == "0", rows


def home_of_another():
    """Where nobody can tell whether there is a file, nothing is said of it, unless it was asked for."""
    with tap.folder() as folder:
        home = pathlib.Path(folder) / "home"
        home.mkdir(mode=0o700 if os.geteuid() == 0 else 0)
        user = {"user": 65534, "group": 65534} if os.geteuid() == 0 else {}
        pathlib.Path(folder).chmod(0o755)
        if user and subprocess.run(["test", "-x", os.path.abspath(TOOL)], **user).returncode:
            return "SKIP another user cannot reach the tool"
        for name, told in ("", 0), (str(home / "coexec.conf"), 1):
            done = subprocess.run([TOOL, "info", "--json"], env={**ENV, "HOME": str(home), "COEXEC_CONFIG": name}, capture_output=True,
                                  text=True, timeout=120, **user)
            assert done.returncode == 0 and done.stderr.count("configuration file") == told, done
        home.chmod(0o700)
    return None


def no_text():
    """A wrong file does not flood or change the terminal of each program; good lines count all the same."""
    many = "".join(f"nonsense {i}\n" for i in range(1000)) + "split = wrong\n" * 1000 + "budget = 0.5\n"
    rows, told = options(many)
    assert rows["COEXEC_BUDGET"] == ("0.5", FILE) and len(told) == 9, (len(told), told[:20])
    assert "FILE: 1992 more lines are wrong" in told[8], told
    for text in (b"\033]0;title\007\n[*]\n\033[31mred = 1\nsplit = \033[31mred\n", b"split = ne\0ver\n", bytes(range(256)) * 200):
        rows, told = options(text)
        assert rows["COEXEC_SPLIT"] == ("auto", "default") and 1 <= len(told) <= 9, (text[:40], told)
        assert "unprintable" in told[0] and not any(ord(letter) < 32 for line in told for letter in line), told
    rows, told = options("verify = 2\nsplit = " + "x" * 500000 + "\n")
    assert rows["COEXEC_VERIFY"] == ("2", FILE) and told == ["coexec: FILE, line 2: a line that is too long; ignored"], told[0][:200]


def from_windows():
    """A mark of the byte order, and what lines end with there."""
    rows, told = options(b"\xef\xbb\xbfsplit = never\r\n[*]\r\nbudget = 0.5\r\n")
    assert not told and rows["COEXEC_SPLIT"][0] == "never" and rows["COEXEC_BUDGET"][0] == "0.5", (rows, told)


def environment_wins():
    text = "split = never\nbudget = high\nzero_copy = 0\nstaging = 7\nknowledge = read\nCOEXEC_UNITS = sum\n"
    rows, told = options(text, COEXEC_SPLIT="always", COEXEC_BUDGET="0.3", COEXEC_DEBUG="zero_copy=1", COEXEC_KNOWLEDGE="")
    assert not told and rows["COEXEC_SPLIT"] == ("always", "environment") and rows["COEXEC_BUDGET"] == ("0.3", "environment"), (rows, told)
    assert rows["zero_copy"] == ("1", "environment") and rows["staging"] == ("7", FILE) and rows["units"] == ("sum", FILE), rows
    assert rows["COEXEC_KNOWLEDGE"] == ("read", FILE), rows


def all_kinds():
    """Balancers with parameters, lists with commas, names of debug as a list."""
    text = "algo = auto;step=sigmoid:p=0.1\ndevices = all,!*nothing*\ndebug = peer=0,staging=3\npinned_max = 10%\n"
    rows, told = options(text)
    assert not told and rows["COEXEC_ALGO"] == ("auto;step=sigmoid:p=0.1", FILE) and rows["peer"][0] == "0" and rows["staging"][0] == "3", (rows, told)
    assert rows["COEXEC_DEVICES"] == ("all,!*nothing*", FILE) and rows["COEXEC_PINNED_MAX"] == ("10%", FILE), rows


def mistakes():
    """One line each, with the place; the program runs, and other lines count."""
    for text, line in [("split = alwas", "FILE, line 1: COEXEC_SPLIT=alwas: not known; accepted: auto, never, always; using auto"),
                       ("\n\nspilt = never", "FILE, line 3: spilt: no such option"),
                       ("algo = statik", "FILE, line 1: COEXEC_ALGO=statik: no balancer 'statik'"),
                       ("devices = *radeon*", "FILE: COEXEC_DEVICES=*radeon*: '*radeon*' names no device"),
                       ("zero_copy = 2", "FILE, line 1: COEXEC_DEBUG=zero_copy=2: not a list of such numbers"),
                       ("config = /x", "FILE, line 1: config: no such option"),
                       ("verify", "FILE, line 1: neither [PROGRAM] nor OPTION = VALUE"), ("= 3", "FILE, line 1: neither"),
                       ("[coexec", "FILE, line 1: a section without ]"), ("[", "FILE, line 1: a section without ]")]:
        rows, told = options("budget = 0.4\n".join(["", text]) if text[0] == "\n" else text + "\n")
        assert len(told) == 1 and line in told[0].replace("line 4", "line 3"), (text, told)
        assert rows["COEXEC_SPLIT"][0] == "auto", rows
    rows, told = options("split = alwas\nbudget = 0.4\n[other]\nsplit = alwas\nnonsense\n")
    assert len(told) == 1 and rows["COEXEC_BUDGET"] == ("0.4", FILE), (rows, told)
    rows, told = options("split = \nverify = 1\n")
    assert rows["COEXEC_VERIFY"][0] == "1" and len(told) == 1, told


def odd_files():
    rows, told = options(b"split = never\r\nbudget = 0.4" + b"\r\n\r\n")
    assert not told and rows["COEXEC_SPLIT"][0] == "never" and rows["COEXEC_BUDGET"][0] == "0.4", (rows, told)
    assert options("")[1] == [] and options("#\033 \001\n")[1] == []
    assert options(b"\0\0\0\n\0")[1] == [f"coexec: FILE, line {line}: unprintable characters; ignored" for line in (1, 2)]
    rows, told = options("split = never\n", mode=0o602)
    assert rows["COEXEC_SPLIT"][0] == "auto" and told == ["coexec: the configuration file FILE is not read: everybody may write it"], told
    rows, told = options(b"#" * (1 << 20) + b"\nsplit = never\n")
    assert rows["COEXEC_SPLIT"][0] == "auto" and "too large" in told[0], told
    done = tool("info", COEXEC_CONFIG="/dev/null")
    assert done.returncode == 0 and "it is no file" in done.stderr, done


def where_it_is():
    """By its usual names, which may be missing; by the variable, which may not; or nowhere."""
    with tap.folder() as folder:
        home = pathlib.Path(folder) / "home"
        (home / ".config").mkdir(parents=True)
        (home / ".config" / "coexec.conf").write_text("split = never\n")
        named = pathlib.Path(folder) / "named"
        named.write_text("split = always\n")
        for variables, path, split in [({"HOME": str(home)}, home / ".config" / "coexec.conf", "never"),
                                       ({"HOME": str(home), "XDG_CONFIG_HOME": folder}, None, "auto"),
                                       ({"HOME": str(home), "COEXEC_CONFIG": str(named)}, named, "always"),
                                       ({"HOME": str(home), "COEXEC_CONFIG": "0"}, None, "auto"), ({"HOME": "/nonexistent"}, None, "auto")]:
            done = tool("info", "--json", **variables)
            facts = json.loads(done.stdout)
            rows = {row["name"]: row["value"] for row in facts["options"]}
            assert not done.stderr and facts["config_file"] == (path and str(path)) and rows["COEXEC_SPLIT"] == split, (variables, done)
        done = tool("info", COEXEC_CONFIG=folder + "/none")
        assert f"{folder}/none is not read: No such file" in done.stderr and done.stderr.count("\n") == 1, done
        done = tool("info", COEXEC_CONFIG=str(named))
        assert f"configuration file: {named}: read" in done.stdout, done
        done = tool("env", COEXEC_CONFIG=str(named))
        assert done.stdout.splitlines()[-1] == f"# programs also follow {named}", done


def programs_follow_it():
    """A real program, by the name of its executable; wrong lines are told once."""
    with tap.folder() as folder:
        path = pathlib.Path(folder) / "coexec.conf"
        path.write_text("[live_program]\nsummary = 1\nspilt = 1\n[other]\nsummary = full\n")
        done = tool("run", "--", PROGRAM, "seconds", "0.2", XDG_CONFIG_HOME=folder)
        assert done.returncode == 3 and "coexec summary" in done.stderr and done.stderr.count("spilt") == 1, done
        renamed = shutil.copy(PROGRAM, pathlib.Path(folder) / "unknown")
        done = tool("run", "--", str(renamed), "seconds", "0.2", XDG_CONFIG_HOME=folder)
        assert done.returncode == 3 and not done.stderr, done


def not_of_others():
    """A file of another user is not read, nor any by a program with more rights than its user."""
    if os.geteuid() != 0:
        return "SKIP not root"
    with tap.folder() as folder:
        os.chmod(folder, 0o755)
        path = pathlib.Path(folder) / "coexec.conf"
        path.write_text("split = never\n")
        os.chown(path, 65534, 65534)
        done = tool("info", XDG_CONFIG_HOME=folder)
        assert "it is another user's" in done.stderr and "COEXEC_SPLIT=auto" in done.stdout, done
        raised = shutil.copy(TOOL, pathlib.Path(folder) / "raised")
        os.chown(raised, 0, 0)
        os.chown(path, 0, 0)
        os.chmod(path, 0o644)
        for mode, split in ((0o755, "never"), (0o4755, "auto")):
            os.chmod(raised, mode)
            done = subprocess.run([raised, "info"], env={**ENV, "XDG_CONFIG_HOME": folder, "HOME": folder}, user=65534, group=65534,
                                  extra_groups=[], capture_output=True, text=True, timeout=120)
            if mode == 0o755 and done.returncode > 1:
                return "SKIP another user cannot run it"
            assert f"COEXEC_SPLIT={split} " in done.stdout, (oct(mode), done)
    return None


if __name__ == "__main__":
    sys.exit(tap.run(tap.tests_of(globals())))
