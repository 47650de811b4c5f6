/* SPDX-License-Identifier: MIT */
/*
 * Where packages of a split may be done again on another member (reexecute.h):
 * - the members concerned work on memory of their own for every object of the launch, so that what they write
 *   is seen by nobody until coherence says so;
 * - running a group twice does no harm: the launch reads nothing that it writes, and updates nothing with
 *   atomics, so that the contents from before are the same whoever runs it, and however often;
 * - writes are of known, disjoint regions (nothing is merged or combined afterwards).
 *
 * And which launches may be shared with a member that is late with what others have done. Previous stage:
 * plan.c, plan_share.c. Under context->lock.
 */
#ifndef CX_LAYER_PLAN_REEXECUTE_RULES_H
#define CX_LAYER_PLAN_REEXECUTE_RULES_H

#include "layer/plan/plan.h"

/* Whether packages of the launch may be run twice, as far as the launch itself tells. Never under a policy
 * that would not run one again: such a split is over only with its last package, and what follows is planned
 * then. */
bool cx_reexecute_allowed(const struct cx_launch *launch, const struct cx_cached_verdict *judged);
/* Whether what the member writes is its own until coherence says otherwise. Its shadows are allocated. */
bool cx_reexecute_private(const struct cx_launch *launch, unsigned member);

/* Why a launch is not shared with a late member. */
extern const char cx_reexecute_straggler_reason[];
/* Whether others can do whatever the member holds of the launch, or never comes to, as far as the launch and
 * this member tell. */
bool cx_reexecute_bounds(const struct cx_launch *launch, const struct cx_cached_verdict *judged,
                         unsigned member);
/* Whether the member, late and bounded so, may share the launch all the same: it joins once it is done. */
bool cx_reexecute_may_join(const struct cx_launch *launch, const struct cx_cached_verdict *judged,
                           unsigned member);

#endif
