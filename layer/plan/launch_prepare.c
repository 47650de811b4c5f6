/* SPDX-License-Identifier: MIT */
/*
 * Memory and write protocols of a launch. See launch_prepare.h.
 */
#include "layer/plan/launch_prepare.h"
#include "layer/base/log.h"
#include "layer/memory/sampler.h"
#include "layer/plan/merge_cost.h"
#include "layer/program/kernel_bind.h"

#include <stdlib.h>

cl_int cx_launch_prepare(struct cx_launch *launch, unsigned member)
{
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        struct cx_mem *mem = cx_launch_mem(launch, i);
        cl_int error = mem ? cx_mem_prepare(mem, member) : CL_SUCCESS;
        if (launch->request.args->arg[i].kind == CX_ARGS_SAMPLER)
            error = cx_sampler_prepare(launch->request.args->arg[i].sampler, member);
        if (error != CL_SUCCESS) {
            cx_info(CX_TOPIC_DATA, "argument %u of %s cannot be had on %s: %s", i,
                    launch->request.kernel->function->name,
                    launch->base.context->workers[member].device->name, cx_cl_name(error));
            return error;
        }
    }
    return CL_SUCCESS;
}

bool cx_launch_choose_protocols(struct cx_launch *launch, const struct cx_cached_verdict *judged,
                                const unsigned *member, unsigned n)
{
    const struct cx_access_means *means = cx_access_means(judged->access);
    bool needless = cx_merge_needless(launch->base.context, member, n);
    free(launch->decision.protocols);
    launch->decision.protocols = NULL;
    if (judged->verdict.separable || !launch->request.args->count)
        return true;
    launch->decision.protocols = malloc(launch->request.args->count);
    for (unsigned i = 0; launch->decision.protocols && i < launch->request.args->count; i++)
        launch->decision.protocols[i] =
            means[i].protocol == CX_PROTOCOL_MERGE && needless ? CX_PROTOCOL_EXCLUSIVE : means[i].protocol;
    return launch->decision.protocols != NULL;
}

const struct cx_summary_kernel *cx_launch_accesses(const struct cx_kernel *kernel)
{
    const struct cx_summary_kernel *summary = cx_kernel_summary(kernel, NULL);
    /* what orders work-groups says nothing of where they read and write */
    return summary && cx_summary_forbids_checked(summary, NULL, NULL) == CX_REASON_NONE ? summary : NULL;
}

bool cx_launch_args_may_write(const struct cx_args *args, const struct cx_summary_kernel *summary, unsigned i)
{
    const struct cx_mem *mem = cx_args_mem(args, i);
    return !(mem->image && mem->flags & CL_MEM_READ_ONLY) &&
           !(summary && i < summary->narg && !(summary->arg[i].touch & (CX_TOUCH_WRITE | CX_TOUCH_ATOMIC)));
}

bool cx_launch_writes_by(const struct cx_launch *launch, unsigned arg, enum cx_write_protocol protocol,
                         const struct cx_access_region *whole)
{
    return cx_launch_protocol(launch, arg) == protocol && cx_launch_mem(launch, arg) &&
           whole[arg].write.lo < whole[arg].write.hi;
}

uint64_t cx_launch_bytes_by(const struct cx_launch *launch, enum cx_write_protocol protocol,
                            const struct cx_access_region *whole)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; launch->decision.protocols && i < launch->request.args->count; i++)
        if (cx_launch_writes_by(launch, i, protocol, whole))
            bytes += whole[i].write.hi - whole[i].write.lo;
    return bytes;
}
