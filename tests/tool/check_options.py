#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that layer/base/options.def, the man page and docs/options.md agree on every option. TAP on standard output.

usage: check_options.py [SOURCE_ROOT]
"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
ROOT = ROOT if ROOT.is_dir() else ROOT.parent.parent.parent


def generated(form):
    command = [sys.executable, str(ROOT / "tools" / "options-table"), form]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def block(lines, wanted):
    """Whether `wanted` stands in `lines` as one unbroken run; else the first line of it that is missing."""
    if any(lines[i : i + len(wanted)] == wanted for i in range(len(lines) - len(wanted) + 1)):
        return None
    return next((line for line in wanted if line not in lines), "the order differs")


def check_document(name, path, form):
    if not path.exists():
        return f"{name} is missing"
    missing = block(path.read_text().splitlines(), generated(form))
    return missing and f"{name} differs from `tools/options-table {form}`, first at: {missing}"


def check_code():
    """Every COEXEC_ name that documents or sources of the layer and tools speak of is an option."""
    known = {line.split("`")[1] for form in ("user", "path") for line in generated(form)[2:]}
    files = [ROOT / "README.md", ROOT / "examples" / "README.md", ROOT / "tools" / "coexec.1", *(page for page in sorted((ROOT / "docs").glob("*.md")) if page.name != "options.md")]
    for folder in ("layer", "tools"):
        files += sorted((ROOT / folder).rglob("*.[ch]"))
    unknown = []
    for path in files:
        if path.exists():
            names = set(re.findall(r"\bCOEXEC_[A-Z][A-Z_0-9]*[A-Z0-9]\b", path.read_text()))
            unknown += [f"{path.relative_to(ROOT)}: {name}" for name in sorted(names - known)]
    return "; ".join(unknown) or None


def main():
    man, docs = "tools/coexec.1", "docs/options.md"
    places = [(man, "man"), (man, "debug-man"), (man, "params-man"), (docs, "user"), (docs, "path"), (docs, "debug"), (docs, "params")]
    checks = [(f"{name} has `tools/options-table {form}` as it is", check_document(name, ROOT / name, form)) for name, form in places]
    checks += [
        ("no text or source names an option that is none", check_code()),
    ]
    results = tap.Results(len(checks))
    for title, problem in checks:
        results.add(title, problem)
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
