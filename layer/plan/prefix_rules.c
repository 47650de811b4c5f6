/* SPDX-License-Identifier: MIT */
/*
 * Decides which launches begin as slices. See prefix_rules.h.
 */
#include "layer/plan/prefix_rules.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/plan/compile_ahead.h"
#include "layer/plan/plan_chains.h"
#include "layer/plan/plan_open.h"
#include "layer/plan/plan_size.h"
#include "layer/plan/plan_stake.h"
#include "layer/plan/reexecute_rules.h"
#include "layer/timeline/queue.h"
#include "layer/plan/judge.h"
#include "layer/plan/policy.h"
#include "layer/program/kernel_bind.h"

#include <math.h>

/* The range fills the device so many times at least. */
enum { LEAST_FILLS = 6 };
/* By its text the launch may take so long, seconds: that is a guess far above what most take. */
#define MAY_LAST 20e-3
/* ... or that may last so many times as long as a compilation, where slices need one. */
#define GUESSES 8
/* Launches of a kernel that begin so at most. */
enum { MOST_PREFIXES = 2 };

/* Whether other members than this one, which would run it whole, may take part in the launch as far as its
 * kernel lets them, and what that gains is reckoned. */
static bool others_may(const struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_queue *queue = launch->base.queue;
    return context->account && launch->request.kernel->function->history && member == context->fastest &&
           (queue->members & (queue->members - 1)) && !launch->decision.on_svm_owner &&
           cx_options_get()->split != CX_OPTION_SPLIT_NEVER;
}

/* Judges the launch where it may be split and lasts, or its text lets it, where that is not known: `least`
 * seconds. NULL: that is not so. */
static struct cx_cached_verdict *judged_long(struct cx_launch *launch, unsigned member, double least)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_summary_kernel *summary = cx_kernel_summary(launch->request.kernel, NULL);

    if (!summary || !others_may(launch, member) || launch->decision.protocols ||
        cx_summary_forbids(summary, NULL, NULL) != CX_REASON_NONE)
        return NULL;
    const double length = cx_plan_length(launch);
    if ((length > 0 ? length : cx_judge_straight_longest(launch, summary, member)) < least)
        return NULL;
    struct cx_cached_verdict *judged = cx_judge_launch(launch);
    if (!judged || !judged->verdict.splits || judged->verdict.checked || !cx_plan_fits(launch, member) ||
        (!(length > 0) && cx_judge_longest(launch, judged, member) < least))
        return NULL;
    return judged;
}

/* Whether the range fills the device often enough. The launch gets its local size. */
static bool is_large(struct cx_launch *launch, unsigned member)
{
    const struct cx_context *context = launch->base.context;
    if (!launch->request.local_given && !launch->request.geometry.local[0] && !cx_plan_local_size(launch))
        return false;
    return (double)cx_launch_groups(launch) >=
           LEAST_FILLS * (double)cx_plan_fill(context->workers[member].device, &launch->request.geometry);
}

bool cx_prefix_summary_counts(struct cx_launch *launch, unsigned member)
{
    return others_may(launch, member) && !cx_kernel_summary_wait(launch->request.kernel, 0) &&
           is_large(launch, member);
}

/* Whether it may go to another member whole, or of many such those that come after it, and by its text lasts.
 */
static bool may_go_elsewhere(const struct cx_launch *launch, unsigned member, double least, bool many)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_summary_kernel *summary = cx_kernel_summary(launch->request.kernel, NULL);
    return summary && launch->base.context->account &&
           (many ? cx_plan_chains_may_move(launch) : cx_plan_chains_wait(launch, member)) &&
           cx_judge_straight_longest(launch, summary, member) >= least;
}

bool cx_prefix_length_counts(struct cx_launch *launch, unsigned member, unsigned times)
{
    const double least = MAY_LAST / times;
    return cx_plan_length(launch) <= 0 &&
           (cx_prefix_summary_counts(launch, member) || judged_long(launch, member, least) != NULL ||
            may_go_elsewhere(launch, member, least, times > 1));
}

/* Whether the launch, whose length is known, could share its rest with members that are on their way. */
static bool are_others_coming(const struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    const double length = launch->deferral.lacks_builds ? cx_plan_length(launch) : 0;
    return length >= MAY_LAST && cx_plan_want_for(launch, length);
}

/* Whether slices may change memory before the rest of the launch is planned as a split: what others then get
 * is as it was before the launch, since no package reads what another one writes. */
static bool in_any_order(const struct cx_launch *launch, const struct cx_cached_verdict *judged,
                         const struct cx_summary_kernel *summary)
{
    const struct cx_options *options = cx_options_get();
    bool own = judged->verdict.separable && cx_plan_policy(launch)->reexecute && !options->reproducible;
    for (unsigned i = 0; i < launch->request.args->count && own; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        own = !mem || (!mem->storage->svm && i < summary->narg && !(summary->arg[i].touch & CX_TOUCH_ATOMIC));
    }
    return own || cx_reexecute_allowed(launch, judged);
}

/* Slices are packages of another form than the whole launch: a CPU's driver may have to compile for them. By
 * its length others have to save twice that, or by its text, which has most last far too long, more; of one
 * of which neither tells nothing is known. Else it is compiled ahead, for the next one. */
static bool outlasts_compiler(const struct cx_launch *launch, const struct cx_cached_verdict *judged,
                              unsigned member, enum cx_variant variant) CX_HOLDS(cx_context_locked)
{
    const double length = cx_plan_length(launch);
    const double most = length > 0 ? length : cx_judge_longest(launch, judged, member);
    struct cx_kernel_history *history = launch->request.kernel->function->history;
    const struct cx_worker *worker = &launch->base.context->workers[member];
    if (!(worker->device->type & CL_DEVICE_TYPE_CPU) ||
        cx_launch_compiled(launch, history, member, variant, false))
        return true;
    cx_debug(CX_TOPIC_PLAN, "%s takes %.3f ms at most; the driver may have to compile for its slices",
             launch->request.kernel->function->name, most * 1e3);
    const bool unknown = isinf(most);
    const double gain = unknown ? 0 : cx_plan_gain(launch, most), takes = cx_plan_compiles(worker);
    if (unknown ? !cx_compile_ahead_can(worker) : gain >= (length > 0 ? 2 : GUESSES) * takes)
        return true;
    if (length > 0)
        cx_compile_ahead(launch, CX_COMPILE_SPLIT, variant, gain, takes);
    return false;
}

struct cx_cached_verdict *cx_prefix_judge(struct cx_launch *launch, unsigned member, enum cx_variant *variant)
{
    const struct cx_kernel_history *history = launch->request.kernel->function->history;

    if (!history || history->lengths.prefixes >= MOST_PREFIXES ||
        (cx_plan_length(launch) > 0 && !are_others_coming(launch)) || !is_large(launch, member))
        return NULL;
    struct cx_cached_verdict *judged = judged_long(launch, member, MAY_LAST);
    if (!judged)
        return NULL;
    const struct cx_summary_kernel *summary = cx_kernel_summary(launch->request.kernel, NULL);
    *variant = cx_subrange_variant(&launch->request.geometry, judged->verdict.dim,
                                   summary->uses & CX_USE_NEEDS_REWRITE);
    if (cx_subrange_limit(&launch->request.geometry, judged->verdict.dim, *variant) != CX_SUBRANGE_FITS ||
        !cx_kernel_variant_ready(launch->request.kernel, member, *variant) ||
        !in_any_order(launch, judged, summary) || !outlasts_compiler(launch, judged, member, *variant))
        return NULL;
    return judged;
}
