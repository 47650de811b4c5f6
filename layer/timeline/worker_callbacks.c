/* SPDX-License-Identifier: MIT */
/*
 * Callbacks of commands in flight while the worker's thread, which else sees to them, waits for another
 * timeline before it hands over the next job. That may take long, and may even need such a callback: a native
 * kernel that waits for one. Then the driver tells of their end. Previous: worker.c. Next: worker_reap.h.
 */
#include "layer/timeline/worker_callbacks.h"
#include "layer/timeline/command.h"
#include "layer/base/callback_thread.h"
#include "layer/timeline/worker_reap.h"

static void hear(struct cx_worker *worker);

static void over(void *data)
{
    struct cx_worker *worker = data;
    struct cx_context *context = worker->context;
    cx_worker_reap(worker, 0);
    cx_timeline_lock(&worker->timeline);
    worker->thread.heard = 0;
    cx_timeline_unlock(&worker->timeline);
    hear(worker);
    cx_context_unref(&context);
}

/* By the driver: the layer's locks may be held around calls of it, so none is taken here. */
static void CL_CALLBACK on_over(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)status;
    cx_callback_thread_post(over, data);
}

/* The event that tells of the first command with callbacks, where that is in flight, the thread is held up
 * and nobody has asked for it yet. Retained; or NULL. */
static cl_event end_to_hear(struct cx_worker *worker, bool *needed)
{
    cl_event event = NULL;
    uint64_t of;
    *needed = false;
    cx_timeline_lock(&worker->timeline);
    const uint64_t first = atomic_load(&worker->timeline.first_watched);
    if (atomic_load(&worker->thread.held) && first != worker->thread.heard &&
        first > atomic_load(&worker->timeline.completed) && first <= atomic_load(&worker->timeline.submitted))
        event = cx_worker_end_event(worker, first, &of, needed);
    if (event)
        worker->thread.heard = first;
    cx_timeline_unlock(&worker->timeline);
    return event;
}

static void hear(struct cx_worker *worker)
{
    bool needed;
    cl_event event = end_to_hear(worker, &needed);
    if (!event && needed) {
        cx_worker_mark_end(worker);
        event = end_to_hear(worker, &needed);
    }
    if (!event)
        return;
    struct cx_context *context = cx_context_ref(worker->context);
    const cl_icd_dispatch *cl = worker->device->cl;
    if (!cl->clSetEventCallback || cl->clSetEventCallback(event, CL_COMPLETE, on_over, worker) != CL_SUCCESS)
        cx_context_unref(&context); /* they come once the thread is free */
    cl->clReleaseEvent(event);
    cx_worker_flush(worker); /* nobody waits for it, which would */
}

void cx_worker_held(struct cx_worker *worker, bool held)
{
    if (!worker->device || worker->device->probe.synchronous) /* nothing is in flight */
        return;
    atomic_store(&worker->thread.held, held);
    if (held && atomic_load(&worker->timeline.first_watched))
        hear(worker);
}

static void watched(void *data)
{
    struct cx_worker *worker = data;
    struct cx_context *context = worker->context;
    hear(worker);
    cx_context_unref(&context);
}

void cx_worker_watched(struct cx_worker *worker)
{
    if (!atomic_load(&worker->thread.held))
        return;
    cx_context_ref(worker->context);
    cx_callback_thread_post(watched, worker);
}
