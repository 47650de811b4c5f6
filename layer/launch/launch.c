/* SPDX-License-Identifier: MIT */
/*
 * Shared by whole, static and dynamic launches. See launch.h.
 */
#include "layer/launch/launch.h"
#include "layer/base/log.h"
#include "layer/memory/transfer.h"
#include "layer/memory/unsettled.h"
#include "layer/base/options.h"
#include "layer/launch/region_ranges.h"
#include "layer/plan/launch_form.h"
#include "layer/plan/trace_launch.h"
#include "layer/power/sampler.h"
#include "layer/report/live.h"
#include "layer/report/transfer_counts.h"
#include "layer/plan/launch_prepare.h"
#include "layer/program/kernel_bind.h"

void cx_launch_release(struct cx_launch *launch)
{
    for (unsigned i = 0; i < launch->request.args->count; i++)
        if (cx_launch_mem(launch, i))
            cx_unsettled_release(cx_launch_mem(launch, i), &launch->base);
}

/* Brings what an access needs to a place: bytes that are written for certain are not needed. */
static cl_int gather_ranges(struct cx_launch *launch, struct cx_mem *mem,
                            const struct cx_access_region *region, bool write, unsigned place)
    CX_HOLDS(cx_context_locked)
{
    struct cx_byte_ranges ranges;
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    if (cx_region_needs(&ranges, mem, region, write, place))
        error = cx_transfer_ranges(&launch->base, mem->root, ranges.range, ranges.count, place,
                                   &launch->outcome.moved);
    cx_byte_ranges_finish(&ranges);
    return error;
}

bool cx_launch_moves(const struct cx_launch *launch, const struct cx_worker *worker)
{
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        if (mem && cx_mem_place(mem->root, worker) != CX_PLACE_HOST)
            return true;
    }
    return false;
}

static uint64_t length(uint64_t lo, uint64_t hi)
{
    return lo < hi ? hi - lo : 0;
}

void cx_launch_count_in_place(const struct cx_launch *launch, const struct cx_access_region *regions,
                              const struct cx_worker *worker)
{
    uint64_t bytes = 0;
    if (!cx_options_get()->summary)
        return;
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        const struct cx_access_interval *read = &regions[i].read, *write = &regions[i].write;
        if (!mem || cx_launch_protocol(launch, i) > CX_PROTOCOL_EXCLUSIVE ||
            cx_mem_place(mem->root, worker) != CX_PLACE_HOST)
            continue;
        bytes +=
            length(read->lo, read->hi) + length(write->lo, write->hi) -
            length(read->lo > write->lo ? read->lo : write->lo, read->hi < write->hi ? read->hi : write->hi);
    }
    cx_transfer_counts_add(CX_ROUTE_IN_PLACE, true, bytes);
}

/* Brings what a package reads, and what it may leave unwritten of what it writes, to the
 * member. */
static cl_int bring(struct cx_launch *launch, const struct cx_access_region *regions,
                    const struct cx_worker *worker) CX_HOLDS(cx_context_locked)
{
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < launch->request.args->count && error == CL_SUCCESS; i++) {
        struct cx_mem *mem = cx_launch_mem(launch, i);
        if (!mem || cx_launch_protocol(launch, i) > CX_PROTOCOL_EXCLUSIVE)
            continue;
        const unsigned place = cx_mem_place(mem->root, worker);
        error = gather_ranges(launch, mem, &regions[i], false, place);
        if (error == CL_SUCCESS)
            error = gather_ranges(launch, mem, &regions[i], true, place);
    }
    return error;
}

cl_int cx_launch_gather(struct cx_launch *launch, const struct cx_access_region *regions,
                        const struct cx_worker *worker)
{
    cx_launch_count_in_place(launch, regions, worker);
    return bring(launch, regions, worker);
}

void cx_launch_deps(const struct cx_launch *launch, const struct cx_access_region *regions,
                    const struct cx_worker *worker, bool uploads, uint64_t *deps)
{
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        const struct cx_access_interval *read = &regions[i].read, *write = &regions[i].write;
        const bool in_place = mem && cx_mem_place(mem->root, worker) == CX_PLACE_HOST;
        if (!mem || (!uploads && (cx_launch_is_private(launch, i) || !in_place)))
            continue;
        if (read->lo < write->lo || read->hi > write->hi)
            cx_coherence_host_deps(mem->storage->coherence, mem->origin + read->lo, mem->origin + read->hi,
                                   false, worker->index, deps);
        cx_coherence_host_deps(mem->storage->coherence, mem->origin + write->lo, mem->origin + write->hi,
                               in_place, worker->index, deps);
    }
}

/* Where what the worker's packages write through the argument is then. */
static unsigned place_of(const struct cx_launch *launch, unsigned arg, const struct cx_mem *root,
                         const struct cx_worker *worker)
{
    return cx_launch_protocol(launch, arg) == CX_PROTOCOL_REMOTE ? 1 + launch->decision.remote_owner
                                                                 : cx_mem_place(root, worker);
}

static bool own_pieces(struct cx_mem *mem, const struct cx_access_region *region, unsigned place)
    CX_HOLDS(cx_context_locked)
{
    struct cx_byte_ranges ranges;
    if (cx_region_takes_gaps(mem, region, place))
        return cx_coherence_own(mem->storage->coherence, mem->origin + region->write.lo,
                                mem->origin + region->write.hi, place);
    bool ok = cx_region_ranges(&ranges, mem, region, true, false);
    for (size_t i = 0; i < ranges.count && ok; i++)
        ok = cx_coherence_own(mem->storage->coherence, ranges.range[i].lo, ranges.range[i].hi, place);
    cx_byte_ranges_finish(&ranges);
    return ok;
}

bool cx_launch_note(struct cx_launch *launch, const struct cx_access_region *regions,
                    const struct cx_worker *worker, uint64_t seq)
{
    uint64_t ignored[64] = {0}; /* deps were collected before */
    bool ok = true;
    for (unsigned i = 0; i < launch->request.args->count && ok; i++) {
        struct cx_mem *mem = cx_launch_mem(launch, i);
        const struct cx_access_interval *read = &regions[i].read, *write = &regions[i].write;
        if (!mem || cx_launch_is_private(launch, i))
            continue;
        struct cx_coherence *map = mem->storage->coherence;
        const unsigned place = place_of(launch, i, mem->root, worker);
        const bool covered =
            write->lo <= read->lo && read->hi <= write->hi; /* who waits for the writer has waited */
        if (place == CX_PLACE_HOST && !covered)
            ok = cx_coherence_host_read(map, mem->origin + read->lo, mem->origin + read->hi, worker->index,
                                        seq, ignored);
        if (place == CX_PLACE_HOST && ok)
            ok = cx_coherence_host_share(map, mem->origin + write->lo, mem->origin + write->hi, worker->index,
                                         seq);
        if (ok && write->lo < write->hi && cx_launch_protocol(launch, i) != CX_PROTOCOL_MERGE)
            ok = own_pieces(mem, &regions[i], place);
        cx_transfer_tidy(mem->root);
    }
    return ok;
}

void cx_launch_args_lost(const struct cx_kernel *kernel, const struct cx_args *args)
{
    const struct cx_summary_kernel *summary = cx_launch_accesses(kernel);
    for (unsigned i = 0; i < args->count; i++) {
        struct cx_mem *mem = cx_args_mem(args, i);
        if (mem && cx_launch_args_may_write(args, summary, i))
            cx_coherence_void(mem->storage->coherence, mem->origin, mem->origin + mem->size);
    }
}

void cx_launch_lost(struct cx_command *command)
{
    struct cx_launch *launch = (struct cx_launch *)command;
    cx_launch_args_lost(launch->request.kernel, launch->request.args);
    const struct cx_context *context = command->context;
    for (size_t i = 0; i < context->memory.svm.n && launch->decision.on_svm_owner;
         i++) /* it may have written anywhere */
        cx_coherence_void(context->memory.svm.list[i]->storage->coherence, 0,
                          context->memory.svm.list[i]->size);
}

/* Fills the range with the sizes and offset that the real driver gets for groups [first, end); gives the
 * local size, NULL for the driver's own choice. Changes nothing of the launch, and needs no lock. */
static const size_t *range_of(const struct cx_launch *launch, const struct cx_part *part, unsigned dim,
                              uint64_t first, uint64_t end, struct cx_subrange_launch *range)
{
    cx_subrange_package(&launch->request.geometry, dim, part->variant, first, end, range);
    return part->whole && !launch->request.local_given ? NULL : range->local;
}

bool cx_launch_package_is_new(const struct cx_launch *launch, const struct cx_part *part, unsigned dim,
                              uint64_t first, uint64_t end)
{
    struct cx_subrange_launch range;
    const size_t *local = range_of(launch, part, dim, first, end, &range);
    return cx_kernel_is_new(launch->request.kernel, part->member, part->variant, range.dims, range.offset,
                            range.global, local);
}

void cx_launch_waits(struct cx_command *command)
{
    struct cx_launch *launch = (struct cx_launch *)command;
    const struct cx_context *context = command->context;
    bool compiles = false;
    for (unsigned m = 0; m < context->nmembers; m++) {
        if (!(context->workers[m].device->type & CL_DEVICE_TYPE_CPU))
            continue;
        if (!cx_launch_may_compile_on(launch, m, CX_VARIANT_PLAIN, true))
            return; /* once the process is ending it is planned for that member */
        compiles = true;
    }
    if (compiles)
        cx_exit_guard_uncompiled(&launch->run.uncompiled, CX_UNCOMPILED_PLANNED);
}

cl_int cx_launch_compile_begin(struct cx_kernel *kernel, struct cx_worker *worker,
                               const struct cx_launch_kind *kind, const struct cx_subrange_launch *range,
                               const size_t *local, bool *counts)
{
    const unsigned m = worker->index;
    *counts = cx_worker_compile_begin(worker);
    if (!*counts && cx_worker_compiler_gone(worker)) {
        cx_context_lock(worker->context);
        const bool ran =
            cx_launch_kernel_ran(kernel, kind->geometry, kind->local_given, m, kind->variant, kind->at_start);
        cx_context_unlock(worker->context);
        *counts = !ran && cx_worker_compile_late(worker);
        if (!ran && !*counts)
            return CL_DEVICE_NOT_AVAILABLE;
    }
    cx_kernel_may_compile(kernel, m, kind->variant, range->dims, range->offset, range->global, local);
    return CL_SUCCESS;
}

cl_int cx_launch_package(struct cx_launch *launch, struct cx_worker *worker, const struct cx_part *part,
                         unsigned dim, uint64_t first, uint64_t end, cl_command_queue queue, cl_event after,
                         cl_event *event)
{
    struct cx_subrange_launch range;
    cl_kernel real;
    cx_live_runs(launch->request.kernel->function->live);
    cl_int error = cx_kernel_bind(launch->request.kernel, worker->index, part->variant,
                                  part->args ? part->args : launch->request.args, &real);
    if (error == CL_SUCCESS) {
        const size_t *local = range_of(launch, part, dim, first, end, &range);
        bool counts = false;
        if (cx_worker_compiles(worker) &&
            cx_kernel_is_new(launch->request.kernel, worker->index, part->variant, range.dims, range.offset,
                             range.global, local))
            error =
                cx_launch_compile_begin(launch->request.kernel, worker,
                                        &(struct cx_launch_kind){.variant = part->variant,
                                                                 .geometry = &launch->request.geometry,
                                                                 .local_given = launch->request.local_given,
                                                                 .at_start = first == 0},
                                        &range, local, &counts);
        if (error == CL_SUCCESS)
            error = worker->device->cl->clEnqueueNDRangeKernel(queue, real, range.dims, range.offset,
                                                               range.global, local, after ? 1 : 0,
                                                               after ? &after : NULL, event);
        cx_worker_compile_end(worker, counts, error == CL_SUCCESS ? *event : NULL);
    }
    if (error == CL_SUCCESS && !worker->device->probe.synchronous)
        error = worker->device->cl->clFlush(queue);
    if (error != CL_SUCCESS) /* a launch beyond what drivers report is tried */
        cx_log(launch->acceptance.beyond ? CX_LEVEL_INFO : CX_LEVEL_WARN, CX_TOPIC_WORKER,
               "%s fails to start %s: %s", worker->device->name, launch->request.kernel->function->name,
               cx_cl_name(error));
    return error;
}

void cx_launch_part_add(struct cx_launch *launch, struct cx_part *part, uint64_t groups, uint64_t start_ns,
                        uint64_t end_ns, uint64_t busy_ns)
{
    part->groups += groups;
    part->packages++;
    part->busy_ns += busy_ns;
    uint64_t items =
        groups ? groups : cx_launch_items(&launch->request.geometry); /* the local size is the driver's */
    for (unsigned d = 0; groups && d < launch->request.geometry.work_dim; d++)
        items *= launch->request.geometry.local[d];
    cx_live_worked(launch->base.context->workers[part->member].device->index, items, busy_ns);
    if (start_ns && end_ns > start_ns)
        cx_power_computed(launch->base.context->workers[part->member].device->index,
                          launch->request.kernel->function->stats, start_ns, end_ns);
    if (start_ns && (!part->first_ns || start_ns < part->first_ns))
        part->first_ns = start_ns;
    if (end_ns > part->last_ns)
        part->last_ns = end_ns;
    if (start_ns)
        cx_trace_package(launch, part, groups, start_ns, end_ns);
}
