/* SPDX-License-Identifier: MIT */
/*
 * Least squares by normal equations: at most 9 unknowns, all columns in seconds. See power_fit.h.
 */
#include "scheduler/power_fit.h"

#include <math.h>
#include <string.h>

/* Unknowns: static power first, then the devices'. */
enum { UNKNOWNS = CX_POWER_FIT_DEVICES + 1 };
/* What is left of a column, of all its length, that others do not explain: below it is rounding. What chance
 * leaves of it is in the errors. */
static const double least_own = 1e-9;
static const double longer_than_window = 1.01;
/* Watts to which a window is right at best: no power is that steady. */
static const double unsteady_watts = 0.1;

struct equations {
    double matrix[UNKNOWNS][2 * UNKNOWNS]; /* at the right of it the inverse grows */
    double right[UNKNOWNS], diagonal[UNKNOWNS];
};

static bool is_amount(double value)
{
    return value >= 0 && isfinite(value);
}

void cx_power_fit_add(struct cx_power_fit *fit, const struct cx_power_window *window)
{
    if (!(window->seconds > 0) || !isfinite(window->seconds) || !is_amount(window->joules) ||
        !is_amount(window->error) || fit->devices > CX_POWER_FIT_DEVICES)
        return;
    for (unsigned i = 0; i < fit->devices; i++)
        if (!is_amount(window->busy[i]) || window->busy[i] > longer_than_window * window->seconds)
            return;
    fit->window[fit->windows++ % CX_POWER_FIT_WINDOWS] = *window;
}

static unsigned kept(const struct cx_power_fit *fit)
{
    return fit->windows < CX_POWER_FIT_WINDOWS ? fit->windows : CX_POWER_FIT_WINDOWS;
}

static double column(const struct cx_power_window *window, unsigned unknown)
{
    return unknown == 0 ? window->seconds : window->busy[unknown - 1];
}

/* One over the variance of its joules, any error within the bound alike. */
static double weight(const struct cx_power_window *window)
{
    const double unsteady = unsteady_watts * window->seconds;
    return 1 / (window->error * window->error / 3 + unsteady * unsteady);
}

static const struct cx_power_fitted *guess_of(const struct cx_power_fit *fit, unsigned unknown)
{
    return unknown == 0 ? &fit->fixed : &fit->dynamic[unknown - 1];
}

static double weight_of_guess(const struct cx_power_fitted *guess)
{
    return is_amount(guess->watts) && guess->error > 0 ? 1 / (guess->error * guess->error) : 0;
}

static void add_window(struct equations *to, const struct cx_power_window *window, const bool *use,
                       unsigned n)
{
    for (unsigned r = 0; r < n; r++) {
        const double value = use[r] ? weight(window) * column(window, r) : 0;
        to->right[r] += value * window->joules;
        for (unsigned c = 0; c < n; c++)
            to->matrix[r][c] += use[c] ? value * column(window, c) : 0;
    }
}

/* The equations of the unknowns that are in `use`; the others are 0. */
static void set_up(struct equations *of, const struct cx_power_fit *fit, const bool *use)
{
    const unsigned n = fit->devices + 1;
    memset(of, 0, sizeof *of);
    for (unsigned w = 0; w < kept(fit); w++)
        add_window(of, &fit->window[w], use, n);
    for (unsigned r = 0; r < n; r++) {
        const struct cx_power_fitted *guess = guess_of(fit, r);
        const double of_guess = use[r] ? weight_of_guess(guess) : 0;
        of->matrix[r][r] += of_guess;
        of->right[r] += of_guess > 0 ? of_guess * guess->watts : 0;
    }
    for (unsigned r = 0; r < n; r++) {
        of->diagonal[r] = of->matrix[r][r];
        of->matrix[r][UNKNOWNS + r] = 1;
    }
}

static void subtract_row(struct equations *of, unsigned n, unsigned from, unsigned what, double times)
{
    for (unsigned c = 0; c < n; c++) {
        of->matrix[from][c] -= times * of->matrix[what][c];
        of->matrix[from][UNKNOWNS + c] -= times * of->matrix[what][UNKNOWNS + c];
    }
    of->right[from] -= times * of->right[what];
}

/* Gauss and Jordan, always on with the unknown that is told best. Marks those that are told; the matrix is
 * symmetric and positive, so that the pivot may stay on its diagonal. */
static void eliminate(struct equations *of, unsigned n, bool *told)
{
    bool done[UNKNOWNS] = {false};
    for (unsigned step = 0; step < n; step++) {
        double best = least_own;
        unsigned at = n;
        for (unsigned r = 0; r < n; r++) {
            const double own = of->diagonal[r] > 0 ? of->matrix[r][r] / of->diagonal[r] : 0;
            if (!done[r] && own > best)
                best = own, at = r;
        }
        if (at == n)
            return;
        done[at] = told[at] = true;
        const double pivot = of->matrix[at][at];
        subtract_row(of, n, at, at, 1 - 1 / pivot);
        for (unsigned r = 0; r < n; r++)
            if (r != at)
                subtract_row(of, n, r, at, of->matrix[r][at]);
    }
}

/* An unknown that was told is not, if it is mixed with one that was not: the other may be any number. */
static void leave_out_mixed(const struct equations *of, unsigned n, bool *told)
{
    bool mixed[UNKNOWNS] = {false};
    for (unsigned r = 0; r < n; r++)
        for (unsigned c = 0; told[r] && c < n; c++)
            if (!told[c] && of->diagonal[c] > 0 &&
                fabs(of->matrix[r][c]) * sqrt(of->diagonal[r] / of->diagonal[c]) > sqrt(least_own))
                mixed[r] = true;
    for (unsigned r = 0; r < n; r++)
        told[r] = told[r] && !mixed[r];
}

/* By how much the windows are farther from the powers than their own errors are, squared: at least 1. */
static double excess(const struct cx_power_fit *fit, const double *watts, unsigned unknowns)
{
    double sum = 0;
    unsigned count = kept(fit);
    for (unsigned w = 0; w < kept(fit); w++) {
        double beside = fit->window[w].joules;
        for (unsigned r = 0; r <= fit->devices; r++)
            beside -= watts[r] * column(&fit->window[w], r);
        sum += weight(&fit->window[w]) * beside * beside;
    }
    for (unsigned r = 0; r <= fit->devices; r++) {
        const double own = weight_of_guess(guess_of(fit, r)), beside = watts[r] - guess_of(fit, r)->watts;
        sum += own > 0 ? own * beside * beside : 0;
        count += own > 0;
    }
    return fmax(count > unknowns ? sum / (count - unknowns) : 1, 1);
}

/* Solves for those in use; false where one came out negative, which is not in use any more. */
static bool solve_once(const struct cx_power_fit *fit, bool *use, bool *told, struct equations *of)
{
    const unsigned n = fit->devices + 1;
    unsigned worst = n;
    memset(told, 0, UNKNOWNS * sizeof *told);
    set_up(of, fit, use);
    eliminate(of, n, told);
    leave_out_mixed(of, n, told);
    for (unsigned r = 0; r < n; r++)
        if (told[r] && of->right[r] < 0 && (worst == n || of->right[r] < of->right[worst]))
            worst = r;
    if (worst < n)
        use[worst] = false;
    return worst == n;
}

static bool is_asked(const struct cx_power_fit *fit, unsigned unknown)
{
    double sum = 0;
    for (unsigned w = 0; w < kept(fit); w++)
        sum += column(&fit->window[w], unknown);
    return sum > 0 || weight_of_guess(guess_of(fit, unknown)) > 0;
}

/* Errors are those of the solution that may be negative: that 0 is the nearest power that there is makes
 * neither it nor the others better known. */
void cx_power_fit_solve(const struct cx_power_fit *fit, struct cx_powers *powers)
{
    struct equations of;
    bool use[UNKNOWNS] = {false}, told[UNKNOWNS] = {false}, at_first[UNKNOWNS] = {false};
    double watts[UNKNOWNS] = {0}, variance[UNKNOWNS] = {0};
    const unsigned n = fit->devices <= CX_POWER_FIT_DEVICES ? fit->devices + 1 : 0;
    unsigned unknowns = 0;
    for (unsigned r = 0; r < n; r++)
        use[r] = is_asked(fit, r);
    bool is_solved = n == 0 || solve_once(fit, use, told, &of);
    memcpy(at_first, told, sizeof told);
    for (unsigned r = 0; r < n; r++)
        variance[r] = of.matrix[r][UNKNOWNS + r];
    while (!is_solved)
        is_solved = solve_once(fit, use, told, &of);
    for (unsigned r = 0; r < n; r++) {
        watts[r] = told[r] && at_first[r] ? of.right[r] : 0;
        unknowns += told[r];
    }
    const double square = n ? excess(fit, watts, unknowns) : 1;
    for (unsigned r = 0; r < UNKNOWNS; r++) {
        struct cx_power_fitted *figure = r == 0 ? &powers->fixed : &powers->dynamic[r - 1];
        figure->watts = watts[r];
        figure->error = r < n && at_first[r] ? sqrt(square * variance[r]) : INFINITY;
        if (r < n && weight_of_guess(guess_of(fit, r)) > 0) /* windows do not make it worse known */
            figure->error = fmin(figure->error, guess_of(fit, r)->error);
    }
}
