/* SPDX-License-Identifier: MIT */
/*
 * What packages of a dynamic split lack where they run: transfers from the host copy, beside kernels where
 * that works. Previous stage: split_package.c.
 */
#include "layer/launch/split_inside.h"
#include "layer/launch/split_peer.h"
#include "layer/launch/reexecute.h"
#include "layer/base/options.h"
#include "layer/report/trace_file.h"
#include "layer/memory/trace_transfer.h"
#include "layer/launch/region_ranges.h"

#include <stdlib.h>

bool cx_uploads_list(struct lane *lane, const struct cx_worker *worker, struct cx_transfer_list *transfers)
{
    struct cx_launch *launch = lane->split->launch;
    uint64_t seq = lane->split->participant[lane->part].seq, ignored[64] = {0};
    *transfers = (struct cx_transfer_list){.upload = true, .counted = true, .place = 1 + worker->index};
    for (unsigned i = 0; i < 2 * launch->args->count; i++) {
        struct cx_mem *mem = cx_launch_mem(launch, i / 2);
        struct cx_byte_ranges ranges;
        struct cx_move *moves = NULL;
        size_t count = 0;
        if (!mem || cx_launch_protocol(launch, i / 2) > CX_PROTOCOL_EXCLUSIVE ||
            cx_mem_place(mem->root, worker) == CX_PLACE_HOST)
            continue;
        struct cx_mem *root = mem->root;
        bool ok = cx_region_ranges(&ranges, mem, &lane->regions[i / 2], i % 2, i % 2);
        for (size_t n = 0; n < ranges.count && ok; n++)
            if (!cx_coherence_valid(root->coherence, ranges.range[n].lo, ranges.range[n].hi,
                                    transfers->place))
                ok = lane->split->peer_copied && lane->split->peer_copied[i]
                         ? cx_lane_list(lane, root, worker, ranges.range[n].lo, ranges.range[n].hi, &moves,
                                        &count)
                         : cx_coherence_missing(root->coherence, ranges.range[n].lo, ranges.range[n].hi,
                                                transfers->place, &moves, &count);
        for (size_t m = 0; m < count && ok; m++) {
            const bool there = moves[m].from == CX_PLACE_HOST || root->image; /* or between rows of texels */
            if (!there && i % 2) /* between what it writes: other packages' to write, as all is written */
                continue;
            ok = there &&
                 cx_transfer_list_add(transfers, root, root->real[worker->index], moves[m].lo, moves[m].hi,
                                      root->host + moves[m].lo) &&
                 cx_coherence_host_read(root->coherence, moves[m].lo, moves[m].hi, worker->index, seq,
                                        ignored) &&
                 cx_coherence_validate(root->coherence, moves[m].lo, moves[m].hi, transfers->place);
            launch->moved += moves[m].hi - moves[m].lo;
        }
        free(moves);
        cx_byte_ranges_finish(&ranges);
        if (!ok)
            return false;
    }
    return true;
}

static void trace_uploads(const struct flight *flight, const struct cx_worker *worker)
{
    uint64_t start = 0, end = 0, unused;
    if (!flight->upload || !cx_trace_on())
        return;
    cx_worker_event_times(worker, flight->upload, &start, &end);
    if (flight->transfers.item[0].event)
        cx_worker_event_times(worker, flight->transfers.item[0].event, &start, &unused);
    if (start && end)
        cx_trace_transfers(&flight->transfers, worker, start, end);
}

cl_int cx_uploads_end(struct flight *flight, struct cx_worker *worker, cl_int error, bool relied)
{
    if (error == CL_SUCCESS && flight->upload)
        error = cx_worker_event_error(worker, flight->upload);
    if (error == CL_SUCCESS)
        error = cx_transfer_list_status(&flight->transfers, worker);
    if (error != CL_SUCCESS) {
        cx_transfer_list_failed(&flight->transfers, worker->context, relied);
        if (relied) /* packages behind this one ran on old bytes */
            atomic_store(&worker->broken, atomic_load(&worker->context->epoch));
        cx_worker_leave_out(worker, error);
    }
    trace_uploads(flight, worker);
    if (flight->upload)
        worker->device->cl->clReleaseEvent(flight->upload);
    cx_transfer_list_finish(&flight->transfers, worker);
    return error;
}

/*
 * Uploads beside the kernel that runs: the first package's go to the worker's own queue, behind all that was
 * there before, and everything later on the other queue waits for them; each package waits for its own. They
 * only bring what the device lacks, so no package that runs reads or writes the same bytes. Off where the
 * first package lacks nothing (members that work in place never do).
 */
static void choose_queue(struct lane *lane, struct cx_worker *worker,
                         const struct cx_transfer_list *transfers)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    if (lane->aside || !lane->first_upload || !transfers->count ||
        !cx_worker_open_queue(worker, CX_REAL_QUEUE_TRANSFER))
        return;
    lane->aside = cl->clEnqueueBarrierWithWaitList(worker->queues[CX_REAL_QUEUE_TRANSFER].queue, 1,
                                                   &lane->first_upload, NULL) == CL_SUCCESS;
    cl->clReleaseEvent(lane->first_upload);
    lane->first_upload = NULL;
}

/* The member's first package has uploads: later ones may overlap with it. */
static void note_first(struct lane *lane, const struct cx_worker *worker, cl_event upload)
{
    if (lane->started++ || !upload || worker->device->synchronous || !cx_options_get()->overlap ||
        !worker->device->cl->clEnqueueBarrierWithWaitList)
        return;
    worker->device->cl->clRetainEvent(upload);
    lane->first_upload = upload;
}

void cx_uploads_last(struct lane *lane, const struct cx_worker *worker, cl_event upload)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    if (upload)
        cl->clRetainEvent(upload);
    if (lane->last_upload)
        cl->clReleaseEvent(lane->last_upload);
    lane->last_upload = upload;
}

void cx_uploads_note(struct lane *lane, cl_event event)
{
    struct split *split = lane->split;
    struct cx_context *context = split->launch->base.context;
    if (!split->participant[lane->part].reexecutes || !event)
        return;
    cx_lock(&context->lock);
    cx_reexecute_uploads(split, lane->part, event);
    split->participant[lane->part].uploading = false;
    cx_unlock(&context->lock);
}

cl_int cx_uploads_start(struct lane *lane, struct cx_worker *worker, struct flight *flight)
{
    choose_queue(lane, worker, &flight->transfers);
    worker->moves_aside = lane->aside;
    cl_int error = cx_transfer_list_start(&flight->transfers, worker, NULL, &flight->upload);
    if (error == CL_SUCCESS && (lane->aside || lane->two) && flight->upload)
        error = worker->device->cl->clFlush(cx_worker_mover(worker));
    if (error == CL_SUCCESS && flight->upload)
        cx_uploads_last(lane, worker, flight->upload);
    if (error != CL_SUCCESS && lane->aside) /* the host copy may be written again after we give up */
        worker->device->cl->clFinish(worker->queues[CX_REAL_QUEUE_TRANSFER].queue);
    worker->moves_aside = false;
    note_first(lane, worker, flight->upload);
    return error;
}
