#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs one fuzz target for some seconds, from seeds made here. A finding is left as a file and fails.

    fuzz.py TARGET PROGRAM SECONDS FOLDER ANALYSER KERNELS...

FOLDER keeps the corpus, which grows from run to run, and the findings.
"""
import hashlib
import os
import pathlib
import re
import subprocess
import sys

target, program, seconds, folder, analyser, *kernels = sys.argv[1:]
root = pathlib.Path(__file__).resolve().parents[2]
corpus = pathlib.Path(folder) / target
corpus.mkdir(parents=True, exist_ok=True)


def number(value):
    return value.to_bytes(8, "little")


def run_of(data):
    return number(0) if data is None else number(len(data) + 1) + data


def container(version, kind, source, options, parts):
    rest = number(version) + number(kind) + run_of(source) + run_of(options) + number(len(parts))
    rest += b"".join(run_of(field) for part in parts for field in part)
    return b"coexec program\r\n" + bytes(16) + rest  # fuzz_container.c puts the checksum in


def container_seeds():
    header = (root / "layer/object/version.h").read_text()
    version = int(re.search(r"CX_CONTAINER_VERSION (\d+)", header).group(1))
    part = (b"name\ndriver\n", b"\x7fELF", b"CXSM", bytes(32))
    yield container(version, 4, b"kernel void k() {}", b"-DN=1", [part, (b"other\n", b"x", None, None)])
    yield container(version, 1, None, b"", [part])
    yield container(version, 4, b"", b"", [])
    yield container(version + 1, 4, b"", b"", [])


def option_seeds():
    """Every option with its default and with the words that it accepts."""
    table = re.findall(r'^CX_OPTION\(\w+, \w+, \w+, "[^"]*", "([^"]*)", "([^"]*)"',
                       (root / "layer/base/options.def").read_text(), re.MULTILINE)
    for index, (fallback, accepted) in enumerate(table):
        for text in [fallback, accepted, "0", "1.5e3", "-1", "1:0:2.5", " 1", "0x1p4"] + accepted.split("|"):
            yield bytes([index]) + text.encode()


def config_seeds():
    yield b"# all\nsplit = never\n[prog* other]\n COEXEC_ALGO=auto;k=static \n; no\n[*]\n\n= 1\n[\n[]\n[[a-z]*]\nx=\n"


def live_seeds():
    texts = [b"CXLIVE\r\n" + bytes(24), b"auto".ljust(64, b"\0"), (2).to_bytes(4, "little") * 4, bytes(24)]
    yield b"".join(texts) + b"Device".ljust(64, b"\0") + number(1000) + number(10**9)
    yield b"\xff" * 14000


def knowledge_seeds():
    profile = f"profile {'ab' * 16} {'cd' * 16} saxpy 2 64 32 0 16 1 0 128 5 3 3fc0000000000000 0 2 3fe3333333333333 0 0 1 1700000000 2 408f440000000000 4 0 0 "
    curve = "".join(f"{(i + 1) * 65535 // 64:04x}" for i in range(64))
    yield f"coexec-knowledge 1\nset {'cd' * 16}{' 3f947ae147ae147b' * 16} One + Other\n{profile}-\n{profile}{curve}\n".encode()
    yield f"{profile}-\nset\n".encode()


def cut_seeds():
    kernels = "".join(f"kernel {i + 1:016x} {i + 3} {(i + 1) * 1000000}\n" for i in range(3))
    yield ("coexec cut 1 python3 train.py\n" + "".join(f"level {level} {level}\n{kernels if level % 2 == 0 else ''}" for level in range(5))).encode()
    yield b"name\nlevel 0 0\nlevel 1 0\nlevel 2 0\nlevel 3 0\nlevel 4 0\n"


def select_seeds():
    for text in ["all", "2", "3,0", "gpu,!3", "!basic", " 2 , ! basic ,0", "*h200", "?asic*", "[a-n]*", "!",
                 ",,1,", "99999999999", "amd epyc", "!*", "[", "[!", "accelerator"]:
        yield text.encode()


def text_seeds():
    for kernel in kernels:
        yield b"-DN=4 -I.\n" + pathlib.Path(kernel).read_bytes()
    yield b"-DX=__GPU__\n#include \"a.h\"\n/* \n#include <b/c.h>\n*/ '\\'' \"/*\"\n#include \"b/c.h\"\n#pragma x\n"


def dialect_seeds():
    yield (root / "tests/analyser/assembly.cl").read_bytes()
    yield b'void f(void) { asm volatile inline ("%%[a], %0;\n" "[x]" : [a] "=&r,m"(x[1]), "+f" (y) : "0"(z ? 1 : 2), "n"(3) : "memory"); }'
    yield b"!defined(A) && (B <= 0x3fL || defined C) == 1"


def macro_seeds():
    yield b'-DHEADER="a.h"\n-UHEADER\nHEADER\n#define HEADER <b.h> // why\n#undef HEADER\nHEADER'
    yield b"-DX(x)=#x\n-DQ(x)=X(x)\n-DDIR=/opt/x86_64\nQ(DIR/a.h)\n#define NAME Q(DIR/b.h)\nNAME"
    yield b"-DF(a, b)=<a/b.h>\n-DN=N/1.5e+3\n#define M(x...) x##x\nF(one,N)\nF(M, \"c\")\nF((,),(()))"


def summary_seeds():
    for kernel in kernels:
        blob = corpus / "blob.tmp"
        done = subprocess.run([analyser, "-o", blob, kernel, "--", ""], capture_output=True)
        if done.returncode == 0 and blob.exists():
            yield blob.read_bytes()
            blob.unlink()


seeds = {"config": config_seeds, "container": container_seeds, "cut": cut_seeds, "dialect": dialect_seeds, "knowledge": knowledge_seeds, "live": live_seeds, "macros": macro_seeds, "options": option_seeds, "select": select_seeds, "summary": summary_seeds,
         "text": text_seeds}
made = 0
for seed in seeds[target]():
    made += 1
    (corpus / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)
print("TAP version 13")
print("1..2")
print("ok 1 - seeds" if made else "not ok 1 - no seed could be made", flush=True)
command = [program, f"-max_total_time={seconds}", "-rss_limit_mb=2048", "-timeout=20", "-verbosity=0",
           "-print_final_stats=1", f"-artifact_prefix={folder}/{target}-finding-", corpus]
done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                      env=dict(os.environ, UBSAN_OPTIONS="print_stacktrace=1", ASAN_OPTIONS="allocator_may_return_null=1"))
for line in done.stdout.splitlines()[-60:] if done.returncode else re.findall(r"stat::.*", done.stdout)[:2]:
    print("#", line)
print("ok 2 - no finding" if done.returncode == 0 else "not ok 2 - a finding")
sys.exit(done.returncode != 0 or not made)
