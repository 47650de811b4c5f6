/* SPDX-License-Identifier: MIT */
/*
 * The papers' rivals of Sigmoid: what each gives whom, against numbers computed by hand.
 */
#include "tests/scheduler/suites.h"
#include "scheduler/curve.h"
#include "scheduler/tuning.h"
#include <math.h>

static struct cx_balancer *create(const char *policy, uint64_t groups, unsigned n,
                                  const struct cx_balancer_device *devices,
                                  const struct cx_balancer_params *params)
{
    struct cx_problem problem = {.groups = groups, .granularity = 1, .ndevices = n, .devices = devices};
    struct cx_balancer *balancer = cx_balancer_create(cx_policy_find(policy), &problem, params);
    ck_assert_ptr_nonnull(balancer);
    return balancer;
}

START_TEST(single_takes_all)
{
    struct cx_balancer_device devices[] = {{.nominal_speed = 1}, {.nominal_speed = 3}, {.nominal_speed = 2}};
    struct cx_balancer *balancer = create("single", 100, 3, devices, NULL);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 0);
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0), 100);
    ck_assert_uint_eq(cx_balancer_next(balancer, 2, 0), 0);
    cx_balancer_fail(balancer, 1, 100);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 1), 0);
    ck_assert_uint_eq(cx_balancer_next(balancer, 2, 1), 100);
    cx_balancer_destroy(balancer);
}
END_TEST

START_TEST(dynamic_packages_are_equal)
{
    struct cx_balancer_device devices[] = {{.nominal_speed = 1}, {.nominal_speed = 3}};
    struct cx_balancer_params params = cx_balancer_defaults;
    params.dynamic_size = 30;
    struct cx_balancer *balancer = create("dynamic", 100, 2, devices, &params);
    for (unsigned i = 0; i < 3; i++)
        ck_assert_uint_eq(cx_balancer_next(balancer, i % 2, 0), 30);
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0), 10);
    cx_balancer_destroy(balancer);
    params.dynamic_size = 0;
    params.dynamic_packages = 10;
    balancer = create("dynamic", 1000, 2, devices, &params);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 100);
    cx_balancer_destroy(balancer);
}
END_TEST

/* Probes of 1, 2 and 4 % by nominal speed, a fourth like the third while the other is not done; then all that
 * is left at once, in proportion to what the probes measured: the devices are equal. */
START_TEST(adaptive_probes_then_shares)
{
    struct cx_balancer_device devices[] = {{.nominal_speed = 3}, {.nominal_speed = 1}};
    struct cx_balancer_params params = cx_balancer_defaults;
    params.adaptive_first = 0.01;
    struct cx_balancer *balancer = create("adaptive", 40000, 2, devices, &params);
    static const uint64_t sizes[2][3] = {{300, 600, 1200}, {100, 200, 400}};
    for (unsigned k = 0; k < 3; k++) {
        for (unsigned i = 0; i < 2; i++) {
            ck_assert_uint_eq(cx_balancer_next(balancer, i, 0), sizes[i][k]);
            if (i == 1 && k == 2)
                ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 1200);
            cx_balancer_done(balancer, i, sizes[i][k], (double)sizes[i][k] / 1000, 0);
        }
    }
    /* 36000 left, device 0 still holds 1200: (36000 + 1200) / 2 each */
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 17400);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 0);
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0), 18600);
    ck_assert_uint_eq(cx_balancer_remaining(balancer), 0);
    cx_balancer_destroy(balancer);
}
END_TEST

/* The paper's one size: 700 iterations for NBody on a GPU of 20 execution units, at a threshold of 1 %. */
START_TEST(logfit_finds_the_papers_size)
{
    struct cx_curve curve = {0};
    for (unsigned k = 0; k < 4; k++) {
        double size = 20 * (1 << k);
        cx_curve_add(&curve, (struct cx_curve_sample){size, 1 + 0.35 * log(size / 160)});
    }
    ck_assert_double_eq_tol(cx_curve_slope(&curve), 0.35, 1e-9);
    ck_assert_double_eq_tol(cx_curve_at(&curve, 160), 1, 1e-9);
    ck_assert_double_eq_tol(cx_curve_at(&curve, 320), 1 + 0.35 * log(2), 1e-9);
    ck_assert_double_eq_tol(cx_curve_chunk(&curve, 20, 0.01), 700, 1e-6);
    /* One size, or a falling curve: the smallest package. */
    curve = (struct cx_curve){0};
    for (unsigned i = 0; i < 4; i++)
        cx_curve_add(&curve, (struct cx_curve_sample){20, 1 + i});
    ck_assert_double_eq(cx_curve_chunk(&curve, 20, 0.01), 20);
    cx_curve_add(&curve, (struct cx_curve_sample){40, 0.1});
    ck_assert_double_eq(cx_curve_chunk(&curve, 20, 0.01), 20);
}
END_TEST

START_TEST(logfit_packages)
{
    struct cx_balancer_device devices[] = {{.nominal_speed = 4, .fill = 20, .accelerator = true},
                                           {.nominal_speed = 1}};
    struct cx_balancer *balancer = create("logfit", 1000000, 2, devices, NULL);
    double now = 0, speed = 0;
    for (unsigned k = 0; k < 4; k++) {
        uint64_t size = 20u << k;
        speed = 1000 + 350 * log((double)size / 160);
        ck_assert_uint_eq(cx_balancer_next(balancer, 0, now), size);
        /* A CPU not measured yet follows by nominal speed: a quarter of the next sample. */
        if (k == 1)
            ck_assert_uint_eq(cx_balancer_next(balancer, 1, now), 20);
        now += (double)size / speed;
        cx_balancer_done(balancer, 0, size, (double)size / speed, now);
    }
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, now), 700);
    /* 1000 groups/s beside 100: a tenth */
    cx_balancer_done(balancer, 1, 20, 0.2, now);
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, now), 70);
    /* The fourth sample is replaced: 700 groups at the fourth one's throughput make the curve flatter. */
    cx_balancer_done(balancer, 0, 700, 700 / speed, now);
    uint64_t next = cx_balancer_next(balancer, 0, now);
    ck_assert_uint_ge(next, 250);
    ck_assert_uint_le(next, 450);
    cx_balancer_destroy(balancer);
}
END_TEST

/* A profile is over when the GPU's package is; equal ratios twice end profiling. */
START_TEST(concord_profiles_then_splits)
{
    struct cx_balancer_device devices[] = {{.nominal_speed = 4, .accelerator = true}, {.nominal_speed = 1}};
    struct cx_balancer_params params = cx_balancer_defaults;
    params.concord_profile = 0.08;
    params.concord_settled = 0.1;
    struct cx_balancer *balancer = create("concord", 10000, 2, devices, &params);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 800);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 0);  /* one a profile */
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0), 25); /* a quarter as fast, an eighth of the time */
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0), 25);
    cx_balancer_done(balancer, 1, 25, 25 / 1024.0, 0.025);
    cx_balancer_done(balancer, 1, 25, 25 / 1024.0, 0.05);
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0.05), 25);
    cx_balancer_done(balancer, 1, 25, 25 / 1024.0, 0.075);
    cx_balancer_done(balancer, 0, 800, 800 / 1024.0, 0.8); /* as fast as the CPU: measured again */
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0.8), 800);
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0.8), 100);
    cx_balancer_done(balancer, 1, 100, 100 / 1024.0, 0.9);
    cx_balancer_done(balancer, 0, 800, 800 / 1024.0, 1.6);
    /* 10000 - 1775 are left, half each */
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 1.6), 4113);
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 1.6), 4112);
    ck_assert_uint_eq(cx_balancer_remaining(balancer), 0);
    cx_balancer_destroy(balancer);
}
END_TEST

/* Speeds that change all the time are measured until half of the work is done. */
START_TEST(concord_stops_at_half)
{
    struct cx_balancer_device devices[] = {{.nominal_speed = 1, .accelerator = true},
                                           {.nominal_speed = 1, .accelerator = true}};
    struct cx_balancer_params params = cx_balancer_defaults;
    params.concord_profile = 0.2;
    struct cx_balancer *balancer = create("concord", 1000, 2, devices, &params);
    double now = 0;
    unsigned profiles = 0;
    for (; cx_balancer_remaining(balancer) > 500; profiles++) {
        uint64_t first = cx_balancer_next(balancer, 0, now), second = cx_balancer_next(balancer, 1, now);
        ck_assert(first > 0 && second > 0 && first + second <= 201);
        now += 10;
        cx_balancer_done(balancer, 0, first, 1 + 4 * (profiles % 2), now);
        cx_balancer_done(balancer, 1, second, 5 - 4 * (profiles % 2), now);
    }
    ck_assert_uint_ge(profiles, 3);
    uint64_t left = cx_balancer_remaining(balancer);
    left -= cx_balancer_next(balancer, 0, now);
    ck_assert_uint_eq(left, cx_balancer_next(balancer, 1, now));
    cx_balancer_destroy(balancer);
}
END_TEST

/* Doubling packages, whose throughput follows a curve exactly, so that the fifth settles it. */
START_TEST(hdss_trains_then_guides)
{
    struct cx_balancer_device devices[] = {{.nominal_speed = 1, .fill = 20},
                                           {.nominal_speed = 1, .fill = 20}};
    struct cx_balancer_params params = cx_balancer_defaults;
    params.hdss_k = 2;
    struct cx_balancer *balancer = create("hdss", 100000, 2, devices, &params);
    static const uint64_t sizes[] = {20, 40, 80, 160, 700, 700};
    for (unsigned k = 0; k < 6; k++) {
        for (unsigned i = 0; i < 2; i++) {
            ck_assert_uint_eq(cx_balancer_next(balancer, i, 0), sizes[k]);
            double speed = (i ? 1000 : 3000) * (1 + 0.35 * log((double)sizes[k] / 160));
            cx_balancer_done(balancer, i, sizes[k], (double)sizes[k] / speed, 0);
            if (k == 3) /* 1 + 0.35 at 160, and top is there: a / top = 0.35, so 700 */
                ck_assert_double_eq_tol(speed, i ? 1000 : 3000, 1e-9);
            if (k == 4 && i == 1) /* the next one is smaller: top has grown */
                balancer->params.hdss_threshold = 0.35 / 35 / (1 + 0.35 * log(700.0 / 160));
        }
    }
    /* 96600 left: 3/4 of it, halved; then a quarter of what that leaves, halved */
    ck_assert_uint_eq(cx_balancer_remaining(balancer), 96600);
    uint64_t first = cx_balancer_next(balancer, 0, 0), second = cx_balancer_next(balancer, 1, 0);
    ck_assert(first >= 36224 && first <= 36225);
    ck_assert(second >= 7546 && second <= 7547);
    cx_balancer_destroy(balancer);
}
END_TEST

/* Speeds that never settle: training ends at a fifth of the work. */
START_TEST(hdss_training_is_bounded)
{
    struct cx_balancer_device devices[] = {{.nominal_speed = 1}, {.nominal_speed = 1}};
    struct cx_balancer_params params = cx_balancer_defaults;
    params.hdss_k = 1;
    struct cx_balancer *balancer = create("hdss", 1000, 2, devices, &params);
    uint64_t random = 1, largest = 0;
    while (cx_balancer_remaining(balancer) > 800) {
        for (unsigned i = 0; i < 2; i++) {
            uint64_t groups = cx_balancer_next(balancer, i, 0);
            random = random * 6364136223846793005u + 1442695040888963407u;
            largest = groups > largest ? groups : largest;
            cx_balancer_done(balancer, i, groups, 1 + (double)(random >> 62), 0);
        }
    }
    ck_assert_uint_le(largest, 100);
    ck_assert_uint_ge(cx_balancer_remaining(balancer), 600);
    uint64_t first = cx_balancer_next(balancer, 0, 0);
    ck_assert_uint_gt(first, 100);
    cx_balancer_destroy(balancer);
}
END_TEST

/* ---- as published ---- */

/* f_0 = 1/2 * 1000 / 2 * tanh(3 * 0.5) = 226.29, of which a device never measured gets a quarter by our rule.
 */
START_TEST(sigmoid_as_published)
{
    struct cx_balancer_device devices[] = {{.nominal_speed = 1}, {.nominal_speed = 1}};
    struct cx_balancer_params params = cx_balancer_defaults;
    struct cx_balancer *balancer = create("sigmoid", 1000, 2, devices, &params);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 56);
    cx_balancer_destroy(balancer);
    params.sigmoid_published = 1;
    balancer = create("sigmoid", 1000, 2, devices, &params);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 226);
    /* 0.05 * 10 s * 226 groups/s, whatever it holds: what is left gives 250 tanh(1.5 * 0.1) = 37 */
    ck_assert_uint_gt(cx_balancer_next(balancer, 0, 0), 0);
    cx_balancer_done(balancer, 0, 226, 1, 1);
    balancer->remaining = 200;
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 10), 113);
    cx_balancer_destroy(balancer);
}
END_TEST

/* Not longer to be worth its launch, nor refused for ending late; but what admission lends for a probe is
 * all that it gets. */
START_TEST(rules_are_left_out)
{
    struct cx_balancer_device devices[] = {{.measured_speed = 10000, .launch_seconds = 1e-3},
                                           {.measured_speed = 1}};
    struct cx_balancer_params params = cx_balancer_defaults;
    struct cx_balancer *balancer = create("hguided", 200, 2, devices, &params);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 80);
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0), 0);
    cx_balancer_destroy(balancer);
    params.hguided_published = 1;
    balancer = create("hguided", 200, 2, devices, &params);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 49); /* floor(200 * 10000 / 10001 / 4) */
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0), 1);
    cx_balancer_destroy(balancer);
    devices[1].first_package = 3;
    devices[1].min_package = 10;
    balancer = create("hguided", 200, 2, devices, &params);
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0), 0); /* 3 groups of a second each */
    devices[1].measured_speed = 1e6;
    cx_balancer_destroy(balancer);
    balancer = create("hguided", 200, 2, devices, &params);
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0), 3);
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0), 0);
    cx_balancer_destroy(balancer);
}
END_TEST

/* ---- from launch to launch ---- */

static struct cx_balancer *create_tuned(const char *policy, uint64_t groups,
                                        const struct cx_balancer_device *devices,
                                        const struct cx_balancer_params *params, struct cx_tuning *tuning)
{
    const struct cx_problem problem = {.groups = groups, .ndevices = 2, .devices = devices, .tuning = tuning};
    struct cx_balancer *balancer = cx_balancer_create(cx_policy_find(policy), &problem, params);
    ck_assert_ptr_nonnull(balancer);
    return balancer;
}

/* A launch whose first three packages follow a curve; gives what is known now. */
static struct cx_tuning sampled(const struct cx_balancer_device *devices)
{
    struct cx_tuning tuning = {0};
    struct cx_balancer *balancer = create_tuned("logfit", 1000000, devices, NULL, &tuning);
    for (unsigned k = 0; k < 3; k++) {
        const uint64_t size = cx_balancer_next(balancer, 0, 0);
        ck_assert_uint_eq(size, 20u << k);
        cx_balancer_done(balancer, 0, size, (double)size / (1000 + 350 * log((double)size / 160)), 0);
    }
    cx_balancer_learn(balancer);
    cx_balancer_destroy(balancer);
    return tuning;
}

/* Three samples tell a = 350, the highest throughput 757.4: 20 * (350 / 757.4) / 0.01 = 924.2. */
START_TEST(logfit_keeps_samples)
{
    struct cx_balancer_device devices[] = {{.nominal_speed = 4, .fill = 20, .accelerator = true, .slot = 1},
                                           {.nominal_speed = 1, .slot = 0}};
    struct cx_tuning tuning = sampled(devices);
    ck_assert_double_eq(tuning.device[1].unit, 20);
    ck_assert_double_eq(tuning.device[0].unit, 0);
    struct cx_balancer *balancer = create_tuned("logfit", 1000000, devices, NULL, &tuning);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 924);
    cx_balancer_destroy(balancer);
    devices[0].fill = 40; /* the samples are of another device's sizes */
    balancer = create_tuned("logfit", 1000000, devices, NULL, &tuning);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 40);
    cx_balancer_destroy(balancer);
}
END_TEST

/* 500 groups are less than the GPU's package: they are the CPU's, as published. Else the GPU goes on, which
 * would end them sooner: at 1000 + 350 ln(500 / 160) groups/s. */
START_TEST(logfit_leaves_the_gpu_out)
{
    struct cx_balancer_device devices[] = {
        {.measured_speed = 1000, .fill = 20, .accelerator = true, .slot = 1},
        {.measured_speed = 500, .slot = 0}};
    struct cx_balancer_params params = cx_balancer_defaults;
    struct cx_tuning tuning = sampled(devices);
    struct cx_balancer *balancer = create_tuned("logfit", 500, devices, &params, &tuning);
    ck_assert_uint_gt(cx_balancer_next(balancer, 0, 0), 0);
    cx_balancer_destroy(balancer);
    devices[1].measured_speed = 1500; /* the CPU is the faster one */
    balancer = create_tuned("logfit", 500, devices, &params, &tuning);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 0);
    ck_assert_uint_gt(cx_balancer_next(balancer, 1, 0), 0);
    cx_balancer_fail(balancer, 1, 500); /* nobody else is there */
    ck_assert_uint_gt(cx_balancer_next(balancer, 0, 0), 0);
    cx_balancer_destroy(balancer);
    devices[0].measured_speed = 2000; /* seems faster, but not by its curve; the CPU is asked first */
    devices[1].measured_speed = 1500;
    balancer = create_tuned("logfit", 500, devices, &params, &tuning);
    balancer->remaining = 1;
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 0), 1);
    cx_balancer_destroy(balancer);
    params.logfit_published = 1;
    devices[1].measured_speed = 500;
    balancer = create_tuned("logfit", 500, devices, &params, &tuning);
    while (cx_balancer_remaining(balancer) > 0) {
        ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 0);
        const uint64_t groups = cx_balancer_next(balancer, 1, 0);
        ck_assert_uint_gt(groups, 0);
        cx_balancer_done(balancer, 1, groups, (double)groups / 500, 0);
    }
    cx_balancer_destroy(balancer);
}
END_TEST

/* A launch of three packages, the third of `last` groups/s after two of 100. */
static void launch_ending(struct cx_tuning *tuning, double last)
{
    struct cx_balancer_device devices[] = {{.measured_speed = 100}, {.measured_speed = 100}};
    struct cx_balancer *balancer = create_tuned("sigmoid", 100000, devices, NULL, tuning);
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t groups = cx_balancer_next(balancer, 0, 0);
        cx_balancer_done(balancer, 0, groups, (double)groups / (i == 2 ? last : 100), 0);
    }
    cx_balancer_learn(balancer);
    cx_balancer_destroy(balancer);
}

/* The first package with k_irregular: 1/2 * 50000 tanh(0.9) = 17907; else 25000 tanh(1.5) = 22628. */
START_TEST(sigmoid_begins_irregular)
{
    struct cx_balancer_device devices[] = {{.measured_speed = 100}, {.measured_speed = 100}};
    struct cx_balancer_params params = cx_balancer_defaults;
    struct cx_tuning tuning = {0};
    static const struct {
        double last;
        uint64_t next;
    } launches[] = {{40, 17907}, {100, 17907}, {100, 22628}, {40, 17907}};
    for (unsigned i = 0; i < sizeof(launches) / sizeof(launches[0]); i++) {
        launch_ending(&tuning, launches[i].last);
        struct cx_balancer *balancer = create_tuned("sigmoid", 100000, devices, &params, &tuning);
        ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), launches[i].next);
        cx_balancer_destroy(balancer);
    }
    params.sigmoid_published = 1;
    struct cx_balancer *balancer = create_tuned("sigmoid", 100000, devices, &params, &tuning);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 22628);
    cx_balancer_destroy(balancer);
}
END_TEST

Suite *cx_test_published(void)
{
    Suite *suite = suite_create("published");
    TCase *tcase = tcase_create("by hand");
    tcase_add_test(tcase, single_takes_all);
    tcase_add_test(tcase, dynamic_packages_are_equal);
    tcase_add_test(tcase, adaptive_probes_then_shares);
    tcase_add_test(tcase, logfit_finds_the_papers_size);
    tcase_add_test(tcase, logfit_packages);
    tcase_add_test(tcase, concord_profiles_then_splits);
    tcase_add_test(tcase, concord_stops_at_half);
    tcase_add_test(tcase, hdss_trains_then_guides);
    tcase_add_test(tcase, hdss_training_is_bounded);
    tcase_add_test(tcase, sigmoid_as_published);
    tcase_add_test(tcase, rules_are_left_out);
    tcase_add_test(tcase, logfit_keeps_samples);
    tcase_add_test(tcase, logfit_leaves_the_gpu_out);
    tcase_add_test(tcase, sigmoid_begins_irregular);
    suite_add_tcase(suite, tcase);
    return suite;
}
