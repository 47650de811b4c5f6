/* SPDX-License-Identifier: MIT */
/*
 * What launches are expected to take, on a context made by hand.
 */
#include "capture.h"
#include "layer/context.h"
#include "layer/kernel.h"
#include "layer/plan_size.h"
#include "layer/program.h"

enum { MEMBERS = 4 };

static struct {
    struct cx_worker workers[MEMBERS];
    struct cx_speed_record records[MEMBERS];
    struct cx_context context;
    struct cx_learned learned;
    struct cx_function function;
    struct cx_kernel kernel;
    struct cx_launch launch;
} t;

static void setup(void)
{
    static const unsigned kinds[MEMBERS] = {1, 2, 1, 3};
    clean_environment();
    memset(&t, 0, sizeof(t));
    for (unsigned m = 0; m < MEMBERS; m++)
        t.workers[m].kind = kinds[m];
    t.context.workers = t.workers;
    t.context.nmembers = MEMBERS;
    t.learned.records = t.records;
    t.function.learned = &t.learned;
    t.kernel.function = &t.function;
    t.launch.kernel = &t.kernel;
    t.launch.base.context = &t.context;
    t.launch.geometry.work_dim = 1;
    t.launch.geometry.global[0] = 64 * 600;
    t.launch.geometry.local[0] = 64;
}

static void measured(unsigned member, double groups_per_second)
{
    t.records[member] = (struct cx_speed_record){0};
    cx_speed_record_update(&t.records[member], (uint64_t)groups_per_second, 1, 1.0);
}

START_TEST(nothing_known)
{
    ck_assert_double_eq(cx_plan_best_speed(&t.launch), 0);
    ck_assert_double_eq(cx_plan_expected(&t.launch), 0);
    t.function.learned = NULL;
    ck_assert_double_eq(cx_plan_expected(&t.launch), 0);
}
END_TEST

/* The fastest of all kinds. */
START_TEST(kinds)
{
    measured(1, 300);
    ck_assert_double_eq(cx_plan_expected(&t.launch), 2);
    measured(3, 200);
    ck_assert_double_eq(cx_plan_expected(&t.launch), 2);
    measured(0, 600);
    ck_assert_double_eq(cx_plan_expected(&t.launch), 1);
}
END_TEST

/* Two of one kind share a launch whose first work-groups cost a fifth: one alone needs both parts' times. */
START_TEST(cheap_and_dear_parts)
{
    measured(0, 500);
    measured(2, 100);
    ck_assert_double_eq(cx_plan_best_speed(&t.launch), 300);
    ck_assert_double_eq(cx_plan_expected(&t.launch), 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan size");
    TCase *tcase = tcase_create("expected");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, nothing_known);
    tcase_add_test(tcase, kinds);
    tcase_add_test(tcase, cheap_and_dear_parts);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
