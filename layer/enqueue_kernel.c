/* SPDX-License-Identifier: MIT */
/*
 * clEnqueueNDRangeKernel and clEnqueueTask: checks as the spec lists them, arguments captured by value.
 *
 * Next stage: plan.c, as soon as all that the launch waits for is settled. COEXEC_ANALYSIS_WAIT may hold it
 * until the analysis and the split variant are there; the program never waits for that.
 */
#include "layer/device.h"
#include "layer/enqueue.h"
#include "layer/entry.h"
#include "layer/launch_again.h"
#include "layer/log.h"
#include "layer/options.h"
#include "layer/plan.h"
#include "layer/plan_hindsight.h"
#include "layer/program.h"
#include "layer/stats.h"
#include "layer/verify.h"

#include <stdlib.h>
#include <string.h>

static void drop(struct cx_command *command)
{
    struct cx_launch *launch = (struct cx_launch *)command;
    cx_plan_hindsight_end(launch);
    if (cx_options_get()->summary && launch->base.queue->role != CX_QUEUE_CHECK)
        cx_stats_launch(launch);
    cx_verify_free(&launch->verify);
    for (unsigned p = 0; p < launch->nparts; p++)
        cx_args_drop(&launch->parts[p].args);
    free(launch->parts);
    free(launch->ways);
    launch->parts = NULL;
    launch->nparts = 0;
    cx_args_unref(&launch->args);
    cx_kernel_unref(&launch->kernel);
}

/* ---- checks ---- */

static bool allows_uneven(const struct cx_program *program, const struct cx_queue *queue)
{
    const char *options = program->options ? program->options : "";
    bool newer = strstr(options, "-cl-std=CL2") || strstr(options, "-cl-std=CL3");
    return newer && !strstr(options, "-cl-uniform-work-group-size") &&
           queue->context->workers[queue->fastest].device->non_uniform_groups;
}

static cl_int check_local(const char *function, const struct cx_queue *queue, const struct cx_kernel *kernel,
                          cl_uint dims, const size_t *global, const size_t *local)
{
    size_t required[3], items = 1;
    cx_kernel_required_size(kernel, required);
    if (!local)
        return CL_SUCCESS;
    for (cl_uint d = 0; d < dims; d++) {
        if (local[d] == 0)
            return cx_fail(function, CL_INVALID_WORK_GROUP_SIZE, "a local size is 0");
        if (required[0] && required[d] != local[d])
            return cx_fail(function, CL_INVALID_WORK_GROUP_SIZE, "not the size that the kernel requires");
        if (local[d] > queue->device->max_item_sizes[d])
            return cx_fail(function, CL_INVALID_WORK_ITEM_SIZE, "over CL_DEVICE_MAX_WORK_ITEM_SIZES");
        if (global[d] % local[d] && !allows_uneven(kernel->program, queue))
            return cx_fail(function, CL_INVALID_WORK_GROUP_SIZE, "does not divide the global size");
        if (__builtin_mul_overflow(items, local[d], &items))
            return cx_fail(function, CL_INVALID_WORK_GROUP_SIZE, "more work-items than can be counted");
    }
    size_t limit = 0;
    for (unsigned m = 0; m < queue->context->nmembers && limit < items; m++) {
        size_t of = cx_queue_takes(queue, m) ? cx_kernel_group_most(kernel, m) : 0;
        limit = of > limit ? of : limit;
    }
    if (items > limit)
        return cx_fail(function, CL_INVALID_WORK_GROUP_SIZE, "over CL_KERNEL_WORK_GROUP_SIZE");
    return CL_SUCCESS;
}

/* *empty: no work-items, which is no error of an OpenCL 3.0 device's, whatever the version below. */
static cl_int check_range(const char *function, cl_uint dims, const size_t *offset, const size_t *global,
                          bool *empty)
{
    *empty = !global;
    for (cl_uint d = 0; d < dims && global; d++) {
        *empty |= global[d] == 0;
        if (offset && offset[d] > SIZE_MAX - global[d])
            return cx_fail(function, CL_INVALID_GLOBAL_OFFSET, "offset and size together overflow");
    }
    return CL_SUCCESS;
}

/* ---- COEXEC_ANALYSIS_WAIT ---- */

/* Waits for all that a split of this launch would need, then lets it be planned. */
static void wait_for_analysis(void *data)
{
    struct cx_command *command = data;
    struct cx_launch *launch = (struct cx_launch *)command;
    unsigned ms = (unsigned)cx_options_get()->analysis_wait;

    cx_program_late_wait(launch->kernel->program, ms);
    cx_kernel_summary_wait(launch->kernel, ms);
    const struct cx_summary_kernel *summary = cx_kernel_summary(launch->kernel, NULL);
    if (summary && (summary->uses & CX_USE_NEEDS_REWRITE) &&
        cx_summary_forbids(summary, NULL, NULL) == CX_REASON_NONE)
        for (unsigned dim = 0; dim < launch->geometry.work_dim; dim++) {
            enum cx_variant variant = cx_prelude_variant(&launch->geometry, dim, true);
            cx_kernel_variant_want(launch->kernel, variant);
            cx_kernel_variant_wait(launch->kernel, variant, ms);
        }
    cx_command_unhold(command);
    cx_command_unref(&command);
}

/* Whether something a split would need is still on its way, so that waiting can help. */
static bool worth_waiting(const struct cx_launch *launch)
{
    const struct cx_context *context = launch->base.context;
    if (!cx_options_get()->analysis_wait || context->nmembers < 2 ||
        launch->base.queue->role == CX_QUEUE_CHECK)
        return false;
    if (cx_program_late(launch->kernel->program))
        return true;
    const struct cx_summary_kernel *summary = cx_kernel_summary(launch->kernel, NULL);
    if (!summary)
        return !cx_kernel_summary_wait(launch->kernel, 0);
    if (!(summary->uses & CX_USE_NEEDS_REWRITE))
        return false;
    for (unsigned m = 0; m < context->nmembers; m++)
        for (unsigned dim = 0; dim < launch->geometry.work_dim; dim++)
            if (cx_kernel_runs_on(launch->kernel, m) &&
                !cx_kernel_variant_ready(launch->kernel, m, cx_prelude_variant(&launch->geometry, dim, true)))
                return true;
    return false;
}

static void hold_for_analysis(struct cx_launch *launch)
{
    if (worth_waiting(launch))
        cx_command_hold_for(&launch->base, wait_for_analysis);
}

/* ---- entry points ---- */

static struct cx_access_geometry geometry_of(cl_uint dims, const size_t *offset, const size_t *global,
                                             const size_t *local)
{
    struct cx_access_geometry geometry = {.work_dim = dims};
    for (cl_uint d = 0; d < 3; d++) {
        geometry.offset[d] = offset && d < dims ? offset[d] : 0;
        geometry.global[d] = global && d < dims ? global[d] : 1;
        geometry.local[d] = d >= dims ? 1 : local ? local[d] : 0;
    }
    return geometry;
}

/* What only a launch unlike those before has to be asked. kernel: NULL where the program is not built for the
 * device. */
static cl_int check_launch(const char *function, const struct cx_queue *queue, const struct cx_kernel *kernel,
                           cl_uint dims, const size_t *offset, const size_t *global, const size_t *local,
                           bool *empty)
{
    const cl_int error = check_range(function, dims, offset, global, empty);
    if (error != CL_SUCCESS)
        return error;
    if (!kernel)
        return cx_fail(function, CL_INVALID_PROGRAM_EXECUTABLE, "the program is not built for the device");
    return *empty ? CL_SUCCESS : check_local(function, queue, kernel, dims, global, local);
}

/* args: captured before; NULL: as they are set now. */
static cl_int enqueue_launch(const char *function, cl_command_type type, cl_command_queue queue_handle,
                             cl_kernel kernel_handle, struct cx_args *args, cl_uint dims,
                             const size_t *offset, const size_t *global, const size_t *local, cl_uint nwait,
                             const cl_event *list, cl_event *event)
{
    struct cx_kernel *kernel = cx_kernel_from(kernel_handle);
    struct cx_queue *queue;
    bool empty;
    unsigned missing = 0;
    cl_int error = cx_enqueue_check(function, queue_handle, NULL, nwait, list, &queue);
    if (error != CL_SUCCESS)
        return error;
    if (!kernel)
        return cx_fail(function, CL_INVALID_KERNEL, "no kernel of ours");
    struct cx_context *context = queue->context;
    if (kernel->program->context != context)
        return cx_fail(function, CL_INVALID_CONTEXT, "kernel and queue are of different contexts");
    if (dims < 1 || dims > 3)
        return cx_fail(function, CL_INVALID_WORK_DIMENSION, "neither 1, 2 nor 3");
    struct cx_kernel *given = kernel;
    kernel = cx_kernel_on(given, queue->device);
    size_t required[3];
    if (kernel)
        cx_kernel_required_size(kernel, required);
    if (kernel && !local &&
        required[0]) /* some drivers refuse NULL for such kernels, which the spec allows */
        local = required;
    const struct cx_access_geometry geometry = geometry_of(dims, offset, global, local);
    const bool recorded = args;
    args = recorded ? cx_args_ref(args) : cx_kernel_capture(given, &missing);
    if (!recorded && args && kernel && global && !nwait && !event &&
        cx_again_launch(queue, kernel, &args, &geometry, local))
        return CL_SUCCESS;
    error = check_launch(function, queue, kernel, dims, offset, global, local, &empty);
    if (error != CL_SUCCESS) {
        cx_args_unref(&args);
        return error;
    }
    if (!args)
        return cx_fail(function, CL_INVALID_KERNEL_ARGS, "an argument is not set");

    struct cx_launch *launch =
        (struct cx_launch *)cx_command_new(context, queue, sizeof(*launch), type, cx_plan_launch, drop);
    if (!launch) {
        cx_args_unref(&args);
        return cx_fail(function, CL_OUT_OF_HOST_MEMORY, "no memory for a command");
    }
    launch->base.lost = cx_launch_lost;
    launch->base.inside = true;
    launch->kernel = cx_kernel_ref(kernel);
    launch->args = args;
    launch->arg = -1;
    launch->local_given = local != NULL;
    launch->geometry = geometry;
    if (empty)
        launch->base.plan = cx_command_settle;
    else
        hold_for_analysis(launch);
    struct cx_command *command = &launch->base;
    return cx_command_submit(&command, nwait, list, event, false);
}

cl_int CL_API_CALL cx_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                                             const size_t *offset, const size_t *global, const size_t *local,
                                             cl_uint nwait, const cl_event *list, cl_event *event)
{
    return enqueue_launch("clEnqueueNDRangeKernel", CL_COMMAND_NDRANGE_KERNEL, queue, kernel, NULL, dims,
                          offset, global, local, nwait, list, event);
}

cl_int cx_enqueue_recorded(struct cx_queue *queue, struct cx_kernel *kernel, struct cx_args *args,
                           cl_uint dims, const size_t *const sizes[3], cl_uint nwait, const cl_event *list,
                           cl_event *event)
{
    return enqueue_launch("clCommandNDRangeKernelKHR", CL_COMMAND_NDRANGE_KERNEL, (cl_command_queue)queue,
                          (cl_kernel)kernel, args, dims, sizes[0], sizes[1], sizes[2], nwait, list, event);
}

cl_int CL_API_CALL cx_clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint nwait,
                                    const cl_event *list, cl_event *event)
{
    const size_t one = 1;
    return enqueue_launch("clEnqueueTask", CL_COMMAND_TASK, queue, kernel, NULL, 1, NULL, &one, &one, nwait,
                          list, event);
}
