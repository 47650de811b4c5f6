/* SPDX-License-Identifier: MIT */
/*
 * What coexec learns from launches, on two equal stub devices. Of speeds, where the first launch of a kernel
 * in a local size takes much longer than others, as with drivers that compile then: each launch but the first
 * of a local size must be shared about equally. Of splits, where each launch needs on both devices all that
 * the last one wrote: they must end; and go on where nothing moves. Each case has a process of its own.
 */
#include "cl_fixture.h"

#include <stdio.h>
#include <unistd.h>

enum { N = 1 << 15, LOCAL = 16, LAUNCHES = 6 };

static char timeline[64];

static void set_stub(const char *algo, const char *compile)
{
    snprintf(timeline, sizeof(timeline), "/tmp/coexec-learn-%d", (int)getpid());
    setenv("COEXEC_ALGO", algo, 1);
    setenv("STUB_TIMELINE", timeline, 1);
    setenv("STUB_COMPILE", compile, 1);
}

/* Work-items that the second device did, by its lines in the timeline past the first `skip`, and lines. */
static size_t second_device(unsigned *lines, unsigned skip)
{
    FILE *file = fopen(timeline, "r");
    size_t items = 0, from, count;
    unsigned long start, end;
    unsigned device, queue;
    char what[16];
    ck_assert_ptr_nonnull(file);
    for (*lines = 0; fscanf(file, "%lu %lu d%u q%u %15s %zu %zu", &start, &end, &device, &queue, what, &from,
                            &count) == 7;
         ++*lines)
        if (*lines >= skip && device == 1 && !strcmp(what, "kernel"))
            items += count;
    fclose(file);
    return items;
}

static cl_kernel open_kernel(cl_program *program, const char *name)
{
    static char text[1 << 16];
    FILE *file = fopen(STUB_KERNELS, "r");
    cl_int code;
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_gt(fread(text, 1, sizeof(text) - 1, file), 0);
    fclose(file);
    cl_open();
    *program = cl_build(text, "");
    cl_kernel kernel = clCreateKernel(*program, name, &code);
    cl_ok(code);
    return kernel;
}

/* Launches with this local size: work-items of the second device in the last of them. */
static size_t run(cl_kernel kernel, cl_mem mem, size_t local, unsigned launches)
{
    size_t items = N;
    unsigned before = 0;
    cl_set_mem(kernel, 0, mem);
    for (unsigned i = 0; i < launches; i++) {
        (void)second_device(&before, 0);
        cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
        cl_ok(clFinish(cl.queue));
    }
    return second_device(&before, before);
}

static const struct {
    const char *algo, *compile;
} cases[] = {{"static", "0,400"},
             {"sigmoid", "0,400"},
             {"auto", "0,400"},
             {"hguided", "400,0"},
             {"adaptive", "400,400"}};

START_TEST(compiles_at_first_launch)
{
    static cl_int zero[N];
    cl_program program;
    set_stub(cases[_i].algo, cases[_i].compile);
    cl_kernel kernel = open_kernel(&program, "stub_inc");
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(zero), zero);
    for (unsigned size = 0; size < 2; size++) {
        size_t share = run(kernel, mem, (size_t)LOCAL << size, LAUNCHES);
        ck_assert_msg(share > N / 5 && share < N - N / 5,
                      "%s, local size %d: %zu of %d work-items on the second device", cases[_i].algo,
                      LOCAL << size, share, N);
    }
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_close();
    unlink(timeline);
}
END_TEST

/* Lines of kernels on the second device past the first `skip`. */
static size_t launches_there(unsigned *lines, unsigned skip)
{
    return second_device(lines, skip) / LOCAL;
}

static const char *const algos[] = {"static", "sigmoid", "auto"};

/* Each launch reads all that the last one wrote, by an index: half of it lies on the other device, and the
 * stub's link is slow. One device would need no moves at all. */
START_TEST(splits_that_lose_end)
{
    static cl_int index[N], values[N];
    cl_program program;
    size_t items = N, local = LOCAL;
    unsigned lines = 0;
    setenv("COEXEC_ZERO_COPY", "0", 1);
    setenv("STUB_IN_PLACE", "0", 1);
    setenv("STUB_LINK", "4", 1);
    set_stub(algos[_i], "0");
    cl_kernel kernel = open_kernel(&program, "stub_gather");
    for (int i = 0; i < N; i++) {
        index[i] = (i + 1) % N;
        values[i] = i;
    }
    cl_mem by = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(index), index);
    cl_mem side[2] = {cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(values), values),
                      cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(values), values)};
    cl_set_mem(kernel, 1, by);
    for (int i = 0; i < 40; i++) {
        if (i == 30)
            (void)second_device(&lines, 0);
        cl_set_mem(kernel, 0, side[i % 2]);
        cl_set_mem(kernel, 2, side[1 - i % 2]);
        cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
        cl_ok(clFinish(cl.queue));
    }
    size_t late = launches_there(&lines, lines);
    cl_ok(clEnqueueReadBuffer(cl.queue, side[0], CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(values[i], (i + 40) % N);
    ck_assert_msg(late == 0 || late >= 9 * (size_t)N / LOCAL,
                  "%s: %zu work-groups on the second device in the end", algos[_i], late);
    cl_ok(clReleaseMemObject(by));
    cl_ok(clReleaseMemObject(side[0]));
    cl_ok(clReleaseMemObject(side[1]));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_close();
    unlink(timeline);
}
END_TEST

/* Each device keeps its half: nothing moves after the first launch. */
START_TEST(splits_that_gain_go_on)
{
    static cl_int zero[N];
    cl_program program;
    setenv("COEXEC_ZERO_COPY", "0", 1);
    setenv("STUB_IN_PLACE", "0", 1);
    setenv("STUB_LINK", "100", 1);
    set_stub("static", "0");
    cl_kernel kernel = open_kernel(&program, "stub_inc");
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(zero), zero);
    size_t share = run(kernel, mem, LOCAL, 40);
    ck_assert_msg(share > N / 5 && share < N - N / 5, "%zu of %d work-items on the second device", share, N);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_close();
    unlink(timeline);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("learn");
    TCase *tc = tcase_create("learn");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, compiles_at_first_launch, 0, sizeof(cases) / sizeof(*cases));
    tcase_add_loop_test(tc, splits_that_lose_end, 0, sizeof(algos) / sizeof(*algos));
    tcase_add_test(tc, splits_that_gain_go_on);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
