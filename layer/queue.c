/* SPDX-License-Identifier: MIT */
/*
 * Command queues: creation, queries, order, flush and finish.
 */
#include "layer/queue.h"
#include "layer/device.h"
#include "layer/entry.h"
#include "layer/log.h"

#include <stdlib.h>
#include <string.h>

void cx_queue_link(struct cx_queue *queue, struct cx_command *command, bool all, bool barrier)
{
    command->queue_number = queue->next_number++;
    if (queue->in_order) {
        if (queue->unsettled_tail)
            cx_command_depend(command, queue->unsettled_tail, false);
    } else {
        if (all)
            for (struct cx_command *other = queue->unsettled; other; other = other->queue_next)
                cx_command_depend(command, other, false);
        else if (queue->barrier)
            cx_command_depend(command, queue->barrier, false);
        cx_cone_raise(command->cone, all ? queue->cone : queue->barrier_cone,
                      cx_context_timelines(queue->context));
        if (barrier) {
            cx_command_unref(&queue->barrier);
            queue->barrier = cx_command_ref(command);
        }
    }
    command->queue_prev = queue->unsettled_tail;
    if (queue->unsettled_tail)
        queue->unsettled_tail->queue_next = command;
    else
        queue->unsettled = command;
    queue->unsettled_tail = command;
    cx_command_ref(command);
}

void cx_queue_settled(struct cx_queue *queue, struct cx_command *command)
{
    unsigned timelines = cx_context_timelines(queue->context);
    if (queue->in_order)
        cx_cone_raise(command->cone, queue->cone, timelines);
    cx_cone_raise(queue->cone, command->cone, timelines);
    if (queue->barrier == command) {
        cx_cone_raise(queue->barrier_cone, command->cone, timelines);
        cx_command_unref(&queue->barrier);
    }
    if (command->queue_prev)
        command->queue_prev->queue_next = command->queue_next;
    else
        queue->unsettled = command->queue_next;
    if (command->queue_next)
        command->queue_next->queue_prev = command->queue_prev;
    else
        queue->unsettled_tail = command->queue_prev;
    command->queue_prev = command->queue_next = NULL;
    struct cx_command *dropped = command;
    cx_command_unref(&dropped);
}

static void queue_destroy(struct cx_object *object)
{
    struct cx_queue *queue = (struct cx_queue *)object;
    struct cx_context *context = queue->context;
    struct cx_device *device = queue->device;
    free(queue->given);
    free(queue->cone);
    free(queue->barrier_cone);
    free(queue);
    cx_device_unref(&device);
    cx_context_unref(&context);
}

/* Which of the context's members the queue's device has. */
static void find_members(struct cx_queue *queue)
{
    const struct cx_context *context = queue->context;
    const struct cx_device *device = queue->device;
    for (unsigned m = 0; m < context->nmembers; m++)
        for (unsigned d = 0; d < device->nmembers; d++) {
            const struct cx_real_device *member = context->workers[m].device;
            if (member != device->members[d])
                continue;
            if (!queue->members ||
                member->nominal_gflops > context->workers[queue->fastest].device->nominal_gflops)
                queue->fastest = m;
            queue->members |= UINT64_C(1) << m;
        }
}

static struct cx_queue *queue_create(struct cx_context *context, struct cx_device *device,
                                     cl_command_queue_properties properties, const cl_queue_properties *given,
                                     size_t ngiven)
{
    unsigned timelines = cx_context_timelines(context);
    struct cx_queue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return NULL;
    cx_object_init(&queue->base, CX_TAG_QUEUE, queue_destroy);
    queue->context = cx_context_ref(context);
    queue->device = cx_device_ref(device);
    find_members(queue);
    queue->properties = properties;
    queue->in_order = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    queue->cone = calloc(timelines, sizeof(*queue->cone));
    queue->barrier_cone = calloc(timelines, sizeof(*queue->barrier_cone));
    queue->given = ngiven ? malloc(ngiven * sizeof(*given)) : NULL;
    if (!queue->cone || !queue->barrier_cone || (ngiven && !queue->given)) {
        cx_object_unref(&queue->base);
        return NULL;
    }
    if (ngiven)
        memcpy(queue->given, given, ngiven * sizeof(*given));
    queue->ngiven = ngiven;
    return queue;
}

static cl_command_queue create_checked(const char *function, cl_context handle, cl_device_id device_handle,
                                       cl_command_queue_properties properties,
                                       const cl_queue_properties *given, size_t ngiven, cl_int *errcode_ret)
{
    const cl_command_queue_properties known =
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    struct cx_context *context = cx_context_from(handle);
    struct cx_device *device = cx_device_from(device_handle);
    struct cx_queue *queue = NULL;
    cl_int error = CL_SUCCESS;

    if (!context)
        error = cx_fail(function, CL_INVALID_CONTEXT, "no context of ours");
    else if (!device || !cx_context_has_device(context, device))
        error = cx_fail(function, CL_INVALID_DEVICE, "not a device of the context");
    else if (properties & (CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT))
        error = cx_fail(function, CL_INVALID_QUEUE_PROPERTIES, "no queues on the device");
    else if (properties & ~known)
        error = cx_fail(function, CL_INVALID_VALUE, "unknown queue properties");
    else if (!(queue = queue_create(context, device, properties, given, ngiven)))
        error = cx_fail(function, CL_OUT_OF_HOST_MEMORY, "no memory for a queue");
    else if (!queue->members) {
        error = cx_fail(function, CL_DEVICE_NOT_AVAILABLE, "none of the device's members could be opened");
        cx_object_release_app(&queue->base);
        queue = NULL;
    }
    if (errcode_ret)
        *errcode_ret = error;
    return (cl_command_queue)queue;
}

cl_command_queue CL_API_CALL cx_clCreateCommandQueue(cl_context context, cl_device_id device,
                                                     cl_command_queue_properties properties,
                                                     cl_int *errcode_ret)
{
    return create_checked("clCreateCommandQueue", context, device, properties, NULL, 0, errcode_ret);
}

cl_command_queue CL_API_CALL cx_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                                   const cl_queue_properties *properties,
                                                                   cl_int *errcode_ret)
{
    cl_command_queue_properties flags = 0;
    size_t count = 0;
    if (properties) {
        for (; properties[count]; count += 2) {
            if (properties[count] == CL_QUEUE_PROPERTIES) {
                flags = (cl_command_queue_properties)properties[count + 1];
            } else {
                cl_int error = CX_FAIL(CL_INVALID_VALUE, "unknown queue property");
                if (errcode_ret)
                    *errcode_ret = error;
                return NULL;
            }
        }
        count++;
    }
    return create_checked("clCreateCommandQueueWithProperties", context, device, flags, properties, count,
                          errcode_ret);
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
    pthread_mutex_lock(&context->lock);
    queue->pushed = queue->next_number;
    pthread_mutex_unlock(&context->lock);
    for (unsigned t = 0; t < cx_context_timelines(context); t++) {
        pthread_mutex_lock(&context->lock);
        uint64_t seq = queue->cone[t];
        pthread_mutex_unlock(&context->lock);
        if (!seq)
            continue;
        if (watch)
            cx_worker_watch(&context->workers[t], seq);
        cx_worker_flush(&context->workers[t]);
    }
}

cl_int CL_API_CALL cx_clReleaseCommandQueue(cl_command_queue handle)
{
    struct cx_queue *queue = cx_queue_from(handle);
    if (!queue)
        return CX_FAIL(CL_INVALID_COMMAND_QUEUE, "no queue of ours");
    queue_push(queue, cx_object_app_refs(&queue->base) == 1);
    cx_object_release_app(&queue->base);
    return CL_SUCCESS;
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
        return cx_info_bytes(queue->given, queue->ngiven * sizeof(*queue->given), room, value, size_ret);
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
    queue_push(queue, false);
    return CL_SUCCESS;
}

/* Everything enqueued before must settle and then complete; what other threads enqueue meanwhile need not. */
cl_int CL_API_CALL cx_clFinish(cl_command_queue handle)
{
    struct cx_queue *queue = cx_queue_from(handle);
    if (!queue)
        return CX_FAIL(CL_INVALID_COMMAND_QUEUE, "no queue of ours");
    struct cx_context *context = queue->context;

    pthread_mutex_lock(&context->lock);
    uint64_t number = queue->next_number;
    while (queue->unsettled && queue->unsettled->queue_number < number)
        pthread_cond_wait(&context->settled, &context->lock);
    pthread_mutex_unlock(&context->lock);
    for (unsigned t = 0; t < cx_context_timelines(context); t++) {
        pthread_mutex_lock(&context->lock);
        uint64_t seq = queue->cone[t];
        pthread_mutex_unlock(&context->lock);
        if (seq)
            cx_worker_wait(&context->workers[t], seq);
    }
    return CL_SUCCESS;
}
