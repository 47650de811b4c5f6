#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""coexec info --links measures copies between peers, unless there shall be none. TAP.

usage: check_peer_links.py COEXEC (its environment has the drivers of tests/driver)
"""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

SETTINGS = {"auto": True, "1": True, "0": False}

results = tap.Results(len(SETTINGS))
for setting, measured in SETTINGS.items():
    done = subprocess.run([sys.argv[1], "info", "--links", "--json"], capture_output=True, text=True, timeout=200,
                          env={**os.environ, "COEXEC_DEBUG": f"{os.environ['COEXEC_DEBUG']},peer={setting}"})
    pairs = json.loads(done.stdout)["links"]["between"] if done.returncode == 0 else []
    right = len(pairs) == 2 and all(bool(pair["peer_gbs"]) == measured for pair in pairs)
    results.add(f"peer={setting}", None if right else f"{pairs} {done.stderr}")
sys.exit(results.status())
