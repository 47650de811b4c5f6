/* SPDX-License-Identifier: MIT */
/*
 * Which launches of unknown length begin with slices on one device (prefix.h).
 *
 * A prefix costs a launch and a look between slices, which is the one thing risked before anything is known.
 * So only where the kernel's text says that the launch may be long, its range fills the device some times, no
 * split variant is to be built for it, and running it in parts is the same in any order: work-groups write
 * apart, and none reads what another one writes. Two launches of a kernel at most begin so. One whose length
 * is known does where it is long and others are on their way.
 *
 * Previous stage: plan.c. Next: prefix.h. Under context->lock.
 */
#ifndef CX_LAYER_PLAN_PREFIX_RULES_H
#define CX_LAYER_PLAN_PREFIX_RULES_H

#include "layer/plan/plan.h"

/* Whether nothing tells how long a launch takes which may be split and, by its text, may last. The member is
 * the one that would run it whole. */
bool cx_prefix_length_counts(struct cx_launch *launch, unsigned member);
/* Judges the launch, which would run whole on the member, where it may begin so: then *variant is set. NULL:
 * it may not. Borrowed from the function's records. */
struct cx_cached_verdict *cx_prefix_judge(struct cx_launch *launch, unsigned member,
                                          enum cx_variant *variant);

#endif
