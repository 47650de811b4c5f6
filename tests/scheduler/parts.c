/* SPDX-License-Identifier: MIT */
/*
 * Parts that devices keep, in a modelled program: launches over devices whose measured speeds are noisy, each
 * of which computes what it has, and moves what its part grew by.
 */
#include "scheduler/parts.h"
#include "tests/scheduler/suites.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { DEVICES = 4, GROUPS = 1000 };

struct world {
    double speed[DEVICES], noise; /* work-groups/s; the relative error of what is measured */
    double owned[DEVICES];
    double move_seconds;
    struct cx_parts parts;
    uint64_t state;
    double computed, moved; /* seconds of all launches, and of their moves */
    unsigned cuts;
};

static double roll(struct world *world)
{
    world->state = world->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(world->state >> 11) / (double)(UINT64_C(1) << 53);
}

static void begin(struct world *world, double noise, double move_seconds)
{
    *world = (struct world){.noise = noise, .move_seconds = move_seconds, .state = 7};
    for (unsigned i = 0; i < DEVICES; i++) {
        world->speed[i] = 1000;
        world->owned[i] = 0.25;
    }
}

static void run(struct world *world, unsigned launches)
{
    for (unsigned l = 0; l < launches; l++) {
        double speed[DEVICES], part[DEVICES], end = 0, moved = 0, sum = 0;
        for (unsigned i = 0; i < DEVICES; i++)
            speed[i] = world->speed[i] * (1 + world->noise * (2 * roll(world) - 1));
        const struct cx_parts_launch launch = {DEVICES, GROUPS, world->move_seconds, world->owned, speed};
        world->cuts += !cx_parts_cut(&world->parts, &launch, part);
        for (unsigned i = 0; i < DEVICES; i++) {
            ck_assert(part[i] >= 0);
            end = fmax(end, part[i] * GROUPS / world->speed[i]);
            moved += fmax(part[i] - world->owned[i], 0) * GROUPS * world->move_seconds;
            sum += part[i];
        }
        ck_assert_double_eq_tol(sum, 1, 1e-9);
        memcpy(world->owned, part, sizeof(part));
        world->computed += end;
        world->moved += moved;
    }
}

/* The time of launches whose parts are by speed. */
static double ideal(const struct world *world, unsigned launches)
{
    double speeds = 0;
    for (unsigned i = 0; i < DEVICES; i++)
        speeds += world->speed[i];
    return launches * GROUPS / speeds;
}

START_TEST(equal_devices_move_nothing)
{
    struct world world;
    begin(&world, 0, 0.01);
    run(&world, 1000);
    ck_assert_double_lt(world.moved, 1e-9);
    ck_assert_double_eq_tol(world.computed, ideal(&world, 1000), 1e-6);
}
END_TEST

/* With parts by the speeds of each launch, moves would take ten times as long as computing. */
START_TEST(noise_moves_little)
{
    struct world world;
    begin(&world, 0.1, 0.1);
    run(&world, 1000);
    ck_assert_double_lt(world.computed + world.moved, 1.1 * ideal(&world, 1000));
}
END_TEST

/* Parts become uneven: launches lose no more by it than moving costs, and then no more at all. */
START_TEST(a_slower_device_gives_up_groups)
{
    struct world world;
    begin(&world, 0, 0.1);
    run(&world, 100);
    world.speed[1] = 500;
    world.computed = world.moved = 0;
    run(&world, 1000);
    const double over = world.computed - ideal(&world, 1000);
    ck_assert_double_gt(world.moved, 0);
    ck_assert_double_lt(over, 3 * world.moved);
    world.computed = world.moved = 0;
    run(&world, 1000);
    ck_assert_double_lt(world.computed + world.moved, 1.03 * ideal(&world, 1000));
}
END_TEST

START_TEST(cheap_moves_follow_speeds)
{
    struct world world;
    begin(&world, 0, 1e-6);
    world.speed[2] = 3000;
    run(&world, 100);
    ck_assert_double_lt(world.computed + world.moved, 1.01 * ideal(&world, 100));
}
END_TEST

START_TEST(what_is_unknown)
{
    struct cx_parts parts = {0};
    const double none[3] = {0, 0, 0}, owned[3] = {1, 3, 0}, speed[3] = {10, 0, 20},
                 odd[3] = {NAN, 1, INFINITY};
    double part[3];
    const struct cx_parts_launch nothing = {3, 10, 1, none, none}, unknown = {3, 10, 1, owned, speed},
                                 strange = {3, 10, NAN, odd, odd};
    ck_assert(!cx_parts_cut(&parts, &nothing, part));
    ck_assert_double_eq_tol(part[2], 1.0 / 3, 1e-12);
    ck_assert(cx_parts_cut(&parts, &unknown, part));
    ck_assert_double_eq_tol(part[1], 0.75, 1e-12);
    ck_assert(cx_parts_cut(&parts, &strange, part));
    ck_assert_double_eq_tol(part[1], 1, 1e-12);
}
END_TEST

Suite *cx_test_parts(void)
{
    Suite *suite = suite_create("parts");
    TCase *tc = tcase_create("parts");
    tcase_add_test(tc, equal_devices_move_nothing);
    tcase_add_test(tc, noise_moves_little);
    tcase_add_test(tc, a_slower_device_gives_up_groups);
    tcase_add_test(tc, cheap_moves_follow_speeds);
    tcase_add_test(tc, what_is_unknown);
    suite_add_tcase(suite, tc);
    return suite;
}
