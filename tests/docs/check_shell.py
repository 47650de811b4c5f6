#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What shells are told: `coexec env`, and the completions. TAP.

usage: check_shell.py PATH_OF_COEXEC
"""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COMPLETION = ROOT / "tools" / "completion"
TOOL = str(pathlib.Path(sys.argv[1]).resolve())
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "OCL_ICD_"))}
CLEAN["PATH"] = f"{os.path.dirname(TOOL)}:{CLEAN['PATH']}"


def shell(script, **variables):
    done = subprocess.run(["bash", "--norc", "-c", script], env={**CLEAN, **variables}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done
    return done.stdout


def env_is_what_run_sets():
    """What a program finds, started so and so, is the same; also of odd characters, and the second time."""
    options = "--summary --algo static --set log=plan:info --set zero_copy=0 --trace \"$PWD/it's \\\"t\\\" \\$x.json\""
    variables = {"OCL_ICD_FILENAMES": "/a 'b'/c.so", "OCL_ICD_DEFAULT_PLATFORM": "1", "COEXEC_VERIFY": "1"}
    wanted = r"env | grep -aE '^(COEXEC|OCL_ICD)_' | grep -v ^COEXEC_SUMMARY_KEPT= | sort"
    run = shell(f"coexec run {options} -- sh -c \"{wanted}\"", **variables)
    evaluated = shell(f'eval "$(coexec env {options})"; {wanted}', **variables)
    assert run == evaluated and "it's" in run and "COEXEC_VERIFY=1" in run, f"{run}\nis not\n{evaluated}"
    assert shell('eval "$(coexec env)"; coexec env') == ""


def env_takes_no_program():
    done = subprocess.run([TOOL, "env", "--", "./app"], env=CLEAN, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "coexec run" in done.stderr and not done.stdout, done
    done = subprocess.run([TOOL, "env", "--algo", "statik"], env=CLEAN, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "did you mean static?" in done.stderr and not done.stdout, done


def env_for_fish():
    done = subprocess.run([TOOL, "env", "--fish", "--devices", "cpu"], env={**CLEAN, "OCL_ICD_FILENAMES": "x"}, capture_output=True, text=True, timeout=60)
    assert "set -gx OCL_ICD_VENDORS '" in done.stdout and "set -e OCL_ICD_FILENAMES\n" in done.stdout, done


def completes(line):
    """What bash would offer for the last word of the line."""
    words = line.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    return shell(f"source {COMPLETION}/coexec.bash; compopt() {{ :; }}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _coexec; "
                 'printf "%s\\n" "${COMPREPLY[@]}"').split()


def bash_completes():
    for line, offered in [("coexec r", ["run", "report"]), ("coexec run --su", ["--summary"]), ("coexec run --algo si", ["sigmoid"]),
                          ("coexec run --set spl", ["split="]), ("coexec run --devices c", ["cpu"]), ("coexec info --l", ["--links"]),
                          ("coexec help opt", ["options"]), ("coexec bench --bas", ["--baseline"]), ("coexec report --ma", ["--markdown"]), ("coexec run --li", ["--live"]),
                          ("coexec top --o", ["--once"])]:
        found = completes(line)
        assert set(offered) <= set(found), f"{line}: {found}"
    assert "bash" in completes("coexec run bas"), "programs"


def balancers_are_all_there():
    accepted = re.search(r"balancers: ([a-z, ]+)", shell("coexec help options"))[1].replace(",", "")
    for file in "coexec.bash", "_coexec", "coexec.fish":
        assert accepted in (COMPLETION / file).read_text(), f"{file}: not {accepted}"


sys.exit(tap.run([env_is_what_run_sets, env_takes_no_program, env_for_fish, bash_completes, balancers_are_all_there]))
