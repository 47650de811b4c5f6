/* SPDX-License-Identifier: MIT */
/*
 * Time, energy and EDP of launches: the equations by hand, and what they call best against all that is tried.
 */
#include "tests/scheduler/suites.h"
#include "scheduler/energy_pair.h"

#include <math.h>
#include <stdlib.h>

static double between(double low, double high)
{
    return low + (high - low) * rand() / RAND_MAX;
}

/* Over three decades, so that each order of cost and speed comes. */
static struct cx_energy_device any_device(void)
{
    return (struct cx_energy_device){.speed = pow(10, between(0, 3)),
                                     .static_watts = rand() % 8 ? between(0, 150) : 0,
                                     .dynamic_watts = rand() % 8 ? pow(10, between(0, 3)) : 0};
}

static struct cx_energy_pair any_pair(void)
{
    return (struct cx_energy_pair){any_device(), any_device()};
}

/* The lower one; NAN stays. */
static double lower(double a, double b)
{
    return a <= b ? a : b <= a ? b : NAN;
}

static double pair_edp(const struct cx_energy_pair *pair, double groups, double alpha)
{
    return cx_energy_pair_joules(pair, groups, alpha) * cx_energy_pair_seconds(pair, groups, alpha);
}

static void ck_near(double is, double should)
{
    ck_assert_msg(fabs(is - should) <= 1e-9 * fmax(fabs(should), 1), "%.12g, not %.12g", is, should);
}

/* ---- two devices ---- */

/* C: 100 groups/s, 20 W + 80 W; G: 300 groups/s, 30 W + 150 W; 1200 groups. */
START_TEST(equations_by_hand)
{
    const struct cx_energy_pair pair = {{100, 20, 80}, {300, 30, 150}};
    ck_near(cx_energy_pair_seconds(&pair, 1200, 0.5), 6);                 /* 1: max(6, 2) */
    ck_near(cx_energy_pair_joules(&pair, 1200, 0.5), 6 * 50 + 480 + 300); /* 2 */
    ck_near(cx_energy_pair_opt(&pair), 0.25);                             /* 3 */
    ck_assert(!cx_energy_pair_left_falls(&pair) == !(3 < 200.0 / 80));    /* 4 */
    ck_assert(!cx_energy_pair_right_rises(&pair) == !(3 > 150.0 / 130));  /* 5 */
    ck_assert(!cx_energy_pair_pays(&pair));
    ck_near(cx_energy_pair_joules_both(&pair, 1200), 3 * 280.0); /* 7 */
    ck_near(cx_energy_pair_joules_g(&pair, 1200), 4 * 200.0);    /* 8 */
    ck_near(cx_energy_pair_joules_c(&pair, 1200), 12 * 130.0);   /* 9 */
    ck_near(cx_energy_pair_best(&pair), 0); /* G is 3 times as fast; Equation 4 allows 2.5 */
    ck_near(cx_energy_pair_left(&pair), (2 * 20000 - 24000) / (2 * 20000 - 2 * 24000.0));
    ck_near(cx_energy_pair_right(&pair), 15000 / (2 * (15000 - 39000.0)));
}
END_TEST

/* What Equation 6 says is what a grid of 400 alphas shows, in time, energy and EDP. */
START_TEST(pairs_against_a_grid)
{
    enum { PAIRS = 20000, STEPS = 400 };
    unsigned at[3] = {0};
    for (int p = 0; p < PAIRS; p++) {
        const struct cx_energy_pair pair = any_pair();
        const double opt = cx_energy_pair_opt(&pair), best = cx_energy_pair_best(&pair);
        const double least = cx_energy_pair_joules(&pair, 1000, best),
                     edp = fmin(pair_edp(&pair, 1000, opt),
                                fmin(pair_edp(&pair, 1000, 0), pair_edp(&pair, 1000, 1)));
        at[best == 0 ? 0 : best == 1 ? 2 : 1]++;
        double on_grid[3] = {INFINITY, INFINITY, INFINITY}; /* seconds, joules, EDP */
        for (int i = 0; i <= STEPS; i++) {
            const double alpha = (double)i / STEPS;
            on_grid[0] = lower(on_grid[0], cx_energy_pair_seconds(&pair, 1000, alpha));
            on_grid[1] = lower(on_grid[1], cx_energy_pair_joules(&pair, 1000, alpha));
            on_grid[2] = lower(on_grid[2], pair_edp(&pair, 1000, alpha));
        }
        ck_assert(on_grid[0] >= cx_energy_pair_seconds(&pair, 1000, opt) * (1 - 1e-12));
        ck_assert(on_grid[1] >= least * (1 - 1e-12));
        ck_assert(on_grid[2] >= edp * (1 - 1e-12));
        ck_near(cx_energy_pair_joules_both(&pair, 1000), cx_energy_pair_joules(&pair, 1000, opt));
        ck_near(cx_energy_pair_joules_g(&pair, 1000), cx_energy_pair_joules(&pair, 1000, 0));
        ck_near(cx_energy_pair_joules_c(&pair, 1000), cx_energy_pair_joules(&pair, 1000, 1));
        ck_assert(!cx_energy_pair_pays(&pair) || best == opt);
        if (best == opt && !cx_energy_pair_pays(&pair)) /* on a border: powers of 0 */
            ck_near(least, cx_energy_pair_joules(&pair, 1000, cx_energy_pair_left_falls(&pair) ? 1 : 0));
    }
    for (int i = 0; i < 3; i++)
        ck_assert_uint_gt(at[i], PAIRS / 50);
}
END_TEST

/* The inner extrema, where they lie on their side, are maxima: never below the three others. */
START_TEST(inner_extrema_are_no_minima)
{
    unsigned seen = 0;
    for (int p = 0; p < 50000; p++) {
        const struct cx_energy_pair pair = any_pair();
        const double opt = cx_energy_pair_opt(&pair),
                     inner[] = {cx_energy_pair_left(&pair), cx_energy_pair_right(&pair)}, low[] = {0, opt},
                     high[] = {opt, 1};
        for (int side = 0; side < 2; side++) {
            if (!(inner[side] > low[side] && inner[side] < high[side]))
                continue;
            const double there = pair_edp(&pair, 1000, inner[side]),
                         step = 0.1 * fmin(inner[side] - low[side], high[side] - inner[side]);
            seen++;
            ck_assert(there >= pair_edp(&pair, 1000, inner[side] - step) * (1 - 1e-12));
            ck_assert(there >= pair_edp(&pair, 1000, inner[side] + step) * (1 - 1e-12));
            ck_assert(there >= pair_edp(&pair, 1000, low[side]) * (1 - 1e-12));
            ck_assert(there >= pair_edp(&pair, 1000, high[side]) * (1 - 1e-12));
        }
    }
    ck_assert_uint_gt(seen, 1000);
}
END_TEST

/* On the borders of Equation 6 a whole side is equal; a millionth beside them it is as the equation says. */
START_TEST(borders_of_equation_6)
{
    for (int p = 0; p < 2000; p++) {
        struct cx_energy_pair pair = any_pair();
        pair.c.dynamic_watts += 1;
        pair.g.dynamic_watts += 1;
        pair.c.static_watts += 1;
        const double fixed = pair.c.static_watts + pair.g.static_watts,
                     above = pair.c.speed * (fixed + pair.g.dynamic_watts) / pair.c.dynamic_watts,
                     below = pair.c.speed * pair.g.dynamic_watts / (fixed + pair.c.dynamic_watts);
        ck_assert(below < above);
        pair.g.speed = above;
        ck_near(cx_energy_pair_joules(&pair, 1, 0) / cx_energy_pair_joules_both(&pair, 1), 1);
        pair.g.speed = above * (1 + 1e-6);
        ck_assert(!cx_energy_pair_left_falls(&pair) && cx_energy_pair_best(&pair) == 0);
        pair.g.speed = fmax(above * (1 - 1e-6), below * (1 + 1e-9));
        ck_assert(cx_energy_pair_pays(&pair));
        pair.g.speed = below;
        ck_near(cx_energy_pair_joules(&pair, 1, 1) / cx_energy_pair_joules_both(&pair, 1), 1);
        pair.g.speed = below * (1 - 1e-6);
        ck_assert(!cx_energy_pair_right_rises(&pair) && cx_energy_pair_best(&pair) == 1);
        pair.g.speed = fmin(below * (1 + 1e-6), above * (1 - 1e-9));
        ck_assert(cx_energy_pair_pays(&pair));
    }
}
END_TEST

/* ---- any number of devices ---- */

START_TEST(two_devices_are_the_pair)
{
    for (int p = 0; p < 20000; p++) {
        const struct cx_energy_pair pair = any_pair();
        const struct cx_energy_device devices[] = {pair.c, pair.g};
        const struct cx_energy_choice time = cx_energy_choose(devices, 2, 1000, 0, CX_ENERGY_TIME),
                                      joules = cx_energy_choose(devices, 2, 1000, 0, CX_ENERGY_JOULES);
        const double best = cx_energy_pair_best(&pair), alpha = between(0, 1),
                     shares[] = {1000 * alpha, 1000 - 1000 * alpha};
        const struct cx_energy_choice any = cx_energy_of_shares(devices, 2, shares, 0);
        ck_assert_uint_eq(time.members, 3);
        ck_near(time.seconds, cx_energy_pair_seconds(&pair, 1000, cx_energy_pair_opt(&pair)));
        ck_near(joules.joules, cx_energy_pair_joules(&pair, 1000, best));
        if (pair.c.dynamic_watts > 0 && pair.g.dynamic_watts > 0)
            ck_assert_uint_eq(joules.members, best == 0 ? 2 : best == 1 ? 1 : 3);
        ck_near(any.seconds, cx_energy_pair_seconds(&pair, 1000, alpha));
        ck_near(any.joules, cx_energy_pair_joules(&pair, 1000, alpha));
        ck_near(any.edp, pair_edp(&pair, 1000, alpha));
    }
}
END_TEST

/* A random point of the simplex; some devices get nothing. */
static void any_shares(double *shares, unsigned n, double groups)
{
    double sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += shares[i] = rand() % 3 ? -log(between(1e-9, 1)) : 0;
    if (sum == 0)
        sum = shares[rand() % n] = 1;
    for (unsigned i = 0; i < n; i++)
        shares[i] *= groups / sum;
}

/* No shares at all are better than the chosen set's, and no other set is. */
static void hold_against_all(const struct cx_energy_device *devices, unsigned n, double rest,
                             enum cx_energy_goal goal)
{
    const struct cx_energy_choice best = cx_energy_choose(devices, n, 1000, rest, goal);
    const double least = cx_energy_value(&best, goal) * (1 - 1e-9);
    ck_assert_uint_ne(best.members, 0);
    for (uint64_t members = 1; members < UINT64_C(1) << n; members++) {
        const struct cx_energy_choice other = cx_energy_of_set(devices, n, 1000, rest, members);
        ck_assert(cx_energy_value(&other, goal) >= least);
        if (members == best.members)
            ck_near(cx_energy_value(&other, goal), cx_energy_value(&best, goal));
    }
    for (int i = 0; i < 300; i++) {
        double shares[8];
        any_shares(shares, n, 1000);
        const struct cx_energy_choice other = cx_energy_of_shares(devices, n, shares, rest);
        ck_assert(cx_energy_value(&other, goal) >= least);
    }
}

START_TEST(sets_against_all_shares)
{
    unsigned smaller = 0, one = 0;
    for (int p = 0; p < 3000; p++) {
        struct cx_energy_device devices[8];
        const unsigned n = 2 + (unsigned)rand() % 7;
        const double rest = rand() % 2 ? between(0, 300) : 0;
        for (unsigned i = 0; i < n; i++)
            devices[i] = any_device();
        for (int goal = CX_ENERGY_TIME; goal <= CX_ENERGY_EDP; goal++)
            hold_against_all(devices, n, rest, (enum cx_energy_goal)goal);
        const struct cx_energy_choice joules = cx_energy_choose(devices, n, 1000, rest, CX_ENERGY_JOULES);
        smaller += (unsigned)__builtin_popcountll(joules.members) < n;
        one += __builtin_popcountll(joules.members) == 1;
    }
    ck_assert_uint_gt(smaller, 1000);
    ck_assert_uint_gt(one, 100);
}
END_TEST

/* Equal devices, as GPUs of one machine: all of them, whatever the goal, as soon as idling costs anything. */
START_TEST(equal_devices_all_take_part)
{
    struct cx_energy_device devices[CX_ENERGY_MOST];
    for (unsigned i = 0; i < CX_ENERGY_MOST; i++)
        devices[i] = (struct cx_energy_device){500, 122, 570};
    for (int goal = CX_ENERGY_TIME; goal <= CX_ENERGY_EDP; goal++)
        for (unsigned n = 1; n <= CX_ENERGY_MOST; n++) {
            const struct cx_energy_choice all =
                cx_energy_choose(devices, n, 1e6, 0, (enum cx_energy_goal)goal);
            ck_assert_uint_eq(all.members, UINT64_MAX >> (64 - n));
            ck_near(all.joules, all.seconds * n * (122 + 570));
        }
}
END_TEST

/* Beside a GPU of 0.5 J a group, which idles at 70 W, a CPU ten times slower, which idles at 30 W. */
START_TEST(the_goal_decides)
{
    static const struct {
        double watts, rest; /* the CPU's dynamic power; the rest of the machine's */
        unsigned joules, edp;
    } rows[] = {
        {30, 0, 3, 3},    /* 0.3 J a group: always */
        {100, 0, 1, 3},   /* 1 J: only if the time counts, too, ... */
        {100, 500, 3, 3}, /* or if the rest consumes enough to make a shorter time worth it */
        {200, 0, 1, 1},   /* 2 J */
        {200, 1500, 3, 3},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct cx_energy_device devices[] = {{1000, 70, 500}, {100, 30, rows[i].watts}};
        const double rest = rows[i].rest;
        ck_assert_uint_eq(cx_energy_choose(devices, 2, 1e5, rest, CX_ENERGY_TIME).members, 3);
        ck_assert_uint_eq(cx_energy_choose(devices, 2, 1e5, rest, CX_ENERGY_JOULES).members, rows[i].joules);
        ck_assert_uint_eq(cx_energy_choose(devices, 2, 1e5, rest, CX_ENERGY_EDP).members, rows[i].edp);
    }
}
END_TEST

START_TEST(energy_survives_nonsense)
{
    const double bad[] = {-1, INFINITY, NAN};
    const struct cx_energy_device good[] = {{10, 1, 1}, {0, 5, 5}};
    ck_assert_uint_eq(cx_energy_choose(good, 2, 10, 0, CX_ENERGY_JOULES).members, 1);
    ck_near(cx_energy_choose(good, 2, 10, 0, CX_ENERGY_JOULES).joules, 1 + 5 + 1); /* it idles all the same */
    ck_assert_uint_eq(cx_energy_choose(good, 0, 10, 0, CX_ENERGY_JOULES).members, 0);
    ck_assert_uint_eq(cx_energy_choose(good + 1, 1, 10, 0, CX_ENERGY_EDP).members, 0);
    ck_assert_uint_eq(cx_energy_choose(good, CX_ENERGY_MOST + 1, 10, 0, CX_ENERGY_EDP).members, 0);
    for (int i = 0; i < 3; i++) {
        const struct cx_energy_device speed = {bad[i], 1, 1}, fixed = {1, bad[i], 1},
                                      dynamic = {1, 1, bad[i]};
        ck_assert_uint_eq(cx_energy_choose(&speed, 1, 10, 0, CX_ENERGY_EDP).members, 0);
        ck_assert_uint_eq(cx_energy_choose(&fixed, 1, 10, 0, CX_ENERGY_EDP).members, 0);
        ck_assert_uint_eq(cx_energy_of_set(&dynamic, 1, 10, 0, 1).members, 0);
        ck_assert_uint_eq(cx_energy_choose(good, 2, bad[i], 0, CX_ENERGY_EDP).members, 0);
        ck_assert_uint_eq(cx_energy_choose(good, 2, 10, bad[i], CX_ENERGY_EDP).members, 0);
        ck_assert_uint_eq(cx_energy_of_shares(good, 2, (double[]){bad[i], 1}, bad[i]).members, 0);
    }
}
END_TEST

Suite *cx_test_energy(void)
{
    Suite *suite = suite_create("energy");
    TCase *tcase = tcase_create("pairs");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, equations_by_hand);
    tcase_add_test(tcase, pairs_against_a_grid);
    tcase_add_test(tcase, inner_extrema_are_no_minima);
    tcase_add_test(tcase, borders_of_equation_6);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("sets");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, two_devices_are_the_pair);
    tcase_add_test(tcase, sets_against_all_shares);
    tcase_add_test(tcase, equal_devices_all_take_part);
    tcase_add_test(tcase, the_goal_decides);
    tcase_add_test(tcase, energy_survives_nonsense);
    suite_add_tcase(suite, tcase);
    return suite;
}
