/* SPDX-License-Identifier: MIT */
/*
 * What coexec learns from launches, on two equal stub devices. Of speeds, where the first launch of a kernel
 * in a local size takes much longer than others, as with drivers that compile then: each launch but the first
 * of a local size must be shared about equally. Of splits, where each launch needs on both devices all that
 * the last one wrote: they must end; and go on where nothing moves. Each case has a process of its own.
 */
#include "cl_fixture.h"
#include "cl_folder.h"
#include "cl_timeline.h"

#include <stdio.h>

enum { N = 1 << 15, LOCAL = 16, LAUNCHES = 6 };

static void set_stub(const char *algo, const char *compile)
{
    cl_folder_make("learn");
    setenv("COEXEC_ALGO", algo, 1);
    setenv("STUB_TIMELINE", cl_folder_path("timeline"), 1);
    setenv("STUB_COMPILE", compile, 1);
}

/* Work-items that the second device did, by its lines in the timeline past the first `skip`, and lines. */
static size_t second_device(unsigned *lines, unsigned skip)
{
    static struct cl_span spans[16384]; /* tries add to them */
    size_t items = 0;
    *lines = cl_spans_read(cl_folder_path("timeline"), spans, sizeof(spans) / sizeof(*spans));
    ck_assert_uint_lt(*lines, sizeof(spans) / sizeof(*spans));
    for (unsigned i = skip; i < *lines; i++)
        if (spans[i].device == 1 && cl_span_is(&spans[i], "kernel"))
            items += spans[i].count;
    return items;
}

static cl_kernel open_kernel(cl_program *program, const char *name)
{
    cl_open();
    *program = cl_build_file(STUB_KERNELS);
    return cl_kernel_in(*program, name);
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
    cl_folder_remove();
}
END_TEST

/* Lines of kernels on the second device past the first `skip`. */
static size_t launches_there(unsigned *lines, unsigned skip)
{
    return second_device(lines, skip) / LOCAL;
}

/* GPUs that two packages each fill: the first device's are both the first of their kind there, at the range's
 * beginning and behind it, so that nothing is known of it when the next launch is planned. It must get as
 * much as its equal; on four H200 it got nothing, for good. */
START_TEST(equal_device_tells)
{
    static cl_int zero[N];
    cl_program program;
    set_stub("auto", "0");
    setenv("STUB_TYPE", "gpu", 1);
    setenv("STUB_UNITS", "8", 1);
    setenv("STUB_NAMES", "twin,twin", 1);
    cl_kernel kernel = open_kernel(&program, "stub_inc");
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(zero), zero);
    const size_t share = run(kernel, mem, LOCAL, 2);
    ck_assert_msg(share > N / 3 && share < N - N / 3, "%zu of %d work-items on the second device", share, N);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_close();
    cl_folder_remove();
}
END_TEST

/* Launches enqueued all at once: each is planned when the one before is over, and knows by then how fast the
 * devices were: so of those of one context only the first does not. Nor does another where, on a busy
 * machine, one device did so little of the first one that it was all of it the first of its kind there. */
START_TEST(next_launch_knows)
{
    enum { AT_ONCE = 5, TRIES = 5 };
    static cl_int zero[N];
    const size_t items = N, local = LOCAL;
    unsigned unknown = 0, before = 0;
    cl_program program;
    cl_mem mem[3];
    set_stub("auto", "0");
    setenv("STUB_TYPE", "gpu", 1);
    setenv("STUB_NAMES", "twin,twin", 1);
    setenv("STUB_SPEED", "0.05", 1);
    setenv("STUB_IN_PLACE", "0", 1);
    setenv("COEXEC_SPLIT", "auto", 1);
    setenv("COEXEC_TRACE", cl_folder_path("trace"), 1);
    for (unsigned i = 0; i < TRIES && unknown != 1; i++) {
        cl_kernel kernel = open_kernel(&program, "stub_add");
        for (unsigned k = 0; k < 3; k++) {
            mem[k] = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(zero), zero);
            cl_set_mem(kernel, k, mem[k]);
        }
        for (unsigned k = 0; k < AT_ONCE; k++)
            cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
        cl_ok(clFinish(cl.queue));
        for (unsigned k = 0; k < 3; k++)
            cl_ok(clReleaseMemObject(mem[k]));
        cl_ok(clReleaseKernel(kernel));
        cl_ok(clReleaseProgram(program));
        cl_close();
        ck_assert_uint_eq(cl_lines_with(cl_folder_path("trace"), "\"cat\":\"plan\""), (i + 1) * AT_ONCE);
        unknown = cl_lines_with(cl_folder_path("trace"), "\"groups_per_s\":[0") - before;
        before += unknown;
    }
    ck_assert_uint_eq(unknown, 1);
    cl_folder_remove();
}
END_TEST

static const char *const algos[] = {"static", "sigmoid", "auto"};

/* Each launch reads all that the last one wrote, by an index: half of it lies on the other device, and the
 * stub's link is slow. One device would need no moves at all. */
START_TEST(splits_that_lose_end)
{
    static cl_int index[N], values[N];
    cl_program program;
    size_t items = N, local = LOCAL;
    unsigned lines = 0;
    set_variable("zero_copy", "0");
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
    cl_folder_remove();
}
END_TEST

/* Each device keeps its half: nothing moves after the first launch. */
START_TEST(splits_that_gain_go_on)
{
    static cl_int zero[N];
    cl_program program;
    set_variable("zero_copy", "0");
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
    cl_folder_remove();
}
END_TEST

/* ---- moves that pay only in the long run ---- */

enum { CELLS = 1 << 14, STEPS = 900, GROUP = 64 };

/* The kernels as the driver runs them, but for one that cannot be split: it reads what is volatile. */
static const char rented[] =
    "__kernel void stub_fill_gid(__global int *out) {\n"
    "    size_t i = get_global_id(0);\n"
    "    out[i] = 0 * ((volatile __global int *)out)[i] + (int)i;\n"
    "}\n"
    "__kernel void stub_smooth(__global const int *in, __global int *out, int n) {\n"
    "    int i = get_global_id(0);\n"
    "    out[i] = (int)((uint)in[max(i - 1, 0)] + 2u * (uint)in[i] + (uint)in[min(i + 1, n - 1)]);\n"
    "}\n";

static void launch(cl_kernel kernel, cl_mem from, cl_mem to, size_t local)
{
    const size_t items = CELLS;
    cl_set_mem(kernel, 0, from);
    if (to)
        cl_set_mem(kernel, 1, to);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_ok(clFinish(cl.queue));
}

static void smooth_model(const cl_int *in, cl_int *out)
{
    for (size_t i = 0; i < CELLS; i++)
        out[i] = (cl_int)((cl_uint)in[i ? i - 1 : 0] + 2u * (cl_uint)in[i] +
                          (cl_uint)in[i + 1 < CELLS ? i + 1 : CELLS - 1]);
}

/* Two plates that change places, by one kernel or two, computed on one device at first. What a launch could
 * save by a split is a seven-hundredth of what bringing half of a plate to the other device is taken to cost.
 * Reading plates home changes nothing of that. Launches are too short for probes, which a busy machine may
 * mislead. */
static const struct {
    const char *algo;
    bool two, reads;
} moving[] = {{"static", false, false},
              {"sigmoid", false, false},
              {"auto", false, false},
              {"sigmoid", true, false},
              {"sigmoid", false, true}};

/* Runs so many steps. Gives what the second device computed. */
static size_t run_steps(bool two, bool reads, int steps)
{
    static cl_int model[2][CELLS], read[CELLS];
    cl_program program[2];
    cl_kernel smooth[2];
    unsigned lines = 0, before = 0;
    cl_open();
    cl_mem plate[2] = {cl_buffer(CL_MEM_READ_WRITE, sizeof(read), NULL),
                       cl_buffer(CL_MEM_READ_WRITE, sizeof(read), NULL)};
    for (unsigned k = 0; k < 2; k++) {
        program[k] = cl_build(rented, "");
        smooth[k] = clCreateKernel(program[k], "stub_smooth", NULL);
        cl_set_int(smooth[k], 2, CELLS);
        for (unsigned i = 0; i < 6; i++) /* too large for the second device: the first is measured */
            launch(smooth[k], plate[0], plate[1], (size_t)2 * GROUP);
    }
    cl_kernel init = clCreateKernel(program[0], "stub_fill_gid", NULL);
    (void)second_device(&before, 0);
    launch(init, plate[0], NULL, GROUP);
    for (int i = 0; i < CELLS; i++)
        model[0][i] = i;
    for (int i = 0; i < steps; i++) {
        launch(smooth[two && i % 2], plate[i % 2], plate[1 - i % 2], GROUP);
        smooth_model(model[i % 2], model[1 - i % 2]);
        if (reads && i % 10 == 0) {
            cl_read(plate[1 - i % 2], read, sizeof(read));
            ck_assert_mem_eq(read, model[1 - i % 2], sizeof(read));
        }
    }
    const size_t share = second_device(&lines, before);
    for (unsigned i = 0; i < 2; i++) {
        cl_read(plate[i], read, sizeof(read));
        ck_assert_mem_eq(read, model[i], sizeof(read));
        cl_ok(clReleaseMemObject(plate[i]));
        cl_ok(clReleaseKernel(smooth[i]));
        cl_ok(clReleaseProgram(program[i]));
    }
    cl_ok(clReleaseKernel(init));
    cl_close();
    return share;
}

static void set_slow_link(const char *algo)
{
    set_variable("zero_copy", "0");
    set_variable("link", "0.0001");
    setenv("STUB_IN_PLACE", "0", 1);
    setenv("STUB_SPEED", "0.25", 1);
    setenv("STUB_GROUP", "128,64", 1);
    set_stub(algo, "0");
}

START_TEST(moves_come_in_the_end)
{
    size_t share = 0;
    set_slow_link(moving[_i].algo);
    /* that the second device seems slow when the machine is busy is no fault */
    for (unsigned tries = 0; tries < 4 && share <= CELLS; tries++)
        share = run_steps(moving[_i].two, moving[_i].reads, STEPS);
    ck_assert_msg(share > CELLS, "%s: the second device computed %zu cells", moving[_i].algo, share);
    cl_folder_remove();
}
END_TEST

/* Until then launches are not called too short, but are said to stay where their data is. */
START_TEST(data_keeps_them)
{
    static const char said[] = "stub_smooth runs whole: a split would need its data elsewhere";
    size_t kept = 0, before = 0;
    set_slow_link("static");
    setenv("COEXEC_LOG", "plan:info", 1);
    setenv("COEXEC_LOG_FILE", cl_folder_path("log"), 1);
    /* as above: one that seems slow would gain nothing */
    for (unsigned tries = 0; tries < 8 && kept - before <= 50; tries++) {
        before = kept;
        (void)run_steps(false, false, 100);
        kept = cl_lines_with(cl_folder_path("log"), said);
    }
    ck_assert_uint_gt(kept - before, 50);
    cl_folder_remove();
}
END_TEST

/* A plate that one device makes and both could work on, over a link that is far quicker than it is taken for:
 * what moves took in the first launch, which nothing tells to stay whole, counts from then on. */
START_TEST(quick_links_are_learned)
{
    enum { ROUNDS = 5 };
    static cl_int read[CELLS];
    unsigned lines = 0;
    size_t share = 0;
    set_variable("zero_copy", "0");
    set_variable("link", "0.000001");
    set_variable("reexecute", "0");
    setenv("STUB_IN_PLACE", "0", 1);
    setenv("STUB_SPEED", "0.002", 1);
    set_stub("auto", "0");
    /* nor is it one that a busy machine makes a move as slow as that */
    for (unsigned tries = 0; tries < 4 && share <= CELLS; tries++) {
        cl_open();
        cl_program program = cl_build(rented, "");
        cl_kernel init = clCreateKernel(program, "stub_fill_gid", NULL);
        cl_kernel smooth = clCreateKernel(program, "stub_smooth", NULL);
        cl_mem plate[2] = {cl_buffer(CL_MEM_READ_WRITE, sizeof(read), NULL),
                           cl_buffer(CL_MEM_READ_WRITE, sizeof(read), NULL)};
        cl_set_int(smooth, 2, CELLS);
        for (unsigned i = 0; i < ROUNDS; i++) {
            launch(init, plate[0], NULL, 1024);
            if (i == 1) /* the first one is split in any case */
                (void)second_device(&lines, 0);
            launch(smooth, plate[0], plate[1], GROUP);
        }
        share = second_device(&lines, lines);
        cl_read(plate[1], read, sizeof(read));
        for (int i = 1; i + 1 < CELLS; i++)
            ck_assert_int_eq(read[i], 4 * i);
        cl_ok(clReleaseMemObject(plate[0]));
        cl_ok(clReleaseMemObject(plate[1]));
        cl_ok(clReleaseKernel(init));
        cl_ok(clReleaseKernel(smooth));
        cl_ok(clReleaseProgram(program));
        cl_close();
    }
    ck_assert_msg(share > CELLS, "the second device computed %zu cells in all", share);
    cl_folder_remove();
}
END_TEST

/* A plate that one device has all of, as it made it, and the other the half that it needed: which says
 * nothing of how the next launch over it is shared. */
START_TEST(what_one_has_all_of_ties_no_part)
{
    enum { ROUNDS = 6 };
    unsigned lines = 0;
    size_t share = 0;
    set_variable("zero_copy", "0");
    set_variable("link", "0.0008");
    set_variable("reexecute", "0");
    setenv("STUB_IN_PLACE", "0", 1);
    setenv("STUB_SPEED", "0.002", 1);
    set_stub("auto", "0");
    cl_open();
    cl_program program[2] = {cl_build(rented, ""), cl_build_file(STUB_KERNELS)};
    cl_kernel init = clCreateKernel(program[0], "stub_fill_gid", NULL);
    cl_kernel add = clCreateKernel(program[1], "stub_add", NULL);
    cl_mem plate[3];
    for (unsigned i = 0; i < 3; i++)
        plate[i] = cl_buffer(CL_MEM_READ_WRITE, CELLS * sizeof(cl_int), NULL);
    launch(init, plate[1], NULL, GROUP);
    for (unsigned i = 0; i < 2 * ROUNDS; i++) {
        if (i % 2 == 0)
            launch(init, plate[0], NULL, 1024);
        (void)second_device(&lines, 0);
        cl_set_mem(add, 2, plate[2 - i % 2]);
        cl_set_mem(add, 1, plate[1 + i % 2]);
        launch(add, plate[0], NULL, GROUP);
        share = second_device(&lines, lines);
    }
    ck_assert_msg(share > CELLS * 2 / 5 && share < CELLS * 3 / 5, "%zu of %d cells", share, CELLS);
    static cl_int read[CELLS];
    cl_read(plate[1], read, sizeof(read));
    for (int i = 0; i < CELLS; i++)
        ck_assert_int_eq(read[i], (2 * ROUNDS + 1) * i);
    for (unsigned i = 0; i < 3; i++)
        cl_ok(clReleaseMemObject(plate[i]));
    cl_ok(clReleaseKernel(init));
    cl_ok(clReleaseKernel(add));
    for (unsigned i = 0; i < 2; i++)
        cl_ok(clReleaseProgram(program[i]));
    cl_close();
    cl_folder_remove();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("learn");
    TCase *tc = tcase_create("learn");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, equal_device_tells);
    tcase_add_test(tc, next_launch_knows);
    tcase_add_loop_test(tc, compiles_at_first_launch, 0, sizeof(cases) / sizeof(*cases));
    tcase_add_loop_test(tc, splits_that_lose_end, 0, sizeof(algos) / sizeof(*algos));
    tcase_add_test(tc, splits_that_gain_go_on);
    tcase_add_loop_test(tc, moves_come_in_the_end, 0, sizeof(moving) / sizeof(*moving));
#ifndef __SANITIZE_THREAD__ /* beside other tests devices keep no time there that tells */
    tcase_add_test(tc, data_keeps_them);
#endif
    tcase_add_test(tc, quick_links_are_learned);
    tcase_add_test(tc, what_one_has_all_of_ties_no_part);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
