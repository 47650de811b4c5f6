/* SPDX-License-Identifier: MIT */
/*
 * Markers and barriers: commands without work, settled as soon as what they wait for is.
 */
#include "layer/api/enqueue.h"
#include "layer/base/entry.h"
#include "layer/base/log.h"

static const struct cx_command_ops ops = {.plan = cx_command_settle};

static cl_int enqueue_sync(const char *function, cl_command_queue handle, cl_command_type type, cl_uint nwait,
                           const cl_event *list, cl_event *event)
{
    struct cx_queue *queue;
    cl_int error = cx_enqueue_check(function, handle, NULL, nwait, list, &queue);
    if (error != CL_SUCCESS)
        return error;
    struct cx_command *command = cx_command_new(queue->context, queue, sizeof(*command), type, &ops);
    if (!command)
        return cx_fail(function, CL_OUT_OF_HOST_MEMORY, "no memory for a command");
    return cx_command_submit(&command, nwait, list, event, false);
}

cl_int CL_API_CALL cx_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint nwait, const cl_event *list,
                                                  cl_event *event)
{
    return enqueue_sync("clEnqueueMarkerWithWaitList", queue, CL_COMMAND_MARKER, nwait, list, event);
}

cl_int CL_API_CALL cx_clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint nwait,
                                                   const cl_event *list, cl_event *event)
{
    return enqueue_sync("clEnqueueBarrierWithWaitList", queue, CL_COMMAND_BARRIER, nwait, list, event);
}

cl_int CL_API_CALL cx_clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
    if (!event)
        return CX_FAIL(CL_INVALID_VALUE, "no place for the event");
    return enqueue_sync("clEnqueueMarker", queue, CL_COMMAND_MARKER, 0, NULL, event);
}

cl_int CL_API_CALL cx_clEnqueueBarrier(cl_command_queue queue)
{
    return enqueue_sync("clEnqueueBarrier", queue, CL_COMMAND_BARRIER, 0, NULL, NULL);
}

cl_int CL_API_CALL cx_clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count, const cl_event *list)
{
    if (count == 0 || !list)
        return CX_FAIL(CL_INVALID_VALUE, "no events to wait for");
    cl_int error = enqueue_sync("clEnqueueWaitForEvents", queue, CL_COMMAND_BARRIER, count, list, NULL);
    return error == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : error;
}
