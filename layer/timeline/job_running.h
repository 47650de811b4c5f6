/* SPDX-License-Identifier: MIT */
/*
 * CL_RUNNING of commands whose driver returns before they run: told by the driver, or seen by the order of
 * its queue. Where neither can be (no event of the job, an old driver) the command's end tells.
 *
 * Previous stage: worker.h. Next: command.h, event.c.
 */
#ifndef CX_LAYER_TIMELINE_JOB_RUNNING_H
#define CX_LAYER_TIMELINE_JOB_RUNNING_H

#include "layer/timeline/worker.h"

/* What there is to do about a job in flight whose command wants to hear that it runs. */
struct cx_running {
    struct cx_command *command; /* a reference; NULL: nothing */
    cl_event event;             /* retained; NULL: it runs */
    struct cx_worker *worker;
    uint64_t seq; /* of the job */
};

/* For a flying job. */
struct cx_running cx_running_of(struct cx_worker *worker, const struct cx_job *job)
    CX_HOLDS(cx_timeline_locked);
/* Does it, and drops what it holds. Caller holds no lock. */
void cx_running_tell(struct cx_running running);

#endif
