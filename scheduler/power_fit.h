/* SPDX-License-Identifier: MIT */
/*
 * Static and dynamic powers from what a power source counted while programs ran: no extra runs are needed.
 *
 * In a window of s seconds, in which device i computed for b_i seconds, a source that covers these devices
 * counts J = P^S s + sum P_i^D b_i.                                              (Equation 2, on the measured
 * side) The powers are the least squares solution over the last windows, each weighted by its error, and over
 * what is known otherwise of a power. Powers are not negative: as long as one comes out negative, the most
 * negative one is taken as 0 and the others are solved for again; their errors stay those that they had
 * before. What the windows do not tell apart (a device that computed all the time, so that static and dynamic
 * power are one sum; two that always computed together) is not told: its error is infinite, or, where chance
 * tells them apart, so large that no power is excluded.
 *
 * Powers in W, seconds, J. Zeroed: no window. Thread-safety: none, the caller serialises.
 */
#ifndef CX_SCHEDULER_POWER_FIT_H
#define CX_SCHEDULER_POWER_FIT_H

#include <stdbool.h>

enum {
    CX_POWER_FIT_DEVICES = 8, /* that one source covers, at most */
    CX_POWER_FIT_WINDOWS = 64,
};

struct cx_power_window {
    double seconds;
    double joules;
    double error;                      /* of the joules, at most */
    double busy[CX_POWER_FIT_DEVICES]; /* seconds, by device */
};

struct cx_power_fitted {
    double watts;
    double error; /* one standard deviation; INFINITY: not known, and watts is 0 */
};

struct cx_power_fit {
    unsigned devices; /* set before the first window; more than CX_POWER_FIT_DEVICES count as none */
    unsigned windows; /* how many came; the last CX_POWER_FIT_WINDOWS are kept */
    struct cx_power_window window[CX_POWER_FIT_WINDOWS];
    /* What is known otherwise; error 0: nothing. */
    struct cx_power_fitted fixed, dynamic[CX_POWER_FIT_DEVICES];
};

struct cx_powers {
    struct cx_power_fitted fixed; /* static power */
    struct cx_power_fitted dynamic[CX_POWER_FIT_DEVICES];
};

/* Takes in a window. Nonsense (negative, infinite, a device that computed longer than the window lasted by
 * more than a hundredth) is ignored. */
void cx_power_fit_add(struct cx_power_fit *fit, const struct cx_power_window *window);

/* The powers by what came so far. */
void cx_power_fit_solve(const struct cx_power_fit *fit, struct cx_powers *powers);

#endif
