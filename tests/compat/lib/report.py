# SPDX-License-Identifier: MIT
"""One line a result for the terminal, and docs/compatibility.md."""
import datetime
import os
import re

from . import summary, trial


def line(result):
    """What a person wants to see while it runs."""
    if result["verdict"] == "not run":
        return f"{result['name']}: not run: {result['why']}"
    parts = [f"{result['name']}: {result['verdict']}"]
    if "tests" in result:
        parts.append(f"{result['tests'][0]} of {result['tests'][1]} tests pass bare")
    for way, t in result["sides"].items():
        text = f"{way}: {t['launches']} launches, {t['split']} split"
        if t["split"]:
            text += f" ({t['own']} own, {t['merge']} merge, {t['private']} private)"
        if t["verified"] or t["unverified"]:
            text += f", {t['verified']} verified"
        if way != "auto" and summary.reason(t):
            text += f", whole: {summary.reason(t)}"
        parts.append(f"{text}, {t['seconds']:.1f} s")
    if "ratio" in result:
        parts.append(f"{result['bare_seconds']:.2f} s bare, {result['coexec_seconds']:.2f} s: {result['ratio']:.2f}"
                     f" (builds {result['bare_builds']:.2f}, {result['coexec_builds']:.2f} s)")
    text = "; ".join(parts)
    if result["note"]:
        text += f"\n  note: {result['note']}"
    return text + (f"\n  {result['why']}" if result["why"] else "")


START_MS = 8


HEAD = """# Programs that nobody here wrote, on the bare driver and through coexec

Made by `tests/compat/run`; `tests/compat/run --help` says how, `tests/compat/recipes` holds each program's recipe.

* *Bare* is one one-core device of Debian's PoCL 3.1, its `basic` or its `pthread` device, whichever is faster for the
  program; *coexec* shows the program both of them as one device. Both sides' caches are warm.
* *Kernels*, *launches* and *how split* come from a run in which every launch was split that may be (`COEXEC_SPLIT=always`,
  one share a device): `own`: packages write apart; `merge`: changes are put together afterwards; `private`: copies for
  atomics; the rest ran whole, with the most frequent reason. *Split by default* counts in a run with default options: launches
  too short to gain are left whole.
* *Result*: `same` where what the program printed and wrote (times and device names aside) equals the bare run's in all runs,
  or for test suites, where each test that passes bare passes through coexec; `passes` where only the program's own
  check and its exit status tell, because its output holds times.
* *bare s*, *coexec s*: medians of alternating runs of whole processes, start-up included, without what they spent in
  calls that build programs and create kernels; that stands apart in *builds*, bare and through coexec. *Ratio* is
  coexec's time over bare's; below 1 coexec is faster. Where a
  program is built for both devices (where a launch may be long; with `COEXEC_DEBUG=build=all` always, at once) that is twice the
  work of a bare device, and PoCL 3.1 compiles for one after the other.
* *Why slower* stands where the ratio is over 1.05: *starting* where the difference is {start} ms or less, which is what
  opening coexec and PoCL's second device take, with the noise of such short runs; *noise* where bare runs were as far
  apart; else what the program's recipe says.
""".format(start=START_MS)


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def how(total):
    """How a run's launches were split, as one cell."""
    if not total or not total["launches"]:
        return ""
    parts = [f"{total[k]} {k}" for k in ("own", "merge", "private") if total[k]]
    if total["whole"]:
        why = summary.reason(total)
        parts.append(f"{total['whole']} whole" + (f" ({why})" if why else ""))
    return ", ".join(parts)


def outcome(result, recipe):
    if result["verdict"] == "not run":
        return f"not run: {result['why']}"
    if result["verdict"] != "same":
        return f"**{result['verdict']}**: {result['why']}"
    if "tests" in result:
        return f"same: {result['tests'][0]} of {result['tests'][1]} tests pass"
    return "same" if recipe and (recipe.compare == "output" or recipe.files) else "passes"


def slower(result, recipe):
    """Why coexec took more than 1.05 of bare, as one cell."""
    if result.get("ratio", 0) <= 1.05:
        return ""
    more = result["coexec_seconds"] - result["bare_seconds"]
    if more * 1e3 <= START_MS:
        return f"starting: {more * 1e3:.0f} ms"
    if recipe and recipe.slower:
        return f"{recipe.slower}: {more * 1e3:.0f} ms"
    bare = [took - builds for took, builds in result["all_seconds"][result["bare_side"]]]
    if len(bare) > 2 and max(bare) - min(bare) >= more:
        return f"noise: bare runs took {min(bare):.2f} to {max(bare):.2f} s"
    return "not found out"


def row(result, recipe):
    always, auto = (result["sides"].get(s) for s in ("always", "auto"))
    verify = result["sides"].get("verify")
    cells = [result["name"], result["version"], always["kernels"] if always else "", always["launches"] if always else "",
             how(always), f"{auto['split']} of {auto['launches']}" if auto else "", outcome(result, recipe),
             f"{verify['verified']}, {verify['differ']} differ" if verify else "",
             f"{result['bare_seconds']:.2f}" if "ratio" in result else "",
             f"{result['coexec_seconds']:.2f}" if "ratio" in result else "",
             f"{result['ratio']:.2f}" if "ratio" in result else "",
             f"{result['bare_builds']:.2f}, {result['coexec_builds']:.2f}" if "ratio" in result else "", slower(result, recipe)]
    return "| " + " | ".join(cell(c) for c in cells) + " |"


def merge(results):
    """One result a key: of each kind of run the last one; times of the last run that has them."""
    found = {}
    for key, new in results:
        old = found.get(key)
        if not old or not old["sides"]:
            found[key] = new
        elif new["sides"]:
            both = {**old, **new, "sides": {**old["sides"], **new["sides"]}}
            trial.conclude(both, [w for side in both["sides"].values() for w in side.get("wrong", [])])
            if new["verdict"] != "same":
                both.update(verdict=new["verdict"], why=new["why"])
            found[key] = both
    return found


def write(path, results, recipes):
    """The tables. Several results of one recipe are put together."""
    known = {r.name: r for r in recipes}
    plain = merge((r["name"], r) for r in results if not r["mix"])
    mixed = merge(((r["mix"], r["name"]), r) for r in results if r["mix"])
    out = [HEAD]
    out.append(f"Measured on {os.cpu_count()} cores, {datetime.date.today()}.\n")
    out.append("| recipe | version | kernels | launches | how split | split by default | result | verified launches | bare s | coexec s | ratio | builds s | why slower |")
    out.append("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    order = [n for n in known if n in plain]
    out += [row(plain[n], known[n]) for n in order]
    ran = [plain[n] for n in order if plain[n]["verdict"] != "not run"]
    out.append(f"\n{len(ran)} programs ran, {sum(r['verdict'] == 'same' for r in ran)} with the bare driver's results; "
               f"{sum(r['sides'].get('always', {}).get('launches', 0) for r in ran)} launches, "
               f"{sum(r['sides'].get('always', {}).get('split', 0) for r in ran)} of them split.\n")
    notes = [f"* {n}: {plain[n]['note']}" for n in order if plain[n]["note"]]
    out += ["## Notes\n", *notes, ""] if notes else []
    if mixed:
        out.append("## Drivers of two vendors under one device\n")
        out.append("A PoCL device beside a device of another driver, splits forced (`tests/compat/run --mix NAME`). Results of "
                   "two compilers may differ in the last bits, so the programs' own checks decide.\n")
        out.append("| mix | recipe | launches | how split | result |")
        out.append("|---|---|---|---|---|")
        for (mix, name), r in sorted(mixed.items()):
            always = r["sides"].get("always")
            text = outcome(r, None).replace("same", "passes", 1) if r["verdict"] == "same" else outcome(r, None)
            out.append("| " + " | ".join(cell(c) for c in (mix, name, always["launches"] if always else "", how(always), text)) + " |")
        out.append("")
    out.append("## Commands\n")
    out += [f"* {n}: `{re.sub(chr(10), ' ; ', known[n].run.strip())[:300]}`" for n in order if known[n].run]
    path.write_text("\n".join(out).rstrip() + "\n")
