/* SPDX-License-Identifier: MIT */
/*
 * The members of a context: which a device has, which are alike, and opening the next one.
 */
#include "layer/timeline/context.h"
#include "layer/object/device.h"
#include "layer/timeline/worker.h"

bool cx_context_has_device(const struct cx_context *context, const struct cx_device *device)
{
    for (unsigned d = 0; d < context->ndevices; d++)
        if (context->devices[d] == device)
            return true;
    return false;
}

uint64_t cx_context_members(const struct cx_context *context, const struct cx_device *device)
{
    uint64_t members = 0;

    for (unsigned m = 0; m < context->nmembers; m++)
        for (unsigned d = 0; d < device->nmembers; d++)
            if (context->workers[m].device == device->members[d] &&
                atomic_load(&context->workers[m].state) != CX_WORKER_FAILED)
                members |= UINT64_C(1) << m;
    return members;
}

bool cx_context_alike(const struct cx_context *context, unsigned a, unsigned b)
{
    return context->workers[a].kind == context->workers[b].kind;
}

/* The fastest member that is neither open nor has failed, by nominal speed; nmembers: there is none. */
static unsigned fastest_closed(const struct cx_context *context)
{
    unsigned best = context->nmembers;
    for (unsigned m = 0; m < context->nmembers; m++)
        if (atomic_load(&context->workers[m].state) == CX_WORKER_CLOSED &&
            (best == context->nmembers ||
             context->workers[m].device->nominal_gflops > context->workers[best].device->nominal_gflops))
            best = m;
    return best;
}

unsigned cx_context_open_next(struct cx_context *context)
{
    unsigned m;
    while ((m = fastest_closed(context)) < context->nmembers)
        if (cx_worker_ensure(&context->workers[m]) == CL_SUCCESS)
            break;
    return m;
}
