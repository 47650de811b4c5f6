/* SPDX-License-Identifier: MIT */
/*
 * Packages that copy from peers. See split_peer.h.
 */
#include "layer/launch/split_peer.h"
#include "layer/timeline/command.h"
#include "layer/launch/shared_home.h"
#include "layer/memory/peer.h"
#include "layer/memory/trace_transfer.h"
#include "layer/memory/transport_peer.h"

#include <stdlib.h>

bool cx_split_serve(struct split *split, unsigned i, const struct cx_mem *root, uint64_t lo, uint64_t hi,
                    uint64_t places)
{
    bool served = !split->rescues && root->peer && !(places & 1);
    for (uint64_t rest = places; rest && served; rest &= rest - 1) {
        const unsigned place = (unsigned)__builtin_ctzll(rest);
        const uint64_t near = cx_peer_near(root, place) | 1;
        struct cx_move *moves = NULL;
        size_t count = 0;
        served = cx_coherence_missing_near(root->coherence, lo, hi, place, near, &moves, &count);
        for (size_t m = 0; m < count && served; m++)
            served = moves[m].from < 64 && near >> moves[m].from & 1;
        free(moves);
    }
    if (served && !split->served)
        split->served = calloc(2 * (size_t)split->launch->args->count, sizeof(*split->served));
    served &= split->served != NULL;
    if (served)
        split->served[i] = true;
    return served;
}

void cx_split_order(const struct split *split, const struct cx_worker *worker, struct cx_job *job)
{
    const struct cx_context *context = split->launch->base.context;
    if (cx_one_home_visits(split->launch, worker->index))
        cx_peers_order_visit(context->peers, split->launch->home, split->since, job);
    for (unsigned m = 0; m < context->nmembers && split->served; m++)
        if (m != worker->index && job->deps[m] < split->since[m])
            job->deps[m] = split->since[m];
}

void cx_split_lend(const struct split *split, const struct cx_worker *worker, uint64_t seq)
{
    if (split->served)
        cx_peers_lend(split->launch->base.context->peers, worker, seq);
}

static bool add_copy(struct lane *lane, struct cx_mem *root, const struct cx_worker *worker,
                     const struct cx_move *move)
{
    const struct cx_context *context = worker->context;
    struct cx_worker *source = cx_place_worker(context, move->from);
    uint64_t ignored[64] = {0}; /* the job waited for all that was there before the launch */
    if (!lane->copies && !(lane->copies = calloc(context->nmembers, sizeof(*lane->copies))))
        return false;
    struct cx_runs *runs = &lane->copies[source->index];
    runs->upload = runs->counted = true;
    runs->place = 1 + worker->index;
    runs->source = source;
    return cx_runs_add(runs, root, root->real[worker->index], move->lo, move->hi, NULL) &&
           cx_coherence_peer_copy(root->coherence, move->lo, move->hi, source->index, worker->index,
                                  lane->split->seq[lane->part], ignored) &&
           cx_coherence_validate(root->coherence, move->lo, move->hi, runs->place);
}

bool cx_lane_list(struct lane *lane, struct cx_mem *root, const struct cx_worker *worker, uint64_t lo,
                  uint64_t hi, struct cx_move **moves, size_t *count)
{
    const uint64_t near = cx_peer_reach(root, 1 + worker->index);
    const size_t before = *count;
    size_t left = before;
    if (!cx_coherence_missing_since(root->coherence, lo, hi, 1 + worker->index, near, lane->split->since,
                                    moves, count))
        return false;
    for (size_t m = before; m < *count; m++) {
        const struct cx_move move = (*moves)[m];
        if (move.from == CX_PLACE_HOST)
            (*moves)[left++] = move;
        else if (move.from >= 64 || !(near >> move.from & 1) || !add_copy(lane, root, worker, &move))
            return false;
    }
    for (size_t m = before; m < left; m++) /* a peer must not take these for what was there before */
        if (!cx_coherence_brought(root->coherence, (*moves)[m].lo, (*moves)[m].hi, worker->index,
                                  lane->split->seq[lane->part]))
            return false;
    *count = left;
    return true;
}

cl_int cx_lane_copy(struct lane *lane, struct cx_worker *worker)
{
    cl_int error = CL_SUCCESS;
    for (unsigned m = 0; lane->copies && m < worker->context->nmembers; m++) {
        struct cx_runs *runs = &lane->copies[m];
        if (!runs->count)
            continue;
        if (!lane->drained) /* the device may still use what stands there for what came before this launch */
            cx_worker_wait(worker, lane->split->seq[lane->part] - 1);
        lane->drained = true;
        const uint64_t start = cx_clock_ns();
        if (error == CL_SUCCESS)
            error = cx_peer_runs(runs, worker);
        if (error == CL_SUCCESS)
            cx_trace_runs(runs, worker, start, cx_clock_ns());
        else
            cx_runs_failed(runs, worker->context, false);
        cx_runs_finish(runs, worker);
    }
    return error;
}
