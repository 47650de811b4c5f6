/* SPDX-License-Identifier: MIT */
/*
 * Chains of launches that one device alone can do, in several queues or in one without order, of a program
 * that begins on one of two equal stub GPUs: where independent ones go, and that others stay together. Which
 * chain a launch is of is told by how many work-items it has.
 */
#include "begin_fixture.h"
#include "cl_fixture.h"
#include "cl_folder.h"
#include "cl_timeline.h"

#include <stdio.h>
#include <string.h>

enum { CHAINS = 4, ITEMS = 4096, FEW = 128, SPANS = 65536 };

static struct chain {
    cl_command_queue queue; /* its own, or one for all */
    cl_mem data[2], count;
    size_t items;
    cl_event last;
    unsigned steps;
} chains[CHAINS];

static unsigned nchains;
static bool by_events;
static bool one_input; /* all of them read one buffer, of zeros */
static bool no_local;  /* the driver chooses the size of work-groups */

/* shared: bytes of one buffer that all of them write; 0: none. */
static void open_chains(unsigned n, size_t items, size_t shared)
{
    static cl_int zeros[ITEMS + CHAINS * LOCAL];
    cl_mem all = shared ? cl_buffer(0, shared, NULL) : NULL;
    nchains = n;
    for (unsigned c = 0; c < n; c++) {
        struct chain *chain = &chains[c];
        chain->items = items + c * LOCAL;
        chain->queue = by_events && c ? chains[0].queue
                       : by_events    ? cl_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
                                      : cl_queue(0);
        for (unsigned b = 0; b < 2; b++)
            chain->data[b] = b == 0 && c && one_input ? chains[0].data[0]
                                                      : cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(zeros), zeros);
        chain->count = shared ? all : cl_buffer(CL_MEM_COPY_HOST_PTR, 2 * sizeof(cl_int), zeros);
    }
}

static void step(struct chain *chain)
{
    const size_t local = LOCAL;
    cl_event before = chain->last;
    cl_set_mem(begin.kernel, 0, chain->data[one_input ? 0 : chain->steps % 2]);
    cl_set_mem(begin.kernel, 1, chain->data[one_input ? 1 : (chain->steps + 1) % 2]);
    cl_set_mem(begin.kernel, 2, chain->count);
    cl_set_int(begin.kernel, 3, begin.iterations);
    cl_ok(clEnqueueNDRangeKernel(chain->queue, begin.kernel, 1, NULL, &chain->items, no_local ? NULL : &local,
                                 by_events && before ? 1 : 0, by_events && before ? &before : NULL,
                                 by_events ? &chain->last : NULL));
    if (before)
        cl_ok(clReleaseEvent(before));
    chain->steps++;
}

/* So many steps of each chain, one of each in turn or all of one after the other's, then the host waits for
 * all. */
static void run_chains_in(bool turns, unsigned steps)
{
    for (unsigned i = 0; i < steps * nchains; i++)
        step(&chains[turns ? i % nchains : i / steps]);
    for (unsigned c = 0; c < nchains; c++)
        cl_ok(clFlush(chains[c].queue));
    for (unsigned c = 0; c < nchains; c++)
        cl_ok(clFinish(chains[c].queue));
}

static void run_chains(unsigned steps)
{
    run_chains_in(true, steps);
}

/* All numbers of a chain say how often it stepped; of those with one input, that they did. */
static void check_chains(void)
{
    static cl_int got[ITEMS + CHAINS * LOCAL];
    for (unsigned c = 0; c < nchains; c++) {
        const struct chain *chain = &chains[c];
        const unsigned want = one_input ? 1 : chain->steps;
        cl_ok(clEnqueueReadBuffer(chain->queue, chain->data[one_input ? 1 : chain->steps % 2], CL_TRUE, 0,
                                  chain->items * sizeof(cl_int), got, 0, NULL, NULL));
        for (size_t i = 0; i < chain->items; i++)
            ck_assert_msg(got[i] == (cl_int)want, "chain %u, %zu: %d, not %u", c, i, got[i], want);
    }
}

static void end_chains(void)
{
    check_chains();
    for (unsigned c = 0; c < nchains; c++) {
        if (chains[c].last)
            cl_ok(clReleaseEvent(chains[c].last));
        for (unsigned b = one_input && c; b < 2; b++)
            cl_ok(clReleaseMemObject(chains[c].data[b]));
        if (c == 0 || chains[c].count != chains[0].count)
            cl_ok(clReleaseMemObject(chains[c].count));
    }
    begin_end(0);
    cl_folder_remove();
}

/* Of the newest launches of each chain: how many each device did. */
struct counts {
    unsigned of[CHAINS][2];
};

static struct counts newest(unsigned most)
{
    static struct cl_span spans[SPANS];
    struct counts counts = {{{0}}};
    for (unsigned n = cl_spans_read(cl_folder_path("timeline"), spans, SPANS); n--;) {
        const unsigned c = (unsigned)(spans[n].count - chains[0].items) / LOCAL;
        if (cl_span_is(&spans[n], "kernel") && spans[n].count >= chains[0].items && c < nchains &&
            counts.of[c][0] + counts.of[c][1] < most)
            counts.of[c][spans[n].device]++;
    }
    return counts;
}

static unsigned done_by_second(void)
{
    const struct counts counts = newest(~0u);
    unsigned done = 0;
    for (unsigned c = 0; c < nchains; c++)
        done += counts.of[c][1];
    return done;
}

/* Chains of which each has all its newest launches on that device. */
static unsigned chains_on(const struct counts *counts, unsigned device)
{
    unsigned n = 0;
    for (unsigned c = 0; c < nchains; c++)
        n += counts->of[c][device] > 0 && counts->of[c][!device] == 0;
    return n;
}

/* Runs until half of the chains are on each device, and stay there. */
static bool spread(unsigned steps)
{
    bool is_spread = false;
    for (unsigned i = 0; i < 60 && !is_spread; i++) {
        for (unsigned k = 0; k < 5; k++)
            run_chains(steps);
        const struct counts counts = newest(20);
        is_spread = chains_on(&counts, 0) == nchains / 2 && chains_on(&counts, 1) == nchains / 2;
    }
    return is_spread;
}

static bool four_queues_use_both_once(void)
{
    begin_in_folder("0.128"); /* 2 ms each */
    open_chains(4, ITEMS, 0);
    const bool both = spread(4);
    end_chains();
    return both;
}

START_TEST(four_queues_use_both)
{
    begin.name = "stub_append";
    begin_ask_of_longer_ones(four_queues_use_both_once);
}
END_TEST

/* What all of them read is on both devices, also where their kernel is one that orders work-groups. */
static bool readers_of_one_buffer_use_both_once(void)
{
    one_input = true;
    begin_in_folder("0.128");
    open_chains(4, ITEMS, 0);
    const bool both = spread(4);
    end_chains();
    return both;
}

START_TEST(readers_of_one_buffer_use_both)
{
    begin.name = _i ? "stub_append_ordered" : "stub_append";
    begin_ask_of_longer_ones(readers_of_one_buffer_use_both_once);
}
END_TEST

static bool in_turns;

/* All are enqueued at once. */
static bool many_enqueued_at_once_use_both_once(void)
{
    begin_in_folder("0.128");
    open_chains(4, ITEMS, 0);
    run_chains_in(in_turns, 400);
    const struct counts counts = newest(20);
    end_chains();
    return chains_on(&counts, 0) == nchains / 2 && chains_on(&counts, 1) == nchains / 2;
}

START_TEST(many_enqueued_at_once_use_both)
{
    begin.name = "stub_append";
    in_turns = _i == 0;
    begin_ask_of_longer_ones(many_enqueued_at_once_use_both_once);
}
END_TEST

static bool one_queue_without_order_uses_both_once(void)
{
    by_events = true;
    begin_in_folder("0.128");
    open_chains(2, ITEMS, 0);
    const bool both = spread(4);
    end_chains();
    return both;
}

START_TEST(one_queue_without_order_uses_both)
{
    begin.name = "stub_append";
    begin_ask_of_longer_ones(one_queue_without_order_uses_both_once);
}
END_TEST

static void stay(unsigned n, size_t items, size_t shared)
{
    open_chains(n, items, shared);
    for (unsigned i = 0; i < 100; i++)
        run_chains(4);
    ck_assert_uint_eq(done_by_second(), 0);
    end_chains();
}

START_TEST(one_queue_in_order_stays)
{
    begin.name = "stub_append";
    begin_in_folder("0.128");
    stay(1, ITEMS, 0);
}
END_TEST

START_TEST(chains_that_write_one_buffer_stay)
{
    begin.name = "stub_append";
    setenv("STUB_LINK", "1000", 1);
    begin_in_folder("0.128");
    stay(4, ITEMS, 4 << 20);
}
END_TEST

START_TEST(short_launches_stay)
{
    begin.name = "stub_append";
    setenv("STUB_LINK", "1000", 1);
    begin_in_folder("0.4"); /* 20 us each */
    stay(4, FEW, 0);
}
END_TEST

/* A device that is slower than its like is left again, and is not tried for ever. */
START_TEST(slow_devices_are_left)
{
    begin.name = "stub_append";
    begin_in_folder("0.128,0.016");
    open_chains(4, ITEMS, 0);
    for (unsigned i = 0; i < 60; i++)
        run_chains(4);
    const struct counts counts = newest(20);
    const unsigned done = done_by_second();
    ck_assert_uint_eq(chains_on(&counts, 0), nchains);
    ck_assert_msg(done <= 50, "%u launches of 16 ms", done);
    end_chains();
}
END_TEST

/* ... also one that becomes so only later. */
START_TEST(devices_that_slow_down_are_left)
{
    begin.name = "stub_append";
    setenv("STUB_SLOW", "1:1500:100000:8", 1);
    begin_in_folder("0.128,0.128");
    open_chains(4, ITEMS, 0);
    ck_assert(spread(4));
    for (unsigned i = 0; i < 110; i++)
        run_chains(4);
    const struct counts counts = newest(20);
    ck_assert_uint_eq(chains_on(&counts, 0), nchains);
    end_chains();
}
END_TEST

/* ---- unlike devices ---- */

/* The first device begins, as by its nominal speed it is the faster one. */
static const struct unlike {
    const char *names, *units, *speed, *budget;
    unsigned chains, steps, rounds; /* steps: in each round */
    bool one_by_one, no_local, without_order;
    unsigned least, most; /* launches that the second device does */
} unlikes[] = {
    /* one of three chains takes there as long as two on the first device */
    {"fast,slow", "2,1", "0.128,0.064", NULL, 3, 400, 1, false, false, false, 150, 500},
    {"fast,slow", "2,1", "0.128,0.064", NULL, 3, 400, 1, true, false, false, 150, 500},
    /* a quarter of the speed gains nothing with three, a third does with four; half was expected */
    {"fast,slow", "2,1", "0.128,0.032", NULL, 3, 4, 100, false, false, false, 0, 40},
    {"fast,slow", "2,1", "0.128,0.0427", NULL, 4, 400, 1, false, false, false, 150, 500},
    /* eight times as slow, of which nominal speeds say nothing */
    {"fast,slow", "1,1", "0.128,0.016", NULL, 3, 400, 1, false, false, false, 0, 20},
    {"fast,slow", "1,1", "0.128,0.016", NULL, 3, 4, 100, false, false, false, 0, 20},
    {"twin,twin", "1,1", "0.064,0.004", NULL, 3, 4, 200, false, true, false, 0, 20},
    /* ... and all of one queue is enqueued while the first device is disturbed: as long as that is busy with
     * two chains the other one does 100 launches of the third */
    {"fast,slow", "1,1", "0.128,0.016", NULL, 3, 400, 1, false, false, true, 0, 200},
    /* nominal speeds hide a gain, which is found out once the account holds what that may lose */
    {"fast,slow", "4,1", "0.64,0.32", "0.5", 3, 8, 400, false, false, false, 100, 5000},
    {"fast,slow", "4,1", "0.64,0.08", "0.5", 3, 8, 400, false, false, false, 1, 20},
    {"fast,slow", "4,1", "0.64,0.32", NULL, 3, 8, 100, false, false, false, 0, 0},
};

START_TEST(unlike_devices)
{
    const struct unlike *unlike = &unlikes[_i];
    setenv("STUB_NAMES", unlike->names, 1);
    setenv("STUB_UNITS", unlike->units, 1);
    if (unlike->budget)
        setenv("COEXEC_BUDGET", unlike->budget, 1);
    no_local = unlike->no_local;
    by_events = unlike->without_order;
    if (unlike->without_order)
        setenv("STUB_SLOW", "0:0:200:4", 1);
    begin.name = "stub_append";
    begin_in_folder(unlike->speed);
    open_chains(unlike->chains, ITEMS, 0);
    for (unsigned i = 0; i < unlike->rounds; i++)
        run_chains_in(!unlike->one_by_one, unlike->steps);
    const unsigned done = done_by_second();
    ck_assert_msg(done >= unlike->least && done <= unlike->most, "case %d: %u launches", _i, done);
    end_chains();
}
END_TEST

/* Each is a case of its own, which CK_RUN_CASE chooses. */
static void add(Suite *suite, const char *name, const TTest *test, int times)
{
    TCase *tcase = tcase_create(name);
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, test, 0, times);
    suite_add_tcase(suite, tcase);
}

/* `unlike`: between unlike devices. */
int main(int argc, char **argv)
{
    Suite *suite = suite_create("chains");
    if (argc > 1 && !strcmp(argv[1], "unlike")) {
        add(suite, "unlike", unlike_devices, sizeof unlikes / sizeof *unlikes);
        return tap_run(suite);
    }
    add(suite, "queues", four_queues_use_both, 1);
    add(suite, "readers", readers_of_one_buffer_use_both, 2);
    add(suite, "at once", many_enqueued_at_once_use_both, 2);
    add(suite, "without order", one_queue_without_order_uses_both, 1);
    add(suite, "in order", one_queue_in_order_stays, 1);
    add(suite, "one buffer", chains_that_write_one_buffer_stay, 1);
    add(suite, "short", short_launches_stay, 1);
    add(suite, "slow", slow_devices_are_left, 1);
    add(suite, "slows", devices_that_slow_down_are_left, 1);
    return tap_run(suite);
}
