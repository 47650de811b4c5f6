/* SPDX-License-Identifier: MIT */
/*
 * Runs a failed share on another member. See failover.h. The other member's worker has jobs of its own, which
 * may wait for the failed one; so its queue, kernels and buffers are not used. New ones are made for this
 * share in its real context.
 */
#include "layer/launch/failover.h"
#include "layer/plan/launch_form.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/launch/region_ranges.h"
#include "layer/plan/plan_size.h"
#include "layer/source/subrange.h"
#include "layer/program/program.h"
#include "layer/program/kernel_bind.h"
#include "layer/timeline/queue.h"
#include "layer/memory/sampler.h"
#include "layer/plan/launch_stats.h"
#include "layer/launch/launch.h"
#include "layer/plan/judge.h"

#include <stdlib.h>
#include <string.h>

struct failover {
    struct cx_launch *launch;
    struct cx_worker *from, *to;      /* the member that failed, and the other one */
    struct cx_access_region *regions; /* of the share, by argument */
    enum cx_variant variant;
    struct cx_subrange_launch range;
    bool local_given;
    cl_command_queue queue;
    cl_mem *clone;  /* by argument: of its root; the same for all of one root */
    cl_mem *window; /* by argument: its part of the clone, where that is not all */
};

/* ---- bytes ---- */

/* Bytes of the root at the member's place, which nobody else writes meanwhile. */
static cl_int access_place(const struct cx_worker *worker, const struct cx_mem *root,
                           struct cx_byte_range range, unsigned char *bytes, bool write)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    const size_t size = (size_t)(range.hi - range.lo);
    if (cx_mem_place(root, worker) == CX_PLACE_HOST) {
        memcpy(write ? root->storage->host + range.lo : bytes, write ? bytes : root->storage->host + range.lo,
               size);
        return CL_SUCCESS;
    }
    cl_mem real = root->real[worker->index];
    const cl_command_queue queue =
        worker->queue; /* another one may come into use, which waits for jobs alone */
    if (!write)
        return cl->clEnqueueReadBuffer(queue, real, CL_TRUE, range.lo, size, bytes, 0, NULL, NULL);
    const cl_int error = cl->clEnqueueWriteBuffer(queue, real, CL_TRUE, range.lo, size, bytes, 0, NULL, NULL);
    return error == CL_SUCCESS ? cl->clFinish(queue) : error;
}

/* One piece, from the failed member's place to the clone or back. */
static cl_int copy_range(const struct failover *e, unsigned i, struct cx_byte_range range, bool back)
{
    const cl_icd_dispatch *cl = e->to->device->cl;
    const struct cx_mem *root = cx_launch_mem(e->launch, i)->root;
    const size_t size = (size_t)(range.hi - range.lo);
    unsigned char *bytes = malloc(size + 1);
    cl_int error = bytes ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (error == CL_SUCCESS && back)
        error = cl->clEnqueueReadBuffer(e->queue, e->clone[i], CL_TRUE, range.lo, size, bytes, 0, NULL, NULL);
    if (error == CL_SUCCESS)
        error = access_place(e->from, root, range, bytes, back);
    if (error == CL_SUCCESS && !back)
        error =
            cl->clEnqueueWriteBuffer(e->queue, e->clone[i], CL_TRUE, range.lo, size, bytes, 0, NULL, NULL);
    free(bytes);
    return error;
}

static cl_int copy_ranges(const struct failover *e, unsigned i, bool written, bool inexact, bool back)
{
    struct cx_byte_ranges ranges;
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    if (cx_region_ranges(&ranges, cx_launch_mem(e->launch, i), &e->regions[i], written, inexact)) {
        error = CL_SUCCESS;
        for (size_t k = 0; k < ranges.count && error == CL_SUCCESS; k++)
            error = copy_range(e, i, ranges.range[k], back);
    }
    cx_byte_ranges_finish(&ranges);
    return error;
}

/* ---- objects on the other member ---- */

static cl_int make_clone(struct failover *e, unsigned i)
{
    const cl_icd_dispatch *cl = e->to->device->cl;
    const struct cx_mem *mem = cx_launch_mem(e->launch, i);
    cl_int error = CL_SUCCESS;
    for (unsigned k = 0; k < i && !e->clone[i]; k++) {
        const struct cx_mem *other = cx_launch_mem(e->launch, k);
        if (other && other->root == mem->root) {
            e->clone[i] = e->clone[k];
            cl->clRetainMemObject(e->clone[i]);
        }
    }
    if (!e->clone[i])
        e->clone[i] = cx_mem_make_own(e->to, mem->root->size, &error);
    if (error == CL_SUCCESS && mem != mem->root)
        e->window[i] = cl->clCreateSubBuffer(e->clone[i], CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                             &(cl_buffer_region){mem->origin, mem->size}, &error);
    return error;
}

static cl_int set_arg(const struct failover *e, cl_kernel real, unsigned i)
{
    const cl_icd_dispatch *cl = e->to->device->cl;
    const struct cx_arg *arg = &e->launch->request.args->arg[i];
    const cl_mem object = e->window[i] ? e->window[i] : e->clone[i];
    switch (arg->kind) {
    case CX_ARGS_MEM:
        return cl->clSetKernelArg(real, i, sizeof(object), &object);
    case CX_ARGS_SAMPLER:
        return cl->clSetKernelArg(real, i, sizeof(cl_sampler), &arg->sampler->real[e->to->index]);
    case CX_ARGS_VALUE:
        return cl->clSetKernelArg(real, i, arg->size, arg->value);
    case CX_ARGS_LOCAL:
        return cl->clSetKernelArg(real, i, arg->size, NULL);
    default:
        return CL_INVALID_KERNEL_ARGS;
    }
}

/* Whether the other member has run such a launch before, so that its driver need not compile. */
static bool has_run(const struct failover *e)
{
    const struct cx_launch *launch = e->launch;
    const size_t *offset = e->range.offset;
    cx_context_lock(launch->base.context);
    const bool ran =
        cx_launch_kernel_ran(launch->request.kernel, &launch->request.geometry, launch->request.local_given,
                             e->to->index, e->variant, !offset[0] && !offset[1] && !offset[2]);
    cx_context_unlock(launch->base.context);
    return ran;
}

static cl_int run_kernel(const struct failover *e, cl_kernel real)
{
    const struct cx_subrange_launch *range = &e->range;
    const cl_icd_dispatch *cl = e->to->device->cl;
    cl_event event = NULL;
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < e->launch->request.args->count && error == CL_SUCCESS; i++)
        error = set_arg(e, real, i);
    const bool counts = cx_worker_compile_begin(e->to);
    if (!counts && cx_worker_compiler_gone(e->to) && !has_run(e))
        error = CL_DEVICE_NOT_AVAILABLE;
    if (error == CL_SUCCESS)
        error = cl->clEnqueueNDRangeKernel(e->queue, real, range->dims, range->offset, range->global,
                                           e->local_given ? range->local : NULL, 0, NULL, &event);
    cx_worker_compile_end(e->to, counts, error == CL_SUCCESS ? event : NULL);
    if (error != CL_SUCCESS)
        return error;
    const cl_int unwaited = cx_worker_wait_event(e->to, event);
    error = cx_worker_event_error(e->to, event);
    cl->clReleaseEvent(event);
    return error == CL_SUCCESS ? unwaited : error;
}

static cl_int run_share(struct failover *e)
{
    const cl_icd_dispatch *cl = e->to->device->cl;
    const struct cx_kernel *kernel = e->launch->request.kernel;
    const unsigned nargs = e->launch->request.args->count;
    cl_int error = CL_SUCCESS;

    for (unsigned i = 0; i < nargs && error == CL_SUCCESS; i++) {
        if (!cx_launch_mem(e->launch, i))
            continue;
        error = make_clone(e, i);
        if (error == CL_SUCCESS)
            error = copy_ranges(e, i, false, false, false);
        if (error == CL_SUCCESS)
            error = copy_ranges(e, i, true, true, false);
    }
    cl_kernel real = NULL;
    if (error == CL_SUCCESS)
        real = cl->clCreateKernel(kernel->program->members[e->to->index].real[e->variant],
                                  kernel->function->name, &error);
    if (error == CL_SUCCESS)
        error = run_kernel(e, real);
    for (unsigned i = 0; i < nargs && error == CL_SUCCESS; i++)
        if (cx_launch_mem(e->launch, i))
            error = copy_ranges(e, i, true, false, true);
    if (real)
        cl->clReleaseKernel(real);
    return error;
}

/* With the other member, from beginning to end. */
static cl_int try_member(struct failover *e)
{
    const cl_icd_dispatch *cl = e->to->device->cl;
    const unsigned nargs = e->launch->request.args->count;
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    e->clone = calloc(nargs + 1u, sizeof(cl_mem));
    e->window = calloc(nargs + 1u, sizeof(cl_mem));
    e->queue = cl->clCreateCommandQueue(e->to->real_context, e->to->device->id, 0, &error);
    if (e->clone && e->window && error == CL_SUCCESS)
        error = run_share(e);
    for (unsigned i = 0; e->clone && e->window && i < nargs; i++) {
        if (e->window[i])
            cl->clReleaseMemObject(e->window[i]);
        if (e->clone[i])
            cl->clReleaseMemObject(e->clone[i]);
    }
    if (e->queue)
        cl->clReleaseCommandQueue(e->queue);
    free(e->clone);
    free(e->window);
    return error;
}

/* ---- whether it may be ---- */

static bool overlap(const struct cx_mem *a, const struct cx_access_interval *written, const struct cx_mem *b,
                    const struct cx_access_interval *read)
{
    return a->root == b->root && written->lo < written->hi && read->lo < read->hi &&
           a->origin + written->lo < b->origin + read->hi && b->origin + read->lo < a->origin + written->hi;
}

/* Whether all that the share needs is as it was, and copies stand for its buffers. */
static bool is_possible(const struct cx_launch *launch, const struct cx_access_region *regions, bool started)
{
    if (launch->decision.protocols || launch->decision.on_svm_owner || launch->request.args->svm)
        return false;
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        if (mem && (mem->image || mem->root->image || mem->storage->svm))
            return false;
        for (unsigned k = 0; mem && started && k < launch->request.args->count; k++) {
            const struct cx_mem *other = cx_launch_mem(launch, k);
            if (other && overlap(mem, &regions[i].write, other, &regions[k].read))
                return false;
        }
    }
    return true;
}

static bool find_regions(struct cx_launch *launch, uint64_t first, uint64_t end,
                         struct cx_access_region *regions)
{
    struct cx_context *context = launch->base.context;
    cx_context_lock(context);
    struct cx_cached_verdict *judged = cx_judge_launch(launch);
    const bool known = judged && judged->access && judged->verdict.separable;
    if (known)
        cx_access_package(judged->access, first, end, regions);
    cx_context_unlock(context);
    return known;
}

cl_int cx_failover_share(struct cx_launch *launch, struct cx_worker *worker, const struct cx_part *part,
                         unsigned dim, uint64_t first, uint64_t end, bool started)
{
    struct failover e = {.launch = launch, .from = worker, .local_given = true};
    cl_int error = CL_OUT_OF_RESOURCES;
    e.regions = calloc(launch->request.args->count + 1u, sizeof(*e.regions));
    bool possible = cx_options_get()->reexecute && !part->args && e.regions &&
                    find_regions(launch, first, end, e.regions) && is_possible(launch, e.regions, started) &&
                    worker->device->cl->clFinish(worker->queue) == CL_SUCCESS;
    for (unsigned p = 0; p < launch->outcome.nparts && possible && error != CL_SUCCESS; p++) {
        const struct cx_part *other = &launch->outcome.parts[p];
        if (other->member == worker->index || !cx_kernel_runs_on(launch->request.kernel, other->member))
            continue;
        e.to = &launch->base.context->workers[other->member];
        e.variant = other->variant;
        cx_subrange_package(&launch->request.geometry, dim, e.variant, first, end, &e.range);
        error = try_member(&e);
        if (error != CL_SUCCESS)
            continue;
        cx_info(CX_TOPIC_PLAN, "%s: %s did what %s failed to do", launch->request.kernel->function->name,
                e.to->device->name, worker->device->name);
        cx_launch_decided(launch, other->member, CX_PART_STANDS_IN);
    }
    free(e.regions);
    return error;
}

/* Whether the kernel uses variables of its program's, which only the member has that ran it before. */
static bool has_state(const struct cx_launch *launch)
{
    const struct cx_summary_kernel *summary = cx_kernel_summary(launch->request.kernel, NULL);
    return atomic_load(&launch->request.kernel->program->build.variables_owner) && summary &&
           summary->flags & CX_SUMMARY_PINNED;
}

/* The members that report that they take it; where none could, as it is beyond what drivers report, those
 * that did not refuse it yet. */
static uint64_t find_takers(const struct cx_launch *launch, const struct cx_worker *worker)
{
    struct cx_context *context = launch->base.context;
    uint64_t members = 0;
    cx_context_lock(context);
    for (unsigned m = 0; m < context->nmembers && !has_state(launch); m++)
        if (m != worker->index && cx_queue_takes(launch->base.queue, m) &&
            cx_kernel_runs_on(launch->request.kernel, m) &&
            (launch->acceptance.beyond ? !cx_take_refused(launch, m) : cx_plan_fits(launch, m)))
            members |= UINT64_C(1) << m;
    cx_context_unlock(context);
    return members;
}

cl_int cx_failover_whole(struct cx_launch *launch, struct cx_worker *worker, cl_int refusal)
{
    struct failover e = {.launch = launch, .from = worker, .local_given = launch->request.local_given};
    struct cx_context *context = launch->base.context;
    const uint64_t members = find_takers(launch, worker);
    cl_int error = refusal;
    if (!members)
        return refusal;
    cx_context_lock(context);
    e.regions = cx_whole_regions(launch);
    cx_context_unlock(context);
    const bool possible = e.regions && is_possible(launch, e.regions, false) &&
                          worker->device->cl->clFinish(worker->queue) == CL_SUCCESS;
    e.range.dims = launch->request.geometry.work_dim;
    for (unsigned d = 0; d < 3; d++) {
        e.range.offset[d] = launch->request.geometry.offset[d];
        e.range.global[d] = launch->request.geometry.global[d];
        e.range.local[d] = launch->request.geometry.local[d];
    }
    for (unsigned m = 0; m < context->nmembers && possible && error != CL_SUCCESS; m++) {
        if (!(members >> m & 1))
            continue;
        e.to = &context->workers[m];
        error = try_member(&e);
        if (error == CL_SUCCESS)
            cx_info(CX_TOPIC_PLAN, "%s: %s did what %s refused", launch->request.kernel->function->name,
                    e.to->device->name, worker->device->name);
    }
    free(e.regions);
    return error == CL_SUCCESS ? error : refusal;
}
