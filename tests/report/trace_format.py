#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Judges a trace by what the Trace Event Format's description asks of each kind of event, and by what its readers
(Perfetto, chrome://tracing) need: the events of one row must nest. No two may overlap in part.

usage: trace_format.py FILE...      prints what is wrong; exit status 1 where anything is
"""
import collections
import json
import sys

METADATA = {"process_name": ("name", str), "process_labels": ("labels", str), "process_sort_index": ("sort_index", int),
            "thread_name": ("name", str), "thread_sort_index": ("sort_index", int)}
TIMED = set("XBEiCbensftRNOD")
KNOWN = TIMED | {"M", "c"}
ROUNDING = 0.0011  # times have three digits behind the point


class Wrong(Exception):
    """What does not fit the format."""


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300


def need(good, event, what):
    if not good:
        raise Wrong(f"{what}: {json.dumps(event)[:300]}")


def no_constant(name):
    raise ValueError(f"{name} is no JSON")


def read(text):
    """The events; the array's end may be missing, as while it is written."""
    text = text.strip()
    if not text.startswith("["):
        raise Wrong("no array of events")
    if not text.endswith("]"):
        text = text.rstrip(",") + "]"
    try:
        return json.loads(text, parse_constant=no_constant)
    except ValueError as error:
        raise Wrong(f"no JSON: {error}") from None


def check_event(event):
    need(isinstance(event, dict), event, "no object")
    kind = event.get("ph")
    need(isinstance(kind, str) and kind in KNOWN, event, "ph names no kind of event")
    need(isinstance(event.get("name"), str) and event["name"], event, "no name")
    for field in "pid", "tid":
        need(isinstance(event.get(field), int) and event[field] >= 0, event, f"no {field}")
    need(isinstance(event.get("args", {}), dict), event, "args is no object")
    if kind in TIMED:
        need(is_number(event.get("ts")) and event["ts"] >= 0, event, "no time")
        need(isinstance(event.get("cat"), str) and event["cat"], event, "no category")
    if kind == "X":
        need(is_number(event.get("dur")) and event["dur"] >= 0, event, "no duration")
    elif kind == "M":
        need(event["name"] in METADATA, event, "metadata of no known name")
        field, kind = METADATA[event["name"]]
        need(isinstance(event.get("args", {}).get(field), kind), event, f"metadata without {field}")
    elif kind in "ben":
        need(isinstance(event.get("id"), (str, int)), event, "an asynchronous event without id")
    elif kind == "C":
        need(event.get("args") and all(is_number(v) for v in event["args"].values()), event, "a counter without numbers")
    elif kind == "i":
        need(event.get("s", "t") in ("g", "p", "t"), event, "an instant of no known scope")


def check_nesting(row, spans):
    """Spans of one row either contain each other or lie apart."""
    open_until = []
    for start, length, event in sorted(spans, key=lambda s: (s[0], -s[1])):
        end = start + length
        while open_until and open_until[-1][0] <= start + ROUNDING:
            open_until.pop()
        if open_until and end > open_until[-1][0] + ROUNDING:
            raise Wrong(f"row {row}: overlaps in part:\n  {json.dumps(open_until[-1][1])[:200]}\n  {json.dumps(event)[:200]}")
        open_until.append((end, event))


def check(events):
    """Raises Wrong; gives the rows' names by (pid, tid)."""
    rows, names, asynchronous = collections.defaultdict(list), {}, collections.Counter()
    for event in events:
        check_event(event)
        row = event["pid"], event["tid"]
        if event["ph"] == "X":
            rows[row].append((event["ts"], event["dur"], event))
        elif event["ph"] == "M" and event["name"] == "thread_name":
            need(names.get(row, event["args"]["name"]) == event["args"]["name"], event, "a row with two names")
            names[row] = event["args"]["name"]
        elif event["ph"] in "be":
            asynchronous[event["cat"], str(event["id"]), event["name"]] += 1 if event["ph"] == "b" else -1
    for key, left in asynchronous.items():
        if left:
            raise Wrong(f"asynchronous event {key}: {left} more begin than end")
    for row, spans in rows.items():
        if row not in names:
            raise Wrong(f"row {row} has no name")
        check_nesting(names[row], spans)
    return names


def main():
    status = 0
    for path in sys.argv[1:]:
        try:
            with open(path, encoding="utf-8") as file:
                events = read(file.read())
            names = check(events)
            print(f"{path}: {len(events)} events in {len(names)} rows: ok")
        except (Wrong, OSError, UnicodeError) as problem:
            print(f"{path}: {problem}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
