/* SPDX-License-Identifier: MIT */
/*
 * What making the memory takes at most that a split needs: objects on members that have none, and the pages
 * of host copies, where bytes go through one that nobody has touched yet. By built-in rates. Previous stage:
 * plan_stake.c, which adds this to a split's bound. Under context->lock.
 */
#ifndef CX_LAYER_PLAN_MAKING_COST_H
#define CX_LAYER_PLAN_MAKING_COST_H

#include "layer/plan/plan.h"

/* Seconds to make the launch's memory objects on the member. Called by plan_stake.c. */
double cx_making_objects(const struct cx_launch *launch, const struct cx_worker *worker);

/* A split in question. */
struct cx_making {
    const struct cx_split_plan *plan;
    const double *part; /* of the launch, that each member of the plan does; 0: it does not take part */
    unsigned best;      /* in the plan: where the launch would run whole, and its results may be wanted */
    const struct cx_access_region
        *whole; /* what the launch touches, then what one package does, by argument */
};
/* Seconds to make the pages of host copies that inputs, which only other members have, go through, and the
 * results after it. Called by plan_stake.c. */
double cx_making_host_copies(const struct cx_launch *launch, const struct cx_making *split)
    CX_HOLDS(cx_context_locked);

#endif
