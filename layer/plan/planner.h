/* SPDX-License-Identifier: MIT */
/*
 * The planner's state of a context. Thread-safety: context->lock.
 */
#ifndef CX_LAYER_PLAN_PLANNER_H
#define CX_LAYER_PLAN_PLANNER_H

#include "scheduler/migration.h"
#include "scheduler/feedback.h"
#include "layer/timeline/context.h"

struct cx_access_region;
struct cx_candidates;
struct cx_device_load;
struct cx_launch;
struct cx_noted_chains;

/* Regions that planner->few_regions has room for. */
enum { CX_FEW_REGIONS = 4 };

struct cx_planner {
    struct cx_device_load *loads; /* device_load.h: one a member */
    pthread_cond_t caught_up;     /* ... broadcast when a member is no straggler any more; CLOCK_MONOTONIC */
    /* split_feedback.h: whether splits have paid */
    struct cx_feedback feedback CX_GUARDED_BY(cx_context_locked);
    /* the member for launches kept whole by split feedback */
    unsigned whole_member CX_GUARDED_BY(cx_context_locked);
    /* migration_credit.h: whether moving data for splits pays */
    struct cx_migration migration CX_GUARDED_BY(cx_context_locked);
    /* plan_open.h: seconds that splits would have saved if more devices had been open */
    double lacked CX_GUARDED_BY(cx_context_locked);
    /* plan_chains.h: the last whole launches, of which so many more are noted; NULL until needed */
    struct cx_noted_chains *chains CX_GUARDED_BY(cx_context_locked);
    unsigned noting CX_GUARDED_BY(cx_context_locked);
    /* deferral.h: launches that wait for progress, counted in context->ndeferred; references */
    struct cx_launch *deferred CX_GUARDED_BY(cx_context_locked);
    unsigned first_ones CX_GUARDED_BY(cx_context_locked); /* of them so far, the first of their function */
    /* launch/prefix.h: those of which a slice has ended, to be continued; references */
    struct cx_launch *prefixes CX_GUARDED_BY(cx_context_locked);
    /* candidates.h: memory that is used again; NULL until needed */
    struct cx_candidates *candidates CX_GUARDED_BY(cx_context_locked);
    /* launch/whole.c: the same, of CX_FEW_REGIONS, there from the start: it has pages of its own, which are
     * dear to get; NULL: no memory */
    struct cx_access_region *few_regions CX_GUARDED_BY(cx_context_locked);
    /* recall.h: the hash of the context's devices, whether it is made, and whether later processes were told
     * what opening them took */
    unsigned char set[16] CX_GUARDED_BY(cx_context_locked);
    bool has_set CX_GUARDED_BY(cx_context_locked);
    bool told_openings CX_GUARDED_BY(cx_context_locked);
};

/* NULL: no memory. Called by api/context.c. */
struct cx_planner *cx_planner_new(void);
/* Frees the state, in which no launch is left. Accepts NULL. Called by api/context.c. */
void cx_planner_free(struct cx_planner *planner);

#endif
