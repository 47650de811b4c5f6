/* SPDX-License-Identifier: MIT */
/*
 * Chooses the members of a split, and makes the balancer that divides it. Called under context->lock.
 * Previous stage: plan.c, which knows that the launch may be split among these members, and candidates.h.
 * Next: start.h.
 */
#ifndef CX_LAYER_PLAN_PLAN_SHARE_H
#define CX_LAYER_PLAN_PLAN_SHARE_H

#include "layer/plan/plan.h"

/* Whether the launch, by the slowest recent ones of the kernel, is too short for a split to gain. Such a
 * launch is not judged, since that takes tens of microseconds for new arguments. Called by plan.c. */
bool cx_plan_too_short(const struct cx_launch *launch, const struct cx_kernel_history *history)
    CX_HOLDS(cx_context_locked);
/* Chooses those of the plan's members that shorten the launch, and makes the balancer. False: it stays whole,
 * with the reason in the launch and the member for it in *best. Called by plan.c. */
bool cx_plan_share(struct cx_launch *launch, struct cx_split_plan *plan, struct cx_kernel_history *history,
                   unsigned *best) CX_HOLDS(cx_context_locked);

#endif
