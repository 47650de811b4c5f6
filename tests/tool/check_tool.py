#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the program coexec: exit statuses, the environment it gives a program, what info prints. TAP.

usage: check_tool.py PATH_OF_COEXEC PATH_OF_LIBSTUB

PATH_OF_COEXEC must have coexec.icd in ../icd, as in the build tree.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from xml.etree import ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

TOOL, STUB = sys.argv[1:3]
TOOL_PATH = str(pathlib.Path(TOOL).resolve())
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "OCL_ICD_", "STUB_"))}
ICD = str((pathlib.Path(TOOL).resolve().parent.parent / "icd").resolve())


def tool(*arguments, **variables):
    return subprocess.run([TOOL, *arguments], env={**CLEAN, **variables}, capture_output=True, text=True, timeout=60)


def put_program(folder, name, text):
    """In place of an example: what bench starts."""
    path = os.path.join(folder, name)
    with open(path, "w") as program:
        program.write(text)
    os.chmod(path, 0o755)


def environment(*options, **variables):
    """What the program started by `coexec run` finds in its environment."""
    done = tool("run", *options, "--", "env", **variables)
    assert done.returncode == 0, done.stderr
    return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)


def run_keeps_the_status():
    assert tool("run", "--", "sh", "-c", "exit 7").returncode == 7
    assert tool("run", "sh", "-c", "exit 0").returncode == 0


def run_tells_a_missing_program():
    done = tool("run", "--", "/nonexistent/program")
    assert done.returncode == 127 and "/nonexistent/program: no such program" in done.stderr, done
    assert tool("run", "--", "/etc").returncode == 126


def bench_rejects_what_it_does_not_know():
    for arguments, text in [(("--programs", "mandelbrot,nosuch"), "no such program: nosuch"),
                            (("--preset", "huge"), "accepted are tiny, small, paper and large"),
                            (("--algos", "sigmoid,nosuch"), "--algos nosuch: no balancer 'nosuch'; accepted: single, static,"),
                            (("--sets", "two=0,7"), "names no device"), (("--sets", "0"), "LABEL=DEVICES"),
                            (("--baseline", "other"), "--baseline other: accepted are native, together, oracle"),
                            (("--runs", "0"), "accepted are 1 to"), (("--nosuch",), "unknown option --nosuch"),
                            (("--json",), "--json needs a value")]:
        done = tool("bench", *arguments, COEXEC_VENDORS=STUB)
        assert done.returncode == 2 and text in done.stderr and not done.stdout, (arguments, done)
    done = tool("bench", COEXEC_VENDORS="/nonexistent")
    assert done.returncode == 1 and "no OpenCL device" in done.stderr, done


def bench_measures_and_compares():
    """On programs made for this: one works, one fails its check, one is missing."""
    with tap.folder() as folder:
        for name, status in ("saxpy", 0), ("vecadd", 1):
            put_program(folder, name, f"""#!/bin/sh
echo name={name} size=8 ms=2.5 checksum=00ff check={'fail' if status else 'pass'}
if [ "$COEXEC_SUMMARY" ]; then
    echo 'coexec summary (pid 1, balancer static)' >&2
    echo '  kernel k: 4 launches, 2 split, 2 whole; time 1.000 ms; load balance 0.900; moved 3.000 MB' >&2
    echo '    device 0  some name       6 packages   50.0 %  busy    1.000 ms' >&2
fi
exit {status}
""")
        out = os.path.join(folder, "out.json")
        base = ("bench", "--examples", folder, "--programs", "saxpy,vecadd,matmul", "--algos", "static", "--runs", "2")
        done = tool(*base, "--json", out, COEXEC_VENDORS=STUB)
        assert done.returncode == 1 and "failed: exit status 1" in done.stdout, done
        result = json.load(open(out))
        programs = {program["name"]: program["rows"] for program in result["programs"]}
        assert list(programs) == ["saxpy", "vecadd", "matmul"] and result["machine"]["devices"], result
        bare, through = programs["saxpy"][0], programs["saxpy"][-1]
        assert bare["algo"] is None and bare["ms"] == 2.5 and through["speedup"] == 1, (bare, through)
        run = through["runs"][1]
        assert (run["launches"], run["split"], run["packages"]) == (4, 2, 6), run
        assert (run["balance"], run["moved_mb"]) == (0.9, 3), run
        assert not programs["vecadd"][0]["runs"][0]["ok"] and "no such" in programs["matmul"][0]["runs"][0]["problem"].lower()
        one = ("bench", "--examples", folder, "--programs", "saxpy", "--algos", "static", "--runs", "1")
        done = tool(*one, "--compare", out, COEXEC_VENDORS=STUB)
        assert done.returncode == 0 and "since 20" in done.stdout and "1.000" in done.stdout, done
        with open(out) as whole:
            before = json.load(whole)
        before["programs"][0]["rows"][0]["ms"] = 5  # the file that is compared with may be the one to be written
        with open(out, "w") as changed:
            json.dump(before, changed)
        done = tool(*one, "--compare", out, "--json", out, COEXEC_VENDORS=STUB)
        assert done.returncode == 0 and "2.000  faster" in done.stdout and json.load(open(out))["programs"][0]["rows"][0]["ms"] == 2.5, done
        count = os.path.join(folder, "saxpy.runs")
        again = ("bench", "--examples", folder, "--programs", "saxpy,vecadd", "--algos", "static", "--runs", "1", "--no-cold", "--json", out,
                 "--resume")
        with open(os.path.join(folder, "saxpy")) as program:
            words = program.read()
        with open(os.path.join(folder, "saxpy"), "w") as program:
            program.write(words.replace("#!/bin/sh\n", f"#!/bin/sh\necho run >> {count}\n"))
        done = tool(*again, COEXEC_VENDORS=STUB)  # saxpy is there, vecadd not; its failure is tried again each time
        assert done.returncode == 1 and not os.path.exists(count) and "speedup  1.000" in done.stdout, done
        kept = {program["name"]: program["rows"] for program in json.load(open(out))["programs"]}
        assert kept["saxpy"][0]["ms"] == 2.5 and not kept["vecadd"][0]["runs"][0]["ok"], kept
        done = tool(*again, "--runs", "2", COEXEC_VENDORS=STUB)
        assert open(count).read().count("run") == 6, done  # alone on each of two devices, and through coexec
        for more, variables, problem in [(("--preset", "tiny"), {}, "another preset"), (("--repeat", "7"), {}, "repetitions"),
                                         ((), {"STUB_DEVICES": "3"}, "other devices"), ((), {"COEXEC_DEBUG": "overlap=0"}, "other variables")]:
            done = tool(*again, *more, COEXEC_VENDORS=STUB, **variables)
            assert done.returncode == 1 and problem in done.stderr and not done.stdout, (more, done)
        done = tool(*again[:-3], "--resume", COEXEC_VENDORS=STUB)
        assert done.returncode == 2 and "--resume needs --json" in done.stderr, done
        with open(out) as whole:
            text = whole.read()
        with open(out, "w") as half:
            half.write(text[:len(text) // 2])
        done = tool(*one, "--compare", out, COEXEC_VENDORS=STUB)
        assert done.returncode == 1 and "not all of one" in done.stderr and not done.stdout, done
        done = tool(*one, "--compare", out + "x", COEXEC_VENDORS=STUB)
        assert done.returncode == 1 and "No such file" in done.stderr and not done.stdout, done
        done = tool(*one, "--json", "/nonexistent/x.json", COEXEC_VENDORS=STUB)
        assert done.returncode == 1 and "/nonexistent/x.json: No such file" in done.stderr and not done.stdout, done


def bench_runs_splits_by_hand():
    """On a program that prints what it is started with: powers by the times alone, on devices named by their platform."""
    with tap.folder() as folder:
        for name in "saxpy", "vecadd":
            put_program(folder, name, f"""#!/bin/sh
echo "$@" >> {folder}/{name}.words
case "$*" in
*--native*) ms=5 ;;
*'--device 1'*) ms=8 ;;
*) ms=2 ;;
esac
echo name={name} size=8 ms=$ms checksum=00ff check=pass
""")
        out = os.path.join(folder, "out.json")
        done = tool("bench", "--examples", folder, "--programs", "saxpy,vecadd", "--algos", "static", "--runs", "2", "--baseline",
                    "native", "--json", out, COEXEC_VENDORS=STUB, STUB_DEVICES="2")
        assert done.returncode == 0 and "over native 2.500" in done.stdout and "2.500 ( 1)" in done.stdout, done
        rows = {program["name"]: {(row["set"], row["algo"]): row for row in program["rows"]} for program in json.load(open(out))["programs"]}
        assert rows["saxpy"]["all", "native"]["ms"] == 5 and ("all", "native") not in rows["vecadd"], rows
        assert rows["saxpy"]["all", "static"]["over_native"] == 2.5 and "over_native" not in rows["vecadd"]["all", "static"], rows
        with open(os.path.join(folder, "saxpy.words")) as file:
            words = [line.split("--native ")[1].strip() for line in file if "--native" in line]
        [first, second] = words[0].split(",")
        assert len(words) == 2 and first.startswith("1@") and first.endswith(":0"), words
        assert second.startswith("0.25@") and second.endswith(":1"), words
        done = tool("bench", "--examples", folder, "--programs", "saxpy", "--algos", "static", "--runs", "1", "--baseline", "native",
                    COEXEC_VENDORS=STUB, STUB_DEVICES="1", COEXEC_FISSION="1")
        assert "saxpy" in done.stdout, done


def bench_finds_the_best_shares():
    """A program that is the faster the nearer the first device's share is to 70 %."""
    with tap.folder() as folder:
        put_program(folder, "saxpy", f"""#!/bin/sh
share=$(echo "$COEXEC_DEBUG" | sed -n 's/.*powers=\\([0-9]*\\):.*/\\1/p')
ms=9
[ "$COEXEC_ALGO" != static ] || [ -z "$share" ] || ms=$(((share - 70) * (share - 70) / 100 + 2))
echo "$share" >> {folder}/shares
echo name=saxpy size=8 ms=$ms checksum=00ff check=pass
""")
        out = os.path.join(folder, "out.json")
        done = tool("bench", "--examples", folder, "--programs", "saxpy", "--algos", "auto", "--runs", "1", "--baseline", "oracle", "--no-cold",
                    "--json", out, COEXEC_VENDORS=STUB, STUB_DEVICES="2")
        assert done.returncode == 0, done
        rows = {(row["set"], row["algo"]): row["ms"] for row in json.load(open(out))["programs"][0]["rows"]}
        assert rows["all", "oracle"] == 2 and rows["all", "auto"] == 9, rows
        assert sorted(filter(str.strip, open(os.path.join(folder, "shares")))) == [f"{share}\n" for share in range(10, 100, 10)]


def bench_runs_devices_together():
    """A program that is faster while another one of it runs, which it waits for."""
    with tap.folder() as folder:
        put_program(folder, "saxpy", f"""#!/bin/sh
case "$*" in
*'--device 1'*) ms=8 ;;
*) ms=4 ;;
esac
if [ -e {folder}/0 ] && [ -e {folder}/1 ]; then
    mkdir {folder}/together-$ms
    while [ ! -e {folder}/together-4 ] || [ ! -e {folder}/together-8 ]; do sleep 0.01; done
    ms=$((ms / 2))
fi
case "$*" in
*'--device 1'*) touch {folder}/1 ;;
*'--device 0'*) touch {folder}/0 ;;
*) ms=3 ;;
esac
echo name=saxpy size=8 ms=$ms checksum=00ff check=pass
""")
        out = os.path.join(folder, "out.json")
        done = tool("bench", "--examples", folder, "--programs", "saxpy", "--algos", "static", "--runs", "1", "--baseline", "together",
                    "--no-cold", "--limit", "60", "--json", out, COEXEC_VENDORS=STUB, STUB_DEVICES="2")
        assert done.returncode == 0, done
        rows = {(row["set"], row["algo"]): row for row in json.load(open(out))["programs"][0]["rows"]}
        together = rows["all", "together"]
        assert abs(together["ms"] - 4 / 3) < 1e-6 and abs(together["speedup"] - 3) < 1e-6 and abs(together["efficiency"] - 2) < 1e-6, together
        assert "over_native" not in rows["all", "static"] and done.stdout.count("fastest") == 0, done
        assert "efficiency 2.000 ?" in done.stdout and done.stdout.count("?: more than the devices' own times allow") == 1, done.stdout


def bench_measures_one_of_its_kind():
    """--alike: of two devices alike one is run alone, for the maximum and the split by hand as well; another kind is."""
    with tap.folder() as folder:
        words, out = os.path.join(folder, "words"), os.path.join(folder, "out.json")
        for name in "nbody", "taylor":
            put_program(folder, name, f"""#!/bin/sh
echo "{name} $*" >> {words}
case "$*" in *--native*) ms=50 ;; *) ms={ {'nbody': 80, 'taylor': 20}[name] } ;; esac
if [ "$COEXEC_SUMMARY" ]; then ms={ {'nbody': 40, 'taylor': 20}[name] }; fi
echo name={name} size=8 ms=$ms checksum=00ff check=pass
""")
        base = ("bench", "--examples", folder, "--programs", "nbody,taylor", "--algos", "static", "--runs", "1", "--no-cold", "--alike",
                "--baseline", "native", "--sets", "1 device=0;2 devices=0,1", "--json", out)
        done = tool(*base, COEXEC_VENDORS=STUB, STUB_NAMES="one")
        assert done.returncode == 0, done
        rows = [(row["set"], row["algo"]) for row in json.load(open(out))["programs"][0]["rows"]]
        assert rows == [("0 of 2", None), ("1 device", "static"), ("2 devices", "native"), ("2 devices", "static")], rows
        static = json.load(open(out))["programs"][0]["rows"][3]
        assert (static["speedup"], static["maximum"], static["over_native"]) == (2, 2, 1.25), static
        [native] = [line.split("--native ")[1] for line in open(words) if "--native" in line]
        assert [part[:2] for part in native.split(",")] == ["1@", "1@"], native
        # only nbody takes long enough alone to be among the long compute-bound ones
        head, *lines = done.stdout.split("compute-bound, over 50 ms alone: geometric means\n")[1].splitlines()
        assert lines[2].split()[:5] == ["2", "devices", "static", "1.000", "("] and "( 1)" in lines[2], lines
        made = tool("report", out, "--markdown", "-").stdout
        [mean] = [line for line in made.splitlines() if line.startswith("| 2 devices | static | 0.707 (2) | - | 0.707 (2) | 1.000 (1) ")]
        page = os.path.join(folder, "page.html")
        tool("report", out, "-o", page)
        cells = open(page).read().split("2 devices, static</td>")[1].split("</tr>")[0]
        assert re.findall(r"<td[^>]*>([^<]*)</td>", cells)[:5] == ["0.707", "-", "0.707", "1.000", "1.414"], cells
        done = tool(*base, "--resume", COEXEC_VENDORS=STUB, STUB_NAMES="one")
        assert done.returncode == 0 and len(open(words).readlines()) == 7, (done, open(words).read())
        done = tool(*base[:-6], COEXEC_VENDORS=STUB, STUB_NAMES="one,two")
        assert done.returncode == 0 and done.stdout.count("  bare ") == 8, done  # in two tables
    done = tool("bench", "--examples", "/nonexistent", "--programs", "compute", "--algos", "static", "--runs", "1", COEXEC_VENDORS=STUB)
    assert "\nmatmul (regular)" in done.stdout and "saxpy" not in done.stdout, done


def bench_keeps_its_time():
    """On programs that tell how long they run: a device too slow alone is no failure, and a time that is over ends all cleanly."""
    with tap.folder() as folder:
        for name in "saxpy", "vecadd":
            put_program(folder, name, f"""#!/bin/sh
echo "$@" >> {folder}/{name}.words
case "$*" in
*--native*) ;;
*'--device 1'*) [ {name} = vecadd ] || exec sleep 60 ;;
esac
echo name={name} size=8 ms=2 checksum=00ff check=pass
""")
        out = os.path.join(folder, "out.json")
        base = ("bench", "--examples", folder, "--programs", "saxpy,vecadd", "--algos", "static", "--runs", "2", "--baseline", "native",
                "--json", out)
        done = tool(*base, "--alone-limit", "2", COEXEC_VENDORS=STUB, STUB_DEVICES="2")
        assert done.returncode == 0 and "over 2 s, counted as no speed" in done.stdout, done
        rows = {program["name"]: {(row["set"], row["algo"]): row for row in program["rows"]} for program in json.load(open(out))["programs"]}
        assert rows["saxpy"]["1", None]["runs"] == [{"ok": False, "too_slow_s": 2}] * 2, rows
        assert rows["saxpy"]["all", "static"]["maximum"] == 1 and rows["vecadd"]["all", "static"]["maximum"] == 2, rows
        with open(os.path.join(folder, "saxpy.words")) as file:
            lines = [line for line in file]
        assert sum("--device 1" in line for line in lines) == 1, lines
        assert all(line.count("@") == 1 for line in lines if "--native" in line), lines
        done = tool(*base, "--alone-limit", "2", "--resume", COEXEC_VENDORS=STUB, STUB_DEVICES="2")
        assert done.returncode == 0, done
        with open(os.path.join(folder, "saxpy.words")) as file:
            assert file.readlines() == lines
        done = tool("report", out, "--markdown", "-")
        assert done.returncode == 0 and "Failed runs" not in done.stdout and "saxpy: device 1 over 2 s" in done.stdout, done
        os.unlink(out)
        done = tool(*base, "--time-limit", "2", COEXEC_VENDORS=STUB, STUB_DEVICES="2")  # ends within saxpy
        assert done.returncode == 0 and "the time is over: 0 of 2 programs are measured; the same command with --resume" in done.stderr, done
        assert not os.path.getsize(out), done
        done = tool(*base, "--alone-limit", "2", "--time-limit", "600", "--resume", COEXEC_VENDORS=STUB, STUB_DEVICES="2")
        assert done.returncode == 0 and "over:" not in done.stderr and len(json.load(open(out))["programs"]) == 2, done
        done = tool(*base, "--runs", "1", "--limit", "1", COEXEC_VENDORS=STUB, STUB_DEVICES="2")
        assert done.returncode == 1 and "took too long" in done.stdout, done


def bench_scales():
    with tap.folder() as folder:
        put_program(folder, "saxpy", "#!/bin/sh\necho name=saxpy size=8 ms=2 checksum=00ff check=pass\n")
        out = os.path.join(folder, "out.json")
        base = ("bench", "--examples", folder, "--programs", "saxpy", "--algos", "static", "--runs", "1", "--scaling", "--json", out)
        for devices, equal, sets in ("7", True, ["1 device", "2 devices", "3 devices", "4 devices", "7 devices"]), ("2", False, ["1 device", "all"]):
            done = tool(*base, COEXEC_VENDORS=STUB, STUB_DEVICES=devices, **({"STUB_NAMES": "one,one"} if equal else {"STUB_NAMES": "one,two"}))
            found = [row["set"] for row in json.load(open(out))["programs"][0]["rows"] if row["algo"]]
            assert done.returncode == 0 and found == sets, (done, found)
            assert equal or "1 of the devices are like the fastest" in done.stderr, done
        done = tool(*base, "--algos", "static,dynamic,hguided,sigmoid,auto,concord", COEXEC_VENDORS=STUB, STUB_DEVICES="7", STUB_NAMES="one")
        assert done.returncode == 2 and "more than 32 ways" in done.stderr, done


def bench_grows_programs_with_devices():
    """Twice the work on two devices alike, which takes as long here whatever it is; a work that grows as the size's square; and none known."""
    script = "#!/bin/sh\nsize=1024\nwhile [ $# -gt 0 ]; do [ $1 = --size ] && size=$2; shift; done\n" \
             "echo name=x size=$size ms=2 checksum=$size check=pass\n"
    with tap.folder() as folder:
        for name in "saxpy", "nbody", "aho":
            put_program(folder, name, script)
        base = ("bench", "--weak", "--examples", folder, "--programs", "saxpy,nbody,aho", "--algos", "static", "--runs", "2", "--no-cold")
        done = tool(*base, COEXEC_VENDORS=STUB, STUB_DEVICES="2", STUB_NAMES="one")
        rows = [line.split() for line in done.stdout.splitlines()]
        assert done.returncode == 0 and "--weak leaves aho out" in done.stderr, done
        assert ["saxpy", "fastest", "bare", "1024", "1.000", "2.000", "1.000", "1.000"] in rows, done.stdout
        assert ["saxpy", "1", "device", "static", "1024", "1.000", "2.000", "1.000", "1.000"] in rows, done.stdout
        assert ["saxpy", "2", "devices", "static", "2048", "2.000", "2.000", "2.000", "1.000"] in rows, done.stdout
        assert ["nbody", "2", "devices", "static", "1472", "2.066", "2.000", "2.066", "1.033"] in rows, done.stdout
        assert ["mean", "2", "devices", "static", "1.016"] in rows, done.stdout
        put_program(folder, "nbody", "#!/bin/sh\nexit 3\n")
        done = tool(*base, COEXEC_VENDORS=STUB, STUB_DEVICES="2", STUB_NAMES="one")
        assert done.returncode == 1 and "coexec bench: nbody on a device alone" in done.stderr and "saxpy        2 devices" in done.stdout, done


def run_in_a_moved_folder():
    with tap.folder() as folder:
        for name in "tools", "layer", "icd":
            os.mkdir(os.path.join(folder, name))
        moved = os.path.join(folder, "tools", "coexec")
        library, icd = os.path.join(folder, "layer", "libcoexec.so"), os.path.join(folder, "icd", "coexec.icd")
        shutil.copy(TOOL, moved)
        for path, text in (library, ""), (icd, "/elsewhere/libcoexec.so\n"):
            with open(path, "w") as file:
                file.write(text)
        command = [moved, "run", "--", "sh", "-c", 'cat "$OCL_ICD_VENDORS/coexec.icd"']
        for missing in False, True:
            done = subprocess.run(command, env=CLEAN, capture_output=True, text=True, timeout=60)
            assert done.returncode == 0 and done.stdout == library + "\n" and os.listdir(os.path.dirname(icd)) == ["coexec.icd"], done
            os.unlink(icd)
        os.rmdir(os.path.dirname(icd))
        done = subprocess.run(command, env=CLEAN, capture_output=True, text=True, timeout=60)
        assert done.returncode == 1 and "is neither in the build folder nor in" in done.stderr, done


def bench_shows_progress():
    """A bar on a terminal, nothing but the tables elsewhere."""
    with tap.folder() as folder:
        put_program(folder, "saxpy", "#!/bin/sh\necho name=saxpy size=8 ms=2 checksum=00ff check=pass\n")
        arguments = [TOOL, "bench", "--examples", folder, "--programs", "saxpy", "--algos", "static", "--runs", "2", "--no-cold"]
        ours, theirs = os.openpty()
        with open(os.path.join(folder, "out"), "w") as out:
            done = subprocess.run(arguments, env={**CLEAN, "COEXEC_VENDORS": STUB}, stdout=out, stderr=theirs, timeout=60)
        os.close(theirs)
        shown = os.read(ours, 65536).decode()
        os.close(ours)
        assert done.returncode == 0 and "[--------------------] 0/6 saxpy bare" in shown, shown
        assert "[##########----------] 3/6 saxpy bare, 0:" in shown and " left" in shown, shown
        one = tool(*arguments[1:], COEXEC_VENDORS=STUB, STUB_DEVICES="1")
        assert one.returncode == 0 and "nothing to share out" in one.stderr, one
        done = tool(*arguments[1:], COEXEC_VENDORS=STUB)
        said = [line for line in done.stderr.splitlines() if "warning: the machine is busy" not in line]
        assert done.returncode == 0 and not said and "\033" not in done.stdout, done


def bench_takes_no_nonsense():
    """Programs whose last line is no result, or which end well after printing anything."""
    outputs = {"saxpy": "name=saxpy size=8 ms=nan checksum=00 check=pass", "vecadd": "name=vecadd size=8 ms=-1 checksum=00 check=pass",
               "matmul": "\\377\\376 name=", "histogram": "name=h ms=1 checksum=\\377\\001 check=pass"}
    with tap.folder() as folder:
        for name, output in outputs.items():
            put_program(folder, name, f"#!/bin/sh\nprintf '{output}\\n'\nprintf 'so \\377\\n' >&2\n")
        out = os.path.join(folder, "out.json")
        done = tool("bench", "--examples", folder, "--programs", ",".join(outputs), "--algos", "static", "--runs", "1",
                    "--json", out, COEXEC_VENDORS=STUB)
        assert done.returncode == 1 and "exit status 0" not in done.stdout and "no result" in done.stdout, done
        programs = {program["name"]: program["rows"] for program in json.load(open(out))["programs"]}
        assert not any(programs[name][0]["runs"][0]["ok"] for name in ("saxpy", "vecadd", "matmul")), programs
        assert programs["histogram"][0]["runs"][0]["checksum"] == "??", programs


def simulate_is_deterministic():
    arguments = ["simulate", "--device", "7280,gpu,fill=64", "--device", "1000,jitter=0.1", "--profile", "random",
                 "--granularity", "4"]
    done = tool(*arguments, "--format", "json")
    assert done.returncode == 0 and done.stderr == "", done
    got = {row["algo"]: row for row in json.loads(done.stdout)}
    assert {"single", "static", "dynamic", "sigmoid", "hdss"} <= got.keys(), got
    for row in got.values():
        assert abs(sum(row["shares"]) - 1) < 1e-3 and row["over_ideal"] >= 0.9 and row["packages"] >= 1, row
    assert got["single"]["shares"] == [1, 0] and got["static"]["packages"] == 2, got
    assert tool(*arguments, "--format", "json").stdout == done.stdout
    assert tool(*arguments, "--format", "json", "--seed", "2").stdout != done.stdout
    lines = tool(*arguments, "--format", "csv", "--algo", "dynamic,hguided").stdout.splitlines()
    assert [line.split(",")[0] for line in lines] == ["algo", "dynamic", "hguided"], lines
    assert len(tool(*arguments).stdout.splitlines()) == len(got) + 1
    few = tool(*arguments, "--format", "csv", "--algo", "dynamic:size=1024,packages=2,static").stdout.splitlines()
    assert few[1].startswith('"dynamic:size=1024,packages=2",') and few[2].startswith("static,"), few
    assert int(few[1].split(",")[7]) < int(lines[1].split(",")[6]), (few, lines)


def simulate_draws_learns_and_reads_traces():
    with tap.folder() as folder:
        svg, trace = folder + "/a.svg", folder + "/trace.json"
        one = ["simulate", "--algo", "auto", "--device", "3000,gpu,fill=8,half=4,in=1e9", "--device", "1000,slows=1,factor=3",
               "--bytes-in", "1000", "--partition", "1", "--format", "json"]
        done = tool(*one, "--svg", svg)
        assert done.returncode == 0, done
        assert ElementTree.parse(svg).getroot().tag.endswith("svg")
        [first] = json.loads(done.stdout)
        [fifth] = json.loads(tool(*one, "--launches", "5").stdout)
        assert fifth["packages"] < first["packages"], (first, fifth)
        event = '{"name":"k","cat":"package","ph":"X","pid":1,"tid":%d,"ts":0,"dur":%d,"args":{"groups":%d,"launch":7,"first":%d}},'
        with open(trace, "w") as file:  # as it is while it is still written: without its end
            file.write("[\n" + "\n".join(event % packed for packed in [(0, 100, 50, 0), (0, 300, 50, 50)]))
        done = tool("simulate", "--trace", trace, "--device", "1", "--device", "1", "--algo", "static", "--groups", "100",
                    "--format", "json")
        assert done.returncode == 0 and abs(json.loads(done.stdout)[0]["over_ideal"] - 1.5) < 0.01, done
        with open(trace, "w") as file:  # nothing of the right type
            file.write('[\n{"cat":null},\n{"cat":"package","dur":1,"args":7},\n"package",\n')
        for bad in svg, trace:
            done = tool("simulate", "--trace", bad, "--device", "1")
            assert done.returncode == 1 and "no package" in done.stderr, done


def simulate_knows_papers():
    for paper, policy in (("sigmoid", "adaptive"), ("ompss", "hguided"), ("logfit", "concord")):
        done = tool("simulate", "--paper", paper)
        assert done.returncode == 0 and f"{policy} printed" in done.stdout, done


def simulate_repeats_marrow():
    """The tables of the document are those of the command."""
    done = tool("simulate", "--paper", "marrow")
    rows = [line for line in done.stdout.splitlines() if line.startswith("|")]
    document = (pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "balancers.md").read_text().splitlines()
    assert done.returncode == 0 and len(rows) > 40, done
    missing = [row for row in rows if row not in document]
    assert not missing, "docs/balancers.md lacks these lines of `coexec simulate --paper marrow`:\n" + "\n".join(missing)


def simulate_tells_energy():
    """By hand: one device 4.096 s at 70 + 500 W, and 30 W of the other; both 3.7236 s at 700 W."""
    devices = ["--device", "1000,gpu,static=70,dynamic=500,launch=0,reply=0", "--device", "100,static=30,dynamic=100,launch=0,reply=0"]
    rows = {row["algo"]: row for row in json.loads(tool("simulate", *devices, "--format", "json").stdout)}
    assert abs(rows["single"]["joules"] - 4.096 * 600) < 1 and abs(rows["single"]["edp"] - 4.096 ** 2 * 600) < 4, rows["single"]
    assert abs(rows["static"]["joules"] - 3.7236 * 700) < 2 and abs(rows["static"]["edp"] - 3.7236 ** 2 * 700) < 8, rows["static"]
    assert all(row["joules"] >= 4.095 * 600 for row in rows.values()), rows
    text = tool("simulate", *devices, "--algo", "auto").stdout.splitlines()
    assert text[0].split()[-4:] == ["J", "J", "s", "shares"], text
    assert text[2].startswith("least energy by the model: devices 0;") and "product by the model: devices 0 1;" in text[3], text
    csv = tool("simulate", *devices, "--algo", "auto", "--format", "csv").stdout.splitlines()
    assert csv[0].split(",")[7:] == ["joules", "edp", "shares"] and len(csv[1].split(",")) == 10, csv
    without = tool("simulate", "--device", "1", "--device", "1").stdout
    assert " J " not in without and "model" not in without, without
    table = tool("simulate", "--paper", "edp").stdout.splitlines()
    mean = next(line for line in table if line.startswith("| geometric mean")).split("|")[2:-1]
    assert len(mean) == 10 and all(0.7 < float(energy) < 1 for energy in mean[::2]) and all(0.3 < float(edp) < 0.6 for edp in mean[1::2]), table


def simulate_plays_programs():
    played = json.loads(tool("simulate", "--programs", "all", "--format", "json").stdout)
    assert len(played) >= 10 and all(one["over_alone"] < 1.02 for one in played), played
    by_name = {one["program"]: one for one in played}
    assert by_name["bodies"]["over_alone"] < 0.7 and by_name["bodies"]["opened"] > 0.5, by_name["bodies"]
    assert by_name["one-long-launch"]["opened"] is None and by_name["stencil"]["splits"] > 1000, by_name
    lines = tool("simulate", "--programs", "images", "--costs", "speed=0.01,open=0.1", "--format", "csv").stdout.splitlines()
    assert len(lines) == 2 and lines[1].startswith("images,300,") and lines[1].endswith(","), lines
    with tap.folder() as folder:
        path = folder + "/programs"
        with open(path, "w") as file:
            file.write("# two\nprogram one\nbuffer b 1e6\nkernel k 0.01 speed=3 merges\nrepeat 2 shrink=0.5\n"
                       "  launch k reads=b* writes=b\nend\nread b 5e6\nprogram two\nhost 1.5\n")
        played = json.loads(tool("simulate", "--programs", path, "--format", "json").stdout)
        assert [one["program"] for one in played] == ["one", "two"] and played[1]["seconds"] == 1.5, played
        assert abs(played[0]["alone"] - (0.015 + 0.0005)) < 1e-9 and played[0]["launches"] == 2, played
        assert len(tool("simulate", "--programs", path).stdout.splitlines()) == 3
        for bad in ("program p\nlaunch k\n", "program p\nrepeat 2\nhost 1\n", "program p\nend\n", "program a b\n",
                    "program p\nkernel k x\n", "program p\nread b\n", "program p\nbuffer b 1\nbuffer b 1\n", "",
                    "program p\nkernel k 1\nlaunch k reads=b\n", "program p\nrepeat 1e6\nrepeat 1e6\nhost 0\nend\nend\n"):
            with open(path, "w") as file:
                file.write(bad)
            done = tool("simulate", "--programs", path)
            assert done.returncode == 1 and done.stderr, (bad, done)
    for costs in "open", "speed=0", "x=1", "bound=0.5":
        assert tool("simulate", "--programs", "all", "--costs", costs).returncode == 2, costs


def simulate_refuses_bad_arguments():
    for arguments in ([], ["--device"], ["--device", "0"], ["--device", "1,x=2"], ["--device", "1,jitter=1"],
                      ["--device", "nan"], ["--device", "1", "--algo", "sig"], ["--device", "1", "--algo", ""], ["--device", "1", "--algo", "static:k=1"],
                      ["--device", "1", "--algo", "static;k=auto"], ["--device", "1", "--algo", "static,,auto"],
                      ["--device", "1", "--profile", "x"], ["--device", "1", "--groups", "0"],
                      ["--device", "1", "--depth", "9"], ["--paper", "x"], ["--device", "1", "--svg", "x"],
                      ["--device", "1,slows=1"], ["--device", "1", "--launches", "0"], ["--device", "1", "--format", "xml"], ["--foo", "1"]):
        done = tool("simulate", *arguments)
        assert done.returncode == 2 and "coexec help simulate" in done.stderr, (arguments, done)
    done = tool("simulate", "--device", "1000,dies=1", "--algo", "static")
    assert done.returncode == 1 and "never ends" in done.stderr, done


def run_refuses_bad_options():
    for arguments in (["--foo", "true"], ["--algo"], ["--algo", "stat", "true"], ["--set", "algo=sigmoid:p=2", "true"], ["--set", "ALGO", "true"], ["--set", "NONE=1", "true"], ["--set", "powers=1,2", "true"], []):
        done = tool("run", *arguments)
        assert done.returncode == 2 and "coexec help run" in done.stderr, (arguments, done)


def run_sets_options():
    got = environment("--algo", "static", "--devices=!basic", "--summary", "--trace", "t.json", "--set", "split=always",
                      "--set", "COEXEC_FISSION=2", "--set", "zero_copy=0", "--set", "COEXEC_POWERS=1:2", COEXEC_DEBUG="peer=0")
    assert got["COEXEC_ALGO"] == "static" and got["COEXEC_DEVICES"] == "!basic" and got["COEXEC_SUMMARY"] == "1", got
    assert got["COEXEC_TRACE"] == os.path.join(os.getcwd(), "t.json"), got
    assert got["COEXEC_DEBUG"] == "peer=0,zero_copy=0,powers=1:2", got
    assert got["COEXEC_SPLIT"] == "always" and got["COEXEC_FISSION"] == "2", got


def run_shows_only_coexec():
    got = environment(OCL_ICD_FILENAMES="a.so:b.so", OCL_ICD_DEFAULT_PLATFORM="1")
    assert got["OCL_ICD_VENDORS"] == ICD + "/" and got["COEXEC_REAL_ICD_FILENAMES"] == "a.so:b.so", got
    assert "OCL_ICD_FILENAMES" not in got and "OCL_ICD_DEFAULT_PLATFORM" not in got, got


def run_takes_vendors_over():
    got = environment(OCL_ICD_FILENAMES="a.so", OCL_ICD_VENDORS="/my/vendors")
    assert got["COEXEC_VENDORS"] == "a.so:/my/vendors" and "COEXEC_REAL_ICD_FILENAMES" not in got, got
    assert "COEXEC_VENDORS" not in environment(OCL_ICD_VENDORS=ICD)
    assert environment(OCL_ICD_VENDORS="/my", COEXEC_VENDORS="/other")["COEXEC_VENDORS"] == "/other"


def info_lists_devices():
    done = tool("info", COEXEC_VENDORS=STUB, STUB_TYPE="cpu,custom")
    assert done.returncode == 0 and "stub 0: used" in done.stdout, done
    assert "stub 1: left out: a custom device" in done.stdout and f"searched in: {STUB}" in done.stdout, done


def info_as_json():
    done = tool("info", "--json", COEXEC_VENDORS=STUB, COEXEC_DEVICES="1", COEXEC_ALGO="none")
    facts = json.loads(done.stdout)
    assert [d["used"] for d in facts["devices"]] == [False, True], facts["devices"]
    assert facts["devices"][0]["left_out"] == "not chosen by COEXEC_DEVICES"
    assert facts["virtual_device"]["name"] == "coexec: stub 1"
    classes = {o["name"]: o["class"] for o in facts["options"]}
    assert (classes["COEXEC_SPLIT"], classes["COEXEC_TRACE"], classes["zero_copy"]) == ("user", "path", "debug"), classes
    algo = next(o for o in facts["options"] if o["name"] == "COEXEC_ALGO")
    assert algo["value"] == "auto" and algo["origin"].startswith("default (bad value"), algo
    assert done.stderr.count("\n") == 1 and "COEXEC_ALGO=none: no balancer 'none'; accepted: single," in done.stderr, done.stderr


def info_measures_links():
    stub = {"COEXEC_VENDORS": STUB, "STUB_DEVICES": "3", "STUB_TYPE": "gpu,gpu,cpu", "STUB_IN_PLACE": "0,0,1"}
    links = json.loads(tool("info", "--json", "--links", **stub).stdout)["links"]
    for host, in_place in zip(links["host"], [False, False, True]):
        assert (host["in_place_gbs"] is not None) == in_place, host
        assert (host["pinned_in_gbs"] is None) == in_place and host["pageable_out_gbs"] > 0, host
    assert [(p["from"], p["to"]) for p in links["between"]] == [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
    assert all(p["gbs"] > 0 for p in links["between"]), links
    slow = dict(stub, STUB_LINK="200,1000000", STUB_ALLOC="4194304")
    links = json.loads(tool("info", "--links", "--json", **slow).stdout)["links"]
    assert links["bytes"] == 4194304 and 0.1 < links["host"][0]["pinned_in_gbs"] <= 0.2, links
    assert 0.1 < links["between"][0]["gbs"] <= 0.2, links
    done = tool("info", "--links", **stub)
    assert done.returncode == 0 and "from a device to another, through the host copy" in done.stdout, done
    assert tool("info", "--linked", **stub).returncode == 2
    assert "links" not in json.loads(tool("info", "--json", **stub).stdout)


def info_without_drivers():
    done = tool("info", COEXEC_VENDORS="/nonexistent")
    assert done.returncode == 1 and "The virtual device: none" in done.stdout, done
    assert "/nonexistent (from COEXEC_VENDORS): cannot be opened" in done.stdout, done


def explain_tells_what_is_missing():
    done = tool("explain", "/nonexistent.cl")
    assert done.returncode == 1 and "/nonexistent.cl: No such file" in done.stderr, done
    done = tool("explain", __file__, COEXEC_ANALYSER="/nonexistent/analyser")
    assert done.returncode == 1 and "/nonexistent/analyser, is not there" in done.stderr, done
    assert tool("explain").returncode == 2
    assert tool("explain", __file__, "-DX").returncode == 2


def explain_passes_on():
    done = tool("explain", __file__, "--", "-DA=1", "-w", COEXEC_ANALYSER="/bin/echo", COEXEC_CLANG="/c",
                COEXEC_VENDORS="/nonexistent")
    assert done.stdout == f"--clang /c --explain {__file__} -- -DA=1 -w\n", done.stdout
    done = tool("explain", __file__, "--", "-DA=1", COEXEC_ANALYSER="/bin/echo", COEXEC_VENDORS=STUB)
    assert done.stdout.startswith("--bits 64 --extensions cl_") and " --define __OPENCL_VERSION__=" in done.stdout, done
    assert done.stdout.endswith(f" --explain {__file__} -- -DA=1\n"), done.stdout
    assert tool("explain", __file__, COEXEC_ANALYSER="/bin/false").returncode == 1


def explain_tells_ways():
    analyser = pathlib.Path(TOOL).resolve().parent.parent / "layer" / "analyser" / "coexec-analyse"
    if not analyser.exists():
        return
    kernels = pathlib.Path(__file__).resolve().parent.parent / "analyser"
    text = tool("explain", str(kernels / "atomics.cl")).stdout
    assert "  sum (global float*): private copies, combined as floating-point sums, because different " in text, text
    assert "(global float*): changes owner; bytes written: expressible\n" in text, text
    assert "atomic[4 * ?], 4 bytes, index from a value read from memory, if gid(0) + global_size(0) * loop0 < n" in text
    assert ": while gid(0) + global_size(0) * loop0 < n\n" in text, text
    assert "  t (global totals*): whole on one device; bytes written: expressible\n" in text, text
    text = tool("explain", str(kernels / "choices.cl")).stdout
    assert "[4 * (t != 0 ? gid(1) + n * gid(0) : gid(1) * n + gid(0))]" in text, text
    assert "[4 * (2 < t ? gid(0) * n + gid(1) : gid(0) + n * gid(1))]" in text, text
    assert "[4 * (a == 1 or 5 < b ? gid(0) * n + gid(1) : gid(0) + n * gid(1))]" in text, text
    text = tool("explain", str(kernels / "tables.cl")).stdout
    assert "merged afterwards by units of 4 bytes, because the bytes written are not known before the launch" in text
    assert "bytes written: not expressible" in text and "in (global int*): only read; bytes read: exp" in text, text


def explain_asks_as_a_run_does():
    """What only the device's compiler knows decides; a text in doubt is told as such."""
    analyser = pathlib.Path(TOOL).resolve().parent.parent / "layer" / "analyser" / "coexec-analyse"
    if not analyser.exists():
        return
    with tap.folder() as room:
        main = pathlib.Path(room, "main.cl")
        main.write_text("kernel void one(global int *a)\n{\n#ifdef POCL_DEVICE_ADDRESS_BITS\na[get_global_id(0)] = 1;\n#else\n"
                        'printf("x");\n#endif\n}\n')
        folder = {"COEXEC_CACHE_DIR": room, "POCL_CACHE_DIR": room, "COEXEC_VENDORS": "libpocl.so.2", "POCL_DEVICES": "basic"}
        done = tool("explain", str(main), **folder)
        assert "splits along dimension 0" in done.stdout, done
        done = tool("explain", str(main), COEXEC_VENDORS="/nonexistent")
        assert "the kernel prints" in done.stdout, done
        main.write_text("kernel void one(global int *a) { a[get_global_id(0)] = __COUNTER__; }\n")
        done = tool("explain", str(main), **folder)
        assert done.returncode == 1 and "__COUNTER__ may be another macro" in done.stderr, done


def explain_names_files():
    """Lines of the program's own text, of what it includes, and what it says they are."""
    analyser = pathlib.Path(TOOL).resolve().parent.parent / "layer" / "analyser" / "coexec-analyse"
    if not analyser.exists():
        return
    with tap.folder() as room:
        sub, other = pathlib.Path(room, "sub"), pathlib.Path(room, "other")
        sub.mkdir()
        other.mkdir()
        (sub / "put.h").write_text("\ninline void put(global int *a, int i)\n{\n    a[i] = 1;\n}\n")
        (sub / "all.h").write_text('#include "put.h"\ninline void say(void) { printf("x"); }\n')
        main = pathlib.Path(room, "main.cl")
        main.write_text('#include "sub/all.h"\nkernel void one(global int *a, global const int *b)\n{\n    put(a, b[get_global_id(0)]);\n}\n'
                        'kernel void two(void) { say(); }\n#line 70 "made.y"\nkernel void three(void) { printf("y"); }\n')
        for folder, name, near in ((room, "main.cl", ""), (room, "./main.cl", ""), (other, "../main.cl", "../"),
                                   ("/", str(main), f"{room}/")):
            done = subprocess.run([TOOL_PATH, "explain", name], cwd=folder, env=CLEAN, capture_output=True, text=True)
            text = done.stdout
            for said in (f"kernel one ({name}:2)", f"kernel two ({name}:6)", f" not known before the launch, a ({near}sub/put.h:4)\n",
                         f"    read  [4 * gid(0)], 4 bytes ({name}:4)\n", f"does not split: the kernel prints ({near}sub/all.h:2)\n",
                         "kernel three (made.y:70)", "the kernel prints (made.y:70)"):
                assert said in text, (said, text, done.stderr)
        done = subprocess.run([analyser, "--explain", "-"], cwd=room, env=CLEAN, input=main.read_text(), capture_output=True,
                              text=True)
        assert "kernel one (line 2)" in done.stdout and "the kernel prints (sub/all.h:2)" in done.stdout, done


def help_is_there():
    for arguments in (["help"], ["--help"], ["help", "run"], ["run", "--help"], ["help", "info"], ["help", "explain"],
                      ["help", "simulate"],
                      ["bench", "--help"], ["help", "report"]):
        done = tool(*arguments)
        assert done.returncode == 0 and done.stdout.startswith("usage: coexec"), (arguments, done)
    assert tool().returncode == 2 and tool("nothing").returncode == 2
    assert tool("version").stdout.startswith("coexec ")


def main():
    return tap.run(tap.tests_of(globals()))


if __name__ == "__main__":
    sys.exit(main())
