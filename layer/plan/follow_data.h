/* SPDX-License-Identifier: MIT */
/*
 * Whether a whole launch of an in-order queue follows its data: stays on the device of the last launch, where
 * another one would be faster at it, but has to be brought what it reads, in so many bytes and pieces, and
 * has to give back what it writes there. Previous stage: plan_place.c. The rule: scheduler/follow.h. Called
 * under context->lock.
 */
#ifndef CX_LAYER_PLAN_FOLLOW_DATA_H
#define CX_LAYER_PLAN_FOLLOW_DATA_H

#include "layer/plan/plan.h"

/* Whether it stays on the member where the last launch ran, though another one is best at it; counts that.
 * Called by plan_place.c. */
bool cx_follow_data_stays(struct cx_launch *launch, unsigned last, unsigned best) CX_HOLDS(cx_context_locked);

#endif
