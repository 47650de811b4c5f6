/* SPDX-License-Identifier: MIT */
/*
 * When a job in flight begins to run on its device.
 */
#include "layer/timeline/job_running.h"
#include "layer/timeline/command.h"
#include "layer/base/callback_thread.h"
#include "layer/timeline/worker_reap.h"

#include <stdlib.h>

/* All before it on its timeline is over. */
static void runs(void *data)
{
    struct cx_job_running *running = data;
    cx_worker_reap_before(running->worker, running->seq);
    cx_command_runs(running->command);
    cx_command_unref(&running->command);
    free(running);
}

static void does_not_run(void *data)
{
    struct cx_job_running *running = data;
    cx_command_unref(&running->command);
    free(running);
}

/* By the driver: the layer's locks may be held around calls of it, so none is taken here. */
static void CL_CALLBACK on_running(cl_event event, cl_int status, void *data)
{
    (void)event;
    cx_callback_thread_post(status >= 0 ? runs : does_not_run, data);
}

struct cx_job_running cx_job_running_of(struct cx_worker *worker, const struct cx_job *job)
{
    struct cx_job_running found = {0};
    if (!job->command || !atomic_load(&job->command->running.asked) ||
        atomic_load(&job->command->running.reported))
        return found;
    cl_event event = job->first_event ? job->first_event : job->event;
    const bool first = worker->timeline.flying == job; /* in order: nothing of the driver's is before it */
    if (!first && (!event || !worker->device->cl->clSetEventCallback))
        return found;
    if (!first)
        worker->device->cl->clRetainEvent(event);
    return (struct cx_job_running){.command = cx_command_ref(job->command),
                                   .event = first ? NULL : event,
                                   .worker = worker,
                                   .seq = job->seq};
}

void cx_job_running_tell(struct cx_job_running running)
{
    if (!running.command)
        return;
    if (!running.event) {
        cx_command_runs(running.command);
        cx_command_unref(&running.command);
        return;
    }
    const cl_icd_dispatch *cl = running.worker->device->cl;
    const cl_event event = running.event;
    struct cx_job_running *data = malloc(sizeof(*data));
    if (data)
        *data = running;
    else
        cx_command_unref(&running.command); /* its end will tell, as below */
    if (data && cl->clSetEventCallback(event, CL_RUNNING, on_running, data) != CL_SUCCESS)
        does_not_run(data);
    cl->clReleaseEvent(event);
}
