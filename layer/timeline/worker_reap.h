/* SPDX-License-Identifier: MIT */
/*
 * The end of jobs: a worker notices, in order, that what it handed to its driver is over, and completes it.
 *
 * Jobs fly from the moment they were handed over until they are known to be over. One thread at a time
 * completes them (worker->timeline.reaping), oldest first. Previous stage: worker.c. Next: command.h.
 */
#ifndef CX_LAYER_TIMELINE_WORKER_REAP_H
#define CX_LAYER_TIMELINE_WORKER_REAP_H

#include "layer/timeline/worker.h"

/* The job was handed to the driver: it flies. Called by worker.c. */
void cx_worker_fly(struct cx_worker *worker, struct cx_job *job) CX_HOLDS(cx_timeline_locked);

/* Completes flying jobs, oldest first, as far as they are over; those up to the seq `known` are known to be.
 * Does nothing while another thread does this. The caller holds no lock. Called by worker.c and
 * worker_callbacks.c. */
void cx_worker_reap(struct cx_worker *worker, uint64_t known);
/* Likewise, but asks the driver no more than once. Called by worker.c. */
void cx_worker_reap_some(struct cx_worker *worker);

/* Completes the jobs before this one, which the driver has begun to run. The caller holds no lock. Called
 * by job_running.c. */
void cx_worker_reap_before(struct cx_worker *worker, uint64_t seq);

/* Whether a job that was just submitted to a synchronous driver is complete already. Called by the pumping
 * thread. */
bool cx_worker_ended_at_once(const struct cx_worker *worker, struct cx_job *job);

/* Completes such a job, which has not flown; no job may be flying, and no thread reaping. The timeline's lock
 * is released for a while. Called by worker.c. */
void cx_worker_complete_at_once(struct cx_worker *worker, struct cx_job *job) CX_HOLDS(cx_timeline_locked);

/* Adds an event (a marker) for the newest flying job if it has none, so that its end can be seen without
 * waiting. The caller holds no lock. Called by command_watch.c, worker.c and worker_callbacks.c. */
void cx_worker_mark_end(struct cx_worker *worker);

/* Returns an event, retained, for the end of everything up to seq; NULL: clFinish is needed. *of: the
 * position that the event covers. *needed: whether anything up to seq is in flight. Called by worker.c and
 * worker_callbacks.c. */
cl_event cx_worker_end_event(struct cx_worker *worker, uint64_t seq, uint64_t *of, bool *needed)
    CX_HOLDS(cx_timeline_locked);

#endif
