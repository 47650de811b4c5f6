#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Wrong usages of the program coexec: each ends with its status and one message that says what to do. What is right, or stands
in the environment, goes on. TAP.

usage: check_wrong_usage.py PATH_OF_COEXEC PATH_OF_LIBSTUB EXAMPLE [--table]

With --table prints the table of docs/running.md instead.
"""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

TOOL, STUB, EXAMPLE = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:4])
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "OCL_ICD_", "STUB_"))}
TWO = {"COEXEC_VENDORS": STUB, "STUB_NAMES": "Quick Graphics,Slow Graphics", "STUB_TYPE": "gpu,cpu", "STUB_VENDOR": "Widgets Inc"}
NONE = {"COEXEC_VENDORS": "/nonexistent"}
NO_POWER = {"COEXEC_POWERCAP": "/nonexistent", "COEXEC_HWMON": "/nonexistent", "COEXEC_LIBNVML": "/nonexistent"}

# arguments, variables, exit status, texts of the message
WRONG = [
    ("", {}, 2, ["usage: coexec SUBCOMMAND"]),
    ("rnu -- true", {}, 2, ["no such subcommand: rnu, did you mean run?"]),
    ("/bin/true", {}, 2, ["to run that program: coexec run -- /bin/true"]),
    ("help benhc", {}, 2, ["did you mean bench?"]),
    ("run", {}, 2, ["no program to run", "coexec help run"]),
    ("run --summary --", {}, 2, ["no program to run"]),
    ("run --sumary -- true", {}, 2, ["unknown option --sumary, did you mean --summary?"]),
    ("run --algo sigmiod -- true", {}, 2, ["no balancer 'sigmiod', did you mean sigmoid?", "accepted: single, static"]),
    ("run --algo sigmoid:q=1 -- true", {}, 2, ["--algo sigmoid:q=1", "accepted: "]),
    ("run --algo sigmoid:p=high -- true", {}, 2, ["--algo sigmoid:p=high", "accepted: "]),
    ("run --set algo=statik -- true", {}, 2, ["did you mean static?"]),
    ("run --set split=alwas -- true", {}, 2, ["--set COEXEC_SPLIT=alwas: not known, did you mean always?", "accepted: auto, never, always"]),
    ("run --set spilt=always -- true", {}, 2, ["--set spilt: no such option, did you mean SPLIT?"]),
    ("run --set COEXEC_VERIFY=yes -- true", {}, 2, ["not a whole number", "accepted: 0 or a number"]),
    ("run --set fission=l9 -- true", {}, 2, ["--set COEXEC_FISSION=l9: neither a whole number nor a level, did you mean l1?", "l3, numa or auto"]),
    ("run --set budget=2 -- true", {}, 2, ["out of range", "accepted: number from 0 to 1"]),
    ("run --set log=paln:info -- true", {}, 2, ["--set COEXEC_LOG=paln:info: not known", "topics options, driver"]),
    ("run --set zero_copi=0 -- true", {}, 2, ["did you mean zero_copy?"]),
    ("run --set peer=2 -- true", {}, 2, ["--set peer=2: not known", "accepted: auto, 0, 1"]),
    ("run --set split -- true", {}, 2, ["not of the form NAME=VALUE"]),
    ("run --trace -- true", {}, 2, ["--trace needs a value"]),
    ("run --devices -- true", TWO, 2, ["--devices needs a value"]),
    ("run --trace /nonexistent/t.json -- true", {}, 2, ["no file can be made in /nonexistent/"]),
    ("run --devices grapics -- true", TWO, 2, ["'grapics' names no device, did you mean Graphics?", "0 (Quick Graphics), 1 (Slow Graphics)"]),
    ("run --devices gpu,7 -- true", TWO, 2, ["'7' names no device", "0 (Quick Graphics)"]),
    ("run --set devices=*radeon* -- true", TWO, 2, ["'*radeon*' names no device"]),
    ("run --devices !*graphics* -- true", TWO, 2, ["leaves no device of the 2 found"]),
    ("run --devices accelerator -- true", TWO, 2, ["leaves no device of the 2 found"]),
    ("run --devices gpu -- true", NONE, 1, ["there is no OpenCL device", "pocl-opencl-icd", "COEXEC_VENDORS", "containers.md"]),
    ("run --lvie -- true", {}, 2, ["unknown option --lvie, did you mean --live?"]),
    ("env --live", {}, 2, ["--live is for coexec run"]),
    ("tpo", {}, 2, ["no such subcommand: tpo, did you mean top?"]),
    ("top --onec", {}, 2, ["unknown option --onec, did you mean --once?"]),
    ("top hashcat", {}, 2, ["hashcat: not the number of a process", "coexec help top"]),
    ("top 1 2", {}, 2, ["2: one process can be shown, or all"]),
    ("top --interval", {}, 2, ["--interval needs a value"]),
    ("knowledge", {}, 2, ["list, predict, export, import, forget, check or where is needed"]),
    ("knowledge lsit", {}, 2, ["unknown: lsit, did you mean list?", "coexec help knowledge"]),
    ("knowledge list --kernle x", {}, 2, ["unknown option --kernle, did you mean --kernel?"]),
    ("knowledge predict --size 0", {}, 2, ["--size 0: not of the form N, NxM or NxMxK"]),
    ("knowledge forget --older soon", {}, 2, ["--older soon: not a number of days above 0"]),
    ("top --interval 0", {}, 2, ["--interval 0: not a number of seconds from 0.05 to 3600"]),
    ("top 4194299", {}, 1, ["process 4194299 does not run"]),
    ("power", {}, 2, ["no program to run", "coexec help power"]),
    ("power --idel 3 -- true", {}, 2, ["unknown option --idel, did you mean --idle?"]),
    ("power --period -- true", {}, 2, ["--period needs a value"]),
    ("power --period 0 -- true", {}, 2, ["--period 0: not a number of milliseconds from 1 to 10000"]),
    ("power --idle 5m -- true", {}, 2, ["--idle 5m: not a number of seconds from 1 to 3600"]),
    ("power -- true", NO_POWER, 1, ["nothing on this machine tells its power: no RAPL below /nonexistent"]),
    ("bench --weak --json x", TWO, 2, ["--weak goes with none of --json, --compare, --power and --baseline"]),
    ("tune", {}, 2, ["which program?", "coexec help tune"]),
    ("tune --rnus 3 -- true", {}, 2, ["unknown option --rnus, did you mean --runs?"]),
    ("tune --runs 0 -- true", {}, 2, ["--runs 0: not a number from 1 to 32"]),
    ("tune --by lunch -- true", {}, 2, ["--by lunch: accepted are process and launches"]),
    ("tune --algos foo -- true", TWO, 2, ["no balancer 'foo'", "accepted: single, static"]),
    ("tune -- true", {**TWO, "TMPDIR": "/no/such"}, 1, ["coexec tune: /no/such/coexec-tune-"]),
    ("tune -- /no/such/program", TWO, 1, ["no such program"]),
    ("calibrate --second 3", {}, 2, ["unknown option --second, did you mean --seconds?"]),
    ("calibrate --seconds", {}, 2, ["--seconds needs a value"]),
    ("calibrate --seconds 1", {}, 2, ["--seconds 1: not a number of seconds from 1.5 to 600"]),
    ("calibrate", {**TWO, **NO_POWER}, 1, ["nothing on this machine tells its power"]),
    ("run -- /nonexistent/program", {}, 127, ["no such program"]),
    ("run -- /etc", {}, 126, ["/etc"]),
    ("info --fro x", {}, 2, ["unknown argument --fro, did you mean --for?"]),
    ("info --for", {}, 2, ["--for needs a value"]),
    ("info --jsn", {}, 2, ["did you mean --json?"]),
    ("info", NONE, 1, ["there is no OpenCL device", "/nonexistent", "pocl-opencl-icd", "in a container"]),
    ("info --json", NONE, 1, ["there is no OpenCL device"]),
    ("explain", {}, 2, ["coexec help explain"]),
    ("explain nosuch.cl", TWO, 1, ["nosuch.cl"]),
    ("report nosuch.json", {}, 1, ["nosuch.json: No such file"]),
    ("bench --programs mandelbort", TWO, 2, ["no such program: mandelbort, did you mean mandelbrot?"]),
    ("simulate --device fast", {}, 2, ["fast"]),
]

# what docs/running.md shows
SHOWN = ["rnu -- true", "/bin/true", "run", "run --sumary -- true", "run --algo sigmiod -- true", "run --algo sigmoid:p=high -- true",
         "run --set split=alwas -- true", "run --set spilt=always -- true", "run --set COEXEC_VERIFY=yes -- true", "run --set budget=2 -- true",
         "run --trace -- true", "run --trace /nonexistent/t.json -- true", "run --devices grapics -- true", "run --devices !*graphics* -- true",
         "run -- /nonexistent/program", "info --jsn", "top hashcat", "explain nosuch.cl", "report nosuch.json", "bench --programs mandelbort"]

# what chooses devices, which are used then
RIGHT = [
    ("0", "0"), ("1,0", "1 0"), ("all", "0 1"), ("cpu", "1"), ("gpu,!*pocl*", "0"), ("!*nothing*", "0 1"), ("quick", "0"), ("SLOW*", "1"),
    ("*widgets*", "0 1"), ("all,!cpu", "0"), ("gpu,accelerator", "0"),
]

# variables, the one line, with a program that runs all the same
LENIENT = [
    ({"COEXEC_ALGO": "sigmiod"}, "COEXEC_ALGO=sigmiod: no balancer 'sigmiod'"),
    ({"COEXEC_FISSION": "l9"}, "COEXEC_FISSION=l9: neither a whole number nor a level; accepted: 0, a number of cores, l1, l2, l3, numa or auto; using 0"),
    ({"COEXEC_SPLIT": "alwas"}, "COEXEC_SPLIT=alwas: not known; accepted: auto, never, always; using auto"),
    ({"COEXEC_SPILT": "always"}, "COEXEC_SPILT: no such option"),
    ({"COEXEC_DEVICES": "*radeon*"}, "'*radeon*' names no device"),
    ({"COEXEC_DEBUG": "zero_copi=0"}, "COEXEC_DEBUG=zero_copi=0: no such name"),
]


# variables that make a part of coexec be missing, the one warning
MISSING = [
    ({"COEXEC_CLANG": "/nonexistent/clang"}, "/nonexistent/clang (COEXEC_CLANG) cannot be run: every launch runs whole"),
    ({"COEXEC_ANALYSER": "/nonexistent/analyser"}, "/nonexistent/analyser (COEXEC_ANALYSER) cannot be run: every launch runs whole"),
    ({"COEXEC_CACHE_DIR": "/proc/nowhere"}, "cannot keep analysis results in /proc/nowhere"),
]


def tool(arguments, variables):
    return subprocess.run([TOOL, *arguments.split()], env={**CLEAN, **variables}, capture_output=True, text=True, timeout=60)


def wrong(arguments, variables, status, texts):
    done = tool(arguments, variables)
    assert done.returncode == status, f"exit status {done.returncode}, not {status}\n{done.stderr}"
    for text in texts:
        assert text in done.stderr, f"no '{text}' in:\n{done.stderr}"
    assert status != 2 or not done.stdout, done.stdout
    lines = done.stderr.count("\n") - done.stderr.startswith("known: ")
    assert status != 2 or not arguments or lines == 1, done.stderr


def chosen(items, used):
    # `coexec run` lets coexec be the program, which tells what is used
    done = tool(f"run --devices {items} -- {TOOL} info --json", TWO)
    assert done.returncode == 0 and not done.stderr, done.stderr
    facts = json.loads(done.stdout)["devices"]
    assert sorted(used.split()) == [str(device["index"]) for device in facts if device["used"]], facts


def lenient(variables, text):
    done = tool(f"run -- {TOOL} info", {**TWO, **variables})
    assert done.returncode == 0 and done.stdout, done.stderr
    assert text in done.stderr and done.stderr.count("\n") == 1, done.stderr


def missing(variables, text):
    env = {"POCL_DEVICES": "basic pthread", "POCL_MAX_PTHREAD_COUNT": "1", "COEXEC_DEBUG": "analysis_wait=60000", "COEXEC_CACHE_DIR": "-"}
    done = tool(f"run -- {EXAMPLE} --size 64 --check", {**env, **variables})
    assert done.returncode == 0 and "check=pass" in done.stdout, done
    assert text in done.stderr and done.stderr.count("\n") == 1, done.stderr


def table():
    """Arguments, exit status and the first line of the message, as they are."""
    rows = ["| `coexec ...` | status | message |", "|---|--:|---|"]
    for arguments, variables, *_ in sorted((row for row in WRONG if row[0] in SHOWN), key=lambda row: SHOWN.index(row[0])):
        done = tool(arguments, variables)
        message = next(line for line in done.stderr.splitlines() if line.startswith("coexec")).replace("|", "\\|")
        rows.append(f"| `{arguments}` | {done.returncode} | {message} |")
    return rows


def documented():
    text = (pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "running.md").read_text().splitlines()
    lacking = [row for row in table() if row not in text]
    assert not lacking, "docs/running.md is not what check_wrong_usage.py --table prints:\n" + "\n".join(lacking)


def the_rest_is_the_programs():
    """What stands behind the program is its own, -- too."""
    done = tool("run --summary -- echo -- --algo x", TWO)
    assert done.stdout == "-- --algo x\n", done
    done = tool("run echo --summary -- y", TWO)
    assert done.stdout == "--summary -- y\n", done


def main():
    if "--table" in sys.argv:
        print("\n".join(table()))
        return 0
    tests = [(f"coexec {row[0]}".strip(), lambda row=row: wrong(*row)) for row in WRONG]
    tests += [(f"--devices {row[0]}", lambda row=row: chosen(*row)) for row in RIGHT]
    tests += [(" ".join(f"{k}={v}" for k, v in row[0].items()), lambda row=row: lenient(*row)) for row in LENIENT]
    tests += [(" ".join(f"{k}={v}" for k, v in row[0].items()), lambda row=row: missing(*row)) for row in MISSING]
    return tap.run([*tests, the_rest_is_the_programs, documented])


if __name__ == "__main__":
    sys.exit(main())
