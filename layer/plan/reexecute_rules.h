/* SPDX-License-Identifier: MIT */
/*
 * Decides whether packages of a split may be re-executed on another member (reexecute.h). The conditions:
 * each member concerned works on memory of its own for every object of the launch, so that what it writes is
 * invisible until the coherence map says otherwise. Running a group twice does no harm: the launch reads
 * nothing that it writes and has no atomics, so the contents from before are the same for every run. Its
 * writes are of known, disjoint regions, so nothing is merged or reduced afterwards.
 *
 * Also decides which launches may be shared with a straggler. Previous stage: plan.c, plan_share.c. Called
 * under context->lock.
 */
#ifndef CX_LAYER_PLAN_REEXECUTE_RULES_H
#define CX_LAYER_PLAN_REEXECUTE_RULES_H

#include "layer/plan/plan.h"

/* Whether packages of the launch may run twice, as far as the launch itself is concerned. Never under a
 * policy that does not re-execute. Called by plan_share.c and prefix_rules.c. */
bool cx_reexecute_allowed(const struct cx_launch *launch, const struct cx_cached_verdict *judged);
/* Whether what the member writes stays invisible to others until the coherence map says otherwise. Its
 * shadows are allocated. Called by plan_share.c and launch/split.c. */
bool cx_reexecute_private(const struct cx_launch *launch, unsigned member);

/* Whether others can do everything that the member holds of the launch or never begins, so that the delay is
 * bounded. Called by plan.c. */
bool cx_reexecute_bounds(const struct cx_launch *launch, const struct cx_cached_verdict *judged,
                         unsigned member);
/* Whether the member, a straggler and bounded so, may share the launch all the same: it joins in once it is
 * free. Called by plan.c. */
bool cx_reexecute_may_join(const struct cx_launch *launch, const struct cx_cached_verdict *judged,
                           unsigned member) CX_HOLDS(cx_context_locked);

#endif
