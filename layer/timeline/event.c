/* SPDX-License-Identifier: MIT */
/*
 * Events as the program sees them: user events, waiting, queries, callbacks, profiling. The struct is the
 * command.
 */
#include "layer/timeline/command.h"
#include "layer/base/deadline.h"
#include "layer/base/entry.h"
#include "layer/base/log.h"
#include "layer/base/lock.h"
#include "layer/base/callback_thread.h"
#include "layer/timeline/queue.h"

#include <stdlib.h>

struct cx_callback {
    struct cx_callback *next;
    cl_int type;
    void(CL_CALLBACK *call)(cl_event, cl_int, void *);
    void *data;
};

static void never_planned(struct cx_command *command)
{
    (void)command;
}

static const struct cx_command_ops user_event = {.plan = never_planned};

cl_event CL_API_CALL cx_clCreateUserEvent(cl_context handle, cl_int *errcode_ret)
{
    struct cx_context *context = cx_context_from(handle);
    struct cx_command *event = NULL;
    cl_int error = CL_SUCCESS;
    if (!context)
        error = CX_FAIL(CL_INVALID_CONTEXT, "no context of ours");
    else if (!(event = cx_command_new(context, NULL, sizeof(*event), CL_COMMAND_USER, &user_event)))
        error = CX_FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for an event");
    else
        event->user_status = CL_SUBMITTED;
    if (errcode_ret)
        *errcode_ret = error;
    return (cl_event)event;
}

cl_int CL_API_CALL cx_clSetUserEventStatus(cl_event handle, cl_int status)
{
    struct cx_command *event = cx_command_from(handle);
    if (!event || event->queue)
        return CX_FAIL(CL_INVALID_EVENT, "no user event of ours");
    if (status > CL_COMPLETE)
        return CX_FAIL(CL_INVALID_VALUE, "status is neither CL_COMPLETE nor an error");
    struct cx_context *context = event->context;
    cx_command_ref(event); /* whoever waits for it may release it, and all else, before we are through */
    cx_context_lock(context);
    bool first = event->user_status > CL_COMPLETE;
    if (first) {
        event->user_status = status;
        if (status < 0)
            atomic_store(&event->error, status);
        cx_command_settle(event);
    }
    cx_context_plan_and_unlock(context);
    for (unsigned t = 0; t < cx_context_timelines(context);
         t++) /* perhaps nobody waits for what waited for it */
        cx_worker_stand_in(&context->workers[t], UINT64_MAX);
    cx_command_unref(&event);
    cx_callback_thread_help(false);
    return first ? CL_SUCCESS : CX_FAIL(CL_INVALID_OPERATION, "the status was set before");
}

cl_int CL_API_CALL cx_clWaitForEvents(cl_uint count, const cl_event *list)
{
    cl_int error = CL_SUCCESS;
    if (count == 0 || !list)
        return CX_FAIL(CL_INVALID_VALUE, "no events to wait for");
    for (cl_uint i = 0; i < count; i++)
        if (!cx_command_from(list[i]))
            return CX_FAIL(CL_INVALID_EVENT, "no event of ours");
    struct cx_context *context = cx_command_from(list[0])->context;
    for (cl_uint i = 1; i < count; i++)
        if (cx_command_from(list[i])->context != context)
            return CX_FAIL(CL_INVALID_CONTEXT, "events of different contexts");
    uint64_t own = 0;
    if (count > 1) {
        cx_context_lock(context);
        for (cl_uint i = 0; i < count; i++)
            if (cx_command_from(list[i])->settled)
                own = cx_context_start(context, cx_command_from(list[i])->order.frontier, own);
        cx_context_unlock(context);
    }
    for (cl_uint i = 0; i < count; i++)
        if (cx_command_wait(cx_command_from(list[i])) < 0)
            error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    cx_event_await_callbacks(context);
    return error;
}

cl_int CL_API_CALL cx_clGetEventInfo(cl_event handle, cl_event_info name, size_t room, void *value,
                                     size_t *size_ret)
{
    struct cx_command *event = cx_command_from(handle);
    if (!event)
        return CX_FAIL(CL_INVALID_EVENT, "no event of ours");
    switch (name) {
    case CL_EVENT_COMMAND_QUEUE:
        return CX_INFO(cl_command_queue, (cl_command_queue)event->queue, room, value, size_ret);
    case CL_EVENT_CONTEXT:
        return CX_INFO(cl_context, (cl_context)event->context, room, value, size_ret);
    case CL_EVENT_COMMAND_TYPE:
        return CX_INFO(cl_command_type, event->type, room, value, size_ret);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        cx_callback_thread_help(false); /* a program that asks again and again waits */
        return CX_INFO(cl_int, cx_command_status(event), room, value, size_ret);
    case CL_EVENT_REFERENCE_COUNT:
        return CX_INFO(cl_uint, cx_object_app_refs(&event->base), room, value, size_ret);
    default:
        return CX_FAIL(CL_INVALID_VALUE, "unknown query");
    }
}

cl_int CL_API_CALL cx_clRetainEvent(cl_event handle)
{
    struct cx_command *event = cx_command_from(handle);
    if (!event)
        return CX_FAIL(CL_INVALID_EVENT, "no event of ours");
    cx_object_retain_app(&event->base);
    return CL_SUCCESS;
}

cl_int CL_API_CALL cx_clReleaseEvent(cl_event handle)
{
    struct cx_command *event = cx_command_from(handle);
    if (!event)
        return CX_FAIL(CL_INVALID_EVENT, "no event of ours");
    if (!cx_object_release_app(&event->base))
        return CX_FAIL(CL_INVALID_EVENT, "released already");
    return CL_SUCCESS;
}

void cx_event_free_callbacks(struct cx_command *command) CX_UNCHECKED
{
    while (command->watch && command->watch->callbacks) {
        struct cx_callback *callback = command->watch->callbacks;
        command->watch->callbacks = callback->next;
        free(callback);
    }
    free(command->watch);
    command->watch = NULL;
}

/* Takes the callbacks for this status and those before it. context->lock held. */
static struct cx_callback *take_due(struct cx_command *command, cl_int stage) CX_HOLDS(cx_context_locked)
{
    struct cx_callback *due = NULL, **tail = &due;
    for (struct cx_callback **link = &command->watch->callbacks; *link;) {
        struct cx_callback *callback = *link;
        if (callback->type < stage) {
            link = &callback->next;
            continue;
        }
        *link = callback->next;
        callback->next = NULL;
        *tail = callback;
        tail = &callback->next;
    }
    return due;
}

/* This thread calls callbacks, which may not wait for each other. */
static _Thread_local bool calling;

void cx_event_run_callbacks(void *data)
{
    struct cx_command *command = data;
    const bool within = calling;
    cx_context_lock(command->context);
    command->watch->due = false;
    cl_int stage = cx_command_stage(command);
    struct cx_callback *list = take_due(command, stage);
    cl_int error = command->queue ? atomic_load(&command->error) : command->user_status;
    cx_context_unlock(command->context);

    calling = true;
    cx_lock_none_held("clSetEventCallback");
    for (cl_int type = CL_SUBMITTED; type >= CL_COMPLETE; type--) {
        for (struct cx_callback *callback = list; callback; callback = callback->next)
            if (callback->type == type)
                callback->call((cl_event)command, stage == CL_COMPLETE && error < 0 ? error : type,
                               callback->data);
    }
    while (list) {
        struct cx_callback *callback = list;
        list = callback->next;
        free(callback);
    }
    calling = within;
    cx_context_lock(command->context);
    command->context->callbacks.ncalled++;
    pthread_cond_broadcast(&command->context->callbacks.called);
    cx_context_unlock(command->context);
    cx_command_unref(&command);
}

/* How long a wait lasts at most beyond the commands' end. A callback that takes longer may wait for what the
 * thread that waits here holds, and would for ever. */
enum { CALLBACKS_MS = 250 };

void cx_event_await_callbacks(struct cx_context *context)
{
    static atomic_bool in_vain; /* once is enough: callbacks and waits of this program go apart */
    if (calling || !atomic_load(&context->callbacks.any) || atomic_load(&in_vain))
        return;
    cx_command_check_watched(context); /* whoever noted the end may not have seen to this yet */
    cx_callback_thread_help(false);
    const struct timespec until = cx_deadline(CALLBACKS_MS);
    bool in_time = true;
    cx_context_lock(context);
    const uint64_t due = context->callbacks.ndue;
    while (context->callbacks.ncalled < due && in_time)
        in_time = cx_context_wait_until(context, &context->callbacks.called, &until);
    if (context->callbacks.ncalled < due)
        atomic_store(&in_vain, true);
    cx_context_unlock(context);
}

cl_int CL_API_CALL cx_clSetEventCallback(cl_event handle, cl_int type,
                                         void(CL_CALLBACK *call)(cl_event, cl_int, void *), void *data)
{
    struct cx_command *event = cx_command_from(handle);
    if (!event)
        return CX_FAIL(CL_INVALID_EVENT, "no event of ours");
    if (!call || (type != CL_COMPLETE && type != CL_RUNNING && type != CL_SUBMITTED))
        return CX_FAIL(CL_INVALID_VALUE, "no callback, or a status that has none");
    struct cx_callback *callback = malloc(sizeof(*callback));
    struct cx_command_watch *watch = calloc(1, sizeof(*watch));
    if (!callback || !watch) {
        free(callback);
        free(watch);
        return CX_FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for a callback");
    }
    *callback = (struct cx_callback){.type = type, .call = call, .data = data};

    cx_command_ref(event); /* the callback may release it, and all else, before we are through */
    cx_context_lock(event->context);
    if (!event->watch) {
        watch->noticed = CL_QUEUED;
        event->watch = watch;
        watch = NULL;
    }
    struct cx_callback **link = &event->watch->callbacks;
    while (*link)
        link = &(*link)->next;
    *link = callback;
    cx_context_unlock(event->context);
    free(watch); /* it had one */
    if (type == CL_RUNNING && event->queue && !atomic_exchange(&event->running.asked, true))
        for (unsigned t = 0; t < event->context->nmembers; t++)
            cx_worker_tell_running(&event->context->workers[t], event);
    cx_command_watch(event);
    cx_command_unref(&event);
    cx_callback_thread_help(false);
    return CL_SUCCESS;
}

/* Times of all parts on the host's clock: first start, last end, and never running backwards. */
cl_int CL_API_CALL cx_clGetEventProfilingInfo(cl_event handle, cl_profiling_info name, size_t room,
                                              void *value, size_t *size_ret)
{
    struct cx_command *event = cx_command_from(handle);
    if (!event)
        return CX_FAIL(CL_INVALID_EVENT, "no event of ours");
    if (!event->queue || !(event->queue->properties & CL_QUEUE_PROFILING_ENABLE))
        return CX_FAIL(CL_PROFILING_INFO_NOT_AVAILABLE, "the queue was created without profiling");
    if (cx_command_status(event) != CL_COMPLETE)
        return CX_FAIL(CL_PROFILING_INFO_NOT_AVAILABLE, "the command is not complete");
    uint64_t queued = atomic_load(&event->times.queued_ns), submit = atomic_load(&event->times.submit_ns),
             start, end;
    cx_command_span(event, &start, &end);
    if (submit < queued)
        submit = queued;
    if (start < submit)
        start = submit;
    if (end < start)
        end = start;
    switch (name) {
    case CL_PROFILING_COMMAND_QUEUED:
        return CX_INFO(cl_ulong, queued, room, value, size_ret);
    case CL_PROFILING_COMMAND_SUBMIT:
        return CX_INFO(cl_ulong, submit, room, value, size_ret);
    case CL_PROFILING_COMMAND_START:
        return CX_INFO(cl_ulong, start, room, value, size_ret);
    case CL_PROFILING_COMMAND_END:
    case CL_PROFILING_COMMAND_COMPLETE:
        return CX_INFO(cl_ulong, end, room, value, size_ret);
    default:
        return CX_FAIL(CL_INVALID_VALUE, "unknown query");
    }
}
