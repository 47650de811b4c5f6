# SPDX-License-Identifier: MIT
"""Is what a program did through coexec what it did bare?"""
import re

# drivers' compilers print it, where they compile, be it within a line of the program's
NOISE = re.compile(r"\d+ (warning|error)s?( and \d+ errors?)? generated\.\n")


def normal(recipe, output):
    """The lines that are compared."""
    lines = []
    for line in NOISE.sub("", output).splitlines():
        if any(re.search(d, line) for d in recipe.drop):
            continue
        for expression, text in recipe.replace:
            line = re.sub(expression, text, line)
        lines.append(line.rstrip())
    return lines


def ends_well(recipe, done):
    """"" or why the run counts as failed by itself."""
    if done["status"] is None:
        return f"no end after {recipe.timeout} s"
    if done["status"] != 0:
        return f"exit status {done['status']}"
    if recipe.expect and not re.search(recipe.expect, done["output"], re.M):
        return f"the output does not match {recipe.expect}"
    return ""


def tests(recipe, output):
    """{test: result}"""
    return {m["test"]: m["result"] for m in re.finditer(recipe.tests, output, re.M)}


def differences(recipe, bare, done, exact=True):
    """A list of differences, at most a few, as text. Without `exact` (other drivers) outputs may differ."""
    if recipe.compare == "tests":
        before, after = tests(recipe, bare["output"]), tests(recipe, done["output"])
        lost = [f"{t}: {before[t]} bare, {after.get(t, 'missing')}" for t in before
                if before[t] in recipe.good and after.get(t) not in recipe.good]
        return lost if before else ["no test's result in the output"]
    wrong = ends_well(recipe, done)
    if wrong:
        return [wrong]
    if not exact:
        return []
    found = [f"file {f}" for f in recipe.files if bare["files"][f] != done["files"][f]]
    if recipe.compare == "output":
        a, b = normal(recipe, bare["output"]), normal(recipe, done["output"])
        if a != b:
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            one = [lines[at] if at < len(lines) else "(end)" for lines in (a, b)]
            found.append(f"line {at + 1}: bare {one[0][:200]!r}, coexec {one[1][:200]!r}")
    return found
