/* SPDX-License-Identifier: MIT */
/*
 * Launches held back: what could be split but for a variant, or other members' builds, that are not there
 * yet, or a member that is late (reexecute.h), is planned as late as possible, so that programs which
 * enqueue all of their work at once do not have all of it run whole. A launch is held only behind work that
 * its member has to do first anyway, and planned before the last of that ends. What waits in the queue counts
 * when it is decided whether a build pays. Where what splits risk is bounded (plan_open.h), a launch that may
 * last is also held behind one that will tell how long it takes.
 *
 * Previous stage: plan.c. Next: the same again. Thread-safety: as said.
 */
#ifndef CX_LAYER_PLAN_DEFERRAL_H
#define CX_LAYER_PLAN_DEFERRAL_H

#include "layer/plan/plan.h"

/* Holds the launch where that may gain; it would go to `member` (the number of members: none in particular).
 * True: it will be planned again. context->lock held. */
bool cx_deferral_begin(struct cx_launch *launch, unsigned member);
/* Holds a launch that would run whole as a member is late, once, for a part of what it takes whole since that
 * became late: most are late by moments, with what others were as quick to do again. True: it will be planned
 * again. context->lock held. */
bool cx_deferral_for_straggler(struct cx_launch *launch);
/* Whether a launch is held until this one, of the same function, tells how long it takes. context->lock held.
 */
bool cx_deferral_waits_for(const struct cx_launch *launch);
/* Has those planned whose time has come: jobs completed, or something was built. Caller holds no lock. */
void cx_deferral_check(struct cx_context *context);

#endif
