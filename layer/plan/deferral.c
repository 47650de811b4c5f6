/* SPDX-License-Identifier: MIT */
/*
 * Launches held back. See deferral.h.
 */
#include "layer/plan/deferral.h"
#include "layer/plan/outstanding.h"
#include "layer/plan/device_load.h"
#include "layer/program/kernel.h"
#include "layer/base/log.h"
#include "layer/plan/plan_open.h"
#include "layer/plan/plan_size.h"
#include "layer/plan/plan_stake.h"
#include "layer/program/program.h"
#include "layer/program/build_deferred.h"
#include "layer/program/kernel_bind.h"
#include "layer/timeline/queue.h"
#include "layer/plan/prefix_rules.h"
#include "layer/plan/planner.h"

#include <time.h>

/* How many jobs a member has left to do where a launch behind them is held, and planned: long enough, as
 * launches that take LONG_SECONDS, or many, where nothing is known of their time. */
#define LONG_SECONDS 1e-3
enum { LONG_DEFERRED = 2, LONG_LEFT = 1, MANY_DEFERRED = 8, MANY_LEFT = 4 };
/* Where the loss is bounded (plan_open.h) launches are held only that take so long, or that may, as nothing
 * is known of their length: a device may idle for some tens of microseconds before each of them. They are
 * held behind any work, until all of it is over. Of those that are not known at most so many of a function
 * are under way. A program that has enqueued as many may enqueue many more, which together are long: then a
 * few are held, so that one runs alone and tells its length; if none does, nobody tells. */
#define WORTH_DEFERRING 5e-3
enum { MOST_UNKNOWN_LENGTHS = 8, HELD_BEHIND_THESE = 4 };
/* Shorter ones are held behind so many seconds of work, until there is half of that left, so that no device
 * idles: looking for the end of what is ahead of them may take a quarter of a millisecond (worker_await.c).
 */
#define MUCH_WORK 30e-3
#define LEFT_WORK (MUCH_WORK / 2)
/* Launches of a context that are the first of their function, whose kernel's analysis is waited for though
 * nothing is known of their length. */
enum { MOST_FIRST_ONES = 16 };
/* Launches held that are only early: each is planned anew whenever some of what is ahead of it is over. */
enum { MOST_EARLY = 32 };
/* For how long a straggler is waited for, of the launch's time without it, and the shortest wait worth it. */
#define STRAGGLER_PART 0.25
enum { SHORTEST_WAIT_NS = 50000 };

/* A member that a split lacks is not done yet, or something is being built, or would be if it paid, other
 * than the program for members that could hardly do any of it. */
static bool is_coming(const struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    const struct cx_program *program = launch->request.kernel->program;
    const unsigned nmembers = launch->base.context->nmembers;

    for (unsigned m = 0; m < nmembers && launch->deferral.lacks_straggler; m++)
        if (cx_device_load_is_straggler(&launch->base.context->workers[m]))
            return true;
    for (unsigned m = 0; m < nmembers && launch->deferral.lacks_builds; m++) {
        const unsigned state = atomic_load(&program->members[m].state[launch->deferral.missing_variant]);
        if (cx_build_deferred_on(program, m) && !cx_plan_deferred_counts(launch))
            continue;
        if (cx_build_deferred_on(program, m) || state == CX_BUILD_RUNNING ||
            (state == CX_BUILD_NONE && cx_kernel_runs_on(launch->request.kernel, m)))
            return true;
    }
    return false;
}

/* Whether nothing keeps the launch whole but what the program has run for so far, which will be more. */
static bool is_early(const struct cx_launch *launch)
{
    return launch->decision.reason == cx_why_stake(CX_STAKE_TOO_DEAR) ||
           launch->decision.reason == cx_why_stake(CX_STAKE_WAITS);
}

/* It lacks nothing, but where its chain had better be may be known better once its device comes to it. */
static bool is_only_early(const struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    return launch->deferral.may_move && !launch->deferral.lacks_builds && !launch->deferral.lacks_straggler;
}

static bool waits(const struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    const struct cx_worker *worker = &launch->base.context->workers[launch->deferral.resume_member];
    const double seconds = cx_plan_expected(launch);

    if (launch->deferral.follows_move)
        return atomic_load(&worker->timeline.completed) < launch->deferral.resume_seq;
    if (atomic_load(&worker->timeline.completed) >= launch->deferral.resume_seq ||
        (seconds > 0 && seconds < LONG_SECONDS && !launch->deferral.behind_work))
        return false;
    if (is_early(launch) || launch->deferral.in_row)
        return true;
    if (launch->deferral.lacks_length)
        return cx_plan_length(launch) <= 0;
    if (launch->deferral.lacks_summary)
        return !cx_kernel_summary_wait(launch->request.kernel, 0);
    if (launch->deferral.lacks_builds)
        cx_plan_want(launch, launch->deferral.missing_variant);
    return is_coming(launch) || (is_only_early(launch) && launch->deferral.behind_work);
}

/* Whether a program has enqueued many launches of the function, none of which has told how long it takes. */
static bool many_unknown(const struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    return launch->request.kernel->function->history->lengths.unknown >= MOST_UNKNOWN_LENGTHS;
}

/* Whether one of the same function is under way that tells how long this one takes, which counts. */
static bool lacks_length(struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked)
{
    const struct cx_kernel_history *history = launch->request.kernel->function->history;
    return history && atomic_load(&history->lengths.telling) > 0 &&
           history->lengths.unknown < MOST_UNKNOWN_LENGTHS + HELD_BEHIND_THESE &&
           cx_prefix_length_counts(launch, member, many_unknown(launch) ? MOST_UNKNOWN_LENGTHS : 1);
}

bool cx_deferral_waits_for(const struct cx_launch *launch)
{
    const struct cx_launch *deferred = launch->base.context->planner->deferred;
    while (deferred && !(deferred->deferral.lacks_length &&
                         deferred->request.kernel->function == launch->request.kernel->function))
        deferred = deferred->deferral.next;
    return deferred != NULL;
}

/* Whether analysing its kernel, which is still running, counts for a launch of which nothing is known but
 * that it is the first of its function. */
static bool is_worth_analysing(const struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    return launch->deferral.lacks_summary && cx_plan_expected(launch) <= 0 &&
           launch->request.kernel->function->history->lengths.unknown == 0 &&
           launch->base.context->planner->first_ones < MOST_FIRST_ONES;
}

/* How many jobs the member may have left to do when the launch is planned; at most as many as it has, where
 * it is not to be held. */
static uint64_t left_of(const struct cx_launch *launch, uint64_t ahead) CX_HOLDS(cx_context_locked)
{
    if (launch->deferral.lacks_length || launch->deferral.lacks_summary || launch->deferral.follows_move ||
        (cx_split_policy_bounded() && !launch->deferral.lacks_straggler))
        return 0;
    const bool few =
        cx_plan_expected(launch) > 0 || launch->deferral.lacks_straggler; /* lateness is of few launches */
    if (ahead <= (few ? LONG_DEFERRED : MANY_DEFERRED))
        return ahead;
    return few ? LONG_LEFT : MANY_LEFT;
}

/* Whether a launch is too short to be held behind any work, but may gain in the end, and there is so much
 * ahead of it that what it lacks may come meanwhile. */
static bool is_behind_work(const struct cx_launch *launch, const struct cx_worker *worker)
    CX_HOLDS(cx_context_locked)
{
    const double expected = cx_plan_expected(launch);
    return cx_split_policy_bounded() && !launch->deferral.lacks_straggler && !launch->deferral.lacks_length &&
           !launch->deferral.follows_move &&
           (is_only_early(launch) ||
            ((expected < WORTH_DEFERRING || is_early(launch)) && cx_plan_gain(launch, expected) > 0)) &&
           cx_outstanding_seconds(worker) >= MUCH_WORK;
}

/* Notes after what position the launch is planned again. False: nothing is ahead of it for which it would
 * wait. */
static bool set_resume(struct cx_launch *launch, struct cx_worker *worker) CX_HOLDS(cx_context_locked)
{
    const uint64_t completed = atomic_load(&worker->timeline.completed);
    const uint64_t ahead = worker->timeline.planned - completed;
    const uint64_t left = launch->deferral.behind_work ? 0 : left_of(launch, ahead);
    launch->deferral.resume_seq = launch->deferral.behind_work ? cx_outstanding_seq(worker, LEFT_WORK)
                                                               : worker->timeline.planned - left;
    return ahead > left && launch->deferral.resume_seq > completed;
}

/* What the launch lacks for a split, or for its plan. False: nothing that may come. */
static bool note_lacks(struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked)
{
    const bool lacks = launch->deferral.lacks_straggler || launch->deferral.follows_move ||
                       is_early(launch) || (launch->deferral.lacks_builds && !cx_split_policy_wants_all());
    launch->deferral.lacks_length = !lacks && lacks_length(launch, member);
    launch->deferral.lacks_summary =
        !lacks && !launch->deferral.lacks_length && cx_prefix_summary_counts(launch, member);
    launch->deferral.may_move &=
        cx_split_policy_bounded() && atomic_load(&launch->base.context->ndeferred) < MOST_EARLY;
    return lacks || launch->deferral.lacks_length || launch->deferral.lacks_summary ||
           launch->deferral.may_move;
}

/* Whether it is worth being held behind any work, until that is over. first: is_worth_analysing. */
static bool is_worth_idling(const struct cx_launch *launch, bool first) CX_HOLDS(cx_context_locked)
{
    return !cx_split_policy_bounded() || launch->deferral.lacks_straggler || launch->deferral.lacks_length ||
           launch->deferral.follows_move || first ||
           (cx_plan_expected(launch) >= WORTH_DEFERRING && !is_early(launch) && !is_only_early(launch));
}

/* Holds the launch until the member has completed resume_seq. False: it has. */
static bool hold(struct cx_launch *launch, struct cx_worker *worker) CX_HOLDS(cx_context_locked)
{
    struct cx_context *context = launch->base.context;
    cx_command_hold(&launch->base);
    (void)cx_command_ref(&launch->base);
    launch->deferral.next = context->planner->deferred;
    context->planner->deferred = launch;
    atomic_fetch_add(&context->ndeferred, 1);
    /* the program may have flushed nothing of what is ahead, and does not know that this waits for it */
    cx_worker_watch(worker, launch->deferral.resume_seq);
    if (atomic_load(&worker->timeline.completed) < launch->deferral.resume_seq)
        return true;
    /* it came to be so while this was noted, and whoever reaped the last job saw nothing held */
    context->planner->deferred = launch->deferral.next;
    atomic_fetch_sub(&context->ndeferred, 1);
    launch->base.order.blockers--;
    struct cx_command *command = &launch->base;
    cx_command_unref(&command);
    return false;
}

bool cx_deferral_begin(struct cx_launch *launch, unsigned member)
{
    struct cx_context *context = launch->base.context;
    if (member < context->nmembers &&
        cx_device_load_is_straggler(&context->workers[member])) /* its work may never be over */
        return false;
    if (!note_lacks(launch, member))
        return false;
    launch->deferral.resume_member = member < context->nmembers ? member : launch->base.queue->fastest;
    struct cx_worker *worker = &context->workers[launch->deferral.resume_member];
    const bool is_first = is_worth_analysing(launch);
    launch->deferral.behind_work = is_behind_work(launch, worker);
    if ((!launch->deferral.behind_work && !is_worth_idling(launch, is_first)) ||
        !set_resume(launch, worker) || !waits(launch))
        return false;
    context->planner->first_ones += is_first;
    cx_debug(CX_TOPIC_PLAN, "%s waits for %s", launch->request.kernel->function->name,
             launch->deferral.follows_move ? "one before it to show how long it takes where their chain went"
             : is_early(launch)            ? "more of what is ahead of it to have run"
             : launch->deferral.lacks_length  ? "one before it to tell its length"
             : launch->deferral.lacks_summary ? "its kernel's analysis"
             : is_only_early(launch)          ? "some of what is ahead of it, as its chain may move"
                                              : "what a split of it lacks");
    return hold(launch, worker);
}

bool cx_deferral_of_row(struct cx_launch *launch)
{
    struct cx_context *context = launch->base.context;
    const struct cx_kernel_history *history = launch->request.kernel->function->history;
    struct cx_worker *worker = &context->workers[launch->base.queue->fastest];
    if (!context->account || !history || !history->risk.row || launch->decision.on_svm_owner ||
        cx_device_load_is_straggler(worker) || atomic_load(&context->ndeferred) >= MOST_EARLY ||
        cx_outstanding_seconds(worker) < MUCH_WORK)
        return false;
    launch->deferral.in_row = launch->deferral.behind_work = true;
    launch->deferral.lacks_length = launch->deferral.lacks_summary = false;
    launch->deferral.resume_member = launch->base.queue->fastest;
    if (!set_resume(launch, worker))
        return false;
    cx_debug(CX_TOPIC_PLAN, "%s waits for those before it to show how splits do",
             launch->request.kernel->function->name);
    return hold(launch, worker);
}

/* In a thread of its own. */
static void wait_for_stragglers(void *data)
{
    struct cx_command *command = data;
    struct cx_context *context = command->context;

    cx_context_lock(context);
    const uint64_t until_ns = ((const struct cx_launch *)command)->deferral.until_ns;
    const struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000u),
                                   .tv_nsec = (long)(until_ns % 1000000000u)};
    while (cx_device_load_any_straggler(context) &&
           cx_context_wait_until(context, &context->planner->caught_up, &until))
        ;
    cx_context_unlock(context);
    cx_command_unhold(command);
    cx_command_unref(&command);
}

bool cx_deferral_for_straggler(struct cx_launch *launch)
{
    const struct cx_context *context = launch->base.context;
    if (!launch->deferral.lacks_straggler || launch->deferral.until_ns)
        return false;
    const uint64_t most = (uint64_t)(STRAGGLER_PART * 1e9 * cx_plan_expected(launch)), now = cx_clock_ns();
    for (unsigned m = 0; m < context->nmembers; m++) {
        const struct cx_device_load *load = cx_device_load_of(&context->workers[m]);
        if (load->superseded && load->superseded_since_ns + most > now + SHORTEST_WAIT_NS &&
            load->superseded_since_ns + most > launch->deferral.until_ns)
            launch->deferral.until_ns = load->superseded_since_ns + most;
    }
    if (!launch->deferral.until_ns)
        return false;
    cx_debug(CX_TOPIC_PLAN, "%s waits for a straggling device", launch->request.kernel->function->name);
    return cx_command_hold_for(&launch->base, wait_for_stragglers);
}

void cx_deferral_check(struct cx_context *context)
{
    cx_context_lock(context);
    for (struct cx_launch **link = &context->planner->deferred; *link;) {
        struct cx_launch *launch = *link;
        if (waits(launch)) {
            link = &launch->deferral.next;
            continue;
        }
        *link = launch->deferral.next;
        atomic_fetch_sub(&context->ndeferred, 1);
        struct cx_command *command = &launch->base;
        cx_command_resume(command);
        cx_command_unref(&command);
    }
    cx_context_plan_and_unlock(context);
}
