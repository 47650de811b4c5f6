/* SPDX-License-Identifier: MIT */
/*
 * The outstanding work of a member (outstanding.h), beside a list of all its launches.
 */
#include "capture.h"
#include "layer/plan/device_load.h"
#include "layer/plan/outstanding.h"

#include <string.h>

enum { MOST = 4000 };

static struct {
    struct cx_worker worker;
    struct cx_context context;
    struct cx_planner planner;
    struct cx_device_load load;
    double seconds[MOST]; /* of the launch at each position */
    uint64_t random;
} t;

static void setup(void)
{
    clean_environment();
    memset(&t, 0, sizeof(t));
    t.planner.loads = &t.load;
    t.context.planner = &t.planner;
    t.worker.context = &t.context;
    t.random = 4711;
}

static double draw(void)
{
    t.random = t.random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(t.random >> 40) / (1 << 24);
}

static void plan(double seconds)
{
    cx_outstanding_add(&t.worker, seconds);
    t.seconds[++t.worker.timeline.planned] = seconds;
}

/* What is left once all up to this position is complete. */
static double left_behind(uint64_t position)
{
    double seconds = 0;
    for (uint64_t seq = position + 1; seq <= t.worker.timeline.planned; seq++)
        seconds += t.seconds[seq];
    return seconds;
}

START_TEST(nothing)
{
    ck_assert_double_eq(cx_outstanding_seconds(&t.worker), 0);
    plan(0);
    ck_assert_double_eq(cx_outstanding_seconds(&t.worker), 0);
    ck_assert_uint_eq(cx_outstanding_seq(&t.worker, 1), 1);
}
END_TEST

/* One that takes longer than what is asked for: the rest of the work is over when it begins. */
START_TEST(one_long)
{
    plan(2e-3);
    plan(0.5);
    ck_assert_double_eq_tol(cx_outstanding_seconds(&t.worker), 0.502, 1e-9);
    ck_assert_uint_eq(cx_outstanding_seq(&t.worker, 15e-3), 1);
    atomic_store(&t.worker.timeline.completed, 1);
    ck_assert_double_eq_tol(cx_outstanding_seconds(&t.worker), 0.5, 1e-9);
    atomic_store(&t.worker.timeline.completed, 2);
    ck_assert_double_eq(cx_outstanding_seconds(&t.worker), 0);
}
END_TEST

/* Launches of 1 us to 4 ms, some of which are not known, and completions at any time: never less than what is
 * left of the last 64 ms, and more by what lies between two notes at most. Of the position it is told that it
 * leaves what was asked for, if it is not the last note. */
START_TEST(random_launches)
{
    for (unsigned i = 0; i + 1 < MOST; i++) {
        const double kind = draw();
        plan(kind < 0.1 ? 0 : kind < 0.6 ? draw() * 50e-6 : draw() * 4e-3);
        const uint64_t planned = t.worker.timeline.planned,
                       completed = atomic_load(&t.worker.timeline.completed);
        atomic_store(&t.worker.timeline.completed,
                     completed + (uint64_t)(draw() * draw() * (double)(planned - completed + 1)));
        const double left = left_behind(atomic_load(&t.worker.timeline.completed)),
                     told = cx_outstanding_seconds(&t.worker);
        ck_assert_double_ge(told + 1e-9, left < 60e-3 ? left : 60e-3);
        ck_assert_double_le(told, left + 5e-3 + 1e-9);
        const double wanted = draw() * 30e-3, then = left_behind(cx_outstanding_seq(&t.worker, wanted));
        ck_assert_double_le(then, (wanted > 5e-3 ? wanted : 5e-3) + 1e-9);
        ck_assert(then >= wanted - 5e-3 || left_behind(0) <= wanted + 5e-3);
    }
}
END_TEST

/* Events are for programs that enqueue much at once: one that waits for its launches, alone or a few
 * together, pays for none. */
START_TEST(events_where_much_is_ahead)
{
    for (unsigned i = 0; i < 1000; i++) {
        plan(0.3e-3);
        if (i % 10 == 9)
            atomic_store(&t.worker.timeline.completed, t.worker.timeline.planned);
    }
    ck_assert(!atomic_load(&t.worker.timeline.tell_next));
    for (unsigned i = 0; i < 100; i++)
        plan(0.3e-3);
    ck_assert(atomic_load(&t.worker.timeline.tell_next));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("outstanding");
    TCase *tcase = tcase_create("outstanding");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, nothing);
    tcase_add_test(tcase, one_long);
    tcase_add_test(tcase, random_launches);
    tcase_add_test(tcase, events_where_much_is_ahead);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
