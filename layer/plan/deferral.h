/* SPDX-License-Identifier: MIT */
/*
 * Deferral: a launch that could be split, if a variant or other members' builds were ready or a member were
 * no straggler (reexecute.h), is planned as late as possible. So programs that enqueue all of their work at
 * once do not have all of it run whole. A launch is deferred only behind work that its member has to do first
 * anyway, and planned before the last of that ends. Work that waits in the queue counts when it is decided
 * whether a build pays. If losses are bounded (cx_split_policy_bounded), a launch that may be long is also
 * deferred behind one that will show how long it takes, and a long one, or the first of its function, until
 * its kernel is analysed. Shorter ones are deferred only where much is ahead of them (outstanding.h), and
 * planned while some of it is left; so are those that only the account keeps whole (budget.h), as it grows
 * with what has run, and those of a row of splits. And so are, for no more than so much work at a time,
 * launches that lack nothing but whose chains may move (plan_chains.h).
 *
 * Previous stage: plan.c. Next: the same again. Thread-safety: as said.
 */
#ifndef CX_LAYER_PLAN_DEFERRAL_H
#define CX_LAYER_PLAN_DEFERRAL_H

#include "layer/plan/plan.h"

/* Defers the launch if that may gain; it would go to `member` (nmembers: none in particular). True: it will
 * be planned again. context->lock held. Called by plan.c. */
bool cx_deferral_begin(struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked);
/* Defers a launch of a kernel whose last launch was split, behind much work: a program that enqueues a row of
 * a thousand splits would have all of them planned before the first has shown that they lose. True: it will
 * be planned again. context->lock held. Called by plan.c. */
bool cx_deferral_of_row(struct cx_launch *launch) CX_HOLDS(cx_context_locked);
/* Defers a launch that would run whole because a member is a straggler; once, until a part of the launch's
 * whole time has passed since the member became one, since most are stragglers only briefly. True: it will be
 * planned again. context->lock held. Called by plan.c. */
bool cx_deferral_for_straggler(struct cx_launch *launch) CX_HOLDS(cx_context_locked);
/* Whether a launch of the same function is deferred until this one shows how long it takes. context->lock
 * held. Called by launch/whole.c. */
bool cx_deferral_waits_for(const struct cx_launch *launch) CX_HOLDS(cx_context_locked);
/* Plans the deferred launches whose time has come, as jobs completed or a build ended. The caller holds no
 * lock. Called through cx_context_listeners.progressed, which api/context.c sets. */
void cx_deferral_check(struct cx_context *context);

#endif
