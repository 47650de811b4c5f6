/* SPDX-License-Identifier: MIT */
/*
 * What auto learns from launches that are unlike the others, or that overlap.
 */
#include "scheduler/admission.h"
#include "scheduler/auto.h"
#include "scheduler/memory.h"
#include "scheduler/simulate.h"
#include "tests/scheduler/suites.h"
#include <math.h>
#include <stdlib.h>

enum { GROUPS = 100000, DEVICES = 2 };

static struct cx_balancer *new_launch(struct cx_memory *memory)
{
    const struct cx_balancer_device devices[DEVICES] = {
        {.nominal_speed = 1, .launch_seconds = 1e-5, .slot = 0},
        {.nominal_speed = 1, .launch_seconds = 1e-5, .slot = 1},
    };
    const struct cx_problem problem = {
        .groups = GROUPS, .ndevices = DEVICES, .devices = devices, .memory = memory};
    struct cx_balancer *balancer = cx_balancer_create(cx_policy_find("auto"), &problem, NULL);
    ck_assert_ptr_nonnull(balancer);
    return balancer;
}

/* The device's next package, from the front of what is left of its half or from the end. */
static uint64_t take(struct cx_balancer *balancer, unsigned device, uint64_t *at, double now)
{
    uint64_t groups = cx_balancer_next(balancer, device, now);
    if (groups > 0 && device == 0)
        cx_balancer_placed(balancer, device, *at);
    *at += device == 0 ? groups : -groups;
    if (groups > 0 && device == 1)
        cx_balancer_placed(balancer, device, *at);
    return groups;
}

/* Both devices until the launch's end; a group takes `each` seconds, in the first half of the range `dearer`
 * times that. */
static void run(struct cx_balancer *balancer, double each, double dearer)
{
    uint64_t at[DEVICES] = {0, GROUPS}, holds[DEVICES] = {0};
    double ends[DEVICES] = {0}, seconds[DEVICES] = {0}, now = 0;
    while (!cx_balancer_finished(balancer)) {
        for (unsigned i = 0; i < DEVICES; i++) {
            const uint64_t from = at[0];
            if (holds[i] > 0 || (holds[i] = take(balancer, i, &at[i], now)) == 0)
                continue;
            const uint64_t first = i == 0 ? from : at[1], end = first + holds[i], half = GROUPS / 2;
            const uint64_t dear = (end < half ? end : half) - (first < half ? first : half);
            seconds[i] = 1e-5 + each * ((double)holds[i] + (dearer - 1) * (double)dear);
            ends[i] = now + seconds[i];
        }
        const unsigned next = holds[0] > 0 && (holds[1] == 0 || ends[0] <= ends[1]) ? 0 : 1;
        ck_assert_uint_gt(holds[next], 0);
        now = ends[next];
        cx_balancer_done(balancer, next, holds[next], seconds[next], now);
        holds[next] = 0;
    }
}

/* One more simulated launch of the two devices, by what those before taught. */
static struct cx_sim_result simulate(const struct cx_sim_load *load, struct cx_sim_device *devices,
                                     struct cx_memory *memory, uint64_t seed)
{
    const struct cx_simulation sim = {.policy = cx_policy_find("auto"),
                                      .load = load,
                                      .ndevices = DEVICES,
                                      .devices = devices,
                                      .partitions = true,
                                      .memory = memory,
                                      .seed = seed};
    const struct cx_sim_result result = cx_simulate(&sim);
    ck_assert(result.complete);
    return result;
}

/* Launches and replies cost what such devices' do; they are of one kind. */
static void two_alike(struct cx_sim_device *devices, double speed, double jitter)
{
    for (unsigned i = 0; i < DEVICES; i++)
        devices[i] = (struct cx_sim_device){
            .known = {.nominal_speed = 1, .launch_seconds = 1e-5, .kind = 1, .slot = i},
            .speed = speed,
            .launch_seconds = 1e-5,
            .reply_seconds = 3e-5,
            .jitter = jitter};
}

/* A launch of a queue is planned before the one ahead of it ends and teaches what it saw. Costs that change
 * when a part of the range is given out do not add up to the launch: too little seemed to be left, and the
 * rest went out in packages of one group. */
START_TEST(lessons_during_a_launch)
{
    const double each = 1e-7;
    struct cx_memory *memory = malloc(sizeof *memory);
    ck_assert_ptr_nonnull(memory);
    cx_memory_init(memory);
    struct cx_balancer *early = new_launch(memory), *first = new_launch(memory);
    run(first, each, 3);
    cx_balancer_learn(first);
    struct cx_balancer *launch = new_launch(memory);
    uint64_t front = 0, end = GROUPS;
    ck_assert_uint_gt(take(launch, 1, &end, 0), GROUPS / 3);
    run(early, each, 30);
    cx_balancer_learn(early);
    double now = 0;
    for (uint64_t got; (got = take(launch, 0, &front, now)) > 0;) {
        const double seconds = 1e-5 + (double)got * each;
        now += seconds;
        cx_balancer_done(launch, 0, got, seconds, now);
        ck_assert_double_eq_tol(cx_auto_cost_left(launch),
                                cx_cost_model_cost(launch->cost_model, GROUPS, front, end - front), 1);
    }
    ck_assert_uint_gt(front, 0);
    cx_balancer_destroy(early);
    cx_balancer_destroy(first);
    cx_balancer_destroy(launch);
    free(memory);
}
END_TEST

/* Where packages overlap, single ones tell little of how far lengths are from what was predicted. */
START_TEST(lengths_in_rows)
{
    struct cx_device_state device = {.given = {.fill = 100, .overlaps = true}};
    const double each = 1e-5, factor = _i ? 1.5 : 1;
    struct cx_lengths lengths = {0};
    double error = -1, length = -1;
    const double predicted = 50 * each;
    for (unsigned i = 0; i < 15; i++) /* 7.5 fillings */
        ck_assert_double_lt(
            cx_lengths_add(&lengths, &device, 50, factor * (i % 2 ? 0.2 : 1.8) * predicted, predicted), 7.9);
    ck_assert_double_gt(cx_lengths_add(&lengths, &device, 50, factor * 0.2 * predicted, predicted), 7.9);
    ck_assert(cx_lengths_tell(&lengths, &error, &length));
    ck_assert_double_eq_tol(length, 800 * each, 1e-12);
    ck_assert_double_eq_tol(error, _i ? log(1.5 - cx_groups_drain(&device) / 800) : 0, 1e-9);
    ck_assert(!cx_lengths_tell(&lengths, &error, &length));
    device.given.overlaps = false;
    ck_assert(isinf(cx_lengths_add(&lengths, &device, 50, factor * 0.2 * predicted, predicted)));
    ck_assert(cx_lengths_tell(&lengths, &error, &length));
    ck_assert_double_eq_tol(error, log(factor * 0.2), 1e-9);
    ck_assert_double_eq(cx_lengths_add(&lengths, &device, 50, NAN, predicted), 0);
    ck_assert_double_eq(cx_lengths_add(&lengths, &device, 50, 1, 0), 0);
    ck_assert(!cx_lengths_tell(&lengths, &error, &length));
}
END_TEST

/* A first launch that takes 40 times as long as all others (it touches pages for the first time, or devices
 * wake up), on one device 120, or one that is over sooner, says little of how costs vary along the range. */
START_TEST(slow_first_launch)
{
    static const double times[] = {40, 1.0 / 40, 3};
    struct cx_memory *memory = malloc(sizeof *memory);
    struct cx_sim_load *load = cx_sim_load_create(CX_SIM_REGULAR, GROUPS, 3);
    ck_assert(memory && load);
    cx_memory_init(memory);
    for (unsigned launch = 1; launch <= 12; launch++) {
        const double speed = 1e7 / (launch == 1 ? times[_i % 3] : 1);
        struct cx_sim_device devices[DEVICES];
        two_alike(devices, speed, 0.02);
        if (launch == 1)
            devices[_i / 3].speed /= 3;
        const struct cx_sim_result result = simulate(load, devices, memory, launch);
        if (launch > 2)
            ck_assert_double_lt(result.seconds, 1.05 * cx_sim_ideal(load, DEVICES, devices));
        ck_assert_uint_le(result.packages, launch == 1 ? 64 : 24);
    }
    for (uint64_t part = 0; part < 8; part++) {
        double cost = cx_cost_model_cost(&memory->cost_model, GROUPS, part * GROUPS / 8, GROUPS / 8);
        ck_assert_double_gt(cost, 0.6 * GROUPS / 8);
        ck_assert_double_lt(cost, 1.6 * GROUPS / 8);
    }
    free(load);
    free(memory);
}
END_TEST

/* Devices of one kind, one of which has to get all that it reads in the first launch and has it in the next:
 * they are taken for equally fast at computing, not at moving. */
START_TEST(alike_but_for_moves)
{
    struct cx_memory *memory = malloc(sizeof *memory);
    struct cx_sim_load *load = cx_sim_load_create(CX_SIM_REGULAR, GROUPS, 3);
    const double speed = 1e6, moves = (_i + 1) * 0.5 / speed;
    ck_assert(memory && load);
    cx_memory_init(memory);
    for (unsigned launch = 1; launch <= 3; launch++) {
        struct cx_sim_device devices[DEVICES];
        two_alike(devices, speed, 0.01);
        devices[1].in_seconds = devices[1].known.transfer_seconds = launch == 1 ? moves : 0;
        const struct cx_sim_result result = simulate(load, devices, memory, launch);
        const double ratio = result.seconds / cx_sim_ideal(load, DEVICES, devices);
        ck_assert_msg(launch == 1 || ratio < 1.05, "launch %u: %.4f of the ideal", launch, ratio);
    }
    free(load);
    free(memory);
}
END_TEST

/* Moves are told by what links are believed to do. Where they take less time, launches go by what packages
 * took; and where they take more or less from some launch on, from the one after it. */
START_TEST(moves_reported_too_high)
{
    enum { UNITS = 4096, LAUNCHES = 14, CHANGE = 8 };
    uint64_t random = (uint64_t)_i + 1;
    struct cx_memory *memory = malloc(sizeof *memory);
    struct cx_sim_load *load = cx_sim_load_create(_i % 2 ? CX_SIM_RAMP : CX_SIM_REGULAR, UNITS, 3);
    struct cx_speed_record records[DEVICES] = {{0}};
    ck_assert(memory && load);
    cx_memory_init(memory);
    const double told = 3 * cx_sim_random(&random), fixed = 0.4 * cx_sim_random(&random);
    const double before = 0.5 * cx_sim_random(&random), after = cx_sim_random(&random);
    for (unsigned launch = 1; launch <= LAUNCHES; launch++) {
        const double part = launch < CHANGE ? before : after;
        struct cx_sim_device devices[DEVICES] = {0};
        for (unsigned i = 0; i < DEVICES; i++) {
            const bool moves = i == 1 || _i % 3 == 0;
            devices[i].speed = UNITS / (i == 1 ? 1 : 0.6);
            devices[i].launch_seconds = 1e-5;
            devices[i].reply_seconds = 3e-5;
            devices[i].jitter = 0.02;
            devices[i].in_seconds = moves ? part * told / UNITS : 0;
            devices[i].fixed_seconds = moves ? part * fixed : 0;
            devices[i].known = (struct cx_balancer_device){
                .nominal_speed = 1,
                .slot = i,
                .launch_seconds = 1e-5,
                .measured_speed = cx_speed_record_speed(&records[i]),
                .transfer_seconds = moves ? told / UNITS : 0,
                .fixed_seconds = moves ? fixed : 0,
            };
        }
        struct cx_simulation sim = {.policy = cx_policy_find("auto"),
                                    .load = load,
                                    .ndevices = DEVICES,
                                    .devices = devices,
                                    .partitions = true,
                                    .memory = memory,
                                    .records = records,
                                    .seed = launch};
        struct cx_sim_result result = cx_simulate(&sim);
        ck_assert(result.complete);
        if (launch != CHANGE)
            ck_assert_double_lt(result.seconds, 1.03 * cx_sim_ideal(load, DEVICES, devices));
    }
    free(load);
    free(memory);
}
END_TEST

/* Costs of launches of which the first half of the range is three times as dear. */
static void teach(struct cx_memory *memory)
{
    ck_assert_ptr_nonnull(memory);
    cx_memory_init(memory);
    struct cx_balancer *first = new_launch(memory);
    run(first, 1e-7, 3);
    cx_balancer_learn(first);
    cx_balancer_destroy(first);
}

static void expect_left(const struct cx_balancer *balancer, uint64_t from, uint64_t to)
{
    ck_assert_double_eq_tol(cx_auto_cost_left(balancer),
                            cx_cost_model_cost(balancer->cost_model, GROUPS, from, to - from), 1);
}

/* A package is done whether or not somebody tells how long it took, on a device that gets nothing more, too;
 * and groups that come back beside such a device bring back no cost that was done. */
START_TEST(done_is_done)
{
    struct cx_memory *memory = malloc(sizeof *memory);
    teach(memory);
    struct cx_balancer *launch = new_launch(memory);
    uint64_t front = 0, end = GROUPS;
    uint64_t got = take(launch, 0, &front, 0), other = take(launch, 1, &end, 0);
    ck_assert(got > 0 && other > 0);
    expect_left(launch, front, end);
    cx_balancer_done(launch, 0, got, 0, 0.01);
    expect_left(launch, front, end);
    cx_balancer_retire(launch, 1);
    cx_balancer_done(launch, 1, other, 0.01, 0.01);
    expect_left(launch, front, end);
    got = take(launch, 0, &front, 0.02);
    ck_assert_uint_gt(got, 2);
    cx_balancer_give_back(launch, 0, got - 1);
    front -= got - 1;
    expect_left(launch, front, end);
    cx_balancer_destroy(launch);
    free(memory);
}
END_TEST

/* Two devices that do not tell how long many of their packages took; costs vary along the range. */
START_TEST(times_not_reported)
{
    enum { UNITS = 4096, LAUNCHES = 10, CASES = 24 };
    struct cx_memory *memory = malloc(sizeof *memory);
    ck_assert_ptr_nonnull(memory);
    double sum = 0;
    for (unsigned c = 0; c < CASES; c++) {
        struct cx_sim_load *load =
            cx_sim_load_create(c % 2 ? CX_SIM_RAMP : CX_SIM_SYMMETRIC, UNITS, 3 + c / 6);
        ck_assert_ptr_nonnull(load);
        cx_memory_init(memory);
        for (unsigned launch = 1; launch <= LAUNCHES; launch++) {
            struct cx_sim_device devices[DEVICES];
            for (unsigned i = 0; i < DEVICES; i++)
                devices[i] =
                    (struct cx_sim_device){.known = {.nominal_speed = 1, .slot = i, .launch_seconds = 1e-4},
                                           .speed = i ? 2 * UNITS : UNITS,
                                           .launch_seconds = 1e-4,
                                           .reply_seconds = 3e-5,
                                           .jitter = 0.02,
                                           .untimed = launch <= 2 ? 0 : (double[]){0.5, 0.9, 1}[c / 2 % 3]};
            const struct cx_sim_result result = simulate(load, devices, memory, 100 * c + launch);
            if (launch > 2)
                sum += log(result.seconds / cx_sim_ideal(load, DEVICES, devices));
        }
        free(load);
    }
    const double mean = exp(sum / (CASES * (LAUNCHES - 2)));
    ck_assert_msg(mean < 1.032, "%.4f", mean);
    free(memory);
}
END_TEST

/* A device that was measured before hangs in its package from the beginning, so that others do all of it:
 * once that may be a matter of a moment, and its speed stays; twice it is slower. */
START_TEST(lost_once)
{
    enum { UNITS = 4096, LAUNCHES = 5 };
    struct cx_memory *memory = malloc(sizeof *memory);
    struct cx_sim_load *load = cx_sim_load_create(CX_SIM_REGULAR, UNITS, 3);
    ck_assert(memory && load);
    cx_memory_init(memory);
    double known = 0;
    for (unsigned launch = 0; launch < LAUNCHES; launch++) {
        struct cx_sim_device devices[DEVICES];
        for (unsigned i = 0; i < DEVICES; i++)
            devices[i] = (struct cx_sim_device){.known = {.nominal_speed = 1, .launch_seconds = 1e-5},
                                                .speed = UNITS,
                                                .launch_seconds = 1e-5,
                                                .slows_at = launch >= 3 && i == 1 ? 1e-6 : 0,
                                                .slow_factor = 1e6};
        struct cx_simulation sim = {.policy = cx_policy_find("auto"),
                                    .load = load,
                                    .ndevices = DEVICES,
                                    .devices = devices,
                                    .partitions = true,
                                    .reexecutes = true,
                                    .memory = memory,
                                    .seed = launch};
        ck_assert(cx_simulate(&sim).complete);
        const double speed = memory->cost_model.device[1].speed;
        if (launch == 2)
            known = speed;
        if (launch == 3)
            ck_assert_double_eq_tol(speed, known, 0.05 * known);
        if (launch == 4)
            ck_assert_double_lt(speed, 0.9 * known);
    }
    free(load);
    free(memory);
}
END_TEST

/* What a first launch predicted of itself where its cheap end came first says little of what it taught. */
START_TEST(first_launch_of_cheap_ends)
{
    enum { UNITS = 65536 };
    struct cx_memory *memory = malloc(sizeof *memory);
    struct cx_sim_load *load = cx_sim_load_create(CX_SIM_REGULAR, UNITS, 3);
    ck_assert(memory && load);
    cx_memory_init(memory);
    for (unsigned i = 0; i < UNITS; i++)
        load->before[i + 1] = load->before[i] + (i > UNITS / 4 && i < 3 * UNITS / 4 ? 1 : 1e-5);
    load->total = load->before[UNITS];
    struct cx_sim_device devices[DEVICES];
    for (unsigned i = 0; i < DEVICES; i++)
        devices[i] = (struct cx_sim_device){.known = {.nominal_speed = 1, .launch_seconds = 1e-5},
                                            .speed = 10 * load->total,
                                            .launch_seconds = 1e-5};
    (void)simulate(load, devices, memory, 0);
    ck_assert_double_lt(memory->cost_model.deviation, 0.41);
    free(load);
    free(memory);
}
END_TEST

Suite *cx_test_memory(void)
{
    Suite *suite = suite_create("memory");
    TCase *tcase = tcase_create("memory");
    tcase_add_test(tcase, lessons_during_a_launch);
    tcase_add_loop_test(tcase, lengths_in_rows, 0, 2);
    tcase_add_loop_test(tcase, alike_but_for_moves, 0, 3);
    tcase_add_loop_test(tcase, slow_first_launch, 0, 6);
    tcase_add_loop_test(tcase, moves_reported_too_high, 0, 24);
    tcase_add_test(tcase, done_is_done);
    tcase_add_test(tcase, times_not_reported);
    tcase_add_test(tcase, lost_once);
    tcase_add_test(tcase, first_launch_of_cheap_ends);
    suite_add_tcase(suite, tcase);
    return suite;
}
