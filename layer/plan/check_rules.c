/* SPDX-License-Identifier: MIT */
/* Which launches may be split first and checked afterwards. See check_rules.h. */
#include "layer/plan/check_rules.h"
#include "layer/base/options.h"
#include "layer/base/split_policy.h"
#include "layer/plan/plan_size.h"

#include <math.h>
#include <stdlib.h>

/* Estimates, not measured: making buffers, and four jobs of which each waits for the one before; and how fast
 * the host copies and compares. */
#define CHECK_SECONDS    200e-6
#define HOST_BYTES_PER_S 8e9

/* Launches that run whole after a first conflict, and after many. */
enum { FIRST_WHOLE = 8, MOST_WHOLE = 4096 };
/* Launches that stood one after the other, of which more tell no more. */
enum { MOST_STOOD = 20 };

bool cx_check_counts(const struct cx_summary_kernel *summary)
{
    const struct cx_options *options = cx_options_get();
    return options->check_after && !options->reproducible &&
           cx_summary_forbids_checked(summary, NULL, NULL) == CX_REASON_NONE;
}

static bool is_first(const struct cx_launch *launch, unsigned arg)
{
    const struct cx_mem *root = cx_launch_mem(launch, arg)->root;
    bool first = true;
    for (unsigned i = 0; i < arg; i++)
        first &= !cx_launch_mem(launch, i) || cx_launch_mem(launch, i)->root != root;
    return first;
}

static uint64_t copied_bytes(const struct cx_launch *launch)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < launch->request.args->count; i++)
        if (cx_launch_mem(launch, i) && cx_launch_protocol(launch, i) == CX_PROTOCOL_CHECKED &&
            is_first(launch, i))
            bytes += cx_launch_mem(launch, i)->root->size;
    return bytes;
}

double cx_check_seconds(const struct cx_launch *launch, const struct cx_access_region *whole)
{
    const uint64_t copied = copied_bytes(launch);
    uint64_t kept = 0, lacking = 0;
    for (unsigned i = 0; i < launch->request.args->count && copied; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        if (!mem || cx_launch_protocol(launch, i) == CX_PROTOCOL_CHECKED || whole[i].write.exact)
            continue;
        const uint64_t lo = mem->origin + whole[i].write.lo, hi = mem->origin + whole[i].write.hi;
        kept += hi - lo;
        lacking +=
            lo < hi && !cx_coherence_valid(mem->storage->coherence, lo, hi, CX_PLACE_HOST) ? hi - lo : 0;
    }
    if (!copied)
        return 0;
    return CHECK_SECONDS + cx_plan_move_seconds(2 * (double)copied + (double)lacking) +
           (3 * (double)copied + (double)kept) / HOST_BYTES_PER_S;
}

/* Whether another argument's memory is the same memory of the program's, under another object. */
static bool is_alias(const struct cx_launch *launch, const struct cx_mem *root)
{
    bool alias = false;
    for (unsigned i = 0; i < launch->request.args->count && root->host_ptr; i++) {
        const struct cx_mem *other = cx_launch_mem(launch, i) ? cx_launch_mem(launch, i)->root : root;
        const uintptr_t at = (uintptr_t)root->host_ptr, there = (uintptr_t)other->host_ptr;
        alias |= other != root && there && at < there + other->size && there < at + root->size;
    }
    return alias;
}

/* Whether the program may look at the object, or change it, while a launch that writes it runs. Copies it
 * does not see. */
static bool is_shared(const struct cx_launch *launch, const struct cx_mem *mem, bool copied)
    CX_HOLDS(cx_context_locked)
{
    return mem->storage->svm || mem->storage->maps || is_alias(launch, mem->root) ||
           (!copied && mem->root->flags & CL_MEM_USE_HOST_PTR);
}

/* Bytes that are kept of what is written else, with members that write the host copy in place. */
static uint64_t kept_bytes(const struct cx_launch *launch, const struct cx_access_means *means,
                           const struct cx_access_region *whole)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < launch->request.args->count; i++)
        if (cx_launch_mem(launch, i) && means[i].protocol != CX_PROTOCOL_CHECKED)
            bytes += whole[i].write.hi - whole[i].write.lo;
    return bytes;
}

static bool keeps_much(const struct cx_launch *launch, const struct cx_cached_verdict *judged)
{
    struct cx_access_region *whole = cx_access_regions_make(launch->request.args->count);
    if (whole)
        cx_access_whole(judged->access, whole);
    const bool much = !whole || kept_bytes(launch, cx_access_means(judged->access), whole) > CX_KEPT_BYTES;
    free(whole);
    return much;
}

static enum cx_why forbids(const struct cx_launch *launch, const struct cx_access_means *means)
    CX_HOLDS(cx_context_locked)
{
    uint64_t bytes = 0;
    if (launch->request.args->nsvm || launch->base.context->memory.svm.n)
        return cx_why_summary(CX_REASON_CHECK_SHARED);
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        const bool copied = means[i].protocol == CX_PROTOCOL_CHECKED;
        if (!mem || means[i].protocol == CX_PROTOCOL_NONE)
            continue;
        if (mem->image || mem->root->image)
            return cx_why_summary(CX_REASON_CHECK_IMAGE);
        if (is_shared(launch, mem, copied))
            return cx_why_summary(CX_REASON_CHECK_SHARED);
        if (copied && is_first(launch, i))
            bytes += mem->root->size;
    }
    return bytes > CX_CHECKED_BYTES ? cx_why_summary(CX_REASON_CHECK_LARGE) : CX_WHY_NONE;
}

enum cx_why cx_check_forbids(struct cx_launch *launch, const struct cx_cached_verdict *judged)
{
    struct cx_kernel_history *history = launch->request.kernel->function->history;
    if (!judged->verdict.checked)
        return CX_WHY_NONE;
    launch->decision.line = judged->verdict.line;
    launch->decision.other_line = judged->verdict.other;
    launch->decision.arg = judged->verdict.arg;
    enum cx_why why = forbids(launch, cx_access_means(judged->access));
    if (why == CX_WHY_NONE && keeps_much(launch, judged))
        why = cx_why_summary(CX_REASON_CHECK_LARGE);
    if (launch->slices.prefix || launch->slices.done) /* what slices did cannot be undone */
        return CX_WHY_CHECK_LATER;
    if (why != CX_WHY_NONE || !history || cx_split_policy_always() || !history->checks.left)
        return why;
    history->checks.left--;
    return CX_WHY_CHECK_LATER;
}

double cx_check_risk(const struct cx_split_plan *plan, const struct cx_kernel_history *history)
{
    return plan->judged->verdict.checked ? ldexp(1, -(int)history->checks.stood) : 0;
}

void cx_check_note(const struct cx_launch *launch, bool conflict)
{
    struct cx_kernel_history *history = launch->request.kernel->function->history;
    if (!history)
        return;
    if (!conflict) {
        history->checks.many /= 2;
        history->checks.stood += history->checks.stood < MOST_STOOD;
        return;
    }
    history->checks.stood = 0;
    history->checks.many = history->checks.many < FIRST_WHOLE ? FIRST_WHOLE : 2 * history->checks.many;
    if (history->checks.many > MOST_WHOLE)
        history->checks.many = MOST_WHOLE;
    history->checks.left = history->checks.many;
}
