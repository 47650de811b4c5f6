/* SPDX-License-Identifier: MIT */
/*
 * Commands: dependencies, settling, completion, status. See command.h for the life of a command.
 */
#include "layer/timeline/command.h"
#include "layer/base/exit_guard.h"
#include "layer/base/deadline.h"
#include "layer/base/log.h"
#include "layer/base/callback_thread.h"
#include "layer/timeline/queue.h"
#include "layer/base/thread.h"
#include "layer/report/trace.h"
#include "layer/timeline/trace_command.h"

#include <stdlib.h>
#include <string.h>

/* What this thread is enqueuing in a call that blocks. */
static _Thread_local struct blocking {
    const struct cx_command *command;
    bool event; /* the program gets one */
} blocking;

static void command_destroy(struct cx_object *object) CX_UNCHECKED
{
    struct cx_command *command = (struct cx_command *)object;
    struct cx_queue *queue = command->queue;
    struct cx_context *context = command->context;
    if (command->ops->drop && atomic_load(&command->parts)) /* never submitted */
        command->ops->drop(command);
    if (cx_command_is_watched(command)) /* it can never settle any more */
        cx_command_unwatched(context);
    cx_event_free_callbacks(command);
    free(command->order.successors);
    cx_end_times_drop(&command->times.ends);
    cx_end_times_drop(&command->times.awaited);
    cx_command_unref(&command->whole);
    free(command);
    cx_queue_unref(&queue);
    cx_context_unref(&context);
}

/* The program may ask for its times. */
static bool has_times(const struct cx_command *command)
{
    return command->queue && command->queue->properties & CL_QUEUE_PROFILING_ENABLE;
}

bool cx_command_is_timed(const struct cx_command *command)
{
    return has_times(command) || cx_trace_on();
}

/* Reading the clock is a tenth of a small launch. */
static uint64_t stamp(const struct cx_command *command)
{
    return cx_command_is_timed(command) ? cx_clock_ns() : 0;
}

static void lower(atomic_uint_fast64_t *value, uint64_t candidate)
{
    uint64_t seen = atomic_load_explicit(value, memory_order_relaxed);
    while ((seen == 0 || candidate < seen) && !atomic_compare_exchange_weak(value, &seen, candidate))
        ;
}

static void raise(atomic_uint_fast64_t *value, uint64_t candidate)
{
    uint64_t seen = atomic_load_explicit(value, memory_order_relaxed);
    while (candidate > seen && !atomic_compare_exchange_weak(value, &seen, candidate))
        ;
}

struct cx_command *cx_command_new(struct cx_context *context, struct cx_queue *queue, size_t size,
                                  cl_command_type type, const struct cx_command_ops *ops) CX_UNCHECKED
{
    size = (size + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
    const size_t frontier = cx_command_frontier_size(context) * sizeof(uint64_t);
    const size_t before = cx_context_timelines(context) * sizeof(uint64_t);
    struct cx_command *command = cx_zeroed(size + frontier + before + cx_job_size(context));
    if (!command)
        return NULL;
    cx_object_init(&command->base, CX_TAG_EVENT, command_destroy);
    command->context = cx_context_ref(context);
    command->queue = queue ? cx_queue_ref(queue) : NULL;
    command->type = type;
    command->ops = ops;
    command->order.frontier = (uint64_t *)(void *)((char *)command + size);
    command->order.before = (uint64_t *)(void *)((char *)command + size + frontier);
    command->room = (struct cx_job *)(void *)((char *)command + size + frontier + before);
    atomic_init(&command->parts, 1);
    command->order.blockers = 1; /* not submitted yet */
    atomic_init(&command->times.queued_ns, stamp(command));
    return command;
}

cl_int cx_command_wait_list_check(const struct cx_context *context, cl_uint count, const cl_event *list)
{
    if ((count == 0) != (list == NULL))
        return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < count; i++) {
        const struct cx_command *command = cx_command_from(list[i]);
        if (!command)
            return CL_INVALID_EVENT_WAIT_LIST;
        if (command->context != context)
            return CL_INVALID_CONTEXT;
    }
    return CL_SUCCESS;
}

/* ---- linking; context->lock held ---- */

static bool add_successor(struct cx_command *command, struct cx_command *successor, bool passes_error)
    CX_HOLDS(cx_context_locked)
{
    if (command->order.nsuccessors == command->order.room_successors) {
        unsigned room = command->order.room_successors ? 2 * command->order.room_successors : 4;
        struct cx_edge *grown = realloc(command->order.successors, room * sizeof(*grown));
        if (!grown)
            return false;
        command->order.successors = grown;
        command->order.room_successors = room;
    }
    command->order.successors[command->order.nsuccessors++] =
        (struct cx_edge){.command = cx_command_ref(successor), .passes_error = passes_error};
    successor->order.blockers++;
    return true;
}

void cx_command_depend(struct cx_command *command, struct cx_command *on, bool passes_error)
{
    if (!on->settled) {
        if (!add_successor(on, command, passes_error))
            command->order.dep_error = CL_OUT_OF_HOST_MEMORY;
        return;
    }
    cx_command_frontier_raise(command->order.frontier, on->order.frontier,
                              cx_command_frontier_size(command->context));
    if (passes_error && atomic_load_explicit(&on->error, memory_order_acquire) < 0)
        command->order.dep_error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
}

void cx_command_block_on(struct cx_command *command, struct cx_command *other)
{
    if (!add_successor(other, command, false))
        cx_command_fail(command, CL_OUT_OF_HOST_MEMORY);
}

static void push_ready(struct cx_context *context, struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    command->list_next = NULL;
    if (context->pending.ready)
        context->pending.ready_tail->list_next = command;
    else
        context->pending.ready = command;
    context->pending.ready_tail = command;
    cx_command_ref(command);
}

/* ---- settling; context->lock held ---- */

struct cx_job *cx_command_job(struct cx_command *command)
{
    struct cx_job *job = command->room;
    if (!job)
        return cx_job_new(command->context);
    command->room = NULL;
    job->within = true;
    return job;
}

/* Up to where the command waits for others on a timeline. context->lock held, or it is settled. */
static uint64_t awaited_on(const struct cx_command *command, unsigned t) CX_HOLDS(cx_context_locked)
{
    if (command->order.own >> t & 1)
        return command->order.before[t];
    const struct cx_queue *queue = command->settled || !command->queue->in_order ? NULL : command->queue;
    return queue && queue->frontier[t] > command->order.frontier[t] ? queue->frontier[t]
                                                                    : command->order.frontier[t];
}

uint64_t cx_command_add_job(struct cx_command *command, struct cx_worker *worker, struct cx_job *job)
{
    command->order.before[worker->index] = awaited_on(command, worker->index); /* the same again */
    command->order.own |= UINT64_C(1) << worker->index;
    job->command = cx_command_ref(command);
    atomic_fetch_add_explicit(&command->parts, 1, memory_order_relaxed);
    uint64_t seq = cx_worker_plan(worker, job);
    if (command->order.frontier[worker->index] < seq)
        command->order.frontier[worker->index] = seq;
    return seq;
}

void cx_command_after_frontier(const struct cx_command *command, struct cx_job *job)
{
    unsigned timelines = cx_context_timelines(command->context);
    cx_command_frontier_raise(job->deps, command->order.frontier, timelines);
    if (command->queue && command->queue->in_order)
        cx_command_frontier_raise(job->deps, command->queue->frontier, timelines);
}

void cx_command_after_memory(const struct cx_command *command, const struct cx_worker *worker,
                             struct cx_job *job)
{
    const struct cx_context *context = command->context;
    const unsigned timelines = cx_context_timelines(context);
    const bool in_order = command->queue && command->queue->in_order;
    /* with one device the call that blocks waits for it itself, and needs no thread for that */
    const bool own = !cx_context_shares(context) && cx_command_blocks_here(command);
    for (unsigned t = 0; t < timelines && !own; t++) {
        const uint64_t in_queue = in_order ? command->queue->frontier[t] : 0;
        const uint64_t all = command->order.frontier[t] > in_queue ? command->order.frontier[t] : in_queue;
        job->kind.waits |= t != worker->index && atomic_load_explicit(&context->workers[t].timeline.completed,
                                                                      memory_order_acquire) < all;
    }
    job->kind.urgent |= job->kind.waits;
    cx_command_frontier_raise(job->deps, command->order.frontier + timelines, timelines);
    if (in_order)
        cx_command_frontier_raise(job->deps, command->queue->frontier + timelines, timelines);
}

void cx_command_ends_with(struct cx_command *command)
{
    if (!has_times(command))
        return;
    command->times.ends = cx_end_times_ask(command->context, command->order.frontier, true);
    raise(&command->times.end_ns, cx_clock_ns()); /* what was over by now was not asked for */
}

void cx_command_starts_after(struct cx_command *command)
{
    uint64_t positions[CX_MEMBERS_MAX + 1];
    if (!has_times(command) || command->times.awaited)
        return;
    for (unsigned t = 0; t < cx_context_timelines(command->context); t++) {
        const bool alone = command->settled && command->order.own == UINT64_C(1)
                                                                         << t; /* in the device's order */
        positions[t] = alone ? 0 : awaited_on(command, t);
    }
    /* what is over by now ended before the command counts as submitted */
    command->times.awaited = cx_end_times_ask(command->context, positions, false);
}

void cx_command_settle(struct cx_command *command)
{
    struct cx_context *context = command->context;

    if (command->queue)
        cx_queue_settled(command->queue, command);
    command->settled = true;
    if (!command->begun && (atomic_load(&command->parts) > 1 || atomic_load(&command->times.end_ns)))
        cx_command_starts_after(command);
    if (!command->begun)
        atomic_store_explicit(&command->times.submit_ns, stamp(command), memory_order_relaxed);

    int error = atomic_load_explicit(&command->error, memory_order_acquire);
    for (unsigned i = 0; i < command->order.nsuccessors; i++) {
        struct cx_command *next = command->order.successors[i].command;
        cx_command_frontier_raise(next->order.frontier, command->order.frontier,
                                  cx_command_frontier_size(context));
        if (error < 0 && command->order.successors[i].passes_error)
            next->order.dep_error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        if (--next->order.blockers == 0)
            push_ready(context, next);
        cx_command_unref(&next);
    }
    free(command->order.successors);
    command->order.successors = NULL;
    command->order.nsuccessors = command->order.room_successors = 0;

    if (cx_command_is_watched(command))
        cx_command_watch_settled(command);
    else if (command->queue && command->in_queue.number < command->queue->pushed)
        cx_command_see_to(command);
    /* The part that stood for planning ends here. With jobs under way the last of them drops the command,
     * before its timeline moves, so that whoever waited finds its kernel and buffers free; without, unlock
     * does it. */
    if (atomic_fetch_sub_explicit(&command->parts, 1, memory_order_acq_rel) == 1) {
        atomic_store_explicit(&command->parts, 1, memory_order_relaxed);
        if (command->queue && !atomic_load(&command->times.end_ns)) {
            atomic_store(&command->idle, true);
            cx_command_ends_with(command);
        }
        command->list_next = context->pending.finished;
        context->pending.finished = cx_command_ref(command);
    }
    pthread_cond_broadcast(&context->settled);
}

void cx_command_begin(struct cx_command *command)
{
    if (command->begun)
        return;
    command->begun = true;
    cx_command_starts_after(command);
    atomic_store_explicit(&command->times.submit_ns, stamp(command), memory_order_relaxed);
    if (cx_command_is_watched(command))
        cx_command_watch_stage(command);
}

static void set_error(struct cx_command *command, cl_int error)
{
    int none = CL_SUCCESS;
    if (error < 0)
        atomic_compare_exchange_strong(&command->error, &none, error);
}

void cx_command_fail(struct cx_command *command, cl_int error)
{
    set_error(command, error);
    cx_info(CX_TOPIC_WORKER, "command %llu fails before it starts: %s", (unsigned long long)command->base.id,
            cx_cl_name(error));
    cx_command_settle(command);
}

/* ---- completion ---- */

void cx_command_times(struct cx_command *command, uint64_t start_ns, uint64_t end_ns)
{
    /* Clocks of devices are compared within some microseconds. What is told once stays, and what waits for
     * this ends no sooner: the end is not later than now. */
    if (end_ns && has_times(command)) {
        const uint64_t now = cx_clock_ns();
        end_ns = end_ns < now ? end_ns : now;
        start_ns = start_ns < end_ns ? start_ns : end_ns;
    }
    if (start_ns)
        lower(&command->times.start_ns, start_ns);
    if (end_ns)
        raise(&command->times.end_ns, end_ns);
}

void cx_command_part_done(struct cx_command *command, cl_int status, uint64_t start_ns, uint64_t end_ns)
{
    set_error(command, status);
    cx_command_times(command, start_ns, end_ns);
    if (atomic_fetch_sub_explicit(&command->parts, 1, memory_order_acq_rel) != 1)
        return;
    if (atomic_load_explicit(&command->times.end_ns, memory_order_relaxed) == 0)
        raise(&command->times.end_ns, stamp(command));
    cx_trace_command(command);
    if (!command->error_heard && command->queue && atomic_load(&command->error) < 0 &&
        atomic_load(&command->asked) >= 0)
        cx_queue_failed(command->queue, atomic_load(&command->error));
    if (command->ops->drop)
        command->ops->drop(command);
    if (atomic_load_explicit(&command->context->last_over, memory_order_relaxed))
        raise(&command->context->last_over, atomic_load(&command->times.end_ns));
    if (command->whole)
        cx_command_part_done(command->whole, atomic_load(&command->error),
                             atomic_load(&command->times.start_ns), atomic_load(&command->times.end_ns));
}

void cx_command_span(const struct cx_command *command, uint64_t *start_ns, uint64_t *end_ns)
{
    const uint64_t end = atomic_load(&command->times.end_ns),
                   awaited = cx_end_times_last(command->times.ends);
    *end_ns = end < awaited ? awaited : end;
    const uint64_t start = atomic_load(&command->times.start_ns),
                   before = cx_end_times_last(command->times.awaited);
    *start_ns = atomic_load(&command->idle) ? *end_ns : start < before ? before : start;
}

/* Whether all timelines have passed the frontier of a settled command. Polls; does not take context->lock. */
static bool frontier_passed(struct cx_command *command)
{
    unsigned timelines = cx_context_timelines(command->context);
    for (unsigned t = 0; t < timelines; t++)
        if (command->order.frontier[t] &&
            !cx_worker_done(&command->context->workers[t], command->order.frontier[t]))
            return false;
    return true;
}

/* Whether all that the command waits for is over, as far as is known. */
static bool may_run(const struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    for (unsigned t = 0; t < cx_context_timelines(command->context); t++)
        if (!cx_timeline_passed(&command->context->workers[t].timeline, awaited_on(command, t)))
            return false;
    return true;
}

/* The same of one that is settled, as drivers tell when asked. Its positions are
 * final, so the lock is not needed. */
static bool awaited_passed(struct cx_command *command) CX_UNCHECKED
{
    for (unsigned t = 0; t < cx_context_timelines(command->context); t++)
        if (!cx_worker_done(&command->context->workers[t], awaited_on(command, t)))
            return false;
    return true;
}

cl_int cx_command_stage(const struct cx_command *command)
{
    if (!command->queue)
        return command->user_status < 0 ? CL_COMPLETE : command->user_status;
    bool over = command->settled;
    for (unsigned t = 0; over && t < cx_context_timelines(command->context); t++)
        over = cx_timeline_passed(&command->context->workers[t].timeline, command->order.frontier[t]);
    if (over)
        return CL_COMPLETE;
    /* where memory is apart its jobs may run before what it waits for is over, which nobody shall see */
    if (atomic_load(&command->running.seen) && may_run(command))
        return CL_RUNNING;
    return command->settled || command->begun ? CL_SUBMITTED : CL_QUEUED;
}

cl_int cx_command_status(struct cx_command *command)
{
    cx_exit_guard_used();
    cx_context_lock(command->context);
    cl_int stage = command->queue ? cx_command_stage(command) : command->user_status;
    bool settled = command->settled;
    cx_context_unlock(command->context);
    if (!command->queue)
        return stage;
    if (!settled || !frontier_passed(command)) {
        if (settled && stage == CL_SUBMITTED && atomic_load(&command->running.seen) &&
            awaited_passed(command))
            stage = CL_RUNNING;
        return stage > CL_COMPLETE ? stage : CL_RUNNING;
    }
    cl_int error = atomic_load_explicit(&command->error, memory_order_acquire);
    return error < 0 ? error : CL_COMPLETE;
}

uint64_t cx_context_start(struct cx_context *context, const uint64_t *frontier, uint64_t skip)
{
    for (unsigned t = 0; t < context->nmembers; t++) {
        struct cx_worker *worker = &context->workers[t];
        /* one that has work to do is open, so that its driver was probed */
        if (atomic_load(&worker->timeline.submitted) >= frontier[t] || !worker->device->probe.synchronous ||
            skip >> t & 1)
            continue;
        if (skip)
            cx_worker_flush(worker);
        else
            skip = UINT64_C(1) << t;
    }
    return skip;
}

/* How long it takes at most until a wait notices what others did where nobody tells it. */
enum { NAP_MS = 5 };

void cx_context_await_settled(struct cx_context *context)
{
    bool any = false;
    if (!cx_thread_short()) {
        cx_context_wait(context, &context->settled);
        return;
    }
    for (unsigned t = 0; t < cx_context_timelines(context); t++) {
        struct cx_worker *worker = &context->workers[t];
        const uint64_t planned = worker->timeline.planned;
        cx_context_unlock(context);
        any |= atomic_load(&worker->timeline.completed) < planned;
        cx_worker_wait(worker, planned);
        cx_context_lock(context);
    }
    cx_context_unlock(context);
    any |= cx_callback_thread_help(false);
    const struct timespec until = cx_deadline(NAP_MS);
    cx_context_lock(context);
    if (!any)
        cx_context_wait_until(context, &context->settled, &until);
}

cl_int cx_command_wait(struct cx_command *command)
{
    struct cx_context *context = command->context;
    const uint64_t since = cx_trace_on() ? cx_clock_ns() : 0;
    cx_exit_guard_used();
    cx_context_lock(context);
    if (!command->settled) {
        cx_exit_guard_wait_begin();
        while (!command->settled)
            cx_context_await_settled(context);
        cx_exit_guard_wait_end();
    }
    cx_context_start(context, command->order.frontier, 0);
    cx_context_unlock(context);

    for (unsigned t = 0; t < cx_context_timelines(context); t++)
        if (command->order.frontier[t])
            cx_worker_wait(&context->workers[t], command->order.frontier[t]);
    cx_callback_thread_help(false);
    cx_trace_wait(context, "command", command->base.id, since);
    if (!command->queue && command->user_status < 0)
        return command->user_status;
    return atomic_load_explicit(&command->error, memory_order_acquire);
}

/* ---- handing over ---- */

void cx_command_hold(struct cx_command *command) CX_UNCHECKED
{
    command->order.blockers++;
}

void cx_command_resume(struct cx_command *command)
{
    if (--command->order.blockers == 0)
        push_ready(command->context, command);
}

void cx_command_unhold(struct cx_command *command)
{
    struct cx_context *context = command->context;
    cx_context_lock(context);
    cx_command_resume(command);
    cx_context_plan_and_unlock(context);
}

bool cx_command_hold_for(struct cx_command *command, void (*task)(void *command)) CX_UNCHECKED
{
    struct cx_command *held = cx_command_ref(command);

    cx_command_hold(command);
    if (cx_exit_guard_run(task, held)) /* drivers may compile in what it lets go: a process that ends waits */
        return true;
    command->order.blockers--;
    cx_command_unref(&held);
    return false;
}

/* Whether a command waits only for what stands in its wait list, or for more by the queue's order. */
static void link_command(struct cx_command *command, cl_uint nwait, const cl_event *list)
    CX_HOLDS(cx_context_locked)
{
    bool is_barrier = command->type == CL_COMMAND_BARRIER;
    bool all = nwait == 0 && (is_barrier || command->type == CL_COMMAND_MARKER);

    for (cl_uint i = 0; i < nwait; i++)
        cx_command_depend(command, cx_command_from(list[i]), true);
    if (command->queue)
        cx_queue_link(command->queue, command, all, is_barrier);
}

bool cx_command_blocks_here(const struct cx_command *command)
{
    return command && command == blocking.command && atomic_load(&command->parts) == 1;
}

bool cx_command_returns_here(const struct cx_command *command)
{
    return cx_command_blocks_here(command) && !blocking.event;
}

bool cx_command_maps_here(const struct cx_command *command)
{
    return command && command == blocking.command && command->type == CL_COMMAND_MAP_BUFFER &&
           atomic_load(&command->parts) == 2;
}

void cx_command_hand(struct cx_command *command)
{
    command->handed = true;
    command->error_heard = false;
}

cl_int cx_command_submit(struct cx_command **owned, cl_uint nwait, const cl_event *list, cl_event *event,
                         bool wait)
{
    struct cx_command *command = *owned;
    struct cx_context *context = command->context;
    cl_int error = CL_SUCCESS;
    *owned = NULL;

    if (command->queue && command->queue->role == CX_QUEUE_CHECK) {
        cx_object_release_app(&command->base);
        return CL_SUCCESS;
    }
    cx_exit_guard_used();
    command->error_heard = event || wait;
    cx_command_ref(command);
    cx_context_lock(context);
    link_command(command, nwait, list);
    if (event) /* only now: it may be a place in the list */
        *event = (cl_event)command;
    if (--command->order.blockers == 0)
        push_ready(context, command);
    else if (command->ops->waits)
        command->ops->waits(command);
    if (wait)
        blocking = (struct blocking){command, event != NULL};
    cx_context_plan_and_unlock(context);
    blocking = (struct blocking){NULL, false};
    if (wait)
        error = command->handed ? atomic_load(&command->error) : cx_command_wait(command);
    if (wait)
        cx_event_await_callbacks(context);
    if (wait && command->queue) { /* an error of its own tells of those before it, too */
        const cl_int before = cx_queue_tell(command->queue);
        error = error == CL_SUCCESS ? before : error;
    }
    if (!event)
        cx_object_release_app(&command->base);
    cx_command_unref(&command);
    return error;
}
