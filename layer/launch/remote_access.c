/* SPDX-License-Identifier: MIT */
/*
 * Buffers used by remote access in their owner's memory. See remote_access.h.
 */
#include "layer/launch/remote_access.h"
#include "layer/timeline/command.h"
#include "layer/base/log.h"
#include "layer/memory/alias.h"
#include "layer/memory/peer.h"
#include "layer/program/kernel_arg.h"

bool cx_remote_access_uses(const struct cx_launch *launch, unsigned member)
{
    return launch->decision.remote_access && member != launch->decision.remote_owner;
}

bool cx_remote_access_begin(struct cx_launch *launch)
{
    for (unsigned p = 0; p < launch->outcome.nparts; p++) {
        struct cx_part *part = &launch->outcome.parts[p];
        if (!cx_remote_access_uses(launch, part->member))
            continue;
        if (!part->args && !(part->args = cx_args_clone(launch->request.args)))
            return false;
        for (unsigned i = 0; i < launch->request.args->count; i++)
            if (launch->decision.protocols[i] == CX_PROTOCOL_REMOTE) {
                part->args->arg[i].kind = CX_ARGS_REAL;
                part->args->arg[i].real =
                    cx_alias_get(cx_launch_mem(launch, i), launch->decision.remote_owner, part->member);
                part->args->arg[i].mem = NULL;
            }
    }
    return true;
}

bool cx_remote_access_suspect(const struct cx_launch *launch, unsigned member)
{
    const struct cx_context *context = launch->base.context;
    if (!cx_remote_access_uses(launch, member) ||
        !cx_peer_disable_remote(context->memory.peers, launch->decision.remote_owner, member))
        return false;
    cx_warn(CX_TOPIC_DATA, "%s runs no kernel on the memory of %s; it works on copies from now on",
            context->workers[member].device->name,
            context->workers[launch->decision.remote_owner].device->name);
    return true;
}

static cl_int run_nothing(struct cx_job *job, struct cx_worker *worker)
{
    (void)job;
    (void)worker;
    return CL_SUCCESS;
}

struct cx_job *cx_remote_access_job(const struct cx_launch *launch)
{
    struct cx_job *job = cx_job_new(launch->base.context);
    if (job) {
        job->run = run_nothing;
        job->kind.waits = true;
    }
    return job;
}

void cx_remote_access_end(struct cx_launch *launch, struct cx_job *job, const uint64_t *seq)
{
    struct cx_context *context = launch->base.context;
    for (unsigned p = 0; p < launch->outcome.nparts; p++) {
        const unsigned m = launch->outcome.parts[p].member;
        if (m != launch->decision.remote_owner && job->deps[m] < seq[p])
            job->deps[m] = seq[p];
    }
    cx_command_add_job(&launch->base, &context->workers[launch->decision.remote_owner], job);
}
