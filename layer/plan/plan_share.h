/* SPDX-License-Identifier: MIT */
/*
 * Who takes part in a split, and the balancer that shares it out. Under context->lock. Previous stage:
 * plan.c, which knows that the launch may be split among these members, and candidates.h. Next: start.h.
 */
#ifndef CX_LAYER_PLAN_PLAN_SHARE_H
#define CX_LAYER_PLAN_PLAN_SHARE_H

#include "layer/plan/plan.h"

/* Whether the launch, by the slowest ones of late, is over before a split could gain: so short a launch is
 * not worth judging, which takes tens of microseconds where the arguments are new. */
bool cx_plan_too_short(const struct cx_launch *launch, const struct cx_kernel_history *history);
/* Chooses among the plan's members those that shorten the launch and makes the balancer; else false, with the
 * reason in the launch and the member for a whole launch in *best. */
bool cx_plan_share(struct cx_launch *launch, struct cx_split_plan *plan, struct cx_kernel_history *history,
                   unsigned *best);

#endif
