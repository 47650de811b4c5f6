/* SPDX-License-Identifier: MIT */
/*
 * Texts that not every compiler reads alike: launches are split wherever the devices' compilers can be asked,
 * or nothing depends on it. Each case has a process of its own.
 */
#include "cl_fixture.h"
#include "cl_folder.h"

#include <stdio.h>

enum { N = 4096 };

/* Each kernel `run` makes 2 of 1. */
static const struct {
    const char *what, *text, *options;
} cases[] = {
    {"the program's own operator",
     "#ifndef __has_builtin\n#define __has_builtin(x) 0\n#endif\n"
     "#if __has_builtin(__builtin_popcount) || defined(__clang__)\n#define TWICE(x) ((x) * 2)\n"
     "#else\n#define TWICE(x) ((x) + (x))\n#endif\n"
     "kernel void run(global int *a) { size_t i = get_global_id(0); a[i] = TWICE(a[i]); }",
     ""},
    {"an operator nobody asks",
     "#ifdef NOBODY_DEFINES_THIS\n#if __has_builtin(__builtin_readcyclecounter)\n#define FAST "
     "1\n#endif\n#endif\n"
     "kernel void run(global int *a) { a[get_global_id(0)] *= 2; }",
     ""},
    {"an operator in a helper nobody calls",
     "inline float twice(float x)\n{\n#if __has_builtin(__builtin_readcyclecounter)\nreturn x * 2.0f;\n"
     "#else\nreturn x + x;\n#endif\n}\n"
     "kernel void run(global int *a) { a[get_global_id(0)] *= 2; }",
     ""},
    {"operators that decide",
     "#define HAS(x) __has_feature(x)\n"
     "#if __has_builtin(__builtin_popcount) && __has_attribute(unused) && !__has_extension(made_up) && "
     "!HAS(made_up)\n"
     "kernel void run(global int *a) { a[get_global_id(0)] *= 2; }\n#endif\n",
     ""},
    {"files that are nowhere",
     "#if defined(__has_include) && __has_include(<no/such/file.h>)\n#define FACTOR 3\n#else\n#define FACTOR "
     "2\n"
     "#endif\nkernel void run(global int *a) { a[get_global_id(0)] *= FACTOR; }\n",
     ""},
    {"assembly nobody reaches",
     "uint lane(void) { uint l; __asm__ volatile(\"mov.u32 %0, %%laneid;\" : \"=l\"(l)); return l; }\n"
     "kernel void run(global int *a) { a[get_global_id(0)] *= 2; }\n",
     ""},
    {"OpenCL 2 beside",
     "kernel void other(global uint *a) { a[get_global_linear_id()] = 1; }\n"
     "kernel void run(global int *a) { a[get_global_id(0)] *= 2; }\n",
     ""},
};

START_TEST(splits)
{
    static cl_int a[N];
    const size_t items = N, local = 16;
    cl_int wrong = 0;

    cl_folder_make("dialect");
    setenv("COEXEC_LOG", "plan:info,analysis:info", 1);
    setenv("COEXEC_LOG_FILE", cl_folder_path("log"), 1);
    setenv("COEXEC_CACHE_DIR", cl_folder_path("cache"), 1);
    cl_open();
    for (int i = 0; i < N; i++)
        a[i] = i;
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(a), a);
    cl_program program = cl_build(cases[_i].text, cases[_i].options);
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "run", &error);
    cl_ok(error);
    cl_set_mem(kernel, 0, mem);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_read(mem, a, sizeof(a));
    for (int i = 0; i < N; i++)
        wrong += a[i] != 2 * i;
    ck_assert_int_eq(wrong, 0);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseMemObject(mem));
    cl_close();
    ck_assert_msg(cl_lines_with(cl_folder_path("log"), "run runs split") == 1, "%s", cases[_i].what);
    cl_folder_remove();
}
END_TEST

/* Stub GPUs, which add one whatever the text says, beside PoCL's device, which does what it says. */
#define HUNDRED(before, inside)                                                                              \
    before "__kernel void stub_inc(__global int *a) { int x = 0; " inside                                    \
           " a[get_global_id(0)] += 100 + x * 0; }"
#define ASSEMBLY "__asm__ volatile(\"\" : \"+r\"(x));"
static const struct {
    const char *text;
    bool pocl; /* takes part */
} beside[] = {
    {HUNDRED("", ""), true},
    {HUNDRED("int f(void) { int x = 0; " ASSEMBLY " return x; }\n", ""), true},
    {HUNDRED("", ASSEMBLY), false},
    {HUNDRED("int f(void) { int x = 0; " ASSEMBLY " return x; }\n", "x = f();"), false},
    {HUNDRED("#define A __asm__\n", "A volatile(\"nop\" ::: \"memory\");"), false},
};

START_TEST(assembly_beside)
{
    static cl_int a[N];
    const size_t items = N, local = 16;
    cl_int wrong = 0, error;

    cl_folder_make("dialect");
    setenv("COEXEC_LOG", "plan:info,analysis:info", 1);
    setenv("COEXEC_LOG_FILE", cl_folder_path("log"), 1);
    setenv("COEXEC_CACHE_DIR", cl_folder_path("cache"), 1);
    set_variable("powers", "1:1:1"); /* as measured, PoCL's device may get no work-group */
    cl_open();
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(a), a);
    cl_program program = cl_build(beside[_i].text, "");
    cl_kernel kernel = clCreateKernel(program, "stub_inc", &error);
    cl_ok(error);
    cl_set_mem(kernel, 0, mem);
    for (int i = 0; i < 3; i++)
        cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_read(mem, a, sizeof(a));
    for (int i = 0; i < N; i++)
        wrong += a[i] != 3;
    if (beside[_i].pocl)
        ck_assert_int_gt(wrong, 0);
    else
        ck_assert_int_eq(wrong, 0);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseMemObject(mem));
    cl_close();
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "runs split"), (_i < 4 ? 3 : 0));
    cl_folder_remove();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dialect");
    TCase *tc = tcase_create("dialect");
    tcase_set_timeout(tc, 120);
    if (getenv("DIALECT_TEST_BESIDE"))
        tcase_add_loop_test(tc, assembly_beside, 0, sizeof(beside) / sizeof(*beside));
    else
        tcase_add_loop_test(tc, splits, 0, sizeof(cases) / sizeof(*cases));
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
