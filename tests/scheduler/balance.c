/* SPDX-License-Identifier: MIT */
/*
 * How well the dynamic policies balance simulated launches, against fixed bounds.
 */
#include "tests/scheduler/suites.h"
#include "scheduler/admission.h"
#include "scheduler/memory.h"
#include "scheduler/simulate.h"
#include <math.h>
#include <stdlib.h>
#include <time.h>

static struct cx_sim_result two_equal(const char *policy, enum cx_sim_profile profile, uint64_t groups,
                                      double seconds)
{
    struct cx_sim_load *load = cx_sim_load_create(profile, groups, 3);
    ck_assert_ptr_nonnull(load);
    struct cx_sim_device device = {.known = {.nominal_speed = 10, .fill = 1},
                                   .speed = (double)groups / seconds,
                                   .launch_seconds = 20e-6,
                                   .reply_seconds = 50e-6,
                                   .jitter = 0.02};
    struct cx_sim_device devices[] = {device, device};
    struct cx_simulation sim = {
        .policy = cx_policy_find(policy), .load = load, .ndevices = 2, .devices = devices, .seed = 9};
    struct cx_sim_result result = cx_simulate(&sim);
    ck_assert(result.complete);
    free(load);
    return result;
}

/* Two one-core devices, launches of about a second: the test bed. */
START_TEST(sigmoid_on_two_equal)
{
    static const uint64_t groups[] = {512, 1024, 4096, 65536};
    static const enum cx_sim_profile profiles[] = {CX_SIM_REGULAR, CX_SIM_SYMMETRIC};
    struct cx_sim_result result = two_equal("sigmoid", profiles[_i % 2], groups[_i / 2], 1);
    ck_assert_double_ge(result.balance, 0.97);
    ck_assert_double_ge(result.ideal / result.seconds, 0.97);
    ck_assert_uint_le(result.packages, 30);
}
END_TEST

START_TEST(uneven_loads)
{
    static const enum cx_sim_profile profiles[] = {CX_SIM_RAMP, CX_SIM_RANDOM};
    struct cx_sim_result sigmoid = two_equal("sigmoid", profiles[_i], 4096, 1);
    struct cx_sim_result fixed = two_equal("static", profiles[_i], 4096, 1);
    ck_assert_double_ge(sigmoid.balance, 0.97);
    ck_assert_double_lt(sigmoid.seconds, fixed.seconds);
}
END_TEST

/* The papers' rivals: a regular launch of a second on two equal devices is balanced by each that measures. */
static const char *const rivals[] = {"dynamic", "adaptive", "logfit", "concord", "hdss"};
enum { RIVALS = sizeof(rivals) / sizeof(rivals[0]) };

START_TEST(rivals_on_two_equal)
{
    struct cx_sim_result result = two_equal(rivals[_i], CX_SIM_REGULAR, 4096, 1);
    ck_assert_double_ge(result.balance, 0.96);
    ck_assert_double_ge(result.ideal / result.seconds, 0.96);
}
END_TEST

/* Nominal speeds that are wrong by three orders of magnitude cost little: the slow device is bounded, found
 * out, and used for what it is worth. */
START_TEST(nominal_speeds_lie)
{
    struct cx_sim_load *load = cx_sim_load_create(CX_SIM_REGULAR, 100000, 3);
    ck_assert_ptr_nonnull(load);
    struct cx_sim_device devices[] = {{.known = {.nominal_speed = 60, .measured_speed = 1e6, .fill = 100},
                                       .speed = 1e6,
                                       .launch_seconds = 5e-6},
                                      {.known = {.nominal_speed = 20, .fill = 16, .first_package = 50},
                                       .speed = 1e3,
                                       .launch_seconds = 5e-6}};
    struct cx_simulation sim = {
        .policy = cx_policy_find(_i >= RIVALS ? _i == RIVALS ? "hguided" : "sigmoid" : rivals[_i]),
        .load = load,
        .ndevices = 2,
        .devices = devices};
    struct cx_sim_result result = cx_simulate(&sim);
    ck_assert(result.complete);
    ck_assert_double_le(result.seconds, (_i >= RIVALS ? 1.03 : 1.05) * result.best);
    free(load);
}
END_TEST

/* 7.28 : 7.28 : 1, the Sigmoid paper's machine; its Table 3 counts 13 to 40 packages. */
START_TEST(paper_machine)
{
    struct cx_sim_load *load = cx_sim_load_create(CX_SIM_REGULAR, 16384, 3);
    ck_assert_ptr_nonnull(load);
    struct cx_sim_device gpu = {.known = {.nominal_speed = 7.28, .fill = 64},
                                .speed = 7280,
                                .launch_seconds = 2e-5,
                                .reply_seconds = 1e-4};
    struct cx_sim_device cpu = {.known = {.nominal_speed = 1, .fill = 12},
                                .speed = 1000,
                                .launch_seconds = 2e-5,
                                .reply_seconds = 1e-4};
    struct cx_sim_device devices[] = {gpu, gpu, cpu};
    struct cx_simulation sim = {
        .policy = cx_policy_find("sigmoid"), .load = load, .ndevices = 3, .devices = devices};
    struct cx_sim_result result = cx_simulate(&sim);
    ck_assert(result.complete);
    ck_assert_double_ge(result.balance, 0.97);
    ck_assert_uint_ge(result.packages, 13);
    ck_assert_uint_le(result.packages, 60);
    sim.policy = cx_policy_find("adaptive"); /* 11 to 19 there */
    result = cx_simulate(&sim);
    ck_assert_uint_ge(result.packages, 11);
    ck_assert_uint_le(result.packages, 22);
    free(load);
}
END_TEST

static double thread_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* A launch with many packages, of which the memory learns. Gives the processor time of that. */
static double learn_once(struct cx_memory *memory, double length)
{
    const struct cx_balancer_device devices[] = {{.nominal_speed = 1, .slot = 0},
                                                 {.nominal_speed = 1, .slot = 1}};
    const struct cx_problem problem = {.groups = 100000, .ndevices = 2, .devices = devices, .memory = memory};
    struct cx_balancer *balancer = cx_balancer_create(cx_policy_find("dynamic"), &problem, NULL);
    ck_assert_ptr_nonnull(balancer);
    uint64_t at = 0, groups;
    double now = 0;
    for (unsigned i = 0; (groups = cx_balancer_next(balancer, i % 2, now)) > 0; i++) {
        double seconds = length * (double)groups / 100000;
        cx_balancer_placed(balancer, i % 2, at);
        at += groups;
        now += seconds;
        ck_assert_int_eq(cx_balancer_done(balancer, i % 2, groups, seconds, now), CX_DONE_COUNTS);
    }
    double since = thread_seconds();
    cx_balancer_learn(balancer);
    since = thread_seconds() - since;
    cx_balancer_destroy(balancer);
    return since;
}

/* Learning must not cost what it gains: launches of a millisecond were each followed by 4 ms of it. */
START_TEST(learning_is_cheap)
{
    struct cx_memory *memory = malloc(sizeof *memory);
    ck_assert_ptr_nonnull(memory);
    cx_memory_init(memory);
    memory->cost_model.groups = 100000;
    double least = 1;
    for (unsigned launch = 0; launch < 30; launch++) {
        double seconds = learn_once(memory, 1e-3);
        least = launch >= 10 ? fmin(least, seconds) : least;
    }
    ck_assert_double_lt(least, 1e-3);
    ck_assert_uint_eq(memory->cost_model.launches, 30);
    free(memory);
}
END_TEST

/* A launch in which one run of groups, somewhere else each time, costs 20 times the others, and which is
 * longer or shorter: what a search through a graph does level by level. */
static struct cx_sim_load *moving_load(uint64_t groups, unsigned launch, double *speed)
{
    uint64_t random = launch * 977 + 5;
    struct cx_sim_load *load = cx_sim_load_create(CX_SIM_REGULAR, groups, 1);
    ck_assert_ptr_nonnull(load);
    double length = 0.02 + 0.3 * cx_sim_random(&random), at = cx_sim_random(&random) * (1 - length);
    *speed = pow(30, cx_sim_random(&random) - 0.5);
    for (uint64_t i = 0; i < groups; i++) {
        double x = ((double)i + 0.5) / (double)groups;
        load->before[i + 1] = load->before[i] + (x >= at && x < at + length ? 20 : 1);
    }
    load->total = load->before[groups];
    return load;
}

/* Mean of the logarithm of time over the ideal's of launches in a row, on two devices that work in place. */
static double moving_launches(const char *policy, double ratio, struct cx_memory *memory)
{
    enum { GROUPS = 1024, LAUNCHES = 30 };
    struct cx_speed_record records[2] = {{0}};
    double sum = 0, measured[2] = {0};
    cx_memory_init(memory);
    for (unsigned launch = 1; launch <= LAUNCHES; launch++) {
        double speed;
        struct cx_sim_load *load = moving_load(GROUPS, launch, &speed);
        struct cx_sim_device devices[2];
        for (unsigned i = 0; i < 2; i++)
            devices[i] = (struct cx_sim_device){.known = {.nominal_speed = 1,
                                                          .slot = i,
                                                          .measured_speed = measured[i],
                                                          .launch_seconds = 1e-5},
                                                .speed = 1e5 * speed * (i ? 1 / ratio : 1),
                                                .launch_seconds = 1e-5,
                                                .reply_seconds = 2e-5,
                                                .jitter = 0.02};
        struct cx_simulation sim = {.policy = cx_policy_find(policy),
                                    .load = load,
                                    .ndevices = 2,
                                    .devices = devices,
                                    .partitions = true,
                                    .memory = memory,
                                    .records = records,
                                    .seed = launch};
        struct cx_sim_result result = cx_simulate(&sim);
        ck_assert(result.complete);
        sum += log(result.seconds / cx_sim_ideal(load, 2, devices)) / LAUNCHES;
        for (unsigned i = 0; i < 2; i++)
            measured[i] = cx_speed_record_speed(&records[i]);
        free(load);
    }
    return sum;
}

/* What is learned must not be relied on where no launch is like those before: auto gave shares by it, and was
 * behind Sigmoid. */
START_TEST(costs_that_move)
{
    struct cx_memory *memory = malloc(sizeof *memory);
    ck_assert_ptr_nonnull(memory);
    double ratio = _i ? 4 : 1, ours = moving_launches("auto", ratio, memory);
    ck_assert_double_lt(ours, moving_launches("sigmoid", ratio, memory));
    free(memory);
}
END_TEST

/* A launch cut into rows of 64 groups, so that a row on a device ten times slower takes a sixth of the
 * launch: mean efficiency of launches 3 to 8, when speeds and costs are known. */
static double launches_in_rows(const char *policy, enum cx_sim_profile profile, unsigned n,
                               const double *speeds)
{
    enum { ROWS = 64, A_ROW = 64, LAUNCHES = 8, MOST = 4 };
    const double alone = 0.15;
    struct cx_speed_record records[MOST] = {{0}};
    struct cx_memory *memory = malloc(sizeof *memory);
    struct cx_sim_load *rows = cx_sim_load_create(profile, ROWS, 3);
    struct cx_sim_load *load = cx_sim_load_create(CX_SIM_REGULAR, ROWS * A_ROW, 3);
    double sum = 0, total = 0;
    ck_assert(memory && rows && load);
    cx_memory_init(memory);
    for (unsigned i = 0; i < load->groups; i++) {
        double cost = (rows->before[i / A_ROW + 1] - rows->before[i / A_ROW]) / A_ROW;
        load->before[i + 1] = load->before[i] + cost;
    }
    load->total = load->before[load->groups];
    for (unsigned i = 0; i < n; i++)
        total += speeds[i];
    for (unsigned launch = 1; launch <= LAUNCHES; launch++) {
        struct cx_sim_device devices[MOST] = {0};
        for (unsigned i = 0; i < n; i++) {
            double measured = cx_speed_record_speed(&records[i]);
            devices[i].known = (struct cx_balancer_device){
                .nominal_speed = 1, .slot = i, .measured_speed = measured, .launch_seconds = 3e-5};
            devices[i].speed = load->total / alone * speeds[i];
            devices[i].launch_seconds = 3e-5;
            devices[i].reply_seconds = 1e-4;
            devices[i].jitter = 0.02;
        }
        struct cx_simulation sim = {.policy = cx_policy_find(policy),
                                    .load = load,
                                    .granularity = A_ROW,
                                    .ndevices = n,
                                    .devices = devices,
                                    .partitions = true,
                                    .memory = memory,
                                    .records = records,
                                    .seed = launch};
        struct cx_sim_result result = cx_simulate(&sim);
        ck_assert(result.complete);
        sum += launch >= 3 ? log(alone / total / result.seconds) / (LAUNCHES - 2) : 0;
    }
    free(load);
    free(rows);
    free(memory);
    return exp(sum);
}

/* The smallest package is a row: half of one was rounded up to one, however slow the device. */
START_TEST(few_rows)
{
    static const enum cx_sim_profile profiles[] = {CX_SIM_REGULAR, CX_SIM_RAMP, CX_SIM_SYMMETRIC};
    static const double ten[] = {1, 0.1}, hundred[] = {1, 0.01}, four[] = {1, 1, 0.5, 0.25};
    enum cx_sim_profile profile = profiles[_i];
    ck_assert_double_ge(launches_in_rows("auto", profile, 2, ten), 0.96);
    ck_assert_double_ge(launches_in_rows("sigmoid", profile, 2, ten), 0.92);
    ck_assert_double_ge(launches_in_rows("auto", profile, 2, hundred), 0.97);
    ck_assert_double_ge(launches_in_rows("auto", profile, 4, four), 0.91);
}
END_TEST

/* A launch that fills two of four like devices, none or all of them measured before: two of them must do it
 * from the second time on. When the plan left out one device after the other, the last one did it all. */
START_TEST(fillings)
{
    enum { GROUPS = 4096, FILL = 2112, DEVICES = 4 };
    const double speed = 77000;
    struct cx_memory *memory = malloc(sizeof *memory);
    struct cx_sim_load *load = cx_sim_load_create(CX_SIM_REGULAR, GROUPS, 3);
    struct cx_speed_record records[DEVICES] = {{0}};
    ck_assert(memory && load);
    cx_memory_init(memory);
    for (unsigned launch = 1; launch <= 12; launch++) {
        struct cx_sim_device devices[DEVICES] = {0};
        for (unsigned i = 0; i < DEVICES; i++) {
            double measured = _i ? speed * (1 + 0.01 * i) : cx_speed_record_speed(&records[i]);
            devices[i].known = (struct cx_balancer_device){.nominal_speed = 1,
                                                           .slot = i,
                                                           .fill = FILL,
                                                           .measured_speed = measured,
                                                           .launch_seconds = 1e-5};
            devices[i].speed = speed;
            devices[i].launch_seconds = 1e-5;
            devices[i].reply_seconds = 3e-5;
        }
        struct cx_simulation sim = {.policy = cx_policy_find("auto"),
                                    .load = load,
                                    .granularity = 64,
                                    .ndevices = DEVICES,
                                    .devices = devices,
                                    .partitions = true,
                                    .memory = memory,
                                    .records = records,
                                    .seed = launch};
        struct cx_sim_result result = cx_simulate(&sim);
        ck_assert(result.complete);
        if (launch > 1)
            ck_assert_double_lt(result.seconds, 1.05 * FILL / speed);
    }
    free(load);
    free(memory);
}
END_TEST

/* Two devices of one kind that a launch fills eight times each, and a package ends with groups that leave
 * them half empty, as nbody's on two H200: such packages were taken for slow ones, and those after them cut
 * ever smaller. One share each would be 1.03 of the ideal, which empties each device once. */
START_TEST(half_empty_ends)
{
    enum { GROUPS = 32768, FILL = 2112, LAUNCHES = 4 };
    const double most[LAUNCHES] = {_i ? 1.1 : 1.2, 1.05, 1.05, 1.05};
    const double speed = 10886;
    struct cx_memory *memory = malloc(sizeof *memory);
    struct cx_sim_load *load = cx_sim_load_create(CX_SIM_REGULAR, GROUPS, 3);
    struct cx_speed_record records[2] = {{0}};
    ck_assert(memory && load);
    cx_memory_init(memory);
    for (unsigned launch = 0; launch < LAUNCHES; launch++) {
        struct cx_sim_device devices[2] = {0};
        for (unsigned i = 0; i < 2; i++) {
            devices[i].known =
                (struct cx_balancer_device){.nominal_speed = 1,
                                            .kind = (unsigned)_i,
                                            .slot = i,
                                            .fill = FILL,
                                            .measured_speed = cx_speed_record_speed(&records[i]),
                                            .launch_seconds = 1e-5};
            devices[i].speed = speed;
            devices[i].half = FILL / 2.0;
            devices[i].launch_seconds = 1e-5;
            devices[i].reply_seconds = 3e-5;
            devices[i].jitter = 0.02;
        }
        struct cx_simulation sim = {.policy = cx_policy_find("auto"),
                                    .load = load,
                                    .ndevices = 2,
                                    .devices = devices,
                                    .partitions = true,
                                    .memory = memory,
                                    .records = records,
                                    .seed = launch + 1};
        struct cx_sim_result result = cx_simulate(&sim);
        ck_assert(result.complete);
        ck_assert_double_lt(result.seconds, most[launch] * (GROUPS / 2.0 + FILL / 2.0) / speed);
    }
    free(load);
    free(memory);
}
END_TEST

/* Rule 6 of auto.c: nobody fears a device whose like it knows. */
START_TEST(first_packages_of_one_kind)
{
    enum { GROUPS = 32768, FILL = 2112 };
    struct cx_balancer_device devices[2];
    for (unsigned i = 0; i < 2; i++)
        devices[i] = (struct cx_balancer_device){
            .nominal_speed = 1, .fill = FILL, .kind = _i ? 1 + i : 1, .slot = i, .launch_seconds = 1e-5};
    const struct cx_problem problem = {.groups = GROUPS, .ndevices = 2, .devices = devices};
    struct cx_balancer *balancer = cx_balancer_create(cx_policy_find("auto"), &problem, NULL);
    ck_assert_ptr_nonnull(balancer);
    for (unsigned i = 0; i < 2; i++) /* half of its share; or what fills it */
        ck_assert_uint_eq(cx_balancer_next(balancer, i, 0), _i ? FILL : GROUPS / 4);
    cx_balancer_destroy(balancer);
}
END_TEST

/* An image of which the edges cost next to nothing, launched for the first time on devices of one kind. Those
 * that begin with an edge are done at once, so that all that is left seems to be worth a few launches: the
 * others, whose first packages are of dear groups, must not get all of their parts for that. */
START_TEST(cheap_edges)
{
    enum { GROUPS = 294912, MOST = 4 };
    const unsigned n = _i % 2 ? 4 : 2;
    struct cx_sim_load *load = cx_sim_load_create(CX_SIM_REGULAR, GROUPS, 3);
    struct cx_sim_device devices[MOST];
    ck_assert_ptr_nonnull(load);
    for (unsigned i = 0; i < GROUPS; i++) {
        const double x = fabs((i + 0.5) / GROUPS - 0.5);
        load->before[i + 1] = load->before[i] + (x > 0.4 ? 2e-4 : x > 0.3 ? 0.2 : 1 + cos(3.14 * x));
    }
    load->total = load->before[GROUPS];
    for (unsigned i = 0; i < n; i++)
        devices[i] = (struct cx_sim_device){.known = {.nominal_speed = 1,
                                                      .fill = 1056,
                                                      .overlaps = true,
                                                      .kind = 1,
                                                      .slot = i,
                                                      .launch_seconds = 1e-5},
                                            .speed = load->total / (_i / 2 ? 0.5 : 0.05) / n,
                                            .launch_seconds = 1e-5,
                                            .reply_seconds = 4e-5,
                                            .jitter = 0.02};
    struct cx_simulation sim = {.policy = cx_policy_find("auto"),
                                .load = load,
                                .ndevices = n,
                                .devices = devices,
                                .partitions = true,
                                .seed = 1};
    const struct cx_sim_result result = cx_simulate(&sim);
    ck_assert(result.complete);
    const double ratio = result.seconds / cx_sim_ideal(load, n, devices);
    ck_assert_msg(ratio < 1.05, "%.4f of the ideal", ratio);
    free(load);
}
END_TEST

/* The same with dear groups in the middle or beside it, over launches: a large package says nothing of where
 * in it they lie, and neither that nor cheap groups at the edge may mislead later ones. */
START_TEST(dear_middle)
{
    enum { GROUPS = 294912, LAUNCHES = 8 };
    const double middle = 0.44 + 0.01 * (_i % 13), width = 0.03 + 0.03 * (_i / 13);
    struct cx_sim_load *load = cx_sim_load_create(CX_SIM_REGULAR, GROUPS, 3);
    struct cx_memory *memory = malloc(sizeof *memory);
    struct cx_speed_record records[2] = {{0}};
    ck_assert(load && memory);
    cx_memory_init(memory);
    for (unsigned i = 0; i < GROUPS; i++) {
        const double x = ((i + 0.5) / GROUPS - middle) / width;
        load->before[i + 1] = load->before[i] + 2e-4 + exp(-x * x);
    }
    load->total = load->before[GROUPS];
    const struct cx_sim_device device = {
        .known = {.nominal_speed = 1, .fill = 192, .overlaps = true, .kind = 1, .launch_seconds = 1e-5},
        .speed = load->total / 0.5,
        .launch_seconds = 1e-5,
        .reply_seconds = 5e-5,
        .jitter = 0.01};
    struct cx_sim_device devices[] = {device, device};
    struct cx_simulation sim = {.policy = cx_policy_find("auto"),
                                .load = load,
                                .granularity = 192,
                                .ndevices = 2,
                                .devices = devices,
                                .partitions = true,
                                .reexecutes = true,
                                .memory = memory,
                                .records = records};
    for (unsigned n = 0; n < LAUNCHES; n++) {
        for (unsigned i = 0; i < 2; i++)
            devices[i].known.measured_speed = cx_speed_record_speed(&records[i]);
        sim.seed = n + 1;
        const struct cx_sim_result result = cx_simulate(&sim);
        ck_assert(result.complete);
        const double ratio = result.seconds / cx_sim_ideal(load, 2, devices);
        ck_assert_msg(ratio < 1.05, "launch %u: %.4f of the ideal", n, ratio);
    }
    free(memory);
    free(load);
}
END_TEST

/* A device that was refused, as the rest seemed another's, is told when to ask again, and gets it where the
 * other holds on to its package. */
START_TEST(refused_and_asked_again)
{
    struct cx_balancer_device devices[2] = {{.measured_speed = 1000, .fill = 40},
                                            {.measured_speed = 500, .fill = 1500}};
    struct cx_problem problem = {.groups = 2800, .ndevices = 2, .devices = devices};
    struct cx_balancer *balancer = cx_balancer_create(cx_policy_find("auto"), &problem, NULL);
    ck_assert_ptr_nonnull(balancer);
    ck_assert_uint_gt(cx_balancer_next(balancer, 0, 0), 0);
    double now = 0, again;
    for (uint64_t groups; (groups = cx_balancer_next(balancer, 1, now)) > 0;) {
        now += (double)groups / 500;
        cx_balancer_done(balancer, 1, groups, (double)groups / 500, now);
    }
    ck_assert_uint_gt(cx_balancer_remaining(balancer), 0); /* else this shows nothing */
    ck_assert_double_eq(cx_balancer_ask_next(balancer, 0, now),
                        0); /* it holds something, and nothing overlaps */
    for (unsigned asked = 0; cx_balancer_next(balancer, 1, now) == 0; asked++) {
        again = cx_balancer_ask_next(balancer, 1, now);
        ck_assert_uint_lt(asked, 8);
        ck_assert_double_gt(again, now);
        now = again;
    }
    ck_assert_double_lt(now, 30);
    cx_balancer_destroy(balancer);
}
END_TEST

/* Launches in a row on two like devices. What the second one reads lies elsewhere in every third launch, and
 * is in place in the others: a part to be brought before it begins, the rest with each group. Gives the mean
 * of the logarithm of time over the ideal's. */
static double launches_with_moves(enum cx_sim_profile profile, bool told)
{
    enum { GROUPS = 4096, LAUNCHES = 12 };
    struct cx_speed_record records[2] = {{0}};
    struct cx_memory *memory = malloc(sizeof *memory);
    struct cx_sim_load *load = cx_sim_load_create(profile, GROUPS, 3);
    double sum = 0, speed = GROUPS / 0.1;
    ck_assert(memory && load);
    cx_memory_init(memory);
    for (unsigned launch = 1; launch <= LAUNCHES; launch++) {
        struct cx_sim_device devices[2] = {0};
        for (unsigned i = 0; i < 2; i++) {
            struct cx_sim_device *device = &devices[i];
            device->speed = speed;
            device->launch_seconds = 2e-5;
            device->reply_seconds = 3e-5;
            device->jitter = 0.02;
            device->in_seconds = i == 1 && launch % 3 == 1 ? 1.5 / speed : 0;
            device->fixed_seconds = i == 1 && launch % 3 == 1 ? 0.02 : 0;
            device->known = (struct cx_balancer_device){
                .nominal_speed = 1,
                .slot = i,
                .launch_seconds = 2e-5,
                .measured_speed = cx_speed_record_speed(&records[i]),
                .transfer_seconds = told ? device->in_seconds : 0,
                .fixed_seconds = told ? device->fixed_seconds : 0,
            };
        }
        struct cx_simulation sim = {.policy = cx_policy_find("auto"),
                                    .load = load,
                                    .ndevices = 2,
                                    .devices = devices,
                                    .partitions = true,
                                    .memory = memory,
                                    .records = records,
                                    .seed = launch};
        struct cx_sim_result result = cx_simulate(&sim);
        ck_assert(result.complete);
        sum += log(result.seconds / cx_sim_ideal(load, 2, devices)) / LAUNCHES;
    }
    free(load);
    free(memory);
    return sum;
}

/* Transfers are in the plan; where nobody told of them, packages are short enough for what they delay to be
 * made good within the launch. */
START_TEST(moves_are_planned)
{
    static const enum cx_sim_profile profiles[] = {CX_SIM_REGULAR, CX_SIM_RANDOM, CX_SIM_RAMP};
    static const double most[] = {0.01, 0.01, 0.07}; /* what was learned mixes them with costs that vary */
    ck_assert_double_lt(launches_with_moves(profiles[_i], true), most[_i]);
    ck_assert_double_lt(launches_with_moves(profiles[_i], false), most[_i]);
}
END_TEST

Suite *cx_test_balance(void)
{
    Suite *suite = suite_create("balance");
    TCase *tcase = tcase_create("simulated");
    tcase_add_loop_test(tcase, sigmoid_on_two_equal, 0, 8);
    tcase_add_loop_test(tcase, uneven_loads, 0, 2);
    tcase_add_loop_test(tcase, rivals_on_two_equal, 0, RIVALS);
    tcase_add_loop_test(tcase, nominal_speeds_lie, 0, RIVALS + 2);
    tcase_add_test(tcase, paper_machine);
    tcase_add_test(tcase, learning_is_cheap);
    tcase_add_loop_test(tcase, costs_that_move, 0, 2);
    tcase_add_loop_test(tcase, fillings, 0, 2);
    tcase_add_loop_test(tcase, half_empty_ends, 0, 2);
    tcase_add_loop_test(tcase, first_packages_of_one_kind, 0, 2);
    tcase_add_loop_test(tcase, few_rows, 0, 3);
    tcase_add_loop_test(tcase, cheap_edges, 0, 4);
    tcase_add_loop_test(tcase, dear_middle, 0, 39);
    tcase_add_test(tcase, refused_and_asked_again);
    tcase_add_loop_test(tcase, moves_are_planned, 0, 3);
    suite_add_tcase(suite, tcase);
    return suite;
}
