/* SPDX-License-Identifier: MIT */
/*
 * Owner fetch: inputs that packages fetch from their owners. See split_fetch.h.
 */
#include "layer/launch/split_fetch.h"
#include "layer/memory/image.h"
#include "layer/base/log.h"
#include "layer/launch/region_ranges.h"

#include <stdlib.h>

static bool owner_is_synchronous(const struct cx_context *context, uint64_t places)
{
    for (unsigned m = 0; m < context->nmembers; m++)
        if (places >> (1 + m) & 1 && cx_worker_is_synchronous(&context->workers[m]))
            return true;
    return false;
}

bool cx_split_fetch_input(struct split *split, unsigned i, const struct cx_mem *root, uint64_t places)
{
    const uint64_t host = UINT64_C(1) << CX_PLACE_HOST;
    if (!(places & ~host) || root->image || owner_is_synchronous(root->context, places))
        return false;
    if (!split->owner_fetched)
        split->owner_fetched = calloc(2 * (size_t)split->launch->args->count, sizeof(*split->owner_fetched));
    if (split->owner_fetched)
        split->owner_fetched[i] = true;
    return split->owner_fetched != NULL;
}

/* ---- what is foreseen ---- */

/* Lists what of an input's region (i: as in cx_split_fetch_input) is valid neither at `place` nor in the host
 * copy. The caller frees *lacks. False: no memory. */
static bool list_lacking(const struct cx_mem *mem, const struct cx_access_region *region, unsigned i,
                         unsigned place, struct cx_move **lacks, size_t *count)
{
    const struct cx_coherence *map = mem->root->coherence;
    struct cx_byte_ranges ranges;
    size_t all = 0;
    bool ok = cx_region_ranges(&ranges, mem, region, i % 2, i % 2);
    *lacks = NULL;
    *count = 0;
    for (size_t n = 0; n < ranges.count && ok; n++)
        ok = cx_coherence_valid(map, ranges.range[n].lo, ranges.range[n].hi, place) ||
             cx_coherence_missing(map, ranges.range[n].lo, ranges.range[n].hi, place, lacks, &all);
    for (size_t m = 0; m < all; m++)
        if ((*lacks)[m].from != CX_PLACE_HOST)
            (*lacks)[(*count)++] = (*lacks)[m];
    cx_byte_ranges_finish(&ranges);
    return ok;
}

/* Brings the runs to the host copy, which packages are served from, or, where peers reach each other, to the
 * member itself. */
static cl_int plan_moves(struct split *split, struct cx_mem *root, unsigned place,
                         const struct cx_move *lacks, size_t count)
{
    struct cx_byte_range *range = malloc((count + 1) * sizeof(*range));
    struct cx_near near;
    cx_transports_near(root, place, &near);
    const unsigned to = near.any ? place : CX_PLACE_HOST;
    if (!range)
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t m = 0; m < count; m++)
        range[m] = (struct cx_byte_range){lacks[m].lo, lacks[m].hi};
    cl_int error = cx_move_ranges(&split->launch->base, root, range, count, to, &split->launch->moved);
    free(range);
    return error;
}

static cl_int foresee_input(struct split *split, unsigned i, const struct cx_access_region *region,
                            const struct cx_worker *worker)
{
    const struct cx_mem *mem = cx_launch_mem(split->launch, i / 2);
    const unsigned place = cx_mem_place(mem->root, worker);
    struct cx_move *lacks;
    size_t count;
    const bool ok = list_lacking(mem, region, i, place, &lacks, &count);
    cl_int error = ok ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (ok && count)
        error = plan_moves(split, mem->root, place, lacks, count);
    free(lacks);
    return error;
}

/* The run of the range in which the part begins. */
static struct cx_range expected_run(const struct split *split, unsigned part)
{
    if (part >= split->plan.n)
        return (struct cx_range){split->plan.probe_first, split->plan.probe_end};
    if (split->plan.n == 1)
        return (struct cx_range){0, split->plan.judged->verdict.groups};
    return split->ranges.partition[part];
}

cl_int cx_split_foresee(struct split *split)
{
    const struct cx_launch *launch = split->launch;
    const unsigned nargs = launch->args->count;
    cl_int error = CL_SUCCESS;
    if (!split->owner_fetched)
        return CL_SUCCESS;
    struct cx_access_region *regions = calloc(nargs + 1u, sizeof(*regions));
    if (!regions)
        return CL_OUT_OF_HOST_MEMORY;
    cx_transports_hold(launch->base.context);
    for (unsigned p = 0; p < split->nparts && error == CL_SUCCESS; p++) {
        const struct cx_range run = expected_run(split, p);
        if (run.first >= run.end || cx_split_is_straggler(split, p))
            continue;
        cx_access_package(split->plan.judged->access, run.first, run.end, regions);
        for (unsigned i = 0; i < 2 * nargs && error == CL_SUCCESS; i++)
            if (split->owner_fetched[i])
                error = foresee_input(split, i, &regions[i / 2],
                                      &launch->base.context->workers[split->plan.member[p]]);
    }
    if (!cx_transports_let(&split->launch->base) && error == CL_SUCCESS)
        error = CL_OUT_OF_HOST_MEMORY;
    free(regions);
    return error;
}

/* ---- what is fetched ---- */

/* What one package lacks, by owner. */
struct fetch {
    struct cx_transfer_list from[64];
    uint64_t after[64]; /* positions on timelines to be waited for */
};

static bool add_item(struct fetch *fetch, const struct split *split, struct cx_mem *root,
                     const struct cx_move *move)
{
    const struct cx_context *context = split->launch->base.context;
    const struct cx_worker *owner = cx_place_worker(context, move->from);
    uint64_t deps[64] = {0};
    /* who still uses what stands in the host copy. Not this launch's own jobs: they use other bytes */
    cx_coherence_host_deps(root->coherence, move->lo, move->hi, true, UINT32_MAX, deps);
    deps[owner->index] = UINT64_MAX;
    for (unsigned t = 0; t < cx_context_timelines(context); t++) {
        const uint64_t after = deps[t] < split->since[t] ? deps[t] : split->since[t];
        fetch->after[t] = fetch->after[t] > after ? fetch->after[t] : after;
    }
    return cx_transfer_list_add(&fetch->from[owner->index], root, root->real[owner->index], move->lo,
                                move->hi, root->host + move->lo);
}

/* Lists what the host copy lacks for the package of one input, the first that lacks anything. */
static cl_int list_fetch(struct fetch *fetch, const struct lane *lane, const struct cx_worker *worker,
                         bool *any)
{
    const struct split *split = lane->split;
    cl_int error = CL_SUCCESS;
    *any = false;
    for (unsigned i = 0; i < 2 * split->launch->args->count && error == CL_SUCCESS && !*any; i++) {
        const struct cx_mem *mem = cx_launch_mem(split->launch, i / 2);
        struct cx_move *lacks;
        size_t count;
        if (!mem || !split->owner_fetched[i])
            continue;
        bool ok =
            list_lacking(mem, &lane->regions[i / 2], i, cx_mem_place(mem->root, worker), &lacks, &count);
        if (ok && count)
            ok = cx_mem_host(mem->root) != NULL;
        error = ok ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
        for (size_t m = 0; m < count && error == CL_SUCCESS; m++)
            if (lacks[m].from == CX_PLACE_NONE)
                error = cx_move_lost(mem->root);
            else if (!add_item(fetch, split, mem->root, &lacks[m]))
                error = CL_OUT_OF_HOST_MEMORY;
        *any = count > 0;
        free(lacks);
    }
    return error;
}

static bool must_wait(const struct fetch *fetch, const struct cx_context *context)
{
    for (unsigned t = 0; t < cx_context_timelines(context); t++)
        if (!cx_timeline_passed(&context->workers[t].timeline, fetch->after[t]))
            return true;
    return false;
}

static cl_int read_all(struct fetch *fetch, const struct cx_context *context)
{
    cl_int error = CL_SUCCESS;
    for (unsigned m = 0; m < context->nmembers && error == CL_SUCCESS; m++) {
        struct cx_worker *owner = &context->workers[m];
        if (!fetch->from[m].count)
            continue;
        cx_debug(CX_TOPIC_DATA, "a package fetches %u runs, the first of %llu bytes, from %s",
                 fetch->from[m].count,
                 (unsigned long long)(fetch->from[m].item[0].hi - fetch->from[m].item[0].lo),
                 owner->device->name);
        error = cx_transfer_list_read(&fetch->from[m], owner, cx_worker_peer_read_queue(owner));
        if (error != CL_SUCCESS)
            cx_worker_leave_out(owner, error);
    }
    return error;
}

/* The host copy has them now. The lane's job counts as who wrote them, beside others of the launch. */
static cl_int note_fetched(const struct fetch *fetch, const struct lane *lane, const struct cx_worker *worker)
{
    struct split *split = lane->split;
    bool ok = true;
    for (unsigned m = 0; m < split->launch->base.context->nmembers; m++)
        for (unsigned r = 0; r < fetch->from[m].count && ok; r++) {
            const struct cx_transfer_item *item = &fetch->from[m].item[r];
            ok = cx_coherence_host_share(item->root->coherence, item->lo, item->hi, worker->index,
                                         split->participant[lane->part].seq) &&
                 cx_coherence_validate(item->root->coherence, item->lo, item->hi, CX_PLACE_HOST);
            split->launch->moved += item->hi - item->lo;
        }
    return ok ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

/* Whether transfers of an owner have failed that were planned before the launch: what it holds is not what it
 * should be. */
static bool is_broken(const struct fetch *fetch, const struct split *split)
{
    const struct cx_context *context = split->launch->base.context;
    for (unsigned m = 0; m < context->nmembers; m++)
        if (fetch->from[m].count && atomic_load(&context->workers[m].broken) > split->epoch)
            return true;
    return false;
}

/* One step towards having it all: waits for what must be over, or reads. Gives whether to look again. */
static bool fetch_step(struct lane *lane, struct cx_worker *worker, struct fetch *fetch) CX_UNCHECKED
{
    struct split *split = lane->split;
    struct cx_context *context = split->launch->base.context;
    bool any;
    cl_int error = list_fetch(fetch, lane, worker, &any);
    if (error == CL_SUCCESS && any) {
        const bool wait = must_wait(fetch, context);
        split->fetching = true;
        cx_context_unlock(context);
        for (unsigned t = 0; t < cx_context_timelines(context) && wait; t++)
            cx_worker_wait(&context->workers[t], fetch->after[t]);
        if (!wait)
            error = read_all(fetch, context);
        cx_context_lock(context);
        split->fetching = false;
        pthread_cond_broadcast(&split->changed);
        if (error == CL_SUCCESS && is_broken(fetch, split))
            error = CL_OUT_OF_RESOURCES;
        if (!wait && error == CL_SUCCESS)
            error = note_fetched(fetch, lane, worker);
    }
    if (error != CL_SUCCESS)
        cx_split_fail(split, error);
    return any && error == CL_SUCCESS;
}

void cx_lane_fetch(struct lane *lane, struct cx_worker *worker) CX_UNCHECKED
{
    struct split *split = lane->split;
    struct cx_context *context = split->launch->base.context;
    bool more = split->owner_fetched != NULL;
    while (more && !cx_split_over(split)) {
        struct fetch *fetch = NULL;
        if (split->fetching) {
            cx_lock_wait(&split->changed, &context->lock);
            continue;
        }
        if (!(fetch = calloc(1, sizeof(*fetch)))) {
            cx_split_fail(split, CL_OUT_OF_HOST_MEMORY);
            return;
        }
        more = fetch_step(lane, worker, fetch);
        for (unsigned m = 0; m < context->nmembers; m++)
            cx_transfer_list_finish(&fetch->from[m], &context->workers[m]);
        free(fetch);
    }
}
