#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How much stack the layer needs in the program's threads, from its machine code (x86-64). TAP.

usage: check_stack.py LIBRARY [--list]

A thread may have as little as 16 KB of stack, of which drivers take their part. Counted are the frames of all functions
on the deepest way of direct calls from an entry point or a function that is called by pointers, but for those that
threads of the layer's own begin with.
"""
import argparse
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

MOST_TO_DRIVER = 4096  # bytes on any way to a call of a driver
MOST = 8704            # ... and on any other: drivers take more than what that leaves of 16 KB
MOST_FRAME = 2048      # of one function

# What runs in threads of the layer's own alone, or in a program of its own.
OWN_THREADS = re.compile(r"^(worker_main|notify_main|detached_main|crew_main|serve|keep|keep_first|build_part|run_task|run_inquiry|"
                         r"execute_task|plan_anew|wait_for_late|run_part|open_groups|run_lane|skip_lane|finish_lane|run_share|"
                         r"finish_share|cx_explain_.*|cx_grid_.*|cx_simulate.*|run_job)$")
HEAD = re.compile(r"^([0-9a-f]+) <([^>]+)>:$")
# Calls by pointers that lead deep.
POINTERS = {"cx_context_plan_and_unlock": ["cx_start_launch"]}
CALL = re.compile(r"\b(?:call|jmp)\s+([0-9a-f]+) <([^>+]+)>")
MOVES = re.compile(r"\b(sub|add)\s+\$0x([0-9a-f]+),%rsp")


def growth(code):
    """Bytes by which an instruction makes the frame larger: compilers add -128 where that is shorter than to take 128."""
    moves = MOVES.search(code)
    if not moves:
        return 0
    number = int(moves[2], 16)
    number -= 1 << 64 if number >> 63 else 0
    return max(number if moves[1] == "sub" else -number, 0)


class Function:
    def __init__(self, name):
        self.name, self.frame, self.calls, self.calls_pointers = name, 8, set(), False


def read(library):
    """All functions, by address."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", library], capture_output=True, text=True, check=True).stdout
    functions, current = {}, None
    for line in text.splitlines():
        head = HEAD.match(line)
        if head:
            current = functions[int(head[1], 16)] = Function(head[2].split("@")[0])
            continue
        if current is None or "\t" not in line:
            continue
        code = line.split("\t", 1)[1]
        if code.startswith("push "):
            current.frame += 8
        current.frame += growth(code)
        current.calls_pointers |= code.startswith("call   *") or code.startswith("call *")
        call = CALL.search(code)
        if call:
            current.calls.add(int(call[1], 16))
    return functions


def deepest(functions, start, known, driver, under=()):
    """Bytes and names on the deepest way from there. driver: to a call by pointer, as drivers' functions are called."""
    if start in known:
        return known[start]
    if start not in functions or start in under:
        return 0, ()
    function = functions[start]
    size, names = max((deepest(functions, callee, known, driver, under + (start,)) for callee in function.calls),
                      default=(0, ()))
    if driver and not size and not function.calls_pointers:
        known[start] = 0, ()
    else:
        known[start] = function.frame + size, (f"{function.name} {function.frame}",) + names
    return known[start]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--list", action="store_true", help="the deepest ways")
    options = parser.parse_args()
    sys.setrecursionlimit(10000)
    functions = read(options.library)
    called = {callee for function in functions.values() for callee in function.calls}
    for function in functions.values():
        for name in POINTERS.get(function.name, ()):
            function.calls |= {address for address, other in functions.items() if other.name == name}
    roots = [address for address, function in functions.items()
             if (address not in called or address in function.calls) and not OWN_THREADS.match(function.name.split(".")[0])]
    kinds = []
    for driver, most in (True, MOST_TO_DRIVER), (False, MOST):
        known = {}
        kinds.append((most, sorted((deepest(functions, address, known, driver) for address in roots), reverse=True)))
    if options.list:
        for _, ways in kinds:
            for size, names in ways[:20]:
                print(size, " > ".join(names))
        return 0
    results = tap.Results(3)
    for name, (most, ways) in zip(("up to a driver", "in all"), kinds):
        results.add(name, "\n".join(f"{size} bytes: {' > '.join(names)}" for size, names in ways[:9] if size > most))
    large = [function for address, function in functions.items() if function.frame > MOST_FRAME]
    results.add("frames", "\n".join(f"{function.name}: {function.frame} bytes" for function in large))
    return results.status()


if __name__ == "__main__":
    sys.exit(main())
