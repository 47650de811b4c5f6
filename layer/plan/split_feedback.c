/* SPDX-License-Identifier: MIT */
/*
 * Measures whether split launches pay. See split_feedback.h.
 */
#include "layer/plan/split_feedback.h"
#include "layer/base/log.h"
#include "layer/plan/plan_size.h"
#include "layer/plan/plan_stake.h"
#include "layer/plan/planner.h"

#include <math.h>

bool cx_split_feedback_keeps_whole(struct cx_launch *launch, const struct cx_split_plan *plan,
                                   const struct cx_kernel_history *history, unsigned *best)
{
    struct cx_context *context = launch->base.context;
    bool takes = false;
    if (!cx_feedback_keeps_whole(&context->planner->feedback, &history->feedback))
        return false;
    if (context->planner->feedback.kept_whole <= 1)
        context->planner->whole_member = *best;
    for (unsigned i = 0; i < plan->n; i++)
        takes |= plan->member[i] == context->planner->whole_member;
    if (takes)
        *best = context->planner->whole_member;
    launch->decision.reason = CX_WHY_FEEDBACK;
    return true;
}

/* Of launches before it that nobody wants times of the end counts, too, when it is noticed. */
static void ask_for_ends(struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    struct cx_context *context = launch->base.context;
    uint64_t positions[CX_MEMBERS_MAX + 1];
    for (unsigned t = 0; t < cx_context_timelines(context); t++)
        positions[t] = context->workers[t].timeline.planned;
    cx_end_times_drop(&launch->feedback.ahead);
    launch->feedback.ahead = cx_end_times_ask(context, positions, true);
}

void cx_split_feedback_begin(struct cx_launch *launch, bool counts)
{
    struct cx_context *context = launch->base.context;
    const uint64_t now = cx_clock_ns();
    ask_for_ends(launch);
    launch->feedback.split_ns = now;
    launch->feedback.counts = counts;
    launch->feedback.written = context->memory.use.written;
    context->memory.use.written = 0;
    if (!atomic_load_explicit(&context->last_over, memory_order_relaxed))
        atomic_store(&context->last_over, now);
}

/* The seconds that the member fastest at it would have needed for what the launch's parts did since it was
 * split, without moves; 0: unknown. Work-groups of members whose speed is not known are taken to cost what
 * the others' did. */
static double seconds_whole(const struct cx_launch *launch, const struct cx_kernel_history *history)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    const double best = cx_plan_best_speed(launch);
    double seconds = 0, groups = 0, unknown = 0;
    for (unsigned p = 0; p < launch->outcome.nparts; p++) {
        const struct cx_part *part = &launch->outcome.parts[p];
        const double speed = cx_speed_record_speed(&history->records[part->member]);
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
    return fmax(seconds * (groups + unknown) / groups - (double)launch->slices.took_ns * 1e-9, 0);
}

/* When all that was planned before it was over, as far as is known. That may have been noticed late, but not
 * after the first kernel of the split began. */
static uint64_t free_ns(const struct cx_launch *launch)
{
    const uint64_t last = atomic_load_explicit(&launch->base.context->last_over, memory_order_relaxed),
                   ahead = cx_end_times_last(launch->feedback.ahead),
                   start = atomic_load(&launch->base.times.start_ns);
    const uint64_t noticed = ahead < start || !start ? ahead : start;
    return noticed > last ? noticed : last;
}

/* Seconds from the moment that the context was free for the launch to its end; 0: nobody knows. */
static double seconds_split(const struct cx_launch *launch)
{
    const uint64_t last = free_ns(launch);
    const uint64_t from = last > launch->feedback.split_ns ? last : launch->feedback.split_ns;
    const uint64_t end = atomic_load(&launch->base.times.end_ns);
    if (launch->run.verify || launch->outcome.nparts == 0 || atomic_load(&launch->base.error) < 0)
        return 0;
    /* else others were over while a member that it did not wait for kept it */
    return end > from ? (double)(end - from) * 1e-9 : 0;
}

void cx_split_feedback_end(struct cx_launch *launch)
{
    struct cx_context *context = launch->base.context;
    const double elapsed = launch->feedback.split_ns ? seconds_split(launch) : 0;
    cx_end_times_drop(&launch->feedback.ahead);
    bool rose = false;
    double whole = 0, written_back;

    if (!(elapsed > 0)) {
        cx_plan_stake_end(launch, 0, 0, 0);
        return;
    }
    cx_context_lock(context);
    struct cx_kernel_history *history = launch->request.kernel->function->history;
    whole = history ? seconds_whole(launch, history) : 0;
    written_back =
        cx_plan_upload_seconds(&context->workers[context->fastest], (double)launch->outcome.written_back);
    cx_context_unlock(context);
    cx_plan_stake_end(launch, elapsed, whole, written_back);
    if (!launch->feedback.counts)
        return;
    cx_context_lock(context);
    if (whole > 0)
        rose =
            cx_feedback_count(&context->planner->feedback, &history->feedback, elapsed,
                              whole + cx_plan_move_seconds((double)launch->feedback.written) + written_back);
    const bool all = context->planner->feedback.level == CX_FEEDBACK_CLOSED;
    cx_context_unlock(context);
    cx_debug(CX_TOPIC_PLAN, "%s took %.1f us split, %.1f us on one device",
             launch->request.kernel->function->name, elapsed * 1e6, whole * 1e6);
    if (rose)
        cx_info(CX_TOPIC_PLAN, "split launches took longer than one device would have: %s stay whole for now",
                all ? "all" : "those that gain little");
}
