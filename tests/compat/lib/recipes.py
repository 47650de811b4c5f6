# SPDX-License-Identifier: MIT
"""Recipes: what to install, run and compare. One TOML file a family of programs, tables [[recipe]].

A key before the first table is the default of all recipes of its file. Keys:
  name      unique; with `for = [...]` a recipe stands for several: {} in name, run and expect becomes each item; of items
            that are [short, long] the short one in the name
  program   its name in the report; packages: Debian packages, the first one's version is reported
  run       bash script, run in an empty folder with HOME of its own; $HERE: the recipes' folder, $SHARED: see setup;
            $KEEP: a folder that is empty unless tests/compat/run --resume goes on with an earlier run
  setup     bash script, run once, bare, in $SHARED: makes what all runs need (input files, compiled examples)
  env       variables; timeout: seconds, of one run
  compare   "output": what it prints must equal the bare run's (default), "status": only that it ends well,
            "tests": see tests
  expect    regular expression that the output must match
  files     files it writes, compared too
  drop      lines that match are left out before comparing; replace = [[expression, text], ...] (times, names)
  tests     expression with groups `test` and `result`: every test whose result bare is one of `good` must have it
            through coexec (compare = "tests")
  rate      expression with one group, what the program says it does a second: then seconds are those of ten million, not its own
  suite     "ci": in the fast slice, "all" (default), "long": only when named or --suite long
  verify    false: too slow for COEXEC_VERIFY=1
  unusable  why it cannot run here: stands in the report in place of a result
  note      a remark for the report
  slower    what it loses time on, where coexec is slower: the report says so where the ratio is over 1.05
"""
import dataclasses
import functools
import pathlib
import subprocess
import sys
import tomllib

RATED = 1e7  # pieces of work, see rate


@dataclasses.dataclass
class Recipe:
    name: str
    program: str = ""
    run: str = ""
    packages: list = dataclasses.field(default_factory=list)
    setup: str = ""
    env: dict = dataclasses.field(default_factory=dict)
    timeout: int = 120
    compare: str = "output"
    expect: str = ""
    files: list = dataclasses.field(default_factory=list)
    drop: list = dataclasses.field(default_factory=list)
    replace: list = dataclasses.field(default_factory=list)
    tests: str = ""
    good: list = dataclasses.field(default_factory=lambda: ["pass"])
    rate: str = ""
    suite: str = "all"
    verify: bool = True
    unusable: str = ""
    note: str = ""
    slower: str = ""
    family: str = ""  # the file it comes from


def expand(table):
    """The tables that one with `for` stands for."""
    for item in table.get("for", [None]):
        one = {k: v for k, v in table.items() if k != "for"}
        if item is not None:
            short, full = item if isinstance(item, list) else (item, item)
            for key in ("name", "run", "expect"):
                if key in one:
                    one[key] = one[key].replace("{}", short if key == "name" else full)
        yield one


def load(folder):
    """All recipes, in the order of files and tables; exits with a line about a faulty one."""
    found, known = [], {f.name for f in dataclasses.fields(Recipe)}
    for path in sorted(pathlib.Path(folder).glob("*.toml")):
        try:
            data = tomllib.loads(path.read_text())
        except tomllib.TOMLDecodeError as error:
            sys.exit(f"compat: {path}: {error}")
        defaults = {k: v for k, v in data.items() if k != "recipe"}
        for table in data.get("recipe", []):
            for one in expand({**defaults, **table}):
                unknown = set(one) - known
                if unknown or "name" not in one or not (one.get("run") or one.get("unusable")):
                    sys.exit(f"compat: {path}: recipe {one.get('name')}: {'unknown ' + str(unknown) if unknown else 'no name or run'}")
                found.append(Recipe(**{"program": path.stem, **one, "family": path.stem}))
    names = [r.name for r in found]
    twice = {n for n in names if names.count(n) > 1}
    if twice:
        sys.exit(f"compat: recipes of the same name: {twice}")
    return found


@functools.cache
def version(package):
    """The installed version of a Debian package, "" when it is not there."""
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Status}\t${Version}", package], capture_output=True, text=True)
    status, _, number = done.stdout.partition("\t")
    return number if status == "install ok installed" else ""
