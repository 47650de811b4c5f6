/* SPDX-License-Identifier: MIT */
/*
 * Replays launches. See replay.h.
 */
#include "layer/launch/replay.h"
#include "layer/plan/device_load.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/plan/launch_stats.h"
#include "layer/plan/plan.h"
#include "layer/plan/migration_credit.h"
#include "layer/plan/outstanding.h"
#include "layer/plan/plan_open.h"
#include "layer/plan/plan_size.h"
#include "layer/plan/plan_stake.h"
#include "layer/timeline/queue.h"
#include "layer/report/live.h"
#include "layer/launch/launch.h"
#include "layer/plan/planner.h"
#include "layer/plan/plan_place.h"
#include "layer/program/kernel_bind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Repetitions of one launch that was planned, beside others and on the only device; of one that stays whole
 * for a moment, as what it lacks may come or the account may allow more, as many as take so many seconds. */
enum { REPLAYS = 31, LONE_REPLAYS = 1023 };
#define MOMENT 2e-3

/* What a job of this kind owns, behind it. */
struct replay_job {
    struct cx_queue *queue;   /* a reference */
    struct cx_kernel *kernel; /* a reference */
    struct cx_args *args;     /* captured */
    struct cx_access_geometry geometry;
    bool local_given;
    bool passed;      /* the driver has the arguments' values (cx_args_pass) */
    uint64_t busy_ns; /* for live.h: how long it is known to take; 0: not known */
    uint64_t groups;  /* for the summary, with the next (cx_launch_repeated) */
    unsigned reason;
};

/* ---- the job ---- */

static cl_int run_again(struct cx_job *job, struct cx_worker *worker)
{
    struct replay_job *replay = job->data;
    const cl_int error =
        cx_whole_enqueue(replay->kernel, replay->args, &replay->geometry, replay->local_given, job, worker);
    replay->passed = true;
    cx_args_pass(replay->args);
    if (error != CL_SUCCESS)
        cx_whole_refused(replay->kernel, worker, error);
    return error;
}

static void finish_again(struct cx_job *job, struct cx_worker *worker)
{
    struct replay_job *replay = job->data;
    if (job->status != CL_SUCCESS) {
        cx_whole_failed(replay->kernel, job, worker);
        if (job->stale) {
            cx_context_lock(worker->context);
            cx_launch_args_lost(replay->kernel, replay->args);
            cx_context_unlock(worker->context);
        }
        cx_queue_failed(replay->queue, job->status);
    } else {
        cx_live_worked(worker->device->index, cx_launch_items(&replay->geometry), replay->busy_ns);
    }
    cx_live_over(replay->kernel->function->live, replay->busy_ns);
    cx_launch_repeated(&(struct cx_launch_repeat){.kernel = replay->kernel,
                                                  .device = worker->device,
                                                  .reason = replay->reason,
                                                  .groups = replay->groups,
                                                  .items = cx_launch_items(&replay->geometry),
                                                  .failed = job->status != CL_SUCCESS});
    if (replay->passed)
        cx_args_unref_passed(&replay->args);
    else
        cx_args_unref(&replay->args);
    cx_kernel_unref(&replay->kernel);
    cx_queue_unref(&replay->queue);
}

/* ---- may it be? ---- */

/* Whether a range is the same but for its size, and how large it is; *alike: in its size, too. False for
 * groups that are not all of one size. */
static bool is_like(const struct cx_access_geometry *a, const struct cx_access_geometry *b, bool *alike)
{
    bool like = a->work_dim == b->work_dim;
    *alike = like;
    for (unsigned d = 0; d < a->work_dim && like; d++) {
        const bool whole = b->local[d] && b->global[d] && b->global[d] % b->local[d] == 0;
        const bool same = a->global[d] == b->global[d];
        like = a->local[d] == b->local[d] && a->offset[d] == b->offset[d] && (same || whole);
        *alike &= like && same;
    }
    return like;
}

/* Whether a launch that is known stands for this one. */
static bool stands_for(const struct cx_replay *replay, const struct cx_access_geometry *geometry,
                       bool local_given)
{
    bool alike;
    if (replay->local_given != local_given || !is_like(&replay->geometry, geometry, &alike))
        return false;
    const uint64_t items = alike ? 0 : cx_launch_items(geometry);
    return alike || (replay->least <= items && items <= replay->most);
}

/* NULL: no such launch is known. */
static struct cx_replay *find(struct cx_kernel_history *history, const struct cx_access_geometry *geometry,
                              bool local_given)
{
    for (unsigned i = 0; i < CX_REPLAY_FORMS; i++) {
        struct cx_replay *replay = &history->replays[i];
        if (replay->left && stands_for(replay, geometry, local_given))
            return replay;
    }
    return NULL;
}

/* Whether recording, trace, log or the power of kernels needs each launch, which does not change while the
 * process runs: asked once, when a launch is noted. */
static bool is_watched(void)
{
    return *cx_options_get()->record || cx_launch_times_all() || cx_log_on(CX_LEVEL_INFO, CX_TOPIC_PLAN);
}

/* Its order is that of the device's timeline, nobody asks for times, and no other queue's work can make
 * another device the better one. */
static bool is_plain(const struct cx_queue *queue)
{
    return queue->in_order && queue->role == CX_QUEUE_PROGRAM &&
           !(queue->properties & CL_QUEUE_PROFILING_ENABLE) && atomic_load(&queue->context->nqueues) < 2;
}

/* Whether all that the kernel may touch is there, and nothing that is planned will change that. */
static bool has_all(const struct cx_args *args, const struct cx_replay *replay,
                    const struct cx_worker *worker) CX_HOLDS(cx_context_locked)
{
    for (unsigned i = 0; i < args->count; i++) {
        const struct cx_mem *mem = cx_args_mem(args, i);
        if ((mem && (mem->storage->unsettled || !cx_mem_real(mem, worker->index))) ||
            args->arg[i].kind == CX_ARGS_SAMPLER)
            return false;
    }
    return cx_whole_settled(args, replay->summary, worker);
}

static bool may_repeat(const struct cx_queue *queue, const struct cx_kernel *kernel,
                       const struct cx_args *args, const struct cx_kernel_history *history,
                       const struct cx_replay *replay) CX_HOLDS(cx_context_locked)
{
    struct cx_context *context = queue->context;
    struct cx_worker *worker = &context->workers[replay->member];
    return !queue->unsettled && queue->last_member == replay->member + 1 && !context->memory.svm.n &&
           !context->planner->migration.active && !cx_device_load_is_straggler(worker) &&
           cx_queue_takes(queue, replay->member) && cx_kernel_runs_on(kernel, replay->member) &&
           !cx_whole_wants_times(worker, history, NULL) && has_all(args, replay, worker);
}

/* ---- doing it ---- */

/* How long the launch takes, as far as that one tells. */
static double seconds_of(const struct cx_replay *replay, const struct cx_access_geometry *geometry)
{
    if (!(replay->seconds > 0))
        return 0;
    return replay->seconds * (double)cx_launch_items(geometry) / (double)cx_launch_items(&replay->geometry);
}

/* NULL: no memory. *here: it is for this thread to run (cx_worker_plan_here). */
static struct cx_job *repeat(struct cx_queue *queue, struct cx_kernel *kernel, struct cx_args *args,
                             const struct cx_access_geometry *geometry, struct cx_kernel_history *history,
                             struct cx_replay *replay, bool *here) CX_HOLDS(cx_context_locked)
{
    const double seconds = seconds_of(replay, geometry);
    struct cx_worker *worker = &queue->context->workers[replay->member];
    struct replay_job *own;
    struct cx_job *job = cx_job_take(queue->context, sizeof(*own), (void **)&own);
    if (!job)
        return NULL;
    *own = (struct replay_job){.queue = cx_queue_ref(queue),
                               .kernel = cx_kernel_ref(kernel),
                               .args = args,
                               .geometry = *geometry,
                               .local_given = replay->local_given,
                               .busy_ns = cx_clock_length(seconds),
                               .groups = replay->local_given ? cx_launch_groups_of(geometry) : replay->groups,
                               .reason = replay->reason};
    job->run = run_again;
    job->finish = finish_again;
    job->data = own;
    job->kind.launches = true;
    job->kind.computes = true;
    cx_result_use_launch(args, replay->summary, history, worker, replay->use, replay->risk);
    if (replay->briefly)
        cx_outstanding_add(worker, seconds);
    queue->frontier[worker->index] = worker->timeline.planned + 1;
    *here = cx_worker_plan_here(worker, job);
    history->lengths.unmeasured++;
    cx_plan_ran(queue->context, history, replay->member, seconds);
    if (replay->lacked > 0)
        cx_plan_lacked(queue->context, history, replay->lacked, replay->gain);
    replay->left--;
    cx_live_begun(kernel->function->live);
    return job;
}

bool cx_replay_launch(struct cx_queue *queue, struct cx_kernel *kernel, struct cx_args **args,
                      const struct cx_access_geometry *geometry, bool local_given)
{
    struct cx_context *context = queue->context;
    if (!is_plain(queue))
        return false;
    cx_context_lock(context);
    struct cx_kernel_history *history = kernel->function->history;
    struct cx_replay *replay = history ? find(history, geometry, local_given) : NULL;
    struct cx_job *job = NULL;
    bool here = false;
    if (replay && may_repeat(queue, kernel, *args, history, replay))
        job = repeat(queue, kernel, *args, geometry, history, replay, &here);
    if (!job) {
        cx_context_unlock(context); /* nothing became ready */
        return false;
    }
    *args = NULL;
    struct cx_worker *worker = &context->workers[replay->member];
    cx_debug(CX_TOPIC_WORKER, "%s runs as before on %s", kernel->function->name, worker->device->name);
    if (here) {
        cx_context_unlock(context);
        cx_worker_run_here(worker, job);
    } else {
        cx_context_plan_and_unlock(context);
    }
    return true;
}

/* How often a launch that was planned whole may be repeated; 0: it is not known how long it takes, or each
 * one like it is planned. */
static unsigned most_repeats(const struct cx_launch *launch, double seconds) CX_HOLDS(cx_context_locked)
{
    const enum cx_launch_repeats repeats = launch->decision.repeats;
    if (repeats == CX_REPEATS_ALIKE && !launch->deferral.lacks_builds)
        return launch->base.context->nmembers > 1 ? REPLAYS : LONE_REPLAYS;
    return repeats == CX_REPEATS_NOT || !(seconds > 0) ? 0 : (unsigned)fmin(MOMENT / seconds, REPLAYS);
}

/* Launches of other ranges, half to twice as large, stay whole as well where there is nobody else, or where
 * one that takes twice as long would gain nothing. */
static void note_sizes(const struct cx_launch *launch, struct cx_replay *noted) CX_HOLDS(cx_context_locked)
{
    const uint64_t members = launch->base.queue->members, items = cx_launch_items(&noted->geometry);
    const bool alone = !(members & (members - 1));
    const bool is_short = noted->seconds > 0 && !(cx_plan_gain(launch, 2 * noted->seconds) > 0);
    if (noted->briefly || noted->lacked > 0 || !noted->local_given || (!alone && !is_short))
        return;
    noted->least = items / 2;
    noted->most = items <= UINT64_MAX / 2 ? 2 * items : items;
}

void cx_replay_note(const struct cx_launch *launch, unsigned member, const struct cx_summary_kernel *summary,
                    double seconds)
{
    const struct cx_queue *queue = launch->base.queue;
    struct cx_kernel_history *history = launch->request.kernel->function->history;
    const bool lacks = launch->deferral.lacks_builds;
    const unsigned most = most_repeats(launch, seconds);
    if (!most || launch->deferral.lacks_straggler || launch->decision.on_svm_owner || !history ||
        launch->base.context->workers[member].device->probe.synchronous || !is_plain(queue) || is_watched())
        return;
    struct cx_replay noted = {.geometry = launch->request.geometry,
                              .local_given = launch->request.local_given,
                              .member = member,
                              .left = most,
                              .briefly = launch->decision.repeats == CX_REPEATS_BRIEFLY,
                              .seconds = seconds,
                              .reason = cx_launch_reason(launch),
                              .lacked = lacks ? cx_plan_expected(launch) : 0,
                              .use = launch->decision.use,
                              .risk = launch->decision.risk,
                              .summary = summary};
    noted.gain = lacks ? cx_plan_gain(launch, noted.lacked) : 0;
    note_sizes(launch, &noted);
    noted.groups = noted.geometry.local[0] ? cx_launch_groups(launch) : 0;
    if (!launch->request.local_given)
        memset(noted.geometry.local, 0, sizeof(noted.geometry.local));
    unsigned i = 0;
    while (i + 1 < CX_REPLAY_FORMS && !stands_for(&history->replays[i], &noted.geometry, noted.local_given))
        i++;
    memmove(&history->replays[1], &history->replays[0], i * sizeof(*history->replays));
    history->replays[0] = noted;
}
