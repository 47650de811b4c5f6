/* SPDX-License-Identifier: MIT */
/*
 * A split whose shares are known before it starts: one package a member, settled at once, no wait on the
 * host.
 *
 * All that any package reads is brought in before ownership changes, since reads mean the contents before the
 * launch.
 */
#include "layer/launch/failover.h"
#include "layer/base/log.h"
#include "layer/plan/plan.h"
#include "layer/memory/transport.h"
#include "layer/launch/verify.h"
#include "layer/launch/launch.h"
#include "layer/plan/judged_package.h"
#include "layer/plan/launch_learn.h"
#include "layer/program/kernel_bind.h"

#include <stdlib.h>

struct share {
    struct cx_part *part;
    unsigned dim;
    uint64_t first, end, groups; /* along dim; groups: work-groups in all */
    bool failed_over;            /* its member failed, another one did it */
};

/* Its member failed: others may do it. started: some of it may be done. */
static cl_int fail_over(struct cx_job *job, struct cx_worker *worker, cl_int error, bool started)
{
    struct share *share = job->data;
    struct cx_launch *launch = (struct cx_launch *)job->command;
    if (launch->acceptance.beyond && !started) {
        cx_context_lock(worker->context);
        cx_take_note_package(launch, worker->index, share->part->variant, false);
        cx_context_unlock(worker->context);
    } else {
        cx_kernel_leave_out(launch->request.kernel, worker->index, cx_cl_name(error));
    }
    share->failed_over = cx_failover_share(launch, worker, share->part, share->dim, share->first, share->end,
                                           started) == CL_SUCCESS;
    return share->failed_over ? CL_SUCCESS : error;
}

static cl_int run_share(struct cx_job *job, struct cx_worker *worker)
{
    const struct share *share = job->data;
    cl_int error = cx_launch_package((struct cx_launch *)job->command, worker, share->part, share->dim,
                                     share->first, share->end, worker->queue, NULL, &job->event);
    return error == CL_SUCCESS ? CL_SUCCESS : fail_over(job, worker, error, false);
}

static void finish_share(struct cx_job *job, struct cx_worker *worker)
{
    struct cx_launch *launch = (struct cx_launch *)job->command;
    struct share *share = job->data;
    uint64_t ns = job->times.end_ns > job->times.start_ns ? job->times.end_ns - job->times.start_ns : 0;
    if (share->failed_over) {
        free(share);
        return;
    }
    if (job->status == CL_SUCCESS) {
        cx_launch_part_add(launch, share->part, share->groups, job->times.start_ns, job->times.end_ns, ns);
        cx_launch_learn_package(launch, worker->index, share->part->variant, share->first == 0, share->groups,
                                (double)ns * 1e-9);
    } else if (!job->stale) {
        const cl_int error = job->status;
        if (atomic_load(&worker->timeline.submitted) <
            job->seq) /* it ended at once: nothing was begun behind it */
            job->status = fail_over(job, worker, error, true);
        else
            cx_kernel_leave_out(launch->request.kernel, worker->index, cx_cl_name(error));
        if (job->event)
            cx_worker_failed(worker, error);
    }
    free(share);
}

/* A job that runs steps [first, end) along dim as one package of a part. NULL: no memory. */
static struct cx_job *share_job(struct cx_launch *launch, struct cx_part *part, unsigned dim, uint64_t first,
                                uint64_t end, uint64_t groups)
{
    struct cx_job *job = cx_job_new(launch->base.context);
    struct share *share = malloc(sizeof(*share));
    if (!job || !share) {
        free(job);
        free(share);
        return NULL;
    }
    *share = (struct share){part, dim, first, end, groups, false};
    job->data = share;
    job->run = run_share;
    job->kind.computes = true;
    job->finish = finish_share;
    job->times.wanted = true;
    job->kind.urgent = true;
    return job;
}

/* Asks the balancer for every share, in member order, and cuts the range. Members without a share drop out.
 */
static unsigned cut(struct cx_launch *launch, struct cx_split_plan *plan, uint64_t *first, uint64_t *end)
{
    const struct cx_access_verdict *verdict = &plan->judged->verdict;
    uint64_t at = 0;
    unsigned n = 0;
    for (unsigned i = 0; i < plan->n; i++) {
        uint64_t groups = cx_balancer_next(plan->balancer, i, 0);
        if (!groups || at == verdict->groups)
            continue;
        first[n] = at;
        at += (groups + plan->slice - 1) / plan->slice;
        at = (at + verdict->granularity - 1) / verdict->granularity * verdict->granularity;
        if (at > verdict->groups)
            at = verdict->groups;
        end[n] = at;
        launch->outcome.parts[n] = (struct cx_part){.member = plan->member[i], .variant = plan->variant[i]};
        n++;
    }
    if (n && at < verdict->groups) /* nothing may be left over */
        end[n - 1] = verdict->groups;
    return n;
}

static cl_int plan_shares(struct cx_launch *launch, struct cx_split_plan *plan, const uint64_t *first,
                          const uint64_t *end, struct cx_access_region *regions) CX_HOLDS(cx_context_locked)
{
    struct cx_command *command = &launch->base;
    struct cx_context *context = command->context;
    unsigned nargs = launch->request.args->count;
    struct cx_job **jobs = calloc(launch->outcome.nparts, sizeof(struct cx_job *));
    cl_int error = jobs ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;

    cx_transports_hold(context);
    for (unsigned i = 0; i < launch->outcome.nparts && error == CL_SUCCESS; i++) {
        cx_judged_package(plan->judged, first[i], end[i], nargs, regions + (size_t)i * nargs);
        error = cx_launch_gather(launch, regions + (size_t)i * nargs,
                                 &context->workers[launch->outcome.parts[i].member]);
    }
    if (!cx_transports_let(command) && error == CL_SUCCESS)
        error = CL_OUT_OF_HOST_MEMORY;
    for (unsigned i = 0; i < launch->outcome.nparts && error == CL_SUCCESS; i++) {
        jobs[i] = share_job(launch, &launch->outcome.parts[i], plan->judged->verdict.dim, first[i], end[i],
                            (end[i] - first[i]) * plan->slice);
        if (jobs[i])
            cx_launch_deps(launch, regions + (size_t)i * nargs,
                           &context->workers[launch->outcome.parts[i].member], false, jobs[i]->deps);
        else
            error = CL_OUT_OF_HOST_MEMORY;
    }
    for (unsigned i = 0; jobs && i < launch->outcome.nparts && jobs[i]; i++) {
        struct cx_worker *worker = &context->workers[launch->outcome.parts[i].member];
        if (error == CL_SUCCESS) {
            uint64_t seq = cx_command_add_job(command, worker, jobs[i]);
            if (!cx_launch_note(launch, regions + (size_t)i * nargs, worker, seq))
                error = CL_OUT_OF_HOST_MEMORY;
        } else {
            free(jobs[i]->data);
            free(jobs[i]);
        }
    }
    free(jobs);
    return error;
}

void cx_static_launch(struct cx_launch *launch, struct cx_split_plan *plan)
{
    size_t nregions = (size_t)plan->n * (launch->request.args->count ? launch->request.args->count : 1);
    uint64_t *first = calloc(plan->n, sizeof(*first)), *end = calloc(plan->n, sizeof(*end));
    struct cx_access_region *regions = cx_access_regions_make(nregions);
    cl_int error = CL_OUT_OF_HOST_MEMORY;

    launch->outcome.parts = calloc(plan->n, sizeof(*launch->outcome.parts));
    if (first && end && regions && launch->outcome.parts) {
        launch->outcome.nparts = cut(launch, plan, first, end);
        error = plan_shares(launch, plan, first, end, regions);
    }
    free(first);
    free(end);
    free(regions);
    cx_plan_split_finish(plan);
    if (error == CL_SUCCESS) {
        cx_verify_end(launch);
        cx_command_settle(&launch->base);
    } else {
        cx_command_fail(&launch->base, error);
    }
}
