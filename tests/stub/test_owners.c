/* SPDX-License-Identifier: MIT */
/*
 * What moves between launches whose packages are cut while they run, where inputs lie with the devices that
 * computed them: a smoothing of two buffers that change places, over stub GPUs. The stub's timeline says who
 * computed what and what went where; each device must have got exactly what the packages it ran read and it
 * did not hold, and all together little more than the borders between them. Each case has a process of its
 * own.
 */
#include "cl_fixture.h"
#include "cl_timeline.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N = 1 << 14, LOCAL = 64, STEPS = 10, DEVICES = 4 };

static char timeline[64];
static cl_int plate[N], result[N], model[2][N];

/* What each device holds of the step's input and of its output's old contents, and whether it needs the
 * input.
 */
static bool holds[DEVICES][N], holds_old[DEVICES][N], needs[DEVICES][N], writes[DEVICES][N];
static unsigned packages[DEVICES]; /* that each ran in the step */
static unsigned steps_of_shares;   /* those that iterate looks at in which no device ran more than one */

struct moved {
    size_t in, out; /* elements, to devices and from them */
};

static void stubs(const char *algo, const char *devices, const char *speed)
{
    snprintf(timeline, sizeof(timeline), "/tmp/coexec-owners-%d", (int)getpid());
    setenv("STUB_TIMELINE", timeline, 1);
    setenv("STUB_DEVICES", devices, 1);
    setenv("STUB_SPEED", speed, 1);
    setenv("COEXEC_ALGO", algo, 1);
    set_variable("reexecute", "0"); /* what is done again moves, too */
}

static cl_kernel open_kernel(cl_program *program, const char *name)
{
    cl_open();
    *program = cl_build_file(STUB_KERNELS);
    return cl_kernel_in(*program, name);
}

/* Looks at the timeline from span `from` on: what kernels needed and wrote, and what moved. Gives how many
 * spans there are. */
static unsigned look(unsigned from, struct moved *moved)
{
    static struct cl_span spans[1 << 14];
    const unsigned n = cl_spans_read(timeline, spans, sizeof(spans) / sizeof(*spans));
    ck_assert_int_eq(access(timeline, F_OK), 0);
    ck_assert_uint_lt(n, sizeof(spans) / sizeof(*spans));
    memset(needs, 0, sizeof(needs));
    memset(writes, 0, sizeof(writes));
    memset(packages, 0, sizeof(packages));
    for (unsigned i = from; i < n; i++) {
        const struct cl_span *span = &spans[i];
        const size_t first = span->first, count = span->count;
        ck_assert_uint_lt(span->device, DEVICES);
        if (cl_span_is(span, "write"))
            moved->in += count / sizeof(cl_int);
        if (cl_span_is(span, "read"))
            moved->out += count / sizeof(cl_int);
        if (!cl_span_is(span, "kernel"))
            continue;
        ck_assert_uint_le(first + count, N);
        packages[span->device]++;
        memset(&writes[span->device][first], 1, count);
        const size_t lo = first ? first - 1 : 0, hi = first + count < N ? first + count + 1 : N;
        memset(&needs[span->device][lo], 1, hi - lo);
    }
    return n;
}

/* A launch that a device runs alone, in a form that it has not accepted before, may be refused by it, and
 * then leaves the output as it was (take.h): what the device lacks of the output moves, too. Gives how much
 * that may be, 0 where several devices ran. */
static size_t lacked_of_output(void)
{
    size_t lacked = 0;
    for (unsigned d = 0; d < DEVICES; d++)
        for (size_t i = 0; i < N && packages[d] == 1 && !memchr(writes[d], 0, N); i++)
            lacked += !holds_old[d][i];
    return lacked;
}

/* The buffers change places: what was read stays where it was, what was written is with its writers only. */
static void change_places(void)
{
    for (unsigned d = 0; d < DEVICES; d++)
        for (size_t i = 0; i < N; i++) {
            holds_old[d][i] = holds[d][i] || needs[d][i];
            holds[d][i] = writes[d][i];
        }
}

/* One step: launches, waits, and compares what moved with what had to. */
static void step(cl_kernel kernel, cl_mem in, cl_mem out, unsigned *line, struct moved *moved)
{
    const size_t items = N, local = LOCAL;
    const size_t before = moved->in;
    cl_set_mem(kernel, 0, in);
    cl_set_mem(kernel, 1, out);
    cl_set_int(kernel, 2, N);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_ok(clFinish(cl.queue));
    *line = look(*line, moved);
    size_t lacked = 0;
    for (unsigned d = 0; d < DEVICES; d++)
        for (size_t i = 0; i < N; i++)
            lacked += needs[d][i] && !holds[d][i];
    const size_t came = moved->in - before;
    ck_assert_msg(came == lacked || came == lacked + lacked_of_output(), "%zu in, %zu lacked", came, lacked);
    change_places();
}

static void smooth(const cl_int *in, cl_int *out)
{
    for (size_t i = 0; i < N; i++)
        out[i] = (cl_int)((cl_uint)in[i ? i - 1 : 0] + 2u * (cl_uint)in[i] +
                          (cl_uint)in[i + 1 < N ? i + 1 : N - 1]);
}

static void make_plate(cl_mem *mem)
{
    for (unsigned i = 0; i < 2; i++)
        mem[i] = cl_buffer(CL_MEM_READ_WRITE, sizeof(plate), NULL);
    cl_seed(3);
    for (size_t i = 0; i < N; i++)
        model[0][i] = plate[i] = (cl_int)cl_roll(1000);
    cl_write(mem[0], plate, sizeof(plate));
}

static void drop_all(cl_program program, cl_kernel kernel, const cl_mem *mem)
{
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    for (unsigned i = 0; i < 2; i++)
        cl_ok(clReleaseMemObject(mem[i]));
    cl_close();
    remove(timeline);
}

/* Gives what moved from the step `from` on, and in *least how much went to devices in the step that moved
 * least. */
static struct moved iterate(unsigned from, size_t *least)
{
    cl_program program;
    cl_mem mem[2];
    struct moved early = {0}, late = {0};
    *least = N;
    memset(holds_old, 1, sizeof(holds_old)); /* nobody has written the second buffer */
    cl_kernel kernel = open_kernel(&program, "stub_smooth");
    make_plate(mem);
    unsigned line = look(0, &early);
    early = (struct moved){0};
    for (unsigned s = 0; s < STEPS; s++) {
        const size_t before = late.in;
        step(kernel, mem[s % 2], mem[(s + 1) % 2], &line, s < from ? &early : &late);
        if (s >= from && late.in - before < *least)
            *least = late.in - before;
        unsigned most = 0;
        for (unsigned d = 0; d < DEVICES; d++)
            most = packages[d] > most ? packages[d] : most;
        steps_of_shares += s >= from && most <= 1;
        smooth(model[s % 2], model[(s + 1) % 2]);
    }
    cl_read(mem[STEPS % 2], result, sizeof(result));
    ck_assert_mem_eq(result, model[STEPS % 2], sizeof(result));
    drop_all(program, kernel, mem);
    return late;
}

/* The first step brings all in from the host, and speeds may be unknown then. Afterwards most of it stays,
 * and what comes from devices goes to others; how much that is depends on how evenly the machine runs. */
static const struct {
    const char *algo, *devices, *speed;
    unsigned from;
} cases[] = {
    {"sigmoid", "2", "0.013", 2},
    {"sigmoid", "2", "0.015,0.005", 4},
    {"sigmoid", "4", "0.005", 2},
    {"dynamic", "2", "0.013", 2},
    {"hguided", "2", "0.013", 2},
    {"auto", "2", "0.013", 4},
    {"hguided", "4", "0.005,0.005,0.01", 4},
    {"auto", "4", "0.005", 4},
};

START_TEST(halos_move)
{
    size_t least;
    stubs(cases[_i].algo, cases[_i].devices, cases[_i].speed);
    const struct moved moved = iterate(cases[_i].from, &least);
    const size_t all = (STEPS - cases[_i].from) * (size_t)N;
    ck_assert_msg(least < 3 * N / 8 && moved.out < moved.in + all / 4,
                  "%zu in, %zu out, of %zu; %zu at least", moved.in, moved.out, all, least);
}
END_TEST

/* Where moving inputs costs far more than computing with them, a device gets one share of a step, from its
 * part. On a busy machine a device may seem to have become slow, and then gets less at first. */
START_TEST(parts_are_kept)
{
    static const char *const algos[] = {"sigmoid", "dynamic", "hguided", "auto"};
    size_t least;
    stubs(algos[_i], "3", "0.005");
    setenv("COEXEC_SPLIT", "auto", 1);
    set_variable("link", "0.000001");
    (void)iterate(2, &least);
    ck_assert_uint_gt(steps_of_shares, (STEPS - 2) / 2);
}
END_TEST

/* A device is late with a package now and then: others take of its part of the range, and what they lack. */
static const char *const strays[][2] = {
    {"sigmoid", "2"}, {"sigmoid", "4"}, {"dynamic", "3"}, {"hguided", "3"}, {"auto", "3"}, {"adaptive", "2"},
};
static const char late[] = "0:4:20,1:7:20,2:11:20,3:9:20,0:17:30,1:15:30,2:21:20";

START_TEST(strays_fetch)
{
    size_t least;
    stubs(strays[_i][0], strays[_i][1], "0.02");
    setenv("STUB_LATE", late, 1);
    (void)iterate(0, &least);
}
END_TEST

/* The same where packages read what they write, and where a device works in place. */
START_TEST(updates_fetch)
{
    const size_t items = N, local = LOCAL;
    cl_program program;
    cl_mem mem[2];
    int bad = 0;
    stubs(strays[_i][0], strays[_i][1], "0.02");
    setenv("STUB_LATE", late, 1);
    if (_i % 2)
        setenv("STUB_IN_PLACE", "0,1,0,1", 1);
    cl_kernel kernel = open_kernel(&program, "stub_inc");
    make_plate(mem);
    cl_set_mem(kernel, 0, mem[0]);
    for (unsigned s = 0; s < STEPS; s++) {
        cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
        if (s % 3 == 0)
            cl_ok(clFinish(cl.queue));
    }
    cl_read(mem[0], result, sizeof(result));
    for (size_t i = 0; i < N; i++)
        bad += result[i] != plate[i] + STEPS;
    ck_assert_int_eq(bad, 0);
    drop_all(program, kernel, mem);
}
END_TEST

/* The k-th read of a device's memory fails, at once or later: the program hears of it or has right results.
 */
START_TEST(reads_fail)
{
    const size_t items = N, local = LOCAL;
    static const char *const names[] = {"sigmoid", "dynamic", "auto"};
    cl_program program;
    cl_mem mem[2];
    char fail[64];
    bool told = false;
    stubs(names[_i % 3], "3", "0.05");
    setenv("STUB_LATE", "0:4:5,1:7:5,2:11:5,0:13:5", 1);
    snprintf(fail, sizeof(fail), "clEnqueueReadBuffer:%d:-5%s", _i / 3 * 2 + 1, _i % 2 ? ":event" : "");
    setenv("STUB_FAIL", fail, 1);
    cl_kernel kernel = open_kernel(&program, "stub_smooth");
    make_plate(mem);
    cl_set_int(kernel, 2, N);
    for (unsigned s = 0; s < STEPS && !told; s++) {
        cl_set_mem(kernel, 0, mem[s % 2]);
        cl_set_mem(kernel, 1, mem[(s + 1) % 2]);
        cl_event event;
        cl_int status;
        cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, &event));
        (void)clWaitForEvents(1, &event);
        cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
        told = status < 0;
        cl_ok(clReleaseEvent(event));
        smooth(model[s % 2], model[(s + 1) % 2]);
    }
    if (!told)
        told = clEnqueueReadBuffer(cl.queue, mem[STEPS % 2], CL_TRUE, 0, sizeof(result), result, 0, NULL,
                                   NULL) != CL_SUCCESS;
    if (!told)
        ck_assert_mem_eq(result, model[STEPS % 2], sizeof(result));
    drop_all(program, kernel, mem);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("owners");
    TCase *tc = tcase_create("owners");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, halos_move, 0, sizeof(cases) / sizeof(*cases));
    tcase_add_loop_test(tc, parts_are_kept, 0, 4);
    tcase_add_loop_test(tc, strays_fetch, 0, sizeof(strays) / sizeof(*strays));
    tcase_add_loop_test(tc, updates_fetch, 0, sizeof(strays) / sizeof(*strays));
    tcase_add_loop_test(tc, reads_fail, 0, 36);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
