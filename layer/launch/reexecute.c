/* SPDX-License-Identifier: MIT */
/*
 * Re-execution of packages, and stragglers that are not waited for. See reexecute.h.
 */
#include "layer/launch/reexecute.h"
#include "layer/plan/device_load.h"
#include "layer/launch/split_inside.h"
#include "layer/launch/write_back.h"
#include "layer/base/log.h"
#include "layer/plan/launch_stats.h"

#include <stdlib.h>

/* ---- a re-execution ---- */

static struct package *find_victim(struct split *split, const struct cx_reexecution *reexecution)
    CX_HOLDS(cx_context_locked)
{
    const uint64_t step = reexecution->first / split->plan.slice;
    for (unsigned i = 0; i < split->packages.n; i++) {
        struct package *package = &split->packages.list[i];
        if (package->part == reexecution->victim && !package->copy && !package->over && !package->dropped &&
            package->range.first <= step && step < package->range.end)
            return package;
    }
    return NULL;
}

bool cx_reexecute_take(struct split *split, unsigned part, double now, unsigned *index, double *ask_next)
{
    const struct cx_context *context = split->launch->base.context;
    struct cx_reexecution reexecution;
    *ask_next = 0;
    if (!cx_split_package_room(split))
        return false;
    if (!cx_balancer_reexecute(split->plan.balancer, part, now, &reexecution)) {
        *ask_next = reexecution.ask_next;
        return false;
    }
    struct package *victim = find_victim(split, &reexecution);
    if (!victim) {
        cx_split_fail(split, CL_OUT_OF_RESOURCES);
        return false;
    }
    victim->reexecuted = true;
    victim->serial = reexecution.serial;
    const uint64_t slice = split->plan.slice;
    const struct cx_range range = {reexecution.first / slice,
                                   (reexecution.first + reexecution.groups) / slice};
    *index = cx_split_package_note(split, part, range);
    split->packages.list[*index].copy = true;
    split->packages.list[*index].serial = reexecution.serial;
    cx_info(CX_TOPIC_PLAN, "%s: %s does again %llu work-groups that %s still holds",
            split->launch->request.kernel->function->name,
            context->workers[split->plan.member[part]].device->name, (unsigned long long)reexecution.groups,
            context->workers[split->plan.member[reexecution.victim]].device->name);
    return true;
}

/* All of a package was re-executed before its own device ended it: the copies count instead of it. */
static void take_over(struct split *split, uint64_t serial) CX_HOLDS(cx_context_locked)
{
    for (unsigned i = 0; i < split->packages.n; i++) {
        struct package *package = &split->packages.list[i];
        if (package->serial != serial || package->dropped)
            continue;
        if (package->copy && package->over) {
            package->copy = false;
            cx_split_package_count(split, package);
        } else if (!package->copy && package->reexecuted) {
            package->dropped = true;
            cx_launch_decided(split->launch, split->plan.member[package->part], CX_PART_OVERTAKEN);
        }
    }
}

void cx_reexecute_note(struct split *split, struct package *package, unsigned outcome)
{
    if (!package->copy) {
        if (!package->dropped)
            cx_split_package_count(split, package);
    } else if (outcome == CX_DONE_REPLACES && !cx_split_settled(split)) {
        take_over(split, package->serial);
    } else if (outcome != CX_DONE_COPY) {
        package->dropped = true;
    }
}

bool cx_reexecute_failed(struct split *split, unsigned part, struct package *failed)
{
    uint64_t lost = 0;
    bool any = false;
    if (!split->rules.reexecutes || cx_split_over(split) || part >= split->plan.n)
        return false;
    for (unsigned i = 0; i < split->packages.n; i++) {
        struct package *package = &split->packages.list[i];
        if (package->part != part || package->dropped || (package->over && package != failed))
            continue;
        package->dropped = true;
        if (package->copy)
            continue;
        lost += (package->range.end - package->range.first) * split->plan.slice;
        if (!cx_ranges_return(&split->ranges, package->range)) {
            cx_split_fail(split, CL_OUT_OF_HOST_MEMORY);
            return true;
        }
    }
    cx_split_part_failed(split, part);
    cx_launch_decided(split->launch, split->plan.member[part], CX_PART_FAILED);
    cx_balancer_fail(split->plan.balancer, part, lost);
    for (unsigned p = 0; p < split->plan.n; p++) {
        any |= cx_split_alive(split, p);
        if (split->participant[p].state == SPLIT_PARTICIPANT_DONE)
            cx_split_member_plan(split, p);
    }
    return any;
}

/* ---- who straggles ---- */

void cx_reexecute_uploads(struct split *split, unsigned part, cl_event event)
{
    struct cx_worker *worker = &split->launch->base.context->workers[split->plan.member[part]];
    if (split->participant[part].upload)
        worker->device->cl->clReleaseEvent(split->participant[part].upload);
    split->participant[part].upload = event;
    if (event)
        worker->device->cl->clRetainEvent(event);
}

/* Whether the host copy is not read any more for what the part holds: its timeline is in order, so the last
 * transfer tells of all. And whether what it sends is there. */
static bool transfers_over(const struct split *split, unsigned part) CX_HOLDS(cx_context_locked)
{
    const struct cx_worker *worker = &split->launch->base.context->workers[split->plan.member[part]];
    cl_int status = CL_QUEUED;
    if (split->participant[part].uploading || !cx_write_back_over(split, part))
        return false;
    if (!split->participant[part].upload)
        return true;
    return worker->device->cl->clGetEventInfo(split->participant[part].upload,
                                              CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
                                              NULL) == CL_SUCCESS &&
           status == CL_COMPLETE;
}

/* A package that takes so many times as long as its device's speed promises is no matter of noise. */
static const double too_long = 4;

/* The part still works on a package that others have done. Its device gets no more work; at once where the
 * package is much too long already or nothing was known, else if it takes as long again. */
static void mark_superseded(struct split *split, unsigned part, const struct package *package)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_kernel_history *history = split->launch->request.kernel->function->history;
    struct cx_worker *worker = &split->launch->base.context->workers[split->plan.member[part]];
    double speed = history ? cx_speed_record_speed(&history->records[worker->index]) : 0;
    double groups = (double)((package->range.end - package->range.first) * split->plan.slice);
    uint64_t now = cx_clock_ns();
    double worked = (double)(now - package->start_ns) * 1e-9;
    bool at_once = speed <= 0 || worked > too_long * groups / speed;
    cx_device_load_supersede(worker, now, at_once ? now : now + (now - package->start_ns));
    cx_launch_decided(split->launch, split->plan.member[part], CX_PART_LATE);
    cx_info(CX_TOPIC_PLAN, "%s is over; %s still works on what others have done of it",
            split->launch->request.kernel->function->name, worker->device->name);
}

/* Whether the part has nothing to do any more but what others have done, where that is seen by nobody. *held:
 * its package, or one that it did again in vain; NULL where it did not begin. */
static bool is_superseded(const struct split *split, unsigned part, const struct package **held)
    CX_HOLDS(cx_context_locked)
{
    bool holds = false;
    *held = NULL;
    for (unsigned i = 0; i < split->packages.n; i++) {
        const struct package *package = &split->packages.list[i];
        if (package->part != part || package->over)
            continue;
        if (!package->dropped)
            return false;
        holds = true;
        if (!*held || (*held)->copy)
            *held = package;
    }
    return (holds ? split->participant[part].reexecutes
                  : split->participant[part].state == SPLIT_PARTICIPANT_WAITING) &&
           transfers_over(split, part);
}

bool cx_reexecute_awaits(const struct split *split)
{
    bool transfers = false, looks = false;
    for (unsigned p = 0; p < split->plan.n; p++) {
        bool holds = false, works = false;
        for (unsigned i = 0; i < split->packages.n; i++) {
            const struct package *package = &split->packages.list[i];
            const bool its = package->part == p && !package->over;
            holds |= its && (package->dropped || package->copy);
            works |= its && !package->dropped && !package->copy;
        }
        transfers |= holds && !works && !transfers_over(split, p);
        looks |= !holds && !works && split->participant[p].state == SPLIT_PARTICIPANT_WORKING &&
                 split->participant[p].reexecutes;
    }
    return transfers && looks;
}

void cx_reexecute_leave(struct split *split)
{
    struct cx_launch *launch = split->launch;
    bool any = false;
    for (unsigned i = 0; i < split->packages.n; i++) /* what else runs is a copy that came too late */
        split->packages.list[i].dropped |= !split->packages.list[i].over && split->packages.list[i].copy;
    for (unsigned p = 0; p < split->plan.n; p++) {
        struct cx_worker *worker = &launch->base.context->workers[split->plan.member[p]];
        const struct package *held;
        if (!is_superseded(split, p, &held))
            continue;
        cx_write_back_leave(split, p);
        split->participant[p].state =
            cx_split_alive(split, p) ? SPLIT_PARTICIPANT_LEFT : SPLIT_PARTICIPANT_LOST;
        launch->base.order.frontier[worker->index] = split->participant[p].before;
        for (unsigned i = 0; i < launch->request.args->count; i++) {
            struct cx_mem *mem = cx_launch_mem(launch, i);
            if (mem)
                cx_coherence_retract(mem->storage->coherence, worker->index, split->participant[p].seq);
        }
        cx_worker_watch(worker, split->participant[p].seq); /* nobody else waits for its end */
        cx_command_times(&launch->base, launch->outcome.parts[p].first_ns, launch->outcome.parts[p].last_ns);
        split->participant[p].straggles = held != NULL;
        if (held)
            mark_superseded(split, p, held);
        any |= held != NULL;
    }
    if (any) /* their jobs are over much later, perhaps behind the next launches */
        cx_split_learn_early(split);
}

void cx_reexecute_over(struct split *split, unsigned part)
{
    if (split->participant[part].straggles)
        cx_device_load_caught_up(&split->launch->base.context->workers[split->plan.member[part]]);
    split->participant[part].straggles = false;
}
