/* SPDX-License-Identifier: MIT */
/*
 * Buffers used at one home. See shared_home.h.
 */
#include "layer/launch/shared_home.h"
#include "layer/timeline/command.h"
#include "layer/base/log.h"
#include "layer/memory/alias.h"
#include "layer/memory/peer.h"

bool cx_one_home_visits(const struct cx_launch *launch, unsigned member)
{
    return launch->one_home && member != launch->home;
}

bool cx_one_home_begin(struct cx_launch *launch)
{
    for (unsigned p = 0; p < launch->nparts; p++) {
        struct cx_part *part = &launch->parts[p];
        if (!cx_one_home_visits(launch, part->member))
            continue;
        if (!part->args && !(part->args = cx_args_clone(launch->args)))
            return false;
        for (unsigned i = 0; i < launch->args->count; i++)
            if (launch->ways[i] == CX_WAY_HOME) {
                part->args->arg[i].kind = CX_ARGS_REAL;
                part->args->arg[i].real = cx_alias_get(cx_launch_mem(launch, i), launch->home, part->member);
                part->args->arg[i].mem = NULL;
            }
    }
    return true;
}

bool cx_one_home_suspect(const struct cx_launch *launch, unsigned member)
{
    const struct cx_context *context = launch->base.context;
    if (!cx_one_home_visits(launch, member) || !cx_peer_shun(context->peers, launch->home, member))
        return false;
    cx_warn(CX_TOPIC_DATA, "%s runs no kernel on the memory of %s; it works on copies from now on",
            context->workers[member].device->name, context->workers[launch->home].device->name);
    return true;
}

static cl_int run_nothing(struct cx_job *job, struct cx_worker *worker)
{
    (void)job;
    (void)worker;
    return CL_SUCCESS;
}

struct cx_job *cx_one_home_job(const struct cx_launch *launch)
{
    struct cx_job *job = cx_job_new(launch->base.context);
    if (job) {
        job->run = run_nothing;
        job->waits = true;
    }
    return job;
}

void cx_one_home_end(struct cx_launch *launch, struct cx_job *job, const uint64_t *seq)
{
    struct cx_context *context = launch->base.context;
    for (unsigned p = 0; p < launch->nparts; p++) {
        const unsigned m = launch->parts[p].member;
        if (m != launch->home && job->deps[m] < seq[p])
            job->deps[m] = seq[p];
    }
    cx_command_add_job(&launch->base, &context->workers[launch->home], job);
}
