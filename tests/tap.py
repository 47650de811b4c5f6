# SPDX-License-Identifier: MIT
"""What the tests written in Python share: results as TAP on standard output, each told as soon as it is there.

A test finds this module by sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent)).
"""
import concurrent.futures
import contextlib
import inspect
import os
import shutil
import tempfile
import time


@contextlib.contextmanager
def folder(prefix="coexec-"):
    """The name of a temporary folder, removed at the end, also where a process that outlasts its program, such as
    an analyser's, still writes into it for a while."""
    name = tempfile.mkdtemp(prefix=prefix)
    try:
        yield name
    finally:
        for tries_left in reversed(range(100)):
            try:
                shutil.rmtree(name)
                break
            except OSError:
                if not tries_left:
                    raise
                time.sleep(0.1)


class Results:
    """Prints the plan; add() then prints one result. `failed` counts those that went wrong."""

    def __init__(self, count):
        self.number = self.failed = 0
        print(f"1..{count}", flush=True)

    def add(self, name, wrong=None, skip=None):
        """wrong: what went wrong, one line or several; empty or None: nothing. skip: such as "SKIP no browser"."""
        self.number += 1
        self.failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {self.number} - {name}" + (f" # {skip}" if skip else ""), flush=True)
        for line in str(wrong or "").splitlines()[:60]:
            print("# " + line, flush=True)

    def status(self):
        """For sys.exit."""
        return 1 if self.failed else 0


def failure(action):
    """Runs it: (what went wrong or None, what it returned)."""
    try:
        return None, action()
    except Exception as problem:  # any failure is that test's result
        return str(problem) if isinstance(problem, AssertionError) and str(problem) else repr(problem), None


def part(count):
    """As test_part() in tap.h: how many of so many random cases to take."""
    return max(1, count // max(1, int(os.environ.get("TEST_PART", "1"))))


def run(tests, together=1):
    """Runs functions, or pairs of a name and one; a text they return says why they were skipped. sys.exit's status.
    together: so many at once, for tests that mostly wait."""
    pairs = [test if isinstance(test, tuple) else (test.__name__, test) for test in tests]
    results = Results(len(pairs))
    with concurrent.futures.ThreadPoolExecutor(together) as pool:
        for (name, _), (wrong, skip) in zip(pairs, pool.map(lambda pair: failure(pair[1]), pairs)):
            results.add(name, wrong, skip)
    return results.status()


def tests_of(names):
    """The tests of a module, by its globals(): the functions of its own that take no arguments, but for main."""
    return [value for name, value in names.items() if inspect.isfunction(value) and name != "main"
            and value.__module__ == names["__name__"] and not inspect.signature(value).parameters]
