/* SPDX-License-Identifier: MIT */
/*
 * What holds for every policy on every problem: thousands of random launches on simulated devices, with
 * absurd speeds, dead and very slow devices, and sizes from one group to 2^40.
 */
#include "tests/scheduler/suites.h"
#include "scheduler/memory.h"
#include "scheduler/simulate.h"
#include "scheduler/tuning.h"
#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 800, MAX_DEVICES = 6 };

static uint64_t random_below(uint64_t *random, uint64_t limit)
{
    return (uint64_t)(cx_sim_random(random) * (double)limit);
}

/* Numbers that a driver, a user or a bug might give. */
static double random_speed(uint64_t *random)
{
    static const double odd[] = {0, -1, 1e-300, 1e300, INFINITY, -INFINITY, NAN};
    if (random_below(random, 4) == 0)
        return odd[random_below(random, sizeof(odd) / sizeof(odd[0]))];
    return exp(20 * cx_sim_random(random) - 10);
}

static struct cx_balancer_device random_device(uint64_t *random)
{
    struct cx_balancer_device device = {.nominal_speed = random_speed(random),
                                        .fill = random_below(random, 40)};
    if (random_below(random, 3) == 0)
        device.measured_speed = random_speed(random);
    if (random_below(random, 5) == 0)
        device.power = random_speed(random);
    if (random_below(random, 4) == 0)
        device.min_package = random_below(random, 100);
    if (random_below(random, 3) == 0)
        device.launch_seconds = random_speed(random);
    if (random_below(random, 4) == 0)
        device.transfer_seconds = random_speed(random);
    if (random_below(random, 4) == 0)
        device.fixed_seconds = random_speed(random);
    if (random_below(random, 5) == 0)
        device.first_package = random_below(random, 20);
    device.accelerator = random_below(random, 2);
    return device;
}

/* Defaults, with now and then a parameter far from them or nonsense. */
static struct cx_balancer_params random_params(uint64_t *random)
{
    struct cx_balancer_params params = cx_balancer_defaults;
    double *fields[] = {
        &params.hguided_k,       &params.sigmoid_l,        &params.adaptive_first,   &params.adaptive_growth,
        &params.adaptive_probes, &params.logfit_threshold, &params.hdss_threshold,   &params.concord_profile,
        &params.concord_settled, &params.hdss_settled,     &params.hdss_training,    &params.hdss_k,
        &params.dynamic_size,    &params.dynamic_packages, &params.sigmoid_p,        &params.sigmoid_d,
        &params.auto_first,      &params.auto_distrust,    &params.auto_safety,      &params.auto_packages,
        &params.marrow_weight,   &params.marrow_deviation, &params.marrow_threshold, &params.marrow_step,
        &params.marrow_precision};
    for (unsigned i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (random_below(random, 4) == 0)
            *fields[i] = random_speed(random);
    }
    return params;
}

/* Now and then the policy is to be as its paper has it. */
static void publish_some(struct cx_balancer_params *params, const struct cx_policy *policy, uint64_t *random)
{
    if (policy->published > 0 && random_below(random, 3) == 0)
        *(double *)(void *)((char *)params + policy->published) = 1;
}

/* Every package says why it is as it is. */
static void has_reason(void *data, const struct cx_sim_package *package)
{
    const struct cx_policy *policy = data;
    bool given = package->decision > CX_DECIDED_NOTHING && package->decision < CX_DECIDED_WAIT;
    ck_assert_msg(package->copy ? package->decision == CX_DECIDED_REEXECUTE : given, "%s: %s", policy->name,
                  cx_decision_text(package->decision));
}

/* Every group is computed once where devices die, lie and crawl, as long as one of them lives. */
START_TEST(each_group_once)
{
    const struct cx_policy *policy = cx_policy_get((unsigned)_i);
    static struct cx_memory memory;
    static struct cx_tuning tuning;
    uint64_t random = 11;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t groups = 1 + random_below(&random, random_below(&random, 3) ? 40 : 3000);
        struct cx_sim_load *load = cx_sim_load_create(random_below(&random, CX_SIM_PROFILES), groups, round);
        unsigned char *taken = calloc(groups, 1);
        ck_assert(load && taken);
        struct cx_sim_device devices[MAX_DEVICES];
        unsigned n = 1 + (unsigned)random_below(&random, MAX_DEVICES);
        for (unsigned i = 0; i < n; i++) {
            devices[i] = (struct cx_sim_device){.known = random_device(&random),
                                                .speed = exp(14 * cx_sim_random(&random)),
                                                .launch_seconds = 1e-5,
                                                .reply_seconds = 1e-5,
                                                .jitter = 0.2};
            if (i > 0 && random_below(&random, 3) == 0)
                devices[i].dies_at = 0.001 + cx_sim_random(&random);
        }
        struct cx_balancer_params params = random_params(&random);
        publish_some(&params, policy, &random);
        struct cx_simulation sim = {.policy = policy,
                                    .params = round % 2 ? &params : NULL,
                                    .load = load,
                                    .granularity = random_below(&random, 9),
                                    .ndevices = n,
                                    .devices = devices,
                                    .depth = 1 + (unsigned)random_below(&random, 4),
                                    .notice_seconds = 0.1,
                                    .partitions = random_below(&random, 2),
                                    .reexecutes = random_below(&random, 2),
                                    .memory = &memory,
                                    .tuning = round % 5 ? &tuning : NULL,
                                    .seed = round,
                                    .note = has_reason,
                                    .note_data = (void *)(uintptr_t)policy,
                                    .taken = taken};
        if (round % 3 == 0)
            cx_memory_init(&memory);
        if (round % 7 == 0)
            tuning = (struct cx_tuning){0};
        struct cx_sim_result result = cx_simulate(&sim);
        ck_assert_msg(result.complete, "%s: round %u never ended", policy->name, round);
        for (uint64_t i = 0; i < groups; i++)
            ck_assert_uint_eq(taken[i], 1);
        free(taken);
        free(load);
    }
}
END_TEST

/* Asks all devices in turn until nothing is left; every package takes the same time. */
static void drive(struct cx_balancer *balancer, const struct cx_problem *problem, unsigned depth,
                  double seconds)
{
    uint64_t held[MAX_DEVICES][CX_PACKAGES_IN_FLIGHT], given = 0, unit = problem->granularity;
    unsigned ndeferred[MAX_DEVICES] = {0}, packages = 0;
    for (double now = 0; !cx_balancer_finished(balancer); now += seconds) {
        ck_assert_uint_lt(packages, 2000000);
        for (unsigned i = 0; i < problem->ndevices; i++) {
            uint64_t groups;
            while (ndeferred[i] < depth && (groups = cx_balancer_next(balancer, i, now)) > 0) {
                held[i][ndeferred[i]++] = groups;
                given += groups;
                packages++;
                ck_assert_uint_le(given, problem->groups);
                ck_assert_uint_eq(cx_balancer_remaining(balancer), problem->groups - given);
                ck_assert(given == problem->groups || unit < 2 || groups % unit == 0);
            }
        }
        unsigned busy = 0;
        for (unsigned i = 0; i < problem->ndevices; i++) {
            if (ndeferred[i] == 0)
                continue;
            busy++;
            cx_balancer_done(balancer, i, held[i][0], seconds, now + seconds);
            for (unsigned k = 1; k < ndeferred[i]; k++)
                held[i][k - 1] = held[i][k];
            ndeferred[i]--;
        }
        ck_assert_msg(busy > 0, "groups are left, and nobody gets any");
    }
    ck_assert_uint_eq(given, problem->groups);
}

START_TEST(packages_are_whole_units)
{
    static const double seconds[] = {1e-3, 0, NAN, INFINITY, 1e-30, 1e30};
    static const uint64_t sizes[] = {1, 2, 3, 1000, UINT64_C(1) << 40};
    const struct cx_policy *policy = cx_policy_get((unsigned)_i);
    uint64_t random = 5;
    for (unsigned round = 0; round < 400; round++) {
        struct cx_balancer_device devices[MAX_DEVICES];
        struct cx_problem problem = {.groups = sizes[round % 5], .devices = devices};
        problem.granularity = random_below(&random, 3) ? random_below(&random, 50) : problem.groups;
        problem.ndevices = 1 + (unsigned)random_below(&random, MAX_DEVICES);
        for (unsigned i = 0; i < problem.ndevices; i++) {
            devices[i] = random_device(&random);
            /* Small packages of 2^40 groups would take this test for ever. */
            devices[i].min_package = problem.groups >> 12;
        }
        struct cx_balancer *balancer = cx_balancer_create(policy, &problem, NULL);
        ck_assert_ptr_nonnull(balancer);
        drive(balancer, &problem, 1 + round % CX_PACKAGES_IN_FLIGHT, seconds[round % 6]);
        cx_balancer_destroy(balancer);
    }
}
END_TEST

/* A policy keeps no state outside its balancer: the same launch twice is the same to the last bit. */
START_TEST(same_seed_same_result)
{
    const struct cx_policy *policy = cx_policy_get((unsigned)_i);
    uint64_t random = 3;
    for (unsigned round = 0; round < 50; round++) {
        struct cx_sim_load *load = cx_sim_load_create(round % CX_SIM_PROFILES, 2000, round);
        ck_assert_ptr_nonnull(load);
        struct cx_sim_device devices[3];
        for (unsigned i = 0; i < 3; i++)
            devices[i] = (struct cx_sim_device){.known = random_device(&random),
                                                .speed = exp(8 * cx_sim_random(&random)),
                                                .launch_seconds = 1e-5,
                                                .jitter = 0.2};
        devices[2].dies_at = round % 2 ? 0.1 : 0;
        uint64_t done[2][3];
        struct cx_sim_result result[2];
        for (unsigned i = 0; i < 2; i++) {
            struct cx_simulation sim = {.policy = policy,
                                        .load = load,
                                        .partitions = round % 3,
                                        .reexecutes = true,
                                        .ndevices = 3,
                                        .devices = devices,
                                        .notice_seconds = 0.01,
                                        .seed = round,
                                        .groups_done = done[i]};
            result[i] = cx_simulate(&sim);
        }
        ck_assert(result[0].complete && result[1].complete);
        ck_assert_double_eq(result[0].seconds, result[1].seconds);
        ck_assert_uint_eq(result[0].packages, result[1].packages);
        for (unsigned i = 0; i < 3; i++)
            ck_assert_uint_eq(done[0][i], done[1][i]);
        free(load);
    }
}
END_TEST

START_TEST(no_groups_no_packages)
{
    struct cx_balancer_device device = {.nominal_speed = 1};
    struct cx_problem problem = {.groups = 0, .ndevices = 1, .devices = &device};
    struct cx_balancer *balancer = cx_balancer_create(cx_policy_get((unsigned)_i), &problem, NULL);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 0), 0);
    ck_assert(cx_balancer_finished(balancer));
    cx_balancer_done(balancer, 0, 1, 1, 1);
    cx_balancer_give_back(balancer, 0, 1);
    cx_balancer_done(balancer, 7, 1, 1, 1);
    ck_assert_uint_eq(cx_balancer_remaining(balancer), 0);
    cx_balancer_destroy(balancer);
    problem.ndevices = 0;
    ck_assert_ptr_null(cx_balancer_create(cx_policy_get((unsigned)_i), &problem, NULL));
    ck_assert_ptr_null(cx_balancer_create(NULL, &problem, NULL));
    cx_balancer_destroy(NULL);
}
END_TEST

/* All devices fail: nobody gets anything, everything is free again. */
START_TEST(all_devices_fail)
{
    struct cx_balancer_device devices[2] = {{.nominal_speed = 1}, {.nominal_speed = 2}};
    struct cx_problem problem = {.groups = 100, .ndevices = 2, .devices = devices};
    struct cx_balancer *balancer = cx_balancer_create(cx_policy_get((unsigned)_i), &problem, NULL);
    uint64_t first = cx_balancer_next(balancer, 0, 0), second = cx_balancer_next(balancer, 1, 0);
    if (cx_policy_get((unsigned)_i) == cx_policy_find("single"))
        ck_assert(first == 0 && second == 100);
    else
        ck_assert(first > 0 && second > 0);
    cx_balancer_fail(balancer, 0, first);
    cx_balancer_fail(balancer, 0, first);
    cx_balancer_fail(balancer, 1, UINT64_MAX);
    ck_assert_uint_eq(cx_balancer_remaining(balancer), 100);
    ck_assert_uint_eq(cx_balancer_next(balancer, 0, 1), 0);
    ck_assert_uint_eq(cx_balancer_next(balancer, 1, 1), 0);
    ck_assert(!cx_balancer_finished(balancer));
    cx_balancer_destroy(balancer);
}
END_TEST

/* Somebody takes the groups where there are fewer of them than devices, and many of these. */
/* Whatever the policy, a device can be given all that is left. */
START_TEST(one_takes_the_rest)
{
    struct cx_balancer_device devices[2] = {{.nominal_speed = 1}, {.nominal_speed = 2}};
    struct cx_problem problem = {.groups = 100, .ndevices = 2, .devices = devices};
    struct cx_balancer *balancer = cx_balancer_create(cx_policy_get((unsigned)_i), &problem, NULL);
    cx_balancer_fail(balancer, 1, 0);
    ck_assert_uint_eq(cx_balancer_rest(balancer, 1, 0), 0);
    ck_assert_uint_eq(cx_balancer_rest(balancer, 0, 0), 100);
    ck_assert_uint_eq(cx_balancer_remaining(balancer), 0);
    ck_assert_uint_eq(cx_balancer_rest(balancer, 0, 0), 0);
    ck_assert_int_eq(cx_balancer_done(balancer, 0, 100, 1, 1), CX_DONE_COUNTS);
    ck_assert(cx_balancer_finished(balancer));
    cx_balancer_destroy(balancer);
}
END_TEST

START_TEST(more_devices_than_groups)
{
    enum { DEVICES = 400, GROUPS = 100 };
    static struct cx_balancer_device devices[DEVICES];
    for (unsigned i = 0; i < DEVICES; i++)
        devices[i] = (struct cx_balancer_device){.nominal_speed = 1, .fill = 1, .slot = i};
    struct cx_problem problem = {.groups = GROUPS, .ndevices = DEVICES, .devices = devices};
    struct cx_balancer *balancer = cx_balancer_create(cx_policy_get((unsigned)_i), &problem, NULL);
    double now = 0;
    for (unsigned round = 0; round < GROUPS && !cx_balancer_finished(balancer); round++) {
        for (unsigned i = 0; i < DEVICES; i++) {
            uint64_t groups = cx_balancer_next(balancer, i, now);
            if (groups)
                cx_balancer_done(balancer, i, groups, 1, now += 1);
        }
    }
    ck_assert_msg(cx_balancer_finished(balancer), "%s", cx_policy_get((unsigned)_i)->name);
    cx_balancer_destroy(balancer);
}
END_TEST

START_TEST(registry_finds_by_name)
{
    for (unsigned i = 0; i < cx_test_policies(); i++) {
        const struct cx_policy *policy = cx_policy_get(i);
        ck_assert_ptr_eq(cx_policy_find(policy->name), policy);
        ck_assert(policy->help && policy->help[0]);
    }
    ck_assert_ptr_null(cx_policy_find("fastest"));
    ck_assert_ptr_null(cx_policy_find(""));
    ck_assert_ptr_null(cx_policy_find(NULL));
    ck_assert_ptr_null(cx_policy_get(UINT32_MAX));
}
END_TEST

unsigned cx_test_policies(void)
{
    unsigned count = 0;
    while (cx_policy_get(count))
        count++;
    return count;
}

Suite *cx_test_properties(void)
{
    Suite *suite = suite_create("properties");
    TCase *tcase = tcase_create("every policy");
    int policies = (int)cx_test_policies();
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, each_group_once, 0, policies);
    tcase_add_loop_test(tcase, packages_are_whole_units, 0, policies);
    tcase_add_loop_test(tcase, same_seed_same_result, 0, policies);
    tcase_add_loop_test(tcase, no_groups_no_packages, 0, policies);
    tcase_add_loop_test(tcase, all_devices_fail, 0, policies);
    tcase_add_loop_test(tcase, one_takes_the_rest, 0, policies);
    tcase_add_loop_test(tcase, more_devices_than_groups, 0, policies);
    tcase_add_test(tcase, registry_finds_by_name);
    suite_add_tcase(suite, tcase);
    return suite;
}
