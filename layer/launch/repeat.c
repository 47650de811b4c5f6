/* SPDX-License-Identifier: MIT */
/*
 * Launches that repeat one before. See repeat.h.
 */
#include "layer/launch/repeat.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/plan/plan.h"
#include "layer/plan/migration_credit.h"
#include "layer/plan/plan_stake.h"
#include "layer/timeline/queue.h"
#include "layer/report/trace_file.h"
#include "layer/launch/launch.h"
#include "layer/plan/planner.h"
#include "layer/plan/plan_place.h"

#include <stdlib.h>
#include <string.h>

/* Repetitions of one launch that was planned. */
enum { REPEATS = 31 };

/* What a job of this kind owns, behind it. */
struct repetition {
    struct cx_queue *queue;   /* a reference */
    struct cx_kernel *kernel; /* a reference */
    struct cx_args *args;     /* captured */
    struct cx_access_geometry geometry;
    bool local_given;
};

/* ---- the job ---- */

static cl_int run_again(struct cx_job *job, struct cx_worker *worker)
{
    const struct repetition *again = job->data;
    const cl_int error =
        cx_launch_kernel(again->kernel, again->args, &again->geometry, again->local_given, job, worker);
    if (error != CL_SUCCESS)
        cx_launch_kernel_refused(again->kernel, worker, error);
    return error;
}

static void finish_again(struct cx_job *job, struct cx_worker *worker)
{
    struct repetition *again = job->data;
    if (job->status != CL_SUCCESS) {
        cx_launch_kernel_failed(again->kernel, job, worker);
        if (job->stale) {
            cx_lock(&worker->context->lock);
            cx_args_lost(again->kernel, again->args);
            cx_unlock(&worker->context->lock);
        }
        cx_queue_failed(again->queue, job->status);
    }
    cx_args_unref(&again->args);
    cx_kernel_unref(&again->kernel);
    cx_queue_unref(&again->queue);
}

/* ---- may it be? ---- */

static bool same_range(const struct cx_access_geometry *a, const struct cx_access_geometry *b)
{
    bool same = a->work_dim == b->work_dim;
    for (unsigned d = 0; d < a->work_dim && same; d++)
        same = a->global[d] == b->global[d] && a->local[d] == b->local[d] && a->offset[d] == b->offset[d];
    return same;
}

/* NULL: no such launch is known. */
static struct cx_again *find(struct cx_learned *learned, const struct cx_access_geometry *geometry,
                             bool local_given)
{
    for (unsigned i = 0; i < CX_AGAIN_FORMS; i++) {
        struct cx_again *again = &learned->again[i];
        if (again->left && again->local_given == local_given && same_range(&again->geometry, geometry))
            return again;
    }
    return NULL;
}

/* Whether summary, recording, trace or log tells of each launch, which does not change while the process
 * runs: asked once, when a launch is noted. */
static bool is_watched(void)
{
    const struct cx_options *options = cx_options_get();
    return options->summary || *options->record || cx_trace_on() || cx_log_on(CX_LEVEL_INFO, CX_TOPIC_PLAN);
}

/* Its order is that of the device's timeline, nobody asks for times, and no other queue's work can make
 * another device the better one. */
static bool is_plain(const struct cx_queue *queue)
{
    return queue->in_order && queue->role == CX_QUEUE_PROGRAM &&
           !(queue->properties & CL_QUEUE_PROFILING_ENABLE) && atomic_load(&queue->context->nqueues) < 2;
}

/* Whether all that the kernel may touch is there, and nothing that is planned will change that. */
static bool has_all(const struct cx_args *args, const struct cx_again *again, const struct cx_worker *worker)
{
    for (unsigned i = 0; i < args->count; i++) {
        const struct cx_mem *mem = cx_args_mem(args, i);
        if ((mem && (mem->root->unsettled || !cx_mem_real(mem, worker->index))) ||
            args->arg[i].kind == CX_ARGS_SAMPLER)
            return false;
    }
    return cx_args_settled(args, again->summary, worker);
}

static bool may_repeat(const struct cx_queue *queue, const struct cx_kernel *kernel,
                       const struct cx_args *args, const struct cx_learned *learned,
                       const struct cx_again *again)
{
    struct cx_context *context = queue->context;
    struct cx_worker *worker = &context->workers[again->member];
    return !queue->unsettled && queue->home == again->member + 1 && !context->nsvm &&
           !context->planner->forgone.active && !cx_plan_is_late(worker) &&
           cx_queue_takes(queue, again->member) && cx_kernel_runs_on(kernel, again->member) &&
           !cx_launch_wants_times(worker, learned, NULL) && has_all(args, again, worker);
}

/* ---- doing it ---- */

static bool repeat(struct cx_queue *queue, struct cx_kernel *kernel, struct cx_args *args,
                   struct cx_learned *learned, struct cx_again *again)
{
    struct cx_worker *worker = &queue->context->workers[again->member];
    struct repetition *own;
    struct cx_job *job = cx_job_take(&queue->context->repeated, queue->context, sizeof(*own), (void **)&own);
    if (!job)
        return false;
    *own = (struct repetition){cx_queue_ref(queue), cx_kernel_ref(kernel), args, again->geometry,
                               again->local_given};
    job->run = run_again;
    job->finish = finish_again;
    job->data = own;
    job->launches = true;
    cx_follow_launch(args, again->summary, learned);
    queue->cone[worker->index] = cx_worker_plan(worker, job);
    learned->unmeasured++;
    cx_plan_ran(queue->context, learned, again->member, again->seconds);
    again->left--;
    return true;
}

bool cx_again_launch(struct cx_queue *queue, struct cx_kernel *kernel, struct cx_args **args,
                     const struct cx_access_geometry *geometry, bool local_given)
{
    struct cx_context *context = queue->context;
    if (!is_plain(queue))
        return false;
    cx_context_lock(context);
    struct cx_learned *learned = kernel->function->learned;
    struct cx_again *again = learned ? find(learned, geometry, local_given) : NULL;
    if (!again || !may_repeat(queue, kernel, *args, learned, again) ||
        !repeat(queue, kernel, *args, learned, again)) {
        cx_unlock(&context->lock); /* nothing became ready */
        return false;
    }
    *args = NULL;
    cx_debug(CX_TOPIC_WORKER, "%s runs as before on %s", kernel->function->name,
             context->workers[again->member].device->name);
    cx_context_unlock(context);
    return true;
}

void cx_again_note(const struct cx_launch *launch, unsigned member, const struct cx_summary_kernel *summary,
                   double seconds)
{
    const struct cx_queue *queue = launch->base.queue;
    struct cx_learned *learned = launch->kernel->function->learned;
    if (!launch->repeats || launch->lacks || launch->lacks_late || launch->at_home || !learned ||
        launch->base.context->workers[member].device->submits_in_caller || !is_plain(queue) || is_watched())
        return;
    struct cx_again noted = {.geometry = launch->geometry,
                             .local_given = launch->local_given,
                             .member = member,
                             .left = REPEATS,
                             .seconds = seconds,
                             .summary = summary};
    if (!launch->local_given)
        memset(noted.geometry.local, 0, sizeof(noted.geometry.local));
    unsigned i = 0;
    while (i + 1 < CX_AGAIN_FORMS && !same_range(&learned->again[i].geometry, &noted.geometry))
        i++;
    memmove(&learned->again[1], &learned->again[0], i * sizeof(*learned->again));
    learned->again[0] = noted;
}
