/* SPDX-License-Identifier: MIT */
/*
 * How split variants of a program are built: with the program's options but those for debuggers, and
 * silently, as their compiler's warnings are those that the program's own build has told. Two stub devices,
 * whose log has each build's options. Options of a vendor's compiler reach that vendor's devices alone. Each
 * case has a process of its own.
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
             /* nothing for debuggers, but what only looks like it */
             {"-g", "\"-w \""},
             {"-g -s /tmp/own.cl -DN=1", "\"-w -DN=1\""},
             {"-DN=1 -ggdb3  -I -g -save-temps=x -O1", "\"-w -DN=1  -I -g -O1\""},
             {"-D'N= -g 3' -gline-tables-only", "\"-w -D'N= -g 3'\""},
             {"-g -Werror", "\"-Werror\""},
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
    set_variable("build", "all");
    set_variable("analysis_wait", "100000");
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

/* Two vendors, of which each refuses the other's options. */
static void two_vendors(const char *first, const char *second, const char *refused)
{
    cl_folder_make("vendors");
    setenv("STUB_LOG", cl_folder_path("calls"), 1);
    setenv("COEXEC_LOG_FILE", cl_folder_path("log"), 1);
    setenv("STUB_DEVICES", "2", 1);
    setenv("STUB_UNITS", "2,1", 1);
    char both[128];
    snprintf(both, sizeof(both), "%s,%s", first, second);
    setenv("STUB_VENDOR", both, 1);
    setenv("STUB_REFUSES", refused, 1);
    setenv("COEXEC_LOG", "warn", 1);
    set_variable("build", "all");
    set_variable("analysis_wait", "100000");
    cl_open();
}

/* A vendor's options are for its devices: built programs and variants. 1: its device is the slower one. */
START_TEST(options_of_a_vendor)
{
    static const char given[] =
        "-DN=1 -cl-nv-maxrregcount 32 -cl-nv-opt-level=3 -cl-mad-enable -cl-nv-verbose";
    static const char rest[] = "-DN=1 -cl-mad-enable";
    const size_t items = ITEMS, local = LOCAL;
    static cl_int a[ITEMS];
    char line[256], log[256];
    cl_int error;
    if (_i)
        two_vendors("The Other", "NVIDIA Corporation", "-cl-nv,nothing");
    else
        two_vendors("NVIDIA Corporation", "The Other", "nothing,-cl-nv");
    cl_program program = cl_build(source, given);
    cl_ok(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_OPTIONS, sizeof(log), log, NULL));
    ck_assert_str_eq(log, given);
    cl_kernel kernel = clCreateKernel(program, "stub_inc", &error);
    cl_ok(error);
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(a), a);
    cl_set_mem(kernel, 0, mem);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_read(mem, a, sizeof(a));
    for (int i = 0; i < ITEMS; i++)
        ck_assert_int_eq(a[i], 1);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_close();
    for (int variant = 0; variant < 2; variant++) {
        snprintf(line, sizeof(line), "options=\"%s%s\"", variant ? "-w " : "", given);
        ck_assert_uint_eq(cl_lines_with(cl_folder_path("calls"), line), 1);
        snprintf(line, sizeof(line), "options=\"%s%s\"", variant ? "-w " : "", rest);
        ck_assert_uint_eq(cl_lines_with(cl_folder_path("calls"), line), 1);
    }
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "left out"), 0);
    cl_folder_remove();
}
END_TEST

/* Options of a vendor that is not there go to all; what is no vendor's, too: devices that refuse are left out
 * with a line, and where all do, the program hears it. */
START_TEST(options_of_nobody)
{
    const char *text = source;
    cl_int error;
    two_vendors("The One", "The Other", _i ? "nothing,-cl-nv" : "-cl-nv");
    cl_program program = clCreateProgramWithSource(cl.context, 1, &text, NULL, &error);
    cl_ok(error);
    cl_expect(clBuildProgram(program, 1, &cl.device, "-cl-nv-verbose", NULL, NULL),
              _i ? CL_SUCCESS : CL_INVALID_BUILD_OPTIONS);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("calls"), "options=\"-cl-nv-verbose\""), 2);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "left out, its compiler failed"), _i);
    cl_ok(clReleaseProgram(program));
    cl_close();
    cl_folder_remove();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("variant builds");
    TCase *tests = tcase_create("variant builds");
    tcase_set_timeout(tests, 240);
    tcase_add_loop_test(tests, options, 0, sizeof(cases) / sizeof(*cases));
    tcase_add_loop_test(tests, options_of_a_vendor, 0, 2);
    tcase_add_loop_test(tests, options_of_nobody, 0, 2);
    suite_add_tcase(suite, tests);
    return tap_run(suite);
}
