/* SPDX-License-Identifier: MIT */
/*
 * Native kernels: functions of the program's that run on the host between commands. They get pointers into
 * the host copies of their buffers, which are made valid before and are the owners afterwards, whatever the
 * function wrote. Offered where the fastest device offers them; no real driver takes part.
 */
#include "layer/api/enqueue.h"
#include "layer/base/entry.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"

#include <stdlib.h>
#include <string.h>

struct native {
    struct cx_command base;
    void(CL_CALLBACK *function)(void *);
    unsigned char *args; /* a copy, or NULL */
    cl_uint nmems;
    struct cx_mem **mems; /* references */
    size_t *places;       /* where in args each one's pointer belongs */
};

static void drop(struct cx_command *command)
{
    struct native *native = (struct native *)command;
    for (cl_uint i = 0; i < native->nmems; i++)
        if (native->mems[i])
            cx_mem_unref(&native->mems[i]);
    free(native->mems);
    free(native->places);
    free(native->args);
}

/* Without any lock: the function may take long. */
static cl_int run_function(struct cx_job *job, struct cx_worker *worker)
{
    const struct native *native = (struct native *)job->command;
    for (cl_uint i = 0; i < native->nmems; i++) {
        const struct cx_mem *mem = native->mems[i];
        const void *pointer = mem ? mem->storage->host + mem->origin : NULL;
        memcpy(native->args + native->places[i], &pointer, sizeof(pointer));
    }
    job->times.start_ns = cx_clock_ns();
    cx_lock_none_held("clEnqueueNativeKernel");
    native->function(native->args);
    job->times.end_ns = cx_clock_ns();
    return CL_SUCCESS;
}

static cl_int bring(struct cx_command *command, struct cx_mem *mem) CX_HOLDS(cx_context_locked)
{
    if (cx_mem_map_place(mem->root) != CX_PLACE_HOST) /* the program looks at it elsewhere */
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return cx_mem_host(mem)
               ? cx_transfer_to(command, mem->root, mem->origin, mem->origin + mem->size, CX_PLACE_HOST, NULL)
               : CL_OUT_OF_HOST_MEMORY;
}

static void plan(struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    const struct native *native = (struct native *)command;
    struct cx_worker *host = cx_context_host(command->context);
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; i < native->nmems; i++)
        if (native->mems[i] && cx_unsettled_blocks(command, native->mems[i]))
            return;
    for (cl_uint i = 0; i < native->nmems && error == CL_SUCCESS; i++)
        if (native->mems[i])
            error = bring(command, native->mems[i]);
    struct cx_job *job = error == CL_SUCCESS ? cx_job_new(command->context) : NULL;
    if (!job) {
        cx_command_fail(command, error == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : error);
        return;
    }
    job->run = run_function;
    job->kind.waits = true;
    cx_command_after_frontier(command, job);
    for (cl_uint i = 0; i < native->nmems; i++) {
        struct cx_mem *mem = native->mems[i];
        if (!mem)
            continue;
        const uint64_t lo = mem->origin, hi = mem->origin + mem->size;
        cx_coherence_host_write(mem->storage->coherence, lo, hi, host->index, host->timeline.planned + 1,
                                job->deps);
        (void)cx_enqueue_own(mem->root, lo, hi, CX_PLACE_HOST);
    }
    cx_command_add_job(command, host, job);
    cx_command_settle(command);
}

/* The arguments of one call, checked. */
struct call {
    const void *args;
    size_t size;
    cl_uint count;
    const cl_mem *list;
    const void **places;
};

static cl_int check(const char *function, const struct cx_queue *queue, const struct call *call)
{
    if (!call->args && (call->size || call->count))
        return cx_fail(function, CL_INVALID_VALUE, "a size or objects without arguments");
    if (call->args && !call->size)
        return cx_fail(function, CL_INVALID_VALUE, "arguments of no size");
    if (call->count ? !call->list || !call->places : call->list || call->places)
        return cx_fail(function, CL_INVALID_VALUE, "lists of objects and their number do not fit");
    for (cl_uint i = 0; i < call->count; i++) {
        const struct cx_mem *mem = cx_buffer_from(call->list[i]);
        const size_t place = (size_t)((const char *)call->places[i] - (const char *)call->args);
        if (call->list[i] && !mem)
            return cx_fail(function, CL_INVALID_MEM_OBJECT, "no buffer of ours");
        if (mem && mem->context != queue->context)
            return cx_fail(function, CL_INVALID_CONTEXT, "queue and memory object are of different contexts");
        if (call->size < sizeof(void *) || place > call->size - sizeof(void *))
            return cx_fail(function, CL_INVALID_VALUE, "a place that is not within the arguments");
    }
    return CL_SUCCESS;
}

static bool fill(struct native *native, const struct call *call)
{
    if (call->size) {
        native->args = malloc(call->size);
        if (!native->args)
            return false;
        memcpy(native->args, call->args, call->size);
    }
    if (!call->count)
        return true;
    native->mems = calloc(call->count, sizeof(struct cx_mem *));
    native->places = calloc(call->count, sizeof(*native->places));
    if (!native->mems || !native->places)
        return false;
    native->nmems = call->count;
    for (cl_uint i = 0; i < call->count; i++) {
        native->mems[i] = call->list[i] ? cx_mem_ref(cx_buffer_from(call->list[i])) : NULL;
        native->places[i] = (size_t)((const char *)call->places[i] - (const char *)call->args);
    }
    return true;
}

static const struct cx_command_ops ops = {.plan = plan, .drop = drop};

cl_int CL_API_CALL cx_clEnqueueNativeKernel(cl_command_queue handle, void(CL_CALLBACK *function)(void *),
                                            void *args, size_t size, cl_uint count, const cl_mem *list,
                                            const void **places, cl_uint nwait, const cl_event *wait_list,
                                            cl_event *event)
{
    const struct call call = {args, size, count, list, places};
    cl_device_exec_capabilities can = 0;
    struct cx_queue *queue;
    cl_int error = cx_enqueue_check(__func__ + 3, handle, NULL, nwait, wait_list, &queue);
    if (error != CL_SUCCESS)
        return error;
    if (!function)
        return CX_FAIL(CL_INVALID_VALUE, "no function");
    if ((error = check(__func__ + 3, queue, &call)) != CL_SUCCESS)
        return error;
    if (cx_clGetDeviceInfo((cl_device_id)queue->device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof(can), &can,
                           NULL) != CL_SUCCESS ||
        !(can & CL_EXEC_NATIVE_KERNEL))
        return CX_FAIL(CL_INVALID_OPERATION, "the device does not execute native kernels");
    struct native *native = (struct native *)cx_command_new(queue->context, queue, sizeof(*native),
                                                            CL_COMMAND_NATIVE_KERNEL, &ops);
    if (!native)
        return CX_FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for a command");
    native->function = function;
    if (!fill(native, &call)) {
        cx_object_release_app(&native->base.base);
        return CX_FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for a command");
    }
    struct cx_command *command = &native->base;
    return cx_command_submit(&command, nwait, wait_list, event, false);
}
