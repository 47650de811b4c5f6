/* SPDX-License-Identifier: MIT */
/*
 * One package of a dynamic split: cut from the range, started on its device, and over. Previous stage:
 * split_member.c, which asks the balancer for it. Next: split_upload.c for what it lacks.
 */
#include "layer/launch/split_inside.h"
#include "layer/base/exit_guard.h"
#include "layer/launch/split_inputs.h"
#include "layer/launch/write_back.h"
#include "layer/launch/failover.h"
#include "layer/launch/reexecute.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/plan/plan_size.h"
#include "layer/plan/trace_launch.h"
#include "layer/plan/launch_stats.h"
#include "layer/launch/launch.h"
#include "layer/plan/launch_form.h"
#include "layer/program/kernel_bind.h"

#include <stdlib.h>
#include <string.h>

struct cx_range cx_split_package_cut(struct split *split, unsigned part, uint64_t groups)
{
    uint64_t steps = (groups + split->plan.slice - 1) / split->plan.slice;
    struct cx_range range = cx_ranges_take(&split->ranges, part, steps);
    uint64_t taken = (range.end - range.first) * split->plan.slice;
    if (taken < groups)
        cx_balancer_give_back(split->plan.balancer, part, groups - taken);
    if (taken > 0)
        cx_balancer_placed(split->plan.balancer, part, range.first * split->plan.slice);
    return range;
}

bool cx_split_package_room(struct split *split)
{
    if (split->packages.n < split->packages.room)
        return true;
    unsigned room = split->packages.room ? 2 * split->packages.room : 32;
    struct package *grown = realloc(split->packages.list, room * sizeof(*grown));
    if (!grown) {
        cx_split_fail(split, CL_OUT_OF_HOST_MEMORY);
        return false;
    }
    split->packages.list = grown;
    split->packages.room = room;
    return true;
}

unsigned cx_split_package_note(struct split *split, unsigned part, struct cx_range range)
{
    const uint64_t now = cx_clock_ns();
    split->packages.list[split->packages.n] = (struct package){.part = part,
                                                               .range = range,
                                                               .asked_ns = now,
                                                               .start_ns = now,
                                                               .slices = 1,
                                                               .done = range.first,
                                                               .sent = range.first};
    return split->packages.n++;
}

/* ---- once the process is ending ---- */

void cx_split_open(struct split *split)
{
    if (split->state != SPLIT_PLANNED)
        return;
    split->state = SPLIT_OPEN;
    if (!cx_launch_may_compile(split->launch, &split->plan)) {
        if (split->opening.counts)
            cx_exit_guard_uncompiled(&split->launch->run.uncompiled, CX_UNCOMPILED_NONE);
        split->opening.counts = false;
        return;
    }
    split->opening.counts = cx_exit_guard_uncompiled(&split->launch->run.uncompiled, CX_UNCOMPILED_BEGUN);
    split->opening.entire = !split->opening.counts;
    if (split->opening.entire && split->plan.probes) { /* it is never run */
        cx_split_part_failed(split, split->plan.n);
        cx_balancer_fail(split->plan.balancer, split->plan.n, UINT64_MAX);
        split->jobs.issuing--;
    }
}

/* Whether the part's driver need not compile for all that is left: as pieces, or as where it runs whole. */
static bool has_compiled(const struct lane *lane, const struct cx_worker *worker, struct cx_range left)
    CX_HOLDS(cx_context_locked)
{
    const struct split *split = lane->split;
    const struct cx_launch *launch = split->launch;
    const struct cx_kernel_history *history = launch->request.kernel->function->history;
    struct cx_part *part = &launch->outcome.parts[lane->part],
                   whole = {.member = part->member, .whole = true};
    if (!(worker->device->type & CL_DEVICE_TYPE_CPU) ||
        (history && cx_launch_knows(launch, history, part->member, part->variant, left.first == 0)))
        return true;
    if (left.first > 0 ||
        cx_launch_package_is_new(launch, &whole, split->plan.judged->verdict.dim, 0, left.end))
        return false;
    part->variant = CX_VARIANT_PLAIN;
    part->whole = true;
    return true;
}

static bool are_others_alive(const struct split *split, unsigned part) CX_HOLDS(cx_context_locked)
{
    bool others = false;
    for (unsigned p = 0; p < split->plan.n; p++)
        others |= p != part && cx_split_alive(split, p);
    return others;
}

bool cx_split_package_all(const struct lane *lane, const struct cx_worker *worker, unsigned *index)
{
    struct split *split = lane->split;
    const struct cx_range left = {split->plan.done, split->plan.judged->verdict.groups};
    if (!has_compiled(lane, worker, left) && are_others_alive(split, lane->part)) {
        cx_split_part_failed(split, lane->part);
        cx_balancer_fail(split->plan.balancer, lane->part, 0);
        pthread_cond_broadcast(&split->changed);
        return false;
    }
    cx_balancer_rest(split->plan.balancer, lane->part, cx_split_seconds(split));
    cx_balancer_placed(split->plan.balancer, lane->part, left.first * split->plan.slice);
    for (unsigned p = 0; p < split->plan.n; p++)
        cx_ranges_open(&split->ranges, p);
    while (cx_ranges_any(&split->ranges, lane->part))
        cx_ranges_take(&split->ranges, lane->part, left.end);
    *index = cx_split_package_note(split, lane->part, left);
    return true;
}

void cx_split_package_count(struct split *split, const struct package *package)
{
    struct cx_part *part = &split->launch->outcome.parts[package->part];
    part->note = package->note;
    part->at = package->range.first * split->plan.slice;
    part->asked_ns = package->asked_ns;
    part->noticed_ns = package->noticed_ns;
    cx_launch_part_add(split->launch, part, (package->range.end - package->range.first) * split->plan.slice,
                       package->start_ns, package->end_ns, package->busy_ns);
}

void cx_split_package_take(struct lane *lane, struct cx_worker *worker, unsigned index,
                           struct cx_transfer_list *transfers)
{
    struct split *split = lane->split;
    struct package *package = &split->packages.list[index];
    const enum cx_decision decision = cx_balancer_decision(split->plan.balancer, lane->part);
    package->note = cx_part_note_decided(decision);
    if (decision != CX_DECIDED_NOTHING)
        cx_launch_decided(split->launch, worker->index, package->note);
    split->jobs.issuing++;
    cx_access_package(split->plan.judged->access, package->range.first, package->range.end, lane->regions);
    cx_launch_count_in_place(split->launch, lane->regions, worker);
    cx_split_inputs_fetch(lane, worker);
    if (cx_split_settled(split)) /* meanwhile, without it: the bytes are others' by now */
        return;
    lane->slices = split->packages.list[index].slices = cx_write_back_slices(lane, worker, index);
    if (!cx_split_failed(split) && cx_launch_moves(split->launch, worker) &&
        !cx_split_inputs_list(lane, worker, transfers))
        cx_split_fail(split, CL_OUT_OF_HOST_MEMORY);
    split->participant[lane->part].uploading |= transfers->count > 0;
}

/*
 * Every other kernel on a second queue: the next one's groups fill the device while the last groups of the
 * one before run. Packages of a launch may run at once, on one device as on several; each waits for the
 * uploads of all before it (lane->last_upload), whose bytes it may read, and the second queue for all that
 * the first one had before the launch. The job ends when all packages have ended.
 */
static void open_two(struct lane *lane, struct cx_worker *worker)
{
    if (lane->started || lane->part >= lane->split->plan.n || !cx_worker_wants_alternate(worker) ||
        (cx_balancer_is_static(lane->split->plan.balancer) && lane->slices < 2) ||
        !cx_worker_open_queue(worker, CX_REAL_QUEUE_ALTERNATE))
        return;
    lane->two = cx_worker_order(worker, worker->queue, worker->queues[CX_REAL_QUEUE_ALTERNATE].queue);
}

/* Starts the package's kernels, by turns on the lane's two queues where there are two. */
static cl_int start_kernels(struct lane *lane, struct cx_worker *worker, struct flight *flight,
                            struct cx_range range)
{
    struct split *split = lane->split;
    const struct cx_access_verdict *verdict = &split->plan.judged->verdict;
    cl_int error = CL_SUCCESS;
    flight->nslices = lane->slices - 1;
    for (unsigned i = 0; i < lane->slices && error == CL_SUCCESS; i++) {
        cl_command_queue queue =
            lane->two && lane->kernels++ % 2 ? worker->queues[CX_REAL_QUEUE_ALTERNATE].queue : worker->queue;
        error = cx_launch_package(split->launch, worker, &split->launch->outcome.parts[lane->part],
                                  verdict->dim, cx_slice_at(range, verdict->granularity, i, lane->slices),
                                  cx_slice_at(range, verdict->granularity, i + 1, lane->slices), queue,
                                  lane->aside || queue != worker->queue ? lane->last_upload : NULL,
                                  i < flight->nslices ? &flight->slice[i] : &flight->event);
        flight->begun = error != CL_SUCCESS && (i > 0 || flight->event);
        if (flight->begun) { /* others are going to do all of it */
            worker->device->cl->clFinish(worker->queue);
            if (lane->two)
                worker->device->cl->clFinish(worker->queues[CX_REAL_QUEUE_ALTERNATE].queue);
        }
    }
    if (error != CL_SUCCESS) {
        cx_worker_drop_events(worker, flight->slice, flight->nslices);
        cx_worker_drop_events(worker, &flight->event, 1); /* it was taken, but not flushed */
    }
    return error;
}

cl_int cx_split_package_start(struct lane *lane, struct cx_worker *worker, unsigned package,
                              struct cx_range range, struct cx_transfer_list *transfers)
{
    struct flight *flight = &lane->flight[lane->nflight];
    *flight = (struct flight){.transfers = *transfers, .package = package};
    open_two(lane, worker);
    cl_int moved = cx_split_inputs_copy(lane, worker);
    if (moved == CL_SUCCESS)
        moved = cx_split_upload_start(lane, worker, flight);
    flight->started_ns = cx_clock_ns();
    cl_int error = moved;
    if (lane->split->ends.speculation && !cx_speculation_is_filled(lane->split->ends.speculation, lane->part))
        error = CL_OUT_OF_RESOURCES;
    cx_split_upload_note(lane, flight->upload);
    if (error == CL_SUCCESS)
        error = start_kernels(lane, worker, flight, range);
    if (error != CL_SUCCESS) {
        if (flight->upload) /* the host copy may be written again after we give up */
            cx_worker_wait_event(worker, flight->upload);
        if (lane->aside)
            worker->device->cl->clFinish(worker->queues[CX_REAL_QUEUE_TRANSFER].queue);
        cx_split_upload_last(lane, worker, NULL);
        cx_context_lock(worker->context);
        const bool relied = cx_split_settled(lane->split); /* others may have planned on these bytes then */
        cx_context_plan_and_unlock(worker->context);
        cx_split_upload_end(flight, worker, moved, relied);
    }
    return error;
}

/* One whose groups all ran at once tells how long the dearest of them takes. context->lock held. */
static void learn_few(const struct lane *lane, const struct package *package, uint64_t groups)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_launch *launch = lane->split->launch;
    struct cx_kernel_history *history = launch->request.kernel->function->history;
    const unsigned member = lane->split->plan.member[lane->part];
    const struct cx_real_device *device = launch->base.context->workers[member].device;
    if (history && !lane->first && package->end_ns > package->start_ns &&
        groups <= cx_plan_fill(device, &launch->request.geometry))
        cx_speed_record_few(&history->records[member], (double)(package->end_ns - package->start_ns) * 1e-9);
}

/* A package is over: its results count, or somebody else does that work. Gives what the command fails with.
 * context->lock held. */
static cl_int package_over(struct lane *lane, struct package *package, uint64_t groups, cl_int error)
    CX_HOLDS(cx_context_locked)
{
    struct split *split = lane->split;
    const bool held = !package->dropped;
    package->over = true;
    lane->first = error == CL_SUCCESS && cx_launch_first(split->launch, split->plan.member[lane->part],
                                                         split->launch->outcome.parts[lane->part].variant,
                                                         package->range.first == 0);
    if (lane->first)
        cx_balancer_first(split->plan.balancer, lane->part);
    if (error == CL_SUCCESS && held && !package->copy)
        learn_few(lane, package, groups);
    if (held && error != CL_SUCCESS && cx_reexecute_failed(split, lane->part, package))
        return CL_SUCCESS;
    enum cx_done outcome = cx_balancer_done(split->plan.balancer, lane->part, groups,
                                            (double)package->busy_ns * 1e-9, cx_split_seconds(split));
    cx_reexecute_note(split, package, outcome);
    if (held && error != CL_SUCCESS && split->rules.reexecutes)
        cx_split_fail(split, error); /* now: it may yet become a straggler */
    if (package->dropped) {
        const struct cx_part part = {.member = split->plan.member[lane->part],
                                     .at = package->range.first * split->plan.slice,
                                     .note = CX_PART_DROPPED,
                                     .asked_ns = package->asked_ns,
                                     .noticed_ns = package->noticed_ns};
        cx_trace_package(split->launch, &part, groups, package->start_ns, package->end_ns);
    }
    return held ? error : CL_SUCCESS;
}

/*
 * For how long the device was busy with a package, from times on the host's clock: what no package before it
 * had of it. One that ran beside another gets at least half of what its groups' part of both would be: it may
 * have ended first.
 */
static uint64_t busy_with(struct lane *lane, const struct flight *flight, uint64_t start, uint64_t end)
{
    const uint64_t from = start > lane->last_end_ns ? start : lane->last_end_ns;
    uint64_t busy = end > from ? end - from : 0;
    if (lane->two && start < lane->last_end_ns && end > lane->last_start_ns) {
        const double part = (double)flight->groups / (double)(flight->groups + lane->last_groups);
        const uint64_t least = (uint64_t)(0.5 * part * (double)(end - lane->last_start_ns));
        busy = busy > least ? busy : least;
    }
    lane->last_start_ns = start;
    lane->last_end_ns = end > lane->last_end_ns ? end : lane->last_end_ns;
    lane->last_groups = flight->groups;
    return busy;
}

/* A package that the device failed is done by another member, where it is this one's to do. */
static bool fail_over(const struct lane *lane, struct cx_worker *worker, unsigned index)
{
    const struct split *split = lane->split;
    struct cx_context *context = split->launch->base.context;
    cx_context_lock(context);
    const struct cx_range range = split->packages.list[index].range;
    cx_context_plan_and_unlock(context);
    return cx_failover_share(split->launch, worker, &split->launch->outcome.parts[lane->part],
                             split->plan.judged->verdict.dim, range.first, range.end, true) == CL_SUCCESS;
}

cl_event cx_split_package_next_end(const struct lane *lane)
{
    return lane->flight[0].nslices ? lane->flight[0].slice[0] : lane->flight[0].event;
}

bool cx_split_package_end_slice(struct lane *lane, struct cx_worker *worker)
{
    struct split *split = lane->split;
    struct cx_context *context = split->launch->base.context;
    struct flight *flight = &lane->flight[0];
    uint64_t start = 0, end = 0;
    const cl_int waited = cx_worker_wait_event(worker, flight->slice[0]);
    const cl_int status = cx_worker_event_error(worker, flight->slice[0]);
    cx_worker_event_times(worker, flight->slice[0], &start, &end);
    flight->first_ns = flight->sliced ? flight->first_ns : start;
    flight->before_ns = end > flight->before_ns ? end : flight->before_ns;
    flight->sliced = true;
    cx_worker_drop_events(worker, flight->slice, 1);
    memmove(flight->slice, flight->slice + 1, sizeof(*flight->slice) * --flight->nslices);
    if (flight->failed == CL_SUCCESS)
        flight->failed = status != CL_SUCCESS ? status : waited;
    if (flight->failed != CL_SUCCESS)
        return false;
    cx_context_lock(context);
    struct package *package = &split->packages.list[flight->package];
    package->done = cx_slice_at(package->range, split->plan.judged->verdict.granularity,
                                package->slices - 1 - flight->nslices, package->slices);
    cx_write_back_promise(lane);
    cx_write_back_take(lane, flight->package, CL_SUCCESS);
    cx_split_settle_if_due(split);
    pthread_cond_broadcast(&split->changed);
    cx_context_plan_and_unlock(context);
    return true;
}

cl_int cx_split_package_end(struct lane *lane, struct cx_worker *worker)
{
    struct split *split = lane->split;
    struct cx_launch *launch = split->launch;
    struct cx_context *context = launch->base.context;
    uint64_t start, end;

    while (lane->flight[0].nslices)
        if (cx_split_package_end_slice(lane, worker))
            cx_write_back_start(lane, worker, cx_split_package_next_end(lane));
    struct flight flight = lane->flight[0];
    cl_int error = cx_worker_wait_event(worker, flight.event);
    cl_int status = flight.failed != CL_SUCCESS ? flight.failed : cx_worker_event_error(worker, flight.event);
    if (flight.upload && flight.upload == lane->last_upload)
        cx_split_upload_last(lane, worker, NULL);
    cl_int moved = cx_split_upload_end(&flight, worker, CL_SUCCESS, true);
    if (status != CL_SUCCESS && moved == CL_SUCCESS) {
        cx_kernel_leave_out(launch->request.kernel, worker->index, cx_cl_name(status));
        cx_worker_failed(worker, status);
        if (split->ends.speculation)
            cx_speculation_lose(split->ends.speculation);
        if (split->ends.speculation || (!split->rules.reexecutes && fail_over(lane, worker, flight.package)))
            status = CL_SUCCESS;
    }
    cx_worker_event_times(worker, flight.event, &start, &end);
    if (flight.sliced) {
        start = flight.first_ns;
        end = end > flight.before_ns ? end : flight.before_ns;
    }
    worker->device->cl->clReleaseEvent(flight.event);
    memmove(&lane->flight[0], &lane->flight[1], sizeof(flight) * --lane->nflight);
    if (!start || !end) {
        start = flight.started_ns;
        end = cx_clock_ns();
    }
    uint64_t busy = busy_with(lane, &flight, start, end);

    cx_context_lock(context);
    struct package *package = &split->packages.list[flight.package];
    package->start_ns = start;
    package->end_ns = end;
    package->busy_ns = busy;
    package->noticed_ns = cx_clock_ns();
    const cl_int failed = status != CL_SUCCESS ? status : moved != CL_SUCCESS ? moved : error;
    const bool at_start = package->range.first == 0;
    error = package_over(lane, package, flight.groups, failed);
    cx_write_back_promise(lane);
    cx_write_back_take(lane, flight.package, failed);
    cx_split_settle_if_due(split);
    cx_write_back_take(lane, flight.package, failed);
    pthread_cond_broadcast(&split->changed);
    cx_context_plan_and_unlock(context);
    if (lane->first)
        cx_launch_compiled_keep(launch, worker->index, launch->outcome.parts[lane->part].variant, at_start,
                                0);
    return error;
}
