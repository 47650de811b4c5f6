/* SPDX-License-Identifier: MIT */
/*
 * Prefixes: a launch of unknown length that may be long begins as slices on the device on which it would run
 * whole. The first slice is short and shows how long the rest takes; the following ones grow. Meanwhile other
 * devices are opened if the rest is long enough (plan_open.h). Once they can take part, the rest is planned
 * as a split whose first packages are done. Otherwise the rest runs as one kernel.
 *
 * prefix_rules.h says which launches begin so. Previous stage: start.c. Next: split.c, or the command's end.
 * Called under context->lock unless stated otherwise.
 */
#ifndef CX_LAYER_LAUNCH_PREFIX_H
#define CX_LAYER_LAUNCH_PREFIX_H

#include "layer/plan/plan.h"

struct cx_prefix;

/* Begins the launch, judged by cx_prefix_judge, with slices on the member. False: memory or a transfer
 * failed, and nothing was done. Called by start.c. */
bool cx_prefix_begin(struct cx_launch *launch, struct cx_cached_verdict *judged, unsigned member,
                     enum cx_variant variant) CX_HOLDS(cx_context_locked);
/* The rest is split: adds the work of the slices to the part of the member that did them, and drops them.
 * exit() goes on waiting for the launch where it did. Returns that part. Called by split.c. */
unsigned cx_prefix_hand_over(struct cx_launch *launch) CX_HOLDS(cx_context_locked);
/* Continues launches of which a slice has ended. The caller holds no lock. Called by api/context.c. */
void cx_prefix_check(struct cx_context *context);
/* Frees the launch's prefix. Takes context->lock. Called by api/enqueue_kernel.c. */
void cx_prefix_drop(struct cx_launch *launch);

#endif
