/* SPDX-License-Identifier: MIT */
/*
 * Whole launches whose data lies on several devices in parts. Each brings no more than it touches, which has
 * to be worked out anew where its arguments are others than before, and the maps of who has what be changed:
 * a tenth of a millisecond, which a program that waits for each launch loses. Once all these have taken as
 * long as it takes to bring all of its buffers to the device, that is done instead: so no more than twice of
 * what would have been best is lost (rent or buy; Karlin et al., "Competitive snoopy caching", 1988). What
 * lies on one device alone needs nothing of that any more. Under context->lock. Previous stage:
 * launch/whole.c. Next: the same.
 */
#ifndef CX_LAYER_PLAN_SCATTERED_DATA_H
#define CX_LAYER_PLAN_SCATTERED_DATA_H

#include "layer/plan/plan.h"

/* Whether the launch is to have all of its buffers brought to the member. Called by launch/whole.c. */
bool cx_scattered_gathers(struct cx_launch *launch, const struct cx_worker *worker)
    CX_HOLDS(cx_context_locked);
/* Planning such a launch took so many seconds. Called by launch/whole.c. */
void cx_scattered_took(struct cx_launch *launch, double seconds) CX_HOLDS(cx_context_locked);

#endif
