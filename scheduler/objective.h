/* SPDX-License-Identifier: MIT */
/*
 * Which of the devices that admission found take part where energy or the energy-delay product is to be
 * least, not time (COEXEC_OBJECTIVE). Admission's set is the one that ends soonest; here devices are taken
 * away from it, by the model of energy.h. A set is kept until another one is better by more than the speeds
 * are known to. All that admission found take part in the first launches, until three have said the same, and
 * once more after 4, 16, 64, 64, ... launches, so that speeds of those left out do not grow old.
 *
 * One struct a kernel; zeroed: nothing decided. Thread-safety: none, the caller serialises. Previous stage:
 * admission.h. Next: balancer.h.
 */
#ifndef CX_SCHEDULER_OBJECTIVE_H
#define CX_SCHEDULER_OBJECTIVE_H

#include "scheduler/energy.h"

struct cx_objective {
    uint64_t offered, members; /* the last sets: what admission found, and those of it that took part */
    unsigned agreed;           /* launches of all in a row that said that some are to be left out */
    unsigned launches, until;  /* with some left out since all took part, and how many there may be */
};

struct cx_objective_launch {
    const struct cx_energy_device *devices; /* all of the program's: each consumes its static power */
    unsigned n;
    uint64_t offered; /* bits: what admission found; their speeds are known */
    double groups, rest_watts;
    enum cx_energy_goal goal;
};

struct cx_objective_choice {
    uint64_t members;
    double joules, saved; /* expected of the launch; joules less than with all that were offered */
};

/* Decides, and counts the launch. Where nothing can be told (energy.h) all that were offered take part, and
 * joules is 0. Called by plan/plan_objective.c. */
struct cx_objective_choice cx_objective_decide(struct cx_objective *objective,
                                               const struct cx_objective_launch *launch);

#endif
