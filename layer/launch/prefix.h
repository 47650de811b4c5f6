/* SPDX-License-Identifier: MIT */
/*
 * A launch of unknown length that may be long begins with a prefix: slices on the device that it would run on
 * whole. The first one is short and tells how long the rest takes; others grow. Meanwhile other devices are
 * opened if what is left makes that worth it (plan_open.h), and once they can take part the rest is planned
 * as a split whose first packages are done. Where nothing comes of it the rest follows as one kernel.
 *
 * Which launches: prefix_rules.h. Previous stage: plan.c. Next: split.c, or the command's end. Under
 * context->lock where nothing else is said.
 */
#ifndef CX_LAYER_LAUNCH_PREFIX_H
#define CX_LAYER_LAUNCH_PREFIX_H

#include "layer/plan/plan.h"

struct cx_prefix;

/* Begins the launch so, judged by cx_prefix_judge, on the member. False: memory or a
 * transfer fails, and nothing was done. */
bool cx_prefix_begin(struct cx_launch *launch, struct cx_cached_verdict *judged, unsigned member,
                     enum cx_variant variant);
/* The rest is split: adds what the slices did to the part of the member that did them, and forgets them.
 * Gives that part. */
unsigned cx_prefix_hand_over(struct cx_launch *launch);
/* Goes on with launches of which a slice is over. Caller holds no lock. */
void cx_prefix_check(struct cx_context *context);
/* Frees what is left with the launch. Takes context->lock. */
void cx_prefix_drop(struct cx_launch *launch);

#endif
