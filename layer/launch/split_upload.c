/* SPDX-License-Identifier: MIT */
/*
 * Transfers from the host copy of what packages lack where they run: begun, beside kernels where that works,
 * and over. Previous stage: split_package.c, with what split_inputs.c lists.
 */
#include "layer/launch/split_inside.h"
#include "layer/launch/reexecute.h"
#include "layer/base/options.h"
#include "layer/report/trace.h"
#include "layer/memory/trace_transfer.h"

#include <stdlib.h>

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

cl_int cx_split_upload_end(struct flight *flight, struct cx_worker *worker, cl_int error, bool relied)
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
    if (lane->started++ || !upload || worker->device->probe.synchronous || !cx_options_get()->overlap ||
        !worker->device->cl->clEnqueueBarrierWithWaitList)
        return;
    worker->device->cl->clRetainEvent(upload);
    lane->first_upload = upload;
}

void cx_split_upload_last(struct lane *lane, const struct cx_worker *worker, cl_event upload)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    if (upload)
        cl->clRetainEvent(upload);
    if (lane->last_upload)
        cl->clReleaseEvent(lane->last_upload);
    lane->last_upload = upload;
}

void cx_split_upload_note(struct lane *lane, cl_event event)
{
    struct split *split = lane->split;
    struct cx_context *context = split->launch->base.context;
    if (!split->participant[lane->part].reexecutes || !event)
        return;
    cx_context_lock(context);
    cx_reexecute_uploads(split, lane->part, event);
    split->participant[lane->part].uploading = false;
    cx_context_unlock(context);
}

cl_int cx_split_upload_start(struct lane *lane, struct cx_worker *worker, struct flight *flight)
{
    choose_queue(lane, worker, &flight->transfers);
    worker->moves_aside = lane->aside;
    cl_int error = cx_transfer_list_start(&flight->transfers, worker, NULL, &flight->upload);
    if (error == CL_SUCCESS && (lane->aside || lane->two) && flight->upload)
        error = worker->device->cl->clFlush(cx_worker_mover(worker));
    if (error == CL_SUCCESS && flight->upload)
        cx_split_upload_last(lane, worker, flight->upload);
    if (error != CL_SUCCESS && lane->aside) /* the host copy may be written again after we give up */
        worker->device->cl->clFinish(worker->queues[CX_REAL_QUEUE_TRANSFER].queue);
    worker->moves_aside = false;
    note_first(lane, worker, flight->upload);
    return error;
}
