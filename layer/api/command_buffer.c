/* SPDX-License-Identifier: MIT */
/*
 * Command buffers: creation, queries, and the enqueue that replays them. Previous stage:
 * command_buffer_record.c. Next: start.h, by each replayed command.
 */
#include "layer/api/command_buffer.h"
#include "layer/base/log.h"

#include <stdlib.h>
#include <string.h>

/* An enqueued command buffer. */
struct replay {
    struct cx_command base;
    struct cx_command_buffer *buffer; /* a reference */
    struct cx_queue *inner;           /* orders the commands; a reference */
    /* The gate, which takes the program's wait list, and then the replayed commands; the program's references
     * to them, which it does not know of. */
    cl_event *events;
    unsigned count, settled;
    bool open;
};

/* ---- lifetime ---- */

static void buffer_destroy(struct cx_object *object)
{
    struct cx_command_buffer *buffer = (struct cx_command_buffer *)object;
    for (unsigned i = 0; i < buffer->ncommands; i++)
        cx_command_buffer_free_recorded(buffer->commands[i]);
    for (unsigned i = 0; i < buffer->nflying; i++)
        cx_command_unref(&buffer->flying[i]);
    free(buffer->commands);
    free(buffer->flying);
    free(buffer->given);
    cx_queue_unref(&buffer->queue);
    cx_queue_unref(&buffer->check);
    cx_lock_finish(&buffer->lock);
    free(buffer);
}

static cl_int read_properties(const char *function, const cl_command_buffer_properties_khr *list,
                              bool *simultaneous, size_t *count)
{
    bool given = false;
    *simultaneous = false;
    for (*count = 0; list && list[*count]; *count += 2) {
        const cl_command_buffer_flags_khr flags = list[*count + 1];
        if (list[*count] != CL_COMMAND_BUFFER_FLAGS_KHR || given)
            return cx_fail(function, CL_INVALID_VALUE, "an unknown property, or the same one twice");
        if (flags & ~(cl_command_buffer_flags_khr)CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR)
            return cx_fail(function, CL_INVALID_VALUE, "unknown flags");
        *simultaneous = flags != 0;
        given = true;
    }
    *count += list != NULL;
    return CL_SUCCESS;
}

static struct cx_command_buffer *buffer_create(struct cx_queue *queue,
                                               const cl_command_buffer_properties_khr *given, size_t ngiven)
{
    struct cx_command_buffer *buffer = calloc(1, sizeof(*buffer));
    if (!buffer)
        return NULL;
    cx_object_init(&buffer->base, CX_TAG_COMMAND_BUFFER, buffer_destroy);
    cx_lock_init(&buffer->lock, CX_RANK_COMMAND_BUFFER);
    buffer->queue = cx_queue_ref(queue);
    buffer->check = cx_queue_like(queue, CX_QUEUE_CHECK);
    buffer->given = ngiven ? malloc(ngiven * sizeof(*given)) : NULL;
    if (!buffer->check || (ngiven && !buffer->given)) {
        cx_command_buffer_unref(&buffer);
        return NULL;
    }
    if (ngiven)
        memcpy(buffer->given, given, ngiven * sizeof(*given));
    buffer->ngiven = ngiven;
    return buffer;
}

cl_command_buffer_khr CL_API_CALL
cx_clCreateCommandBufferKHR(cl_uint count, const cl_command_queue *queues,
                            const cl_command_buffer_properties_khr *properties, cl_int *errcode_ret)
{
    struct cx_command_buffer *buffer = NULL;
    struct cx_queue *queue = NULL;
    bool simultaneous;
    size_t ngiven;
    cl_int error = CL_SUCCESS;
    if (count != 1 || !queues)
        error = CX_FAIL(CL_INVALID_VALUE, "not one queue");
    else if (!(queue = cx_queue_from(queues[0])))
        error = CX_FAIL(CL_INVALID_COMMAND_QUEUE, "no queue of ours");
    else if ((error = read_properties(__func__ + 3, properties, &simultaneous, &ngiven)) != CL_SUCCESS)
        buffer = NULL;
    else if (!(buffer = buffer_create(queue, properties, ngiven)))
        error = CX_FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for a command buffer");
    else
        buffer->simultaneous = simultaneous;
    if (errcode_ret)
        *errcode_ret = error;
    return (cl_command_buffer_khr)buffer;
}

cl_int CL_API_CALL cx_clRetainCommandBufferKHR(cl_command_buffer_khr handle)
{
    struct cx_command_buffer *buffer = cx_command_buffer_from(handle);
    if (!buffer)
        return CX_FAIL(CL_INVALID_COMMAND_BUFFER_KHR, "no command buffer of ours");
    cx_object_retain_app(&buffer->base);
    return CL_SUCCESS;
}

cl_int CL_API_CALL cx_clReleaseCommandBufferKHR(cl_command_buffer_khr handle)
{
    struct cx_command_buffer *buffer = cx_command_buffer_from(handle);
    if (!buffer || !cx_object_release_app(&buffer->base))
        return CX_FAIL(CL_INVALID_COMMAND_BUFFER_KHR, "no command buffer of ours, or released already");
    return CL_SUCCESS;
}

cl_int CL_API_CALL cx_clFinalizeCommandBufferKHR(cl_command_buffer_khr handle)
{
    struct cx_command_buffer *buffer = cx_command_buffer_from(handle);
    if (!buffer)
        return CX_FAIL(CL_INVALID_COMMAND_BUFFER_KHR, "no command buffer of ours");
    cx_lock(&buffer->lock);
    const bool before = buffer->finalized;
    buffer->finalized = true;
    cx_unlock(&buffer->lock);
    return before ? CX_FAIL(CL_INVALID_OPERATION, "finalized before") : CL_SUCCESS;
}

/* Enqueues that are over leave the list. buffer->lock held. */
static void tidy_flying(struct cx_command_buffer *buffer)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < buffer->nflying; i++) {
        if (cx_command_status(buffer->flying[i]) > CL_COMPLETE)
            buffer->flying[kept++] = buffer->flying[i];
        else
            cx_command_unref(&buffer->flying[i]);
    }
    buffer->nflying = kept;
}

static cl_command_buffer_state_khr state_of(struct cx_command_buffer *buffer)
{
    cx_lock(&buffer->lock);
    const cl_command_buffer_state_khr state =
        buffer->finalized ? CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR : CL_COMMAND_BUFFER_STATE_RECORDING_KHR;
    cx_unlock(&buffer->lock);
    return state;
}

cl_int CL_API_CALL cx_clGetCommandBufferInfoKHR(cl_command_buffer_khr handle, cl_command_buffer_info_khr name,
                                                size_t room, void *value, size_t *size_ret)
{
    struct cx_command_buffer *buffer = cx_command_buffer_from(handle);
    if (!buffer)
        return CX_FAIL(CL_INVALID_COMMAND_BUFFER_KHR, "no command buffer of ours");
    switch (name) {
    case CL_COMMAND_BUFFER_NUM_QUEUES_KHR:
        return CX_INFO(cl_uint, 1, room, value, size_ret);
    case CL_COMMAND_BUFFER_QUEUES_KHR:
        return CX_INFO(cl_command_queue, (cl_command_queue)buffer->queue, room, value, size_ret);
    case CL_COMMAND_BUFFER_CONTEXT_KHR:
        return CX_INFO(cl_context, (cl_context)buffer->queue->context, room, value, size_ret);
    case CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR:
        return CX_INFO(cl_uint, cx_object_app_refs(&buffer->base), room, value, size_ret);
    case CL_COMMAND_BUFFER_STATE_KHR:
        return CX_INFO(cl_command_buffer_state_khr, state_of(buffer), room, value, size_ret);
    case CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR:
        return cx_object_info_bytes(buffer->given, buffer->ngiven * sizeof(*buffer->given), room, value,
                                    size_ret);
    default:
        return CX_FAIL(CL_INVALID_VALUE, "unknown query");
    }
}

/* ---- the enqueue ---- */

static struct cx_command *event_at(const struct replay *replay, unsigned i)
{
    return (struct cx_command *)replay->events[i];
}

static void drop(struct cx_command *command)
{
    struct replay *replay = (struct replay *)command;
    for (unsigned i = 0; i < replay->count; i++)
        cx_object_release_app(&event_at(replay, i)->base);
    free(replay->events);
    replay->events = NULL;
    replay->count = 0;
    cx_queue_unref(&replay->inner);
    cx_command_buffer_unref(&replay->buffer);
}

/* Of the gate and the replayed commands, those that do nothing but wait. All are settled. */
static unsigned count_idle(const struct replay *replay)
{
    unsigned idle = 0;
    for (unsigned i = 0; i < replay->count; i++)
        idle += atomic_load(&event_at(replay, i)->idle);
    return idle;
}

/* The gate opens when the program's queue has come to this command, which is then planned again until all
 * that it replays is settled. It was submitted when the gate was. */
static void plan_replay(struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    struct replay *replay = (struct replay *)command;
    struct cx_queue *queue = command->queue;
    const unsigned timelines = cx_context_timelines(command->context);
    if (!replay->open) {
        struct cx_command *gate = event_at(replay, 0);
        replay->open = true;
        replay->inner->last_member = queue->last_member;
        cx_command_frontier_raise(gate->order.frontier, command->order.frontier, timelines);
        if (queue->in_order)
            cx_command_frontier_raise(gate->order.frontier, queue->frontier, timelines);
        cx_command_frontier_raise(command->order.before, gate->order.frontier, timelines);
        command->order.own = UINT64_MAX; /* its parts may have jobs anywhere */
        cx_command_starts_after(command);
        cx_command_resume(gate);
    }
    for (; replay->settled < replay->count; replay->settled++) {
        struct cx_command *part = event_at(replay, replay->settled);
        if (!part->settled) {
            cx_command_block_on(command, part);
            return;
        }
        cx_command_frontier_raise(command->order.frontier, part->order.frontier, timelines);
        /* jobs under way add theirs; where none are, this may be over before the part's end is told */
        cx_command_times(command, atomic_load(&part->times.start_ns), atomic_load(&part->times.end_ns));
    }
    queue->last_member = replay->inner->last_member;
    for (unsigned i = 0; i < replay->count; i++)
        if (atomic_load(&event_at(replay, i)->error) < 0) {
            cx_command_fail(command, atomic_load(&event_at(replay, i)->error));
            return;
        }
    const uint64_t submit_ns =
        atomic_load(&event_at(replay, 0)->times.submit_ns); /* the events may be gone then */
    const unsigned idle = count_idle(replay), all = replay->count;
    cx_command_settle(command);
    atomic_store(&command->times.submit_ns, submit_ns);
    atomic_store(&command->idle, idle == all);
    if (idle > 1 || idle == all)
        cx_command_ends_with(command);
}

/* Without CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR the enqueues of a buffer run one after the other, on
 * whatever queues. */
static void follow_flying(const struct cx_command_buffer *buffer, struct cx_command *gate)
{
    if (buffer->simultaneous)
        return;
    cx_context_lock(gate->context);
    for (unsigned i = 0; i < buffer->nflying; i++)
        cx_command_depend(gate, buffer->flying[i], false);
    cx_context_plan_and_unlock(gate->context);
}

static const char trace_name[] = "command buffer";

static const struct cx_command_ops gate_ops = {.plan = cx_command_settle};

/* The gate, and behind it all commands. Nothing of it runs yet. */
static cl_int replay_commands(struct replay *replay, cl_uint nwait, const cl_event *list)
{
    const struct cx_command_buffer *buffer = replay->buffer;
    struct cx_command *gate = cx_command_new(buffer->queue->context, replay->inner, sizeof(*gate),
                                             CL_COMMAND_COMMAND_BUFFER_KHR, &gate_ops);
    replay->events = calloc(buffer->ncommands + 1, sizeof(cl_event));
    if (!gate || !replay->events) {
        if (gate)
            cx_object_release_app(&gate->base);
        return CL_OUT_OF_HOST_MEMORY;
    }
    gate->name = trace_name;
    cx_command_hold(gate);
    follow_flying(buffer, gate);
    cx_command_submit(&gate, nwait, list, &replay->events[replay->count++], false);
    for (unsigned i = 0; i < buffer->ncommands; i++, replay->count++) {
        cl_int error =
            cx_command_buffer_enqueue_recorded(buffer->commands[i], replay->inner, replay->events[0],
                                               replay->events + 1, &replay->events[i + 1]);
        if (error != CL_SUCCESS)
            return error;
    }
    return CL_SUCCESS;
}

/* What was replayed so far fails. */
static void give_up(struct replay *replay, cl_int error)
{
    if (replay->count) {
        struct cx_command *gate = event_at(replay, 0);
        cx_context_lock(gate->context);
        gate->order.dep_error = error;
        cx_command_resume(gate);
        cx_context_plan_and_unlock(gate->context);
    }
    cx_object_release_app(&replay->base.base);
}

/* Errors of the parts are the command's, and it is over when they are. */
static void take_parts(struct replay *replay)
{
    atomic_fetch_add(&replay->base.parts, replay->count - 1);
    for (unsigned i = 1; i < replay->count; i++)
        event_at(replay, i)->whole = cx_command_ref(&replay->base);
}

static bool note_flying(struct cx_command_buffer *buffer, struct cx_command *command)
{
    if (buffer->nflying == buffer->room_flying) {
        const unsigned room = buffer->room_flying ? 2 * buffer->room_flying : 4;
        struct cx_command **grown = realloc(buffer->flying, room * sizeof(struct cx_command *));
        if (!grown)
            return false;
        buffer->flying = grown;
        buffer->room_flying = room;
    }
    buffer->flying[buffer->nflying++] = cx_command_ref(command);
    return true;
}

static const struct cx_command_ops replay_ops = {.plan = plan_replay, .drop = drop};

/* buffer->lock held. */
static cl_int enqueue(struct cx_command_buffer *buffer, struct cx_queue *queue, cl_uint nwait,
                      const cl_event *list, cl_event *event)
{
    struct replay *replay = (struct replay *)cx_command_new(queue->context, queue, sizeof(*replay),
                                                            CL_COMMAND_COMMAND_BUFFER_KHR, &replay_ops);
    if (!replay)
        return CL_OUT_OF_HOST_MEMORY;
    replay->base.name = trace_name;
    replay->buffer = cx_command_buffer_ref(buffer);
    replay->inner = cx_queue_like(queue, CX_QUEUE_REPLAY);
    cl_int error = replay->inner ? replay_commands(replay, nwait, list) : CL_OUT_OF_HOST_MEMORY;
    if (error == CL_SUCCESS && !note_flying(buffer, &replay->base))
        error = CL_OUT_OF_HOST_MEMORY;
    if (error != CL_SUCCESS) {
        give_up(replay, error);
        return error;
    }
    take_parts(replay);
    struct cx_command *command = &replay->base;
    return cx_command_submit(&command, 0, NULL, event, false);
}

/* Where the buffer is to run: where it was made for, or on a queue like that one. */
static cl_int find_queue(const char *function, const struct cx_command_buffer *buffer, cl_uint count,
                         cl_command_queue *queues, struct cx_queue **queue)
{
    *queue = buffer->queue;
    if ((count == 0) != (queues == NULL) || count > 1)
        return cx_fail(function, CL_INVALID_VALUE, "not as many queues as at its creation");
    if (!queues)
        return CL_SUCCESS;
    if (!(*queue = cx_queue_from(queues[0])))
        return cx_fail(function, CL_INVALID_COMMAND_QUEUE, "no queue of ours");
    if ((*queue)->context != buffer->queue->context)
        return cx_fail(function, CL_INVALID_CONTEXT, "queue and command buffer are of different contexts");
    if ((*queue)->device != buffer->queue->device || (*queue)->properties != buffer->queue->properties)
        return cx_fail(function, CL_INCOMPATIBLE_COMMAND_QUEUE_KHR, "not like the queue of its creation");
    return CL_SUCCESS;
}

cl_int CL_API_CALL cx_clEnqueueCommandBufferKHR(cl_uint count, cl_command_queue *queues,
                                                cl_command_buffer_khr handle, cl_uint nwait,
                                                const cl_event *list, cl_event *event)
{
    struct cx_command_buffer *buffer = cx_command_buffer_from(handle);
    struct cx_queue *queue;
    if (!buffer)
        return CX_FAIL(CL_INVALID_COMMAND_BUFFER_KHR, "no command buffer of ours");
    cl_int error = find_queue(__func__ + 3, buffer, count, queues, &queue);
    if (error == CL_SUCCESS &&
        (error = cx_command_wait_list_check(queue->context, nwait, list)) != CL_SUCCESS)
        CX_FAIL(error, "the wait list");
    if (error != CL_SUCCESS)
        return error;
    cx_lock(&buffer->lock);
    if (!buffer->finalized)
        error = CX_FAIL(CL_INVALID_OPERATION, "the command buffer is not finalized");
    else {
        tidy_flying(buffer);
        error = enqueue(buffer, queue, nwait, list, event);
    }
    cx_unlock(&buffer->lock);
    return error;
}
