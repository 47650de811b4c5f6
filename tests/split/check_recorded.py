#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""COEXEC_RECORD and `coexec explain --recorded`: what is written, and what is made of it. TAP.

usage: check_recorded.py BUILD_FOLDER SPLITCHECK FOLDER_OF_KERNELS TEST_API_LINK
"""
import glob
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

BUILD, SPLITCHECK, KERNELS, LINKING = map(pathlib.Path, sys.argv[1:5])
TOOL = BUILD / "tools" / "coexec"
ROOM = pathlib.Path(tempfile.mkdtemp(prefix="coexec-recorded-"))
ENV = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "OCL_ICD_", "POCL_DEV", "POCL_MAX"))}
ENV.update(OCL_ICD_VENDORS=f"{BUILD}/icd/", OCL_ICD_FILENAMES="", POCL_DEVICES="basic pthread", POCL_MAX_PTHREAD_COUNT="1",
           COEXEC_DEBUG="analysis_wait=60000", COEXEC_SPLIT="always", COEXEC_CACHE_DIR=str(ROOM / "cache"))


def record(folder, *names, cases=2):
    files = [str(KERNELS / f"{name}.cl") for name in names]
    return subprocess.run([SPLITCHECK, "--cases", str(cases), *files], env={**ENV, "COEXEC_RECORD": str(folder)},
                          capture_output=True, text=True, timeout=300)


def explain(folder, *more):
    return subprocess.run([TOOL, "explain", "--recorded", str(folder), *more], env=ENV, capture_output=True, text=True,
                          timeout=300)


def lines_of(folder):
    return [json.loads(line) for path in glob.glob(f"{folder}/launches-*.jsonl") for line in open(path)]


def launches_are_written():
    done = record(ROOM / "a", "copy_one", "prints", "aliased")
    assert done.returncode == 0 and not done.stderr, done.stderr
    lines = lines_of(ROOM / "a")
    assert lines[0]["type"] == "process", lines[0]
    programs = [line for line in lines if line["type"] == "program"]
    assert programs and all((ROOM / "a" / line["source"]).exists() for line in programs), programs
    launches = [line for line in lines if line["type"] == "launch"]
    ran = {line["kernel"]: line for line in launches}
    assert ran["copy_one"]["ran"] == "split" and ran["prints"]["ran"] == "whole" and ran["prints"]["reason"], ran
    assert ran["prints"]["line"] > 0, ran["prints"]
    assert [arg["object"] for arg in ran["aliased"]["args"] if "object" in arg] == [0, 0], ran["aliased"]
    assert len({json.dumps(line) for line in launches}) == len(launches), "a launch stands there twice"
    assert all(line["local"][0] > 0 for line in launches), "a local size is missing"


def launches_are_judged():
    done = explain(ROOM / "a")
    assert done.returncode == 0, done.stderr
    assert re.search(r"copy_one +\d+ launches.*splits: all, writes known: all, reads known: all\n +out own", done.stdout), done.stdout
    assert re.search(r"prints +\d+ launches.*splits: none", done.stdout), done.stdout
    assert re.search(r"whole, \d+ launches: the kernel prints \(line \d+\)", done.stdout), done.stdout
    assert re.search(r"^3 kernels with more than one work-group", done.stdout, re.M), done.stdout
    assert re.search(r"split in every launch +2 +66.7 %", done.stdout), done.stdout
    listed = explain(ROOM / "a", "--list").stdout
    assert len(re.findall(r"^ +\[.*\] x \[.*\]: splits$", listed, re.M)) >= 4, listed


def what_compilers_told_is_kept():
    done = record(ROOM / "told", "asked_version")
    assert done.returncode == 0 and any(line["type"] == "told" for line in lines_of(ROOM / "told")), lines_of(ROOM / "told")
    assert re.search(r"asked_version .*splits: all", explain(ROOM / "told").stdout), explain(ROOM / "told").stdout


def processes_share_a_folder():
    workers = [subprocess.Popen([SPLITCHECK, "--cases", "1", str(KERNELS / "copy_one.cl")],
                                env={**ENV, "COEXEC_RECORD": str(ROOM / "b")}, stdout=subprocess.DEVNULL) for _ in range(3)]
    assert [worker.wait(300) for worker in workers] == [0, 0, 0]
    assert len(glob.glob(f"{ROOM}/b/launches-*.jsonl")) == 3 and len(glob.glob(f"{ROOM}/b/*.cl")) == 1
    # the same launches of three processes count once
    assert re.search(r"copy_one +2 launches", explain(ROOM / "b").stdout), explain(ROOM / "b").stdout


def damage_is_left_out():
    shutil.copytree(ROOM / "a", ROOM / "c")
    path = pathlib.Path(glob.glob(f"{ROOM}/c/launches-*.jsonl")[0])
    good = path.read_text()
    good_count = explain(ROOM / "a").stdout
    bad = ['{"type":"launch"', "[]", "\0\1", '{"type":"launch","program":77,"kernel":"x","dims":1}', "{}", '{"type":"program"}',
           '{"type":"program","program":1,"source":"../../../etc/passwd","options":"","extensions":"","defines":[]}',
           '{"type":"told","program":1}']
    lines = good.splitlines()
    launch = json.loads(next(line for line in lines if '"launch"' in line))
    for change in ({"dims": 4}, {"dims": 3}, {"global": ["x"]}, {"args": [{"value": "0g"}]}, {"args": [3]}, {"kernel": 5},
                   {"args": [{"object": 1, "offset": 0, "bytes": 4, "image": 3}]},
                   {"args": [{"object": 1, "offset": 0, "bytes": 4, "image": {"size": [1, 2], "pitch": [4, 8], "layers": 1, "texel": 4}}]}):
        bad.append(json.dumps({**launch, **change}))
    path.write_text(good + "\n".join(bad) + "\n" + good[: len(good) // 2].rsplit("\n", 1)[1] + "half a li")
    done = explain(ROOM / "c")
    assert done.returncode == 0 and done.stdout == good_count, done.stdout
    assert f"{len(bad) + 1} damaged lines" in done.stderr, done.stderr


def odd_numbers_are_judged():
    shutil.copytree(ROOM / "a", ROOM / "d")
    path = pathlib.Path(glob.glob(f"{ROOM}/d/launches-*.jsonl")[0])
    lines = path.read_text().splitlines()
    launch = json.loads(next(line for line in lines if '"copy_one"' in line))
    huge = 2**64 - 1
    for change in ({"global": [0]}, {"local": [0]}, {"global": [huge]}, {"local": [huge]}, {"args": []}, {"kernel": "gone\u00e4\"\\"},
                   {"args": [{}] * len(launch["args"])}, {"args": [{"value": "00"}] * len(launch["args"])},
                   {"args": [{"object": huge, "offset": huge, "bytes": huge}] * len(launch["args"])}):
        lines.append(json.dumps({**launch, **change}))
    path.write_text("\n".join(lines) + "\n")
    done = explain(ROOM / "d")
    assert done.returncode == 0 and "damaged" not in done.stderr, done


def images_are_judged():
    (ROOM / "images").mkdir()
    source = (KERNELS / "image_filled.cl").read_text()
    name = hashlib.sha256(source.encode()).hexdigest() + ".cl"
    (ROOM / "images" / name).write_text(source)
    lines = lines_of(ROOM / "a")
    program = {**next(line for line in lines if line["type"] == "program"), "program": 1, "source": name}
    launch = {"type": "launch", "program": 1, "kernel": "image_filled", "dims": 2, "offset": [0, 0], "global": [64, 64],
              "local": [16, 16], "local_given": True, "ran": "whole", "reason": "", "line": 0}
    image = {"size": [64, 60, 1], "layers": 1, "pitch": [256, 15360], "texel": 4, "order": 0x10B5, "type": 0x10DA}
    launch["args"] = [{"object": 0, "offset": 0, "bytes": 15360, "image": image}]
    (ROOM / "images" / "launches-1.jsonl").write_text("\n".join(map(json.dumps, (lines[0], program, launch))) + "\n")
    done = explain(ROOM / "images")
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert re.search(r"image_filled +1 launches; splits: all, writes known: all, reads known: all\n +out own", done.stdout), done.stdout


def linked_programs_are_judged():
    """By the text that is made of their objects."""
    done = subprocess.run([LINKING], env={**ENV, "AGAIN_STEP": "1", "COEXEC_RECORD": str(ROOM / "linked"), "CK_RUN_CASE": "logged"},
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done
    done = explain(ROOM / "linked")
    assert done.returncode == 0 and "damaged" not in done.stderr, done.stderr
    assert re.search(r"^    run +\d+ launches; splits: all, writes known: all", done.stdout, re.M), done.stdout
    assert re.search(r"\d launches of programs without a text are left out", done.stderr), done.stderr


def missing_things_are_told():
    (ROOM / "e").mkdir()
    assert explain(ROOM / "e").returncode == 1 and "there is no recording in it" in explain(ROOM / "e").stderr
    assert explain(ROOM / "none").returncode == 1 and "No such file" in explain(ROOM / "none").stderr
    for path in glob.glob(f"{ROOM}/d/*.cl"):
        os.unlink(path)
    assert "its source is not in the folder" in explain(ROOM / "d").stdout
    usage = subprocess.run([TOOL, "explain", "--recorded"], env=ENV, capture_output=True, text=True)
    assert usage.returncode == 2 and "needs a folder" in usage.stderr, usage
    assert explain(ROOM / "a", "--lost").returncode == 2


def unwritable_costs_one_line():
    (ROOM / "file").write_text("")
    done = record(ROOM / "file" / "below", "copy_one")
    assert done.returncode == 0 and done.stdout.count("copy_one") == 2, done
    assert len(done.stderr.splitlines()) == 1 and "COEXEC_RECORD" in done.stderr, done.stderr


def main():
    status = tap.run(tap.tests_of(globals()))
    shutil.rmtree(ROOM)
    return status


if __name__ == "__main__":
    sys.exit(main())
