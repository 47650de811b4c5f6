#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Texts that depend on macros of the compilers' own are refused, others are not (TAP). Usage: check_macros.py
ANALYSER. Each text is a kernel between whose #if and #else the code differs."""
import os
import subprocess
import sys
import tempfile

CODE = "int k = get_global_id(0);\n"
OTHER = "int k = get_global_size(0) - get_global_id(0);\n"
PRAGMA = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"


def choice(condition):
    return "{\n" + condition + "\n" + CODE + "#else\n" + OTHER + "#endif\na[k] = k; }"


KERNEL = "__kernel void f(__global int *a)"
C12 = "-cl-std=CL1.2"
CASES = [  # what, text, options, the macro that is told (None: accepted)
    ("compiler", KERNEL + choice("#if __clang_major__ < 16"), "", "__clang_major__"),
    ("target", KERNEL + choice("#ifdef __SPIR__"), "", "__SPIR__"),
    ("feature", KERNEL + choice("#ifndef __opencl_c_images"), "", "__opencl_c_images"),
    ("C version, free", KERNEL + choice("#if __OPENCL_C_VERSION__ >= 200"), "", "__OPENCL_C_VERSION__"),
    ("C version, given", KERNEL + choice("#if __OPENCL_C_VERSION__ >= 200"), C12, None),
    ("version", KERNEL + choice("#if __OPENCL_VERSION__ < CL_VERSION_1_2"), "", None),
    ("extension", KERNEL + choice("#ifdef cl_khr_fp64"), "", None),
    ("missing extension", KERNEL + choice("#ifdef cl_khr_fp16"), "", None),
    ("extension of clang's header", KERNEL + choice("#ifdef cl_khr_subgroup_ballot"), "",
     "cl_khr_subgroup_ballot"),
    ("function", KERNEL + choice("#ifdef atomic_add"), "", "atomic_add"),
    ("program's own", KERNEL + choice("#if defined(FAST) && N > 3"), "-DFAST -D N=4", None),
    ("program's own, lower case", KERNEL + choice("#ifdef use_fast"), "-Duse_fast", None),
    ("elif", KERNEL + choice("#if N == 1\nint k = 1;\n#elif defined(__GPU__)"), "", "__GPU__"),
    ("outside", "#ifdef __CPU__\n#define K 1\n#else\n#define K 2\n#endif\n" + KERNEL + "{ a[K] = 1; }", "",
     "__CPU__"),
    ("guard", "#ifndef _FOO_H\n#define _FOO_H\n" + KERNEL + "{ a[0] = 1; }\n#endif\n", "", None),
    ("pragmas alone", "#if __OPENCL_C_VERSION__ < 120\n" + PRAGMA + "#endif\n" + KERNEL + "{ a[0] = 1; }\n", "", None),
    ("pragmas and more", "#if __OPENCL_C_VERSION__ < 120\n" + PRAGMA + "#if 1\n#define X\n#endif\n#endif\n" +
     KERNEL + "{ a[0] = 1; }\n", "", "__OPENCL_C_VERSION__"),
    ("in a macro", "#define V __OPENCL_C_VERSION__\n" + KERNEL + choice("#if V >= 200"), "",
     "__OPENCL_C_VERSION__"),
    ("in an option", KERNEL + choice("#if V >= 16"), "-DV=__clang_major__", "__clang_major__"),
    ("in the code", KERNEL + "{ a[__COUNTER__] = 1; }", "", "__COUNTER__"),
    ("continued line", KERNEL + choice("#if \\\n__GNUC__"), "", "__GNUC__"),
    ("comment in the line", KERNEL + choice("#/**/if /*\n*/ __GNUC__"), "", "__GNUC__"),
    ("in a comment", KERNEL + choice("#if 1 // __GNUC__\n/* __GNUC__ */"), "", None),
    ("digraph", KERNEL + choice("%:if 1"), "", "a disguised #"),
    ("attributes", KERNEL.replace("void", "__attribute__((__reqd_work_group_size__(1, 1, 1))) void") +
     "{ a[0] = __LINE__; }", "", None),
    ("in a header", '#include "h.h"\n' + KERNEL + "{ a[X] = 1; }\n", "", "__GNUC__"),
]

failures = 0
with tempfile.TemporaryDirectory() as folder:
    source = os.path.join(folder, "p.cl")
    with open(os.path.join(folder, "h.h"), "w", encoding="ascii") as file:
        file.write("#ifdef __GNUC__\n#define X 1\n#else\n#define X 2\n#endif\n")
    print("1..%d" % len(CASES))
    for number, (what, text, options, expected) in enumerate(CASES, 1):
        with open(source, "w", encoding="ascii") as file:
            file.write(text)
        got = subprocess.run(
            [os.path.abspath(sys.argv[1]), "--extensions", "cl_khr_fp64", "--define",
             "__OPENCL_VERSION__=300", "-o", os.path.join(folder, "blob"), source, "--", options],
            stderr=subprocess.PIPE, text=True, cwd=folder, check=False)
        told = got.stderr.strip().removeprefix("coexec-analyse: ")
        right = told.startswith(expected + " may be another") if expected else not got.returncode
        failures += not right
        print("%sok %d - %s%s" % ("" if right else "not ", number, what, "" if right else ": " + repr(told)))
sys.exit(failures > 0)
