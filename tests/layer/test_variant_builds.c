/* SPDX-License-Identifier: MIT */
/*
 * How split variants of a program are built: with the program's options, and silently, as their compiler's
 * warnings are those that the program's own build has told. Two stub devices, whose log has each build's
 * options. Each case has a process of its own.
 */
#include "cl_fixture.h"
#include "cl_folder.h"

#include <stdio.h>

enum { ITEMS = 1 << 12, LOCAL = 64 };

/* Looks at the range, which a package must not see: it needs a variant. */
static const char source[] = "kernel void stub_inc(global int *a)\n"
                             "{ if (get_global_size(0) > get_global_id(0)) a[get_global_id(0)] += 1; }\n";

static const struct {
    const char *given, *of_variants;
} cases[] = {{"", "\"-w \""},
             {"-DN=1 -cl-mad-enable", "\"-w -DN=1 -cl-mad-enable\""},
             /* without warnings then, or there were no program */
             {"-Werror", NULL},
             {"-DN=1 -Werror -cl-mad-enable", NULL}};

START_TEST(options)
{
    const size_t items = ITEMS, local = LOCAL;
    static cl_int a[ITEMS];
    char log[64] = "none", own[64];
    size_t size;
    cl_int error;
    cl_folder_make("variants");
    setenv("STUB_LOG", cl_folder_path("calls"), 1);
    setenv("STUB_DEVICES", "2", 1);
    setenv("COEXEC_BUILD", "all", 1);
    setenv("COEXEC_ANALYSIS_WAIT", "100000", 1);
    cl_open();
    cl_program program = cl_build(source, cases[_i].given);
    snprintf(own, sizeof(own), "options=\"%s\"", cases[_i].given);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("calls"), own), 2);
    cl_kernel kernel = clCreateKernel(program, "stub_inc", &error);
    cl_ok(error);
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(a), a);
    cl_set_mem(kernel, 0, mem);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_read(mem, a, sizeof(a));
    for (int i = 0; i < ITEMS; i++)
        ck_assert_int_eq(a[i], 1);
    /* the program hears of its own builds alone */
    cl_ok(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_OPTIONS, sizeof(log), log, &size));
    ck_assert_str_eq(log, cases[_i].given);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_close();
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("calls"), own), cases[_i].of_variants ? 2 : 4);
    if (cases[_i].of_variants)
        ck_assert_uint_eq(cl_lines_with(cl_folder_path("calls"), cases[_i].of_variants), 2);
    cl_folder_remove();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("variant builds");
    TCase *tests = tcase_create("variant builds");
    tcase_set_timeout(tests, 240);
    tcase_add_loop_test(tests, options, 0, sizeof(cases) / sizeof(*cases));
    suite_add_tcase(suite, tests);
    return tap_run(suite);
}
