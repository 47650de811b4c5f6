#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""coexec power over made-up sources: a libnvidia-ml with an H100's behaviour, and a powercap tree whose counter the program itself
moves. What is asserted of figures holds however slow the machine is. TAP.

usage: check_power.py PATH_OF_COEXEC PATH_OF_LIBFAKENVML
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

TOOL, NVML = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:3])
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "FAKE_NVML_"))}
NOTHING = {"COEXEC_POWERCAP": "/nonexistent", "COEXEC_HWMON": "/nonexistent", "COEXEC_LIBNVML": "/nonexistent"}
GPU = {"COEXEC_LIBNVML": NVML, "FAKE_NVML_POWER": "0:500"}


def power(*arguments, variables=None):
    return subprocess.run([TOOL, "power", *arguments], env={**CLEAN, **NOTHING, **(variables or {})}, capture_output=True, text=True, timeout=120)


def told(folder, *arguments, variables=None):
    """The JSON of a run that ends well."""
    file = os.path.join(folder, "power.json")
    done = power("--json", file, *arguments, variables=variables)
    assert done.returncode == 0, done
    return json.load(open(file)), done


def package(folder, microjoules=10**6, text=None):
    domain = pathlib.Path(folder, "intel-rapl:0")
    domain.mkdir()
    (domain / "name").write_text("package-0\n")
    (domain / "max_energy_range_uj").write_text("262143328850\n")
    (domain / "energy_uj").write_text(text if text is not None else f"{microjoules}\n")
    return {"COEXEC_POWERCAP": folder}


def a_gpu_of_steady_power():
    with tap.folder() as folder:
        log = os.path.join(folder, "log")
        facts, done = told(folder, "--", "sleep", "1.3", variables={**GPU, "FAKE_NVML_LOG": log})
        [gpu] = facts["sources"]
        assert gpu["name"] == "Fake H100 0" and gpu["pci"] == "0000:01:00.0" and gpu["kind"] == "NVML", gpu
        assert abs(gpu["joules"] - 500 * gpu["seconds"]) <= gpu["error"], gpu
        assert 40 < gpu["error"] and abs(gpu["watts"] * gpu["seconds"] - gpu["joules"]) < 1e-6 * gpu["joules"], gpu
        assert facts["total"]["joules"] == gpu["joules"] and facts["total"]["sources"] == 1, facts
        assert abs(facts["total"]["edp"] - gpu["joules"] * facts["seconds"]) < 1e-6 * facts["total"]["edp"], facts
        assert len(open(log).readlines()) == 3, "looked for, and read at the ends alone"
        assert facts["command"] == ["sleep", "1.3"] and facts["status"] == 0 and not facts["notes"], facts
        curve = facts["curve"]
        assert len(curve["seconds"]) == len(curve["watts"][0]) >= 5 and abs(curve["watts"][0][-1] - 500) < 1, curve
        assert "Fake H100 0" in done.stderr and "energy-delay product" in done.stderr and not done.stdout, done


def runs_too_short_have_no_figure():
    with tap.folder() as folder:
        facts, done = told(folder, "--", "true", variables=GPU)
        if facts["sources"][0]["seconds"] >= 1:
            return "SKIP the machine is so busy that `true` took a second"
        assert facts["sources"][0]["joules"] is None and facts["sources"][0]["lacks"] == "too short for a figure", facts
        assert facts["total"] == {"sources": 0, "watts": None, "joules": None, "error": None, "above_idle": None, "edp": None}, facts
        assert "no source has a figure" in done.stderr, done
        return None


def energy_above_idle():
    with tap.folder() as folder:
        facts, _ = told(folder, "--idle", "1.2", "--", "sleep", "1.5", variables={**GPU, "FAKE_NVML_DEVICES": "2"})
        for gpu in facts["sources"]:
            assert abs(gpu["above_idle"]) <= gpu["error"] + gpu["idle"]["error"] * gpu["seconds"] / gpu["idle"]["seconds"], gpu
        assert facts["total"]["sources"] == 2, facts


def a_package_that_the_program_moves():
    with tap.folder() as folder, tap.folder() as tree:
        variables = package(tree, 262143328850 - 3 * 10**6)
        code = f"echo 9000000 > {tree}/intel-rapl:0/energy_uj; sleep 0.2"
        facts, _ = told(folder, "--", "sh", "-c", code, variables=variables)
        [cpu] = facts["sources"]
        assert cpu["part"] == "package" and cpu["pci"] is None and abs(cpu["joules"] - 12) < 1e-6, cpu


def a_package_that_cannot_be_read():
    with tap.folder() as folder, tap.folder() as tree:
        facts, done = told(folder, "--", "sleep", "1.2", variables={**package(tree, text="?\n"), **GPU})
        assert len(facts["sources"]) == 1 and len(facts["notes"]) == 1, facts
        assert done.stderr.count("the CPU's energy cannot be read") == 1, done


def a_source_that_vanishes():
    with tap.folder() as folder, tap.folder() as tree:
        facts, done = told(folder, "--", "rm", f"{tree}/intel-rapl:0/energy_uj", variables=package(tree))
        assert facts["sources"][0]["lacks"] == "cannot be read any more", facts
        assert "cannot be read any more" in done.stderr, done


def many_samples_are_averaged():
    with tap.folder() as folder:
        facts, _ = told(folder, "--period", "1", "--", "sleep", "5", variables=GPU)
        curve = facts["curve"]
        assert 10 <= len(curve["seconds"]) <= 4096 and sorted(curve["seconds"]) == curve["seconds"], curve
        assert all(abs(watts - 500) < 1 for watts in curve["watts"][0][len(curve["seconds"]) // 2:]), curve


def statuses_are_the_programs():
    for command, status in [("exit 7", 7), ("kill -9 $$", 128 + 9)]:
        done = power("--", "sh", "-c", command, variables=GPU)
        assert done.returncode == status, done
    done = power("--", "/nonexistent/program", variables=GPU)
    assert done.returncode == 127 and "no such program" in done.stderr and "coexec power: 0" not in done.stderr, done
    assert power("--", "/etc", variables=GPU).returncode == 126
    done = power("--json", "/nonexistent/power.json", "--", "true", variables=GPU)
    assert done.returncode == 1 and "/nonexistent/power.json" in done.stderr, done


def input_and_output_are_the_programs():
    done = subprocess.run([TOOL, "power", "--", "cat"], env={**CLEAN, **NOTHING, **GPU}, input="text\n", capture_output=True, text=True,
                          timeout=60)
    assert done.stdout == "text\n" and done.returncode == 0, done
    done = power("--", "echo", "--", "--json", "x", variables=GPU)
    assert done.stdout == "-- --json x\n", done


def signals_are_passed_on():
    code = "import signal, sys, time\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(5))\nprint('ready', flush=True)\ntime.sleep(60)"
    process = subprocess.Popen([TOOL, "power", "--", sys.executable, "-c", code], env={**CLEAN, **NOTHING, **GPU}, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    _, text = process.communicate(timeout=60)
    assert process.returncode == 5 and "coexec power: " in text, (process.returncode, text)


if __name__ == "__main__":
    sys.exit(tap.run([a_gpu_of_steady_power, runs_too_short_have_no_figure, energy_above_idle, a_package_that_the_program_moves,
                      a_package_that_cannot_be_read, a_source_that_vanishes, many_samples_are_averaged, statuses_are_the_programs,
                      input_and_output_are_the_programs, signals_are_passed_on]))
