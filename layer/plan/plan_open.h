/* SPDX-License-Identifier: MIT */
/*
 * When devices beyond the first are opened, programs built for them and split variants made.
 *
 * A program begins on one device (cx_context.fastest). Each launch that could be split, were other devices
 * there, adds what a split of it would have saved; what was forgone so far is what may be expected still,
 * together with what waits in the queue. Once that exceeds twice the price, others are opened in the
 * background (build_deferred.c): scheduler/budget.h, cx_budget_pays. The price is what the program itself
 * loses by it, not how long it takes. Under context->lock where nothing else is said. Previous stage: plan.c.
 * Next: build_deferred.c, worker.h.
 */
#ifndef CX_LAYER_PLAN_PLAN_OPEN_H
#define CX_LAYER_PLAN_PLAN_OPEN_H

#include "layer/base/split_policy.h"

#include <stdbool.h>

struct cx_launch;

/* Seconds that a split over all members of its queue would save of a launch that takes `whole`, nominal
 * speeds and nothing moved; 0: too little to be worth it. */
double cx_plan_gain(const struct cx_launch *launch, double whole);
/* Whether opening what the launch's split lacks, with builds that take so many seconds, is worth it now.
 * waiting: seconds that launches of its function take which are enqueued behind it. */
bool cx_plan_opening_pays(const struct cx_launch *launch, double builds, double waiting);

/* Whether others are on their way that could share what is left of a launch, so many seconds, or are sent for
 * now, as that is worth it. */
bool cx_plan_want_for(const struct cx_launch *launch, double seconds);

#endif
