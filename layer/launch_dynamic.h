/* SPDX-License-Identifier: MIT */
/*
 * The inside of a split whose packages are cut while it runs: for launch_dynamic.c (plan and end) and
 * launch_lane.c (what each member's worker does between).
 */
#ifndef CX_LAYER_LAUNCH_DYNAMIC_H
#define CX_LAYER_LAUNCH_DYNAMIC_H

#include "layer/merge.h"
#include "layer/move.h"
#include "layer/plan.h"
#include "layer/private.h"
#include "scheduler/ranges.h"

enum { CX_IN_FLIGHT = 2 };

struct package {
    unsigned part;
    struct cx_range range;
};

/* One launch under way; context->lock guards it. Freed by the last job. */
struct split {
    struct cx_launch *launch;
    struct cx_split_plan plan;
    unsigned nparts; /* members that share, and the probed one */
    uint64_t start_ns;
    struct cx_ranges ranges;  /* steps not assigned */
    struct package *packages; /* started: the owners of what they write */
    unsigned npackages, room_packages;
    unsigned jobs;    /* not finished */
    unsigned issuing; /* packages assigned but not started */
    bool settled, failed;
    struct cx_merge *merge;    /* writes to be merged once all is started, or NULL */
    struct cx_private *copies; /* copies to be combined then, or NULL */
    uint64_t *seq;             /* each part's job */
    bool *alive;               /* each part's driver works */
    bool *looking;             /* each part's job looks for packages, or has yet to start */
    pthread_cond_t changed;
};

struct flight {
    cl_event event;
    cl_event upload;     /* of the last transfer into the device before it, or NULL */
    struct cx_runs runs; /* those transfers */
    uint64_t groups;
    const char *why; /* it is as long as it is */
    uint64_t first;
    uint64_t started_ns;
};

/* What one member's job keeps between packages. */
struct lane {
    struct split *split;
    unsigned part;
    struct flight flight[CX_IN_FLIGHT];
    cl_event first_upload; /* until the queue for transfers beside kernels waits for it, then NULL */
    bool aside;            /* uploads go to that queue */
    unsigned nflight;
    unsigned started; /* packages */
    bool begun;
    uint64_t last_end_ns;
    struct cx_access_region *regions;
};

/* All under context->lock. */

/* The jobs that are not over yet hold the split: one less. */
void cx_split_unref(struct split *split);
/* Nothing more is started; the command fails. */
void cx_split_fail(struct split *split, cl_int error);
bool cx_split_all_assigned(const struct split *split);
/* Ends the split's part of the work if every group is assigned and started. */
void cx_split_settle_if_due(struct split *split);

/* A job that takes packages for a part until there are none. NULL: no memory. */
struct cx_job *cx_lane_job(struct split *split, unsigned part);
void cx_lane_free(struct lane *lane);
/* Queues one more job for a part. */
void cx_lane_plan(struct split *split, unsigned part);

#endif
