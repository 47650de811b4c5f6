/* SPDX-License-Identifier: MIT */
/*
 * Homes, pool and what lies aside: every step is handed out once, in runs, whatever is asked and returned.
 */
#include "scheduler/ranges.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325252u;

static uint64_t random_below(uint64_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % limit;
}

static void mark(unsigned char *seen, struct cx_range range)
{
    for (uint64_t s = range.first; s < range.end; s++)
        ck_assert_uint_eq(seen[s]++, 0);
}

/* One random problem: parts take at random, now and then a run comes back once. */
static void hand_out(void)
{
    unsigned n = 1 + (unsigned)random_below(5);
    uint64_t steps = 1 + random_below(300), granularity = 1 + random_below(4);
    double weight[5];
    struct cx_range aside = {0, 0};
    unsigned char seen[300] = {0};
    struct cx_ranges ranges;

    for (unsigned p = 0; p < n; p++)
        weight[p] = random_below(4) ? 1 + (double)random_below(100) : 0;
    if (random_below(2)) {
        uint64_t units = steps / granularity;
        aside.first = random_below(units + 1) * granularity;
        aside.end = aside.first + random_below(units + 1 - aside.first / granularity) * granularity;
    }
    ck_assert(cx_ranges_init(&ranges, n, weight, steps, granularity, aside));
    mark(seen, aside);
    unsigned returns = 0;
    for (;;) {
        uint64_t want = (1 + random_below(12)) * granularity;
        if (random_below(6) == 0 && want > granularity)
            want -= 1; /* a share with the remainder of the range in it */
        struct cx_range range = cx_ranges_take(&ranges, (unsigned)random_below(n), want);
        ck_assert_uint_le(range.end - range.first, want);
        if (range.first == range.end)
            break;
        ck_assert_uint_eq(range.first % granularity, 0);
        ck_assert(range.end % granularity == 0 || range.end == steps);
        if (returns < n && random_below(8) == 0) {
            returns++;
            cx_ranges_return(&ranges, range);
        } else {
            mark(seen, range);
        }
    }
    for (uint64_t s = 0; s < steps; s++)
        ck_assert_uint_eq(seen[s], 1);
    cx_ranges_finish(&ranges);
}

START_TEST(every_step_once)
{
    for (int i = 0; i < 1500; i++)
        hand_out();
}
END_TEST

START_TEST(neighbours_meet)
{
    const double weight[] = {1, 1};
    struct cx_ranges ranges;
    ck_assert(cx_ranges_init(&ranges, 2, weight, 100, 1, (struct cx_range){0, 0}));
    struct cx_range a = cx_ranges_take(&ranges, 0, 10), b = cx_ranges_take(&ranges, 1, 10);
    ck_assert_uint_eq(a.first, 0);
    ck_assert_uint_eq(b.end, 100);
    a = cx_ranges_take(&ranges, 0,
                       45); /* a little more than the home holds: on into the neighbour's, in one run */
    ck_assert_uint_eq(a.first, 10);
    ck_assert_uint_eq(a.end, 55);
    a = cx_ranges_take(&ranges, 0, 5); /* home used up: from the other's, where that would have come last */
    ck_assert_uint_eq(a.first, 55);
    ck_assert_uint_eq(a.end, 60);
    b = cx_ranges_take(&ranges, 1, 1000);
    ck_assert_uint_eq(b.first, 60);
    ck_assert_uint_eq(b.end, 90);
    cx_ranges_finish(&ranges);
}
END_TEST

START_TEST(closed_partitions_wait_for_their_part)
{
    const double weight[] = {1, 1};
    struct cx_ranges ranges;
    ck_assert(cx_ranges_init(&ranges, 2, weight, 100, 1, (struct cx_range){0, 0}));
    cx_ranges_close(&ranges);
    cx_ranges_open(&ranges, 0);
    struct cx_range a = cx_ranges_take(&ranges, 0, 80);
    ck_assert_uint_eq(a.end, 50);
    ck_assert(!cx_ranges_any(&ranges, 0));
    ck_assert(cx_ranges_any(&ranges, 1));
    cx_ranges_open(&ranges, 1);
    ck_assert(cx_ranges_any(&ranges, 0));
    cx_ranges_finish(&ranges);
}
END_TEST

START_TEST(borders_keep_the_granularity)
{
    const double weight[] = {3, 2, 2};
    struct cx_ranges ranges;
    ck_assert(cx_ranges_init(&ranges, 3, weight, 103, 8, (struct cx_range){0, 0}));
    for (unsigned p = 0; p < 3; p++)
        ck_assert_uint_eq(ranges.partition[p].first % 8, 0);
    ck_assert_uint_eq(ranges.partition[2].end, 103);
    cx_ranges_finish(&ranges);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ranges");
    TCase *tcase = tcase_create("ranges");
    tcase_add_test(tcase, every_step_once);
    tcase_add_test(tcase, neighbours_meet);
    tcase_add_test(tcase, closed_partitions_wait_for_their_part);
    tcase_add_test(tcase, borders_keep_the_granularity);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
