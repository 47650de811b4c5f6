/* SPDX-License-Identifier: MIT */
/*
 * Decides what may be re-executed. See reexecute_rules.h.
 */
#include "layer/plan/reexecute_rules.h"
#include "layer/plan/device_load.h"
#include "layer/base/options.h"
#include "layer/plan/plan_size.h"
#include "layer/plan/policy.h"
#include "layer/program/kernel_bind.h"

#include <stdlib.h>

static bool overlap(const struct cx_mem *a, const struct cx_access_interval *written, const struct cx_mem *b,
                    const struct cx_access_interval *read)
{
    return a->root == b->root && written->lo < written->hi && read->lo < read->hi &&
           a->origin + written->lo < b->origin + read->hi && b->origin + read->lo < a->origin + written->hi;
}

bool cx_reexecute_allowed(const struct cx_launch *launch, const struct cx_cached_verdict *judged)
{
    const struct cx_summary_kernel *summary = cx_kernel_summary(launch->request.kernel, NULL);
    unsigned nargs = launch->request.args->count;
    const struct cx_options *options = cx_options_get();
    if (!options->reexecute || !cx_plan_policy(launch)->reexecute || options->reproducible ||
        judged->verdict.checked || launch->decision.protocols || launch->decision.on_svm_owner || !summary ||
        summary->narg < nargs)
        return false;
    struct cx_access_region *whole = cx_access_regions_make(nargs);
    bool allowed = whole != NULL;
    if (whole)
        cx_access_whole(judged->access, whole);
    for (unsigned i = 0; i < nargs && allowed; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        allowed = !(summary->arg[i].touch & CX_TOUCH_ATOMIC) && (!mem || !mem->storage->svm);
        for (unsigned k = 0; mem && k < nargs && allowed; k++) {
            const struct cx_mem *other = cx_launch_mem(launch, k);
            allowed = !other || !overlap(mem, &whole[i].write, other, &whole[k].read);
        }
    }
    free(whole);
    return allowed;
}

bool cx_reexecute_private(const struct cx_launch *launch, unsigned member)
{
    const struct cx_worker *worker = &launch->base.context->workers[member];
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        if (mem && cx_mem_place(mem->root, worker) == CX_PLACE_HOST)
            return false;
    }
    return true;
}

/* Whether something would have to be brought to the member before it takes any package: that would be behind
 * what it still does, and the host copy would be read until then. */
static bool gets_inputs_first(const struct cx_launch *launch, const struct cx_cached_verdict *judged,
                              const struct cx_worker *worker) CX_HOLDS(cx_context_locked)
{
    const unsigned nargs = launch->request.args->count;
    struct cx_access_region *whole = cx_access_regions_make(nargs);
    bool first = !whole;
    if (whole)
        cx_access_whole(judged->access, whole);
    for (unsigned i = 0; i < 2 * nargs && !first; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i / 2);
        const struct cx_access_interval *need = i % 2 ? &whole[i / 2].write : &whole[i / 2].read;
        if (mem && need->lo < need->hi && !need->known && !(i % 2 && need->exact))
            first = !cx_coherence_valid(mem->storage->coherence, mem->origin + need->lo,
                                        mem->origin + need->hi, cx_mem_place(mem->root, worker));
    }
    free(whole);
    return first;
}

bool cx_reexecute_bounds(const struct cx_launch *launch, const struct cx_cached_verdict *judged,
                         unsigned member)
{
    return cx_reexecute_allowed(launch, judged) && cx_reexecute_private(launch, member) &&
           !cx_options_get()->verify;
}

bool cx_reexecute_may_join(const struct cx_launch *launch, const struct cx_cached_verdict *judged,
                           unsigned member)
{
    const struct cx_worker *worker = &launch->base.context->workers[member];
    const struct cx_kernel_history *history = launch->request.kernel->function->history;
    const double elapsed = (double)(cx_clock_ns() - cx_device_load_of(worker)->superseded_since_ns) * 1e-9;
    return elapsed < cx_plan_expected(launch) && history &&
           cx_speed_record_speed(&history->records[member]) > 0 && !gets_inputs_first(launch, judged, worker);
}
