#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`meson setup` on systems that lack what the analyser needs: an error that names the package, unless it is switched off. TAP.

usage: check_setup.py
"""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LACKING = ("llvm-config", "clang")


def system(folder, llvm_config=None):
    """A folder with all programs but LLVM's, and perhaps an llvm-config."""
    programs = folder / "bin"
    programs.mkdir()
    for place in os.environ["PATH"].split(":"):
        for program in pathlib.Path(place).glob("*") if place else []:
            if not program.name.startswith(LACKING) and not os.path.lexists(programs / program.name):
                (programs / program.name).symlink_to(program)
    if llvm_config:
        (programs / "llvm-config-16").write_text(f"#!/bin/sh\ncase $1 in\n{llvm_config}\n*) ;; esac\n")
        (programs / "llvm-config-16").chmod(0o755)
    return {**os.environ, "PATH": str(programs)}


def setup(*options, llvm_config=None):
    with tap.folder() as name:
        at = pathlib.Path(name)
        done = subprocess.run(["meson", "setup", at / "build", ROOT, "-Dtests=false", *options], env=system(at, llvm_config),
                              capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout + done.stderr


def no_llvm_is_an_error():
    status, said = setup()
    assert status and "Splitting needs LLVM 15 or newer. Install llvm-16-dev and clang-16" in said and "-Danalyser=disabled builds" in said, said


def no_clang_is_an_error():
    status, said = setup(llvm_config="--version) echo 16.0.6;;\n--bindir) echo /nonexistent;;")
    assert status and "Splitting needs the clang of LLVM 16.0.6. Install clang-16" in said, said


def no_headers_are_an_error():
    status, said = setup("-Dclang=/usr/bin/true", llvm_config="--version) echo 16.0.6;;\n--includedir|--libdir|--bindir) echo /nonexistent;;")
    assert status and "Splitting needs the headers of LLVM 16.0.6. Install llvm-16-dev" in said, said


def asked_for():
    for option in "disabled", "auto":
        status, said = setup(f"-Danalyser={option}")
        assert not status and "no (every launch runs whole)" in said, said


sys.exit(tap.run([no_llvm_is_an_error, no_clang_is_an_error, no_headers_are_an_error, asked_for]))
