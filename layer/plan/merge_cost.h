/* SPDX-License-Identifier: MIT */
/*
 * What merging costs: which launches need it (merge.h), and what the last one of a shape found. Under
 * context->lock.
 */
#ifndef CX_LAYER_PLAN_MERGE_COST_H
#define CX_LAYER_PLAN_MERGE_COST_H

#include "layer/plan/plan.h"

/* Whether these members, working at one place in common, need no merging at all. Called by
 * launch_prepare.c. */
bool cx_merge_needless(const struct cx_context *context, const unsigned *member, unsigned n);
/* What launches of this one's shape taught; NULL where there was none. Called by candidates.c,
 * remote_access_rules.c and launch/merge.c. */
struct cx_merge_memory *cx_merge_expect(const struct cx_launch *launch);
/* A merge of the launch found so many bytes changed, and combined these, in so many runs. Called by
 * launch/merge.c. */
void cx_merge_learn(const struct cx_launch *launch, uint64_t changed, uint64_t combined, unsigned runs);

#endif
