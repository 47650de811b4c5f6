/* SPDX-License-Identifier: MIT */
/*
 * The peer transport: regions go straight from one device's memory to another's (peer.h). Where that fails,
 * the pair is not used again and the same bytes go through the host at once: nothing is lost.
 *
 * It waits for its copies, so its jobs are never run by the program's thread (cx_job_kind.waits). Previous
 * stage: the table (transport.h).
 */
#include "layer/memory/transport.h"
#include "layer/memory/transfer.h"
#include "layer/memory/transfer_state.h"
#include "layer/timeline/command.h"
#include "layer/base/log.h"
#include "layer/memory/peer.h"
#include "layer/report/transfer_counts.h"

#include <sched.h>
#include <stdlib.h>

enum {
    CHUNK = 8 << 20,  /* of the way through the host */
    SHORT_NS = 40000, /* copies that may end within it are looked at before the thread sleeps */
};

static cx_cu_result copy_rows(const struct cx_peer_stream *peer, cx_cu_pointer to, cx_cu_pointer from,
                              size_t bytes, size_t stride, unsigned count)
{
    const struct cx_cu_rect rect = {.from = {.kind = CX_CU_DEVICE_MEMORY, .device = from, .pitch = stride},
                                    .to = {.kind = CX_CU_DEVICE_MEMORY, .device = to, .pitch = stride},
                                    .width = bytes,
                                    .height = count};
    if (count > 1 && peer->cuda->copy_rect(&rect, peer->stream) == 0)
        return 0;
    cx_cu_result code = 0;
    for (unsigned row = 0; row < count && code == 0; row++)
        code = peer->cuda->copy(to + row * stride, from + row * stride, bytes, peer->stream);
    return code;
}

/* Until the copies are over. Most are short, so it looks for a moment before it sleeps. */
static cx_cu_result await(const struct cx_peer_stream *peer)
{
    cx_cu_result code = peer->cuda->event_record(peer->end, peer->stream);
    const uint64_t since = cx_clock_ns();
    while (code == 0 && (code = peer->cuda->event_query(peer->end)) == CX_CU_NOT_READY) {
        code = 0;
        if (cx_clock_ns() - since > SHORT_NS)
            return peer->cuda->event_wait(peer->end);
        sched_yield();
    }
    return code;
}

static cx_cu_result copy_all(const struct cx_transfer_list *transfers, struct cx_worker *worker)
{
    struct cx_peer_stream peer;
    size_t stride;
    unsigned count;
    cx_cu_result code = cx_peer_enter(worker->context->memory.peers, worker->index, &peer);
    if (code != 0)
        return code;
    for (unsigned i = 0; i < transfers->count && code == 0; i += count) {
        const struct cx_transfer_item *item = &transfers->item[i];
        const cx_cu_pointer from = item->root->storage->peer[transfers->source->index]->pointer + item->lo;
        const cx_cu_pointer to = item->root->storage->peer[worker->index]->pointer + item->lo;
        count = cx_transfer_list_rows(transfers, i, &stride);
        code = copy_rows(&peer, to, from, (size_t)(item->hi - item->lo), stride, count);
    }
    if (code == 0)
        code = await(&peer);
    if (code != 0) /* nothing may be under way when the bytes go another way */
        peer.cuda->stream_wait(peer.stream);
    cx_peer_leave(&peer);
    return code;
}

/* The slow way, through the host, waited for. The source's driver is not synchronous. *blamed: the member
 * that failed. */
static cl_int run_by_host(const struct cx_transfer_list *transfers, const struct cx_transfer_item *item,
                          struct cx_worker *worker, void *room, struct cx_worker **blamed)
{
    const unsigned from = transfers->source->index, to = worker->index;
    cl_int error = CL_SUCCESS;
    for (uint64_t at = item->lo; at < item->hi && error == CL_SUCCESS; at += CHUNK) {
        const size_t bytes = item->hi - at < CHUNK ? (size_t)(item->hi - at) : (size_t)CHUNK;
        *blamed = transfers->source;
        error = transfers->source->device->cl->clEnqueueReadBuffer(
            transfers->source->queue, item->root->real[from], CL_TRUE, at, bytes, room, 0, NULL, NULL);
        if (error != CL_SUCCESS)
            break;
        *blamed = worker;
        error = worker->device->cl->clEnqueueWriteBuffer(worker->queue, item->root->real[to], CL_TRUE, at,
                                                         bytes, room, 0, NULL, NULL);
        cx_transfer_counts_add(CX_ROUTE_PAGEABLE, false, bytes);
        cx_transfer_counts_add(CX_ROUTE_PAGEABLE, true, bytes);
    }
    return error;
}

static cl_int all_by_host(const struct cx_transfer_list *transfers, struct cx_worker *worker)
{
    struct cx_worker *blamed = worker;
    void *room = malloc(CHUNK);
    cl_int error = room ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (unsigned i = 0; i < transfers->count && error == CL_SUCCESS; i++)
        error = run_by_host(transfers, &transfers->item[i], worker, room, &blamed);
    free(room);
    if (error != CL_SUCCESS)
        cx_worker_leave_out(blamed, error);
    return error;
}

/* Nothing on either device may write the source's bytes or touch the destination's meanwhile. Called by
 * whoever pumps the worker. */
static cl_int copy_at_once(const struct cx_transfer_list *transfers, struct cx_worker *worker)
{
    if (cx_peer_broken(worker->context->memory.peers, transfers->source->index, worker->index))
        return all_by_host(transfers, worker);
    cx_debug(CX_TOPIC_DATA, "peer: %u runs to %s begin", transfers->count, worker->device->name);
    const uint64_t since = cx_clock_ns();
    cx_cu_result code = copy_all(transfers, worker);
    const uint64_t ns = cx_clock_ns() - since, bytes = cx_transfer_list_bytes(transfers);
    cx_debug(CX_TOPIC_DATA, "peer: %u runs to %s are over", transfers->count, worker->device->name);
    if (code == 0) {
        cx_transfer_counts_add(CX_ROUTE_PEER, true, bytes);
        if (cx_transfer_tells(bytes))
            cx_transfer_rate_tell(&worker->transfers->peer_rate, bytes, ns);
        return CL_SUCCESS;
    }
    if (cx_peer_break(worker->context->memory.peers, transfers->source->index, worker->index))
        cx_warn(CX_TOPIC_DATA, "%s cannot copy from %s: %s; their bytes go through the host from now on",
                worker->device->name, transfers->source->device->name, cx_cuda_name(code));
    return all_by_host(transfers, worker);
}

static cl_int run_copies(struct cx_job *job, struct cx_worker *worker)
{
    cx_worker_wait(worker, job->seq - 1); /* what stands at the destination may still be in use there */
    cl_int error = copy_at_once(job->data, worker);
    if (error != CL_SUCCESS)
        cx_transfer_list_failed(job->data, worker->context, true);
    return error;
}

/* Copies the runs of `moves` that peer `from` holds, in one job of the destination. */
static cl_int plan_copies(struct cx_command *command, struct cx_mem *root, unsigned from, unsigned place,
                          const struct cx_move *moves, size_t count) CX_HOLDS(cx_context_locked)
{
    struct cx_worker *worker = cx_mem_place_worker(command->context, place);
    struct cx_worker *source = cx_mem_place_worker(command->context, from);
    struct cx_transfer_list transfers = {.upload = true, .counted = true, .place = place, .source = source};
    bool ok = true;
    if (!cx_transports_flush(command))
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < count && ok; i++)
        if (moves[i].from == from)
            ok = cx_transfer_list_add(&transfers, root, root->real[worker->index], moves[i].lo, moves[i].hi,
                                      NULL);
    if (!ok)
        cx_transfer_list_finish(&transfers, NULL);
    if (!transfers.count)
        return ok ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    struct cx_job *job = cx_transfer_list_job(worker, &transfers);
    if (!job)
        return CL_OUT_OF_HOST_MEMORY;
    job->run = run_copies;
    job->kind.waits = job->kind.copies = true;
    job->times.of_call = job->times.wanted;
    job->times.wanted = false;
    cx_peers_order_copy(command->context->memory.peers, source, worker, job);
    for (size_t i = 0; i < count && ok; i++)
        if (moves[i].from == from)
            ok = cx_coherence_peer_copy(root->storage->coherence, moves[i].lo, moves[i].hi, source->index,
                                        worker->index, worker->timeline.planned + 1, job->deps) &&
                 cx_coherence_validate(root->storage->coherence, moves[i].lo, moves[i].hi, place);
    cx_command_add_job(command, worker, job);
    return ok ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

static void note_copies(struct cx_context *context, const struct cx_worker *worker, uint64_t seq)
{
    cx_peers_note_copies(context->memory.peers, worker, seq);
}

static unsigned peer_price(uint64_t bytes)
{
    (void)bytes;
    return CX_PRICE_PEER;
}

const struct cx_transport cx_transport_peer = {
    .name = "peer",
    .possible = cx_peers_possible,
    .near = cx_peer_near,
    .price = peer_price,
    .plan = plan_copies,
    .copy = copy_at_once,
    .reach = cx_peer_reach,
    .copies = note_copies,
};
