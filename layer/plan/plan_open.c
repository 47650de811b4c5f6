/* SPDX-License-Identifier: MIT */
/*
 * Decides when further devices are opened. See plan_open.h.
 */
#include "layer/plan/plan_open.h"
#include "layer/base/copy.h"
#include "layer/base/options.h"
#include "layer/plan/compile_ahead.h"
#include "layer/plan/plan.h"
#include "layer/plan/plan_size.h"
#include "layer/plan/recall.h"
#include "layer/program/program.h"
#include "layer/program/build_deferred.h"
#include "layer/timeline/queue.h"
#include "layer/timeline/worker.h"
#include "layer/plan/planner.h"

#include <math.h>
#include <string.h>

/* What a program loses while another device is opened beside it, and at its end, where that has to be closed,
 * until opening was measured. Beside an H100, launches lost 0 to 16 ms and exit() took 30 ms longer; beside
 * H200s whose contexts took 140 ms, processes took 180 to 250 ms longer (docs/field.md). A CPU's driver needs
 * a millisecond. Of an accelerator nothing is known, which is taken for a GPU. */
#define OPENING_SECONDS     100e-3
#define OPENING_CPU_SECONDS 2e-3
/* Until then, how long it takes before a GPU can do anything. */
#define OPENING_LASTS 150e-3
/* Of kernels whose splits saved former processes nothing, so many times as much must have been lacked. */
#define UNSAVED 3
/* What part of the time that a build takes the program may feel, on a core that nobody else needs. */
#define BUILD_PART 0.1

/* The part of a launch that members other than the fastest of its queue would do, by nominal speeds. */
static double part_of_others(const struct cx_launch *launch)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_queue *queue = launch->base.queue;
    double all = 0;
    for (unsigned m = 0; m < context->nmembers; m++)
        all += cx_queue_takes(queue, m) ? context->workers[m].device->nominal_gflops : 0;
    return all > 0 ? 1 - context->workers[queue->fastest].device->nominal_gflops / all : 0;
}

double cx_plan_gain(const struct cx_launch *launch, double whole)
{
    const double gain = whole * part_of_others(launch) - CX_SPLIT_SECONDS;
    return gain > CX_BUDGET_SMALL * whole ? gain : 0;
}

/* Whether builds would take cores that CPU devices compute on. A launch that lacks builds runs on one device
 * alone. */
static bool shares_cores(const struct cx_launch *launch)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_real_device *fastest = context->workers[launch->base.queue->fastest].device;
    bool cpu = false;
    if (fastest->type & CL_DEVICE_TYPE_CPU)
        return fastest->compute_units >= cx_copy_cores();
    for (unsigned m = 0; m < context->nmembers; m++)
        cpu |= context->workers[m].device->type & CL_DEVICE_TYPE_CPU;
    return cpu;
}

/* Of builds that take so many seconds beside launches that go on for `waiting`. CPUs' compilers take long,
 * and a program that ends meanwhile waits for them. */
static double price_of_builds(const struct cx_launch *launch, double builds, double waiting)
{
    const struct cx_worker *fastest = &launch->base.context->workers[launch->base.queue->fastest];
    if (shares_cores(launch))
        return builds;
    return BUILD_PART * builds + (fastest->device->type & CL_DEVICE_TYPE_CPU ? fmax(builds - waiting, 0) : 0);
}

/* What is quick costs twice what it takes at most: itself, and what undoes it. What takes long goes on beside
 * the program, for the most part. */
double cx_plan_opening_price(const struct cx_context *context, unsigned member)
{
    const struct cx_worker *worker = &context->workers[member];
    const double built_in = worker->device->type & CL_DEVICE_TYPE_CPU ? OPENING_CPU_SECONDS : OPENING_SECONDS;
    const double seconds = cx_recall_opening(context, member);
    return seconds > 0 ? fmin(2 * seconds, fmax(seconds, built_in)) : built_in;
}

static double opening_lasts(const struct cx_context *context, unsigned member) CX_HOLDS(cx_context_locked)
{
    const struct cx_worker *worker = &context->workers[member];
    const double seconds = cx_recall_opening(context, member);
    if (seconds > 0)
        return seconds;
    return worker->device->type & CL_DEVICE_TYPE_CPU ? OPENING_CPU_SECONDS : OPENING_LASTS;
}

/* Of opening those members that are closed: its price, and how long the program goes on alone. */
static double price_of_opening(const struct cx_launch *launch, double *alone) CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    double price = 0;
    *alone = 0;
    for (unsigned m = 0; m < context->nmembers; m++)
        if (cx_queue_takes(launch->base.queue, m) &&
            atomic_load(&context->workers[m].state) == CX_WORKER_CLOSED) {
            price += cx_plan_opening_price(context, m);
            *alone = fmax(*alone, opening_lasts(context, m));
        }
    return price;
}

/* What splits would have saved so far, as far as that promises as much again: former processes that launched
 * the kernel ended before any split of it had saved something, as this one may. */
static double lacked_of(const struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    const struct cx_kernel_history *history = launch->request.kernel->function->history;
    const double lacked = launch->base.context->planner->lacked;
    const bool unsaved = history && history->recall.known && !history->recall.saved;
    return unsaved ? lacked / UNSAVED : lacked;
}

bool cx_plan_opening_pays(const struct cx_launch *launch, enum cx_variant variant, double waiting)
{
    double alone;
    const double opening = price_of_opening(launch, &alone);
    const double gain = fmax(lacked_of(launch), cx_plan_gain(launch, waiting - alone));
    if (!cx_budget_pays(gain, 1, opening)) /* how long builds take may stand in files */
        return false;
    const double builds = cx_plan_builds_last(launch, variant);
    const bool pays = cx_budget_pays(gain, 1, opening + price_of_builds(launch, builds, waiting));
    if (!pays)
        cx_compile_ahead(launch, CX_COMPILE_SPLIT, variant, gain, builds);
    return pays;
}

bool cx_plan_want_for(const struct cx_launch *launch, double seconds)
{
    struct cx_program *program = launch->request.kernel->program;
    bool coming = false;
    for (unsigned m = 0; m < launch->base.context->nmembers; m++)
        coming |= cx_queue_takes(launch->base.queue, m) && cx_build_deferred_on(program, m) &&
                  atomic_load(&program->members[m].state[CX_VARIANT_PLAIN]) != CX_BUILD_DEFERRED;
    if (coming || !cx_build_deferred_any(program))
        return coming;
    if (!cx_plan_opening_pays(launch, CX_VARIANT_PLAIN, seconds))
        return false;
    cx_build_deferred_want(program);
    return true;
}
