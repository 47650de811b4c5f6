/* SPDX-License-Identifier: MIT */
/*
 * A worker's real context and queue: what the program's own context and queue asked for, and the difference
 * of the two clocks. See worker.h.
 */
#include "layer/driver/account.h"
#include "layer/timeline/command.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/timeline/worker.h"

#include <CL/cl_ext.h>

/* Host time just after the end of a marker, minus the device's time of that end. False: it gives no times. */
static bool clock_difference(const struct cx_worker *worker, int64_t *difference)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    cl_event event = NULL;
    cl_ulong end = 0;
    if (cl->clEnqueueMarker(worker->queue, &event) != CL_SUCCESS)
        return false;
    bool ok = cl->clFinish(worker->queue) == CL_SUCCESS;
    *difference = (int64_t)cx_clock_ns();
    ok =
        ok &&
        cl->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL) == CL_SUCCESS &&
        cx_worker_is_time(end);
    *difference -= (int64_t)end;
    cl->clReleaseEvent(event);
    return ok;
}

/* Host time minus device time: the least difference of several, since this thread may lose its core between
 * the marker's end and its look at the clock. Zero where the driver gives no times. */
static int64_t measure_clock(const struct cx_worker *worker)
{
    int64_t least = 0, difference;
    for (unsigned i = 0; i < 5; i++) {
        if (!clock_difference(worker, &difference))
            return least;
        least = i == 0 || difference < least ? difference : least;
    }
    return least;
}

/* Adds the properties of cl_arm_printf, where the program gave some and the device knows them: its kernels
 * then print by the program's function, which gets the user data of the context's own callback. */
static bool add_printf(const struct cx_worker *worker, cl_context_properties *list)
{
    const struct cx_context *context = worker->context;
    bool any = false;
    if (!cx_device_has_extension(worker->device->extensions, "cl_arm_printf"))
        return false;
    for (size_t i = 0; i + 2 < context->nproperties; i += 2) {
        if (context->properties[i] != CL_PRINTF_CALLBACK_ARM &&
            context->properties[i] != CL_PRINTF_BUFFERSIZE_ARM)
            continue;
        *list++ = context->properties[i];
        *list++ = context->properties[i + 1];
        any = true;
    }
    return any;
}

static cl_int open_real(struct cx_worker *worker)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    cl_context_properties properties[7] = {CL_CONTEXT_PLATFORM,
                                           (cl_context_properties)worker->device->platform->id};
    const struct cx_context *context = worker->context;
    cl_int error = CL_SUCCESS;
    bool prints = add_printf(worker, &properties[2]);
    worker->real_context =
        cl->clCreateContext(properties, 1, &worker->device->id, prints ? context->notify : NULL,
                            prints ? context->notify_data : NULL, &error);
    if (error != CL_SUCCESS)
        return error;
    worker->queues[CX_REAL_QUEUE_MAIN].queue = worker->queue =
        cl->clCreateCommandQueue(worker->real_context, worker->device->id, CL_QUEUE_PROFILING_ENABLE, &error);
    if (error != CL_SUCCESS)
        return error;
    cx_probe_device(worker->device, worker->real_context, worker->queue);
    worker->profiles = true;
    worker->clock_offset = measure_clock(worker);
    return CL_SUCCESS;
}

/* It takes part from now on; hints that came for it before are given now. */
static void publish(struct cx_worker *worker)
{
    atomic_store(&worker->device->opened, true);
    cx_context_lock(worker->context);
    if (worker->device->probe.in_place)
        atomic_store(&worker->place, 0);
    atomic_store_explicit(&worker->state, CX_WORKER_OPEN, memory_order_release);
    cx_worker_hint(worker, worker->priority, worker->throttle);
    cx_context_unlock(worker->context);
    if (worker->context->listeners.opened)
        worker->context->listeners.opened(worker->context);
}

/* It never will. */
static void give_up(struct cx_worker *worker)
{
    cx_warn(CX_TOPIC_DRIVER, "%s cannot be used: its context failed with %s", worker->device->name,
            cx_cl_name(worker->open_error));
    cx_context_lock(worker->context);
    atomic_store(&worker->left_out, true);
    atomic_store_explicit(&worker->state, CX_WORKER_FAILED, memory_order_release);
    cx_context_unlock(worker->context);
}

cl_int cx_worker_ensure(struct cx_worker *worker)
{
    if (cx_worker_is_open(worker))
        return CL_SUCCESS;
    cx_lock(&worker->opening);
    if (atomic_load(&worker->state) == CX_WORKER_CLOSED) {
        const uint64_t since = cx_clock_ns();
        worker->open_error = open_real(worker);
        const double seconds = (double)(cx_clock_ns() - since) * 1e-9;
        if (worker->open_error == CL_SUCCESS) {
            cx_account_opened(worker->context->account, worker->device, seconds);
            publish(worker);
        } else {
            give_up(worker);
        }
        cx_info(CX_TOPIC_DRIVER, "%s was opened in %.1f ms", worker->device->name, seconds * 1e3);
    }
    cx_unlock(&worker->opening);
    return worker->open_error;
}

void cx_worker_hint(struct cx_worker *worker, cl_queue_properties priority, cl_queue_properties throttle)
{
    const struct cx_real_device *device = worker->device;
    struct cx_real_queue *unprofiled = &worker->queues[CX_REAL_QUEUE_UNPROFILED];
    cl_queue_properties list[7] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE};
    unsigned n = 2;
    cl_int error = CL_SUCCESS;
    if (!device || worker->timeline.planned || device->version_number < 200 || (!priority && !throttle))
        return;
    if (!cx_worker_is_open(worker)) {
        worker->priority = priority ? priority : worker->priority;
        worker->throttle = throttle ? throttle : worker->throttle;
        return;
    }
    if (priority && cx_device_has_extension(device->extensions, "cl_khr_priority_hints")) {
        list[n++] = CL_QUEUE_PRIORITY_KHR;
        list[n++] = priority;
    }
    if (throttle && cx_device_has_extension(device->extensions, "cl_khr_throttle_hints")) {
        list[n++] = CL_QUEUE_THROTTLE_KHR;
        list[n++] = throttle;
    }
    if (n == 2)
        return;
    cl_command_queue queue =
        device->cl->clCreateCommandQueueWithProperties(worker->real_context, device->id, list, &error);
    if (error != CL_SUCCESS) {
        cx_info(CX_TOPIC_DRIVER, "%s does not take the hints of a queue: %s", device->name,
                cx_cl_name(error));
        return;
    }
    device->cl->clReleaseCommandQueue(worker->queues[CX_REAL_QUEUE_MAIN].queue);
    if (unprofiled->queue) /* has no hints */
        device->cl->clReleaseCommandQueue(unprofiled->queue);
    unprofiled->queue = NULL;
    worker->profiles = true;
    worker->queues[CX_REAL_QUEUE_MAIN].queue = worker->queue = queue;
}

/* What each queue but the first is for and has. */
static const struct {
    const char *use;
    cl_command_queue_properties properties;
} queue_kinds[CX_REAL_QUEUE_COUNT] = {
    [CX_REAL_QUEUE_UNPROFILED] = {"commands without times", 0},
    [CX_REAL_QUEUE_ALTERNATE] = {"every other package", CL_QUEUE_PROFILING_ENABLE},
    [CX_REAL_QUEUE_TRANSFER] = {"transfers beside kernels", 0},
    [CX_REAL_QUEUE_PEER_READ] = {"reads by others", 0},
};

static struct cx_real_queue open_queue(const struct cx_worker *worker, enum cx_real_queue_use use)
{
    cl_int error;
    struct cx_real_queue opened = {
        .queue = worker->device->cl->clCreateCommandQueue(worker->real_context, worker->device->id,
                                                          queue_kinds[use].properties, &error)};
    if (error == CL_SUCCESS)
        return opened;
    cx_info(CX_TOPIC_DATA, "%s gives no queue for %s: %s", worker->device->name, queue_kinds[use].use,
            cx_cl_name(error));
    return (struct cx_real_queue){.failed = true};
}

bool cx_worker_open_queue(struct cx_worker *worker, enum cx_real_queue_use use)
{
    struct cx_real_queue *queue = &worker->queues[use];
    if (!queue->queue && !queue->failed)
        *queue = open_queue(worker, use);
    return queue->queue != NULL;
}

bool cx_worker_takes_two(const struct cx_worker *worker)
{
    const struct cx_real_device *device = worker->device;
    return !device->probe.synchronous && device->cl->clEnqueueMarkerWithWaitList &&
           device->cl->clEnqueueBarrierWithWaitList && cx_options_get()->queues != CX_OPTION_QUEUES_ONE;
}

bool cx_worker_order(const struct cx_worker *worker, cl_command_queue from, cl_command_queue to)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    cl_event before = NULL;
    if (cl->clEnqueueMarkerWithWaitList(from, 0, NULL, &before) != CL_SUCCESS)
        return false;
    const bool ordered = cl->clEnqueueBarrierWithWaitList(to, 1, &before, NULL) == CL_SUCCESS;
    cl->clReleaseEvent(before);
    return ordered;
}

bool cx_worker_wants_alternate(const struct cx_worker *worker)
{
    return !worker->queues[CX_REAL_QUEUE_ALTERNATE].failed && cx_worker_takes_two(worker) &&
           (cx_options_get()->queues != CX_OPTION_QUEUES_GPUS || worker->device->type & CL_DEVICE_TYPE_GPU);
}

cl_command_queue cx_worker_peer_read_queue(struct cx_worker *worker)
{
    struct cx_real_queue *own = &worker->queues[CX_REAL_QUEUE_PEER_READ];
    struct cx_real_queue opened = {0};
    cx_timeline_lock(&worker->timeline);
    const bool known = own->queue || own->failed;
    cx_timeline_unlock(&worker->timeline);
    if (!known)
        opened = open_queue(worker, CX_REAL_QUEUE_PEER_READ);
    cx_timeline_lock(&worker->timeline);
    if (!own->queue) {
        own->queue = opened.queue;
        own->failed |= opened.failed;
        opened.queue = NULL;
    }
    const cl_command_queue queue = own->queue ? own->queue : worker->queue;
    cx_timeline_unlock(&worker->timeline);
    if (opened.queue) /* another thread was first */
        worker->device->cl->clReleaseCommandQueue(opened.queue);
    return queue;
}
