/* SPDX-License-Identifier: MIT */
/*
 * Planning the commands of a context that became ready, and handing out what that gave its workers. One call
 * may make thousands ready: those behind a launch that was held, or behind a user event. Planning them takes
 * longer than their first ones run, and workers need context->lock to end those. So it is done in turns, with
 * the lock free in between, and after the first one by a thread of its own: a worker's has its device to
 * feed, and the program's may be in a call that does not block. Previous stage: command.c. Next: worker.c.
 */
#include "layer/base/exit_guard.h"
#include "layer/timeline/command.h"
#include "layer/timeline/worker.h"

#include <sched.h>
#include <time.h>

/* Of a turn, but for its first and its last command. */
#define TURN_NS UINT64_C(100000)
/* So long others have the lock to themselves at least, and at most if more wait for it. */
#define LEAST_WAY_NS UINT64_C(20000)
#define MOST_WAY_NS  UINT64_C(100000)

/* One turn. */
static void plan_ready(struct cx_context *context) CX_HOLDS(cx_context_locked)
{
    struct cx_command *command;
    uint64_t since = 0;
    while ((command = context->pending.ready)) {
        context->pending.ready = command->list_next;
        command->list_next = NULL;
        if (command->order.dep_error)
            cx_command_fail(command, command->order.dep_error);
        else
            command->ops->plan(command);
        cx_command_unref(&command);
        const uint64_t now = context->pending.ready ? cx_clock_ns() : 0;
        if (since && now > since + TURN_NS)
            break;
        since = since ? since : now;
    }
}

/* Hands out what was planned. Not inlined, as the next: planning goes deep, and needs the stack. */
__attribute__((noinline)) static void hand_out_and_unlock(struct cx_context *context)
    CX_RELEASES(cx_context_locked)
{
    uint64_t touched = context->pending.touched;
    struct cx_command *finished = context->pending.finished;
    struct cx_command *due = cx_command_take_due(context);
    context->pending.touched = 0;
    context->pending.finished = NULL;
    cx_context_unlock(context);
    while (finished) { /* before callbacks ask for their times */
        struct cx_command *command = finished;
        finished = command->list_next;
        command->list_next = NULL;
        cx_command_part_done(command, CL_SUCCESS, 0, 0);
        cx_command_unref(&command);
    }
    cx_command_post_due(due);

    for (unsigned w = 0; touched; w++, touched >>= 1)
        if (touched & 1)
            cx_worker_pump(&context->workers[w]);
}

/* Turns until nothing is ready. The thread pauses, as others that wait for a mutex do not get it otherwise.
 */
static void plan_rest(struct cx_context *context) CX_UNCHECKED
{
    const struct timespec pause = {0, 1000};
    for (bool more = true; more;) {
        nanosleep(&pause, NULL);
        cx_context_lock(context);
        plan_ready(context);
        more = context->pending.ready;
        context->pending.goes_on = more;
        hand_out_and_unlock(context);
    }
}

/* In a thread of its own. data: a command, whose reference keeps the context. */
static void plan_rest_aside(void *data)
{
    struct cx_command *command = data;
    plan_rest(command->context);
    cx_command_unref(&command);
}

/* More than one turn is needed. */
__attribute__((noinline)) static void go_on_and_unlock(struct cx_context *context)
    CX_RELEASES(cx_context_locked) CX_UNCHECKED
{
    struct cx_command *rest = cx_command_ref(context->pending.ready);
    context->pending.goes_on = true;
    hand_out_and_unlock(context);
    if (cx_exit_guard_run(plan_rest_aside, rest))
        return;
    plan_rest(context);
    cx_command_unref(&rest);
}

/* Lets others have the lock. Whoever is woken for it finds it taken again by a program that enqueues one
 * launch after the other, each of which takes longer to be split than the moment between two calls: a row of
 * a thousand splits was planned for 0.1 s, in which the devices did not get to the second one. Those that
 * wait for a condition under the lock are not counted, and need a moment, too; devices have work meanwhile.
 */
static void give_way(struct cx_context *context)
{
    const uint64_t since = cx_clock_ns();
    uint64_t now = since;
    while (now < since + (atomic_load(&context->nlocking) ? MOST_WAY_NS : LEAST_WAY_NS)) {
        sched_yield();
        now = cx_clock_ns();
    }
}

void cx_context_plan_and_unlock(struct cx_context *context)
{
    context->pending.split = false;
    plan_ready(context);
    const bool gives_way = context->pending.split && !cx_exit_guard_ours();
    if (context->pending.ready && !context->pending.goes_on)
        go_on_and_unlock(context);
    else
        hand_out_and_unlock(context);
    if (gives_way)
        give_way(context);
}
