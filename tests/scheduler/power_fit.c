/* SPDX-License-Identifier: MIT */
/*
 * Powers from windows: those that made the windows come out again, and what windows cannot tell is not told.
 */
#include "tests/scheduler/suites.h"
#include "scheduler/power_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double between(double low, double high)
{
    return low + (high - low) * rand() / RAND_MAX;
}

/* A window of devices that computed at random, at these powers, measured with an error of up to `error` J. */
static struct cx_power_window any_window(unsigned devices, double fixed, const double *dynamic, double error)
{
    struct cx_power_window window = {.seconds = between(1, 3), .error = error};
    window.joules = fixed * window.seconds + between(-error, error);
    for (unsigned i = 0; i < devices; i++) {
        window.busy[i] = rand() % 3 ? between(0, window.seconds) : 0;
        window.joules += dynamic[i] * window.busy[i];
    }
    return window;
}

START_TEST(powers_come_out_again)
{
    for (int round = 0; round < 200; round++) {
        struct cx_power_fit fit = {.devices = 1 + (unsigned)rand() % 8};
        const double fixed = between(20, 300);
        double dynamic[8];
        struct cx_powers powers;
        for (unsigned i = 0; i < 8; i++)
            dynamic[i] = between(0, 600);
        for (unsigned w = 0; w < 50; w++) {
            const struct cx_power_window window = any_window(fit.devices, fixed, dynamic, 0);
            cx_power_fit_add(&fit, &window);
        }
        cx_power_fit_solve(&fit, &powers);
        ck_assert_double_eq_tol(powers.fixed.watts, fixed, 1e-6);
        for (unsigned i = 0; i < fit.devices; i++)
            ck_assert_double_eq_tol(powers.dynamic[i].watts, dynamic[i], 1e-6);
        for (unsigned i = 0; i < CX_POWER_FIT_DEVICES; i++)
            ck_assert(isfinite(powers.dynamic[i].error) == (i < fit.devices));
    }
}
END_TEST

/* An H100's: 122 W with contexts, 570 W more, right to 100 ms of 700 W at each end. */
START_TEST(errors_are_told)
{
    unsigned outside = 0;
    const double dynamic[] = {570};
    for (int round = 0; round < 500; round++) {
        struct cx_power_fit fit = {.devices = 1};
        struct cx_powers powers;
        for (unsigned w = 0; w < 64; w++) {
            const struct cx_power_window window = any_window(1, 122, dynamic, 70);
            cx_power_fit_add(&fit, &window);
        }
        cx_power_fit_solve(&fit, &powers);
        ck_assert(powers.fixed.error > 1 && powers.fixed.error < 20 && powers.dynamic[0].error < 20);
        outside += fabs(powers.fixed.watts - 122) > 2 * powers.fixed.error;
        outside += fabs(powers.dynamic[0].watts - 570) > 2 * powers.dynamic[0].error;
    }
    ck_assert_uint_lt(outside, 100); /* of 1,000; 46 would be the rule for normal errors, these are smaller */
}
END_TEST

/* Busy all the time: only the sum is known. Two always together: only theirs. Never: nothing. */
START_TEST(what_is_not_told_apart)
{
    struct cx_power_fit always = {.devices = 1}, together = {.devices = 3}, none = {.devices = 2};
    struct cx_powers powers;
    for (unsigned w = 0; w < 40; w++) {
        const double seconds = between(1, 2), busy = between(0, seconds), third = between(0, seconds);
        cx_power_fit_add(&always, &(struct cx_power_window){seconds, 300 * seconds, 1, {seconds}});
        cx_power_fit_add(&together,
                         &(struct cx_power_window){
                             seconds, 50 * seconds + 300 * busy + 80 * third, 1, {busy, busy, third}});
        cx_power_fit_add(&none, &(struct cx_power_window){seconds, 70 * seconds, 1, {0}});
    }
    cx_power_fit_solve(&always, &powers);
    ck_assert(isinf(powers.fixed.error) && isinf(powers.dynamic[0].error));
    ck_assert(powers.fixed.watts == 0 && powers.dynamic[0].watts == 0);
    cx_power_fit_solve(&together, &powers);
    ck_assert_double_eq_tol(powers.fixed.watts, 50, 1e-6);
    ck_assert(isinf(powers.dynamic[0].error) && isinf(powers.dynamic[1].error));
    ck_assert_double_eq_tol(powers.dynamic[2].watts, 80, 1e-6);
    cx_power_fit_solve(&none, &powers);
    ck_assert_double_eq_tol(powers.fixed.watts, 70, 1e-6);
    ck_assert(isinf(powers.dynamic[0].error) && isinf(powers.dynamic[1].error));
}
END_TEST

/* An H100 that computed nearly all the time: windows of 2 s, 100 ms of the highest power unsure. What is told
 * then must be right to a few of its own errors; before, 0 W more than idle were, to 3 W. */
static struct cx_power_fit hardly_idle(unsigned windows, double least)
{
    struct cx_power_fit fit = {.devices = 1};
    double behind = between(0, 0.1);
    for (unsigned w = 0; w < windows; w++) {
        const double busy = between(least, 1) * 2, before = behind;
        behind = between(0, 0.1);
        const struct cx_power_window window = {
            2, 122 * 2 + 343 * busy + 465 * (before - behind), 46.5, {busy}};
        cx_power_fit_add(&fit, &window);
    }
    return fit;
}

START_TEST(hardly_idle_is_hardly_told)
{
    for (int round = 0; round < 2000; round++) {
        const struct cx_power_fit fit = hardly_idle(2 + (unsigned)rand() % 20, between(0.5, 0.99));
        struct cx_powers powers;
        cx_power_fit_solve(&fit, &powers);
        ck_assert_double_le(fabs(powers.fixed.watts - 122), 5 * powers.fixed.error);
        ck_assert_double_le(fabs(powers.dynamic[0].watts - 343), 5 * powers.dynamic[0].error);
    }
}
END_TEST

/* ... and is told where the idle power is known otherwise. */
START_TEST(known_otherwise)
{
    for (int round = 0; round < 200; round++) {
        struct cx_power_fit fit = hardly_idle(3, 0.96);
        struct cx_powers powers;
        fit.fixed = (struct cx_power_fitted){between(116, 128), 6};
        cx_power_fit_solve(&fit, &powers);
        ck_assert_double_eq_tol(powers.fixed.watts, 122, 10);
        ck_assert_double_eq_tol(powers.dynamic[0].watts, 343, 40);
        ck_assert(powers.fixed.error < 15 && powers.dynamic[0].error < 45);
        fit.devices = 2;
        fit.dynamic[1] = (struct cx_power_fitted){80, 8};
        cx_power_fit_solve(&fit, &powers);
        ck_assert_double_eq_tol(powers.dynamic[1].watts, 80, 1e-6);
        ck_assert_double_ge(powers.dynamic[1].error, 8 - 1e-6);
    }
}
END_TEST

static double squares(const struct cx_power_fit *fit, const double *watts)
{
    double sum = 0;
    for (unsigned w = 0; w < fit->windows; w++) {
        double beside = fit->window[w].joules - watts[0] * fit->window[w].seconds;
        for (unsigned i = 0; i < fit->devices; i++)
            beside -= watts[1 + i] * fit->window[w].busy[i];
        sum += beside * beside;
    }
    return sum;
}

/* No power is negative, and no others that are not fit better. */
START_TEST(powers_are_not_negative)
{
    for (int round = 0; round < 300; round++) {
        struct cx_power_fit fit = {.devices = 2};
        const double dynamic[] = {between(0, 3), between(0, 100)};
        struct cx_powers powers;
        for (unsigned w = 0; w < 30; w++) {
            const struct cx_power_window window = any_window(2, 10, dynamic, 9);
            cx_power_fit_add(&fit, &window);
        }
        cx_power_fit_solve(&fit, &powers);
        const double found[] = {powers.fixed.watts, powers.dynamic[0].watts, powers.dynamic[1].watts};
        for (int i = 0; i < 3; i++)
            ck_assert(found[i] >= 0);
        ck_assert(isfinite(powers.dynamic[0].error) && isfinite(powers.dynamic[1].error));
        for (int i = 0; i < 300; i++) {
            double other[3];
            for (int k = 0; k < 3; k++)
                other[k] = fmax(0, found[k] + between(-5, 5));
            ck_assert(squares(&fit, other) >= squares(&fit, found) * (1 - 1e-9));
        }
    }
}
END_TEST

/* Old windows are forgotten: after 64 of the new power nothing is left of the old one. */
START_TEST(old_windows_are_forgotten)
{
    struct cx_power_fit fit = {.devices = 1};
    struct cx_powers powers;
    for (unsigned w = 0; w < 100 + CX_POWER_FIT_WINDOWS; w++) {
        const double dynamic[] = {w < 100 ? 50 : 400};
        const struct cx_power_window window = any_window(1, 60, dynamic, 0);
        cx_power_fit_add(&fit, &window);
    }
    cx_power_fit_solve(&fit, &powers);
    ck_assert_double_eq_tol(powers.dynamic[0].watts, 400, 1e-6);
}
END_TEST

START_TEST(fit_survives_nonsense)
{
    const double bad[] = {-1, INFINITY, NAN};
    struct cx_power_fit fit = {.devices = 1}, large = {.devices = CX_POWER_FIT_DEVICES + 1};
    struct cx_powers powers;
    for (int i = 0; i < 3; i++) {
        cx_power_fit_add(&fit, &(struct cx_power_window){bad[i], 1, 0, {0}});
        cx_power_fit_add(&fit, &(struct cx_power_window){1, bad[i], 0, {0}});
        cx_power_fit_add(&fit, &(struct cx_power_window){1, 1, bad[i], {0}});
        cx_power_fit_add(&fit, &(struct cx_power_window){1, 1, 0, {bad[i]}});
    }
    cx_power_fit_add(&fit, &(struct cx_power_window){1, 1, 0, {1.1}});
    cx_power_fit_add(&large, &(struct cx_power_window){1, 1, 0, {0}});
    ck_assert_uint_eq(fit.windows + large.windows, 0);
    cx_power_fit_solve(&fit, &powers);
    ck_assert(isinf(powers.fixed.error) && isinf(powers.dynamic[0].error) && powers.fixed.watts == 0);
    cx_power_fit_solve(&large, &powers);
    ck_assert(isinf(powers.fixed.error) && isinf(powers.dynamic[CX_POWER_FIT_DEVICES - 1].error));
}
END_TEST

Suite *cx_test_power_fit(void)
{
    Suite *suite = suite_create("power_fit");
    TCase *tcase = tcase_create("windows");
    tcase_add_test(tcase, powers_come_out_again);
    tcase_add_test(tcase, errors_are_told);
    tcase_add_test(tcase, what_is_not_told_apart);
    tcase_add_test(tcase, hardly_idle_is_hardly_told);
    tcase_add_test(tcase, known_otherwise);
    tcase_add_test(tcase, powers_are_not_negative);
    tcase_add_test(tcase, old_windows_are_forgotten);
    tcase_add_test(tcase, fit_survives_nonsense);
    suite_add_tcase(suite, tcase);
    return suite;
}
