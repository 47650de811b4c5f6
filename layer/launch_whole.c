/* SPDX-License-Identifier: MIT */
/*
 * A launch on one member: the program's own kernel, range and local size.
 */
#include "layer/enqueue.h"
#include "layer/log.h"
#include "layer/options.h"
#include "layer/plan.h"
#include "layer/svm.h"
#include "layer/plan_size.h"
#include "layer/trace.h"

#include <stdlib.h>
#include <string.h>

static cl_int run_whole(struct cx_job *job, struct cx_worker *worker)
{
    struct cx_launch *launch = (struct cx_launch *)job->command;
    const struct cx_access_geometry *geometry = &launch->geometry;
    size_t offset[3], global[3], local[3];
    cl_kernel real;
    cl_int error = cx_kernel_bind(launch->kernel, worker->index, CX_VARIANT_PLAIN, launch->args, &real);
    for (unsigned d = 0; d < 3; d++) {
        offset[d] = geometry->offset[d];
        global[d] = geometry->global[d];
        local[d] = geometry->local[d];
    }
    if (error == CL_SUCCESS)
        error = worker->device->cl->clEnqueueNDRangeKernel(worker->queue, real, geometry->work_dim, offset,
                                                           global, launch->local_given ? local : NULL, 0,
                                                           NULL, job->track ? &job->event : NULL);
    job->loose = error == CL_SUCCESS && !job->track;
    if (error != CL_SUCCESS)
        cx_warn(CX_TOPIC_WORKER, "%s fails to run %s: %s", worker->device->name,
                launch->kernel->function->name, cx_cl_name(error));
    if (error == CL_OUT_OF_RESOURCES || error == CL_INVALID_PROGRAM_EXECUTABLE ||
        error == CL_BUILD_PROGRAM_FAILURE)
        cx_kernel_leave_out(launch->kernel, worker->index, cx_cl_name(error));
    return error;
}

static void finish_whole(struct cx_job *job, struct cx_worker *worker)
{
    struct cx_launch *launch = (struct cx_launch *)job->command;
    uint64_t groups = launch->geometry.local[0] ? cx_launch_groups(launch) : 0;
    uint64_t ns = job->end_ns > job->start_ns ? job->end_ns - job->start_ns : 0;
    if (job->status != CL_SUCCESS) {
        if (!job->stale && job->event) { /* the driver took it and failed */
            cx_kernel_leave_out(launch->kernel, worker->index, cx_cl_name(job->status));
            cx_worker_failed(worker, job->status);
        }
        return;
    }
    if (launch->parts)
        cx_part_add(launch, launch->parts, groups, job->start_ns, job->end_ns, ns);
    if (job->timed && ns)
        cx_launch_learn_package(launch, worker->index, CX_VARIANT_PLAIN, true, groups, (double)ns * 1e-9);
    if (launch->lacks && !launch->counted) {
        pthread_mutex_lock(&launch->base.context->lock);
        cx_plan_without(launch);
        pthread_mutex_unlock(&launch->base.context->lock);
    }
}

/* What an argument touches where no summary tells: all of it, read and written. CL_MEM_READ_ONLY proves
 * nothing of a buffer: hashcat has a kernel fill one, which works on every driver. For images the drivers see
 * to it. The region was zeroed. */
static void opaque_region(const struct cx_launch *launch, unsigned i, const struct cx_summary_kernel *summary,
                          struct cx_access_region *region)
{
    const struct cx_mem *mem = cx_launch_mem(launch, i);
    bool known = summary && !(summary->flags & CX_SUMMARY_OPAQUE) && i < summary->narg;
    bool written = !(mem->image && mem->flags & CL_MEM_READ_ONLY);
    region->read.hi = mem->size;
    region->write.hi = written ? mem->size : 0;
    if (known && !(summary->arg[i].touch & (CX_TOUCH_WRITE | CX_TOUCH_ATOMIC)))
        region->write.hi = 0;
    if (known && !summary->arg[i].touch)
        region->read.hi = 0;
}

/* Whether some member works on memory of its own, so that moving less than everything pays. */
static bool has_shadows(const struct cx_launch *launch)
{
    const struct cx_context *context = launch->base.context;
    for (unsigned m = 0; m < context->nmembers && context->nmembers > 1; m++)
        if (cx_launch_moves(launch, &context->workers[m]))
            return true;
    return false;
}

/* Regions of few arguments, which need no memory of their own. */
enum { FEW = 4 };

static struct cx_access_region *whole_regions(struct cx_launch *launch, struct cx_access_region *few)
{
    unsigned nargs = launch->args->count;
    struct cx_access_region *regions =
        nargs > FEW ? calloc(nargs, sizeof(*regions)) : memset(few, 0, nargs * sizeof(*few));
    if (!regions)
        return NULL;
    const struct cx_summary_kernel *summary = cx_kernel_summary(launch->kernel, NULL);
    /* what forbids a split may also mean that accesses escape the summary */
    if (summary && cx_summary_forbids(summary, NULL, NULL) != CX_REASON_NONE)
        summary = NULL;
    struct cx_judged *judged = summary && has_shadows(launch) ? cx_plan_judge(launch) : NULL;
    if (judged && judged->access) {
        cx_access_whole(judged->access, regions);
        return regions;
    }
    for (unsigned i = 0; i < nargs; i++)
        if (cx_launch_mem(launch, i))
            opaque_region(launch, i, summary, &regions[i]);
    return regions;
}

/* Times cost two queries: they are taken where somebody asks, and now and then to learn. */
static bool wants_times(const struct cx_launch *launch, unsigned member)
{
    const struct cx_context *context = launch->base.context;
    if ((launch->base.queue->properties & CL_QUEUE_PROFILING_ENABLE) || cx_options_get()->summary ||
        cx_trace_on())
        return true;
    if (context->nmembers < 2 && !context->workers[member].device->submits_in_caller)
        return false;
    const struct cx_learned *learned = launch->kernel->function->learned;
    return !learned || learned->records[member].samples < 8 || launch->base.base.id % 64 == 0;
}

/* Handing a job to another thread costs about as much as this. */
static const double brief_seconds = 3e-6;

/* Whether the member, by the slowest launches of this function of late, is done with it at once. */
static bool is_brief(const struct cx_launch *launch, unsigned member)
{
    const struct cx_learned *learned = launch->kernel->function->learned;
    const struct cx_speed_record *record = learned ? &learned->records[member] : NULL;
    if (!record || record->samples < 4 || !launch->local_given)
        return false;
    uint64_t groups = cx_launch_groups(launch);
    uint64_t fill = cx_plan_fill(launch->base.context->workers[member].device, &launch->geometry);
    return (double)(groups > fill ? groups : fill) < brief_seconds * record->slowest;
}

void cx_launch_whole(struct cx_launch *launch, unsigned member)
{
    struct cx_command *command = &launch->base;
    struct cx_worker *worker = &command->context->workers[member];
    struct cx_access_region few[FEW], *regions = whole_regions(launch, few);
    cl_int error = regions ? cx_launch_gather(launch, regions, worker) : CL_OUT_OF_HOST_MEMORY;
    if (error == CL_SUCCESS && launch->at_home)
        error = cx_svm_gather(launch);
    struct cx_job *job = error == CL_SUCCESS ? cx_job_new(command->context) : NULL;

    if (error == CL_SUCCESS && job) {
        cx_launch_deps(launch, regions, worker, false, job->deps);
        if (!cx_launch_note(launch, regions, worker, worker->planned + 1))
            error = CL_OUT_OF_HOST_MEMORY;
        else if (launch->at_home)
            error = cx_svm_note(launch, job);
    } else if (error == CL_SUCCESS) {
        error = CL_OUT_OF_HOST_MEMORY;
    }
    if (regions != few)
        free(regions);
    if (error != CL_SUCCESS) {
        free(job);
        cx_command_fail(command, error);
        return;
    }
    if (cx_options_get()->summary || cx_trace_on()) {
        launch->parts = calloc(1, sizeof(*launch->parts));
        launch->nparts = launch->parts ? 1 : 0;
        if (launch->parts)
            launch->parts->member = member;
    }
    job->run = run_whole;
    job->finish = finish_whole;
    job->timed = wants_times(launch, member);
    job->brief = worker->device->submits_in_caller && is_brief(launch, member);
    job->track = job->timed || worker->device->submits_in_caller;
    cx_command_add_job(command, worker, job);
    cx_command_settle(command);
}
