/* SPDX-License-Identifier: MIT */
/*
 * Inputs that packages copy from peers. See split_peer.h.
 */
#include "layer/launch/split_peer.h"
#include "layer/timeline/command.h"
#include "layer/launch/remote_access.h"
#include "layer/memory/peer.h"
#include "layer/memory/trace_transfer.h"
#include "layer/memory/transport_peer.h"

#include <stdlib.h>

bool cx_split_peer_input(struct split *split, unsigned i, const struct cx_mem *root, uint64_t lo, uint64_t hi,
                         uint64_t places)
{
    bool peer_copied = !split->reexecutes && root->peer && !(places & 1);
    for (uint64_t rest = places; rest && peer_copied; rest &= rest - 1) {
        const unsigned place = (unsigned)__builtin_ctzll(rest);
        const uint64_t near = cx_peer_near(root, place) | 1;
        struct cx_move *moves = NULL;
        size_t count = 0;
        peer_copied = cx_coherence_missing_near(root->coherence, lo, hi, place, near, &moves, &count);
        for (size_t m = 0; m < count && peer_copied; m++)
            peer_copied = moves[m].from < 64 && near >> moves[m].from & 1;
        free(moves);
    }
    if (peer_copied && !split->peer_copied)
        split->peer_copied = calloc(2 * (size_t)split->launch->args->count, sizeof(*split->peer_copied));
    peer_copied &= split->peer_copied != NULL;
    if (peer_copied)
        split->peer_copied[i] = true;
    return peer_copied;
}

void cx_split_peer_order(const struct split *split, const struct cx_worker *worker, struct cx_job *job)
{
    const struct cx_context *context = split->launch->base.context;
    if (cx_remote_access_uses(split->launch, worker->index))
        cx_peers_order_remote(context->peers, split->launch->remote_owner, split->since, job);
    for (unsigned m = 0; m < context->nmembers && split->peer_copied; m++)
        if (m != worker->index && job->deps[m] < split->since[m])
            job->deps[m] = split->since[m];
}

void cx_split_peer_planned(const struct split *split, const struct cx_worker *worker, uint64_t seq)
{
    if (split->peer_copied)
        cx_peers_note_copies(split->launch->base.context->peers, worker, seq);
}

static bool add_copy(struct lane *lane, struct cx_mem *root, const struct cx_worker *worker,
                     const struct cx_move *move)
{
    const struct cx_context *context = worker->context;
    struct cx_worker *source = cx_place_worker(context, move->from);
    uint64_t ignored[64] = {0}; /* the job waited for all that was there before the launch */
    if (!lane->copies && !(lane->copies = calloc(context->nmembers, sizeof(*lane->copies))))
        return false;
    struct cx_transfer_list *transfers = &lane->copies[source->index];
    transfers->upload = transfers->counted = true;
    transfers->place = 1 + worker->index;
    transfers->source = source;
    return cx_transfer_list_add(transfers, root, root->real[worker->index], move->lo, move->hi, NULL) &&
           cx_coherence_peer_copy(root->coherence, move->lo, move->hi, source->index, worker->index,
                                  lane->split->participant[lane->part].seq, ignored) &&
           cx_coherence_validate(root->coherence, move->lo, move->hi, transfers->place);
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
                                  lane->split->participant[lane->part].seq))
            return false;
    *count = left;
    return true;
}

cl_int cx_lane_copy(struct lane *lane, struct cx_worker *worker)
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
            error = cx_peer_runs(transfers, worker);
        if (error == CL_SUCCESS)
            cx_trace_transfers(transfers, worker, start, cx_clock_ns());
        else
            cx_transfer_list_failed(transfers, worker->context, false);
        cx_transfer_list_finish(transfers, worker);
    }
    return error;
}
