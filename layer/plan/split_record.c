/* SPDX-License-Identifier: MIT */
/*
 * What split launches took. See split_record.h.
 */
#include "layer/plan/split_record.h"
#include "layer/base/log.h"
#include "layer/plan/plan_size.h"
#include "layer/plan/plan_stake.h"
#include "layer/plan/planner.h"

#include <math.h>

bool cx_plan_hindsight_holds(struct cx_launch *launch, const struct cx_split_plan *plan,
                             const struct cx_learned *learned, unsigned *best)
{
    struct cx_context *context = launch->base.context;
    bool takes = false;
    if (!cx_hindsight_holds(&context->planner->hindsight, &learned->hindsight))
        return false;
    if (context->planner->hindsight.held <= 1)
        context->planner->meeting = *best;
    for (unsigned i = 0; i < plan->n; i++)
        takes |= plan->member[i] == context->planner->meeting;
    if (takes)
        *best = context->planner->meeting;
    launch->reason = "split launches of late took longer than one device would have";
    return true;
}

void cx_plan_hindsight_begin(struct cx_launch *launch, bool counts)
{
    struct cx_context *context = launch->base.context;
    const uint64_t now = cx_clock_ns();
    launch->split_ns = now;
    launch->counts = counts;
    launch->written = context->written;
    context->written = 0;
    if (!atomic_load_explicit(&context->last_over, memory_order_relaxed))
        atomic_store(&context->last_over, now);
}

/* The seconds that the member fastest at it would have needed for what the launch's parts did since it was
 * split, without moves; 0: unknown. Work-groups of members whose speed is not known are taken to cost what
 * the others' did. */
static double seconds_whole(const struct cx_launch *launch, const struct cx_learned *learned)
{
    const struct cx_context *context = launch->base.context;
    const double best = cx_plan_best_speed(launch);
    double seconds = 0, groups = 0, unknown = 0;
    for (unsigned p = 0; p < launch->nparts; p++) {
        const struct cx_part *part = &launch->parts[p];
        const double speed = cx_speed_record_speed(&learned->records[part->member]);
        if (!part->packages)
            continue;
        if (!part->busy_ns || !(speed > 0)) {
            unknown += (double)part->groups;
            continue;
        }
        const bool alike = cx_context_alike(context, part->member, context->fastest);
        seconds += (double)part->busy_ns * 1e-9 * (alike ? 1 : speed / best);
        groups += (double)part->groups;
    }
    if (!(groups > 0))
        return 0;
    return fmax(seconds * (groups + unknown) / groups - (double)launch->slices_ns * 1e-9, 0);
}

/* Seconds from the moment that the context was free for the launch to its end; 0: nobody knows. */
static double seconds_split(const struct cx_launch *launch)
{
    const uint64_t last = atomic_load_explicit(&launch->base.context->last_over, memory_order_relaxed);
    const uint64_t from = last > launch->split_ns ? last : launch->split_ns;
    const uint64_t end = atomic_load(&launch->base.end_ns);
    if (launch->verify || launch->nparts == 0 || atomic_load(&launch->base.error) < 0)
        return 0;
    /* else others were over while a member that it did not wait for kept it */
    return end > from ? (double)(end - from) * 1e-9 : 0;
}

void cx_plan_hindsight_end(struct cx_launch *launch)
{
    struct cx_context *context = launch->base.context;
    const double elapsed = launch->split_ns ? seconds_split(launch) : 0;
    bool rose = false;
    double whole = 0, brought;

    if (!(elapsed > 0)) {
        cx_plan_stake_end(launch, 0, 0, 0);
        return;
    }
    cx_lock(&context->lock);
    struct cx_learned *learned = launch->kernel->function->learned;
    whole = learned ? seconds_whole(launch, learned) : 0;
    brought = cx_plan_upload_seconds(&context->workers[context->fastest], (double)launch->brought);
    cx_unlock(&context->lock);
    cx_plan_stake_end(launch, elapsed, whole, brought);
    if (!launch->counts)
        return;
    cx_lock(&context->lock);
    if (whole > 0)
        rose = cx_hindsight_count(&context->planner->hindsight, &learned->hindsight, elapsed,
                                  whole + cx_plan_move_seconds((double)launch->written) + brought);
    const bool all = context->planner->hindsight.level == CX_HINDSIGHT_CLOSED;
    cx_unlock(&context->lock);
    cx_debug(CX_TOPIC_PLAN, "%s took %.1f us split, %.1f us on one device", launch->kernel->function->name,
             elapsed * 1e6, whole * 1e6);
    if (rose)
        cx_info(CX_TOPIC_PLAN, "split launches took longer than one device would have: %s stay whole for now",
                all ? "all" : "those that gain little");
}
