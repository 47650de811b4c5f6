/* SPDX-License-Identifier: MIT */
/*
 * clEnqueueNDRangeKernel and clEnqueueTask: checks as the spec lists them, arguments captured by value.
 *
 * Next stage: plan.c, as soon as all that the launch waits for is settled. COEXEC_DEBUG=analysis_wait may
 * hold it until the analysis and the split variant are there; the program never waits for that.
 */
#include "layer/object/device.h"
#include "layer/api/enqueue.h"
#include "layer/base/entry.h"
#include "layer/launch/replay.h"
#include "layer/launch/prefix.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/plan/plan.h"
#include "layer/plan/plan_chains.h"
#include "layer/plan/split_feedback.h"
#include "layer/program/program.h"
#include "layer/program/build_deferred.h"
#include "layer/program/kernel_bind.h"
#include "layer/program/kernel_info.h"
#include "layer/report/live.h"
#include "layer/plan/launch_stats.h"
#include "layer/plan/trace_launch.h"
#include "layer/launch/verify.h"
#include "layer/launch/launch.h"
#include "layer/launch/start.h"

#include <stdlib.h>
#include <string.h>

/* Whether it is the program's; those of a verification are not. */
static bool is_shown(const struct cx_launch *launch)
{
    return launch->base.queue->role != CX_QUEUE_CHECK;
}

static void drop(struct cx_command *command)
{
    struct cx_launch *launch = (struct cx_launch *)command;
    const bool refused = atomic_load(&launch->base.asked) < 0; /* to the program it never was */
    cx_split_feedback_end(launch);
    cx_plan_chains_end(launch);
    if (is_shown(launch) && launch->outcome.nparts)
        cx_launch_live(launch);
    else if (is_shown(launch))
        cx_live_over(launch->request.kernel->function->live, launch->run.busy_ns);
    if (is_shown(launch) && !refused) {
        if (cx_options_get()->summary)
            cx_launch_stats(launch);
        cx_trace_launch(launch);
    }
    cx_verify_free(&launch->run.verify);
    if (launch->slices.prefix)
        cx_prefix_drop(launch);
    if (launch->run.uncompiled)
        cx_exit_guard_uncompiled(&launch->run.uncompiled, CX_UNCOMPILED_NONE);
    for (unsigned p = 0; p < launch->outcome.nparts; p++)
        cx_args_drop(&launch->outcome.parts[p].args);
    free(launch->outcome.parts);
    free(launch->decision.protocols);
    launch->outcome.parts = NULL;
    launch->outcome.nparts = 0;
    cx_args_unref(&launch->request.args);
    cx_kernel_unref(&launch->request.kernel);
}

/* ---- checks ---- */

static bool allows_uneven(const struct cx_program *program, const struct cx_queue *queue)
{
    const char *options = program->build.options ? program->build.options : "";
    bool newer = strstr(options, "-cl-std=CL2") || strstr(options, "-cl-std=CL3");
    return newer && !strstr(options, "-cl-uniform-work-group-size") &&
           queue->context->workers[queue->fastest].device->non_uniform_groups;
}

/* Whether the member reports that it takes such groups, or will once it has built the program. */
static bool reports(const struct cx_kernel *kernel, unsigned member, cl_uint dims, const size_t *local)
{
    const struct cx_real_device *device = kernel->program->context->workers[member].device;
    size_t items = 1;
    for (cl_uint d = 0; d < dims; d++) {
        if (local[d] > device->limits.max_item_sizes[d])
            return false;
        items *= local[d];
    }
    return items <= cx_kernel_group_most(kernel, member);
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

/* ---- COEXEC_DEBUG=analysis_wait ---- */

/* Waits for all that a split of this launch would need, then lets it be planned. */
static void wait_for_analysis(void *data)
{
    struct cx_command *command = data;
    struct cx_launch *launch = (struct cx_launch *)command;
    unsigned ms = (unsigned)cx_options_get()->analysis_wait;

    cx_build_deferred_wait(launch->request.kernel->program, ms);
    cx_kernel_summary_wait(launch->request.kernel, ms);
    const struct cx_summary_kernel *summary = cx_kernel_summary(launch->request.kernel, NULL);
    if (summary && (summary->uses & CX_USE_NEEDS_REWRITE) &&
        cx_summary_forbids(summary, NULL, NULL) == CX_REASON_NONE)
        for (unsigned dim = 0; dim < launch->request.geometry.work_dim; dim++) {
            enum cx_variant variant = cx_subrange_variant(&launch->request.geometry, dim, true);
            cx_kernel_variant_want(launch->request.kernel, variant);
            cx_kernel_variant_wait(launch->request.kernel, variant, ms);
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
    if (cx_build_deferred_any(launch->request.kernel->program))
        return true;
    const struct cx_summary_kernel *summary = cx_kernel_summary(launch->request.kernel, NULL);
    if (!summary)
        return !cx_kernel_summary_wait(launch->request.kernel, 0);
    if (!(summary->uses & CX_USE_NEEDS_REWRITE))
        return false;
    for (unsigned m = 0; m < context->nmembers; m++)
        for (unsigned dim = 0; dim < launch->request.geometry.work_dim; dim++)
            if (cx_kernel_runs_on(launch->request.kernel, m) &&
                !cx_kernel_variant_ready(launch->request.kernel, m,
                                         cx_subrange_variant(&launch->request.geometry, dim, true)))
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

/* What is enqueued: once, or several times, each member in turn refusing it. */
struct wish {
    const char *function;
    struct cx_queue *queue;
    struct cx_kernel *kernel; /* NULL: the program is not built for the device */
    struct cx_args *args;     /* captured; NULL: one is missing */
    struct cx_access_geometry geometry;
    cl_command_type type;
    bool local_given, empty;
    bool beyond;    /* by all that drivers report they refuse it */
    bool uneven;    /* ... as its groups are not of one size, or not of the one that the kernel requires */
    uint64_t tried; /* members, as bits, that refused it */
    cl_uint nwait;
    const cl_event *list;
    cl_event *event;
};

/* What no driver can take is refused here. All else is the driver's to say. */
static cl_int check_local(struct wish *wish, const size_t *global, const size_t *local)
{
    const struct cx_queue *queue = wish->queue;
    const cl_uint dims = wish->geometry.work_dim;
    size_t required[3], items = 1;
    cx_kernel_required_size(wish->kernel, required);
    for (cl_uint d = 0; d < dims; d++) {
        if (local[d] == 0)
            return cx_fail(wish->function, CL_INVALID_WORK_GROUP_SIZE, "a local size is 0");
        if (__builtin_mul_overflow(items, local[d], &items))
            return cx_fail(wish->function, CL_INVALID_WORK_GROUP_SIZE, "more work-items than can be counted");
        wish->uneven |= (required[0] && required[d] != local[d]) ||
                        (global[d] % local[d] && !allows_uneven(wish->kernel->program, queue));
    }
    wish->beyond = true;
    for (unsigned m = 0; m < queue->context->nmembers && !wish->uneven; m++)
        wish->beyond &= !cx_queue_takes(queue, m) || !reports(wish->kernel, m, dims, local);
    return CL_SUCCESS;
}

/* What only a launch unlike those before has to be asked. */
static cl_int check_launch(struct wish *wish, const size_t *offset, const size_t *global, const size_t *local)
{
    const cl_uint dims = wish->geometry.work_dim;
    cl_int error = check_range(wish->function, dims, offset, global, &wish->empty);
    if (error != CL_SUCCESS)
        return error;
    if (!wish->kernel)
        return cx_fail(wish->function, CL_INVALID_PROGRAM_EXECUTABLE,
                       "the program is not built for the device");
    if (!wish->empty && local)
        error = check_local(wish, global, local);
    if (error == CL_SUCCESS && !wish->args)
        return cx_fail(wish->function, CL_INVALID_KERNEL_ARGS, "an argument is not set");
    return error;
}

static const struct cx_command_ops launch_ops = {
    .plan = cx_start_launch, .waits = cx_launch_waits, .lost = cx_launch_lost, .drop = drop};
static const struct cx_command_ops empty_ops = {.plan = cx_command_settle, .drop = drop}; /* no work-items */

static struct cx_launch *make_launch(const struct wish *wish)
{
    struct cx_launch *launch =
        (struct cx_launch *)cx_command_new(wish->queue->context, wish->queue, sizeof(*launch), wish->type,
                                           wish->empty ? &empty_ops : &launch_ops);
    if (!launch)
        return NULL;
    launch->base.inside = true;
    launch->base.name = wish->kernel->function->name;
    launch->request.kernel = cx_kernel_ref(wish->kernel);
    launch->request.args = cx_args_ref(wish->args);
    launch->decision.arg = -1;
    launch->request.local_given = wish->local_given;
    launch->request.geometry = wish->geometry;
    launch->acceptance.beyond = wish->beyond;
    launch->acceptance.uneven = wish->uneven;
    launch->acceptance.tried = wish->tried;
    if (is_shown(launch))
        cx_live_begun(wish->kernel->function->live);
    return launch;
}

/* Members that were not tried yet and may take it. *asks: one of them can be asked now. */
static bool others_left(const struct wish *wish, bool *asks)
{
    size_t local[3];
    bool left = false;
    *asks = false;
    for (unsigned d = 0; d < 3; d++)
        local[d] = wish->geometry.local[d];
    for (unsigned m = 0; m < wish->queue->context->nmembers; m++) {
        if (!cx_queue_takes(wish->queue, m) || wish->tried >> m & 1)
            continue;
        *asks |= cx_kernel_runs_on(wish->kernel, m);
        left |= *asks || (cx_build_deferred_on(wish->kernel->program, m) && wish->local_given &&
                          !wish->uneven && reports(wish->kernel, m, wish->geometry.work_dim, local));
    }
    return left;
}

/* The driver's refusal, where it is known, or is worth being waited for: a driver that runs kernels in the
 * calling thread would run it, too. Else the event tells. The caller has a reference. */
static cl_int hear(struct cx_launch *launch, unsigned *member)
{
    struct cx_context *context = launch->base.context;
    int asked = CX_ASKED_WAITS;
    cx_context_lock(context);
    const unsigned placed = launch->base.settled ? launch->acceptance.placed : 0;
    const uint64_t seq = launch->acceptance.placed_seq;
    const bool doubted = launch->acceptance.beyond && launch->acceptance.unproven;
    cx_context_unlock(context);
    if (placed && doubted)
        cx_worker_hand(&context->workers[placed - 1], seq);
    if (atomic_compare_exchange_strong(&launch->base.asked, &asked, CX_ASKED_NOT))
        return CL_SUCCESS;
    *member = launch->acceptance.placed - 1; /* for good, since it ran into the refusal there */
    return asked;
}

/* asks: a refusal is the answer, and *member's. */
static cl_int try_launch(const struct wish *wish, bool asks, unsigned *member)
{
    struct cx_launch *launch = make_launch(wish);
    cl_event event = NULL;
    if (!launch)
        return cx_fail(wish->function, CL_OUT_OF_HOST_MEMORY, "no memory for a command");
    if (!wish->empty && !wish->beyond)
        hold_for_analysis(launch);
    struct cx_command *command = &launch->base;
    if (!asks)
        return cx_command_submit(&command, wish->nwait, wish->list, wish->event, false);
    atomic_store(&command->asked, CX_ASKED_WAITS);
    struct cx_command *kept = cx_command_ref(command);
    cx_command_submit(&command, wish->nwait, wish->list, wish->event ? &event : NULL, false);
    const cl_int error = hear(launch, member);
    if (error == CL_SUCCESS && wish->event)
        *wish->event = event;
    else if (event)
        cx_object_release_app(&kept->base);
    cx_command_unref(&kept);
    return error;
}

/* The fastest member's driver is asked first; where it refuses the next one, and so on. */
static cl_int try_members(struct wish *wish)
{
    bool asks = !wish->empty && wish->queue->role == CX_QUEUE_PROGRAM, more;
    cl_int first = CL_SUCCESS;
    do {
        unsigned member = 0;
        const cl_int error = try_launch(wish, asks, &member);
        if (error == CL_SUCCESS || !asks)
            return error;
        const bool again = wish->tried >> member & 1;
        first = first == CL_SUCCESS ? error : first;
        wish->tried |= UINT64_C(1) << member;
        more = !again && others_left(wish, &asks);
    } while (more);
    return cx_fail(wish->function, first, "the device's driver refuses the launch");
}

/* args: captured before; NULL: as they are set now. */
static cl_int enqueue_launch(const char *function, cl_command_type type, cl_command_queue queue_handle,
                             cl_kernel kernel_handle, struct cx_args *args, cl_uint dims,
                             const size_t *offset, const size_t *global, const size_t *local, cl_uint nwait,
                             const cl_event *list, cl_event *event)
{
    struct wish wish = {.function = function, .type = type, .nwait = nwait, .list = list, .event = event};
    struct cx_kernel *given = cx_kernel_from(kernel_handle);
    size_t required[3];
    unsigned missing = 0;
    cl_int error = cx_enqueue_check(function, queue_handle, NULL, nwait, list, &wish.queue);
    if (error != CL_SUCCESS)
        return error;
    if (!given)
        return cx_fail(function, CL_INVALID_KERNEL, "no kernel of ours");
    if (given->program->context != wish.queue->context)
        return cx_fail(function, CL_INVALID_CONTEXT, "kernel and queue are of different contexts");
    if (dims < 1 || dims > 3)
        return cx_fail(function, CL_INVALID_WORK_DIMENSION, "neither 1, 2 nor 3");
    wish.kernel = cx_kernel_on(given, wish.queue->device);
    if (wish.kernel)
        cx_kernel_required_size(wish.kernel, required);
    if (wish.kernel && !local && required[0])
        local = required; /* some drivers refuse NULL for such kernels, which the spec allows */
    wish.geometry = geometry_of(dims, offset, global, local);
    wish.local_given = local != NULL;
    wish.args = args ? cx_args_ref(args) : cx_kernel_capture(given, &missing);
    if (!args && wish.args && wish.kernel && global && !nwait && !event &&
        cx_replay_launch(wish.queue, wish.kernel, &wish.args, &wish.geometry, local))
        return CL_SUCCESS;
    error = check_launch(&wish, offset, global, local);
    if (error == CL_SUCCESS)
        error = try_members(&wish);
    cx_args_unref(&wish.args);
    return error;
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
