/* SPDX-License-Identifier: MIT */
/*
 * The host transport: plain non-blocking reads and writes of the real driver.
 */
#include "layer/transport.h"

static cl_int host_upload(struct cx_worker *worker, cl_mem real, size_t offset, const void *host,
                          size_t bytes, cl_event *event)
{
    return worker->device->cl->clEnqueueWriteBuffer(worker->queue, real, CL_FALSE, offset, bytes, host, 0,
                                                    NULL, event);
}

static cl_int host_download(struct cx_worker *worker, cl_mem real, size_t offset, void *host, size_t bytes,
                            cl_event *event)
{
    return worker->device->cl->clEnqueueReadBuffer(worker->queue, real, CL_FALSE, offset, bytes, host, 0,
                                                   NULL, event);
}

const struct cx_transport cx_transport_host = {
    .name = "host",
    .upload = host_upload,
    .download = host_download,
};
