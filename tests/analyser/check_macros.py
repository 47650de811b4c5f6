#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Texts that depend on macros of the compilers' own are refused, or asked about; others are not (TAP). Usage:
check_macros.py ANALYSER. Each text is a kernel between whose #if and #else the code differs."""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

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
    ("version", KERNEL + choice("#if __OPENCL_VERSION__ < CL_VERSION_1_2"), C12, "__OPENCL_VERSION__"),
    ("extension for the host", KERNEL + choice("#ifdef cl_nv_compiler_options"), "", "cl_nv_compiler_options"),
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
    ("operator", KERNEL + choice("#if __has_builtin(__builtin_fma)"), "", "__has_builtin(__builtin_fma)"),
    ("operator, the text's own", "#undef __has_builtin\n#define __has_builtin(x) 0\n" + KERNEL +
     choice("#if __has_builtin(__builtin_fma)"), "", None),
    ("operator nobody reaches", "#ifdef NOBODY\n#if __has_builtin(__builtin_fma)\n#define X\n#endif\n#endif\n" +
     KERNEL + "{ a[0] = 1; }", "", None),
    ("never compiled", "#if 0\n#if __GNUC__\n#elif 1\n#define X\n#endif\nint x = __GNUC__;\n#endif\n" + KERNEL +
     "{ a[0] = 1; }", "", None),
    ("never compiled: else", "#ifndef NOBODY\n#else\nint x = __GNUC__;\n#endif\n" + KERNEL + "{ a[0] = 1; }", "", None),
    ("never compiled: options", "#if defined(ODD) || (N >= 3 && !EVEN)\n#elif __GNUC__\n#define X\n#endif\n" + KERNEL +
     "{ a[0] = 1; }", "-DN=4", None),
    ("compiled: undefined later", "#if N >= 3\n#elif __GNUC__\n#define X\n#endif\n#undef N\n" + KERNEL + "{ a[0] = 1; }",
     "-DN=4", "__GNUC__"),
    ("compiled: a macro of parts", "#if OPEN 1\n#elif __GNUC__\n#define X\n#endif\n" + KERNEL + "{ a[0] = 1; }",
     "-DOPEN=0*", "__GNUC__"),
    ("compiled: the language's", "#ifdef M_PI\nint x = __GNUC__;\n#endif\n" + KERNEL + "{ a[0] = 1; }", "", "__GNUC__"),
    ("compiled: no arithmetic", "#if 3 + 4 == 8\nint x = __GNUC__;\n#endif\n" + KERNEL + "{ a[0] = 1; }", "", "__GNUC__"),
    ("in a header", '#include "h.h"\n' + KERNEL + "{ a[X] = 1; }\n", "", "__GNUC__"),
]

def two(condition):
    return KERNEL + choice(condition)


TOLD = [  # what, text, options, the names that are asked for, the device's macros (None: undefined), code or refusal
    ("vendor", two("#ifdef __NV_CL_C_VERSION"), "", "__NV_CL_C_VERSION", {"__NV_CL_C_VERSION": "120"}, CODE),
    ("no vendor", two("#ifdef __NV_CL_C_VERSION"), "", "__NV_CL_C_VERSION", {"__NV_CL_C_VERSION": None}, OTHER),
    ("clang's own", two("#ifdef __clang__"), "", "__clang__", {"__clang__": None}, OTHER),
    ("of clang's header", two("#ifdef cl_khr_subgroup_ballot"), "", "cl_khr_subgroup_ballot",
     {"cl_khr_subgroup_ballot": None}, OTHER),
    ("version", two("#if __OPENCL_VERSION__ >= 200"), "-cl-std=CL1.2", "-cl-std=CL1.2: __OPENCL_VERSION__",
     {"__OPENCL_VERSION__": "120"}, OTHER),
    ("listed extension without a macro", two("#ifdef cl_nv_copy_opts"), "", "cl_nv_copy_opts", {"cl_nv_copy_opts": None},
     OTHER),
    ("C version", two("#if __OPENCL_C_VERSION__ >= 200"), "", "__OPENCL_C_VERSION__", {"__OPENCL_C_VERSION__": "300"}, CODE),
    ("newer language", two("#if __OPENCL_C_VERSION__ >= 200\nint *wide = a;\n#endif\n#if 1"), "",
     "__OPENCL_C_VERSION__", {"__OPENCL_C_VERSION__": "300"}, "int *wide = a;"),
    ("images", two("#ifdef __IMAGE_SUPPORT__"), "", "__IMAGE_SUPPORT__", {"__IMAGE_SUPPORT__": None}, OTHER),
    ("defined in expressions", two("#if defined(__GPU__) && (defined __POCL__ || __V__ + 1 > 3)"), "",
     "__GPU__ __POCL__ __V__", {"__GPU__": "1", "__POCL__": None, "__V__": "(1 << 2)"}, CODE),
    ("nested", two("#ifdef X\n#endif\n#ifdef __CPU__\n#ifdef __SSE__\n#define Y\n#endif\n#endif\n#ifdef Y"), "",
     "Y __CPU__ __SSE__", {"Y": None, "__CPU__": "", "__SSE__": "1"}, CODE),
    ("undefined by the text", "#undef __GPU__\n" + two("#ifdef __GPU__"), "", "__GPU__", {"__GPU__": "1"}, OTHER),
    ("redefined by the text", "#ifdef __clang_major__\n#undef __clang_major__\n#define __clang_major__ 3\n#endif\n" +
     two("#if __clang_major__ == 3"), "", "__clang_major__", {"__clang_major__": "15"}, CODE),
    ("pasted", "#define P_(a, b) a##b\n#define P(a, b) P_(a, b)\n#if __V__\n#define Q 1\n#else\n#define Q 2\n#endif\n"
     "#define K1 0\n#define K2 1\n" + two("#if P(K, Q)"), "", "K Q __V__", {"__V__": None}, CODE),
    ("array's size", KERNEL + "{ int b[__W__]; a[sizeof(b)] = 1; }", "", "__W__", {"__W__": "3"}, "int b[3];"),
    ("option that names one", two("#if V > 20"), "-DV=__VENDOR__", "__VENDOR__", {"__VENDOR__": "21U"}, CODE),
    ("option of a compiler's own", two("#if __CL_VENDOR > 1"), "-D__CL_VENDOR=2 -cl-std=CL1.2 -w -DN=4",
     "-D __CL_VENDOR=2 -cl-std=CL1.2: __CL_VENDOR", {"__CL_VENDOR": "2"}, CODE),
    ("line numbers", "#ifdef __GPU__\n#endif\n" + KERNEL + "{ a[__GPU__] = __LINE__; }", "", "__GPU__", {"__GPU__": "7"},
     "{ a[7] = 3; }"),
    ("built-in function", two("#ifdef atomic_add"), "", "atomic_add", {"atomic_add": "atomic_add"}, CODE),
    ("no answer", two("#ifdef __GPU__"), "", "__GPU__", {}, None),
    ("operator", two("#if __has_builtin(__builtin_fma)"), "", "__has_builtin(__builtin_fma)",
     {"__has_builtin(__builtin_fma)": 0}, OTHER),
    ("operator: yes", two("#if __has_builtin( made_up )"), "", "__has_builtin(made_up)", {"__has_builtin(made_up)": 1}, CODE),
    ("operator: no answer", two("#if __has_builtin(__builtin_fma)"), "", "__has_builtin(__builtin_fma)",
     {"__has_builtin(other)": 1}, None),
    ("operator and the text's own", "#ifndef __has_builtin\n#define __has_builtin(x) 1\n#endif\n" +
     two("#if __has_builtin(__builtin_fma)"), "", "__has_builtin() __has_builtin(__builtin_fma)",
     {"__has_builtin()": None, "__has_builtin(__builtin_fma)": None}, CODE),
    ("operator in a macro", "#define HAS(x) __has_feature(x)\n" + two("#if HAS(made_up) && defined(__has_feature)"), "",
     "__has_feature() __has_feature(HAS) __has_feature(made_up) __has_feature(x) made_up",
     {"made_up": None, "__has_feature()": 1, "__has_feature(HAS)": 0, "__has_feature(made_up)": 1,
      "__has_feature(x)": 0}, CODE),
    ("operator that would be reached", "#ifdef __GPU__\n#if __has_attribute(x)\n#define X\n#endif\n#endif\n" + two("#if 1"), "",
     "__GPU__ __has_attribute(x)", {"__GPU__": None}, CODE),
    ("several operators", two("#if __has_attribute(x) + __is_identifier(y) + __has_extension(z) == 2"), "",
     "__has_attribute(x) __has_extension(z) __is_identifier(y)",
     {"__has_attribute(x)": 1, "__has_extension(z)": 0, "__is_identifier(y)": 1}, CODE),
    ("file that is there", two('#if __has_include("h.h")'), "", "__has_include()", {"__has_include()": 1}, CODE),
    ("file, no operator", two('#if defined(__has_include) && 1'), "", "__has_include()", {"__has_include()": None}, OTHER),
    ("no file", two("#if __has_include(<made_up.h>)"), "", "__has_include(<made_up.h>)",
     {"__has_include(<made_up.h>)": 0}, OTHER),
    ("a compiler's file", two("#if __has_include(<made_up.h>)"), "", "__has_include(<made_up.h>)",
     {"__has_include(<made_up.h>)": 1}, ""),
    ("what the split variant defines", two("#ifdef get_group_id"), "", None, {}, None),
    ("another code in doubt", two("#if __GPU__\n#elif __COUNTER__ == 0"), "", "__GPU__", {"__GPU__": None}, None),
    ("pragmas", "#ifdef __GPU__\n" + PRAGMA + "#endif\n" + two("#if __CPU__"), "", "__CPU__ __GPU__",
     {"__GPU__": "1", "__CPU__": "1"}, KERNEL),
    ("option with quotes", two("#ifdef __GPU__"), "-D__NAME='a b'", None, {}, None),
]


def answer(name, value):
    """Lines of the file of answers, as ask.c writes them."""
    operator, _, argument = name[:-1].partition("(")
    if not name.endswith(")"):
        return "#undef %s\n" % name + ("" if value is None else "#define %s %s\n" % (name, value))
    told = "// told %s\n// told %s\n" % (operator, name)
    if value is None:
        return "#undef %s\n" % operator + told
    if operator == "__has_include":
        return ("#if %s != %s\n#error %s may be another macro\n#endif\n" % (name, value, name) if argument else "") + told
    define = "#define coexec%s__of__%s() %s\n" % (operator, argument, value) if argument else ""
    return "#undef %s\n#define %s(x) coexec%s__of__##x()\n" % (operator, operator, operator) + define + told


def file_text(path):
    try:
        with open(path, encoding="ascii") as opened:
            return opened.read()
    except FileNotFoundError:
        return ""


def squeeze(text):
    return " ".join(text.split())


def told_failure(folder, text, options, asked, macros, code):
    """Asks, answers, and looks at the text that remains; what is wrong, or None."""
    errors = []

    def analyse(*more):
        for name in ("out", "text"):
            if os.path.exists(os.path.join(folder, name)):
                os.remove(os.path.join(folder, name))
        done = subprocess.run([os.path.abspath(sys.argv[1]), "--extensions", "cl_khr_fp64 cl_nv_copy_opts", "--define",
                               "__OPENCL_VERSION__=300", "--ask", *more, "-o", "out", "p.cl", "--", options], cwd=folder,
                              check=False, stderr=subprocess.PIPE, text=True)
        errors.append(done.stderr)
        try:
            with open(os.path.join(folder, "out"), "rb") as out:
                return out.read()
        except FileNotFoundError:
            return b""

    with open(os.path.join(folder, "p.cl"), "w", encoding="ascii") as file:
        file.write(text)
    question = analyse()
    if asked is None:
        return None if question.startswith(b"coexec-refusal 1\n") else repr(question)
    lines = question.decode("ascii", "replace").splitlines()
    wanted = asked if ": " in asked else ": " + asked
    if lines[0] != "coexec-question 1" or lines[2] + ": " + " ".join(lines[3:]) != wanted:
        return repr(question)
    with open(os.path.join(folder, "told.h"), "w", encoding="ascii") as file:
        for name, value in macros.items():
            file.write(answer(name, value))
    got = analyse("--told", "told.h", "--text", "text")
    if code is None:
        return None if got.startswith(b"coexec-refusal 1\n") else repr(got)
    if not code:  # clang has another answer about its own files
        return None if not got and "coexec-analyse: __has_include(<made_up.h>) may be another" in errors[-1] else repr((got, errors))
    left = file_text(os.path.join(folder, "text"))
    dropped = {CODE: OTHER, OTHER: CODE}.get(code, "#pragma")
    fits = squeeze(code) in squeeze(left) and squeeze(dropped) not in squeeze(left)
    return None if fits and not got.startswith(b"coexec-") else repr((got[:100], left))


with tempfile.TemporaryDirectory() as folder:
    source = os.path.join(folder, "p.cl")
    with open(os.path.join(folder, "h.h"), "w", encoding="ascii") as file:
        file.write("#ifdef __GNUC__\n#define X 1\n#else\n#define X 2\n#endif\n")
    results = tap.Results(len(CASES) + len(TOLD))
    for what, text, options, expected in CASES:
        with open(source, "w", encoding="ascii") as file:
            file.write(text)
        got = subprocess.run(
            [os.path.abspath(sys.argv[1]), "--extensions", "cl_khr_fp64", "--define",
             "__OPENCL_VERSION__=300", "-o", os.path.join(folder, "blob"), source, "--", options],
            stderr=subprocess.PIPE, text=True, cwd=folder, check=False)
        told = got.stderr.strip().removeprefix("coexec-analyse: ")
        right = told.startswith(expected + " may be another") if expected else not got.returncode
        results.add(what, None if right else repr(told))
    for what, *case in TOLD:
        results.add("told: " + what, told_failure(folder, *case))
sys.exit(results.status())
