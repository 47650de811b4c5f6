/* SPDX-License-Identifier: MIT */
/*
 * Time, energy and energy-delay product of two devices, as "When to co-execute" has them: Equations 1 to 9,
 * with its names. C and G are its CPU and GPU, alpha is the part of the work that C gets. For any number of
 * devices, and for decisions: energy.h, of which this is the case N = 2 (tests/scheduler/energy.c holds them
 * together).
 *
 * The paper takes five candidates for the least EDP: alpha = 0, alpha_opt, 1, and two inner extrema,
 * alpha_left and alpha_right. The inner ones are never minima. Left of alpha_opt the time is T = (1 - alpha)
 * W / S_G, and the energy a straight line in alpha, so also in T: E = a T + b, where b is what it would be at
 * T = 0, that is alpha = 1: b = P_C^D W / S_C >= 0. The EDP a T^2 + b T has its one stationary point at T =
 * -b / 2a, which is a time (> 0) only with a < 0, where the second derivative, 2a, makes it a maximum. Right
 * of alpha_opt, T = alpha W / S_C and b = P_G^D W / S_G, the same. So three candidates suffice.
 *
 * The text before Equations 8 and 9 has their conditions the wrong way round. Where Equation 4 does not hold,
 * the energy rises with alpha on both sides (the paper's case 1), and G alone is best, alpha = 0, Equation 8:
 * G is so much faster that C wastes energy. Where Equation 5 does not hold, C alone is, alpha = 1,
 * Equation 9.
 *
 * Powers in W, speeds in work-groups/s, W in work-groups. Speeds are > 0, powers >= 0. No state; thread-safe.
 */
#ifndef CX_SCHEDULER_ENERGY_PAIR_H
#define CX_SCHEDULER_ENERGY_PAIR_H

#include "scheduler/energy.h"

struct cx_energy_pair {
    struct cx_energy_device c, g;
};

/* Equation 1: seconds. */
double cx_energy_pair_seconds(const struct cx_energy_pair *pair, double groups, double alpha);
/* Equation 2: joules. */
double cx_energy_pair_joules(const struct cx_energy_pair *pair, double groups, double alpha);
/* Equation 3: where both end together. */
double cx_energy_pair_opt(const struct cx_energy_pair *pair);
/* Equation 4: left of alpha_opt more work for C saves energy. */
bool cx_energy_pair_left_falls(const struct cx_energy_pair *pair);
/* Equation 5: right of it more work for C costs energy. */
bool cx_energy_pair_right_rises(const struct cx_energy_pair *pair);
/* Equation 6, both of them: both devices together consume less than either one. Else one of them alone does,
 * by which of the two does not hold. */
bool cx_energy_pair_pays(const struct cx_energy_pair *pair);
/* The alpha of least energy: 0, alpha_opt or 1. On a border of Equation 6, where a whole side is equal,
 * alpha_opt. */
double cx_energy_pair_best(const struct cx_energy_pair *pair);
/* Equations 7, 8 and 9: joules at alpha_opt, with G alone and with C alone. */
double cx_energy_pair_joules_both(const struct cx_energy_pair *pair, double groups);
double cx_energy_pair_joules_g(const struct cx_energy_pair *pair, double groups);
double cx_energy_pair_joules_c(const struct cx_energy_pair *pair, double groups);
/* The inner extrema of the EDP; outside of their side, infinite or NAN, there is none. */
double cx_energy_pair_left(const struct cx_energy_pair *pair);
double cx_energy_pair_right(const struct cx_energy_pair *pair);

#endif
