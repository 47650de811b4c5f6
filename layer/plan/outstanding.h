/* SPDX-License-Identifier: MIT */
/*
 * How much work a member has before it: seconds of whole launches that are planned and not known to be over,
 * of those that might be split later. A program may enqueue seconds of work within milliseconds; what
 * is decided about a launch as it is enqueued is decided long before the device comes to it. Next:
 * deferral.h. Thread-safety: context->lock.
 */
#ifndef CX_LAYER_PLAN_OUTSTANDING_H
#define CX_LAYER_PLAN_OUTSTANDING_H

#include "layer/timeline/context.h"

#include <stdint.h>

struct cx_worker;

/* Notes are made a millisecond of work apart: of the last 64 ms at least. */
enum { CX_OUTSTANDING_NOTES = 64 };

/* One a member. Zeroed: nothing is planned. */
struct cx_outstanding {
    double planned; /* seconds, of all launches so far */
    unsigned n;     /* notes made; the newest CX_OUTSTANDING_NOTES are kept, at n % CX_OUTSTANDING_NOTES */
    struct {
        double before; /* `planned`, of what the member has done once it has completed ... */
        uint64_t seq;  /* ... this position of its timeline */
    } note[CX_OUTSTANDING_NOTES];
};

/* A whole launch is about to be planned there, which takes so many seconds (0: not known, which counts
 * nothing). Where much is ahead of it, its job may come to have an event, which tells its end. Called by
 * plan.c and launch/replay.c. */
void cx_outstanding_add(struct cx_worker *worker, double seconds) CX_HOLDS(cx_context_locked);
/* Seconds that are not known to be over. Called by deferral.c, as the next. */
double cx_outstanding_seconds(const struct cx_worker *worker) CX_HOLDS(cx_context_locked);
/* The position after which the member has about so many seconds left to do, at most; its newest note where
 * the last launch alone takes longer. */
uint64_t cx_outstanding_seq(const struct cx_worker *worker, double left) CX_HOLDS(cx_context_locked);

#endif
