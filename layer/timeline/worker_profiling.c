/* SPDX-License-Identifier: MIT */
/*
 * Which of a GPU's two real queues commands go to: the one with profiling, where somebody wants times, or the
 * one without. See worker.h.
 *
 * Profiling makes each command dearer, 7 us a short transfer and 1 us a launch on an H100
 * (docs/benchmarks.md, "Short transfers that block"). A device that a program has to itself is never
 * measured. Beside others kernels are measured at first, but not in the first milliseconds: a program that is
 * over by then would have paid for what it never used. So both begin without. Both queues are in order, and
 * one alone is in use at a time: where the device still works for one when the other takes over, that one
 * waits for it, for all that is enqueued. So samples now and then wait for a moment at which the device is
 * free.
 */
#include "layer/timeline/command.h"
#include "layer/timeline/worker.h"

/* After so many jobs in a row that want no times the queue with profiling is left: at the next moment when
 * that is free, or without one. */
enum { QUIET = 32, LONG_QUIET = 256 };
/* Measuring costs some 0.3 ms in all (exchanges, and QUIET jobs with profiling), which is then a hundredth.
 */
#define DEFERRED_NS UINT64_C(30000000)

/* Several GPUs that are open from the start share launches, which takes times. */
static bool wants_plain(const struct cx_context *context, const struct cx_worker *worker)
{
    unsigned gpus = 0;
    for (unsigned m = 0; m < context->nmembers; m++)
        gpus +=
            cx_worker_is_open(&context->workers[m]) && context->workers[m].device->type & CL_DEVICE_TYPE_GPU;
    return gpus == 1 && cx_worker_is_open(worker) && worker->device->type & CL_DEVICE_TYPE_GPU &&
           cx_worker_takes_two(worker);
}

/* The other queue takes over. */
static void exchange(struct cx_worker *worker, bool idle)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    const enum cx_real_queue_use use = worker->profiles ? CX_REAL_QUEUE_UNPROFILED : CX_REAL_QUEUE_MAIN;
    const cl_command_queue from = worker->queue, to = worker->queues[use].queue;
    if (!idle && (!cx_worker_order(worker, from, to) || cl->clFlush(from) != CL_SUCCESS))
        cl->clFinish(from);
    worker->queue = to;
    worker->profiles = !worker->profiles;
}

void cx_worker_open_plain(struct cx_context *context)
{
    for (unsigned m = 0; m < context->nmembers; m++) {
        struct cx_worker *worker = &context->workers[m];
        if (!wants_plain(context, worker) || !cx_worker_open_queue(worker, CX_REAL_QUEUE_UNPROFILED))
            continue;
        exchange(worker, true);
        worker->profiling_deferred = context->nmembers > 1;
    }
}

bool cx_worker_measures(struct cx_worker *worker)
{
    if (!worker->profiling_deferred)
        return true;
    const uint64_t now = cx_clock_ns();
    if (!worker->first_ns)
        worker->first_ns = now;
    worker->profiling_deferred = now - worker->first_ns < DEFERRED_NS;
    return !worker->profiling_deferred;
}

void cx_worker_suit_times(struct cx_worker *worker, struct cx_job *job, bool idle)
{
    if (!worker->queues[CX_REAL_QUEUE_UNPROFILED].queue)
        return;
    if (!job->times.wanted && !job->times.parts) {
        if (worker->profiles && ++worker->quiet >= (idle ? QUIET : LONG_QUIET))
            exchange(worker, idle);
        return;
    }
    if (worker->profiles) {
        worker->quiet = job->times.sampled ? worker->quiet : 0;
        return;
    }
    if (!idle && job->times.sampled) {
        job->times.wanted = false;
        return;
    }
    exchange(worker, idle);
    worker->quiet = job->times.sampled ? QUIET : 0; /* then the next free moment ends it */
}
