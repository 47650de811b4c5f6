/* SPDX-License-Identifier: MIT */
/*
 * Prefixes: launches that begin as slices on one device. See prefix.h.
 */
#include "layer/launch/prefix.h"
#include "layer/memory/unsettled.h"
#include "layer/base/exit_guard.h"
#include "layer/launch/split_inside.h"
#include "layer/base/log.h"
#include "layer/plan/plan_open.h"
#include "layer/plan/plan_size.h"
#include "layer/plan/plan_stake.h"
#include "layer/program/program.h"
#include "layer/timeline/queue.h"
#include "layer/launch/launch.h"
#include "layer/launch/start.h"
#include "layer/plan/launch_form.h"
#include "layer/plan/launch_learn.h"
#include "layer/plan/planner.h"

#include <math.h>
#include <stdlib.h>

/* The first slice fills the device twice, where the range does MANY_FILLS times, and else once. No slice of a
 * GPU is less than that: what is left of it would idle. */
enum { MANY_FILLS = 16, FIRST_FILLS = 2 };
/* So much must be left for another slice; else the rest follows at once. A slice lasts that long at least,
 * on a GPU, whose kernels end with ever fewer work-groups, so long after the first few, and this part of what
 * has passed. */
#define LEAST_REST      4e-3
#define LEAST_SLICE     1e-3
#define LEAST_GPU_SLICE 4e-3
enum { FIRST_SLICES = 4 };
#define GROWTH 0.25
/* While others are not worth it: so many slices, each so many times as long as the one before, and then more
 * while much is left. Where slices last LEAST_SLICE, each is at most that part of the range: what they told
 * of may be the cheap part, and a slice that meets the dear one is past before others are sent for. */
enum { FAST_SLICES = 6, MOST_SLICES = 24 };
#define FAST_GROWTH 4
#define FAST_PART   16

struct cx_prefix {
    struct cx_cached_verdict *judged; /* a reference */
    unsigned member;
    struct cx_part part; /* what was done */
    uint64_t slice;      /* work-groups in a step */
    uint64_t least;      /* steps in a slice */
    uint64_t first, end; /* steps of the slice under way, or the last one */
    uint64_t began_ns;
    double seconds_a_step; /* as the last slice told */
    unsigned slices;
    bool failed;
    struct cx_launch *next; /* in the context's list of those of which a slice is over: a reference */
};

static uint64_t steps_of(const struct cx_prefix *prefix)
{
    return prefix->judged->verdict.groups;
}

/* Has the planner know how far slices are. */
static void note_slices(struct cx_launch *launch)
{
    const struct cx_prefix *prefix = launch->slices.prefix;
    launch->slices.done = prefix->end;
    launch->slices.rest = prefix->seconds_a_step * (double)(steps_of(prefix) - prefix->end);
}

/* At multiples of the granularity, at least prefix->least and at most what is left. */
static uint64_t whole_steps(const struct cx_prefix *prefix, double steps)
{
    const uint64_t unit = prefix->judged->verdict.granularity, left = steps_of(prefix) - prefix->end;
    uint64_t n = steps < (double)left ? (uint64_t)steps / unit * unit : left;
    n = n < prefix->least ? (prefix->least + unit - 1) / unit * unit : n;
    return n < left ? n : left;
}

/* ---- slices ---- */

/* The first slice is about to run. A CPU's driver may compile later ones anew, which exit() waits for; once
 * the process is ending all of the launch runs at once. */
static void begin_slices(struct cx_launch *launch, const struct cx_worker *worker)
{
    struct cx_prefix *prefix = launch->slices.prefix;
    const bool compiles = worker->device->type & CL_DEVICE_TYPE_CPU;
    if (compiles ? cx_exit_guard_uncompiled(&launch->run.uncompiled, CX_UNCOMPILED_BEGUN)
                 : !cx_exit_guard_ending())
        return;
    cx_context_lock(worker->context);
    prefix->end = steps_of(prefix);
    note_slices(launch);
    cx_context_unlock(worker->context);
}

/* No further slice may have to be compiled. */
static void end_begun(struct cx_launch *launch)
{
    cx_exit_guard_uncompiled(&launch->run.uncompiled, CX_UNCOMPILED_NONE);
}

static cl_int run_slice(struct cx_job *job, struct cx_worker *worker)
{
    struct cx_launch *launch = (struct cx_launch *)job->command;
    struct cx_prefix *prefix = launch->slices.prefix;
    if (prefix->slices == 1)
        begin_slices(launch, worker);
    const cl_int error = cx_launch_package(launch, worker, &prefix->part, prefix->judged->verdict.dim,
                                           prefix->first, prefix->end, worker->queue, NULL, &job->event);
    if (prefix->end == steps_of(prefix))
        end_begun(launch);
    return error;
}

/* What the slices told: the length of the whole launch, for launches like it. */
static void tell_length(struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    const struct cx_prefix *prefix = launch->slices.prefix;
    const uint64_t done_ns = launch->outcome.parts ? launch->outcome.parts->busy_ns : prefix->part.busy_ns;
    const double seconds = (double)done_ns * 1e-9 + launch->slices.rest;
    if (launch->base.settled)
        cx_plan_length_tell(launch, prefix->member, seconds, false);
    else
        cx_plan_length_guess(launch, prefix->member, seconds);
}

/* Puts the launch on the list of those to go on with, unless this was the last slice. */
static void finish_slice(struct cx_job *job, struct cx_worker *worker)
{
    struct cx_launch *launch = (struct cx_launch *)job->command;
    struct cx_context *context = launch->base.context;
    struct cx_prefix *prefix = launch->slices.prefix;
    struct cx_kernel_history *history = launch->request.kernel->function->history;
    const uint64_t groups = (prefix->end - prefix->first) * prefix->slice, now = cx_clock_ns();
    uint64_t ns = job->times.end_ns > job->times.start_ns ? job->times.end_ns - job->times.start_ns : 0;
    ns = ns ? ns : now - prefix->began_ns;
    const bool first = prefix->slices == 1 && worker->device->type & CL_DEVICE_TYPE_CPU;
    const bool at_start = prefix->first == 0;
    const enum cx_variant variant = prefix->part.variant;
    bool compiled = false;
    double compiles = 0;

    cx_context_lock(context);
    prefix->failed = job->status != CL_SUCCESS;
    if (prefix->failed) {
        end_begun(launch);
    } else {
        cx_launch_part_add(launch, launch->outcome.parts ? launch->outcome.parts : &prefix->part, groups,
                           job->times.start_ns, job->times.end_ns, ns);
        cx_launch_learn_held(launch, worker->index, groups, (double)ns * 1e-9, first);
        /* behind a slice that is over, what is before its start is the driver's */
        const bool tells = history && !cx_launch_compiled(launch, history, worker->index, variant, at_start);
        compiled = cx_launch_first(launch, worker->index, variant, at_start);
        if (tells && compiled && prefix->first > 0 && job->times.start_ns > prefix->began_ns)
            history->compiles = compiles = (double)(job->times.start_ns - prefix->began_ns) * 1e-9;
        prefix->seconds_a_step = (double)ns * 1e-9 / (double)(prefix->end - prefix->first);
        note_slices(launch);
        cx_plan_ran(context, history, worker->index, (double)ns * 1e-9);
    }
    if (!launch->base.settled) {
        (void)cx_command_ref(&launch->base);
        prefix->next = context->planner->prefixes;
        context->planner->prefixes = launch;
        atomic_fetch_add(&context->ndeferred, 1);
    } else if (!prefix->failed) {
        tell_length(launch);
    }
    cx_context_unlock(context);
    if (compiled)
        cx_launch_compiled_keep(launch, worker->index, variant, at_start, compiles);
    if (job->status != CL_SUCCESS)
        cx_whole_failed(launch->request.kernel, job, worker);
}

/* Plans steps [prefix->first, prefix->end). deps: of the launch's data; NULL: they are met. */
static bool plan_slice(struct cx_launch *launch, const struct cx_access_region *whole)
    CX_HOLDS(cx_context_locked)
{
    struct cx_prefix *prefix = launch->slices.prefix;
    struct cx_worker *worker = &launch->base.context->workers[prefix->member];
    struct cx_job *job = cx_job_new(launch->base.context);
    if (!job)
        return false;
    job->run = run_slice;
    job->kind.computes = true;
    job->finish = finish_slice;
    job->times.wanted = job->kind.urgent = true;
    if (whole)
        cx_launch_deps(launch, whole, worker, false, job->deps);
    prefix->began_ns = cx_clock_ns();
    prefix->slices++;
    cx_worker_watch(worker, cx_command_add_job(&launch->base, worker, job));
    return true;
}

/* Nobody else may plan on what the launch touches. */
static void hold(struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    for (unsigned i = 0; i < launch->request.args->count; i++)
        if (cx_launch_mem(launch, i))
            cx_unsettled_hold(cx_launch_mem(launch, i), &launch->base);
}

/* Frees what is left. */
static void drop(struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    struct cx_prefix *prefix = launch->slices.prefix;
    if (prefix)
        cx_cached_verdict_unref(&prefix->judged);
    free(prefix);
    launch->slices.prefix = NULL;
    launch->slices.done = 0;
    launch->slices.rest = 0;
}

bool cx_prefix_begin(struct cx_launch *launch, struct cx_cached_verdict *judged, unsigned member,
                     enum cx_variant variant)
{
    struct cx_context *context = launch->base.context;
    struct cx_worker *worker = &context->workers[member];

    const uint64_t fill = cx_plan_fill(worker->device, &launch->request.geometry),
                   groups = cx_launch_groups(launch);
    const double first = (double)(groups >= MANY_FILLS * fill ? FIRST_FILLS * fill : fill);
    struct cx_prefix *prefix = calloc(1, sizeof(*prefix));
    struct cx_access_region *whole = cx_access_regions_make(launch->request.args->count);
    if (!prefix || !whole) {
        free(prefix);
        free(whole);
        return false;
    }
    judged->refs++;
    *prefix = (struct cx_prefix){.judged = judged,
                                 .member = member,
                                 .part = {.member = member, .variant = variant},
                                 .slice = groups / judged->verdict.groups,
                                 .least = 1};
    if (worker->device->type & CL_DEVICE_TYPE_GPU)
        prefix->least = (fill + prefix->slice - 1) / prefix->slice;
    prefix->end = whole_steps(prefix, first / (double)prefix->slice);
    launch->slices.prefix = prefix;
    note_slices(launch);
    cx_access_whole(judged->access, whole);
    cl_int error = cx_launch_gather(launch, whole, worker);
    if (cx_launch_may_compile_on(launch, member, variant, true) ||
        cx_launch_may_compile_on(launch, member, variant, false))
        cx_exit_guard_uncompiled(&launch->run.uncompiled, CX_UNCOMPILED_PLANNED);
    if (error != CL_SUCCESS || !plan_slice(launch, whole)) {
        free(whole);
        end_begun(launch);
        drop(launch);
        return false;
    }
    free(whole);
    cx_command_begin(&launch->base);
    hold(launch);
    ((struct cx_kernel_history *)launch->request.kernel->function->history)->lengths.prefixes++;
    cx_debug(CX_TOPIC_PLAN, "%s begins with slices on %s", launch->request.kernel->function->name,
             worker->device->name);
    return true;
}

unsigned cx_prefix_hand_over(struct cx_launch *launch)
{
    struct cx_prefix *prefix = launch->slices.prefix;
    unsigned p = 0;
    while (p + 1 < launch->outcome.nparts && launch->outcome.parts[p].member != prefix->member)
        p++;
    launch->outcome.parts[p].groups += prefix->part.groups;
    launch->outcome.parts[p].packages += prefix->part.packages;
    launch->outcome.parts[p].busy_ns += prefix->part.busy_ns;
    launch->outcome.parts[p].first_ns = prefix->part.first_ns;
    launch->slices.took_ns = prefix->part.busy_ns;
    drop(launch);
    return p;
}

void cx_prefix_drop(struct cx_launch *launch)
{
    cx_context_lock(launch->base.context);
    drop(launch);
    cx_context_unlock(launch->base.context);
}

/* ---- the rest ---- */

/* The last slice is planned, or has failed: owners are known. */
static void settle(struct cx_launch *launch, bool ok) CX_HOLDS(cx_context_locked)
{
    struct cx_prefix *prefix = launch->slices.prefix;
    struct cx_worker *worker = &launch->base.context->workers[prefix->member];
    struct cx_access_region *whole = cx_access_regions_make(launch->request.args->count);
    cx_launch_release(launch);
    if (whole)
        cx_access_whole(prefix->judged->access, whole);
    ok = ok && whole && cx_launch_note(launch, whole, worker, worker->timeline.planned);
    free(whole);
    launch->outcome.parts = calloc(1, sizeof(*launch->outcome.parts));
    if (launch->outcome.parts)
        *launch->outcome.parts = prefix->part;
    launch->outcome.nparts = launch->outcome.parts ? 1 : 0;
    if (ok)
        cx_command_settle(&launch->base);
    else
        cx_command_fail(&launch->base, CL_OUT_OF_RESOURCES);
}

/* How long the next slice is to be, in steps; 0: the rest. While others are on their way slices are a part of
 * what has passed. */
static double next_slice(struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    const struct cx_prefix *prefix = launch->slices.prefix;
    const double rest = launch->slices.rest, passed = (double)prefix->part.busy_ns * 1e-9;
    const bool wants = rest >= LEAST_REST && cx_plan_want_for(launch, rest);
    cx_debug(CX_TOPIC_PLAN, "%s: %u slices took %.3f ms, the rest may take %.3f ms: %s",
             launch->request.kernel->function->name, prefix->slices, passed * 1e3, rest * 1e3,
             wants ? "others are wanted" : "others are not worth it");
    const bool gpu = launch->base.context->workers[prefix->member].device->type & CL_DEVICE_TYPE_GPU;
    const double least = gpu && prefix->slices >= FIRST_SLICES ? LEAST_GPU_SLICE : LEAST_SLICE;
    if (cx_exit_guard_ending())
        return 0;
    if (wants)
        return fmin(fmax(GROWTH * passed, least), rest / 2) / prefix->seconds_a_step;
    if (prefix->slices >= (rest >= LEAST_REST ? MOST_SLICES : FAST_SLICES))
        return 0;
    return fmin(FAST_GROWTH * (double)(prefix->end - prefix->first),
                fmax((double)steps_of(prefix) / FAST_PART, least / prefix->seconds_a_step));
}

/* One slice is over: splits what is left, or plans the next slice, or all the rest. */
static void go_on(struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    struct cx_prefix *prefix = launch->slices.prefix;
    const bool failed = prefix->failed || atomic_load(&launch->base.error) < 0;
    if (failed || prefix->end == steps_of(prefix)) {
        settle(launch, !failed);
        return;
    }
    tell_length(launch);
    struct cx_split_plan plan;
    if (cx_plan_rest(launch, &plan)) { /* the split takes the prefix over */
        cx_start_split(launch, &plan);
        return;
    }
    const double steps = next_slice(launch);
    prefix->first = prefix->end;
    prefix->end += whole_steps(prefix, steps > 0 ? steps : INFINITY);
    note_slices(launch);
    const bool ok = plan_slice(launch, NULL);
    if (!ok || prefix->end == steps_of(prefix))
        settle(launch, ok);
}

void cx_prefix_check(struct cx_context *context)
{
    cx_context_lock(context);
    while (context->planner->prefixes) {
        struct cx_launch *launch = context->planner->prefixes;
        struct cx_command *command = &launch->base;
        context->planner->prefixes = launch->slices.prefix->next;
        launch->slices.prefix->next = NULL;
        atomic_fetch_sub(&context->ndeferred, 1);
        go_on(launch);
        cx_command_unref(&command);
    }
    cx_context_plan_and_unlock(context);
}
