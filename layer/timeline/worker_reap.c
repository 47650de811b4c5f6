/* SPDX-License-Identifier: MIT */
/*
 * Reaping: how a worker notices that what it handed to its driver is over, in order, and completes the jobs.
 * See worker_reap.h.
 *
 * Events cost microseconds on some drivers, so most launches have none: an event further on, or clFinish,
 * tells of the end of all before it.
 */
#include "layer/timeline/worker_reap.h"
#include "layer/timeline/command.h"
#include "layer/timeline/job_running.h"

#include <stdlib.h>

/* ---- real events ---- */

static uint64_t event_time(const struct cx_worker *worker, cl_event event, cl_profiling_info what)
{
    cl_ulong ns = 0;
    if (worker->device->cl->clGetEventProfilingInfo(event, what, sizeof(ns), &ns, NULL) != CL_SUCCESS ||
        !cx_worker_is_time(ns))
        return 0;
    return (uint64_t)((int64_t)ns + worker->clock_offset);
}

void cx_worker_event_times(const struct cx_worker *worker, cl_event event, uint64_t *start_ns,
                           uint64_t *end_ns)
{
    *start_ns = event_time(worker, event, CL_PROFILING_COMMAND_START);
    *end_ns = event_time(worker, event, CL_PROFILING_COMMAND_END);
}

/* Of the event's command; `unknown` where the driver does not say. */
static cl_int event_status(const struct cx_worker *worker, cl_event event, cl_int unknown)
{
    cl_int status = unknown;
    cl_int error = worker->device->cl->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                      sizeof(status), &status, NULL);
    return error == CL_SUCCESS ? status : unknown;
}

cl_int cx_worker_event_error(const struct cx_worker *worker, cl_event event)
{
    cl_int status = event_status(worker, event, CL_COMPLETE);
    return status < 0 ? status : CL_SUCCESS;
}

bool cx_worker_event_over(const struct cx_worker *worker, cl_event event)
{
    return event_status(worker, event, CL_QUEUED) <= CL_COMPLETE;
}

enum { UNKNOWN = CL_QUEUED + 1 }; /* the driver does not say */

/* Such an event is waited for. */
static bool event_complete(const struct cx_worker *worker, cl_event event, cl_int *status)
{
    *status = event ? event_status(worker, event, UNKNOWN) : CL_COMPLETE;
    if (*status == UNKNOWN)
        worker->device->cl->clWaitForEvents(1, &event);
    return *status <= CL_COMPLETE || *status == UNKNOWN;
}

cl_int cx_worker_wait_event(struct cx_worker *worker, cl_event event)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    cl_int status;
    if (cl->clWaitForEvents(1, &event) == CL_SUCCESS || event_complete(worker, event, &status))
        return CL_SUCCESS;
    return cl->clFinish(worker->queue); /* the wait itself failed */
}

cl_int cx_worker_drop_events(const struct cx_worker *worker, cl_event *events, unsigned n)
{
    cl_int first = CL_SUCCESS;
    for (unsigned i = 0; i < n; i++) {
        if (!events[i])
            continue;
        cl_int error = cx_worker_event_error(worker, events[i]);
        first = first == CL_SUCCESS ? error : first;
        worker->device->cl->clReleaseEvent(events[i]);
        events[i] = NULL;
    }
    return first;
}

/* ---- jobs ---- */

static void take_status(const struct cx_worker *worker, struct cx_job *job, cl_event event)
{
    if (job->status == CL_SUCCESS)
        job->status = cx_worker_event_error(worker, event);
}

/* When a job that is over ended, for cx_end_times_note. */
static uint64_t end_of(const struct cx_job *job)
{
    const struct cx_command *command = job->command;
    if (command && cx_command_is_timed(command))
        return atomic_load(&command->times.end_ns);
    return (!command && !job->kind.launches) || job->times.end_ns ? job->times.end_ns : CX_END_UNKNOWN;
}

/* The job is complete: fill in times and status, tell the command, free, unless its memory is kept. Gives
 * end_of it. */
static uint64_t complete_job(struct cx_worker *worker, struct cx_job *job)
{
    if (job->first_event)
        take_status(worker, job, job->first_event);
    if (job->event) {
        const cl_icd_dispatch *cl = worker->device->cl;
        if (!job->checked)
            take_status(worker, job, job->event);
        if (job->times.wanted && job->status == CL_SUCCESS) {
            job->times.start_ns = event_time(worker, job->first_event ? job->first_event : job->event,
                                             CL_PROFILING_COMMAND_START);
            job->times.end_ns = event_time(worker, job->event, CL_PROFILING_COMMAND_END);
        }
        cl->clReleaseEvent(job->event);
    }
    if (job->first_event)
        worker->device->cl->clReleaseEvent(job->first_event);
    if (job->status == CL_SUCCESS && job->epoch < atomic_load(&worker->broken)) {
        job->status = CL_OUT_OF_RESOURCES; /* it ran behind a transfer that turned out to have failed */
        job->stale = true;
    }
    if (job->finish)
        job->finish(job, worker);
    if (job->stale && !job->unused && job->command && job->command->ops->lost) {
        cx_context_lock(worker->context);
        job->command->ops->lost(job->command);
        cx_context_unlock(worker->context);
    }
    if (job->command && job->unused) /* the command was over without it: its times stay as they were told */
        cx_command_part_done(job->command, CL_SUCCESS, 0, 0);
    else if (job->command)
        cx_command_part_done(job->command, job->status, job->times.start_ns, job->times.end_ns);
    struct cx_command *command = job->command;
    const uint64_t end_ns = end_of(job);
    if (!job->kept)
        cx_job_free(job);
    cx_command_unref(&command);
    return end_ns;
}

/* The first flying job from `job` on that has an event: when that is over, so are all before it. Under the
 * timeline's lock. */
static struct cx_job *telling_job(struct cx_job *job)
{
    while (job && !job->event)
        job = job->next;
    return job;
}

/* Whether a job from `job` to that seq computes. Under the timeline's lock. */
static bool computes_until(const struct cx_job *job, uint64_t seq)
{
    while (job && job->seq <= seq && !job->kind.computes)
        job = job->next;
    return job && job->seq <= seq;
}

/* Wakes those who wait until something moves, where it has moved far enough for one. */
static void moved_on(struct cx_worker *worker) CX_HOLDS(cx_timeline_locked)
{
    if (!worker->timeline.waiters || worker->timeline.awaited > atomic_load(&worker->timeline.submitted))
        return;
    worker->timeline.awaited = UINT64_MAX; /* each of them looks, and says anew what it waits for */
    pthread_cond_broadcast(&worker->timeline.moved);
}

void cx_worker_fly(struct cx_worker *worker, struct cx_job *job)
{
    if (worker->timeline.flying)
        worker->timeline.flying_tail->next = job;
    else
        worker->timeline.flying = job;
    worker->timeline.flying_tail = job;
    worker->timeline.nflying++;
    atomic_store_explicit(&worker->timeline.submitted, job->seq, memory_order_release);
    moved_on(worker);
}

/* Keeps the memory of so many jobs for the next ones; with AddressSanitizer of none, so that a use after free
 * is found. */
#ifdef __SANITIZE_ADDRESS__
enum { MOST_SPARE = 0 };
#else
enum { MOST_SPARE = 128 };
#endif

static void keep(struct cx_worker *worker, struct cx_job *job) CX_HOLDS(cx_timeline_locked)
{
    if (worker->timeline.nspare >= MOST_SPARE) {
        cx_job_free(job);
        return;
    }
    job->next = worker->timeline.spare;
    worker->timeline.spare = job;
    worker->timeline.nspare++;
}

/* Takes the first flying job, which is over, and others that are up to `known`, if nobody is told of their
 * end but by `completed`: jobs without a command. */
static struct cx_job *land(struct cx_worker *worker, uint64_t known) CX_HOLDS(cx_timeline_locked)
{
    struct cx_job *first = worker->timeline.flying, *last = first;
    worker->timeline.nflying--;
    while (first->kept && last->next && last->next->seq <= known && last->next->kept) {
        last = last->next;
        worker->timeline.nflying--;
    }
    worker->timeline.flying = last->next;
    if (!last->next)
        worker->timeline.flying_tail = NULL;
    last->next = NULL;
    return first;
}

/* Completes jobs that landed. alone: no other that computes was over with them. */
static void complete_landed(struct cx_worker *worker, struct cx_job *jobs, bool alone)
    CX_HOLDS(cx_timeline_locked)
{
    uint64_t seq = jobs->seq, end_ns = 0;
    const bool kept = jobs->kept;
    cx_timeline_unlock(&worker->timeline);
    for (struct cx_job *job = jobs, *next; job; job = next) {
        next = job->next;
        job->alone = alone && !next;
        end_ns = complete_job(worker, job);
    }
    cx_timeline_lock(&worker->timeline);
    if (!kept)
        cx_end_times_note(worker, seq, end_ns);
    for (struct cx_job *job = jobs, *next; kept && job; job = next) {
        next = job->next;
        seq = job->seq;
        cx_end_times_note(worker, seq, end_of(job));
        keep(worker, job);
    }
    atomic_store_explicit(&worker->timeline.completed, seq, memory_order_release);
}

/* Whether the job's event is complete; if so, its status is known. The caller reaps. */
static bool job_complete(const struct cx_worker *worker, struct cx_job *job)
{
    cl_int status;
    if (!event_complete(worker, job->event, &status))
        return false;
    job->checked = status != UNKNOWN;
    if (status < 0 && job->status == CL_SUCCESS)
        job->status = status;
    return true;
}

/* once: asks the driver about one event only. */
static void reap(struct cx_worker *worker, uint64_t known, bool once)
{
    bool moved = false, computed = false, asked = false;
    cx_timeline_lock(&worker->timeline);
    if (worker->timeline.reaping) {
        cx_timeline_unlock(&worker->timeline);
        return;
    }
    worker->timeline.reaping = true;
    struct cx_job *job;
    while ((job = worker->timeline.flying)) {
        if (job->seq > known && (job->event || job->loose)) {
            struct cx_job *teller = once && asked ? NULL : telling_job(job);
            cx_timeline_unlock(&worker->timeline);
            const bool over = teller && job_complete(worker, teller);
            cx_timeline_lock(&worker->timeline);
            if (!over)
                break;
            asked = true;
            known = teller->seq;
        }
        const bool computes = job->kind.computes;
        job = land(worker, known);
        complete_landed(worker, job,
                        computes && !computed && !computes_until(worker->timeline.flying, known));
        computed |= computes;
        struct cx_job_running next = worker->timeline.flying
                                         ? cx_job_running_of(worker, worker->timeline.flying)
                                         : (struct cx_job_running){0};
        if (next.command) {
            cx_timeline_unlock(&worker->timeline);
            cx_job_running_tell(next);
            cx_timeline_lock(&worker->timeline);
        }
        moved = true;
    }
    worker->timeline.reaping = false;
    moved_on(worker);
    cx_timeline_unlock(&worker->timeline);
    if (moved) {
        cx_command_check_watched(worker->context);
        cx_context_progressed(worker->context);
    }
}

void cx_worker_reap(struct cx_worker *worker, uint64_t known)
{
    reap(worker, known, false);
}

void cx_worker_reap_some(struct cx_worker *worker)
{
    reap(worker, 0, true);
}

void cx_worker_reap_before(struct cx_worker *worker, uint64_t seq)
{
    cx_worker_reap(worker, 0);
    cx_timeline_lock(&worker->timeline);
    const struct cx_job *job = worker->timeline.flying;
    while (job && job->seq < seq && !job->event)
        job = job->next;
    const bool loose = job && job->seq == seq; /* what has an event is asked */
    cx_timeline_unlock(&worker->timeline);
    if (loose)
        cx_worker_reap(worker, seq - 1);
}

bool cx_worker_ended_at_once(const struct cx_worker *worker, struct cx_job *job)
{
    if (job->loose || !job->event)
        return !job->loose;
    cl_int status = event_status(worker, job->event, CL_QUEUED); /* unknown: reaping asks again */
    if (status > CL_COMPLETE)
        return false;
    if (status < 0 && job->status == CL_SUCCESS)
        job->status = status;
    job->checked = true;
    return true;
}

void cx_worker_complete_at_once(struct cx_worker *worker, struct cx_job *job)
{
    struct cx_context *context = worker->context;
    uint64_t seq = job->seq;
    worker->timeline.reaping = true;
    cx_timeline_unlock(&worker->timeline);
    job->alone = true;
    const bool kept = job->kept;
    const uint64_t end_ns = complete_job(worker, job);
    cx_timeline_lock(&worker->timeline);
    cx_end_times_note(worker, seq, end_ns);
    if (kept)
        keep(worker, job);
    atomic_store_explicit(&worker->timeline.submitted, seq, memory_order_release);
    atomic_store_explicit(&worker->timeline.completed, seq, memory_order_release);
    worker->timeline.reaping = false;
    moved_on(worker);
    /* no mere loads: see cx_command_check_watched */
    if (atomic_fetch_add(&context->callbacks.nwatched, 0) == 0 && atomic_load(&context->ndeferred) == 0)
        return;
    cx_timeline_unlock(&worker->timeline);
    cx_command_check_watched(context);
    cx_context_progressed(context);
    cx_timeline_lock(&worker->timeline);
}

void cx_worker_mark_end(struct cx_worker *worker)
{
    cl_event event = NULL;
    cx_timeline_lock(&worker->timeline);
    struct cx_job *last = worker->timeline.flying_tail;
    uint64_t seq = last && last->loose && !last->event ? last->seq : 0;
    cx_timeline_unlock(&worker->timeline);
    const cl_command_queue queue = worker->queue;
    if (!seq || worker->device->cl->clEnqueueMarker(queue, &event) != CL_SUCCESS)
        return;
    if (worker->queue != queue) /* it was left meanwhile, and flushed before this came (worker_profiling.c) */
        worker->device->cl->clFlush(queue);
    cx_timeline_lock(&worker->timeline);
    last = worker->timeline.flying_tail;
    bool takes = last && last->seq == seq && !last->event;
    if (takes)
        last->event = event;
    cx_timeline_unlock(&worker->timeline);
    if (!takes)
        worker->device->cl->clReleaseEvent(event);
}

cl_event cx_worker_end_event(struct cx_worker *worker, uint64_t seq, uint64_t *of, bool *needed)
{
    struct cx_job *job = worker->timeline.flying;
    *needed = false;
    *of = atomic_load(&worker->timeline.submitted);
    for (; job && job->seq < seq; job = job->next)
        *needed |= job->event || job->loose;
    *needed |= job && (job->event || job->loose);
    job = telling_job(job);
    if (!job || !*needed)
        return NULL;
    *of = job->seq;
    worker->device->cl->clRetainEvent(job->event);
    return job->event;
}

bool cx_worker_idle(struct cx_worker *worker)
{
    cx_timeline_lock(&worker->timeline);
    const struct cx_job *last = worker->timeline.flying_tail;
    bool idle = !worker->timeline.head && !worker->timeline.pumping &&
                (!last || (last->event && event_status(worker, last->event, CL_QUEUED) <= CL_COMPLETE));
    cx_timeline_unlock(&worker->timeline);
    return idle;
}

void cx_worker_tell_running(struct cx_worker *worker, struct cx_command *command)
{
    struct cx_job_running running = {0};
    cx_worker_reap(worker, 0);
    cx_timeline_lock(&worker->timeline);
    struct cx_job *job = worker->timeline.flying;
    while (job && job->command != command)
        job = job->next;
    if (job)
        running = cx_job_running_of(worker, job);
    cx_timeline_unlock(&worker->timeline);
    cx_job_running_tell(running);
}
