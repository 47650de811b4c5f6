/* SPDX-License-Identifier: MIT */
/*
 * A launch of unknown length that may be long begins with a prefix: slices on the device that it would run on
 * whole. The first one is short and tells how long the rest takes; others grow. Meanwhile other devices are
 * opened if what is left makes that worth it (plan_open.h), and once they can take part the rest is planned
 * as a split whose first packages are done. Where nothing comes of it the rest follows as one kernel.
 *
 * A prefix costs a launch and a look between slices, which is the one thing risked before anything is known.
 * So only where the kernel's text says that the launch may be long, its range fills the device some times, no
 * split variant is to be built for it, and running it in parts is the same in any order: work-groups write
 * apart, and none reads what another one writes. Two launches of a kernel at most begin so. One whose length
 * is known does where it is long and others are on their way.
 *
 * Previous stage: plan.c. Next: split.c, or the command's end. Under context->lock where nothing
 * else is said.
 */
#ifndef CX_LAYER_LAUNCH_PREFIX_H
#define CX_LAYER_LAUNCH_PREFIX_H

#include "layer/plan/plan.h"

struct cx_prefix;

/* Whether nothing tells how long a launch takes which may be split and, by its text, may last. The member is
 * the one that would run it whole. */
bool cx_prefix_length_counts(struct cx_launch *launch, unsigned member);
/* Begins the launch so, on the member. False: it does not, and nothing was done. */
bool cx_prefix_begin(struct cx_launch *launch, unsigned member);
/* Steps, along the split dimension, that slices have done of a launch; 0: it has none. */
uint64_t cx_prefix_done(const struct cx_launch *launch);
/* Seconds that the rest takes on the device that has done the slices, as these tell; 0: there are none. */
double cx_prefix_rest(const struct cx_launch *launch);
/* The rest is split: adds what the slices did to the part of the member that did them, and forgets them.
 * Gives that part. */
unsigned cx_prefix_hand_over(struct cx_launch *launch);
/* Goes on with launches of which a slice is over. Caller holds no lock. */
void cx_prefix_check(struct cx_context *context);
/* Frees what is left with the launch. unlocked: takes context->lock. */
void cx_prefix_drop(struct cx_launch *launch);
void cx_prefix_drop_unlocked(struct cx_launch *launch);

#endif
