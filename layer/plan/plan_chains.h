/* SPDX-License-Identifier: MIT */
/*
 * Chains of whole launches (scheduler/chains.h): whether independent ones run on different devices, and what
 * that may lose.
 *
 * Noted are launches of contexts with several queues, or one without order, once one of them waited for
 * others on which it does not depend. Where a device that is closed would have taken a chain, what the launch
 * lacks is counted and wanted as for a split (plan_open.h). A chain moves to a device that is open if all of
 * its launches would gain and the account (scheduler/budget.h) holds what this one may lose, which counts its
 * data both ways. From then on it is there: a move back has to gain a twentieth. Where the
 * kernel was never measured one chain goes at a time, and its next launch is held until the one before it is
 * over (deferral.h), so that a wrong estimate costs two launches: the first of a kernel is not measured.
 *
 * Launches whose chains may move are held behind much work as well, and are planned late: a program may
 * enqueue all of one queue before the next one's, before any length is known, and the last launches planned
 * would all be of one chain. Not those of queues without order, as each of these would be held by itself, and
 * planned anew each time; except for chains that have moved: how long others keep the device busy that such a
 * chain left is reckoned from the first times of their kernels, and if these were too long only that device's
 * idling tells.
 *
 * Nominal speeds may hide a gain. Where no estimate gains, but would if a member that was never measured is
 * as much faster than estimated as it may be slower, a chain moves there out of curiosity (budget.h), and the
 * member is opened for that once the account holds the price of it, too.
 * Under context->lock. Previous stage: plan_place.h. Next: plan.c.
 */
#ifndef CX_LAYER_PLAN_PLAN_CHAINS_H
#define CX_LAYER_PLAN_PLAN_CHAINS_H

#include "layer/plan/plan.h"

/* The member for a whole launch that could run on `best`: where its chain is, or where the chain moves; then
 * what that may lose is reserved, until cx_plan_chains_end or cx_plan_chains_drop. Sets
 * launch->deferral.lacks_builds. Called by plan_place.c. */
unsigned cx_plan_chains_place(struct cx_launch *launch, unsigned best) CX_HOLDS(cx_context_locked);
/* Whether the launch may run whole on the member, by its queue, driver and memory, and that is no straggler.
 * Called by plan_place.c. */
bool cx_plan_may_go_to(struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked);
/* Whether its chain could move, by its queue, its kernel and the settings. Called by prefix_rules.c. */
bool cx_plan_chains_may_move(const struct cx_launch *launch) CX_HOLDS(cx_context_locked);
/* Whether the launch would wait on the member for others on which it does not depend, and could run
 * elsewhere. Called by prefix_rules.c. */
bool cx_plan_chains_wait(const struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked);
/* The launch is not begun whole now after all. Called by plan.c. */
void cx_plan_chains_drop(struct cx_launch *launch) CX_HOLDS(cx_context_locked);
/* Notes that the launch goes to the member, which is busy for that much longer. Called by plan_place.c. */
void cx_plan_chains_note(struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked);
/* Settles the account for a launch with which a chain moved, and which is over. Takes context->lock. Called
 * by api/enqueue_kernel.c. */
void cx_plan_chains_end(struct cx_launch *launch);

#endif
