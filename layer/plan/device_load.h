/* SPDX-License-Identifier: MIT */
/*
 * The load of a context's members, as far as planning knows it: how long whole launches keep each busy, what
 * a first package cost there, and whether it is a straggler, a device whose work others have done while it
 * was still at it (reexecute.h). Written here alone. Next: plan_place.h, deferral.h, reexecute_rules.h.
 * Thread-safety: all under context->lock.
 */
#ifndef CX_LAYER_PLAN_DEVICE_LOAD_H
#define CX_LAYER_PLAN_DEVICE_LOAD_H

#include "layer/plan/outstanding.h"
#include "layer/plan/planner.h"
#include "layer/timeline/worker.h"

/* Times are host ns. */
struct cx_device_load {
    /* when whole launches planned are expected to be over */
    uint64_t busy_until CX_GUARDED_BY(cx_context_locked);
    bool guessed CX_GUARDED_BY(cx_context_locked); /* ... which counts launches never measured */
    /* what a probe with the first package of its form took, of late; 0: none yet */
    double first_seconds CX_GUARDED_BY(cx_context_locked);
    /* jobs under way whose work another member has done */
    unsigned superseded CX_GUARDED_BY(cx_context_locked);
    uint64_t superseded_since_ns CX_GUARDED_BY(cx_context_locked); /* superseded: when the others were done */
    /* superseded: until when it may share launches that would wait for it */
    uint64_t superseded_until_ns CX_GUARDED_BY(cx_context_locked);
    struct cx_outstanding outstanding CX_GUARDED_BY(cx_context_locked);
};

static inline const struct cx_device_load *cx_device_load_of(const struct cx_worker *worker)
{
    return &worker->context->planner->loads[worker->index];
}

/* Whether the member is a straggler: at work on what others have done. Called by plan/ and launch/. */
static inline bool cx_device_load_is_straggler(const struct cx_worker *worker) CX_HOLDS(cx_context_locked)
{
    return cx_device_load_of(worker)->superseded > 0;
}
bool cx_device_load_any_straggler(const struct cx_context *context) CX_HOLDS(cx_context_locked);

enum { CX_DEVICE_LOAD_GUESS_NS = 1000000 }; /* a launch never measured */
/* Notes a whole launch planned there, which takes that many ns; 0: unknown. Called by plan_chains.c. */
void cx_device_load_add(struct cx_worker *worker, double ns) CX_HOLDS(cx_context_locked);
/* A probe with a first package took so long there. Called by launch/split_member.c. */
void cx_device_load_probed(const struct cx_worker *worker, double seconds) CX_HOLDS(cx_context_locked);
/* Others are done now with what a job of it is at; that job's end: cx_device_load_caught_up. Called by
 * launch/reexecute.c. */
void cx_device_load_supersede(const struct cx_worker *worker, uint64_t now, uint64_t superseded_until_ns)
    CX_HOLDS(cx_context_locked);
void cx_device_load_caught_up(const struct cx_worker *worker) CX_HOLDS(cx_context_locked);

#endif
