/* SPDX-License-Identifier: MIT */
/*
 * Launches held back. See hold.h.
 */
#include "layer/hold.h"
#include "layer/kernel.h"
#include "layer/launch_prefix.h"
#include "layer/log.h"
#include "layer/plan_open.h"
#include "layer/plan_size.h"
#include "layer/program.h"
#include "layer/queue.h"

#include <time.h>

/* How many jobs a member has left to do where a launch behind them is held, and planned: long enough, as
 * launches that take LONG_SECONDS, or many, where nothing is known of their time. */
#define LONG_SECONDS 1e-3
enum { LONG_HELD = 2, LONG_LEFT = 1, MANY_HELD = 8, MANY_LEFT = 4 };
/* Where the loss is bounded (plan_open.h) launches are held only that take so long: a device may idle for
 * some tens of microseconds before each of them. */
#define WORTH_HOLDING 5e-3
/* For how long a late member is waited for, of the launch's time without it, and how often that is looked at.
 */
#define LATE_PART 0.25
enum { LATE_NAP_NS = 50000 };

/* A member that a split lacks is not done yet, or something is being built, or would be if it paid, other
 * than the program for members that could hardly do any of it. */
static bool is_coming(const struct cx_launch *launch)
{
    const struct cx_program *program = launch->kernel->program;
    const unsigned nmembers = launch->base.context->nmembers;

    for (unsigned m = 0; m < nmembers && launch->lacks_late; m++)
        if (launch->base.context->workers[m].late)
            return true;
    for (unsigned m = 0; m < nmembers && launch->lacks; m++) {
        const unsigned state = atomic_load(&program->members[m].state[launch->lacking]);
        if (cx_program_late_on(program, m) && !cx_plan_late_counts(launch))
            continue;
        if (cx_program_late_on(program, m) || state == CX_BUILD_RUNNING ||
            (state == CX_BUILD_NONE && cx_kernel_runs_on(launch->kernel, m)))
            return true;
    }
    return false;
}

static bool waits(const struct cx_launch *launch)
{
    const struct cx_worker *worker = &launch->base.context->workers[launch->held_by];
    const double seconds = cx_plan_expected(launch);

    if (atomic_load(&worker->completed) >= launch->held_until || (seconds > 0 && seconds < LONG_SECONDS))
        return false;
    if (launch->lacks)
        cx_plan_want(launch, launch->lacking);
    return is_coming(launch);
}

bool cx_hold_launch(struct cx_launch *launch, unsigned member)
{
    struct cx_context *context = launch->base.context;
    if (!launch->lacks_late && (!launch->lacks || cx_plan_wants_all()))
        return false;
    if (member < context->nmembers && context->workers[member].late) /* its work may never be over */
        return false;
    const double seconds = cx_plan_expected(launch);
    if (cx_plan_bounded() && !launch->lacks_late && seconds < WORTH_HOLDING)
        return false;
    launch->held_by = member < context->nmembers ? member : launch->base.queue->fastest;
    struct cx_worker *worker = &context->workers[launch->held_by];
    const uint64_t ahead = worker->planned - atomic_load(&worker->completed);
    const bool few = seconds > 0 || launch->lacks_late; /* lateness is a matter of few launches */
    if (ahead <= (few ? LONG_HELD : MANY_HELD))
        return false;
    launch->held_until = worker->planned - (few ? LONG_LEFT : MANY_LEFT);
    if (!waits(launch))
        return false;
    cx_debug(CX_TOPIC_PLAN, "%s waits for what a split of it lacks", launch->kernel->function->name);
    cx_command_hold(&launch->base);
    (void)cx_command_ref(&launch->base);
    launch->held_next = context->held;
    context->held = launch;
    atomic_fetch_add(&context->nheld, 1);
    /* the program may have flushed nothing of what is ahead, and does not know that this waits for it */
    cx_worker_watch(worker, launch->held_until);
    if (atomic_load(&worker->completed) < launch->held_until)
        return true;
    /* it came to be so while this was noted, and whoever reaped the last job saw nothing held */
    context->held = launch->held_next;
    atomic_fetch_sub(&context->nheld, 1);
    launch->base.blockers--;
    struct cx_command *command = &launch->base;
    cx_command_unref(&command);
    return false;
}

static bool is_any_late(const struct cx_context *context)
{
    for (unsigned m = 0; m < context->nmembers; m++)
        if (context->workers[m].late)
            return true;
    return false;
}

/* In a thread of its own. */
static void wait_for_late(void *data)
{
    const struct timespec nap = {.tv_nsec = LATE_NAP_NS};
    struct cx_command *command = data;
    const struct cx_launch *launch = (const struct cx_launch *)command;
    bool late = true;

    while (late && cx_clock_ns() < launch->late_until) {
        nanosleep(&nap, NULL);
        cx_context_lock(command->context);
        late = is_any_late(command->context);
        cx_context_unlock(command->context);
    }
    cx_command_unhold(command);
    cx_command_unref(&command);
}

bool cx_hold_for_late(struct cx_launch *launch)
{
    const struct cx_context *context = launch->base.context;
    if (!launch->lacks_late || launch->late_until)
        return false;
    const uint64_t most = (uint64_t)(LATE_PART * 1e9 * cx_plan_expected(launch)), now = cx_clock_ns();
    for (unsigned m = 0; m < context->nmembers; m++) {
        const struct cx_worker *worker = &context->workers[m];
        if (worker->late && worker->late_since_ns + most > now + LATE_NAP_NS &&
            worker->late_since_ns + most > launch->late_until)
            launch->late_until = worker->late_since_ns + most;
    }
    if (!launch->late_until)
        return false;
    cx_debug(CX_TOPIC_PLAN, "%s waits for a device that is late", launch->kernel->function->name);
    return cx_command_hold_for(&launch->base, wait_for_late);
}

void cx_hold_check(struct cx_context *context)
{
    if (atomic_load(&context->nheld) == 0)
        return;
    cx_prefix_check(context);
    cx_context_lock(context);
    for (struct cx_launch **link = &context->held; *link;) {
        struct cx_launch *launch = *link;
        if (waits(launch)) {
            link = &launch->held_next;
            continue;
        }
        *link = launch->held_next;
        atomic_fetch_sub(&context->nheld, 1);
        struct cx_command *command = &launch->base;
        cx_command_resume(command);
        cx_command_unref(&command);
    }
    cx_context_unlock(context);
}
