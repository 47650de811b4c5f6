/* SPDX-License-Identifier: MIT */
/* join.c: which objects' texts make one, and what that looks like. */
#include "layer/source/join.h"
#include "tap.h"

#include <stdlib.h>

static const char *texts[][2] = {
    {"int f(int x) { return x; }", "int f(int x);\nint g(int y) { return f(y); }"},
    {"static float4 f(float4 x) { return x; }", "static float4 g(float4 y) { return y; }"},
    {"__constant int a[2] = {1, 0x2u};", "kernel void k(global int *p) { p[0] = 2; }"},
    {"#if 1\nint f(void) { return 1; }\n#else\nint f(void) { return 2; }\n#endif\n", "int g;"},
    {"// a\n/* # define \" */ const char *s = \"{\\\"\"; char c = '\\'';\n", "int g;"},
    {"#pragma OPENCL EXTENSION a : enable\n", "#pragma OPENCL EXTENSION a : enable\nint x;"},
    {"#define A(x) \\\n { x\nint f(void) A(return 1;) }\n", "int g;"},
};

START_TEST(joins)
{
    enum cx_join_reason why = CX_JOIN_NO_MEMORY;
    char *joined = cx_join(2, texts[_i], &why);
    if (_i == 6) /* a brace in a macro */
        ck_assert_int_eq(why, CX_JOIN_BRACKETS);
    else
        ck_assert_msg(joined && why == CX_JOIN_JOINED, "%s", cx_join_reason_text(why));
    free(joined);
}
END_TEST

static const char *refused[][2] = {
    {"float step(float a) { return a; }", "kernel void k(global float *p) { p[0] = step(1, 2); }"},
    {"kernel void k(global float *p) { p[0] = step(1, 2); }", "static float step(float a) { return a; }"},
    {"__constant int M_X = 3;", "int f(void) { return M_X; }"},
    {"#include <a.h>\n", "int x;"},
    {"#pragma OPENCL FP_CONTRACT OFF\n", "int x;"},
    {"int x;", "#pragma OPENCL FP_CONTRACT OFF\n"},
    {"_Pragma(\"a\") int x;", "_Pragma(\"a\") int y;"},
    {"int a = __COUNTER__;", "int b = __COUNTER__;"},
    {"#de\\\nfine X 1\n", "int x;"},
    {"#define\\ \nX 1\n", "int x;"},
    {"%:define X 1\n", "int x;"},
    {"\?\?=define X 1\n", "int x;"},
    {"// \\ \n#define X 1\n", "int x;"},
    {"#if A\nint f() {\n#else\nint g() {\n#endif\n}\n", "int x;"},
    {"#if A\n", "#endif\n"},
    {"int f() {", "}"},
    {"#define\n", "int x;"},
    {"#import \"a\"\n", "int x;"},
};

START_TEST(refuses)
{
    enum cx_join_reason why = CX_JOIN_JOINED;
    ck_assert_ptr_null(cx_join(2, refused[_i], &why));
    ck_assert_int_ne(why, CX_JOIN_JOINED);
    ck_assert_uint_gt(strlen(cx_join_reason_text(why)), 10);
    ck_assert_ptr_null(cx_join(2, refused[_i], NULL));
}
END_TEST

/* Macros end with their object; one that was there before is kept or forbids all. */
START_TEST(fences)
{
    const char *two[] = {"#ifndef A\n#define A 1\n#endif", "#define B 2\n#undef A\n"};
    char *joined = cx_join(2, two, NULL);
    ck_assert_str_eq(joined, "#ifdef A\n#define COEXEC__HAD_A\n#endif\n"
                             "#line 1\n#ifndef A\n#define A 1\n#endif\n"
                             "#ifdef COEXEC__HAD_A\n#undef COEXEC__HAD_A\n#else\n#undef A\n#endif\n"
                             "#ifdef A\n#error defined before\n#endif\n"
                             "#ifdef B\n#error defined before\n#endif\n"
                             "#line 1\n#define B 2\n#undef A\n\n"
                             "#ifdef COEXEC__HAD_A\n#undef COEXEC__HAD_A\n#else\n#undef A\n#endif\n"
                             "#ifdef COEXEC__HAD_B\n#undef COEXEC__HAD_B\n#else\n#undef B\n#endif\n");
    free(joined);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("join");
    TCase *tests = tcase_create("join");
    suite_add_tcase(suite, tests);
    tcase_add_loop_test(tests, joins, 0, sizeof(texts) / sizeof(*texts));
    tcase_add_loop_test(tests, refuses, 0, sizeof(refused) / sizeof(*refused));
    tcase_add_test(tests, fences);
    return tap_run(suite);
}
