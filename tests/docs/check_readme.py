#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the README against what it speaks of: its commands run, its links lead somewhere, its figures and defaults agree. TAP.

usage: check_readme.py BUILD_ROOT

Commands are those in blocks marked sh, a line each. They run in a folder that looks like a clone, with the build folder as build/, an
example as ./app and its kernels as kernels.cl. Those that install something are not run: INSTALLS says which these are.
"""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(sys.argv[1]).resolve()
README = (ROOT / "README.md").read_text()
INSTALLS = ("tools/quickstart", "sudo meson install")
ENV = {k: v for k, v in os.environ.items() if not k.startswith(("COEXEC_", "OCL_ICD_", "POCL_DEV", "POCL_MAX"))}
ENV.update(POCL_DEVICES="basic pthread", POCL_MAX_PTHREAD_COUNT="1")


def commands():
    for block in re.findall(r"^```sh\n(.*?)^```", README, re.M | re.S):
        yield from filter(None, (re.sub(r"\s+# .*", "", line).strip() for line in block.splitlines()))


def clone(folder):
    """A folder with what a clone has, built."""
    for path in ROOT.iterdir():
        if path.name not in ("build", ".git"):
            os.symlink(path, folder / path.name)
    os.symlink(BUILD, folder / "build")
    app = folder / "app"
    app.write_text('#!/bin/sh\nexec build/examples/mandelbrot --size 256 --iterations 100 "$@"\n')
    app.chmod(0o755)
    os.symlink(ROOT / "examples" / "mandelbrot.cl", folder / "kernels.cl")


def commands_run():
    lines = list(commands())
    run = [line for line in lines if not line.startswith(INSTALLS)]
    assert len(run) >= 8 and len(lines) - len(run) == len(INSTALLS), lines
    with tap.folder() as name:
        clone(pathlib.Path(name))
        for line in run:
            done = subprocess.run(["bash", "-c", line], cwd=name, env=ENV, capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, f"{line}: exit status {done.returncode}\n{done.stderr}"
            assert "warn" not in done.stderr and "accepted" not in done.stderr, f"{line}: {done.stderr}"
            assert "./app" not in line or "name=mandelbrot" in done.stdout, f"{line}: {done.stdout}"


def anchors(path):
    """As GitHub makes them of headings."""
    heads = re.findall(r"^#+ (.*)$", path.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def links_lead_somewhere():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "examples" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    wrong = []
    for page in pages:
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
            file, _, anchor = target.partition("#")
            path = (page.parent / file).resolve() if file else page
            if re.match(r"\w+:", target):
                continue
            if not path.exists() or (anchor and anchor not in anchors(path)):
                wrong.append(f"{page.relative_to(ROOT)}: {target}")
    assert not wrong, "\n".join(wrong)


def every_page_is_linked():
    for page in sorted((ROOT / "docs").glob("*.md")):
        assert f"(docs/{page.name})" in README, f"the README does not name docs/{page.name}"


def figures_agree():
    figure = r"([\d.]+) (s|ms|[MG]H/s)"
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in README.splitlines() if re.match(r"\|.*\| two ", line)]
    assert len(rows) >= 6, rows
    for program, _, bare, through, times, *_ in rows:
        if bare and through:
            (before, unit), (after, same) = (re.fullmatch(figure, cell).groups() for cell in (bare, through))
            ratio = float(after) / float(before) if "H/s" in unit else float(before) / float(after)
            assert unit == same or "H/s" not in unit + same, f"{program}: {unit} and {same}"
            assert abs(ratio / float(times) - 1) < 0.02, f"{program}: {bare} over {through} is {ratio:.2f}, not {times}"


def chart_is_the_tables():
    made = subprocess.run([sys.executable, str(ROOT / "tools" / "gains-chart")], check=True, capture_output=True, text=True).stdout
    assert made == (ROOT / "docs" / "gains.svg").read_text(), "run tools/gains-chart update"


def defaults_agree():
    table = subprocess.run([sys.executable, str(ROOT / "tools" / "options-table"), "user"], check=True, capture_output=True, text=True).stdout
    table += subprocess.run([sys.executable, str(ROOT / "tools" / "options-table"), "path"], check=True, capture_output=True, text=True).stdout
    known = dict(re.findall(r"^\| `(\w+)` \| (\S*) ?\|", table, re.M))
    rows = re.findall(r"^\| .*`(COEXEC_\w+)(?:=\w+)?` \| (\S*) ?\|", README, re.M)
    assert len(rows) >= 12, rows
    for name, default in rows:
        assert known[name] == default, f"{name}: {default} in the README, {known[name]} in layer/base/options.def"


def it_is_short():
    lines, words = len(README.splitlines()), len(README.split())
    assert lines <= 140 and words <= 1700, f"{lines} lines, {words} words: move something to docs/"


sys.exit(tap.run([commands_run, links_lead_somewhere, every_page_is_linked, figures_agree, chart_is_the_tables, defaults_agree, it_is_short]))
