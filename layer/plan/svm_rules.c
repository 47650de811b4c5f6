/* SPDX-License-Identifier: MIT */
/*
 * Launches that access shared virtual memory: which of them must run on the owner, and what is moved there.
 * See svm_rules.h.
 */
#include "layer/plan/svm_rules.h"
#include "layer/memory/transfer.h"
#include "layer/memory/unsettled.h"
#include "layer/memory/svm.h"
#include "layer/plan/judge.h"
#include "layer/program/kernel_bind.h"

bool cx_svm_has_argument(const struct cx_launch *launch)
{
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        if (mem && mem->storage->svm)
            return true;
    }
    return false;
}

static bool has_fine(const struct cx_launch *launch)
{
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        if (mem && mem->storage->svm && mem->storage->svm->fine)
            return true;
    }
    return false;
}

/* Whether what stands in the way of a split leaves every access on an argument and its address unseen. */
static bool is_about_order(enum cx_summary_reason reason)
{
    return reason == CX_REASON_ATOMIC_RESULT_USED || reason == CX_REASON_ATOMIC_ORDER ||
           reason == CX_REASON_ATOMIC_FENCE || reason == CX_REASON_VOLATILE || reason == CX_REASON_PRINTF ||
           reason == CX_REASON_IMAGE_READ || reason == CX_REASON_IMAGE_WRITE;
}

/* Whether every access of the kernel goes through an argument, and no address is kept. */
static bool is_confined(const struct cx_summary_kernel *summary)
{
    if (!summary || (summary->flags & CX_SUMMARY_OPAQUE))
        return false;
    for (uint32_t i = 0; i < summary->nnote; i++)
        if (!is_about_order((enum cx_summary_reason)summary->note[i].reason))
            return false;
    return true;
}

/* Whether some access may lie before the pointer that the program gave, in the same allocation. */
static bool reaches_below(struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    const struct cx_cached_verdict *judged = NULL;
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        if (!mem || !mem->cached)
            continue;
        if (!judged && !(judged = cx_judge_launch(launch)))
            return true;
        if (!judged->access || cx_access_reaches_below(judged->access, i))
            return true;
    }
    return false;
}

bool cx_svm_binds(struct cx_launch *launch, enum cx_why *why)
{
    const bool argument = cx_svm_has_argument(launch);
    *why = CX_WHY_NONE;
    if (!argument && !launch->base.context->memory.svm.n)
        return false;
    if (argument && has_fine(launch))
        *why = CX_WHY_SVM_FINE;
    else if (!is_confined(cx_kernel_summary(launch->request.kernel, NULL)))
        *why = CX_WHY_SVM_POINTERS;
    else if (argument && reaches_below(launch))
        *why = CX_WHY_SVM_BELOW;
    return *why != CX_WHY_NONE;
}

bool cx_svm_blocked(struct cx_command *command)
{
    const struct cx_context *context = command->context;
    for (size_t i = 0; i < context->memory.svm.n; i++)
        if (cx_unsettled_blocks(command, context->memory.svm.list[i]))
            return true;
    return false;
}

cl_int cx_svm_gather(struct cx_launch *launch)
{
    const struct cx_context *context = launch->base.context;
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; i < context->memory.svm.n && error == CL_SUCCESS; i++) {
        struct cx_mem *root = context->memory.svm.list[i];
        const unsigned place = cx_svm_place(root);
        if (cx_coherence_valid(root->storage->coherence, 0, root->size, place))
            continue;
        if (place != CX_PLACE_HOST)
            error = cx_mem_prepare(root, root->storage->svm->owner);
        if (error == CL_SUCCESS)
            error = cx_transfer_to(&launch->base, root, 0, root->size, place, &launch->outcome.moved);
    }
    return error;
}

cl_int cx_svm_note(struct cx_launch *launch, struct cx_job *job)
{
    const struct cx_context *context = launch->base.context;
    for (size_t i = 0; i < context->memory.svm.n; i++) {
        const struct cx_mem *root = context->memory.svm.list[i];
        const struct cx_worker *owner = &context->workers[root->storage->svm->owner];
        const unsigned place = cx_svm_place(root);
        if ((place == CX_PLACE_HOST &&
             !cx_coherence_host_write(root->storage->coherence, 0, root->size, owner->index,
                                      owner->timeline.planned + 1, job->deps)) ||
            !cx_coherence_own(root->storage->coherence, 0, root->size, place))
            return CL_OUT_OF_HOST_MEMORY;
    }
    return CL_SUCCESS;
}
