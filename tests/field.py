# SPDX-License-Identifier: MIT
"""What tests and benchmarks of the shapes of examples/field share: running one bare and through coexec, on two PoCL devices with set costs.

Costs are those of tests/driver/costly.c, a list of one number a device each: context and first launch (ms), a megabyte moved (ms).
"""
import os
import re
import subprocess
import tempfile
import time

SHAPES = ["blur2d", "blur3d", "matvec", "products", "once", "steps-short", "steps-long", "reads-short", "reads-long", "chain", "stream",
          "eliminate", "wave", "fields", "search", "tune", "reduce", "cluster", "queues", "chains", "frames", "programs"]
COSTS = {  # what the first device costs, then the second
    "none": {},
    "context": {"COSTLY_CONTEXT": "0,200"},
    "first": {"COSTLY_FIRST": "0,40"},
    "link": {"COSTLY_MB": "0.02,2"},
    "all": {"COSTLY_CONTEXT": "0,200", "COSTLY_FIRST": "0,40", "COSTLY_MB": "0.02,2"},
}


class Outcome:
    """One process: status, text, its times in ms (later, first, process; None: it has none) and its devices' counts."""

    def __init__(self, status, out, err, process_ms, report):
        fields = dict(f.split("=", 1) for f in (out.strip().splitlines() or [""])[-1].split() if "=" in f)
        number = lambda pattern: float(m[1]) if (m := re.search(pattern, err)) else 0.0
        self.status, self.text, self.fields = status, out + err, fields
        self.later = float(fields["ms"]) if "ms" in fields else None
        self.first = number(r": first run ([0-9.]+) ms")
        self.process = process_ms - number(r": check ([0-9.]+) ms")
        self.devices = [dict(zip(("contexts", "firsts", "launches", "transfers", "mb", "cost"), map(float, re.findall(r" ([0-9.]+)(?:,| ms)", line))))
                        for line in report.splitlines()]

    def right(self):
        return self.status == 0 and self.fields.get("check", "fail") != "fail"


def run(build, shape, costs, through, arguments=(), **more):
    """The shape on the first device, or through coexec on both."""
    outside = ("COEXEC_", "OCL_ICD", "POCL_", "COSTLY_")
    env = {k: v for k, v in os.environ.items() if not k.startswith(outside) or k in ("POCL_CACHE_DIR", "COEXEC_CACHE_DIR")}
    driver = os.path.join(build, "tests", "driver", "libcostly.so")
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report")
        with open(os.path.join(folder, "costly.icd"), "w") as icd:
            icd.write(driver + "\n")
        open(report, "w").close()
        env.update(costs, POCL_DEVICES="basic pthread", POCL_MAX_PTHREAD_COUNT="1", COSTLY_REPORT=report, OCL_ICD_FILENAMES="")
        env["OCL_ICD_VENDORS"] = os.path.join(build, "icd") if through else folder + "/"
        if through:  # memory of their own, as GPUs have
            env.update(COEXEC_VENDORS=driver, COEXEC_SUMMARY="1", **{"COEXEC_DEBUG": "zero_copy=0", **more})
        command = [os.path.join(build, "examples", "field"), "--shape", shape, "--verbose", *arguments]
        start = time.monotonic()
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        took = 1e3 * (time.monotonic() - start)
        with open(report) as file:
            return Outcome(done.returncode, done.stdout, done.stderr, took, file.read())
