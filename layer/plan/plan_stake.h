/* SPDX-License-Identifier: MIT */
/*
 * The stake of a split (scheduler/budget.h): how long the launch takes on the device that the program began
 * on, by earlier launches of its kernel and shape, and what the split costs by estimate and at most.
 *
 * Bounds are conservative built-in numbers, corrected by measurements of the kernel's splits. If losses are
 * not bounded (cx_split_policy_bounded), everything here allows the split. Previous stage: plan_share.c,
 * which knows who would take part. Under context->lock.
 */
#ifndef CX_LAYER_PLAN_PLAN_STAKE_H
#define CX_LAYER_PLAN_PLAN_STAKE_H

#include "layer/plan/plan.h"

/* Seconds that the launch takes whole on the context's fastest member, by launches of the same kernel and
 * shape, or of the same kernel and at most twice or half as many work-groups; 0: not known. Called by
 * deferral.c, plan_size.c, prefix_rules.c and launch/whole.c. */
double cx_plan_length(const struct cx_launch *launch) CX_HOLDS(cx_context_locked);
/* Records that a launch ran whole on the member and took that long. first: the driver may have compiled in
 * it. Called by launch_learn.c, launch/prefix.c and launch/whole.c. */
void cx_plan_length_tell(struct cx_launch *launch, unsigned member, double seconds, bool first)
    CX_HOLDS(cx_context_locked);
/* Records a guess of how long it takes whole, from the part of it that is done. Called by launch/prefix.c. */
void cx_plan_length_guess(struct cx_launch *launch, unsigned member, double seconds)
    CX_HOLDS(cx_context_locked);
/* Records that a launch ran whole in so long at most, as what it lacked came to the member meanwhile: that
 * stands until one is measured. Called by launch/whole.c. */
void cx_plan_length_at_most(struct cx_launch *launch, unsigned member, double seconds)
    CX_HOLDS(cx_context_locked);
/* Counts a launch of the function, or a replayed one (replay.h), that was planned to run whole on the member
 * and takes that many seconds (0: not known). Called by launch/prefix.c, launch/replay.c and
 * launch/whole.c. */
void cx_plan_ran(struct cx_context *context, struct cx_kernel_history *history, unsigned member,
                 double seconds) CX_HOLDS(cx_context_locked);

/* Counts moves back: the launch is about to be planned whole on the worker's member and accesses these
 * regions, by argument; parts of them may be results of splits that only other members hold. Called by
 * launch/whole.c. */
void cx_plan_returns(const struct cx_launch *launch, const struct cx_access_region *regions,
                     const struct cx_worker *worker) CX_HOLDS(cx_context_locked);
/* Why the launch stays whole without being judged, which would take tens of microseconds: its length is not
 * known, or too short, which sets launch->decision.use. NULL: it may be judged. Called by plan.c. */
enum cx_why cx_plan_stake_forbids(struct cx_launch *launch) CX_HOLDS(cx_context_locked);

/* What is known about a possible split. */
struct cx_plan_costs {
    const struct cx_admission_device *device; /* one a member of the plan */
    const struct cx_admission_member *member; /* likewise */
    /* what the launch touches, then what one package does, by argument; NULL: not known */
    const struct cx_access_region *whole;
    double moves;        /* seconds of moves that `device` does not include */
    const double *owned; /* bytes of inputs in parts that each device has (plan_share.c), and ... */
    double tied;         /* ... that there are */
    uint64_t *scratch;   /* room for 64 */
    double *part;        /* likewise */
    unsigned best;       /* in the plan: where it would run whole */
};
/* Whether the launch may be split so. True: what it may lose is reserved, until cx_plan_stake_end or
 * cx_plan_stake_drop. Else launch->decision.reason says why not. Called by plan_share.c. */
bool cx_plan_stake(struct cx_launch *launch, const struct cx_split_plan *plan,
                   struct cx_kernel_history *history, const struct cx_plan_costs *costs)
    CX_HOLDS(cx_context_locked);
/* Returns the reservation, as the launch is not split after all. Called by plan.c and plan_share.c. */
void cx_plan_stake_drop(struct cx_launch *launch) CX_HOLDS(cx_context_locked);
/* Settles the account for a split launch that is over after `elapsed` seconds (0: not known), or was not
 * begun. whole: what one device would have taken, by its packages' times; 0: not known. written_back: seconds
 * that reads of results written back meanwhile would have taken afterwards. Takes context->lock. Called by
 * split_feedback.c. */
void cx_plan_stake_end(struct cx_launch *launch, double elapsed, double whole, double written_back);

#endif
