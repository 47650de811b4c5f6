#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sources that are too large, too deep or broken: the analyser ends by itself and says why. TAP.

usage: check_robust.py ANALYSER [--full]

Sizes are small in the short form; --full has programs of a megabyte and more.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

ANALYSER = sys.argv[1]
FULL = "--full" in sys.argv[2:]
HEAD = "kernel void k(global float *a, global const int *b, int m) { int i = get_global_id(0), x = i;\n"


def each(n, text):
    return "".join(text.replace("#", str(k)) for k in range(n))


def many_kernels(n):
    body = "{ int i = get_global_id(0); if (i < n) a[i] = b[i + #]; for (int j = 0; j < n; j++) a[i] += b[j]; }\n"
    return each(n, "kernel void k#(global float *a, global const float *b, int n) " + body)


def unrolled(n):
    return HEAD + each(n, f"a[i * {n} + #] = b[i * 3 + #];\n") + "}\n"


def guarded(n):
    return HEAD + each(n, f"if (b[i + #] > m) a[i * {n} + #] = #;\n") + "}\n"


def nested_ifs(n):
    return HEAD + each(n, f"if (b[i + #] > #) {{ a[i * {n} + #] = 1; ") + "}" * n + "}\n"


def nested_loops(n):
    return HEAD + each(n, "for (int j# = 0; j# < m; j#++) { x += j#;\n") + "a[x] = 1;" + "}" * n + "}\n"


def loops_in_a_row(n):
    return HEAD + "x = 0;\n" + each(n, "for (int j = 0; j < m; j++) { a[i * 1000 + x] = j; x++; }\n") + "}\n"


def counted(n):
    body = each(n, "if (b[j + #] > 3) { a[i * 1000 + x] = j; x++; }\n")
    return HEAD + "x = 0; for (int j = 0; j < m; j++) {\n" + body + "}}\n"


def calls_doubled(n):
    helpers = "".join(f"void f{k}(global float *a, int i) {{ f{k - 1}(a, i); f{k - 1}(a, i + {k}); }}\n" for k in range(1, n))
    return "void f0(global float *a, int i) { a[i] += 1; }\n" + helpers + HEAD + f"f{n - 1}(a, i); }}\n"


def calls_in_a_row(n):
    helpers = "".join(f"void f{k}(global float *a, int i) {{ f{k - 1}(a, i + 1); }}\n" for k in range(1, n))
    return "void f0(global float *a, int i) { a[i] += 1; }\n" + helpers + HEAD + f"f{n - 1}(a, i); }}\n"


def computes_apart(n):
    """Much code that never comes together: large functions of numbers alone stay calls."""
    work = "x = (x * 3) ^ (x >> 1) + 7;\n" * 60
    helpers = "".join(f"int g{k}(int x) {{ {work} return g{k - 1}(x) + g{k - 1}(x + 1); }}\n" for k in range(1, n))
    return f"int g0(int x) {{ {work} return x; }}\n" + helpers + HEAD + f"a[i] = g{n - 1}(b[i]); }}\n"


def doubled_apart(n):
    """A large function that stays a call, but in which small ones double and double."""
    small = "int s0(int x) { return x * 3; }\n"
    small += "".join(f"int s{k}(int x) {{ return s{k - 1}(x) + s{k - 1}(x ^ {k}); }}\n" for k in range(1, n))
    work = "x = (x * 3) ^ (x >> 1) + 7;\n" * 60
    return small + f"int large(int x) {{ {work} return s{n - 1}(x); }}\n" + HEAD + "a[i] = large(b[i]); }\n"


def recursive(n):
    last = f"void f{n - 1}(global float *a, int i) {{ if (i) f0(a, i - 1); a[i] = 1; }}\n"
    first = each(n, "void f#(global float *a, int i);\n")
    helpers = "".join(f"void f{k}(global float *a, int i) {{ f{k + 1}(a, i - 1); }}\n" for k in range(n - 1))
    return first + helpers + last + HEAD + "f0(a, i); }\n"


def cases(n):
    return HEAD + "switch (m) {\n" + each(n, "case #: a[i + #] = #; break;\n") + "}}\n"


def large_table(n):
    numbers = ",".join(str(k * 37 % 1009) for k in range(n))
    return f"constant int t[{n}] = {{{numbers}}};\n" + HEAD + "a[i * 1024 + t[b[i]]] = 1; }\n"


def long_expression(n):
    return HEAD + each(n, "x = (x * 3) ^ (x >> 1) + m;\n") + "a[x] = 1; }\n"


def branches(n):
    return HEAD + each(n, "if (b[#] > m) x = x + #; else x = m - x;\n") + "a[x] = 1; }\n"


def pointer_branches(n):
    ways = each(n, "if (b[#]) p = p + #; else if (b[# + 1] > 3) p = c + i;\n")
    return HEAD.replace("int m)", "global float *c, int m)") + "global float *p = a;\n" + ways + "*p = 1; }\n"


def macros(n):
    helpers = "".join(f"#define A{k}(x) A{k - 1}(x) A{k - 1}(x)\n" for k in range(1, n))
    return "#define A0(x) x x\n" + helpers + HEAD + f"A{n - 1}(a[x++] = i;) }}\n"


def parentheses(n):
    return HEAD + "a[i] = " + "(" * n + "1" + ")" * n + "; }\n"


def missing_header(_):
    return '#include "nowhere.h"\n' + HEAD + "a[i] = 1; }\n"


def cut_off(_):
    return HEAD + "a[i] = "


def no_text(_):
    return ""


def not_text(n):
    return "\x01\xff\x7f" * n


# what is written, its size in the short and in the full form, words of which one must be in what is said
SPLITS, TOO_LARGE, TOO_SLOW = "splits along dimension 0", "is too large to be analysed", "time or memory limit"
TOO_LONG = "clang took too long"
RACES = "different stores may write one place"  # which of so many, at places that are no longer followed
CASES = [
    (many_kernels, 200, 6000, (SPLITS, TOO_SLOW, TOO_LONG)),
    (unrolled, 1200, 20000, (SPLITS, RACES, TOO_LARGE, TOO_SLOW)),
    (guarded, 300, 10000, (SPLITS, RACES, TOO_LARGE, TOO_SLOW)),
    (nested_ifs, 100, 240, (SPLITS, TOO_SLOW)),
    (nested_loops, 60, 240, (SPLITS, TOO_SLOW)),
    (loops_in_a_row, 100, 2000, (SPLITS, RACES, TOO_LARGE, TOO_SLOW)),
    (counted, 40, 2000, (SPLITS, RACES, TOO_LARGE, TOO_SLOW)),
    (calls_doubled, 80, 200, (TOO_LARGE,)),
    (calls_in_a_row, 100, 4000, (SPLITS, TOO_SLOW)),
    (computes_apart, 20, 100, (SPLITS,)),
    (doubled_apart, 40, 100, (TOO_LARGE,)),
    (recursive, 40, 1000, ("a function calls itself",)),
    (cases, 300, 5000, (SPLITS, RACES, TOO_LARGE, TOO_SLOW)),
    (large_table, 2000, 100000, (SPLITS,)),
    (long_expression, 1000, 20000, (SPLITS, TOO_LARGE, TOO_SLOW)),
    (branches, 200, 10000, (SPLITS, TOO_LARGE, TOO_SLOW)),
    (pointer_branches, 100, 3000, (SPLITS, "what a pointer points to", TOO_LARGE, TOO_SLOW)),
    (macros, 10, 24, (SPLITS, RACES, TOO_LARGE, TOO_SLOW, TOO_LONG)),
    (parentheses, 200, 100000, (SPLITS, "bracket nesting level")),
    (missing_header, 1, 1, ("'nowhere.h' file not found",)),
    (cut_off, 1, 1, ("error:",)),
    (no_text, 1, 1, ("",)),
    (not_text, 10, 1000000, ("error:",)),
]


def check(make, size, words):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "source.cl")
        with open(path, "w", encoding="latin-1") as file:
            file.write(make(size))
        done = subprocess.run([ANALYSER, "--explain", "--memory-limit", "2048", path], capture_output=True,
                              timeout=120, encoding="utf-8", errors="replace")
    said = done.stdout + done.stderr
    assert done.returncode in (0, 1, 5), (done.returncode, said[:500])
    assert any(word in said for word in words), said[:500]
    assert "the analyser died" not in said, said[:500]


def check_absent_compiler():
    done = subprocess.run([ANALYSER, "--clang", "/nonexistent/clang", "--explain", __file__], capture_output=True,
                          timeout=60, text=True)
    assert done.returncode == 4 and "cannot run /nonexistent/clang" in done.stderr, done


def check_special_output():
    """What is written to a device must not take its place: root would lose /dev/null."""
    with tempfile.TemporaryDirectory() as folder:
        link = pathlib.Path(folder) / "sink"
        link.symlink_to("/dev/null")
        done = subprocess.run([ANALYSER, "-o", str(link), "-"], input=HEAD + "a[i] = b[i] + m; }\n", capture_output=True, text=True,
                              timeout=60)
        assert done.returncode == 0, done.stderr
        assert link.is_symlink() and os.listdir(folder) == ["sink"], os.listdir(folder)


def main():
    def case(make, small, large, words):
        size = large if FULL else small
        return f"{make.__name__} {size}", lambda: check(make, size, words)
    return tap.run([("absent compiler", check_absent_compiler), ("special output", check_special_output),
                    *(case(*row) for row in CASES)])


if __name__ == "__main__":
    sys.exit(main())
