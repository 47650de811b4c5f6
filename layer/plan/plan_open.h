/* SPDX-License-Identifier: MIT */
/*
 * Decides when further devices are opened, programs built for them, and split variants made.
 *
 * A program begins on one device (cx_context.fastest). Each launch that could be split if other devices were
 * open adds the time that a split of it would have saved. The savings missed so far are the savings to
 * expect, or those of the work that waits in the queue, less what is done while others are opened. Once they
 * exceed twice the price, other devices are opened in the background (build_deferred.c; cx_budget_pays in
 * scheduler/budget.h); of kernels whose splits saved former processes nothing, as these were over too soon,
 * savings missed count a third. The price is the time that the program itself loses, not how long opening
 * takes. Called under context->lock unless stated otherwise. Previous stage: plan.c. Next: build_deferred.c,
 * worker.h.
 */
#ifndef CX_LAYER_PLAN_PLAN_OPEN_H
#define CX_LAYER_PLAN_PLAN_OPEN_H

#include "layer/base/split_policy.h"
#include "layer/source/subrange.h"
#include "layer/timeline/context.h"

#include <stdbool.h>

struct cx_launch;

/* Seconds that a split over all members of its queue would save of a launch that takes `whole`, at nominal
 * speeds and without moves; 0: too little to matter. Called by plan_size.c, plan_stake.c,
 * prefix_rules.c and launch/replay.c. */
double cx_plan_gain(const struct cx_launch *launch, double whole);
/* Whether opening what the launch's split lacks pays now. variant: which it lacks. waiting: seconds of
 * launches of its function that are enqueued behind it. How long builds take is looked up, which may read
 * files, only where opening alone would pay; where they are all that is against it, they may be done ahead
 * (compile_ahead.h). Called by plan_size.c. */
bool cx_plan_opening_pays(const struct cx_launch *launch, enum cx_variant variant, double waiting)
    CX_HOLDS(cx_context_locked);
/* Seconds that the program loses at most while the member is opened, and by its end: built-in numbers, or
 * what opening it took a former process. Called by recall.c. */
double cx_plan_opening_price(const struct cx_context *context, unsigned member) CX_HOLDS(cx_context_locked);

/* Whether other devices are being opened that could share the rest of a launch, of that many seconds; starts
 * opening them if that pays. Called by prefix_rules.c and launch/prefix.c. */
bool cx_plan_want_for(const struct cx_launch *launch, double seconds) CX_HOLDS(cx_context_locked);

#endif
