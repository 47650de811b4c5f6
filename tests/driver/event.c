/* SPDX-License-Identifier: MIT */
/* Stub driver: events, of commands and of users. */
#include "calls.h"
#include <stdlib.h>

pthread_mutex_t stub_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t stub_changed = PTHREAD_COND_INITIALIZER;

static void event_destroy(struct stub_object *object)
{
    struct stub_event *event = (struct stub_event *)object;
    while (event->callbacks) {
        struct stub_callback *next = event->callbacks->next;
        free(event->callbacks);
        event->callbacks = next;
    }
    stub_object_unref((struct stub_object *)event->queue);
    stub_object_unref(&event->context->base);
    free(event);
}

struct stub_event *stub_event_new(struct stub_context *context, struct stub_queue *queue,
                                  cl_command_type type)
{
    struct stub_event *event = calloc(1, sizeof(*event));
    if (!event)
        return NULL;
    stub_object_init(&event->base, STUB_EVENT, stub_new_id(STUB_EVENT), event_destroy);
    stub_object_ref(&context->base);
    event->context = context;
    if (queue)
        stub_object_ref(&queue->base);
    event->queue = queue;
    event->type = type;
    event->status = queue ? CL_QUEUED : CL_SUBMITTED;
    event->times[0] = stub_now();
    return event;
}

/* Takes the callbacks that this status calls out of the list. The caller holds the lock. */
static struct stub_callback *take_callbacks(struct stub_event *event)
{
    struct stub_callback *due = NULL, **link = &event->callbacks;
    while (*link) {
        struct stub_callback *callback = *link;
        if (event->status > callback->status) {
            link = &callback->next;
            continue;
        }
        *link = callback->next;
        callback->next = due;
        due = callback;
    }
    return due;
}

static void run_callbacks(struct stub_event *event, struct stub_callback *due, cl_int status)
{
    while (due) {
        struct stub_callback *next = due->next;
        due->notify((cl_event)event, status < 0 ? status : due->status, due->data);
        free(due);
        due = next;
    }
}

void stub_event_set(struct stub_event *event, cl_int status)
{
    stub_object_ref(&event->base);
    pthread_mutex_lock(&stub_lock);
    cl_ulong now = stub_now();
    event->status = status;
    if (status <= CL_COMPLETE && event->queue)
        event->queue->running = false;
    for (int t = CL_QUEUED - (status < 0 ? CL_COMPLETE : status); t <= 3; t++)
        event->times[t] = now;
    struct stub_callback *due = take_callbacks(event);
    if (status <= CL_COMPLETE) {
        stub_queues_wake();
        pthread_cond_broadcast(&stub_changed);
    }
    pthread_mutex_unlock(&stub_lock);
    run_callbacks(event, due, status);
    stub_object_unref(&event->base);
}

void stub_event_wait(struct stub_event *event)
{
    stub_queues_pump();
    pthread_mutex_lock(&stub_lock);
    while (event->status > CL_COMPLETE)
        pthread_cond_wait(&stub_changed, &stub_lock);
    pthread_mutex_unlock(&stub_lock);
}

CL_API_ENTRY cl_event CL_API_CALL stub_clCreateUserEvent(cl_context handle, cl_int *error)
{
    struct stub_fault fault = stub_call("clCreateUserEvent", "c%u", stub_id(handle));
    struct stub_context *context = STUB_OF(context, handle, STUB_CONTEXT);
    cl_int code = fault.code ? fault.code : context ? CL_SUCCESS : CL_INVALID_CONTEXT;
    struct stub_event *event = code ? NULL : stub_event_new(context, NULL, CL_COMMAND_USER);
    if (!code && !event)
        code = CL_OUT_OF_HOST_MEMORY;
    if (error)
        *error = code;
    return (cl_event)event;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clSetUserEventStatus(cl_event handle, cl_int status)
{
    struct stub_fault fault = stub_call("clSetUserEventStatus", "e%u status=%d", stub_id(handle), status);
    struct stub_event *event = STUB_OF(event, handle, STUB_EVENT);
    if (fault.code)
        return fault.code;
    if (!event || event->queue)
        return CL_INVALID_EVENT;
    if (status > CL_COMPLETE)
        return CL_INVALID_VALUE;
    if (event->status <= CL_COMPLETE)
        return CL_INVALID_OPERATION;
    stub_event_set(event, status);
    stub_queues_pump();
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clSetEventCallback(cl_event handle, cl_int status,
                                                        void(CL_CALLBACK *notify)(cl_event, cl_int, void *),
                                                        void *data)
{
    struct stub_fault fault = stub_call("clSetEventCallback", "e%u status=%d", stub_id(handle), status);
    struct stub_event *event = STUB_OF(event, handle, STUB_EVENT);
    if (fault.code)
        return fault.code;
    if (!event)
        return CL_INVALID_EVENT;
    if (!notify || status < CL_COMPLETE || status > CL_SUBMITTED)
        return CL_INVALID_VALUE;
    struct stub_callback *callback = calloc(1, sizeof(*callback));
    if (!callback)
        return CL_OUT_OF_HOST_MEMORY;
    callback->status = status;
    callback->notify = notify;
    callback->data = data;
    pthread_mutex_lock(&stub_lock);
    callback->next = event->callbacks;
    event->callbacks = callback;
    cl_int now = event->status;
    struct stub_callback *due = take_callbacks(event);
    pthread_mutex_unlock(&stub_lock);
    run_callbacks(event, due, now);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clWaitForEvents(cl_uint count, const cl_event *handles)
{
    struct stub_fault fault = stub_call("clWaitForEvents", "count=%u", count);
    cl_int code = CL_SUCCESS;
    if (fault.code)
        return fault.code;
    if (count == 0 || !handles)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (!STUB_OF(event, handles[i], STUB_EVENT))
            return CL_INVALID_EVENT;
    }
    for (cl_uint i = 0; i < count; i++) {
        struct stub_event *event = STUB_OF(event, handles[i], STUB_EVENT);
        stub_event_wait(event);
        if (event->status < 0)
            code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    return code;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clGetEventInfo(cl_event handle, cl_event_info what, size_t room,
                                                    void *value, size_t *size_ret)
{
    struct stub_fault fault = stub_call("clGetEventInfo", "e%u what=%#x", stub_id(handle), what);
    struct stub_event *event = STUB_OF(event, handle, STUB_EVENT);
    if (fault.code || !event)
        return fault.code ? fault.code : CL_INVALID_EVENT;
    pthread_mutex_lock(&stub_lock);
    cl_int status = event->status;
    pthread_mutex_unlock(&stub_lock);
    switch (what) {
    case CL_EVENT_COMMAND_QUEUE:
        return STUB_INFO(cl_command_queue, (cl_command_queue)event->queue);
    case CL_EVENT_CONTEXT:
        return STUB_INFO(cl_context, (cl_context)event->context);
    case CL_EVENT_COMMAND_TYPE:
        return STUB_INFO(cl_command_type, event->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        return STUB_INFO(cl_int, status);
    case CL_EVENT_REFERENCE_COUNT:
        return STUB_INFO(cl_uint, atomic_load(&event->base.refs));
    default:
        return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL stub_clGetEventProfilingInfo(cl_event handle, cl_profiling_info what,
                                                             size_t room, void *value, size_t *size_ret)
{
    struct stub_fault fault = stub_call("clGetEventProfilingInfo", "e%u what=%#x", stub_id(handle), what);
    struct stub_event *event = STUB_OF(event, handle, STUB_EVENT);
    if (fault.code || !event)
        return fault.code ? fault.code : CL_INVALID_EVENT;
    pthread_mutex_lock(&stub_lock);
    bool known = event->queue && event->status == CL_COMPLETE;
    pthread_mutex_unlock(&stub_lock);
    if (!known || !(event->queue->properties & CL_QUEUE_PROFILING_ENABLE))
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    if (what == CL_PROFILING_COMMAND_COMPLETE)
        what = CL_PROFILING_COMMAND_END;
    if (what < CL_PROFILING_COMMAND_QUEUED || what > CL_PROFILING_COMMAND_END)
        return CL_INVALID_VALUE;
    if (stub_config_number("STUB_UNTIMED", 0, 0))
        return STUB_INFO(cl_ulong, what - CL_PROFILING_COMMAND_QUEUED);
    const bool ahead = what == CL_PROFILING_COMMAND_END && event->type == CL_COMMAND_NDRANGE_KERNEL;
    return STUB_INFO(cl_ulong, event->times[what - CL_PROFILING_COMMAND_QUEUED] +
                                   (ahead ? (cl_ulong)stub_config_number("STUB_AHEAD", 0, 0) : 0));
}

CL_API_ENTRY cl_int CL_API_CALL stub_clRetainEvent(cl_event handle)
{
    struct stub_fault fault = stub_call("clRetainEvent", "e%u", stub_id(handle));
    struct stub_event *event = STUB_OF(event, handle, STUB_EVENT);
    if (fault.code || !event)
        return fault.code ? fault.code : CL_INVALID_EVENT;
    stub_object_ref(&event->base);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clReleaseEvent(cl_event handle)
{
    struct stub_fault fault = stub_call("clReleaseEvent", "e%u", stub_id(handle));
    struct stub_event *event = STUB_OF(event, handle, STUB_EVENT);
    if (fault.code || !event)
        return fault.code ? fault.code : CL_INVALID_EVENT;
    stub_object_unref(&event->base);
    return CL_SUCCESS;
}
