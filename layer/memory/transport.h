/* SPDX-License-Identifier: MIT */
/*
 * Transports: how bytes get from one place to another. A transport is a table of functions; adding one
 * touches nothing else but the choice in transfer.c.
 *
 * Previous stage: transfer.c, which decides what moves. Called by whoever pumps the worker, without locks.
 * All functions enqueue on the worker's real queue, do not wait, and give the event of the transfer.
 */
#ifndef CX_LAYER_MEMORY_TRANSPORT_H
#define CX_LAYER_MEMORY_TRANSPORT_H

#include "layer/timeline/worker.h"

struct cx_image;

/* `count` runs of one length, so many bytes after each other in the device's buffer and in host memory. */
struct cx_rows {
    size_t count, stride, host_stride;
};

struct cx_transport {
    const char *name;
    /* Host memory to a member's own memory: `rows` runs of `bytes`, each `stride` after the one before in
     * both, from `offset` of the real buffer and from `host` on. */
    cl_int (*upload)(struct cx_worker *worker, cl_mem real, size_t offset, const void *host, size_t bytes,
                     const struct cx_rows *rows, cl_event *event);
    /* A member's own memory to host memory. */
    cl_int (*download)(struct cx_worker *worker, cl_mem real, size_t offset, void *host, size_t bytes,
                       const struct cx_rows *rows, cl_event *event);
};

/* Image objects move by the driver's own reads and writes of images, whatever the transport of buffers:
 * `offset` and `bytes` are of the linear layout (image.h); each run lies within a row, or is whole rows of
 * one slice, or whole slices. Several rows lie below each other in one slice. */
cl_int cx_image_upload(struct cx_worker *worker, const struct cx_image *image, cl_mem real, size_t offset,
                       const void *host, size_t bytes, const struct cx_rows *rows, cl_event *event);
cl_int cx_image_download(struct cx_worker *worker, const struct cx_image *image, cl_mem real, size_t offset,
                         void *host, size_t bytes, const struct cx_rows *rows, cl_event *event);

/* Through the host copy, by the driver's own reads and writes. */
extern const struct cx_transport cx_transport_host;
/* Its download on a queue of the worker that the caller may use: any thread. */
cl_int cx_host_download_on(cl_command_queue queue, const struct cx_worker *worker, cl_mem real, size_t offset,
                           void *host, size_t bytes, const struct cx_rows *rows, cl_event *event);

#endif
