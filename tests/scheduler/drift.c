/* SPDX-License-Identifier: MIT */
/*
 * A device gets slower in the middle of a launch and fast again later: the launch in which that happens,
 * those behind it and the way back, in geometric means over all cases of a factor.
 */
#include "scheduler/drift.h"
#include "tests/scheduler/suites.h"

#include <math.h>

struct mean {
    double steady, first, after, back, back_after;
};

static struct mean mean_of(const char *policy, double factor, bool reexecutes)
{
    struct mean mean = {0};
    unsigned count = 0;
    for (unsigned i = 0; i < cx_drift_count(); i++) {
        const struct cx_drift_case c = cx_drift_case(i);
        if (c.factor != factor)
            continue;
        const struct cx_drift_result result = cx_drift_run(&c, cx_policy_find(policy), NULL, reexecutes);
        ck_assert(result.complete);
        mean.steady += log(result.steady);
        mean.first += log(result.first);
        mean.back += log(result.back_first);
        mean.after += result.after;
        mean.back_after += result.back_after;
        count++;
    }
    ck_assert_uint_gt(count, 0);
    return (struct mean){exp(mean.steady / count), exp(mean.first / count), mean.after / count,
                         exp(mean.back / count), mean.back_after / count};
}

static const double factors[] = {2, 4, 8};

/* auto notices within the launch, also where members work in place, so that nobody can do again what they
 * hold; it does not relapse, and is back at once. */
START_TEST(auto_follows)
{
    static const double most[] = {1.15, 1.3, 1.5}, reexecuted[] = {1.05, 1.1, 1.15};
    for (unsigned reexecutes = 0; reexecutes < 2; reexecutes++) {
        const struct mean mean = mean_of("auto", factors[_i], reexecutes);
        ck_assert_double_lt(mean.steady, 1.006);
        ck_assert_double_lt(mean.first, reexecutes ? reexecuted[_i] : most[_i]);
        ck_assert_double_lt(mean.after, 0.15);
        ck_assert_double_lt(mean.back, 1.05);
        ck_assert_double_lt(mean.back_after, 0.1);
    }
}
END_TEST

/* Policies that go by speeds of earlier launches take two to learn a new one. */
START_TEST(static_follows)
{
    static const double most[] = {0.6, 1.2, 1.9}, back[] = {0.5, 0.8, 1.2};
    const struct mean mean = mean_of("static", factors[_i], false);
    ck_assert_double_lt(mean.after, most[_i]);
    ck_assert_double_lt(mean.back_after, back[_i]);
}
END_TEST

Suite *cx_test_drift(void)
{
    Suite *suite = suite_create("drift");
    TCase *tcase = tcase_create("drift");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, auto_follows, 0, 3);
    tcase_add_loop_test(tcase, static_follows, 0, 3);
    suite_add_tcase(suite, tcase);
    return suite;
}
