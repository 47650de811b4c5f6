/* SPDX-License-Identifier: MIT */
/*
 * Launches that follow their data or go to the device that is faster at them, in modelled programs on two
 * devices that share nothing: held against all launches on one device, and against going each time.
 */
#include "scheduler/follow.h"
#include "tests/scheduler/suites.h"

#include <math.h>
#include <stdint.h>

/* A kernel: seconds on either device, and to move what it reads, or writes, to the other. */
struct kernel {
    double seconds[2], move;
    struct cx_follow_record record;
};

struct world {
    unsigned holder; /* of the data */
    double took;
    unsigned moves;
    uint64_t state;
};

static double roll(struct world *world)
{
    world->state = world->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(world->state >> 11) / (double)(UINT64_C(1) << 53);
}

static unsigned fastest(const struct kernel *kernel)
{
    return kernel->seconds[1] < kernel->seconds[0];
}

static void run_on(struct world *world, const struct kernel *kernel, unsigned device)
{
    world->moves += device != world->holder;
    world->took += kernel->seconds[device] + (device != world->holder ? kernel->move : 0);
    world->holder = device;
}

static void follow(struct world *world, struct kernel *kernel, double once)
{
    const unsigned here = world->holder, there = fastest(kernel);
    const struct cx_follow_launch launch = {.here = kernel->seconds[here],
                                            .there = kernel->seconds[there],
                                            .bring_there = kernel->move,
                                            .back = kernel->move,
                                            .once = once};
    const bool stays = here == there || cx_follow_stays(&kernel->record, &launch);
    if (stays && here != there)
        world->took += once;
    run_on(world, kernel, stays ? here : there);
}

/* Gaussian elimination: a column is divided (short, a hair faster on one device), the matrix is updated
 * (long, faster on the other). To go each time takes several times as long. */
START_TEST(a_short_kernel_stays_between_long_ones)
{
    struct kernel divide = {.seconds = {10e-6, 12e-6}, .move = 1e-3},
                  update = {.seconds = {1.2e-3, 1e-3}, .move = 1e-3};
    struct world world = {.holder = 0};
    for (unsigned step = 0; step < 1000; step++) {
        follow(&world, &divide, 0);
        follow(&world, &update, 0);
    }
    const double alone = 1000 * (12e-6 + 1e-3);
    ck_assert_double_lt(world.took, 1.02 * alone);
    ck_assert_uint_lt(world.moves, 10);
}
END_TEST

/* Where the data lies with the slower device all the launches of a kernel move them, sooner or later. */
START_TEST(a_long_sequence_moves)
{
    for (uint64_t seed = 1; seed < 1000; seed++) {
        struct world world = {.holder = 1, .state = seed};
        const double fast = 1e-6 + roll(&world) * 1e-3, slow = fast * (1 + 10 * roll(&world)),
                     move = 1e-2 * roll(&world);
        const unsigned launches = 1 + (unsigned)(10000 * roll(&world));
        struct kernel kernel = {.seconds = {fast, slow}, .move = move};
        for (unsigned l = 0; l < launches; l++)
            follow(&world, &kernel, 0);
        const double stays = launches * slow, goes = move + launches * fast;
        ck_assert_double_le(world.took, goes + 2 * move + slow);
        ck_assert_double_le(world.took, fmin(stays, goes) * 3 + slow);
        ck_assert_uint_le(world.moves, 1);
    }
}
END_TEST

/* What the device of the data has to do once is done when going has cost as much. */
START_TEST(what_is_done_once)
{
    struct kernel divide = {.seconds = {10e-6, 12e-6}, .move = 1e-3},
                  update = {.seconds = {1.2e-3, 1e-3}, .move = 1e-3};
    struct world world = {.holder = 1};
    const double once = 50e-3;
    bool known = false;
    for (unsigned step = 0; step < 1000; step++) {
        follow(&world, &divide, known ? 0 : once);
        known |= world.holder == 1;
        follow(&world, &update, 0);
    }
    ck_assert(known);
    ck_assert_double_lt(world.took, 1.25 * 1000 * (12e-6 + 1e-3) + 2 * once);
}
END_TEST

/* Programs of some kernels at random, whose data all of them use. Going each time is never better by more
 * than what staying may lose before a kernel goes, which is bounded for each time that it goes. */
START_TEST(never_far_worse_than_going)
{
    enum { KERNELS = 3, LAUNCHES = 2000 };
    for (uint64_t seed = 1; seed < 500; seed++) {
        struct world world = {.state = seed}, goes = {.holder = 0};
        struct kernel kernel[KERNELS];
        const double move = 1e-2 * roll(&world) * roll(&world);
        for (unsigned k = 0; k < KERNELS; k++) {
            const double seconds = 1e-2 * pow(roll(&world), 4);
            kernel[k] = (struct kernel){
                .seconds = {seconds * (1 + roll(&world)), seconds * (1 + roll(&world))}, .move = move};
        }
        for (unsigned l = 0; l < LAUNCHES; l++) {
            struct kernel *next = &kernel[(unsigned)(roll(&world) * KERNELS)];
            run_on(&goes, next, fastest(next));
            follow(&world, next, 0);
        }
        ck_assert_msg(world.took <= 1.5 * goes.took + KERNELS * 3 * move, "seed %u: %g s, not %g",
                      (unsigned)seed, world.took, goes.took);
    }
}
END_TEST

/* One time that was measured wrong, as the thread had lost the core, does not keep a kernel away from its
 * data for good: what going costs pays for a second look. One that was right is looked at ever more seldom.
 */
START_TEST(a_time_that_is_wrong_is_found_out)
{
    for (unsigned slow = 0; slow < 2; slow++) {
        struct cx_follow_record record = {0};
        const double goes = 10e-6 + 1e-3, truth = slow ? 5e-3 : 12e-6;
        double here = 20e-3, took = 0;
        for (unsigned step = 0; step < 1000; step++) { /* the others of each step bring the data back */
            const struct cx_follow_launch launch = {
                .here = here, .there = 10e-6, .bring_there = 1e-3, .back = 1e-3};
            const bool stays = cx_follow_stays(&record, &launch);
            took += stays ? truth : goes + 1e-3;
            here = stays ? 0.7 * here + 0.3 * truth : here; /* as records forget */
        }
        ck_assert_double_lt(took, slow ? 1000 * (goes + 1e-3) + 8 * truth : 1000 * truth + 40 * 2 * goes);
    }
}
END_TEST

Suite *cx_test_follow(void)
{
    Suite *suite = suite_create("follow");
    TCase *tests = tcase_create("follow");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, a_short_kernel_stays_between_long_ones);
    tcase_add_test(tests, a_long_sequence_moves);
    tcase_add_test(tests, what_is_done_once);
    tcase_add_test(tests, a_time_that_is_wrong_is_found_out);
    tcase_add_test(tests, never_far_worse_than_going);
    return suite;
}
