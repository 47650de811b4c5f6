/* SPDX-License-Identifier: MIT */
/*
 * Watched commands: noticing that a command's status moved, without being asked, for its callbacks.
 *
 * A program may watch thousands of commands at once, so nothing here looks at all of them. A command that is
 * not settled is looked at when it settles or runs. From then on it stands in the heap of one timeline that
 * has not passed its frontier yet, the command with the least position first; once that timeline has, it
 * moves to the next such timeline's, or is over. Heaps are pairing heaps, linked through what commands with
 * callbacks have: watching needs no more memory.
 *
 * Previous: command.h. Next: callback_thread.h, whose thread runs the callbacks (event.c).
 */
#include "layer/timeline/command.h"
#include "layer/base/callback_thread.h"
#include "layer/base/exit_guard.h"
#include "layer/timeline/worker_callbacks.h"
#include "layer/timeline/worker_reap.h"

/* ---- context->lock held ---- */

/* Of two heaps of timeline t. */
static struct cx_command *meld(struct cx_command *a, struct cx_command *b, unsigned t)
    CX_HOLDS(cx_context_locked)
{
    if (!a || !b)
        return a ? a : b;
    struct cx_command *const first = b->order.frontier[t] < a->order.frontier[t] ? b : a, *const other =
                                                                                              first == a ? b
                                                                                                         : a;
    other->watch->next = first->watch->child;
    first->watch->child = other;
    return first;
}

/* The heap without its first command. */
static struct cx_command *without_first(struct cx_command *heap, unsigned t) CX_HOLDS(cx_context_locked)
{
    struct cx_command *pairs = NULL, *rest = NULL;
    for (struct cx_command *a = heap->watch->child, *next; a; a = next) {
        struct cx_command *b = a->watch->next;
        next = b ? b->watch->next : NULL;
        a = meld(a, b, t);
        a->watch->next = pairs;
        pairs = a;
    }
    while (pairs) {
        struct cx_command *const pair = pairs;
        pairs = pair->watch->next;
        rest = meld(rest, pair, t);
    }
    heap->watch->child = NULL;
    return rest;
}

static void set_heap(struct cx_worker *worker, struct cx_command *heap) CX_HOLDS(cx_context_locked)
{
    worker->timeline.watched = heap;
    atomic_store(&worker->timeline.first_watched, heap ? heap->order.frontier[worker->index] : 0);
    if (heap) /* no mere stores and loads: the thread says that it is held up and then looks here */
        cx_worker_watched(worker);
}

/* Its callbacks are looked through soon, by the stage that it has then. */
static void push_due(struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    struct cx_context *context = command->context;
    if (command->watch->due)
        return;
    command->watch->due = true;
    context->callbacks.ndue++;
    command->watch->due_next = NULL;
    if (context->callbacks.due)
        context->callbacks.due_tail->watch->due_next = command;
    else
        context->callbacks.due = command;
    context->callbacks.due_tail = cx_command_ref(command);
}

static void note(struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    const cl_int stage = cx_command_stage(command);
    if (stage >= command->watch->noticed)
        return;
    command->watch->noticed = stage;
    if (stage <= CL_RUNNING)
        atomic_store(&command->running.reported, true);
    push_due(command);
}

/* One of these timelines (bits) that has not passed the command's frontier; NULL: all have. */
static struct cx_worker *ahead_of(const struct cx_command *command, uint64_t timelines)
{
    struct cx_context *context = command->context;
    for (unsigned t = 0; t < cx_context_timelines(context); t++)
        if (timelines >> t & 1 && atomic_load_explicit(&context->workers[t].timeline.completed,
                                                       memory_order_acquire) < command->order.frontier[t])
            return &context->workers[t];
    return NULL;
}

/* A settled command, to the heap of a timeline that it waits for, first one with jobs of others alone: when
 * that has passed it may show as running. Without one it is over. */
static void place(struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    struct cx_context *context = command->context;
    struct cx_worker *worker = ahead_of(command, ~command->order.own);
    if (!worker)
        worker = ahead_of(command, command->order.own);
    if (worker) {
        set_heap(worker, meld(worker->timeline.watched, cx_command_ref(command), worker->index));
        return;
    }
    command->watch->active = false;
    cx_command_unwatched(context);
    command->watch->noticed = CL_COMPLETE;
    push_due(command); /* told of it already or not: a reference is left for a caller that drops its own */
}

void cx_command_see_to(struct cx_command *command)
{
    struct cx_context *context = command->context;
    for (unsigned t = 0; t < cx_context_timelines(context); t++)
        if (command->order.frontier[t])
            cx_worker_watch(&context->workers[t], command->order.frontier[t]);
}

void cx_command_unwatched(struct cx_context *context)
{
    atomic_fetch_sub(&context->callbacks.nwatched, 1);
    cx_exit_guard_owes(false);
}

void cx_command_watch_stage(struct cx_command *command)
{
    note(command);
}

void cx_command_watch_settled(struct cx_command *command)
{
    note(command);
    place(command);
    cx_command_see_to(command);
}

struct cx_command *cx_command_take_due(struct cx_context *context)
{
    struct cx_command *due = context->callbacks.due;
    context->callbacks.due = NULL;
    return due;
}

/* ---- without locks ---- */

void cx_command_post_due(struct cx_command *due) CX_UNCHECKED
{
    while (due) {
        struct cx_command *command = due;
        due = command->watch->due_next; /* before it is posted: it may become due again at once */
        cx_callback_thread_post(cx_event_run_callbacks, command); /* takes over the reference */
    }
}

/* Events that tell of its own end, where it has none, not of that of what comes behind it. */
static void mark_end(struct cx_command *command)
{
    struct cx_context *context = command->context;
    cx_context_lock(context);
    const bool settled = command->settled; /* its frontier stays */
    cx_context_unlock(context);
    for (unsigned t = 0; settled && t < context->nmembers; t++)
        if (!cx_timeline_passed(&context->workers[t].timeline, command->order.frontier[t]))
            cx_worker_mark_end(&context->workers[t]);
}

void cx_command_watch(struct cx_command *command)
{
    struct cx_context *context = command->context;
    atomic_store(&command->calls_back, true);
    atomic_store(&context->callbacks.any, true);
    mark_end(command); /* before anybody waits for it */
    cx_context_lock(context);
    command->watch->noticed = CL_QUEUED; /* there are new callbacks */
    if (!command->watch->active && cx_command_stage(command) > CL_COMPLETE) {
        command->watch->active = true;
        atomic_fetch_add(&context->callbacks.nwatched, 1); /* before its stage is read: cx_command_runs */
        cx_exit_guard_owes(true);
        if (command->settled)
            cx_command_watch_settled(command);
    }
    note(command);
    cx_context_plan_and_unlock(context);
}

void cx_command_runs(struct cx_command *command)
{
    struct cx_context *context = command->context;
    if (atomic_load_explicit(&command->running.seen, memory_order_relaxed) &&
        (!atomic_load(&command->running.asked) || atomic_load(&command->running.reported)))
        return;
    atomic_store(&command->running.seen, true);
    if (command->whole)
        atomic_store(&command->whole->running.seen, true);
    if (atomic_load(&context->callbacks.nwatched) == 0)
        return;
    cx_context_lock(context);
    if (cx_command_is_watched(command))
        note(command);
    if (command->whole && cx_command_is_watched(command->whole))
        note(command->whole);
    struct cx_command *due = cx_command_take_due(context);
    cx_context_unlock(context);
    cx_command_post_due(due);
}

void cx_command_check_watched(struct cx_context *context)
{
    /* Not a mere load, which could come before the timeline's move: whoever begins to watch after this saw
     * nobody sees that. */
    if (atomic_fetch_add(&context->callbacks.nwatched, 0) == 0)
        return;
    cx_context_lock(context);
    for (unsigned t = 0; t < cx_context_timelines(context); t++) {
        struct cx_worker *worker = &context->workers[t];
        const uint64_t completed = atomic_load_explicit(&worker->timeline.completed, memory_order_acquire);
        struct cx_command *command;
        while ((command = worker->timeline.watched) && command->order.frontier[t] <= completed) {
            set_heap(worker, without_first(command, t));
            place(command);
            note(command);
            cx_command_unref(&command); /* never the last one */
        }
    }
    struct cx_command *due = cx_command_take_due(context);
    cx_context_unlock(context);
    cx_command_post_due(due);
}
