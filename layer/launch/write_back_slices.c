/* SPDX-License-Identifier: MIT */
/*
 * Decides into how many slices a package is cut, so that results of the first ones are written back while the
 * others run. See slices.h for the arithmetic, write_back.h for what is written back.
 */
#include "layer/launch/write_back_inside.h"
#include "layer/plan/slices.h"
#include "layer/plan/pending_reads.h"
#include "layer/base/options.h"
#include "layer/plan/plan_size.h"
#include "layer/launch/region_ranges.h"

#include <stdlib.h>

enum { LEAST_SLICE = 2 * CX_WRITE_BACK_LEAST_BYTES };

/* Bytes that a package writes through the argument and that are read by those who wait. */
static uint64_t bytes_awaited(const struct cx_waiting *waiting, const struct cx_mem *mem,
                              const struct cx_access_region *region, const struct cx_worker *worker)
{
    uint64_t bytes = 0;
    const bool in_place = region->read.lo < region->read.hi; /* nothing of it is written back in slices */
    for (unsigned w = 1; w < waiting->count; w++) {
        struct cx_transfer_list transfers = {.upload = false};
        if (in_place && waiting->command[w]->pending_read->map)
            continue;
        const bool ok =
            cx_write_back_add_argument(&transfers, waiting->command[w]->pending_read, mem, region, worker);
        bytes += ok ? cx_transfer_list_bytes(&transfers) : 0;
        cx_transfer_list_finish(&transfers, NULL);
    }
    return bytes;
}

static uint64_t bytes_written(const struct cx_mem *mem, const struct cx_access_region *region)
{
    struct cx_byte_ranges ranges;
    uint64_t bytes = 0;
    const bool ok = cx_region_ranges(&ranges, mem, region, true, false);
    for (size_t i = 0; i < ranges.count && ok; i++)
        bytes += ranges.range[i].hi - ranges.range[i].lo;
    cx_byte_ranges_finish(&ranges);
    return bytes;
}

/* Bytes of a package with these regions that are read by those who wait, or that are expected to be. */
static uint64_t bytes_read(struct cx_launch *launch, const struct cx_access_region *regions,
                           const struct cx_worker *worker) CX_HOLDS(cx_context_locked)
{
    struct cx_waiting waiting;
    uint64_t bytes = 0;
    cx_pending_reads_find(&launch->base, &waiting);
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        if (!mem || !cx_write_back_is_sent(mem->root, &regions[i], worker))
            continue;
        const uint64_t awaited = bytes_awaited(&waiting, mem, &regions[i], worker);
        const bool foreseen = cx_result_use_expects(launch->request.kernel->function->history, i) &&
                              regions[i].read.lo >= regions[i].read.hi;
        bytes += awaited ? awaited : foreseen ? bytes_written(mem, &regions[i]) : 0;
    }
    return bytes;
}

/* For so many steps of the launch, which send so many bytes, on that member. */
static unsigned slices_of(const struct cx_launch *launch, const struct cx_split_plan *plan,
                          const struct cx_worker *worker, uint64_t steps, uint64_t bytes)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_kernel_history *history = launch->request.kernel->function->history;
    const double speed = history ? cx_speed_record_speed(&history->records[worker->index]) : 0;
    const double groups = (double)(steps * plan->slice);
    /* no more than so many of all that the device does: packages overlap with each other anyway */
    const uint64_t part = CX_MOST_SLICES * steps * plan->n / plan->judged->verdict.groups;
    const double resident = 2; /* times as many groups as fill the device (cx_plan_fill) run at once */
    uint64_t most = steps / plan->judged->verdict.granularity;
    most = most < bytes / LEAST_SLICE ? most : bytes / LEAST_SLICE;
    most = most < part + 1 ? most : part + 1;
    if (!(speed > 0) || most < 2 ||
        worker->device->type & CL_DEVICE_TYPE_CPU) /* its cores move what it sends */
        return 1;
    /* on the other queue the next slice begins while one ends */
    const bool beside = cx_worker_wants_alternate(worker);
    const double fill = (double)cx_plan_fill(worker->device, &launch->request.geometry),
                 seconds = groups / speed;
    const double few = history->records[worker->index].few;
    const double end =
        beside ? cx_slice_end_beside(few, resident * fill / speed) : cx_slice_end(seconds, fill, groups);
    return cx_slices_best(seconds, cx_plan_move_seconds((double)bytes), end, beside, most);
}

/* Whether the device will have more to do for longer than sending what the package wrote takes: its even part
 * of what is left when those that hold nothing yet have had as much as this package. */
static bool hidden_by_rest(const struct split *split, const struct cx_worker *worker, unsigned index,
                           uint64_t bytes) CX_HOLDS(cx_context_locked)
{
    const double room = 8; /* what is left may be cheaper, and what moves for the first time moves slowly */
    const struct cx_kernel_history *history = split->launch->request.kernel->function->history;
    const double speed = history ? cx_speed_record_speed(&history->records[worker->index]) : 0;
    const struct cx_range range = split->packages.list[index].range;
    double left = (double)cx_balancer_remaining(split->plan.balancer);
    for (unsigned p = 0; p < split->plan.n; p++) {
        bool holds = !cx_split_alive(split, p);
        for (unsigned i = 0; i < split->packages.n && !holds; i++)
            holds = split->packages.list[i].part == p;
        left -= holds ? 0 : (double)((range.end - range.first) * split->plan.slice);
    }
    return left > room * split->plan.n * speed * cx_plan_move_seconds((double)bytes);
}

unsigned cx_write_back_slices(struct lane *lane, const struct cx_worker *worker, unsigned index)
{
    const struct split *split = lane->split;
    const struct package *package = &split->packages.list[index];
    const uint64_t steps = package->range.end - package->range.first;
    if (cx_split_settled(split) || split->opening.entire || package->copy ||
        !cx_write_back_is_fit(split, lane->part) || (split->rules.reexecutes && !split->rules.alike) ||
        cx_balancer_remaining(split->plan.balancer) > steps * split->plan.slice * split->plan.n)
        return 1;
    const uint64_t bytes = bytes_read(split->launch, lane->regions, worker);
    return hidden_by_rest(split, worker, index, bytes)
               ? 1
               : slices_of(split->launch, &split->plan, worker, steps, bytes);
}

bool cx_write_back_expected(const struct cx_launch *launch)
{
    bool expected = false;
    for (unsigned i = 0; i < launch->request.args->count; i++)
        expected |=
            cx_launch_mem(launch, i) && cx_result_use_expects(launch->request.kernel->function->history, i);
    return expected && cx_options_get()->overlap;
}

bool cx_write_back_wants(struct cx_launch *launch, const struct cx_split_plan *plan)
{
    const struct cx_context *context = launch->base.context;
    const uint64_t steps = plan->judged->verdict.groups / plan->n;
    if (!cx_write_back_expected(launch) || launch->run.verify || launch->decision.protocols || !steps)
        return false;
    struct cx_access_region *whole = cx_access_regions_make(launch->request.args->count);
    bool wants = false;
    if (whole)
        cx_access_whole(plan->judged->access, whole);
    for (unsigned p = 0; p < plan->n && whole && !wants; p++) {
        const struct cx_worker *worker = &context->workers[plan->member[p]];
        const uint64_t bytes = bytes_read(launch, whole, worker) / plan->n;
        wants = !worker->device->probe.synchronous && slices_of(launch, plan, worker, steps, bytes) > 1;
    }
    free(whole);
    return wants;
}

bool cx_write_back_is_last(const struct split *split)
{
    for (unsigned i = 0; i < split->packages.n; i++) {
        const struct package *package = &split->packages.list[i];
        if (!package->dropped && !package->over &&
            package->done < cx_slice_at(package->range, split->plan.judged->verdict.granularity,
                                        package->slices - 1, package->slices))
            return false;
    }
    return true;
}
