#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the traces of COEXEC_TRACE: that they fit the format (trace_format.py), tell what a user wants to know, and are
whole as far as they go when the program is killed. TAP.

usage: check_trace.py BUILD
"""
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap
import trace_format

BUILD = sys.argv[1]
folder = tempfile.TemporaryDirectory()
LIMIT = 300


HALVES = "analysis_wait=60000,powers=1:1"  # both devices work, however busy the machine is


def environment(trace, **more):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "OCL_ICD"))}
    if "COEXEC_CACHE_DIR" in os.environ:
        env["COEXEC_CACHE_DIR"] = os.environ["COEXEC_CACHE_DIR"]
    env.update(OCL_ICD_VENDORS=f"{BUILD}/icd/", POCL_DEVICES="basic pthread", POCL_MAX_PTHREAD_COUNT="1",
               COEXEC_SPLIT="always", COEXEC_TRACE=trace, COEXEC_ALGO="static", COEXEC_DEBUG=HALVES)
    env.update(more)
    return env


def command(words):
    name, *rest = words.split()
    return [f"{BUILD}/examples/{name}", "--preset", "tiny", "--repeat", "1", *rest]


def events_of(words, program=None, **more):
    trace = os.path.join(folder.name, "trace.json")
    done = subprocess.run(program or command(words), env=environment(trace, **more), capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0, done
    with open(trace, encoding="utf-8") as file:
        events = json.load(file)
    trace_format.check(events)
    return events


def of(events, category, name=None):
    found = [e for e in events if e.get("cat") == category and name in (None, e["name"])]
    assert found, f"no {category} {name or ''}"
    return found


def need(event, **kinds):
    for field, kind in kinds.items():
        assert isinstance(event["args"].get(field), kind), (field, event)


def devices_in_place():
    events = events_of("fft")
    packages = of(events, "package")
    for package in packages:
        need(package, groups=int, launch=int, device=int)
    assert {p["args"]["device"] for p in packages} == {0, 1}, "one device alone"
    for build in of(events, "build"):
        need(build, program=int, device=str, options=str, seconds=(int, float), result=str)
        assert build["args"]["from"] == "source", build
    of(events, "build", "build split variant")
    for plan in of(events, "plan"):
        need(plan, launch=int, split=bool, reason=str, groups=int, groups_per_s=list)
    for told in of(events, "command"):
        need(told, command=int, queue=int, queued_us_before=(int, float))
    for wait in of(events, "wait"):
        assert {"queue", "command"} & set(wait["args"]), wait
    groups = {}
    for package in packages:
        groups[package["args"]["launch"]] = groups.get(package["args"]["launch"], 0) + package["args"]["groups"]
    for plan in of(events, "plan"):
        assert groups.get(plan["args"]["launch"]) == plan["args"]["groups"], plan


def what_viewers_show():
    """The process' name, rows that say what they are, one block a launch, and counters."""
    events = events_of("saxpy --size 300000 --repeat 20", COEXEC_DEBUG=HALVES + ",zero_copy=0")
    assert [e["args"]["name"] for e in events if e["name"] == "process_name"] == ["saxpy"], "no process name"
    names = [e["args"]["name"] for e in events if e["name"] == "thread_name"]
    assert {name[:9] for name in names if name.startswith("device")} == {"device 0:", "device 1:"} and "builds for device 1" in names, names
    launches = of(events, "launch", "saxpy")
    assert len(launches) == len({p["args"]["launch"] for p in of(events, "package")}), "one block a launch"
    for launch in launches:
        told = launch["args"]
        assert told["split"] is (len(told["devices"]) > 1) and len(told["groups"]) == len(told["ms"]) == len(told["devices"]), launch
        assert told["split"] or told["reason"], launch
    counters = {name: [e for e in events if e["ph"] == "C" and e["name"] == name] for name in ("devices", "share of", "moved")}
    busy = [(e["ts"], e["args"]["busy"]) for e in counters["devices"]]
    assert {0, 1} <= {n for _, n in busy} <= {0, 1, 2} and busy[-1][1] == 0 and busy == sorted(busy, key=lambda b: b[0]), busy
    counted = sum((after - at) * n for (at, n), (after, _) in zip(busy, busy[1:]))
    known, until = 0, {}  # each device's time, blocks that overlap once
    for package in sorted(of(events, "package"), key=lambda e: e["ts"]):
        device, end = package["args"]["device"], package["ts"] + package["dur"]
        known += max(0, end - max(package["ts"], until.get(device, 0)))
        until[device] = max(end, until.get(device, 0))
    assert abs(counted - known) < 0.01 * known, (counted, known)
    shares = [e["args"] for e in counters["share of"]]
    assert len(shares) == sum(l["args"]["split"] for l in launches), shares
    assert all(abs(sum(share.values()) - 100) < 0.01 and set(share) == {"device 0", "device 1"} for share in shares), shares
    moved = [e["args"]["MB"] for e in counters["moved"]]
    whole = sum(t["args"]["bytes"] for t in of(events, "transfer")) / 1e6
    assert moved == sorted(moved) and abs(moved[-1] - whole) < 1e-3 * whole, (moved, whole)


def why_a_launch_is_whole():
    """By the line of the program's text, or of what it includes, that is the reason."""
    for named, line, file in ("", 9, None), ('#line 70 "made.h"\n', 70, "made.h"):
        source = os.path.join(folder.name, "prints.cl")
        with open(source, "w") as text:
            text.write("/* SPDX-License-Identifier: MIT */\n// expect: whole (printf)\n// kernel: prints\n// arg: buffer int X\n"
                       "// arg: int 0\n__kernel void prints(__global int *out, int loud)\n{\n    if (loud)\n" + named +
                       '        printf("%d", out[0]);\n    out[get_global_id(0)] += 1;\n}\n')
        for plan in of(events_of("", [f"{BUILD}/tests/split/splitcheck", "--cases", "1", source]), "plan", "prints"):
            told = plan["args"]
            assert not told["split"] and "prints" in told["reason"] and (told["line"], told.get("file")) == (line, file), plan


def the_analysis():
    with tempfile.TemporaryDirectory() as cache:
        for cached in False, True:
            [analysis] = of(events_of("saxpy --size 65536", COEXEC_CACHE_DIR=cache), "analysis")
            need(analysis, device=str, options=str, seconds=(int, float))
            assert analysis["args"]["cached"] is cached and analysis["args"]["result"] == "done", analysis


def when_packages_were_decided():
    for package in of(events_of("vecadd --size 65536", COEXEC_ALGO="dynamic"), "package"):
        need(package, first=int, why=str, asked_us_before=(int, float), noticed_us_after=(int, float))


def devices_with_memory_of_their_own():
    events = events_of("bfs --size 20000", COEXEC_DEBUG=HALVES + ",zero_copy=0")
    for transfer in of(events, "transfer", "upload") + of(events, "transfer", "download"):
        need(transfer, bytes=int, pieces=int, buffer=int)
        assert transfer["args"]["bytes"] > 0, transfer
    for name in "keep a copy", "find changes", "put together":
        for merge in of(events, "merge", name):
            need(merge, kernel=str, launch=int, bytes=int, buffer=int, buffers=int)
    compared = of(events, "merge", "find changes")
    assert all(0 <= m["args"]["changed_blocks"] <= m["args"]["blocks"] for m in compared), compared
    assert any(m["args"]["changed_blocks"] for m in compared), compared


def private_copies():
    events = events_of("histogram --size 300000", COEXEC_DEBUG=HALVES + ",zero_copy=0")
    for name in "fill a private copy", "fetch a private copy", "combine private copies":
        for merge in of(events, "merge", name):
            need(merge, kernel=str, launch=int, bytes=int, buffer=int)


def a_summary_without_group_sizes():
    """One device does all, also of launches whose groups nobody counted: the program left their size to the driver."""
    variables = {**environment("", COEXEC_SUMMARY="1"), "POCL_DEVICES": "basic", "COEXEC_TRACE": ""}
    variables["COEXEC_DEBUG"] = "analysis_wait=60000"
    done = subprocess.run(command("vecadd --size 65536"), env=variables, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0 and "2 packages  100.0 %" in done.stderr, done


def a_program_that_is_killed():
    trace = os.path.join(folder.name, "killed.json")
    words = command("saxpy --size 65536") + ["--repeat", "100000"]
    program = subprocess.Popen(words, env=environment(trace), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + LIMIT
        text = ""
        while text.count('"package"') < 200 and program.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
            if os.path.exists(trace):
                with open(trace, encoding="utf-8") as file:
                    text = file.read()
                # the last line may be on its way, and what was the end between two reads has become a comma
                whole = text[:text.rfind("\n") + 1].replace("\n]\n{", "\n,\n{")
                if len(whole) > 2:
                    trace_format.check(trace_format.read(whole))
        assert program.poll() is None and text.count('"package"') >= 200, (program.returncode, text[-500:])
    finally:
        program.send_signal(signal.SIGKILL)
        program.wait()
    with open(trace, encoding="utf-8") as file:
        trace_format.check(json.load(file))
    report = subprocess.run([f"{BUILD}/tools/coexec", "report", trace, "-o", "-"], capture_output=True, text=True, timeout=LIMIT)
    assert report.returncode == 0 and not report.stderr and "saxpy" in report.stdout, report.stderr


def a_file_that_cannot_be_written():
    done = subprocess.run(command("saxpy --size 65536 --check"), env=environment("/nonexistent/t.json"), capture_output=True,
                          text=True, timeout=LIMIT)
    assert done.returncode == 0 and "COEXEC_TRACE=/nonexistent/t.json" in done.stderr and "check=pass" in done.stdout, done


def a_pipe():
    """It has no place to go back to: an array without its end."""
    done = subprocess.run(command("saxpy --size 65536"), env=environment("/dev/stderr"), capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0 and done.stderr.startswith("[\n{") and done.stderr.endswith("},\n"), done.stderr[-300:]
    trace_format.check(trace_format.read(done.stderr))


def a_file_that_becomes_too_long():
    """What is there stays whole, and that is told once. On a driver that writes no files."""
    trace = os.path.join(folder.name, "short.json")

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))
    done = subprocess.run([f"{BUILD}/tests/benchmark/calls", "launch", "64"], preexec_fn=limit, capture_output=True, text=True, timeout=LIMIT,
                          env=environment(trace, COEXEC_VENDORS=f"{BUILD}/tests/driver/libstub.so", STUB_DEVICES="2"))
    assert done.returncode == 0 and done.stderr.count("the trace is not complete") == 1, done
    assert 8000 < os.path.getsize(trace) <= 9000, os.path.getsize(trace)
    with open(trace, encoding="utf-8") as file:
        trace_format.check(json.load(file))


def what_does_not_fit_is_seen():
    good = {"name": "a", "cat": "c", "ph": "X", "pid": 1, "tid": 0, "ts": 5, "dur": 10, "args": {}}
    row = {"name": "thread_name", "ph": "M", "pid": 1, "tid": 0, "args": {"name": "row"}}
    trace_format.check([row, good, {**good, "ts": 6, "dur": 3}, {**good, "ts": 15}])
    assert len(trace_format.read('[\n{"a":1},\n')) == 1
    bad = [[good], [row, {**good, "ph": "Q"}], [row, {**good, "ts": -1}], [row, {**good, "dur": None}], [row, {**good, "cat": ""}],
           [row, {**good, "args": []}], [row, good, {**good, "ts": 6}], [{**row, "name": "thread"}], [row, {**row, "args": {"name": "b"}}],
           [{**row, "args": {}}], [row, {**good, "pid": "1"}], [row, {**good, "ph": "b", "id": 1}], [row, {**good, "ph": "C"}]]
    for events in bad:
        try:
            trace_format.check(events)
        except trace_format.Wrong:
            continue
        raise AssertionError(f"taken: {json.dumps(events)}")
    for text in "{}", "[{]", '[{"ts":NaN}]', '[{"a":1}{"a":2}]':
        try:
            trace_format.read(text)
        except trace_format.Wrong:
            continue
        raise AssertionError(f"read: {text}")


if __name__ == "__main__":
    sys.exit(tap.run([what_does_not_fit_is_seen, devices_in_place, what_viewers_show, why_a_launch_is_whole, the_analysis, when_packages_were_decided, devices_with_memory_of_their_own, private_copies,
                      a_summary_without_group_sizes, a_program_that_is_killed, a_file_that_cannot_be_written,
                      a_pipe, a_file_that_becomes_too_long]))
