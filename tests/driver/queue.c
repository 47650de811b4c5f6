/* SPDX-License-Identifier: MIT */
/*
 * Stub driver: queues. Commands of a queue run one after the other, in the order they came, each once its
 * wait list is complete: in the queue's own thread (STUB_ASYNC=1), else in whatever thread calls the driver
 * next.
 */
#include "calls.h"
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct stub_queue *all_queues; /* stub_lock guards the list */

/* The queue's thread frees it, so that the last reference may die there too. */
static void queue_destroy(struct stub_object *object)
{
    struct stub_queue *queue = (struct stub_queue *)object;
    bool threaded = queue->threaded;
    stub_object_unref(&queue->context->base);
    pthread_mutex_lock(&stub_lock);
    struct stub_queue **link = &all_queues;
    while (*link != queue)
        link = &(*link)->next;
    *link = queue->next;
    queue->stop = true;
    pthread_cond_signal(&queue->moved);
    pthread_mutex_unlock(&stub_lock);
    if (!threaded)
        free(queue);
}

/* Whether the head's wait list is complete; *code tells of a failed one. The caller holds the lock. */
static bool head_ready(const struct stub_queue *queue, cl_int *code)
{
    *code = CL_SUCCESS;
    if (!queue->head || queue->running)
        return false;
    for (cl_uint i = 0; i < queue->head->nwaits; i++) {
        cl_int status = queue->head->waits[i]->status;
        if (status > CL_COMPLETE)
            return false;
        if (status < 0)
            *code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    return true;
}

static struct stub_command *take_head(struct stub_queue *queue)
{
    struct stub_command *command = queue->head;
    queue->head = command->next;
    if (!queue->head)
        queue->tail = NULL;
    queue->running = true;
    return command;
}

/* A transfer over the link, or a copy, takes its time. */
static void take_time(const struct stub_command *command)
{
    const unsigned device = command->queue->device->index;
    const bool crosses = command->from.host || command->to.host;
    const bool within = command->from.mem && command->to.mem;
    const double speed = stub_config_number(within ? "STUB_WITHIN" : "STUB_LINK", device, 0);
    double bytes = 1;
    for (unsigned d = 0; d < 3; d++)
        bytes *= (double)command->region[d];
    if (speed > 0 && (within || (crosses && !command->queue->device->in_place)))
        stub_sleep((cl_ulong)(bytes * 1000 / speed));
}

/* Until a read from a device is over that was not when there were so many, or for 20 s. */
static void await_read(unsigned device, unsigned reads)
{
    unsigned waited = 0;
    for (; waited < 20000 && atomic_load(&stub_device_get(device)->reads) == reads; waited++)
        stub_sleep(1000000u);
    if (waited == 20000)
        fprintf(stderr, "stub: no read from device %u came\n", device);
}

static void run_command(struct stub_command *command, cl_int code)
{
    const char *gate = command->launch ? stub_config_text("STUB_GATE", "") : "";
    const cl_ulong start = stub_now();
    stub_event_set(command->event, CL_RUNNING);
    while (*gate && access(gate, F_OK) == 0)
        stub_sleep(1000000u);
    while (command->hang_ms < 0)
        stub_sleep(1000000000u);
    if (command->hang_ms)
        stub_sleep((cl_ulong)command->hang_ms * 1000000u);
    if (!code)
        code = command->event_code;
    if (!code && command->run)
        code = command->run(command);
    take_time(command);
    if (command->home)
        await_read(command->home - 1, command->reads);
    stub_timeline(command, start, stub_now());
    if (command->event->type == CL_COMMAND_READ_BUFFER)
        atomic_fetch_add(&command->queue->device->reads, 1);
    stub_event_set(command->event, code);
    stub_command_drop(command);
}

static void *queue_thread(void *argument)
{
    struct stub_queue *queue = argument;
    cl_int code;
    pthread_mutex_lock(&stub_lock);
    while (!queue->stop) {
        if (!head_ready(queue, &code)) {
            pthread_cond_wait(&queue->moved, &stub_lock);
            continue;
        }
        struct stub_command *command = take_head(queue);
        pthread_mutex_unlock(&stub_lock);
        run_command(command, code);
        pthread_mutex_lock(&stub_lock);
    }
    pthread_mutex_unlock(&stub_lock);
    free(queue);
    return NULL;
}

void stub_queues_wake(void)
{
    for (struct stub_queue *queue = all_queues; queue; queue = queue->next)
        if (queue->head && !queue->running)
            pthread_cond_signal(&queue->moved);
}

void stub_queues_pump(void)
{
    cl_int code;
    pthread_mutex_lock(&stub_lock);
    for (struct stub_queue *queue = all_queues; queue;) {
        if (queue->threaded || !head_ready(queue, &code)) {
            queue = queue->next;
            continue;
        }
        struct stub_command *command = take_head(queue);
        pthread_mutex_unlock(&stub_lock);
        run_command(command, code);
        pthread_mutex_lock(&stub_lock);
        queue = all_queues; /* anything may be ready now */
    }
    pthread_mutex_unlock(&stub_lock);
}

struct stub_command *stub_command_new(cl_command_queue handle, cl_command_type type, cl_uint nwaits,
                                      const cl_event *waits, const struct stub_fault *fault, cl_int *error)
{
    struct stub_queue *queue = STUB_OF(queue, handle, STUB_QUEUE);
    *error = fault->code ? fault->code : queue ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
    if (!*error && (nwaits == 0) != (waits == NULL))
        *error = CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; !*error && i < nwaits; i++) {
        struct stub_event *event = STUB_OF(event, waits[i], STUB_EVENT);
        *error = !event                             ? CL_INVALID_EVENT_WAIT_LIST
                 : event->context != queue->context ? CL_INVALID_CONTEXT
                                                    : CL_SUCCESS;
    }
    if (*error)
        return NULL;
    struct stub_command *command = calloc(1, sizeof(*command) + nwaits * sizeof(command->waits[0]));
    if (command)
        command->event = stub_event_new(queue->context, queue, type);
    if (!command || !command->event) {
        free(command);
        *error = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    command->queue = queue;
    command->hang_ms = fault->hang_ms;
    command->event_code = fault->event_code;
    command->home = fault->home;
    command->reads = fault->home ? atomic_load(&stub_device_get(fault->home - 1)->reads) : 0;
    command->nwaits = nwaits;
    for (cl_uint i = 0; i < nwaits; i++) {
        command->waits[i] = STUB_OF(event, waits[i], STUB_EVENT);
        stub_object_ref(&command->waits[i]->base);
    }
    return command;
}

cl_int stub_command_submit(struct stub_command *command, cl_bool blocking, cl_event *handle)
{
    struct stub_queue *queue = command->queue;
    struct stub_event *event = command->event;
    cl_int code = CL_SUCCESS;
    stub_object_ref(&event->base); /* for the program, or for the wait below */
    if (handle)
        *handle = (cl_event)event;
    stub_event_set(event, CL_SUBMITTED);
    pthread_mutex_lock(&stub_lock);
    if (queue->tail)
        queue->tail->next = command;
    else
        queue->head = command;
    queue->tail = command;
    pthread_cond_signal(&queue->moved);
    pthread_mutex_unlock(&stub_lock);
    stub_queues_pump();
    if (blocking) {
        stub_event_wait(event);
        code = event->status < 0 ? event->status : CL_SUCCESS;
    }
    if (!handle)
        stub_object_unref(&event->base);
    return code;
}

void stub_command_drop(struct stub_command *command)
{
    for (cl_uint i = 0; i < command->nwaits; i++)
        stub_object_unref(&command->waits[i]->base);
    if (command->from.mem)
        stub_object_unref(&command->from.mem->base);
    if (command->to.mem)
        stub_object_unref(&command->to.mem->base);
    for (unsigned i = 0; command->launch && i < STUB_MAX_ARGS; i++) {
        if (command->launch->args[i].mem)
            stub_object_unref(&command->launch->args[i].mem->base);
    }
    free(command->launch);
    free(command->staged);
    stub_object_unref(&command->event->base);
    free(command);
}

static struct stub_queue *queue_new(struct stub_context *context, struct stub_device *device,
                                    cl_command_queue_properties properties, cl_int *error)
{
    struct stub_queue *queue = calloc(1, sizeof(*queue));
    if (!queue) {
        *error = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    stub_object_init(&queue->base, STUB_QUEUE, stub_new_id(STUB_QUEUE), queue_destroy);
    queue->context = context;
    queue->device = device;
    pthread_cond_init(&queue->moved, NULL);
    queue->properties = properties;
    queue->threaded = stub_config_async();
    if (queue->threaded && pthread_create(&queue->thread, NULL, queue_thread, queue) != 0) {
        free(queue);
        *error = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    if (queue->threaded)
        pthread_detach(queue->thread);
    stub_object_ref(&context->base);
    pthread_mutex_lock(&stub_lock);
    queue->next = all_queues;
    all_queues = queue;
    pthread_mutex_unlock(&stub_lock);
    return queue;
}

CL_API_ENTRY cl_command_queue CL_API_CALL stub_clCreateCommandQueue(cl_context handle,
                                                                    cl_device_id device_handle,
                                                                    cl_command_queue_properties properties,
                                                                    cl_int *error)
{
    struct stub_fault fault = stub_call("clCreateCommandQueue", "c%u d%u properties=%#lx", stub_id(handle),
                                        stub_id(device_handle), (unsigned long)properties);
    struct stub_context *context = STUB_OF(context, handle, STUB_CONTEXT);
    struct stub_device *device = STUB_OF(device, device_handle, STUB_DEVICE);
    struct stub_queue *queue = NULL;
    bool member = false;
    cl_int code = fault.code ? fault.code : context ? CL_SUCCESS : CL_INVALID_CONTEXT;
    for (unsigned i = 0; !code && i < context->ndevices; i++)
        member |= context->devices[i] == device;
    if (!code && !member)
        code = CL_INVALID_DEVICE;
    if (!code &&
        (properties & ~(cl_ulong)(CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)))
        code = CL_INVALID_VALUE;
    if (!code)
        queue = queue_new(context, device, properties, &code);
    if (error)
        *error = code;
    return (cl_command_queue)queue;
}

/* Hints are taken, and logged, where STUB_EXTENSIONS names them. */
CL_API_ENTRY cl_command_queue CL_API_CALL stub_clCreateCommandQueueWithProperties(
    cl_context context, cl_device_id device, const cl_queue_properties *properties, cl_int *error)
{
    cl_command_queue_properties bits = 0;
    const char *extensions = stub_config_text("STUB_EXTENSIONS", "");
    for (; properties && properties[0]; properties += 2) {
        bool priority = properties[0] == CL_QUEUE_PRIORITY_KHR && strstr(extensions, "cl_khr_priority_hints");
        bool throttle = properties[0] == CL_QUEUE_THROTTLE_KHR && strstr(extensions, "cl_khr_throttle_hints");
        if (properties[0] == CL_QUEUE_PROPERTIES)
            bits = properties[1];
        else if (priority || throttle)
            stub_call(priority ? "priority" : "throttle", "d%u %lu", stub_id(device),
                      (unsigned long)properties[1]);
        else
            bits |= UINT64_C(1) << 63; /* refused below */
    }
    return stub_clCreateCommandQueue(context, device, bits, error);
}

CL_API_ENTRY cl_int CL_API_CALL stub_clRetainCommandQueue(cl_command_queue handle)
{
    struct stub_fault fault = stub_call("clRetainCommandQueue", "q%u", stub_id(handle));
    struct stub_queue *queue = STUB_OF(queue, handle, STUB_QUEUE);
    if (fault.code || !queue)
        return fault.code ? fault.code : CL_INVALID_COMMAND_QUEUE;
    stub_object_ref(&queue->base);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clReleaseCommandQueue(cl_command_queue handle)
{
    struct stub_fault fault = stub_call("clReleaseCommandQueue", "q%u", stub_id(handle));
    struct stub_queue *queue = STUB_OF(queue, handle, STUB_QUEUE);
    if (fault.code || !queue)
        return fault.code ? fault.code : CL_INVALID_COMMAND_QUEUE;
    stub_queues_pump();
    stub_object_unref(&queue->base);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clGetCommandQueueInfo(cl_command_queue handle,
                                                           cl_command_queue_info what, size_t room,
                                                           void *value, size_t *size_ret)
{
    struct stub_queue *queue = STUB_OF(queue, handle, STUB_QUEUE);
    if (!queue)
        return CL_INVALID_COMMAND_QUEUE;
    switch (what) {
    case CL_QUEUE_CONTEXT:
        return STUB_INFO(cl_context, (cl_context)queue->context);
    case CL_QUEUE_DEVICE:
        return STUB_INFO(cl_device_id, (cl_device_id)queue->device);
    case CL_QUEUE_REFERENCE_COUNT:
        return STUB_INFO(cl_uint, atomic_load(&queue->base.refs));
    case CL_QUEUE_PROPERTIES:
        return STUB_INFO(cl_command_queue_properties, queue->properties);
    default:
        return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL stub_clFlush(cl_command_queue handle)
{
    struct stub_fault fault = stub_call("clFlush", "q%u", stub_id(handle));
    if (fault.code || !stub_object_of(handle, STUB_QUEUE))
        return fault.code ? fault.code : CL_INVALID_COMMAND_QUEUE;
    stub_queues_pump();
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clFinish(cl_command_queue handle)
{
    struct stub_fault fault = stub_call("clFinish", "q%u", stub_id(handle));
    struct stub_queue *queue = STUB_OF(queue, handle, STUB_QUEUE);
    if (fault.code || !queue)
        return fault.code ? fault.code : CL_INVALID_COMMAND_QUEUE;
    stub_queues_pump();
    pthread_mutex_lock(&stub_lock);
    while (queue->head || queue->running)
        pthread_cond_wait(&stub_changed, &stub_lock);
    pthread_mutex_unlock(&stub_lock);
    return CL_SUCCESS;
}
