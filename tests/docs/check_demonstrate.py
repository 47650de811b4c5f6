#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What tools/quickstart shows at its end: a ratio as a sentence, equal outputs, a picture coloured by device. Times do not count. TAP.

usage: check_demonstrate.py BUILD_ROOT
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = sys.argv[1]
ENV = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "OCL_ICD_", "POCL_DEV", "POCL_MAX"))}


def png(path):
    """(width, height, the colours of its pixels), of a picture of ours."""
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n"), data[:20]
    width, height = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    begin = data.index(b"IDAT")
    rows = zlib.decompress(data[begin + 4 : begin + 4 + int.from_bytes(data[begin - 4 : begin], "big")])
    assert len(rows) == height * (3 * width + 1), (len(rows), width, height)
    return width, height, rows


def demonstration(**variables):
    with tap.folder() as name:
        picture = pathlib.Path(name) / "m.png"
        done = subprocess.run([ROOT / "tools" / "demonstrate", BUILD, picture, "30"], env={**ENV, **variables}, capture_output=True, text=True, timeout=240)
        assert done.returncode == 0 and not done.stderr, done
        assert "outputs: equal" in done.stdout and "coloured by the device" in done.stdout, done.stdout
        assert re.search(r"^\d+\.\d\dx as fast as one device$|^No launch was split", done.stdout, re.M), done.stdout
        assert "COEXEC_" not in done.stdout, done.stdout
        width, height, _ = png(picture)
        assert width == height == 768, (width, height)
        return done.stdout


def demonstration_on_unlike_devices():
    """Where there are several devices the one alone is the fastest of them."""
    assert "2 devices, through coexec" in demonstration(POCL_DEVICES="basic pthread", POCL_MAX_PTHREAD_COUNT="1")


def picture_of_two():
    """Each row has its owner's colour; of a launch that one device ran whole nothing is taken where another was shared."""
    with tap.folder() as name:
        at = pathlib.Path(name)
        package = lambda launch, device, **more: {"name": "k", "cat": "package", "args": {"launch": launch, "device": device, **more}}
        events = [{"name": "thread_name", "tid": 1, "args": {"name": "device 1: second"}}, package(1, 0, groups=2), package(1, 0, groups=2, first=2),
                  package(1, 1, groups=4, first=4), package(2, 1, groups=8)]
        (at / "t.json").write_text(json.dumps(events)[:-1] + ",\n")  # as while it is written
        (at / "p.pgm").write_bytes(b"P5\n16 16\n255\n" + bytes([255] * 256))
        done = subprocess.run([ROOT / "tools" / "trace-picture", at / "t.json", at / "p.pgm", at / "p.png"], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and "orange: device 1: second, 50 % of the rows" in done.stdout, done
        width, _, rows = png(at / "p.png")
        colours = [rows[y * (3 * width + 1) + 1 : y * (3 * width + 1) + 4].hex() for y in range(16)]
        assert colours == ["4c9bff"] * 8 + ["ff9f40"] * 8, colours


sys.exit(tap.run([("demonstration", lambda: demonstration() and None), demonstration_on_unlike_devices, picture_of_two]))
