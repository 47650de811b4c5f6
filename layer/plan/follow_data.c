/* SPDX-License-Identifier: MIT */
/*
 * What a launch would have to move. See follow_data.h.
 */
#include "layer/plan/follow_data.h"
#include "layer/plan/bounds.h"
#include "layer/base/options.h"
#include "layer/plan/judge.h"
#include "layer/plan/launch_form.h"
#include "layer/plan/plan_size.h"
#include "layer/plan/policy.h"
#include "layer/program/build_deferred.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of each piece of bytes apart, to be kept in maps and copied (an estimate). */
#define PIECE_SECONDS 1e-6

/* What is touched through an argument, by reading or by writing. */
struct touched {
    const struct cx_mem *mem;
    const struct cx_access_interval *interval;
    const struct cx_access_box *box;
    unsigned nbox;
};

static struct touched touched_by(const struct cx_mem *mem, const struct cx_access_region *region, bool write)
{
    return write ? (struct touched){mem, &region->write, region->write_box, region->nwrite}
                 : (struct touched){mem, &region->read, region->read_box, region->nread};
}

/* Bytes of each place that it lacks; false: nothing is touched. */
static bool find_lacking(const struct touched *touched, uint64_t lacking[64]) CX_HOLDS(cx_context_locked)
{
    const struct cx_mem *mem = touched->mem;
    const uint64_t lo = touched->interval->lo,
                   hi = touched->interval->hi < mem->size ? touched->interval->hi : mem->size;
    memset(lacking, 0, 64 * sizeof(*lacking));
    if (lo < hi)
        cx_coherence_lacking(mem->storage->coherence, mem->origin + lo, mem->origin + hi, lacking);
    return lo < hi;
}

/* Seconds of moving it where all from the first byte to the last takes so many: that, or piece by piece. */
static double apart_or_all(const struct touched *touched, double all)
{
    const double length = (double)(touched->interval->hi - touched->interval->lo);
    double pieces = 0, bytes = 0;
    for (unsigned b = 0; b < touched->nbox; b++) {
        const double rows = (double)touched->box[b].count[0] * (double)touched->box[b].count[1];
        pieces += rows;
        bytes += rows * (double)touched->box[b].len;
    }
    return CX_LEAST_MOVE_SECONDS +
           (pieces > 0 ? fmin(all, pieces * PIECE_SECONDS + all * bytes / length) : all);
}

/* Seconds to bring the member what it lacks of it. */
static double bring(const struct touched *touched, const struct cx_worker *worker) CX_HOLDS(cx_context_locked)
{
    uint64_t lacking[64];
    const struct cx_mem *root = touched->mem->root;
    if (!find_lacking(touched, lacking) || !lacking[cx_mem_place(root, worker)])
        return 0;
    const struct cx_plan_bring seconds = cx_plan_bring(worker, root, lacking);
    return apart_or_all(touched, seconds.host + seconds.others);
}

/* Seconds to bring back to `last` what is written on `best`, where that one alone has it now. */
static double bring_back(const struct touched *touched, const struct cx_worker *last,
                         const struct cx_worker *best) CX_HOLDS(cx_context_locked)
{
    uint64_t lacking[64];
    const struct cx_mem *root = touched->mem->root;
    if (!find_lacking(touched, lacking) || lacking[cx_mem_place(root, last)] ||
        !lacking[cx_mem_place(root, best)])
        return 0;
    const double length = (double)(touched->interval->hi - touched->interval->lo);
    return apart_or_all(touched, cx_plan_exchange_seconds(last, root, length));
}

/* What is certainly written need not be there before. */
static bool is_needed(const struct touched *touched)
{
    bool exact = touched->nbox > 0 || touched->interval->exact;
    for (unsigned b = 0; b < touched->nbox; b++)
        exact &= touched->box[b].exact;
    return !exact;
}

static void add_moves(const struct cx_launch *launch, const struct cx_access_region *regions,
                      const struct cx_worker *last, const struct cx_worker *best,
                      struct cx_follow_launch *costs) CX_HOLDS(cx_context_locked)
{
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        if (!mem)
            continue;
        const struct touched read = touched_by(mem, &regions[i], false),
                             written = touched_by(mem, &regions[i], true);
        costs->bring_here += bring(&read, last) + (is_needed(&written) ? bring(&written, last) : 0);
        costs->bring_there += bring(&read, best) + (is_needed(&written) ? bring(&written, best) : 0);
        costs->back += bring_back(&written, last, best);
    }
}

/* Seconds of the launch on a member, where that was measured, or else the other one, if that is like it. */
static double seconds_on(const struct cx_launch *launch, unsigned member, unsigned other)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_real_device *device = launch->base.context->workers[member].device,
                                *known = launch->base.context->workers[other].device;
    const double measured = cx_plan_measured_on(launch, member);
    if (measured > 0 || !cx_plan_akin(device, known))
        return measured;
    return cx_plan_measured_on(launch, other) * known->nominal_gflops / device->nominal_gflops;
}

/* What its driver may have to do there once. */
static double once_seconds(const struct cx_launch *launch, struct cx_kernel_history *history, unsigned member)
    CX_HOLDS(cx_context_locked)
{
    if (!(launch->base.context->workers[member].device->type & CL_DEVICE_TYPE_CPU) ||
        cx_launch_compiled(launch, history, member, CX_VARIANT_PLAIN, true))
        return 0;
    return history->compiles > 0 ? history->compiles
                                 : cx_plan_compiles(&launch->base.context->workers[member]);
}

/* Whether nobody has asked for one device or the other, and all is there to run it on the last one. */
static bool may_stay(const struct cx_launch *launch, unsigned last)
{
    const struct cx_options *options = cx_options_get();
    return options->objective == CX_OPTION_OBJECTIVE_TIME && !options->reproducible &&
           !cx_plan_policy(launch)->keeps_whole &&
           !cx_build_deferred_on(launch->request.kernel->program, last);
}

/* Whether the member has all that the arguments hold, whatever is touched of it. */
static bool has_all(const struct cx_launch *launch, const struct cx_worker *worker)
    CX_HOLDS(cx_context_locked)
{
    bool all = true;
    for (unsigned i = 0; i < launch->request.args->count && all; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        all = !mem || cx_coherence_valid(mem->storage->coherence, mem->origin, mem->origin + mem->size,
                                         cx_mem_place(mem->root, worker));
    }
    return all;
}

bool cx_follow_data_stays(struct cx_launch *launch, unsigned last, unsigned best)
{
    struct cx_context *context = launch->base.context;
    struct cx_kernel_history *history = launch->request.kernel->function->history;
    struct cx_follow_launch costs = {.here = seconds_on(launch, last, best),
                                     .there = seconds_on(launch, best, last)};
    if (!history || !(costs.here > 0 && costs.there > 0) || !may_stay(launch, last) ||
        has_all(launch, &context->workers[best]))
        return false;
    struct cx_cached_verdict *judged = cx_judge_launch(launch);
    if (!judged || !judged->access)
        return false;
    struct cx_access_region *regions = cx_access_regions_make(launch->request.args->count);
    if (!regions)
        return false;
    costs.once = once_seconds(launch, history, last);
    cx_access_whole(judged->access, regions);
    add_moves(launch, regions, &context->workers[last], &context->workers[best], &costs);
    free(regions);
    return costs.bring_there > 0 && cx_follow_stays(&history->follow, &costs);
}
