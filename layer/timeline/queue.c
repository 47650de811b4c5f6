/* SPDX-License-Identifier: MIT */
/*
 * Command queues: creation, queries, order, flush and finish.
 */
#include "layer/timeline/queue.h"
#include "layer/base/exit_guard.h"
#include "layer/object/device.h"
#include "layer/base/entry.h"
#include "layer/base/log.h"
#include "layer/base/callback_thread.h"
#include "layer/report/trace.h"
#include "layer/timeline/trace_command.h"

#include <CL/cl_ext.h>
#include <stdlib.h>
#include <string.h>

void cx_queue_link(struct cx_queue *queue, struct cx_command *command, bool all, bool barrier)
{
    command->in_queue.number = queue->next_number++;
    if (queue->in_order) {
        if (queue->unsettled_tail)
            cx_command_depend(command, queue->unsettled_tail, false);
    } else {
        if (all)
            for (struct cx_command *other = queue->unsettled; other; other = other->in_queue.next)
                cx_command_depend(command, other, false);
        else if (queue->barrier)
            cx_command_depend(command, queue->barrier, false);
        cx_command_frontier_raise(command->order.frontier, all ? queue->frontier : queue->barrier_frontier,
                                  cx_command_frontier_size(queue->context));
        if (barrier) {
            cx_command_unref(&queue->barrier);
            queue->barrier = cx_command_ref(command);
        }
    }
    command->in_queue.prev = queue->unsettled_tail;
    if (queue->unsettled_tail)
        queue->unsettled_tail->in_queue.next = command;
    else
        queue->unsettled = command;
    queue->unsettled_tail = command;
    cx_command_ref(command);
}

void cx_queue_settled(struct cx_queue *queue, struct cx_command *command)
{
    const unsigned size = cx_command_frontier_size(queue->context),
                   timelines = cx_context_timelines(queue->context);
    if (queue->in_order)
        cx_command_frontier_raise(command->order.frontier, queue->frontier, size);
    if (!command->inside)
        cx_command_frontier_raise(command->order.frontier + timelines, command->order.frontier, timelines);
    cx_command_frontier_raise(queue->frontier, command->order.frontier, size);
    if (queue->barrier == command) {
        cx_command_frontier_raise(queue->barrier_frontier, command->order.frontier, size);
        cx_command_unref(&queue->barrier);
    }
    if (command->in_queue.prev)
        command->in_queue.prev->in_queue.next = command->in_queue.next;
    else
        queue->unsettled = command->in_queue.next;
    if (command->in_queue.next)
        command->in_queue.next->in_queue.prev = command->in_queue.prev;
    else
        queue->unsettled_tail = command->in_queue.prev;
    command->in_queue.prev = command->in_queue.next = NULL;
    struct cx_command *dropped = command;
    cx_command_unref(&dropped);
}

/* Nobody has the queue any more, so the lock is not taken. */
static void queue_destroy(struct cx_object *object) CX_UNCHECKED
{
    struct cx_queue *queue = (struct cx_queue *)object;
    struct cx_context *context = queue->context;
    struct cx_device *device = queue->device;
    if (queue->role == CX_QUEUE_PROGRAM)
        atomic_fetch_sub(&context->nqueues, 1);
    free(queue->given);
    free(queue->frontier);
    free(queue->barrier_frontier);
    free(queue);
    cx_device_unref(&device);
    cx_context_unref(&context);
}

/* Which of the context's members the queue's device has. */
static void find_members(struct cx_queue *queue)
{
    const struct cx_worker *workers = queue->context->workers;

    queue->members = cx_context_members(queue->context, queue->device);
    queue->fastest = queue->members ? (unsigned)__builtin_ctzll(queue->members) : 0;
    for (unsigned m = queue->fastest; m < queue->context->nmembers; m++)
        if (cx_queue_takes(queue, m) &&
            workers[m].device->nominal_gflops > workers[queue->fastest].device->nominal_gflops)
            queue->fastest = m;
}

/* The queue is new, so the lock is not taken. */
static struct cx_queue *queue_new(struct cx_context *context, struct cx_device *device,
                                  cl_command_queue_properties properties,
                                  enum cx_queue_role role) CX_UNCHECKED
{
    const unsigned size = cx_command_frontier_size(context);
    struct cx_queue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return NULL;
    cx_object_init(&queue->base, CX_TAG_QUEUE, queue_destroy);
    queue->role = role;
    queue->context = cx_context_ref(context);
    queue->device = cx_device_ref(device);
    find_members(queue);
    if (role == CX_QUEUE_PROGRAM)
        atomic_fetch_add(&context->nqueues, 1);
    queue->properties = properties;
    queue->in_order = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    queue->frontier = calloc(size, sizeof(*queue->frontier));
    queue->barrier_frontier = calloc(size, sizeof(*queue->barrier_frontier));
    if (!queue->frontier || !queue->barrier_frontier) {
        cx_object_unref(&queue->base);
        return NULL;
    }
    return queue;
}

static struct cx_queue *queue_create(struct cx_context *context, struct cx_device *device,
                                     cl_command_queue_properties properties, const cl_queue_properties *given,
                                     size_t ngiven)
{
    struct cx_queue *queue = queue_new(context, device, properties, CX_QUEUE_PROGRAM);
    if (!queue)
        return NULL;
    cx_trace_queue(queue);
    queue->given = ngiven ? malloc(ngiven * sizeof(*given)) : NULL;
    if (ngiven && !queue->given) {
        cx_object_unref(&queue->base);
        return NULL;
    }
    if (ngiven)
        memcpy(queue->given, given, ngiven * sizeof(*given));
    queue->ngiven = ngiven;
    return queue;
}

struct cx_queue *cx_queue_like(const struct cx_queue *queue, enum cx_queue_role role)
{
    struct cx_queue *like = queue_new(queue->context, queue->device, queue->properties, role);
    if (like)
        like->trace_row = queue->trace_row;
    return like;
}

/* What a list of properties asks for. */
struct wish {
    cl_command_queue_properties flags;
    cl_queue_properties size, priority, throttle; /* 0: not given */
};

/* A hint is one of its three values. */
static bool hint_valid(cl_queue_properties hint)
{
    return hint == CL_QUEUE_PRIORITY_HIGH_KHR || hint == CL_QUEUE_PRIORITY_MED_KHR ||
           hint == CL_QUEUE_PRIORITY_LOW_KHR;
}

/* Reads the list; *count with the closing 0. */
static cl_int read_properties(const char *function, const cl_queue_properties *list, struct wish *wish,
                              size_t *count)
{
    for (*count = 0; list && list[*count]; *count += 2) {
        cl_queue_properties value = list[*count + 1];
        switch (list[*count]) {
        case CL_QUEUE_PROPERTIES:
            wish->flags = (cl_command_queue_properties)value;
            break;
        case CL_QUEUE_SIZE:
            wish->size = value ? value : 1;
            break;
        case CL_QUEUE_PRIORITY_KHR:
            wish->priority = value;
            if (!hint_valid(value))
                return cx_fail(function, CL_INVALID_VALUE, "no such priority");
            break;
        case CL_QUEUE_THROTTLE_KHR:
            wish->throttle = value;
            if (!hint_valid(value))
                return cx_fail(function, CL_INVALID_VALUE, "no such throttle level");
            break;
        default:
            return cx_fail(function, CL_INVALID_VALUE, "unknown queue property");
        }
    }
    *count += list != NULL;
    return CL_SUCCESS;
}

/* What is no valid list at all, before what this device does not offer. */
static cl_int check_wish(const char *function, const struct cx_device *device, const struct wish *wish)
{
    const cl_command_queue_properties host =
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    bool on_device = wish->flags & CL_QUEUE_ON_DEVICE;
    if (wish->flags & ~(host | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT))
        return cx_fail(function, CL_INVALID_VALUE, "unknown queue properties");
    if (on_device && !(wish->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
        return cx_fail(function, CL_INVALID_VALUE, "a queue on the device that is not out of order");
    if (!on_device && (wish->size || wish->flags & CL_QUEUE_ON_DEVICE_DEFAULT))
        return cx_fail(function, CL_INVALID_VALUE, "what only a queue on the device has");
    if (on_device)
        return cx_fail(function, CL_INVALID_QUEUE_PROPERTIES, "no queues on the device");
    if ((wish->priority && !cx_device_has_extension(device->extensions, "cl_khr_priority_hints")) ||
        (wish->throttle && !cx_device_has_extension(device->extensions, "cl_khr_throttle_hints")))
        return cx_fail(function, CL_INVALID_QUEUE_PROPERTIES, "the device knows no such hints");
    return CL_SUCCESS;
}

static void pass_hints(struct cx_queue *queue, const struct wish *wish)
{
    struct cx_context *context = queue->context;
    if (!wish->priority && !wish->throttle)
        return;
    cx_context_lock(context);
    for (unsigned m = 0; m < context->nmembers; m++)
        if (cx_queue_takes(queue, m))
            cx_worker_hint(&context->workers[m], wish->priority, wish->throttle);
    cx_context_unlock(context);
}

static cl_command_queue create_checked(const char *function, cl_context handle, cl_device_id device_handle,
                                       const struct wish *wish, const cl_queue_properties *given,
                                       size_t ngiven, cl_int *errcode_ret)
{
    struct cx_context *context = cx_context_from(handle);
    struct cx_device *device = cx_device_from(device_handle);
    struct cx_queue *queue = NULL;
    cl_int error = CL_SUCCESS;

    if (!context)
        error = cx_fail(function, CL_INVALID_CONTEXT, "no context of ours");
    else if (!device || !cx_context_has_device(context, device))
        error = cx_fail(function, CL_INVALID_DEVICE, "not a device of the context");
    else if ((error = check_wish(function, device, wish)) != CL_SUCCESS)
        queue = NULL;
    else if (!(queue = queue_create(context, device, wish->flags, given, ngiven)))
        error = cx_fail(function, CL_OUT_OF_HOST_MEMORY, "no memory for a queue");
    else if (!queue->members) {
        error = cx_fail(function, CL_DEVICE_NOT_AVAILABLE, "none of the device's members could be opened");
        cx_object_release_app(&queue->base);
        queue = NULL;
    } else {
        pass_hints(queue, wish);
    }
    if (errcode_ret)
        *errcode_ret = error;
    return (cl_command_queue)queue;
}

cl_command_queue CL_API_CALL cx_clCreateCommandQueue(cl_context context, cl_device_id device,
                                                     cl_command_queue_properties properties,
                                                     cl_int *errcode_ret)
{
    const struct wish wish = {.flags = properties};
    return create_checked("clCreateCommandQueue", context, device, &wish, NULL, 0, errcode_ret);
}

cl_command_queue CL_API_CALL cx_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                                   const cl_queue_properties *properties,
                                                                   cl_int *errcode_ret)
{
    const char *function = "clCreateCommandQueueWithProperties";
    struct wish wish = {0};
    size_t count;
    cl_int error = read_properties(function, properties, &wish, &count);
    if (error == CL_SUCCESS)
        return create_checked(function, context, device, &wish, properties, count, errcode_ret);
    if (errcode_ret)
        *errcode_ret = error;
    return NULL;
}

cl_int CL_API_CALL cx_clSetCommandQueueProperty(cl_command_queue handle,
                                                cl_command_queue_properties properties, cl_bool enable,
                                                cl_command_queue_properties *old)
{
    struct cx_queue *queue = cx_queue_from(handle);
    if (!queue)
        return CX_FAIL(CL_INVALID_COMMAND_QUEUE, "no queue of ours");
    return CX_FAIL(CL_INVALID_OPERATION, "queue properties cannot change since OpenCL 1.1");
}

cl_int CL_API_CALL cx_clRetainCommandQueue(cl_command_queue handle)
{
    struct cx_queue *queue = cx_queue_from(handle);
    if (!queue)
        return CX_FAIL(CL_INVALID_COMMAND_QUEUE, "no queue of ours");
    cx_object_retain_app(&queue->base);
    return CL_SUCCESS;
}

/* Hands all that was settled to the devices and lets the workers see to its end. */
static void queue_push(struct cx_queue *queue, bool watch)
{
    struct cx_context *context = queue->context;
    cx_context_lock(context);
    queue->pushed = queue->next_number;
    cx_context_unlock(context);
    for (unsigned t = 0; t < cx_context_timelines(context); t++) {
        cx_context_lock(context);
        uint64_t seq = queue->frontier[t];
        cx_context_unlock(context);
        if (!seq)
            continue;
        if (watch)
            cx_worker_watch(&context->workers[t], seq);
        cx_worker_flush(&context->workers[t]);
        cx_worker_stand_in(&context->workers[t], seq);
    }
    cx_callback_thread_help(false);
}

cl_int CL_API_CALL cx_clReleaseCommandQueue(cl_command_queue handle)
{
    struct cx_queue *queue = cx_queue_from(handle);
    if (!queue)
        return CX_FAIL(CL_INVALID_COMMAND_QUEUE, "no queue of ours");
    cx_queue_ref(queue);
    const bool released = cx_object_release_app(&queue->base);
    if (released)
        queue_push(queue, cx_object_app_refs(&queue->base) == 0);
    cx_queue_unref(&queue);
    return released ? CL_SUCCESS : CX_FAIL(CL_INVALID_COMMAND_QUEUE, "released already");
}

cl_int CL_API_CALL cx_clGetCommandQueueInfo(cl_command_queue handle, cl_command_queue_info name, size_t room,
                                            void *value, size_t *size_ret)
{
    const struct cx_queue *queue = cx_queue_from(handle);
    if (!queue)
        return CX_FAIL(CL_INVALID_COMMAND_QUEUE, "no queue of ours");
    switch (name) {
    case CL_QUEUE_CONTEXT:
        return CX_INFO(cl_context, (cl_context)queue->context, room, value, size_ret);
    case CL_QUEUE_DEVICE:
        return CX_INFO(cl_device_id, (cl_device_id)queue->device, room, value, size_ret);
    case CL_QUEUE_REFERENCE_COUNT:
        return CX_INFO(cl_uint, cx_object_app_refs(&queue->base), room, value, size_ret);
    case CL_QUEUE_PROPERTIES:
        return CX_INFO(cl_command_queue_properties, queue->properties, room, value, size_ret);
    case CL_QUEUE_DEVICE_DEFAULT:
        return CX_INFO(cl_command_queue, NULL, room, value, size_ret);
    case CL_QUEUE_PROPERTIES_ARRAY:
        return cx_object_info_bytes(queue->given, queue->ngiven * sizeof(*queue->given), room, value,
                                    size_ret);
    case CL_QUEUE_SIZE:
        return CX_FAIL(CL_INVALID_COMMAND_QUEUE, "not a queue on the device");
    default:
        return CX_FAIL(CL_INVALID_VALUE, "unknown query");
    }
}

cl_int CL_API_CALL cx_clFlush(cl_command_queue handle)
{
    struct cx_queue *queue = cx_queue_from(handle);
    if (!queue)
        return CX_FAIL(CL_INVALID_COMMAND_QUEUE, "no queue of ours");
    cx_exit_guard_used();
    queue_push(queue, false);
    return CL_SUCCESS;
}

/* Everything enqueued before must settle and then complete; what other threads enqueue meanwhile need not. */
void cx_queue_failed(struct cx_queue *queue, cl_int error)
{
    int none = CL_SUCCESS;
    atomic_compare_exchange_strong(&queue->unreported_error, &none, error);
}

cl_int cx_queue_tell(struct cx_queue *queue)
{
    cl_int error = CL_SUCCESS;
    if (atomic_load_explicit(&queue->unreported_error, memory_order_acquire) != CL_SUCCESS)
        error = atomic_exchange(&queue->unreported_error, CL_SUCCESS);
    return error == CL_SUCCESS ? CL_SUCCESS
                               : cx_fail("queue", CL_OUT_OF_RESOURCES, "a command without an event failed");
}

cl_int CL_API_CALL cx_clFinish(cl_command_queue handle)
{
    struct cx_queue *queue = cx_queue_from(handle);
    if (!queue)
        return CX_FAIL(CL_INVALID_COMMAND_QUEUE, "no queue of ours");
    struct cx_context *context = queue->context;
    const uint64_t since = cx_trace_on() ? cx_clock_ns() : 0;

    cx_context_lock(context);
    uint64_t number = queue->next_number;
    cx_exit_guard_wait_begin();
    while (queue->unsettled && queue->unsettled->in_queue.number < number)
        cx_context_await_settled(context);
    cx_exit_guard_wait_end();
    if (!queue->in_order)
        cx_context_start(context, queue->frontier, 0);
    cx_context_unlock(context);
    for (unsigned t = 0; t < cx_context_timelines(context); t++) {
        cx_context_lock(context);
        uint64_t seq = queue->frontier[t];
        cx_context_unlock(context);
        if (seq)
            cx_worker_wait(&context->workers[t], seq);
    }
    cx_callback_thread_help(false);
    cx_event_await_callbacks(context);
    cx_trace_wait(context, "queue", queue->base.id, since);
    return cx_queue_tell(queue);
}
