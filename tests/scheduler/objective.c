/* SPDX-License-Identifier: MIT */
/*
 * Devices taken away for energy: by the model, kept while speeds waver, tried anew.
 */
#include "tests/scheduler/suites.h"
#include "scheduler/objective.h"

#include <math.h>
#include <stdlib.h>

/* 0.5 J a group; 2 J; 0.3 J. */
static const struct cx_energy_device three[] = {{1000, 70, 500}, {100, 30, 200}, {500, 20, 150}};

static struct cx_objective_launch launch_of(const struct cx_energy_device *devices, uint64_t offered,
                                            enum cx_energy_goal goal)
{
    return (struct cx_objective_launch){devices, 3, offered, 1000, 0, goal};
}

/* A decision after the first ones, in which all take part. */
static struct cx_objective_choice decide_at_last(struct cx_objective *objective,
                                                 const struct cx_objective_launch *launch)
{
    for (int i = 0; i < 3; i++)
        ck_assert_uint_eq(cx_objective_decide(objective, launch).members, launch->offered);
    return cx_objective_decide(objective, launch);
}

START_TEST(the_dear_one_is_left_out)
{
    struct cx_objective objective = {0};
    struct cx_objective_launch launch = launch_of(three, 7, CX_ENERGY_JOULES);
    struct cx_objective_choice choice = decide_at_last(&objective, &launch);
    ck_assert_uint_eq(choice.members, 5);
    ck_assert_double_eq_tol(choice.joules, 1000 / 1500.0 * (120 + 650), 1e-9);
    ck_assert_double_eq_tol(choice.saved, 1000 / 1600.0 * (120 + 850) - choice.joules, 1e-9);
    launch.goal = CX_ENERGY_TIME;
    ck_assert_uint_eq(cx_objective_decide(&objective, &launch).members, 7);
    launch.goal = CX_ENERGY_JOULES;
    launch.rest_watts = 3000; /* the shorter time is worth it */
    ck_assert_uint_eq(cx_objective_decide(&objective, &launch).members, 7);
}
END_TEST

/* Only of what admission found; what it left out consumes its static power, whatever else is said of it. */
START_TEST(never_more_than_offered)
{
    struct cx_energy_device devices[3] = {three[0], three[1], three[2]};
    struct cx_objective objective = {0};
    struct cx_objective_launch launch = launch_of(devices, 3, CX_ENERGY_JOULES);
    const struct cx_objective_choice choice = decide_at_last(&objective, &launch);
    ck_assert_uint_eq(choice.members, 1);
    ck_assert_double_eq_tol(choice.joules, 1 * (120 + 500), 1e-9);
    for (int round = 0; round < 5000; round++) {
        for (unsigned i = 0; i < 3; i++)
            devices[i] = (struct cx_energy_device){1 + rand() % 1000, rand() % 100, rand() % 500};
        launch.offered = 1 + (unsigned)rand() % 7;
        launch.goal = (enum cx_energy_goal)(rand() % 3);
        const struct cx_objective_choice any = cx_objective_decide(&objective, &launch);
        ck_assert(any.members && !(any.members & ~launch.offered));
        if (launch.goal == CX_ENERGY_JOULES)
            ck_assert(any.saved >= -0.04 * any.joules);
    }
}
END_TEST

/* Within 3 % nothing changes, in either direction. */
START_TEST(a_set_is_kept)
{
    struct cx_energy_device devices[3] = {three[0], three[1], {0, 0, 0}};
    struct cx_objective objective = {0};
    const struct cx_objective_launch launch = launch_of(devices, 3, CX_ENERGY_JOULES);
    /* both: (100 + 500 + d) / 1100, the first alone: 600 / 1000; equal at d = 60 */
    devices[1].dynamic_watts = 70;
    ck_assert_uint_eq(decide_at_last(&objective, &launch).members, 1);
    devices[1].dynamic_watts = 50;
    ck_assert_uint_eq(cx_objective_decide(&objective, &launch).members, 1);
    devices[1].dynamic_watts = 30;
    ck_assert_uint_eq(cx_objective_decide(&objective, &launch).members, 3);
    devices[1].dynamic_watts = 70;
    ck_assert_uint_eq(cx_objective_decide(&objective, &launch).members, 3);
    devices[1].dynamic_watts = 90;
    ck_assert_uint_eq(decide_at_last(&objective, &launch).members, 1);
}
END_TEST

START_TEST(all_are_tried_anew)
{
    struct cx_objective objective = {0};
    const struct cx_objective_launch launch = launch_of(three, 7, CX_ENERGY_JOULES);
    unsigned all = 0;
    for (int i = 0; i < 650; i++) {
        const struct cx_objective_choice choice = cx_objective_decide(&objective, &launch);
        ck_assert(choice.members == 7 || choice.members == 5);
        ck_assert(choice.members == 5 || choice.saved == 0);
        all += choice.members == 7;
    }
    ck_assert_uint_eq(all, 3 + 1 + 1 + 9); /* after 4, 16 and 64 with one left out, and 64 again */
}
END_TEST

/* Nothing is left out for what two launches say and the third one does not. */
START_TEST(two_measurements_are_none)
{
    struct cx_objective objective = {0};
    struct cx_objective_launch launch = launch_of(three, 7, CX_ENERGY_JOULES);
    for (int i = 0; i < 100; i++) {
        launch.rest_watts = i % 3 == 2 ? 30000 : 0;
        ck_assert_uint_eq(cx_objective_decide(&objective, &launch).members, 7);
    }
}
END_TEST

START_TEST(objective_survives_nonsense)
{
    const double bad[] = {-1, INFINITY, NAN};
    for (int i = 0; i < 3; i++) {
        struct cx_energy_device devices[3] = {three[0], three[1], three[2]};
        struct cx_objective objective = {0};
        struct cx_objective_launch launch = launch_of(devices, 7, CX_ENERGY_JOULES);
        devices[1].static_watts = bad[i];
        ck_assert_uint_eq(cx_objective_decide(&objective, &launch).members, 7);
        devices[1] = three[1];
        launch.groups = bad[i];
        ck_assert_uint_eq(cx_objective_decide(&objective, &launch).members, 7);
        launch.n = CX_ENERGY_MOST + 1;
        ck_assert_uint_eq(cx_objective_decide(&objective, &launch).members, 7);
        ck_assert(objective.members == 0 && objective.offered == 0);
    }
}
END_TEST

Suite *cx_test_objective(void)
{
    Suite *suite = suite_create("objective");
    TCase *tcase = tcase_create("sets");
    tcase_add_test(tcase, the_dear_one_is_left_out);
    tcase_add_test(tcase, never_more_than_offered);
    tcase_add_test(tcase, a_set_is_kept);
    tcase_add_test(tcase, all_are_tried_anew);
    tcase_add_test(tcase, two_measurements_are_none);
    tcase_add_test(tcase, objective_survives_nonsense);
    suite_add_tcase(suite, tcase);
    return suite;
}
