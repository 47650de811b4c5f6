# SPDX-License-Identifier: MIT
"""One recipe on all sides: is it right, what was split, how long does it take."""
import re
import statistics
import sys

from . import compare, mixes, recipes, sides, summary

BARE = ("bare pthread", "bare basic")
WAYS = {"auto": ["auto"], "always": ["always"], "both": ["always", "auto"]}


def progress(recipe, text):
    if sys.stderr.isatty():
        print(f"\r\033[K{recipe.name}: {text}", end="" if text else "\r", file=sys.stderr, flush=True)


def run(recipe, args):
    """A result, as the report wants it; `verdict` is "same", "differs", "fails" or "not run"."""
    result = {"name": recipe.name, "program": recipe.program, "family": recipe.family, "command": recipe.run,
              "version": recipes.version(recipe.packages[0]) if recipe.packages else "", "mix": args.mix or "",
              "note": recipe.note, "verdict": "not run", "why": recipe.unusable, "sides": {}}
    missing = [p for p in recipe.packages if not recipes.version(p)]
    if missing and not result["why"]:
        result["why"] = f"not installed: {' '.join(missing)} (--install)"
    if result["why"]:
        return result
    mix = mixes.get(args.mix, args) if args.mix else None
    result["why"] = sides.prepare(recipe, args)
    if result["why"]:
        return result
    try:
        compared(recipe, args, mix, result)
    finally:
        progress(recipe, "")
    return result


def compared(recipe, args, mix, result):
    """Fills in the result: bare runs, runs through coexec, times."""
    bare = {}
    for side in BARE if args.runs else BARE[:1]:
        progress(recipe, side)
        bare[side] = sides.run(side, recipe, args)
        wrong = "" if recipe.compare == "tests" else compare.ends_well(recipe, bare[side])
        if wrong and len(bare) > 1:
            result["note"] = f"{side}: {wrong}"
            del bare[side]
        elif wrong:
            result["why"] = f"{side}: {wrong}"
            return
    reference = bare[BARE[0]]
    if len(bare) > 1:
        unsteady = compare.differences(recipe, reference, bare[BARE[1]])
        if unsteady:
            result["note"] = f"two bare devices differ: {unsteady[0]}"
    if recipe.compare == "tests":
        outcomes = list(compare.tests(recipe, reference["output"]).values())
        result["tests"] = [sum(o in recipe.good for o in outcomes), len(outcomes)]
    wrong = []
    for way in WAYS[args.split] + (["verify"] if args.verify and recipe.verify else []):
        progress(recipe, f"coexec {way}")
        done = sides.run(way, recipe, args, mix)
        wrong += judge(recipe, args, reference, done, result)
    if args.runs and not wrong and args.split != "always":
        wrong += times(recipe, args, mix, bare, result)
    conclude(result, wrong)


def take_rate(recipe, done):
    """Makes the run's time that of the work which the recipe's rate is about; whether the program tells it."""
    if not recipe.rate:
        return True
    said = re.search(recipe.rate, done["output"], re.MULTILINE)
    if not said or float(said[1]) <= 0:
        return False
    done.update(seconds=recipes.RATED / float(said[1]), builds=0.0)
    return True


def conclude(result, wrong):
    """Sets verdict and reason from the list of what is wrong."""
    result["verdict"] = "differs" if wrong else "same"
    if wrong and wrong[0].split(": ", 1)[1].startswith(("exit status", "no end", "the output")):
        result["verdict"] = "fails"
    result["why"] = "; ".join(wrong[:5]) + (f"; and {len(wrong) - 5} more" if len(wrong) > 5 else "")


def judge(recipe, args, reference, done, result):
    """Notes what a run through coexec did; the list of what is wrong with it."""
    total = summary.parse(done["summary"])
    total["seconds"] = round(done["seconds"], 3)
    total["wrong"] = []
    result["sides"][done["side"]] = total
    wrong = [f"{done['side']}: {w}" for w in compare.differences(recipe, reference, done, exact=not args.mix)]
    if total["differ"]:
        wrong.append(f"{done['side']}: COEXEC_VERIFY found {total['differ']} launches that differ")
    total["wrong"] = wrong
    return wrong


def times(recipe, args, mix, bare, result):
    """Times bare and coexec alternately, checking each run; the list of what went wrong."""
    quickest = min(b["seconds"] for b in bare.values())  # a slow program is timed less often: half a minute a side
    for side, done in bare.items():
        if not take_rate(recipe, done):
            return [f"{side}: it does not tell how fast it was"]
    best = min(bare, key=lambda side: bare[side]["seconds"] - bare[side]["builds"])
    ran = {best: [], "auto": []}
    pairs = min(args.runs, max(1, int(30 / max(0.1, quickest))))
    for pair in range(pairs):
        for side in (best, "auto") if pair % 2 == 0 else ("auto", best):
            progress(recipe, f"timing {pair + 1}/{pairs}")
            done = sides.run(side, recipe, args, mix)
            ran[side].append(done)
            wrong = compare.differences(recipe, bare[BARE[0]], done, exact=not args.mix)
            if wrong or not take_rate(recipe, done):
                return [f"{side}: timed run {pair + 1}: {wrong[0] if wrong else 'it does not tell how fast it was'}"]
    result.update(bare_side=best, runs=pairs)
    for name, side in (("bare", best), ("coexec", "auto")):
        result[f"{name}_builds"] = round(statistics.median(d["builds"] for d in ran[side]), 3)
        result[f"{name}_seconds"] = round(statistics.median(d["seconds"] - d["builds"] for d in ran[side]), 3)
    result["ratio"] = round(result["coexec_seconds"] / result["bare_seconds"], 3)
    result["all_seconds"] = {side: [[round(d["seconds"], 3), round(d["builds"], 3)] for d in ran[side]] for side in ran}
    if args.cold:
        for side in (best, "auto"):
            key = "bare_cold" if side == best else "coexec_cold"
            result[key] = round(sides.run(side, recipe, args, mix, cold=True)["seconds"], 3)
    return []
