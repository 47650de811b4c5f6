/* SPDX-License-Identifier: MIT */
/*
 * Finds out when commands are CL_RUNNING whose driver returns before they run: reported by the driver, or
 * concluded from the order of its queue. If neither is possible (the job has no event, an old driver), only
 * the command's end is seen.
 *
 * Previous stage: worker.h. Next: command.h, event.c.
 */
#ifndef CX_LAYER_TIMELINE_JOB_RUNNING_H
#define CX_LAYER_TIMELINE_JOB_RUNNING_H

#include "layer/timeline/worker.h"

/* What to do for a job in flight whose command wants to know when it runs. */
struct cx_job_running {
    struct cx_command *command; /* a reference; NULL: nothing */
    cl_event event;             /* retained; NULL: it runs */
    struct cx_worker *worker;
    uint64_t seq; /* of the job */
};

/* For a flying job. Called by worker.c and worker_reap.c. */
struct cx_job_running cx_job_running_of(struct cx_worker *worker, const struct cx_job *job)
    CX_HOLDS(cx_timeline_locked);
/* Does it, and drops the references. The caller holds no lock. Called by worker.c and worker_reap.c. */
void cx_job_running_tell(struct cx_job_running running);

#endif
