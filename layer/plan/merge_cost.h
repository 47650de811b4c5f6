/* SPDX-License-Identifier: MIT */
/*
 * What merging costs: which launches need it (merge.h), how many bytes it goes over, and what the last one of
 * a shape found. Under context->lock.
 */
#ifndef CX_LAYER_PLAN_MERGE_COST_H
#define CX_LAYER_PLAN_MERGE_COST_H

#include "layer/plan/plan.h"

/* Whether these members, working at one place in common, need no merging at all. */
bool cx_merge_needless(const struct cx_context *context, const unsigned *member, unsigned n);
/* Whether what the launch writes through the argument is merged. whole: what it touches, by argument. */
bool cx_merge_covers(const struct cx_launch *launch, unsigned arg, const struct cx_access_region *whole);
/* Bytes that a member's copy and comparison of a launch go over: for the planner's costs. */
uint64_t cx_merge_bytes(const struct cx_launch *launch, const struct cx_access_region *whole);

/* What launches of this one's shape taught; NULL where there was none. */
struct cx_merge_memory *cx_merge_expect(const struct cx_launch *launch);
/* A merge of the launch found so many bytes changed, and combined these, in so many runs. */
void cx_merge_learn(const struct cx_launch *launch, uint64_t changed, uint64_t combined, unsigned runs);

#endif
