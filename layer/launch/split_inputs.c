/* SPDX-License-Identifier: MIT */
/*
 * Lists and moves the inputs that packages lack. See split_inputs.h.
 */
#include "layer/launch/split_inputs.h"
#include "layer/memory/image.h"
#include "layer/base/log.h"
#include "layer/launch/region_ranges.h"
#include "layer/launch/remote_access.h"
#include "layer/memory/peer.h"
#include "layer/memory/trace_transfer.h"

#include <stdlib.h>

/* Whence packages get what they lack of an input. */
enum source {
    FROM_HOST,    /* the host copy, which has it when the launch begins, or gets it with the write-backs */
    FROM_OWNERS,  /* by way of the host copy, which gets what it lacks with each package */
    FROM_MEMBERS, /* the others' memories, by a transport that copies at once */
};

struct split_inputs {
    const struct cx_transport *copier; /* FROM_MEMBERS: by this one; NULL: there is none */
    bool owners;                       /* some are FROM_OWNERS */
    bool fetching;                     /* a package fetches such a one */
    enum source source[];              /* by twice the argument, and 1 more where it is for a write */
};

static enum source source_of(const struct split *split, unsigned i)
{
    return split->inputs ? split->inputs->source[i] : FROM_HOST;
}

static bool have_inputs(struct split *split)
{
    const size_t n = 2 * (size_t)split->launch->request.args->count;
    if (!split->inputs)
        split->inputs = calloc(1, sizeof(*split->inputs) + n * sizeof(split->inputs->source[0]));
    return split->inputs;
}

void cx_split_inputs_free(struct split *split)
{
    free(split->inputs);
    split->inputs = NULL;
}

bool cx_split_inputs_are_fetched(const struct split *split)
{
    return split->inputs && split->inputs->fetching;
}

/* ---- whence ---- */

/* Whether the transport brings to any of the places what others hold of the root. */
static bool reaches_any(const struct cx_transport *transport, const struct cx_mem *root, uint64_t places)
    CX_HOLDS(cx_context_locked)
{
    uint64_t any = 0;
    for (uint64_t rest = places; rest; rest &= rest - 1)
        any |= transport->near(root, (unsigned)__builtin_ctzll(rest));
    return any;
}

/* Whether the transport brings to each of the places what it lacks of [lo, hi), from others that hold it now,
 * or the host copy has it. */
static bool serves(const struct cx_transport *transport, const struct cx_mem *root, uint64_t lo, uint64_t hi,
                   uint64_t places) CX_HOLDS(cx_context_locked)
{
    const uint64_t host = UINT64_C(1) << CX_PLACE_HOST;
    bool all = !(places & host) && reaches_any(transport, root, places);
    for (uint64_t rest = places; rest && all; rest &= rest - 1) {
        const unsigned place = (unsigned)__builtin_ctzll(rest);
        const uint64_t near = transport->near(root, place);
        struct cx_move *moves = NULL;
        size_t count = 0;
        all = cx_coherence_missing_near(root->storage->coherence, lo, hi, place, near | host, &moves, &count);
        for (size_t m = 0; m < count && all; m++)
            all = moves[m].from < 64 && (near | host) >> moves[m].from & 1;
        free(moves);
    }
    return all;
}

bool cx_split_inputs_from_members(struct split *split, unsigned i, const struct cx_mem *root, uint64_t lo,
                                  uint64_t hi, uint64_t places)
{
    const struct cx_transport *copier = NULL;
    for (unsigned n = 0; !split->rules.reexecutes && (copier = cx_transports_copier(n)) != NULL; n++)
        if (serves(copier, root, lo, hi, places))
            break;
    if (!copier || !have_inputs(split) || (split->inputs->copier && split->inputs->copier != copier))
        return false;
    split->inputs->copier = copier;
    split->inputs->source[i] = FROM_MEMBERS;
    return true;
}

static bool owner_is_synchronous(const struct cx_context *context, uint64_t places)
{
    for (unsigned m = 0; m < context->nmembers; m++)
        if (places >> (1 + m) & 1 && cx_worker_is_synchronous(&context->workers[m]))
            return true;
    return false;
}

bool cx_split_inputs_from_owners(struct split *split, unsigned i, const struct cx_mem *root, uint64_t places)
{
    const uint64_t host = UINT64_C(1) << CX_PLACE_HOST;
    if (!(places & ~host) || root->image || owner_is_synchronous(root->context, places) ||
        !have_inputs(split))
        return false;
    split->inputs->source[i] = FROM_OWNERS;
    split->inputs->owners = true;
    return true;
}

/* ---- order ---- */

void cx_split_inputs_order(const struct split *split, const struct cx_worker *worker, struct cx_job *job)
{
    const struct cx_context *context = split->launch->base.context;
    if (cx_remote_access_uses(split->launch, worker->index))
        cx_peers_order_remote(context->memory.peers, split->launch->decision.remote_owner,
                              split->origin.since, job);
    for (unsigned m = 0; m < context->nmembers && split->inputs && split->inputs->copier; m++)
        if (m != worker->index && job->deps[m] < split->origin.since[m])
            job->deps[m] = split->origin.since[m];
}

void cx_split_inputs_planned(const struct split *split, const struct cx_worker *worker, uint64_t seq)
{
    if (split->inputs && split->inputs->copier && split->inputs->copier->copies)
        split->inputs->copier->copies(split->launch->base.context, worker, seq);
}

/* ---- what is lacking ---- */

/* From where the input comes to `place` without the host, as bits. */
static uint64_t near_of(const struct split *split, unsigned i, const struct cx_mem *root, unsigned place)
{
    return source_of(split, i) == FROM_MEMBERS ? split->inputs->copier->reach(root, place) : 0;
}

/* Lists what of an input's region is not valid at `place`. The caller frees *lacks. False: no memory. */
static bool list_lacking(const struct split *split, unsigned i, const struct cx_mem *mem,
                         const struct cx_access_region *region, unsigned place, struct cx_move **lacks,
                         size_t *count) CX_HOLDS(cx_context_locked)
{
    const struct cx_coherence *map = mem->storage->coherence;
    const uint64_t near = near_of(split, i, mem->root, place);
    const uint64_t *since = source_of(split, i) == FROM_MEMBERS ? split->origin.since : NULL;
    struct cx_byte_ranges ranges;
    bool ok = cx_region_needs(&ranges, mem, region, i % 2, place);
    *lacks = NULL;
    *count = 0;
    for (size_t n = 0; n < ranges.count && ok; n++) {
        const struct cx_byte_range *range = &ranges.range[n];
        ok = cx_coherence_valid(map, range->lo, range->hi, place) ||
             cx_coherence_missing_since(map, range->lo, range->hi, place, near, since, lacks, count);
    }
    cx_byte_ranges_finish(&ranges);
    return ok;
}

/* The same, but what is not valid in the host copy either. */
static bool list_absent(const struct split *split, unsigned i, const struct cx_mem *mem,
                        const struct cx_access_region *region, unsigned place, struct cx_move **lacks,
                        size_t *count) CX_HOLDS(cx_context_locked)
{
    size_t all;
    const bool ok = list_lacking(split, i, mem, region, place, lacks, &all);
    *count = 0;
    for (size_t m = 0; m < all; m++)
        if ((*lacks)[m].from != CX_PLACE_HOST)
            (*lacks)[(*count)++] = (*lacks)[m];
    return ok;
}

/* ---- what is foreseen ---- */

/* Brings the runs to the host copy, which packages are served from, or, where peers reach each other, to the
 * member itself. */
static cl_int plan_moves(struct split *split, struct cx_mem *root, unsigned place,
                         const struct cx_move *lacks, size_t count) CX_HOLDS(cx_context_locked)
{
    struct cx_byte_range *range = malloc((count + 1) * sizeof(*range));
    struct cx_near near;
    cx_transports_near(root, place, &near);
    const unsigned to = near.any ? place : CX_PLACE_HOST;
    if (!range)
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t m = 0; m < count; m++)
        range[m] = (struct cx_byte_range){lacks[m].lo, lacks[m].hi};
    cl_int error =
        cx_transfer_ranges(&split->launch->base, root, range, count, to, &split->launch->outcome.moved);
    free(range);
    return error;
}

static cl_int foresee_input(struct split *split, unsigned i, const struct cx_access_region *region,
                            const struct cx_worker *worker) CX_HOLDS(cx_context_locked)
{
    const struct cx_mem *mem = cx_launch_mem(split->launch, i / 2);
    const unsigned place = cx_mem_place(mem->root, worker);
    struct cx_move *lacks;
    size_t count;
    const bool ok = list_absent(split, i, mem, region, place, &lacks, &count);
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

cl_int cx_split_inputs_foresee(struct split *split)
{
    const struct cx_launch *launch = split->launch;
    const unsigned nargs = launch->request.args->count;
    cl_int error = CL_SUCCESS;
    if (!split->inputs || !split->inputs->owners)
        return CL_SUCCESS;
    struct cx_access_region *regions = cx_access_regions_make(nargs);
    if (!regions)
        return CL_OUT_OF_HOST_MEMORY;
    cx_transports_hold(launch->base.context);
    for (unsigned p = 0; p < split->nparts && error == CL_SUCCESS; p++) {
        const struct cx_range run = expected_run(split, p);
        if (run.first >= run.end || cx_split_is_straggler(split, p))
            continue;
        cx_access_package(split->plan.judged->access, run.first, run.end, regions);
        for (unsigned i = 0; i < 2 * nargs && error == CL_SUCCESS; i++)
            if (source_of(split, i) == FROM_OWNERS)
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
                     const struct cx_move *move) CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = split->launch->base.context;
    const struct cx_worker *owner = cx_mem_place_worker(context, move->from);
    uint64_t deps[64] = {0};
    /* who still uses what stands in the host copy. Not this launch's own jobs: they use other bytes */
    cx_coherence_host_deps(root->storage->coherence, move->lo, move->hi, true, UINT32_MAX, deps);
    deps[owner->index] = UINT64_MAX;
    for (unsigned t = 0; t < cx_context_timelines(context); t++) {
        const uint64_t after = deps[t] < split->origin.since[t] ? deps[t] : split->origin.since[t];
        fetch->after[t] = fetch->after[t] > after ? fetch->after[t] : after;
    }
    return cx_transfer_list_add(&fetch->from[owner->index], root, root->real[owner->index], move->lo,
                                move->hi, root->storage->host + move->lo);
}

/* Lists what the host copy lacks for the package of one input, the first that lacks anything. */
static cl_int list_fetch(struct fetch *fetch, const struct lane *lane, const struct cx_worker *worker,
                         bool *any) CX_HOLDS(cx_context_locked)
{
    const struct split *split = lane->split;
    cl_int error = CL_SUCCESS;
    *any = false;
    for (unsigned i = 0; i < 2 * split->launch->request.args->count && error == CL_SUCCESS && !*any; i++) {
        const struct cx_mem *mem = cx_launch_mem(split->launch, i / 2);
        struct cx_move *lacks;
        size_t count;
        if (!mem || source_of(split, i) != FROM_OWNERS)
            continue;
        bool ok = list_absent(split, i, mem, &lane->regions[i / 2], cx_mem_place(mem->root, worker), &lacks,
                              &count);
        if (ok && count)
            ok = cx_mem_host(mem->root) != NULL;
        error = ok ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
        for (size_t m = 0; m < count && error == CL_SUCCESS; m++)
            if (lacks[m].from == CX_PLACE_NONE)
                error = cx_transfer_lost(mem->root);
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
    CX_HOLDS(cx_context_locked)
{
    struct split *split = lane->split;
    bool ok = true;
    for (unsigned m = 0; m < split->launch->base.context->nmembers; m++)
        for (unsigned r = 0; r < fetch->from[m].count && ok; r++) {
            const struct cx_transfer_item *item = &fetch->from[m].item[r];
            ok = cx_coherence_host_share(item->root->storage->coherence, item->lo, item->hi, worker->index,
                                         split->participant[lane->part].seq) &&
                 cx_coherence_validate(item->root->storage->coherence, item->lo, item->hi, CX_PLACE_HOST);
            split->launch->outcome.moved += item->hi - item->lo;
        }
    return ok ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

/* Whether transfers of an owner have failed that were planned before the launch: what it holds is not what it
 * should be. */
static bool is_broken(const struct fetch *fetch, const struct split *split)
{
    const struct cx_context *context = split->launch->base.context;
    for (unsigned m = 0; m < context->nmembers; m++)
        if (fetch->from[m].count && atomic_load(&context->workers[m].broken) > split->origin.epoch)
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
        split->inputs->fetching = true;
        cx_context_plan_and_unlock(context);
        for (unsigned t = 0; t < cx_context_timelines(context) && wait; t++)
            cx_worker_wait(&context->workers[t], fetch->after[t]);
        if (!wait)
            error = read_all(fetch, context);
        cx_context_lock(context);
        split->inputs->fetching = false;
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

void cx_split_inputs_fetch(struct lane *lane, struct cx_worker *worker) CX_UNCHECKED
{
    struct split *split = lane->split;
    struct cx_context *context = split->launch->base.context;
    bool more = split->inputs && split->inputs->owners;
    while (more && !cx_split_over(split)) {
        struct fetch *fetch = NULL;
        if (split->inputs->fetching) {
            cx_context_wait(context, &split->changed);
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

/* ---- what is brought ---- */

/* Lists a copy from another member's memory; the map says at once that it is there. */
static bool add_copy(struct lane *lane, struct cx_mem *root, const struct cx_worker *worker,
                     const struct cx_move *move) CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = worker->context;
    struct cx_worker *source = cx_mem_place_worker(context, move->from);
    uint64_t ignored[64] = {0}; /* the job waited for all that was there before the launch */
    if (!lane->copies && !(lane->copies = calloc(context->nmembers, sizeof(*lane->copies))))
        return false;
    struct cx_transfer_list *transfers = &lane->copies[source->index];
    transfers->upload = transfers->counted = true;
    transfers->place = 1 + worker->index;
    transfers->source = source;
    return cx_transfer_list_add(transfers, root, root->real[worker->index], move->lo, move->hi, NULL) &&
           cx_coherence_peer_copy(root->storage->coherence, move->lo, move->hi, source->index, worker->index,
                                  lane->split->participant[lane->part].seq, ignored) &&
           cx_coherence_validate(root->storage->coherence, move->lo, move->hi, transfers->place);
}

/* Lists an upload from the host copy; likewise. */
static bool add_upload(struct lane *lane, struct cx_mem *root, const struct cx_worker *worker,
                       const struct cx_move *move, struct cx_transfer_list *transfers)
    CX_HOLDS(cx_context_locked)
{
    struct split *split = lane->split;
    uint64_t ignored[64] = {0};
    split->launch->outcome.moved += move->hi - move->lo;
    return cx_transfer_list_add(transfers, root, root->real[worker->index], move->lo, move->hi,
                                root->storage->host + move->lo) &&
           cx_coherence_host_read(root->storage->coherence, move->lo, move->hi, worker->index,
                                  split->participant[lane->part].seq, ignored) &&
           cx_coherence_validate(root->storage->coherence, move->lo, move->hi, transfers->place);
}

/* Of one input. */
static bool list_input(struct lane *lane, unsigned i, const struct cx_mem *mem,
                       const struct cx_worker *worker, struct cx_transfer_list *transfers)
    CX_HOLDS(cx_context_locked)
{
    const struct split *split = lane->split;
    const bool members = source_of(split, i) == FROM_MEMBERS;
    const uint64_t near = near_of(split, i, mem->root, transfers->place),
                   seq = split->participant[lane->part].seq;
    struct cx_mem *root = mem->root;
    struct cx_move *lacks;
    size_t count;
    bool ok = list_lacking(split, i, mem, &lane->regions[i / 2], transfers->place, &lacks, &count);
    for (size_t m = 0; m < count && ok; m++) {
        const struct cx_move *move = &lacks[m];
        if (move->from == CX_PLACE_HOST || root->image) /* or between rows of texels */
            ok = add_upload(lane, root, worker, move, transfers) &&
                 /* others must not take it for what was there before */
                 (!members ||
                  cx_coherence_brought(root->storage->coherence, move->lo, move->hi, worker->index, seq));
        else if (members)
            ok = move->from < 64 && near >> move->from & 1 && add_copy(lane, root, worker, move);
        else
            ok = i % 2; /* between what it writes: other packages' to write, as all is written */
    }
    free(lacks);
    return ok;
}

bool cx_split_inputs_list(struct lane *lane, const struct cx_worker *worker,
                          struct cx_transfer_list *transfers)
{
    const struct cx_launch *launch = lane->split->launch;
    bool ok = true;
    *transfers = (struct cx_transfer_list){.upload = true, .counted = true, .place = 1 + worker->index};
    for (unsigned i = 0; i < 2 * launch->request.args->count && ok; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i / 2);
        if (mem && cx_launch_protocol(launch, i / 2) <= CX_PROTOCOL_EXCLUSIVE &&
            cx_mem_place(mem->root, worker) != CX_PLACE_HOST)
            ok = list_input(lane, i, mem, worker, transfers);
    }
    return ok;
}

cl_int cx_split_inputs_copy(struct lane *lane, struct cx_worker *worker)
{
    cl_int error = CL_SUCCESS;
    for (unsigned m = 0; lane->copies && m < worker->context->nmembers; m++) {
        struct cx_transfer_list *transfers = &lane->copies[m];
        if (!transfers->count)
            continue;
        if (!lane->drained) /* the device may still use what stands there for what came before this launch */
            cx_worker_wait(worker, lane->split->participant[lane->part].seq - 1);
        lane->drained = true;
        const uint64_t start = cx_clock_ns();
        if (error == CL_SUCCESS)
            error = lane->split->inputs->copier->copy(transfers, worker);
        if (error == CL_SUCCESS)
            cx_trace_transfers(transfers, worker, start, cx_clock_ns());
        else
            cx_transfer_list_failed(transfers, worker->context, false);
        cx_transfer_list_finish(transfers, worker);
    }
    return error;
}

void cx_split_inputs_abandon(struct lane *lane, const struct cx_worker *worker,
                             struct cx_transfer_list *transfers)
{
    struct cx_context *context = worker->context;
    for (unsigned m = 0; m < context->nmembers && lane->copies; m++) {
        cx_transfer_list_failed(&lane->copies[m], context, false);
        cx_transfer_list_finish(&lane->copies[m], worker);
    }
    cx_transfer_list_failed(transfers, context, false);
    cx_transfer_list_finish(transfers, worker);
}
