/* SPDX-License-Identifier: MIT */
/*
 * Each policy against numbers computed by hand from the papers' formulas, and the rules over all policies.
 */
#include "tests/scheduler/suites.h"
#include "scheduler/balancer.h"
#include "scheduler/policy.h"
#include <math.h>

static struct cx_balancer *create(const char *policy, uint64_t groups, unsigned n,
                                  const struct cx_balancer_device *devices)
{
    struct cx_problem problem = {.groups = groups, .granularity = 1, .ndevices = n, .devices = devices};
    struct cx_balancer *balancer = cx_balancer_create(cx_policy_find(policy), &problem, NULL);
    ck_assert_ptr_nonnull(balancer);
    return balancer;
}

START_TEST(static_shares)
{
    struct cx_balancer_device devices[] = {{.nominal_speed = 1}, {.nominal_speed = 3}, {.nominal_speed = 2}};
    struct cx_balancer *balancer = create("static", 100, 3, devices);
    /* floor(100/6) = 16, floor(200/6) = 33, the rest to the fastest */
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 16);
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0), 51);
    ck_assert_uint_eq(cx_balancer_next(balancer, 2, 0), 33);
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0), 0);
    cx_balancer_destroy(balancer);
}
END_TEST

START_TEST(static_drops_shares_below_the_minimum)
{
    struct cx_balancer_device devices[] = {{.nominal_speed = 9, .min_package = 10}, {.nominal_speed = 91}};
    struct cx_balancer *balancer = create("static", 100, 2, devices);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 0);
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0), 100);
    cx_balancer_destroy(balancer);
}
END_TEST

START_TEST(static_shares_again_after_failure)
{
    struct cx_balancer_device devices[] = {{.nominal_speed = 1}, {.nominal_speed = 2}, {.nominal_speed = 1}};
    struct cx_balancer *balancer = create("static", 100, 3, devices);
    uint64_t first = cx_balancer_next(balancer, 0, 0), second = cx_balancer_next(balancer, 1, 0);
    ck_assert_uint_eq(first, 25);
    ck_assert_uint_eq(second, 50);
    cx_balancer_next(balancer, 2, 0);
    cx_balancer_fail(balancer, 1, second);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 1), 25);
    ck_assert_uint_eq(cx_balancer_next(balancer, 2, 1), 25);
    cx_balancer_destroy(balancer);
}
END_TEST

/* A user's power stands above the measured speed, that above the nominal one. */
START_TEST(static_takes_the_best_number)
{
    struct cx_balancer_device devices[] = {{.nominal_speed = 100, .measured_speed = 1e6},
                                           {.nominal_speed = 1, .measured_speed = 3e6}};
    struct cx_balancer *balancer = create("static", 100, 2, devices);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 25);
    cx_balancer_destroy(balancer);
    devices[0].power = 4;
    devices[1].power = 1;
    balancer = create("static", 100, 2, devices);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 80);
    cx_balancer_destroy(balancer);
}
END_TEST

/* One device measured in groups/s, one known by GFLOP/s alone: their ratio is the nominal one. */
START_TEST(units_are_never_mixed)
{
    struct cx_balancer_device devices[] = {{.nominal_speed = 300, .measured_speed = 6e6},
                                           {.nominal_speed = 100}};
    struct cx_balancer *balancer = create("static", 100, 2, devices);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 75);
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0), 25);
    cx_balancer_destroy(balancer);

    /* The pitfall of seeds/INDEX.md: device 0 finishes first, at 5 groups/s; device 1 still has 1000 GFLOP/s.
     */
    devices[0] = (struct cx_balancer_device){.nominal_speed = 1000};
    devices[1] = devices[0];
    balancer = create("sigmoid", 1000, 2, devices);
    uint64_t package = cx_balancer_next(balancer, 0, 0);
    const uint64_t other = cx_balancer_next(balancer, 1, 0); /* of a little less that is left */
    ck_assert(other <= package && package - other <= 2);
    cx_balancer_done(balancer, 0, package, (double)package / 5, (double)package / 5);
    ck_assert_double_eq_tol(balancer->devices[0].speed, 5, 1e-9);
    ck_assert_double_eq_tol(balancer->devices[1].speed, 5, 1e-9);
    /* Device 0's share of what is left stays near a half. */
    ck_assert_uint_gt(cx_balancer_next(balancer, 0, (double)package / 5), 50);
    cx_balancer_destroy(balancer);
}
END_TEST

START_TEST(hguided_packages)
{
    struct cx_balancer_device devices[] = {{.nominal_speed = 3, .measured_speed = 3},
                                           {.nominal_speed = 1, .measured_speed = 1}};
    struct cx_balancer *balancer = create("hguided", 1000, 2, devices);
    /* floor(1000 * 3/4 / (2 * 2)) = 187; left 813: floor(813 * 1/4 / 4) = 50; left 763: floor(763 * 3/4 / 4)
     * = 143 */
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 187);
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0), 50);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 143);
    cx_balancer_destroy(balancer);
    devices[1].min_package = 60;
    devices[0].fill = 200;
    balancer = create("hguided", 1000, 2, devices);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 200);
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0), 60);
    cx_balancer_destroy(balancer);
}
END_TEST

/* What a device holds at once is sigmoid's smallest package, be it more or less than what fills it; not that
 * of others, nor beside the user's minimum. */
START_TEST(sigmoid_goes_by_occupancy)
{
    struct cx_balancer_device devices[] = {{.measured_speed = 1, .fill = 40, .resident = 300},
                                           {.measured_speed = 1, .fill = 400, .resident = 10},
                                           {.measured_speed = 1, .fill = 400}};
    struct cx_balancer *balancer = create("sigmoid", 2000, 3, devices);
    ck_assert_uint_eq(cx_package_minimum(balancer, 0), 300);
    ck_assert_uint_eq(cx_package_minimum(balancer, 1), 10);
    ck_assert_uint_eq(cx_package_minimum(balancer, 2), 400);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 300); /* the curve: 2000 / 9 */
    cx_balancer_destroy(balancer);
    balancer = create("hguided", 2000, 3, devices);
    ck_assert_uint_eq(cx_package_minimum(balancer, 0), 40);
    cx_balancer_destroy(balancer);
    devices[0].min_package = 7;
    balancer = create("sigmoid", 2000, 3, devices);
    ck_assert_uint_eq(cx_package_minimum(balancer, 0), 7);
    cx_balancer_destroy(balancer);
}
END_TEST

START_TEST(sigmoid_packages)
{
    struct cx_balancer_device devices[] = {{.measured_speed = 300}, {.measured_speed = 100}};
    struct cx_balancer_params params = cx_balancer_defaults;
    params.sigmoid_k_regular = 2;
    params.sigmoid_l = 2;
    struct cx_problem problem = {.groups = 1000, .ndevices = 2, .devices = devices};
    struct cx_balancer *balancer = cx_balancer_create(cx_policy_find("sigmoid"), &problem, &params);
    /* L = 1000 / (2 * 2) = 250; f_0 = 3/4 * 250 * tanh(6) = 187.4975 */
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 187);
    /* f_1 = 1/4 * 250 * tanh(6 * 0.813) = 62.49 */
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0), 62);
    /* t = 187/300 s: b1_0 = 0.05 * 187 = 9.35 lies below f_0 = 187.5 tanh(6 * 0.751) = 187.45 */
    cx_balancer_done(balancer, 0, 187, 187.0 / 300, 187.0 / 300);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 187.0 / 300), 187);
    cx_balancer_destroy(balancer);
}
END_TEST

/* Late in a long launch the bound of p t S_i stands above the curve; without it the curve would give 4. */
START_TEST(sigmoid_lower_bound)
{
    struct cx_balancer_device devices[] = {{.measured_speed = 100}, {.measured_speed = 100}};
    struct cx_balancer *balancer = create("sigmoid", 100000, 2, devices);
    cx_balancer_next(balancer, 1, 0); /* 122 s of work: the end is far */
    balancer->remaining = 12;         /* as if others had the rest */
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 1), 5);
    /* What is in flight counts: the bound is used up, and the curve gives 0.375 * 7. */
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 1), 2);
    cx_balancer_destroy(balancer);
}
END_TEST

/* Speeds 100, 100, 40 deviate by 28.3 of a mean of 80: more than a quarter. */
START_TEST(sigmoid_turns_irregular)
{
    struct cx_balancer_device devices[] = {{.measured_speed = 100}, {.measured_speed = 100}};
    for (unsigned irregular = 0; irregular < 2; irregular++) {
        struct cx_balancer *balancer = create("sigmoid", 100000, 2, devices);
        for (unsigned i = 0; i < 3; i++) {
            uint64_t groups = cx_balancer_next(balancer, 0, 0);
            double speed = i == 2 ? (irregular ? 40 : 60) : 100;
            cx_balancer_done(balancer, 0, groups, (double)groups / speed, 0);
        }
        bool *flag = balancer->data;
        ck_assert_int_eq(*flag, irregular);
        cx_balancer_destroy(balancer);
    }
}
END_TEST

/* Two packages are given before any is done: the speed is that of each package alone. */
START_TEST(two_in_flight)
{
    struct cx_balancer_device devices[] = {{.nominal_speed = 1}, {.nominal_speed = 1}};
    struct cx_balancer *balancer = create("sigmoid", 4096, 2, devices);
    uint64_t first = cx_balancer_next(balancer, 0, 0), second = cx_balancer_next(balancer, 0, 0);
    cx_balancer_done(balancer, 0, first, 1, 1);
    ck_assert_double_eq_tol(balancer->devices[0].speed, (double)first, 1e-9);
    ck_assert_double_eq_tol(cx_backlog_seconds(balancer, 0, 1), (double)second / (double)first, 1e-9);
    cx_balancer_done(balancer, 0, second, 2, 3);
    ck_assert_double_eq_tol(balancer->devices[0].speed, (double)(first + second) / 3, 1e-9);
    uint64_t groups;
    double seconds;
    cx_balancer_measured(balancer, 0, &groups, &seconds);
    ck_assert_uint_eq(groups, first + second);
    ck_assert_double_eq_tol(seconds, 3, 1e-9);
    cx_balancer_destroy(balancer);
}
END_TEST

/* An unmeasured device beside a measured one never gets more than the others could do in the time that is
 * left. */
START_TEST(unmeasured_is_bounded)
{
    struct cx_balancer_device devices[] = {{.nominal_speed = 1, .measured_speed = 1000},
                                           {.nominal_speed = 1000}};
    struct cx_balancer *balancer = create("hguided", 10000, 2, devices);
    cx_balancer_next(balancer, 0, 0);
    uint64_t package = cx_balancer_next(balancer, 1, 0);
    /* predicted 1e6 groups/s: what is left is done in 0.01 s together */
    ck_assert_uint_gt(package, 0);
    ck_assert_uint_lt(package, 2500);
    cx_balancer_destroy(balancer);
}
END_TEST

START_TEST(probe_gets_one_package)
{
    struct cx_balancer_device devices[] = {{.measured_speed = 13e6},
                                           {.nominal_speed = 1, .first_package = 13}};
    struct cx_balancer *balancer = create("sigmoid", 26000, 2, devices);
    uint64_t package = cx_balancer_next(balancer, 0, 0);
    ck_assert_uint_gt(package, 1000);
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0), 13);
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0), 0);
    /* 1400 times slower: its next group would take longer than all that is left */
    cx_balancer_done(balancer, 1, 13, 13 / 9286.0, 0.00195);
    cx_balancer_done(balancer, 0, package, (double)package / 13e6, 0.00195);
    balancer->remaining = 600;
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0.00195), 0);
    cx_balancer_destroy(balancer);

    balancer = create("static", 26000, 2, devices);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 25987);
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0), 13);
    cx_balancer_destroy(balancer);
}
END_TEST

/* 8 launches of 1 ms are 80 groups: below that the policy's 25 is lifted, and the end is still in sight. */
START_TEST(packages_pay_for_their_launch)
{
    struct cx_balancer_device devices[] = {{.measured_speed = 10000, .launch_seconds = 1e-3},
                                           {.measured_speed = 10000}};
    struct cx_balancer *balancer = create("hguided", 200, 2, devices);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 80);
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0), 15);
    cx_balancer_destroy(balancer);
    balancer = create("hguided", 100, 2, devices);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 50);
    cx_balancer_destroy(balancer);
}
END_TEST

START_TEST(given_back_groups_return)
{
    struct cx_balancer_device devices[] = {{.nominal_speed = 1}, {.nominal_speed = 1}};
    struct cx_balancer *balancer = create("hguided", 1000, 2, devices);
    uint64_t package = cx_balancer_next(balancer, 0, 0);
    cx_balancer_give_back(balancer, 0, package - 1);
    ck_assert_uint_eq(cx_balancer_remaining(balancer), 999);
    cx_balancer_done(balancer, 0, 1, 1, 1);
    ck_assert_uint_eq(balancer->devices[0].done, 1);
    ck_assert_uint_eq(balancer->devices[0].nflight, 0);
    cx_balancer_destroy(balancer);
}
END_TEST

Suite *cx_test_formulas(void)
{
    Suite *suite = suite_create("formulas");
    TCase *tcase = tcase_create("by hand");
    tcase_add_test(tcase, static_shares);
    tcase_add_test(tcase, static_drops_shares_below_the_minimum);
    tcase_add_test(tcase, static_shares_again_after_failure);
    tcase_add_test(tcase, static_takes_the_best_number);
    tcase_add_test(tcase, units_are_never_mixed);
    tcase_add_test(tcase, hguided_packages);
    tcase_add_test(tcase, sigmoid_packages);
    tcase_add_test(tcase, sigmoid_goes_by_occupancy);
    tcase_add_test(tcase, sigmoid_lower_bound);
    tcase_add_test(tcase, sigmoid_turns_irregular);
    tcase_add_test(tcase, two_in_flight);
    tcase_add_test(tcase, unmeasured_is_bounded);
    tcase_add_test(tcase, probe_gets_one_package);
    tcase_add_test(tcase, packages_pay_for_their_launch);
    tcase_add_test(tcase, given_back_groups_return);
    suite_add_tcase(suite, tcase);
    return suite;
}
