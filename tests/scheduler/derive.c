/* SPDX-License-Identifier: MIT */
/*
 * Derived configurations: what was measured is met exactly, laws of speed over the size are met by leaving
 * one size out, "Marrow"'s bounds hold after three data sets, and points that span nothing give a neighbour's
 * value.
 */
#include "scheduler/derive.h"
#include "tests/scheduler/suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static double derive(const struct cx_derive_point *known, unsigned n, unsigned dims, double x, double y,
                     double z)
{
    const double at[CX_DERIVE_DIMS] = {x, y, z};
    double value = NAN;
    ck_assert(cx_derive(known, n, dims, at, &value));
    return value;
}

START_TEST(measured_points_are_met)
{
    struct cx_derive_point point[MOST];
    for (unsigned i = 0; i < 40; i++)
        point[i] = (struct cx_derive_point){{i % 4, i / 4 % 3, i / 12}, sin(i) + i % 5};
    for (unsigned i = 0; i < 36; i++)
        ck_assert_double_eq_tol(derive(point, 36, 3, point[i].at[0], point[i].at[1], point[i].at[2]),
                                point[i].value, 1e-9);
}
END_TEST

/* A power of the sizes is a plane in logarithms. */
START_TEST(powers_are_met)
{
    struct cx_derive_point point[MOST];
    for (unsigned i = 0; i < 8; i++)
        point[i] = (struct cx_derive_point){{log(64 << i % 4), log(100 + 50 * (i / 4)), 0}, 0};
    for (unsigned i = 0; i < 8; i++)
        point[i].value = 3 + 2 * point[i].at[0] - 0.5 * point[i].at[1];
    ck_assert_double_eq_tol(derive(point, 8, 2, log(200), log(120), 0), 3 + 2 * log(200) - 0.5 * log(120),
                            1e-9);
    ck_assert_double_eq(derive(point, 3, 1, log(100), 0, 0), derive(point, 3, 1, log(100), 9, 9));
}
END_TEST

/* Too few points, points on a line of the plane, one point several times, four dimensions. */
START_TEST(neighbours_tell_else)
{
    struct cx_derive_point point[MOST];
    for (unsigned i = 0; i < 10; i++)
        point[i] = (struct cx_derive_point){{i, 2 * i, 0}, i};
    ck_assert_double_eq(derive(point, 1, 1, 77, 0, 0), 0);
    ck_assert_double_eq(derive(point, 2, 2, 3, 0, 0), 1);
    ck_assert_double_eq(derive(point, 10, 2, 5.4, 10.1, 0), 5);
    ck_assert_double_eq(derive(point, 10, 4, 5.4, 10.1, 0), 5);
    for (unsigned i = 0; i < 10; i++)
        point[i] = (struct cx_derive_point){{1, 1, 1}, 4 + i};
    ck_assert_double_eq(derive(point, 10, 3, 1, 1, 1), 4);
    ck_assert_double_eq(derive(point, 10, 3, 2, 1, 1), 4);
}
END_TEST

START_TEST(nonsense_is_left_out)
{
    struct cx_derive_point point[] = {
        {{0, 0, 0}, NAN}, {{INFINITY, 0, 0}, 1}, {{NAN, 0, 0}, 2}, {{3, 0, 0}, 7}};
    const double at[CX_DERIVE_DIMS] = {0}, no[CX_DERIVE_DIMS] = {NAN};
    double value = 0;
    ck_assert_double_eq(derive(point, 4, 1, 0, 0, 0), 7);
    ck_assert(!cx_derive(point, 3, 1, at, &value) && !cx_derive(point, 0, 1, at, &value));
    ck_assert(!cx_derive(point, 4, 1, no, &value) && !cx_derive(point, 4, 0, at, &value));
    for (unsigned i = 0; i < 4; i++)
        point[i] = (struct cx_derive_point){{i, 0, 0}, i * i * i};
    ck_assert_double_le(derive(point, 4, 1, 1e9, 0, 0), 27 + CX_DERIVE_BEYOND);
    ck_assert_double_ge(derive(point, 4, 1, -1e9, 0, 0), -CX_DERIVE_BEYOND);
}
END_TEST

/* Relations of two devices' speeds over the size, as kernels have them: a GPU that needs many groups to be
 * busy, caches that are left behind, and none of it. */
static double relation(unsigned law, double groups)
{
    const double filled = groups / (groups + 400), cached = 1 / (1 + exp(-(log(groups) - log(6000))));
    return law == 0 ? 7.3 : law == 1 ? 8 * filled : 3 + 4 * cached;
}

/* The first device's share. */
static double share(double of)
{
    return of / (1 + of);
}

/* Each size left out in turn: the share is within 3 %, and what that costs of the time within 5 %. */
START_TEST(left_out_sizes_are_derived)
{
    for (unsigned law = 0; law < 3; law++) {
        struct cx_derive_point point[MOST];
        for (unsigned out = 1; out < 7; out++) {
            unsigned n = 0;
            for (unsigned i = 0; i < 8; i++)
                if (i != out)
                    point[n++] = (struct cx_derive_point){{log(500 << i)}, log(relation(law, 500 << i))};
            const double truth = share(relation(law, 500 << out)),
                         own = share(exp(derive(point, n, 1, log(500 << out), 0, 0)));
            ck_assert_msg(fabs(own - truth) <= 0.03, "law %u, size %u: %g, %g", law, out, own, truth);
            ck_assert_double_le(fmax(own / truth, (1 - own) / (1 - truth)), 1.05);
        }
    }
}
END_TEST

/* "Marrow" (section 4.1): after three data sets the distribution is within 3 % and the time within 5 % of
 * what a search finds. Sizes between three that are four times as large as each other. */
START_TEST(marrow_after_three_sets)
{
    for (unsigned law = 0; law < 3; law++) {
        struct cx_derive_point point[3];
        for (unsigned i = 0; i < 3; i++)
            point[i] = (struct cx_derive_point){{log(1000 << 2 * i)}, log(relation(law, 1000 << 2 * i))};
        for (double groups = 1000; groups <= 16000; groups *= 1.3) {
            const double truth = share(relation(law, groups)),
                         own = share(exp(derive(point, 3, 1, log(groups), 0, 0)));
            ck_assert_msg(fabs(own - truth) <= 0.03, "law %u, %g groups: %g, %g", law, groups, own, truth);
            ck_assert_double_le(fmax(own / truth, (1 - own) / (1 - truth)), 1.05);
        }
    }
}
END_TEST

/* Values that jump from place to place, as measurements that something disturbed: their median, where an
 * interpolation through all of them would swing, and would rise or fall without end outside. Measured places
 * keep their own. */
START_TEST(values_without_law_have_a_median)
{
    static const double value[] = {1.9, 2.5, 2.9, 2.7, 6.9, 2.5, 2.1};
    struct cx_derive_point point[7];
    for (unsigned i = 0; i < 7; i++)
        point[i] = (struct cx_derive_point){{log(256 << i), log(100 + i * i), 0}, value[i]};
    for (unsigned dims = 1; dims <= 2; dims++) {
        ck_assert_double_eq(derive(point, 7, dims, log(300), log(140), 0), 2.5);
        ck_assert_double_eq(derive(point, 7, dims, log(1e6), log(1e4), 0), 2.5);
        ck_assert_double_eq(derive(point, 7, dims, point[4].at[0], point[4].at[1], 0), 6.9);
        ck_assert_double_eq_tol(derive(point, 6, dims, log(300), log(140), 0), 2.6, 1e-12);
    }
}
END_TEST

Suite *cx_test_derive(void)
{
    Suite *suite = suite_create("derive");
    TCase *tcase = tcase_create("derive");
    tcase_add_test(tcase, measured_points_are_met);
    tcase_add_test(tcase, powers_are_met);
    tcase_add_test(tcase, neighbours_tell_else);
    tcase_add_test(tcase, nonsense_is_left_out);
    tcase_add_test(tcase, values_without_law_have_a_median);
    tcase_add_test(tcase, left_out_sizes_are_derived);
    tcase_add_test(tcase, marrow_after_three_sets);
    suite_add_tcase(suite, tcase);
    return suite;
}
