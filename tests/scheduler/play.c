/* SPDX-License-Identifier: MIT */
/*
 * Whole programs played against the decisions: random ones lose no more than the account holds, and those
 * that a second device suits come to use it.
 */
#include "scheduler/play.h"
#include "tests/scheduler/suites.h"

#include <math.h>
#include <stdlib.h>

static double between(double low, double high) /* evenly in the logarithm */
{
    return low * pow(high / low, (double)random() / 2147483648.0);
}

static uint32_t some_buffers(unsigned of)
{
    return (uint32_t)random() & (uint32_t)random() & ((UINT32_C(1) << of) - 1);
}

enum { KERNELS = 5, BUFFERS = 4, STEPS = 8 };

static struct cx_play_costs random_costs(void)
{
    struct cx_play_costs costs = cx_play_defaults;
    costs.speed = between(0.1, 4);
    costs.open = between(1e-3, 0.5);
    costs.first = between(1e-5, 0.05);
    costs.link = between(1e9, 1e11);
    costs.off = random() % 2 ? 1 : between(0.25, 8);
    costs.bound = between(1, 4);
    return costs;
}

static void random_steps(struct cx_play *play, struct cx_play_step *steps, unsigned count)
{
    double seconds[KERNELS];
    for (unsigned i = 0; i < BUFFERS; i++)
        play->buffer[i].bytes = between(64, 1e9);
    for (unsigned i = 0; i < KERNELS; i++) {
        play->kernel[i].speed = random() % 2 ? 0 : between(0.05, 8);
        play->kernel[i].merges = random() % 4 == 0;
        seconds[i] = between(3e-6, 0.03);
    }
    for (unsigned i = 0; i < count; i++) {
        const bool launch = i == 0 || random() % 3 > 0;
        const unsigned which = (unsigned)random() % (launch ? KERNELS : BUFFERS);
        steps[i] =
            launch
                ? (struct cx_play_step){CX_PLAY_LAUNCH,        which,
                                        seconds[which],        some_buffers(BUFFERS),
                                        some_buffers(BUFFERS), some_buffers(BUFFERS)}
                : (struct cx_play_step){random() % 2 ? CX_PLAY_UPLOAD : CX_PLAY_READ, which, 4096, 0, 0, 0};
    }
}

/* Against the first device alone: the account, what is invested, what the bounds did not say, and what
 * opening the other one takes from launches meanwhile. */
START_TEST(programs_lose_no_more_than_the_account)
{
    unsigned opened = 0, gained = 0;
    for (unsigned seed = 0; seed < 400; seed++) {
        struct cx_play play;
        struct cx_play_step steps[STEPS];
        srandom(seed);
        const struct cx_play_costs costs = random_costs();
        const unsigned count = 1 + (unsigned)random() % STEPS;
        cx_play_init(&play, &costs);
        random_steps(&play, steps, count);
        const struct cx_play_result *result = &play.result;
        for (unsigned i = 0; i < 3000; i++) {
            cx_play_step(&play, &steps[i % count]);
            const double most = (CX_BUDGET_SHARE + CX_BUDGET_INVESTED) * result->busy + result->beyond +
                                costs.open * costs.suffer;
            ck_assert_msg(result->seconds <= result->alone + most + 1e-9,
                          "seed %u, step %u: %g s for %g, busy %g, beyond bounds %g, lost %g, gained %g",
                          seed, i, result->seconds, result->alone, result->busy, result->beyond, result->lost,
                          result->gained);
        }
        opened += result->opened >= 0;
        gained += result->seconds < 0.95 * result->alone;
    }
    ck_assert_uint_gt(opened, 50);
    ck_assert_uint_gt(gained, 20);
}
END_TEST

/* Two plates that change places: the first launch split is an investment, the second follows its data. */
START_TEST(stencils_move_once)
{
    struct cx_play play;
    cx_play_init(&play, NULL);
    play.buffer[0].bytes = play.buffer[1].bytes = 256e6;
    const struct cx_play_step there = {CX_PLAY_LAUNCH, 0, 2e-3, 1, 0, 2},
                              back = {CX_PLAY_LAUNCH, 1, 2e-3, 2, 0, 1};
    for (unsigned i = 0; i < 4000; i++)
        cx_play_step(&play, i % 2 ? &back : &there);
    ck_assert_uint_le(play.result.trials, 2);
    ck_assert_double_lt(play.result.seconds, 0.75 * play.result.alone);
    ck_assert_double_gt(play.result.opened, 0.9);
}
END_TEST

/* The other device is a tenth as fast: estimates may be wrong by what it gains, splits that were measured
 * not. */
START_TEST(small_gains_come_by_measurement)
{
    struct cx_play play;
    struct cx_play_costs costs = cx_play_defaults;
    costs.speed = 0.1;
    cx_play_init(&play, &costs);
    for (unsigned k = 0; k < CX_PLAY_KERNELS; k++)
        play.kernel[k].speed = 0.1;
    const struct cx_play_step step = {CX_PLAY_LAUNCH, 0, 50e-3, 0, 0, 0};
    for (unsigned i = 0; i < 2000; i++)
        cx_play_step(&play, &step);
    ck_assert_double_lt(play.result.seconds, 0.95 * play.result.alone);
}
END_TEST

/* Programs too short for it open nothing and take what they took. */
START_TEST(short_programs_are_left_alone)
{
    struct cx_play play;
    cx_play_init(&play, NULL);
    const struct cx_play_step step = {CX_PLAY_LAUNCH, 0, 2e-3, 1, 0, 1};
    for (unsigned i = 0; i < 400; i++)
        cx_play_step(&play, &step);
    ck_assert(play.result.opened < 0 && play.result.seconds == play.result.alone);
    ck_assert_uint_eq(play.result.splits, 0);
}
END_TEST

Suite *cx_test_play(void)
{
    Suite *suite = suite_create("play");
    TCase *tcase = tcase_create("programs");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, programs_lose_no_more_than_the_account);
    tcase_add_test(tcase, stencils_move_once);
    tcase_add_test(tcase, small_gains_come_by_measurement);
    tcase_add_test(tcase, short_programs_are_left_alone);
    suite_add_tcase(suite, tcase);
    return suite;
}
