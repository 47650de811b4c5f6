/* SPDX-License-Identifier: MIT */
/*
 * Enters measurements of launches into the kernel history. See launch_learn.h.
 */
#include "layer/plan/launch_learn.h"
#include "layer/plan/plan_size.h"
#include "layer/plan/plan_stake.h"

static double items_of_group(const struct cx_launch *launch)
{
    double items = 1;
    for (unsigned d = 0; d < launch->request.geometry.work_dim; d++)
        items *= (double)launch->request.geometry.local[d];
    return items;
}

void cx_launch_learn_held(struct cx_launch *launch, unsigned member, uint64_t groups, double seconds,
                          bool first)
{
    struct cx_context *context = launch->base.context;
    struct cx_kernel_history *history =
        cx_kernel_history_of(launch->request.kernel->function, context->nmembers);
    if (!history || groups == 0 || !(seconds > 0))
        return;
    const uint64_t fill = cx_plan_fill(context->workers[member].device, &launch->request.geometry);
    if (first) {
        cx_speed_record_first(&history->records[member], groups, fill, seconds);
        return;
    }
    cx_speed_record_update(&history->records[member], groups, fill, seconds);
    cx_chains_times_add(&history->times[member], seconds / (double)groups / items_of_group(launch));
}

void cx_launch_learn(struct cx_launch *launch, unsigned member, uint64_t groups, double seconds, bool first)
{
    struct cx_context *context = launch->base.context;
    if (groups == 0 || !(seconds > 0))
        return;
    cx_context_lock(context);
    cx_launch_learn_held(launch, member, groups, seconds, first);
    cx_context_unlock(context);
}

void cx_launch_learn_package(struct cx_launch *launch, unsigned member, enum cx_variant variant,
                             bool at_start, uint64_t groups, double seconds)
{
    struct cx_context *context = launch->base.context;
    if (groups == 0 || !(seconds > 0))
        return;
    cx_context_lock(context);
    const bool first = cx_launch_first(launch, member, variant, at_start);
    cx_launch_learn_held(launch, member, groups, seconds, first);
    cx_context_unlock(context);
    if (first)
        cx_launch_compiled_keep(launch, member, variant, at_start, 0);
}

void cx_launch_learn_whole(struct cx_launch *launch, unsigned member, uint64_t groups, double seconds)
{
    struct cx_context *context = launch->base.context;
    if (!(seconds > 0))
        return;
    cx_context_lock(context);
    struct cx_kernel_history *history =
        cx_kernel_history_of(launch->request.kernel->function, context->nmembers);
    const bool first = cx_launch_first(launch, member, CX_VARIANT_PLAIN, true);
    cx_launch_learn_held(launch, member, groups, seconds, first);
    if (groups == 0 && !first && history)
        cx_chains_times_add(&history->times[member],
                            seconds / (double)cx_launch_items(&launch->request.geometry));
    cx_plan_length_tell(launch, member, seconds, first);
    cx_context_unlock(context);
}
