/* SPDX-License-Identifier: MIT */
/*
 * The planner's state of a context. Thread-safety: context->lock.
 */
#ifndef CX_LAYER_PLAN_PLANNER_H
#define CX_LAYER_PLAN_PLANNER_H

#include "scheduler/migration.h"
#include "scheduler/feedback.h"

struct cx_access_region;
struct cx_candidates;
struct cx_device_load;
struct cx_launch;

struct cx_planner {
    struct cx_device_load *loads;  /* device_load.h: one a member */
    struct cx_feedback feedback;   /* split_feedback.h: whether splits have paid */
    unsigned whole_member;         /* the member for launches kept whole by split feedback */
    struct cx_migration migration; /* migration_credit.h: whether moving data for splits pays */
    double lacked; /* plan_open.h: seconds that splits would have saved if more devices had been open */
    /* Launches that wait for progress, counted in context->ndeferred; references. */
    struct cx_launch *deferred; /* deferral.h */
    struct cx_launch *prefixes; /* prefix.h: those of which a slice has ended, to be continued */
    /* Memory that is reused; NULL until needed. */
    struct cx_candidates *candidates;     /* candidates.h */
    struct cx_access_region *few_regions; /* whole.c */
};

/* NULL: no memory. Called by api/context.c. */
struct cx_planner *cx_planner_new(void);
/* Frees the state, in which no launch is left. Accepts NULL. Called by api/context.c. */
void cx_planner_free(struct cx_planner *planner);

#endif
