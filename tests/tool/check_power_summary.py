#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""COEXEC_POWER=1 in programs, on the tests' stub driver with two GPUs whose power a made-up libnvidia-ml tells by what they compute:
joules and powers in the summary, watts in the trace, and nothing of it in programs that do not ask. TAP.

usage: check_power_summary.py PATH_OF_COEXEC PATH_OF_LIBFAKENVML PATH_OF_LIBSTUB LIVE_PROGRAM
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

TOOL, NVML, STUB, PROGRAM = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:5])
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "FAKE_NVML_", "OCL_ICD_", "STUB_"))}
WATTS = [(100, 300), (50, 30)]  # idle, and more while it computes


def settings(folder, **more):
    busy = os.path.join(folder, "busy")
    return {**CLEAN, "COEXEC_VENDORS": STUB, "STUB_TYPE": "gpu", "STUB_DEVICES": "2", "STUB_ASYNC": "1", "STUB_SPEED": "0.002",
            "STUB_EXTENSIONS": "cl_khr_pci_bus_info", "STUB_BUSY": busy, "FAKE_NVML_BUSY": busy, "FAKE_NVML_DEVICES": "2",
            "FAKE_NVML_WATTS": ",".join(f"{idle}:{more}" for idle, more in WATTS), "FAKE_NVML_LOG": os.path.join(folder, "log"),
            "COEXEC_LIBNVML": NVML, "COEXEC_POWERCAP": "/nonexistent", "COEXEC_HWMON": "/nonexistent", "COEXEC_POWER": "1", "COEXEC_KNOWLEDGE": "0", **more}


def run(env, *arguments, options=("--summary",)):
    done = subprocess.run([TOOL, "run", *options, "--", PROGRAM, *arguments], env=env, input="0\n", capture_output=True, text=True, timeout=120)
    return done


def number(pattern, text):
    found = re.search(pattern, text)
    assert found, f"no '{pattern}' in:\n{text}"
    return [float(part) for part in found.groups()]


def joules_and_powers():
    """The devices compute for 6.5 s of 13: what the summary says is what their powers make of the times that it says, too. The next process knows
    what they consume idle, though it computes all the time."""
    with tap.folder() as folder:
        keeps = {"COEXEC_KNOWLEDGE": "auto", "COEXEC_CACHE_DIR": os.path.join(folder, "cache")}
        done = run(settings(folder, COEXEC_TRACE=os.path.join(folder, "trace.json"), **keeps), "phases", "1.3")
        text, sums = done.stderr, [0, 0]
        seconds, product = number(r"in ([0-9.]+) s of this machine, energy-delay product ([0-9.]+) J s", text)
        kernel, about = number(r"time ([0-9.]+) ms; .*; about ([0-9.]+) J\n", text)
        busy = [number(rf"device {d}  stub {d} .* busy +([0-9.]+) ms", text)[0] / 1000 for d in (0, 1)]
        for d, (idle, more) in enumerate(WATTS):
            joules, error = number(rf"device {d}  Fake H100 {d} +([0-9.]+) J \+- ([0-9.]+)", text)
            truth = idle * seconds + more * busy[d]
            assert abs(joules - truth) <= error + 0.03 * truth, f"{joules} J, not {truth}\n{text}"
            at_rest, doubt, computing, other_doubt = number(
                rf"Fake H100 {d} .*idle ([0-9.]+) W \+- ([0-9.]+), computing ([0-9.]+) W \+- ([0-9.]+) more", text)
            assert abs(at_rest - idle) <= 2 * doubt and abs(computing - more) <= 2 * other_doubt, text
            sums = [sums[0] + joules, sums[1] + idle * kernel / 1000 + more * min(busy[d], kernel / 1000)]
        assert abs(product - sums[0] * seconds) <= 0.01 * product, text
        assert abs(about - sums[1]) <= 0.1 * sums[1], f"{about} J, not {sums[1]}\n{text}"
        shown = [event["args"] for event in json.load(open(os.path.join(folder, "trace.json"))) if event.get("name") == "watts"]
        assert len(shown) > 50 and all(set(args) == {"0 Fake H100 0", "1 Fake H100 1"} for args in shown[1:]), shown[:3]
        assert max(args["0 Fake H100 0"] for args in shown) > 250 > 120 > min(args["0 Fake H100 0"] for args in shown), shown
        busy = os.path.join(folder, "busy of another")
        text = run(settings(folder, STUB_SPEED="0.0005", **keeps, STUB_BUSY=busy, FAKE_NVML_BUSY=busy), "seconds", "5").stderr
        for d, (idle, more) in enumerate(WATTS):
            at_rest, computing = number(rf"Fake H100 {d} .*idle ([0-9.]+) W \+- [0-9.]+, computing ([0-9.]+) W \+- [0-9.]+ more", text)
            assert abs(at_rest - idle) <= 0.3 * (idle + more) and abs(at_rest + computing - idle - more) < 0.2 * (idle + more), text


def hardly_idle():
    """Devices that compute all the time: powers are told right by their errors, or not at all. The idle ones are those before the first launch."""
    with tap.folder() as folder:
        text = run(settings(folder, STUB_SPEED="0.0005"), "seconds", "6").stderr
        for d, (idle, more) in enumerate(WATTS):
            told = re.search(rf"Fake H100 {d} .*idle ([0-9.]+) W \+- ([0-9.]+), computing ([0-9.]+) W \+- ([0-9.]+) more", text)
            apart = re.search(rf"Fake H100 {d} .*(?:its powers are not told apart|computing not known): it computed (\d+) % of the time", text)
            assert told or apart and 80 <= int(apart[1]) <= 100, text
            if told:
                at_rest, doubt, computing, other_doubt = map(float, told.groups())
                assert abs(at_rest - idle) <= 3 * doubt and abs(computing - more) <= 3 * other_doubt, text


def runs_too_short_have_no_figure():
    with tap.folder() as folder:
        done = run(settings(folder, STUB_SPEED="0"))
        assert done.returncode == 0, done
        assert "too short for a figure" in done.stderr or "energy not measured" in done.stderr or " J +- " in done.stderr, done.stderr


def nothing_unless_asked():
    """NVIDIA's library is not even opened."""
    with tap.folder() as folder:
        for more in ({"COEXEC_POWER": "0"}, {"COEXEC_POWER": ""}):
            done = run(settings(folder, **more), "seconds", "0.3")
            assert "coexec summary" in done.stderr and "energy" not in done.stderr and not os.path.exists(os.path.join(folder, "log")), done
        done = run(settings(folder), "seconds", "0.3", options=())
        assert not done.stderr and not os.path.exists(os.path.join(folder, "log")), done


def energy_of_a_bench():
    """Processes of 2 s alone and of 1.3 s through coexec, at 500 W."""
    with tap.folder() as folder:
        program = pathlib.Path(folder, "mandelbrot")
        program.write_text("#!/bin/sh\n[ -n \"$COEXEC_SUMMARY\" ] && sleep 1.3 || sleep 2\n"
                           "echo name=mandelbrot size=1 ms=5.0 checksum=1 check=off\n")
        program.chmod(0o755)
        file = os.path.join(folder, "bench.json")
        env = settings(folder, FAKE_NVML_POWER="0:500", FAKE_NVML_DEVICES="1")
        del env["FAKE_NVML_BUSY"]
        done = subprocess.run([TOOL, "bench", "--power", "--programs", "mandelbrot", "--examples", folder, "--runs", "1", "--no-cold",
                               "--algos", "auto", "--json", file], env=env, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done
        rows = {row["algo"]: row for row in json.load(open(file))["programs"][0]["rows"]}
        for row, seconds in ((rows["auto"], 1.3), (rows[None], 2)):
            [run] = row["runs"]
            assert run["power_ms"] >= 1000 * seconds and abs(run["joules"] - 0.5 * run["power_ms"]) <= run["joules_error"], row
        ratio = rows["auto"]["energy_over_alone"]
        slower = rows["auto"]["runs"][0]["power_ms"] / rows[None]["runs"][0]["power_ms"]
        assert abs(ratio - slower) < 0.15 and abs(rows["auto"]["edp_over_alone"] - ratio * slower) < 0.01, rows
        assert "geometric means\n  devices        balancer      energy        EDP" in done.stdout, done.stdout
        assert re.search(r"all +auto +\d\.\d+ +\d\.\d+  \(1\)", done.stdout), done.stdout
        env["COEXEC_LIBNVML"] = "/nonexistent"
        done = subprocess.run([TOOL, "bench", "--power", "--programs", "mandelbrot", "--examples", folder], env=env, capture_output=True,
                              text=True, timeout=120)
        assert done.returncode == 1 and "--power: nothing on this machine tells its power" in done.stderr, done


def calibration_is_kept():
    """Two CPU devices, whose package consumes 80 W whatever they do."""
    with tap.folder() as folder:
        domain = pathlib.Path(folder, "powercap", "intel-rapl:0")
        domain.mkdir(parents=True)
        (domain / "name").write_text("package-0\n")
        over = threading.Event()

        def consume():
            while not over.wait(0.01):
                (domain / "new").write_text(f"{80e6 * time.monotonic():.0f}\n")
                (domain / "new").rename(domain / "energy_uj")

        thread = threading.Thread(target=consume)
        thread.start()
        try:
            while not (domain / "energy_uj").exists():
                time.sleep(0.01)
            env = {**CLEAN, "POCL_DEVICES": "basic pthread", "POCL_MAX_PTHREAD_COUNT": "1", "COEXEC_POWERCAP": str(domain.parent),
                   "COEXEC_HWMON": "/nonexistent", "COEXEC_LIBNVML": "/nonexistent", "COEXEC_CACHE_DIR": os.path.join(folder, "cache")}
            done = subprocess.run([TOOL, "calibrate", "--seconds", "1.5"], env=env, capture_output=True, text=True, timeout=120)
            assert done.returncode == 0 and not done.stderr, done
            rows = re.findall(r"^  [01] .* ([0-9.]+) +([0-9.]+)$", done.stdout, re.M)
            assert len(rows) == 2 and all(60 < float(idle) < 100 and float(more) < 30 for idle, more in rows), done.stdout
            listed = subprocess.run([TOOL, "knowledge", "list"], env=env, capture_output=True, text=True, timeout=120)
            if "has no knowledge base" not in listed.stderr:
                kept = re.findall(r"^package-0 \(([01]) of 2\) +\S+ +([0-9.]+) \+- [0-9.]+ +[0-9.]+$", listed.stdout, re.M)
                assert [d for d, _ in kept] == ["0", "1"], listed
                assert all(abs(2 * float(idle) - float(rows[0][0])) <= 0.2 for _, idle in kept), (rows, listed)  # each has half of the package
            env["COEXEC_KNOWLEDGE"] = "0"
            done = subprocess.run([TOOL, "calibrate", "--seconds", "1.5"], env=env, capture_output=True, text=True, timeout=120)
            assert done.returncode == 0 and "not kept" in done.stderr, done
        finally:
            over.set()
            thread.join()


def machines_without_sources():
    with tap.folder() as folder:
        done = run(settings(folder, COEXEC_LIBNVML="/nonexistent"), "seconds", "0.5")
        assert "energy not measured" in done.stderr and done.stderr.count("nothing on this machine tells its power") == 1, done.stderr


def a_gpu_is_lost():
    with tap.folder() as folder:
        done = run(settings(folder, FAKE_NVML_LOST="1"), "seconds", "2.5")
        assert done.returncode == 3 and "cannot be read any more" in done.stderr and "no figure" in done.stderr, done


def other_ends():
    """Of a program with a child, one that becomes another, and one that a signal ends."""
    with tap.folder() as folder:
        for what in ("fork", "exec"):
            process = subprocess.Popen([TOOL, "run", "--summary", "--", PROGRAM, what], env=settings(folder), stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            assert process.stdout.readline() == "ready\n"
            if what == "exec":
                process.stdin.close()
                process.kill()
                process.wait(60)
            else:
                _, text = process.communicate("0\n", timeout=60)
                assert process.returncode == 0 and text.count("coexec summary") == 1, text
        process = subprocess.Popen([TOOL, "run", "--summary", "--", PROGRAM], env=settings(folder), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == -signal.SIGINT


if __name__ == "__main__":
    sys.exit(tap.run([joules_and_powers, hardly_idle, runs_too_short_have_no_figure, nothing_unless_asked, machines_without_sources, a_gpu_is_lost,
                      other_ends, energy_of_a_bench, calibration_is_kept], together=4))
