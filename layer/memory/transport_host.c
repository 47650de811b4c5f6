/* SPDX-License-Identifier: MIT */
/*
 * The host transport: plain non-blocking reads and writes of the real driver; rows as rectangles.
 */
#include "layer/memory/transport.h"

static cl_int host_upload(struct cx_worker *worker, cl_mem real, size_t offset, const void *host,
                          size_t bytes, const struct cx_rows *rows, cl_event *event)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    const size_t origin[3] = {0, 0, 0}, region[3] = {bytes, rows->count, 1};
    /* where the first row begins: its line of `stride` bytes, and the place in it */
    const size_t start[3] = {rows->stride ? offset % rows->stride : 0,
                             rows->stride ? offset / rows->stride : 0, 0};
    if (rows->count == 1)
        return cl->clEnqueueWriteBuffer(cx_worker_mover(worker), real, CL_FALSE, offset, bytes, host, 0, NULL,
                                        event);
    return cl->clEnqueueWriteBufferRect(cx_worker_mover(worker), real, CL_FALSE, start, origin, region,
                                        rows->stride, 0, rows->host_stride, 0, host, 0, NULL, event);
}

cl_int cx_host_download_on(cl_command_queue queue, const struct cx_worker *worker, cl_mem real, size_t offset,
                           void *host, size_t bytes, const struct cx_rows *rows, cl_event *event)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    const size_t origin[3] = {0, 0, 0}, region[3] = {bytes, rows->count, 1};
    const size_t start[3] = {rows->stride ? offset % rows->stride : 0,
                             rows->stride ? offset / rows->stride : 0, 0};
    if (rows->count == 1)
        return cl->clEnqueueReadBuffer(queue, real, CL_FALSE, offset, bytes, host, 0, NULL, event);
    return cl->clEnqueueReadBufferRect(queue, real, CL_FALSE, start, origin, region, rows->stride, 0,
                                       rows->host_stride, 0, host, 0, NULL, event);
}

static cl_int host_download(struct cx_worker *worker, cl_mem real, size_t offset, void *host, size_t bytes,
                            const struct cx_rows *rows, cl_event *event)
{
    return cx_host_download_on(cx_worker_mover(worker), worker, real, offset, host, bytes, rows, event);
}

const struct cx_transport cx_transport_host = {
    .name = "host",
    .upload = host_upload,
    .download = host_download,
};
