/* SPDX-License-Identifier: MIT */
/*
 * Time, energy and energy-delay product (EDP) of a launch, and which devices make each of them least: the
 * model of "When to co-execute" (its equations for two devices: energy_pair.h) for any number of devices.
 *
 * Device i computes w_i of W work-groups with S_i of them a second. T = max w_i / S_i. Every device consumes
 * its static power P_i^S for T, whether it computes or waits, so does the rest of the machine; and its
 * dynamic power P_i^D more while it computes. With P^S for the sum of all static powers, E = P^S T + sum
 * P_i^D w_i / S_i.                                        (Equation 2, for N devices)
 *
 * Claim: let devices be ordered by what a work-group costs there, e_i = P_i^D / S_i joules, cheapest first.
 * Least T, least E and least E T each lie at one of N nested sets, the first m devices of that order, with
 * shares by speed, w_i = W S_i / (S_1 + ... + S_m), so that all of the set end together.
 * Proof: T is least with all devices, m = N. For the others let the time be at most T, so w_i <= S_i T. The
 * dynamic energy sum e_i w_i is then least when the cheapest devices are filled, one after the other, until W
 * is reached (fractional knapsack). Let T_m = W / (S_1 + ... + S_m), T_N < ... < T_1. With T between T_(m+1)
 * and T_m, devices 1 to m are full and the next one takes the rest, so
 *     E(T) = P^S T + sum_(i<=m) e_i S_i T + e_(m+1) (W - sum_(i<=m) S_i T) = a T + b,   b = e_(m+1) W >= 0.
 * That is a straight line, least at one end, T_m or T_(m+1). E(T) T = a T^2 + b T has its only other
 * stationary point at T = -b / 2a > 0, which needs a < 0, where it is a maximum: least at an end, too. Above
 * T_1 both only grow. At T = T_m the first m devices are full: these are the nested sets.
 *
 * Speeds in work-groups/s, powers in W, energies in J, EDP in J s. No state, no side effect; thread-safe.
 */
#ifndef CX_SCHEDULER_ENERGY_H
#define CX_SCHEDULER_ENERGY_H

#include <stdbool.h>
#include <stdint.h>

enum { CX_ENERGY_MOST = 64 }; /* devices */

struct cx_energy_device {
    double speed; /* work-groups/s; 0: it takes no part */
    double static_watts;
    double dynamic_watts; /* beyond static, while it computes */
};

enum cx_energy_goal { CX_ENERGY_TIME, CX_ENERGY_JOULES, CX_ENERGY_EDP };

struct cx_energy_choice {
    uint64_t members; /* bit i: device i takes part; 0: nothing can be told */
    double seconds, joules, edp;
};

/* The set that the goal asks for, of at most CX_ENERGY_MOST devices, with its time, energy and EDP.
 * rest_watts: what the rest of the machine consumes. Of sets that are equal the larger one is chosen. No
 * members, and all figures 0, where no device has a speed or a number is not one (negative, infinite). */
struct cx_energy_choice cx_energy_choose(const struct cx_energy_device *devices, unsigned n, double groups,
                                         double rest_watts, enum cx_energy_goal goal);

/* Time, energy and EDP of a given set with shares by speed. */
struct cx_energy_choice cx_energy_of_set(const struct cx_energy_device *devices, unsigned n, double groups,
                                         double rest_watts, uint64_t members);

/* Likewise of given shares, in work-groups, one a device: Equation 2 as it is. A share of a device without
 * speed counts as none. */
struct cx_energy_choice cx_energy_of_shares(const struct cx_energy_device *devices, unsigned n,
                                            const double *shares, double rest_watts);

/* What the goal makes least: seconds, joules or EDP. */
double cx_energy_value(const struct cx_energy_choice *choice, enum cx_energy_goal goal);

#endif
