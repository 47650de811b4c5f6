/* SPDX-License-Identifier: MIT */
/*
 * Chooses the member on which a whole launch runs. Called under context->lock. Previous stage: plan.c. Next:
 * start.h.
 */
#ifndef CX_LAYER_PLAN_PLAN_PLACE_H
#define CX_LAYER_PLAN_PLAN_PLACE_H

#include "layer/plan/plan.h"

/* Returns the member, or, if it is a straggler (device_load.h), another one that accepts the launch and is
 * none, if there is one. Called by plan.c. */
unsigned cx_plan_prompt(const struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked);
/* The member for a whole launch: `preferred` if it is a member and accepts it, else the fastest; or the one
 * that its chain is on. nmembers: no member accepts it. Called by plan.c. */
unsigned cx_plan_place(struct cx_launch *launch, unsigned preferred) CX_HOLDS(cx_context_locked);
/* Whether there is one in-order queue, so that no launch waits for one on which it does not depend. Called by
 * launch/whole.c. */
bool cx_plan_is_alone(const struct cx_launch *launch);
/* Notes that the launch goes to the member, which is busy for that much longer. Called by plan.c. */
void cx_plan_occupy(struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked);

#endif
