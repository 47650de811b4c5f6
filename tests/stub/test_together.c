/* SPDX-License-Identifier: MIT */
/*
 * Work-groups that wait for each other need a device with as many compute units as the program was shown, or
 * with the most there are. Two stub devices: a GPU is faster, a CPU device has more units. Each case has a
 * process of its own.
 */
#include "cl_fixture.h"
#include "cl_folder.h"
#include "cl_timeline.h"

#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 1 << 10, LOCAL = 64 };

static const char waits[] = "kernel void stub_inc(volatile global int *a)\n"
                            "{ atomic_inc(a); while (atomic_add(a, 0) < get_num_groups(0)); }\n";
static const char waits_for_none[] = "kernel void stub_inc(volatile global int *a)\n"
                                     "{ if (atomic_inc(a) == 7) a[1] = 1; }\n";

static const struct {
    const char *text, *units;
    unsigned device; /* where it must run */
} cases[] = {
    {waits, "sum", 1}, {waits, "fastest", 0}, {waits_for_none, "sum", 0}, {waits_for_none, "fastest", 0}};

START_TEST(enough_units)
{
    static struct cl_span spans[256];
    static cl_int zero[ITEMS];
    const size_t items = ITEMS, local = LOCAL;
    unsigned kernels = 0, lines;
    cl_folder_make("together");
    setenv("STUB_TIMELINE", cl_folder_path("timeline"), 1);
    set_variable("units", cases[_i].units);
    cl_open();
    cl_kernel kernel = cl_kernel_of(cases[_i].text, "stub_inc");
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(zero), zero);
    cl_set_mem(kernel, 0, mem);
    for (int i = 0; i < 4; i++)
        cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_ok(clFinish(cl.queue));
    lines = cl_spans_read(cl_folder_path("timeline"), spans, sizeof(spans) / sizeof(*spans));
    for (unsigned i = 0; i < lines; i++) {
        if (!cl_span_is(&spans[i], "kernel"))
            continue;
        ck_assert_uint_eq(spans[i].device, cases[_i].device);
        ck_assert_uint_eq(spans[i].count, ITEMS);
        kernels++;
    }
    ck_assert_uint_eq(kernels, 4);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
    cl_close();
    cl_folder_remove();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("together");
    TCase *tests = tcase_create("together");
    tcase_set_timeout(tests, 240);
    tcase_add_loop_test(tests, enough_units, 0, sizeof(cases) / sizeof(*cases));
    suite_add_tcase(suite, tests);
    return tap_run(suite);
}
