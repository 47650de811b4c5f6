/* SPDX-License-Identifier: MIT */
/*
 * The host transport: plain reads and writes of the real driver; rows as rectangles. It takes whatever the
 * others of the table (transport.h) leave.
 */
#include "layer/memory/transfer.h"
#include "layer/memory/transport.h"

static bool host_takes(struct cx_worker *worker, const struct cx_transfer_item *item,
                       const struct cx_rows *rows)
{
    (void)worker, (void)item, (void)rows;
    return true;
}

static enum cx_route host_route(const struct cx_transfer_item *item, const struct cx_rows *rows)
{
    const bool pinned = item->pages && atomic_load(&item->pages->pinned);
    return rows->count > 1 ? CX_ROUTE_RECT : pinned ? CX_ROUTE_PINNED : CX_ROUTE_PAGEABLE;
}

/* Where the first row begins: its line of `stride` bytes, and the place in it. */
struct start {
    size_t origin[3];
};

static struct start start_of(const struct cx_transfer_item *item, const struct cx_rows *rows)
{
    return (struct start){
        {rows->stride ? item->lo % rows->stride : 0, rows->stride ? item->lo / rows->stride : 0, 0}};
}

static cl_int upload(struct cx_worker *worker, const struct cx_transfer_item *item,
                     const struct cx_rows *rows, cl_event *event)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    const size_t bytes = (size_t)(item->hi - item->lo), origin[3] = {0, 0, 0};
    const size_t region[3] = {bytes, rows->count, 1};
    if (rows->count == 1)
        return cl->clEnqueueWriteBuffer(cx_worker_mover(worker), item->real, CL_FALSE, item->lo, bytes,
                                        item->host, 0, NULL, event);
    const struct start start = start_of(item, rows);
    return cl->clEnqueueWriteBufferRect(cx_worker_mover(worker), item->real, CL_FALSE, start.origin, origin,
                                        region, rows->stride, 0, rows->host_stride, 0, item->host, 0, NULL,
                                        event);
}

cl_int cx_transport_host_download(cl_command_queue queue, const struct cx_worker *worker,
                                  const struct cx_transfer_item *item, const struct cx_rows *rows,
                                  cl_event *event)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    const size_t bytes = (size_t)(item->hi - item->lo), origin[3] = {0, 0, 0};
    const size_t region[3] = {bytes, rows->count, 1};
    if (rows->count == 1)
        return cl->clEnqueueReadBuffer(queue, item->real, CL_FALSE, item->lo, bytes, item->host, 0, NULL,
                                       event);
    const struct start start = start_of(item, rows);
    return cl->clEnqueueReadBufferRect(queue, item->real, CL_FALSE, start.origin, origin, region,
                                       rows->stride, 0, rows->host_stride, 0, item->host, 0, NULL, event);
}

static cl_int host_start(struct cx_worker *worker, struct cx_transfer_item *item, const struct cx_rows *rows,
                         bool upwards, cl_event *first, cl_event *last)
{
    (void)first; /* it is one transfer */
    return upwards ? upload(worker, item, rows, last)
                   : cx_transport_host_download(cx_worker_mover(worker), worker, item, rows, last);
}

static cl_int host_block(struct cx_worker *worker, const struct cx_transfer_item *item, bool upwards,
                         cl_event *event)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    const size_t bytes = (size_t)(item->hi - item->lo);
    return upwards ? cl->clEnqueueWriteBuffer(worker->queue, item->real, CL_TRUE, item->lo, bytes, item->host,
                                              0, NULL, event)
                   : cl->clEnqueueReadBuffer(worker->queue, item->real, CL_TRUE, item->lo, bytes, item->host,
                                             0, NULL, event);
}

const struct cx_transport cx_transport_host = {
    .name = "host",
    .takes = host_takes,
    .start = host_start,
    .block = host_block,
    .route = host_route,
};
