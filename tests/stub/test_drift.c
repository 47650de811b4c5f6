/* SPDX-License-Identifier: MIT */
/*
 * A device gets slower in the middle of a program, on two equal stub CPUs that work in place, so that none
 * can do again what the other holds. Each case has a process of its own.
 */
#include "cl_fixture.h"
#include "cl_folder.h"
#include "cl_timeline.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { N = 1 << 15, LOCAL = 16 };

static cl_int numbers[N];

/* The second device's part of the launch that is under way; tells it, and how long both took. */
static double part_there(void)
{
    static struct cl_span spans[1 << 15];
    static unsigned before;
    size_t there = 0;
    unsigned long first = ~0ul, last = 0;
    cl_ok(clFinish(cl.queue));
    const unsigned n = cl_spans_read(cl_folder_path("timeline"), spans, sizeof(spans) / sizeof(*spans));
    ck_assert_uint_lt(n, sizeof(spans) / sizeof(*spans));
    for (unsigned i = before; i < n; i++) {
        if (!cl_span_is(&spans[i], "kernel"))
            continue;
        there += spans[i].device == 1 ? spans[i].count : 0;
        first = spans[i].start < first ? spans[i].start : first;
        last = spans[i].end > last ? spans[i].end : last;
    }
    before = n;
    fprintf(stderr, " %.2f in %.0f ms", (double)there / N, last > first ? (double)(last - first) / 1e6 : 0);
    return (double)there / N;
}

static void begin(cl_kernel kernel)
{
    const size_t items = N, local = LOCAL;
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_ok(clFlush(cl.queue));
}

/* Launches until the second device's part is between these, so many at most; gives how many. */
static int launch_until(cl_kernel kernel, double least, double most, int launches)
{
    double part = -1;
    int i = 0;
    while (i < launches && (part < least || part > most)) {
        begin(kernel);
        part = part_there();
        i++;
    }
    return part < least || part > most ? launches + 1 : i;
}

/* The second device takes four times as long from now on. */
static void set_load(void)
{
    FILE *file = fopen(cl_folder_path("made"), "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_gt(fputs("1,4", file), 0);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(rename(cl_folder_path("made"), cl_folder_path("load")), 0);
}

static cl_kernel open_kernel(cl_program *program)
{
    cl_open();
    *program = cl_build_file(STUB_KERNELS);
    return cl_kernel_in(*program, "stub_inc");
}

/* Opens a kernel, settled on equal parts. */
static cl_kernel settle(const char *policy, cl_program *program, cl_mem *mem)
{
    cl_folder_make("drift");
    fprintf(stderr, "\n%s:", policy);
    setenv("COEXEC_ALGO", policy, 1);
    setenv("STUB_TIMELINE", cl_folder_path("timeline"), 1);
    setenv("STUB_LOAD", cl_folder_path("load"), 1);
    cl_kernel kernel = open_kernel(program);
    *mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(numbers), numbers);
    cl_set_mem(kernel, 0, *mem);
    for (int i = 0; i < 6; i++)
        (void)launch_until(kernel, 0.45, 0.55, 10);
    return kernel;
}

static void end(cl_program program, cl_kernel kernel, cl_mem mem)
{
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_close();
    cl_folder_remove();
}

/* The load comes before a launch (when: 0) or in the middle of one. Settled as they are the devices would
 * share it by halves; a fifth is right, or a third. */
static bool notices(int when)
{
    cl_program program;
    cl_mem mem;
    cl_kernel kernel = settle("auto", &program, &mem);
    const struct timespec nap = {.tv_nsec = 12000000};
    fprintf(stderr, "\nauto, load %s:", when ? "12 ms after a launch's begin" : "before a launch");
    if (when == 0)
        set_load();
    begin(kernel);
    if (when > 0) {
        nanosleep(&nap, NULL);
        set_load();
    }
    const double part = part_there();
    end(program, kernel, mem);
    return part < (when ? 0.42 : 0.35);
}

START_TEST(auto_notices_within_the_launch)
{
    ck_assert(cl_in_some_try(notices, _i));
}
END_TEST

static const char *const policies[] = {"static", "auto", "sigmoid", "hguided", "adaptive"};

/* A few launches later it gets what it can do, and when the load is gone a half again. */
static bool follows(int policy)
{
    cl_program program;
    cl_mem mem;
    cl_kernel kernel = settle(policies[policy], &program, &mem);
    fprintf(stderr, "\n%s, load:", policies[policy]);
    set_load();
    const int there = launch_until(kernel, 0.1, 0.3, 6);
    for (int i = 0; i < 4; i++)
        (void)launch_until(kernel, 0.1, 0.3, 1);
    ck_assert_int_eq(unlink(cl_folder_path("load")), 0);
    fprintf(stderr, "\n%s, gone:", policies[policy]);
    const int back = launch_until(kernel, 0.4, 0.6, 6);
    end(program, kernel, mem);
    return there <= 6 && back <= 6;
}

START_TEST(all_follow)
{
    ck_assert_msg(cl_in_some_try(follows, _i), "%s", policies[_i]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("drift");
    TCase *tcase = tcase_create("drift");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, auto_notices_within_the_launch, 0, 2);
    tcase_add_loop_test(tcase, all_follow, 0, sizeof(policies) / sizeof(*policies));
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
