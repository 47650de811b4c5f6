/* SPDX-License-Identifier: MIT */
/*
 * Launches that stay whole for what a split would have to move, in a modelled program: buffers that are valid
 * at home, in parts or everywhere, kernels that read and write them, and a planner that decides launch by
 * launch what takes less time, moves included. With what launches forgo counted it must come to split where
 * that pays in the long run, and never take more than about twice the time of any other way.
 */
#include "scheduler/migration.h"
#include "tests/scheduler/suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = 4, KERNELS = 4, ARGS = 3 };

/* Reads and writes are buffers, -1: none. */
struct kernel {
    int reads[ARGS], writes[ARGS];
    bool all[ARGS]; /* every package reads the whole buffer */
    double whole, split;
    bool splits; /* it may be split */
};

enum way { WHOLE, SPLIT, GREEDY, MIGRATION, WAYS };

struct world {
    enum way way;
    uint8_t valid[BUFFERS];
    struct cx_migration_buffer buffer[BUFFERS];
    struct cx_migration migration;
    double spent;
    unsigned launches, splits, pushed;
};

static const double move = 1; /* of half of a buffer, or of one to everywhere; seconds */

static void begin(struct world *world, enum way way)
{
    *world = (struct world){.way = way};
    memset(world->valid, CX_VALID_WHOLE, sizeof(world->valid));
}

static uint8_t need(const struct kernel *kernel, unsigned arg, bool split)
{
    return !split ? CX_VALID_WHOLE : kernel->all[arg] ? CX_VALID_ALL : CX_VALID_PARTS;
}

static double moves(const struct world *world, const struct kernel *kernel, bool split)
{
    double seconds = 0;
    for (unsigned i = 0; i < ARGS; i++)
        if (kernel->reads[i] >= 0 &&
            !(world->valid[kernel->reads[i]] & (need(kernel, i, split) | CX_VALID_ALL)))
            seconds += move;
    return seconds;
}

/* As plan_share.c and migration_credit.c ask. */
static bool pushes(struct world *world, const struct kernel *kernel, bool greedy)
{
    struct cx_migration *migration = &world->migration;
    const double gain = kernel->splits ? fmax(kernel->whole - kernel->split, 0) : 0;
    if (!migration->active && (greedy || gain <= 0))
        return false;
    cx_migration_begin(migration);
    for (unsigned i = 0; i < ARGS; i++) {
        struct cx_migration_buffer *buffer = &world->buffer[kernel->reads[i] < 0 ? 0 : kernel->reads[i]];
        if (kernel->reads[i] < 0)
            continue;
        if (!cx_migration_met(migration, buffer))
            cx_migration_meet(migration, buffer, world->valid[kernel->reads[i]]);
        cx_migration_reads(migration, buffer, need(kernel, i, gain > 0), move);
    }
    for (unsigned i = 0; i < ARGS; i++)
        if (kernel->writes[i] >= 0)
            cx_migration_writes(migration, &world->buffer[kernel->writes[i]],
                                gain > 0 ? CX_VALID_PARTS : CX_VALID_WHOLE);
    const bool push = cx_migration_launch(migration, gain) && gain > 0;
    if (greedy || push)
        cx_migration_split(migration, gain, greedy ? 0 : moves(world, kernel, true));
    return push && !greedy;
}

static void run(struct world *world, const struct kernel *kernel)
{
    const double whole = kernel->whole + moves(world, kernel, false);
    const double parted = kernel->split + moves(world, kernel, true);
    bool split = world->way == SPLIT ? kernel->split < kernel->whole : parted < whole;
    split &= world->way != WHOLE && kernel->splits;
    if (world->way == MIGRATION && pushes(world, kernel, split)) {
        split = true;
        world->pushed++;
    }
    world->spent += split ? parted : whole;
    world->launches++;
    world->splits += split;
    for (unsigned i = 0; i < ARGS; i++)
        if (kernel->reads[i] >= 0)
            world->valid[kernel->reads[i]] |= need(kernel, i, split);
    for (unsigned i = 0; i < ARGS; i++)
        if (kernel->writes[i] >= 0)
            world->valid[kernel->writes[i]] = split ? CX_VALID_PARTS : CX_VALID_WHOLE;
}

static void loop(struct world *world, const struct kernel *kernels, unsigned n, unsigned times)
{
    for (unsigned t = 0; t < times; t++)
        for (unsigned k = 0; k < n; k++)
            run(world, &kernels[k]);
}

/* Runs the loop in every way and gives what each took. */
static void compare(const struct kernel *kernels, unsigned n, unsigned times, struct world *worlds)
{
    for (unsigned way = 0; way < WAYS; way++) {
        begin(&worlds[way], way);
        loop(&worlds[way], kernels, n, times);
    }
}

#define NONE -1, -1
static const struct kernel there = {{0, NONE}, {1, NONE}, {false}, 0.02, 0.01, true};
static const struct kernel back = {{1, NONE}, {0, NONE}, {false}, 0.02, 0.01, true};

/* Two plates that change places: moved once, after about as much as that costs. */
START_TEST(stencil_splits_in_the_end)
{
    const struct kernel kernels[] = {there, back};
    struct world worlds[WAYS];
    compare(kernels, 2, 2000, worlds);
    ck_assert_uint_eq(worlds[GREEDY].splits, 0);
    ck_assert_uint_eq(worlds[MIGRATION].pushed, 1);
    ck_assert_uint_ge(worlds[MIGRATION].splits, 4000 - 101);
    ck_assert(worlds[MIGRATION].spent < worlds[SPLIT].spent + 1.01);
    compare(kernels, 2, 50, worlds); /* it ends when the plates were just moved */
    ck_assert(worlds[MIGRATION].spent <= 1.5 * worlds[WHOLE].spent);
}
END_TEST

/* A kernel that copies back, and one that reads what another has made at first, once. */
START_TEST(kernels_move_together)
{
    const struct kernel copy = {{1, NONE}, {0, NONE}, {false}, 0.015, 0.008, true};
    const struct kernel kernels[] = {there, copy}, init = {{-1, NONE}, {2, NONE}, {false}, 1, 1, false};
    const struct kernel by_table = {{0, 2, -1}, {1, NONE}, {false, true, false}, 0.02, 0.01, true};
    const struct kernel tabled[] = {by_table, back};
    struct world worlds[WAYS];
    compare(kernels, 2, 2000, worlds);
    ck_assert_uint_eq(worlds[MIGRATION].pushed, 1);
    ck_assert(worlds[MIGRATION].spent < worlds[SPLIT].spent + 1.01);
    for (unsigned way = 0; way < WAYS; way++) {
        begin(&worlds[way], way);
        run(&worlds[way], &init);
        loop(&worlds[way], tabled, 2, 2000);
    }
    ck_assert_uint_le(worlds[MIGRATION].pushed, 2);
    ck_assert(worlds[MIGRATION].spent < worlds[SPLIT].spent + 2.01);
}
END_TEST

/* Where moves recur, all stays as it was: bodies that all packages read and each launch writes; a sum of all
 * by a kernel that cannot be split. */
START_TEST(recurring_moves_do_not_pay)
{
    const struct kernel pull[] = {{{0, NONE}, {1, NONE}, {true}, 0.9, 0.45, true},
                                  {{1, NONE}, {0, NONE}, {true}, 0.9, 0.45, true}};
    const struct kernel sum = {{1, NONE}, {2, NONE}, {false}, 0.01, 0.01, false};
    const struct kernel summed[] = {there, sum, back};
    struct world worlds[WAYS];
    compare(pull, 2, 2000, worlds);
    ck_assert_uint_eq(worlds[MIGRATION].splits, 0);
    compare(summed, 3, 2000, worlds);
    ck_assert_uint_eq(worlds[MIGRATION].splits, 0);
}
END_TEST

/* The program works on new data just when the old was moved: that is believed ever less. */
START_TEST(vain_moves_grow_rare)
{
    struct world world, whole;
    begin(&world, MIGRATION);
    begin(&whole, WHOLE);
    const struct kernel kernels[] = {there, back};
    for (unsigned phase = 0; phase < 100; phase++) {
        for (unsigned i = 0; i < 60; i++) {
            loop(&world, kernels, 2, 1);
            loop(&whole, kernels, 2, 1);
        }
        memset(world.valid, CX_VALID_WHOLE, sizeof(world.valid));
        memset(world.buffer, 0, sizeof(world.buffer));
        if (phase == 0)
            ck_assert(world.spent < 1.5 * whole.spent);
    }
    ck_assert_uint_le(world.pushed, 5);
    ck_assert(world.spent < 1.02 * whole.spent);
}
END_TEST

static int pick(unsigned of)
{
    return (int)((unsigned)random() % of);
}

static struct kernel random_kernel(void)
{
    struct kernel kernel = {.reads = {NONE, -1}, .splits = pick(5) > 0, .whole = 0.002 * (1 << pick(10))};
    kernel.split = kernel.whole * (0.3 + 0.1 * pick(9));
    for (unsigned i = 0; i < ARGS; i++) {
        const int buffer = pick(BUFFERS);
        kernel.reads[i] =
            pick(2) && buffer != kernel.reads[0] && (i < 2 || buffer != kernel.reads[1]) ? buffer : -1;
        kernel.writes[i] = pick(3) ? -1 : pick(BUFFERS);
        kernel.all[i] = pick(4) == 0;
    }
    return kernel;
}

/* Any loop: twice what the best way takes at most, save for a move or two. Where each launch's best is far
 * from that itself, which feedback.h is for, it gets no worse. */
START_TEST(any_loop_is_competitive)
{
    for (unsigned seed = 0; seed < 6000; seed++) {
        struct kernel kernels[KERNELS];
        struct world worlds[WAYS];
        const unsigned n = 1 + seed % KERNELS;
        srandom(seed);
        for (unsigned k = 0; k < n; k++)
            kernels[k] = random_kernel();
        compare(kernels, n, 20 + 80 * (unsigned)pick(10), worlds);
        const double spent = worlds[MIGRATION].spent, greedy = worlds[GREEDY].spent;
        const double split = worlds[SPLIT].spent, whole = worlds[WHOLE].spent;
        const double most = greedy > 2 * whole ? greedy : 2 * fmin(greedy, split);
        ck_assert_msg(spent <= most + 2 * move, "seed %u: %g s, launch by launch %g, all split %g, whole %g",
                      seed, spent, greedy, split, whole);
    }
}
END_TEST

START_TEST(migration_survives_nonsense)
{
    static const double odd[] = {0, -1, NAN, INFINITY, 1e-300, 1e300};
    struct cx_migration migration = {0};
    struct cx_migration_buffer buffer = {0};
    for (unsigned i = 0; i < 216; i++) {
        cx_migration_begin(&migration);
        if (!cx_migration_met(&migration, &buffer))
            cx_migration_meet(&migration, &buffer, CX_VALID_WHOLE);
        cx_migration_reads(&migration, &buffer, CX_VALID_PARTS, odd[i % 6]);
        cx_migration_writes(&migration, &buffer, CX_VALID_WHOLE);
        (void)cx_migration_launch(&migration, odd[i / 6 % 6]);
        cx_migration_split(&migration, odd[i / 36], odd[i % 6]);
        ck_assert(!isnan(migration.ahead) && !isnan(migration.owed));
    }
}
END_TEST

Suite *cx_test_migration(void)
{
    Suite *suite = suite_create("migration");
    TCase *tcase = tcase_create("programs");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, stencil_splits_in_the_end);
    tcase_add_test(tcase, kernels_move_together);
    tcase_add_test(tcase, recurring_moves_do_not_pay);
    tcase_add_test(tcase, vain_moves_grow_rare);
    tcase_add_test(tcase, any_loop_is_competitive);
    tcase_add_test(tcase, migration_survives_nonsense);
    suite_add_tcase(suite, tcase);
    return suite;
}
