/* SPDX-License-Identifier: MIT */
/*
 * The first launches of a program on a fast device beside a far slower one of another class, as a GPU beside
 * a CPU, on stub devices: they must cost about what they do on the fast one alone. So the slow one is not
 * measured before that is paid for, the driver is asked for few times, and nothing is made that a program
 * without coexec would have made before. Each case has a process of its own.
 */
#include "cl_fixture.h"
#include "cl_folder.h"
#include "cl_timeline.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { N = 1 << 19, LOCAL = 16, BYTES = N * sizeof(cl_int) };

static struct {
    cl_program program;
    cl_kernel kernel;
    cl_mem mem;
    cl_command_queue queue; /* without profiling */
} p;

/* `file`: the variable that names what the stub writes down. */
static void open_stubs(const char *file, const char *speeds, const char *compile)
{
    cl_folder_make("beside");
    setenv(file, cl_folder_path("told"), 1);
    setenv("STUB_DEVICES", "2", 1);
    setenv("STUB_TYPE", "gpu,cpu", 1);
    setenv("STUB_UNITS", "100,2", 1);
    setenv("STUB_IN_PLACE", "0,1", 1);
    setenv("STUB_ASYNC", "1", 1);
    setenv("STUB_SPEED", speeds, 1);
    setenv("STUB_COMPILE", compile, 1);
    cl_open();
    p.program = cl_build_file(STUB_KERNELS);
    p.kernel = cl_kernel_in(p.program, "stub_inc");
    p.mem = cl_buffer(0, BYTES, NULL);
    p.queue = cl_queue(0);
    cl_set_mem(p.kernel, 0, p.mem);
}

static void close_stubs(void)
{
    cl_ok(clReleaseCommandQueue(p.queue));
    cl_ok(clReleaseMemObject(p.mem));
    cl_ok(clReleaseKernel(p.kernel));
    cl_ok(clReleaseProgram(p.program));
    cl_close();
    cl_folder_remove();
}

static void launch(void)
{
    const size_t items = N, local = LOCAL;
    cl_ok(clEnqueueNDRangeKernel(p.queue, p.kernel, 1, NULL, &items, &local, 0, NULL, NULL));
}

static unsigned calls(const char *name)
{
    return cl_lines_with(cl_folder_path("told"), name);
}

/* Kernels that ran on the second device. */
static unsigned kernels_there(void)
{
    struct cl_span spans[256];
    const unsigned n = cl_spans_read(cl_folder_path("told"), spans, sizeof(spans) / sizeof(*spans));
    unsigned found = 0;
    ck_assert_uint_gt(n, 0);
    for (unsigned i = 0; i < n; i++)
        found += spans[i].device == 1 && cl_span_is(&spans[i], "kernel");
    return found;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Forty launches of 4 ms: a package on the CPU, whose driver compiles at its first launch, would take longer
 * than all of them. On a machine so busy that one launch takes about as long as compiling is taken to last
 * (plan_share.c), measuring the CPU beside it would be free, and nothing is told here. */
START_TEST(compiling_is_paid_for)
{
    double longest = 0;
    open_stubs("STUB_TIMELINE", "8,0.16", "0,300");
    for (int i = 0; i < 40; i++) {
        const double since = now();
        launch();
        cl_ok(clFinish(p.queue));
        longest = fmax(longest, now() - since);
    }
    if (longest < 25e-3)
        ck_assert_uint_eq(kernels_there(), 0);
    close_stubs();
}
END_TEST

/* All launches enqueued at once: times of a few tell enough, and none of those of transfers, as the queue has
 * no profiling. */
START_TEST(few_times_are_asked_for)
{
    static cl_int values[N];
    open_stubs("STUB_LOG", "0,0", "0");
    const unsigned before = calls("clGetEventProfilingInfo");
    cl_ok(clEnqueueWriteBuffer(p.queue, p.mem, CL_FALSE, 0, BYTES, values, 0, NULL, NULL));
    for (int i = 0; i < 100; i++)
        launch();
    cl_ok(clEnqueueReadBuffer(p.queue, p.mem, CL_FALSE, 0, BYTES, values, 0, NULL, NULL));
    cl_ok(clFinish(p.queue));
    ck_assert_int_eq(values[N - 1], 100);
    ck_assert_uint_le(calls("clGetEventProfilingInfo") - before, 2 * 40); /* of 204 */
    close_stubs();
}
END_TEST

/* The first run of a program makes no objects of drivers; other devices have built before, as their builds
 * may end during the run else. */
START_TEST(objects_are_there)
{
    static cl_int values[N];
    set_variable("build", "all");
    open_stubs("STUB_LOG", "0,0", "0");
    const unsigned before = calls("clCreate");
    cl_ok(clEnqueueWriteBuffer(p.queue, p.mem, CL_FALSE, 0, BYTES, values, 0, NULL, NULL));
    launch();
    cl_ok(clEnqueueReadBuffer(p.queue, p.mem, CL_FALSE, 0, BYTES, values, 0, NULL, NULL));
    cl_ok(clFinish(p.queue));
    ck_assert_int_eq(values[N - 1], 1);
    ck_assert_uint_eq(calls("clCreate"), before);
    close_stubs();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("beside_gpu");
    TCase *tc = tcase_create("beside_gpu");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, compiling_is_paid_for);
    tcase_add_test(tc, few_times_are_asked_for);
    tcase_add_test(tc, objects_are_there);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
