/* SPDX-License-Identifier: MIT */
/*
 * Where a launch runs that is not split. Under context->lock. Previous stage: plan.c. Next: start.h.
 */
#ifndef CX_LAYER_PLAN_PLAN_PLACE_H
#define CX_LAYER_PLAN_PLAN_PLACE_H

#include "layer/plan/plan.h"

/* The member, or, where it is a straggler (device_load.h), another one that takes the launch and is none, if
 * there is one. */
unsigned cx_plan_prompt(const struct cx_launch *launch, unsigned member);
/* The member for a launch that stays whole: `preferred` if that is one and takes it, else the fastest; or one
 * that is free sooner. nmembers: none takes it. */
unsigned cx_plan_place(struct cx_launch *launch, unsigned preferred);
/* It goes there: that member is busy for so much longer. */
void cx_plan_occupy(const struct cx_launch *launch, unsigned member);

#endif
