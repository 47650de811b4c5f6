/* SPDX-License-Identifier: MIT */
/*
 * Which launches are a chain, and where chains go: made-up programs of which each round launches once of each
 * chain, on devices that do their launches in order.
 */
#include "scheduler/chains.h"
#include "tests/scheduler/suites.h"

#include <math.h>
#include <stdlib.h>

enum { DEVICES = 3, CHAINS = 6 };

static char memory[CHAINS + 2]; /* objects: a chain's own, then two that several may use */

static struct cx_chains_launch launch_of(unsigned chain, double seconds)
{
    struct cx_chains_launch launch = {.seconds = seconds, .able = 7};
    cx_chains_use(&launch, &(struct cx_chains_touch){&memory[chain], 0, 8, true});
    return launch;
}

static void also_uses(struct cx_chains_launch *launch, unsigned object, uint64_t from, bool writes)
{
    cx_chains_use(launch, &(struct cx_chains_touch){&memory[CHAINS + object], from, from + 8, writes});
}

/* Chains that read the same stay apart; what one of them writes joins them, and bytes beside it do not. */
START_TEST(what_is_written_joins)
{
    static const struct {
        bool a_writes, b_writes, together;
        uint64_t b_from;
    } cases[] = {{false, false, false, 0},
                 {true, false, true, 0},
                 {false, true, true, 4},
                 {true, true, true, 7},
                 {true, true, false, 8}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cx_chains chains = {0};
        struct cx_chains_launch a = launch_of(0, 1), b = launch_of(1, 1);
        also_uses(&a, 0, 0, cases[i].a_writes);
        also_uses(&b, 0, cases[i].b_from, cases[i].b_writes);
        cx_chains_add(&chains, &a);
        ck_assert_uint_eq(cx_chains_of(&chains, &b), cases[i].together);
    }
}
END_TEST

/* A third launch joins two chains, all of whose launches are one from then on. */
START_TEST(chains_are_joined)
{
    struct cx_chains chains = {0};
    struct cx_chains_launch a = launch_of(0, 1), b = launch_of(1, 1), both = launch_of(2, 1);
    cx_chains_add(&chains, &a);
    cx_chains_add(&chains, &b);
    ck_assert_uint_eq(cx_chains_of(&chains, &a), 1);
    cx_chains_use(&both, &a.touch[0]);
    cx_chains_use(&both, &b.touch[0]);
    ck_assert_uint_eq(cx_chains_of(&chains, &both), 3);
    cx_chains_add(&chains, &both);
    ck_assert_uint_eq(cx_chains_of(&chains, &a), 7);
}
END_TEST

START_TEST(launches_of_many_touches_join_all)
{
    struct cx_chains chains = {0};
    struct cx_chains_launch a = launch_of(0, 1), any = launch_of(1, 1);
    cx_chains_add(&chains, &a);
    any.ntouches = CX_CHAINS_TOUCHES + 1;
    ck_assert_uint_eq(cx_chains_of(&chains, &any), 1);
}
END_TEST

/* What joined two chains once is forgotten: they are looked for anew where the first launch kept is the
 * oldest. */
START_TEST(joints_are_forgotten)
{
    struct cx_chains chains = {0};
    struct cx_chains_launch a = launch_of(0, 1), b = launch_of(1, 1), both = launch_of(0, 1);
    cx_chains_use(&both, &b.touch[0]);
    cx_chains_add(&chains, &both);
    for (unsigned i = 0; i < 2 * CX_CHAINS_LAUNCHES; i++)
        cx_chains_add(&chains, i % 2 ? &a : &b);
    ck_assert_uint_eq(cx_chains_of(&chains, &a) & cx_chains_of(&chains, &b), 0);
}
END_TEST

/* One launch that was disturbed changes nothing; many do. */
START_TEST(longest_time_does_not_count)
{
    struct cx_chains_times times = {0};
    ck_assert_double_eq(cx_chains_times_mean(&times), 0);
    cx_chains_times_add(&times, 2);
    ck_assert_double_eq(cx_chains_times_mean(&times), 2);
    cx_chains_times_add(&times, 8);
    cx_chains_times_add(&times, NAN);
    ck_assert_double_eq(cx_chains_times_mean(&times), 2);
    cx_chains_times_add(&times, 8);
    ck_assert_double_eq(cx_chains_times_mean(&times), 5);
    for (unsigned i = 0; i < CX_CHAINS_TIMES; i++)
        cx_chains_times_add(&times, 8);
    ck_assert_double_eq(cx_chains_times_mean(&times), 8);
}
END_TEST

/* ---- a program ---- */

struct program {
    struct cx_chains chains;
    unsigned nchains, ndevices;
    double seconds[CHAINS], speed[DEVICES];
    double believed[DEVICES]; /* until a launch there has shown the speed; 0: it is known */
    bool waits;               /* the host waits for each launch */
    double now, busy[DEVICES];
    unsigned device[CHAINS], moves, did[DEVICES];
};

static double expected(const struct program *program, unsigned device)
{
    return program->believed[device] > 0 ? program->believed[device] : program->speed[device];
}

/* Where the launch's chain is, or where it goes. */
static unsigned place(struct program *program, unsigned chain, struct cx_chains_launch *launch)
{
    const uint64_t of = cx_chains_of(&program->chains, launch);
    bool moved;
    double most = 0;
    launch->home = cx_chains_home(&program->chains, of, 0, &moved);
    launch->items = program->seconds[chain];
    launch->seconds = launch->items / expected(program, launch->home);
    cx_chains_know(&program->chains, launch);
    const double ready = fmax(cx_chains_over(&program->chains, of, launch->home), program->now);
    launch->waits = fmax(program->busy[launch->home] - ready, 0);
    struct cx_chains_question best = {launch, of, launch->home, 1};
    for (unsigned d = 0; d < program->ndevices; d++) {
        const double factor = expected(program, launch->home) / expected(program, d);
        const struct cx_chains_question question = {launch, of, d, factor};
        const double gain = d == launch->home ? 0 : cx_chains_gain(&program->chains, &question);
        ck_assert(gain >= 0 && gain <= launch->seconds);
        if (gain > most && gain > (d == 0 ? 0.05 : 0.1) * launch->seconds) {
            best = question;
            most = gain;
        }
    }
    if (best.to != launch->home) {
        cx_chains_move(&program->chains, &best);
        program->moves++;
    }
    return best.to;
}

static void launch_one(struct program *program, unsigned chain)
{
    struct cx_chains_launch launch = launch_of(chain, program->seconds[chain]);
    const unsigned d = place(program, chain, &launch);
    launch.seconds *= expected(program, launch.home) / expected(program, d);
    program->believed[d] = 0;
    program->did[d]++;
    program->busy[d] = fmax(program->busy[d], program->now) + program->seconds[chain] / program->speed[d];
    program->device[chain] = launch.home = launch.device = d;
    launch.ends = program->busy[d];
    cx_chains_add(&program->chains, &launch);
    program->now = program->waits ? program->busy[d] : program->now;
}

/* Seconds that the last round takes. The host waits for each. */
static double run(struct program *program, unsigned rounds)
{
    double took = 0;
    for (unsigned r = 0; r < rounds; r++) {
        double end = 0;
        for (unsigned c = 0; c < program->nchains; c++)
            launch_one(program, c);
        for (unsigned d = 0; d < program->ndevices; d++)
            end = fmax(end, program->busy[d]);
        took = end - program->now;
        program->now = fmax(end, program->now);
    }
    return took;
}

START_TEST(equal_chains_share_equally)
{
    struct program program = {.nchains = 4, .ndevices = 2, .seconds = {1, 1, 1, 1}, .speed = {1, 1}};
    ck_assert_double_eq_tol(run(&program, 200), 2, 1e-9);
    ck_assert_uint_eq(program.moves, 2);
}
END_TEST

/* One alone, or of which the host waits for each launch, gains nothing. */
START_TEST(nothing_waits)
{
    struct program one = {.nchains = 1, .ndevices = 2, .seconds = {1}, .speed = {1, 1}};
    struct program slow = {
        .nchains = 4, .ndevices = 2, .seconds = {1, 1, 1, 1}, .speed = {1, 1}, .waits = true};
    run(&one, 100);
    run(&slow, 100);
    ck_assert_uint_eq(one.moves + slow.moves, 0);
}
END_TEST

/* A device of half the speed gets one of three. */
START_TEST(slower_devices_get_less)
{
    struct program program = {.nchains = 3, .ndevices = 2, .seconds = {1, 1, 1}, .speed = {1, 0.5}};
    ck_assert_double_eq_tol(run(&program, 200), 2, 1e-9);
    ck_assert_uint_eq(program.moves, 1);
}
END_TEST

/* A device too slow for any of them gets none. */
START_TEST(too_slow_ones_get_none)
{
    struct program program = {.nchains = 4, .ndevices = 2, .seconds = {1, 1, 1, 1}, .speed = {1, 0.2}};
    run(&program, 200);
    ck_assert_uint_eq(program.moves, 0);
}
END_TEST

/* It was believed to be as fast: the launch that shows the contrary is the only one there, though others of
 * the chain were noted before. */
START_TEST(slower_than_believed)
{
    struct program program = {
        .nchains = 3, .ndevices = 1, .seconds = {1, 1, 1}, .speed = {1, 0.125}, .believed = {1, 1}};
    run(&program, 30);
    program.ndevices = 2;
    run(&program, 70);
    ck_assert_uint_eq(program.did[1], 1);
    ck_assert_uint_eq(program.moves, 2);
}
END_TEST

/* What is known of a kernel on a device holds for its launches there, and for no others. */
START_TEST(known_times_hold_for_noted_launches)
{
    struct cx_chains chains = {0};
    struct cx_chains_launch known = launch_of(0, 3), other = launch_of(1, 1);
    known.items = other.items = 2;
    known.kernel = &memory[0];
    struct cx_chains_launch same = known;
    same.seconds = 1;
    same.items = 4;
    other.kernel = &memory[1];
    cx_chains_add(&chains, &same);
    cx_chains_add(&chains, &other);
    same.home = 1;
    cx_chains_add(&chains, &same);
    cx_chains_know(&chains, &known);
    ck_assert_double_eq(chains.launch[0].seconds, 6);
    ck_assert_double_eq(chains.launch[1].seconds, 1);
    ck_assert_double_eq(chains.launch[2].seconds, 1);
}
END_TEST

static double uniform(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) / 16777216.0;
}

/* Of random programs, of whose devices other speeds were believed at first, the rounds never take longer than
 * on the first device alone, but for what is too little for a move back, no chain moves for ever, and on
 * equal devices no device is left with more than the longest chain too much. */
START_TEST(random_programs)
{
    for (unsigned seed = 1; seed <= 2000; seed++) {
        unsigned state = seed;
        struct program program = {.speed = {1}};
        double all = 0, longest = 0;
        const bool equal = uniform(&state) < 0.5;
        program.nchains = 1 + (unsigned)(uniform(&state) * CHAINS);
        program.ndevices = 2 + (unsigned)(uniform(&state) * 2);
        for (unsigned d = 1; d < program.ndevices; d++)
            program.speed[d] = equal ? 1 : 0.1 + 0.9 * uniform(&state);
        for (unsigned d = 1; d < program.ndevices && !equal; d++)
            program.believed[d] = program.speed[d] * exp2(4 * uniform(&state) - 2);
        for (unsigned c = 0; c < program.nchains; c++) {
            all += program.seconds[c] = 0.1 + uniform(&state);
            longest = fmax(longest, program.seconds[c]);
        }
        run(&program, 100);
        const unsigned before = program.moves;
        const double took = run(&program, 100);
        ck_assert_msg(program.moves == before, "seed %u: %u, then %u moves", seed, before, program.moves);
        ck_assert_msg(took <= all * (equal ? 1 + 1e-9 : 1.06), "seed %u: %g of %g", seed, took, all);
        ck_assert_msg(!equal || took <= all / program.ndevices + longest + 1e-9, "seed %u: %g of %g", seed,
                      took, all);
    }
}
END_TEST

Suite *cx_test_chains(void)
{
    Suite *suite = suite_create("chains");
    TCase *tcase = tcase_create("chains");
    tcase_add_test(tcase, what_is_written_joins);
    tcase_add_test(tcase, chains_are_joined);
    tcase_add_test(tcase, launches_of_many_touches_join_all);
    tcase_add_test(tcase, joints_are_forgotten);
    tcase_add_test(tcase, longest_time_does_not_count);
    tcase_add_test(tcase, equal_chains_share_equally);
    tcase_add_test(tcase, nothing_waits);
    tcase_add_test(tcase, slower_devices_get_less);
    tcase_add_test(tcase, too_slow_ones_get_none);
    tcase_add_test(tcase, slower_than_believed);
    tcase_add_test(tcase, known_times_hold_for_noted_launches);
    tcase_add_test(tcase, random_programs);
    suite_add_tcase(suite, tcase);
    return suite;
}
