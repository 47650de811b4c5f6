/* SPDX-License-Identifier: MIT */
/*
 * What a split of one launch is held to (scheduler/budget.h): how long the launch takes on the device that
 * the program began on, as launches of its kernel and shape told, and what the split costs by estimate and at
 * most.
 *
 * Bounds are conservative numbers, built in; what was measured of the kernel's splits corrects them. Where
 * nothing is bounded (plan_open.h) all of this says yes. Previous stage: plan_share.c, which knows who would
 * take part. Under context->lock.
 */
#ifndef CX_LAYER_PLAN_PLAN_STAKE_H
#define CX_LAYER_PLAN_PLAN_STAKE_H

#include "layer/plan/plan.h"

/* Seconds that the launch takes whole on the context's fastest member, by launches of the same kernel and
 * shape, or of the same kernel and at most twice or half as many work-groups; 0: not known. */
double cx_plan_length(const struct cx_launch *launch);
/* A launch ran whole on the member and took so long. first: its driver may have compiled in it. */
void cx_plan_length_tell(struct cx_launch *launch, unsigned member, double seconds, bool first);
/* It would take so long, by the part of it that is done. */
void cx_plan_length_guess(struct cx_launch *launch, unsigned member, double seconds);
/* A launch, or a repetition of one (replay.h), of the function was planned to run whole on the member,
 * with so many work-groups (0: not known) and a length of that many seconds (0: not known): the device will
 * have been busy for so long. */
void cx_plan_ran(struct cx_context *context, struct cx_kernel_history *history, unsigned member,
                 double seconds);

/* The launch is about to be planned to run whole on the worker's member, and touches these regions, by
 * argument: what of them only other members have, results of splits, comes back to it. */
void cx_plan_returns(const struct cx_launch *launch, const struct cx_access_region *regions,
                     const struct cx_worker *worker);
/* Why the launch stays whole whatever a look at its accesses would tell, which takes tens of microseconds:
 * its length is not known, or too short; NULL: that is not so. */
const char *cx_stake_forbids(const struct cx_launch *launch);

/* What is known about a split that might be. */
struct cx_plan_costs {
    const struct cx_admission_device *device; /* one a member of the plan */
    const struct cx_admission_member *member; /* likewise */
    const struct cx_access_region *whole;     /* what the launch touches, by argument; NULL: not known */
    double moves;                             /* seconds of moves that `device` does not tell of */
    const double *owned; /* bytes of inputs in parts that each device has (plan_share.c) */
    uint64_t *scratch;   /* room for 64 */
    unsigned best;       /* in the plan: where it would run whole */
};
/* Whether the launch may be split so. True: what it may lose is reserved, and cx_plan_stake_end has to come.
 * Else launch->reason says why not. */
bool cx_plan_stake(struct cx_launch *launch, const struct cx_split_plan *plan,
                   struct cx_kernel_history *history, const struct cx_plan_costs *costs);
/* Whether the account has so much for moves that only launches to come pay for. */
bool cx_plan_affords(const struct cx_context *context, double seconds);
/* It is not split after all. */
void cx_plan_stake_drop(struct cx_launch *launch);
/* The split launch is over, after so many seconds (0: not known), or was not begun after all. whole: what one
 * device would have taken, as its packages tell; 0: not known. brought: what the reads of results that came
 * home meanwhile would have taken behind it. Takes context->lock. */
void cx_plan_stake_end(struct cx_launch *launch, double elapsed, double whole, double written_back);

#endif
