/* SPDX-License-Identifier: MIT */
/*
 * Transfers through a ring of pinned chunks. See transport_ring.h.
 */
#include "layer/transport_ring.h"
#include "layer/buffer.h"
#include "layer/bytes.h"
#include "layer/log.h"
#include "layer/options.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNKS = 4,
    LARGEST_CHUNK = 8 << 20,
    SMALLEST_CHUNK = 4096,
    PAYS_AFTER = 16, /* transfers of the least size, after which pinning a ring has paid for itself */
};

struct cx_ring {
    cl_mem pinned;
    cl_command_queue queue; /* for the mapping alone */
    unsigned char *memory;
    size_t chunk;
    bool reserved;          /* its bytes count as pinned */
    cl_event event[CHUNKS]; /* of the transfer that uses the chunk, or NULL */
};

/* Least bytes of a transfer that goes through the ring, 0: none does. */
static uint64_t least_bytes(const struct cx_worker *worker)
{
    const struct cx_options *options = cx_options_get();
    const bool gpu = worker->device && worker->device->type & CL_DEVICE_TYPE_GPU;
    return gpu || options->staging < 1024 ? options->staging * UINT64_C(1024) : 0;
}

bool cx_ring_possible(const struct cx_worker *worker, uint64_t bytes)
{
    const uint64_t least = least_bytes(worker);
    return worker->device && least && bytes >= least && !atomic_load(&worker->ring_fails);
}

static bool map_chunks(struct cx_ring *ring, struct cx_worker *worker)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    const size_t bytes = CHUNKS * ring->chunk;
    cl_int error;
    ring->pinned = cl->clCreateBuffer(worker->real_context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes,
                                      NULL, &error);
    if (error != CL_SUCCESS)
        return false;
    ring->queue = cl->clCreateCommandQueue(worker->real_context, worker->device->id, 0, &error);
    if (error != CL_SUCCESS)
        return false;
    ring->memory = cl->clEnqueueMapBuffer(ring->queue, ring->pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                          bytes, 0, NULL, NULL, &error);
    if (error != CL_SUCCESS)
        ring->memory = NULL;
    return ring->memory != NULL;
}

/* Called by whoever pumps the worker, and by nobody else at the time. */
static bool open_ring(struct cx_worker *worker)
{
    if (worker->ring)
        return true;
    struct cx_ring *ring = calloc(1, sizeof(*ring));
    uint64_t chunk = least_bytes(worker) / 2 / SMALLEST_CHUNK * SMALLEST_CHUNK;
    if (!ring)
        return false;
    ring->chunk = (size_t)(chunk < SMALLEST_CHUNK  ? SMALLEST_CHUNK
                           : chunk > LARGEST_CHUNK ? LARGEST_CHUNK
                                                   : chunk);
    worker->ring = ring;
    ring->reserved = cx_pinned_reserve(CHUNKS * ring->chunk);
    bool ok = ring->reserved && map_chunks(ring, worker);
    cx_debug(CX_TOPIC_DATA, "%s: %u pinned chunks of %zu bytes %s", worker->device->name, (unsigned)CHUNKS,
             ring->chunk, ok ? "ready" : "cannot be had");
    if (!ok) {
        cx_ring_release(worker);
        atomic_store(&worker->ring_fails, true);
    }
    return ok;
}

bool cx_ring_wanted(struct cx_worker *worker, const struct cx_mem *root, const unsigned char *host,
                    uint64_t bytes)
{
    const bool ours = root->pages && host >= root->host && host < root->host + root->size;
    const bool pinned = ours && atomic_load(&root->pages->pinned);
    if (!cx_ring_possible(worker, bytes) || pinned)
        return false;
    worker->pageable += bytes;
    return worker->pageable >= PAYS_AFTER * least_bytes(worker) && open_ring(worker);
}

void cx_ring_release(struct cx_worker *worker)
{
    struct cx_ring *ring = worker->ring;
    if (!ring)
        return;
    const cl_icd_dispatch *cl = worker->device->cl;
    cx_worker_drop_events(worker, ring->event, CHUNKS);
    if (ring->memory) {
        cl->clEnqueueUnmapMemObject(ring->queue, ring->pinned, ring->memory, 0, NULL, NULL);
        cl->clFinish(ring->queue);
    }
    if (ring->queue)
        cl->clReleaseCommandQueue(ring->queue);
    if (ring->pinned)
        cl->clReleaseMemObject(ring->pinned);
    if (ring->reserved)
        cx_pinned_release(CHUNKS * ring->chunk);
    free(ring);
    worker->ring = NULL;
}

/* Half of the machine's cores, less the one that drives the device. */
static unsigned copy_threads(void)
{
    const long cores = cx_bytes_cores();
    return cores > 4 ? (unsigned)(cores / 2 - 1) : 1;
}

/* Waits until a chunk is free, or filled. Gives the status of the transfer that used it. */
static cl_int await_chunk(struct cx_worker *worker, cl_event *event)
{
    if (!*event)
        return CL_SUCCESS;
    cl_int error = cx_worker_wait_event(worker, *event);
    cl_int status = cx_worker_drop_events(worker, event, 1);
    return error != CL_SUCCESS ? error : status;
}

/* After a failure: nothing uses the chunks any more. */
static void clear_ring(struct cx_worker *worker)
{
    worker->device->cl->clFinish(cx_worker_mover(worker));
    cx_worker_drop_events(worker, worker->ring->event, CHUNKS);
}

static cl_int ring_upload(struct cx_worker *worker, cl_mem real, size_t offset, const void *host,
                          size_t bytes, const struct cx_rows *rows, cl_event *event)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    struct cx_ring *ring = worker->ring;
    const unsigned threads = copy_threads();
    cl_int error = CL_SUCCESS;
    (void)rows; /* one: move.c gives others to the host transport */
    unsigned slot = 0;
    for (size_t at = 0; at < bytes && error == CL_SUCCESS; slot = (slot + 1) % CHUNKS) {
        const size_t n = bytes - at < ring->chunk ? bytes - at : ring->chunk;
        unsigned char *chunk = ring->memory + slot * ring->chunk;
        error = await_chunk(worker, &ring->event[slot]);
        if (error != CL_SUCCESS)
            break;
        cx_bytes_copy_by(threads, chunk, (const unsigned char *)host + at, n);
        error = cl->clEnqueueWriteBuffer(cx_worker_mover(worker), real, CL_FALSE, offset + at, n, chunk, 0,
                                         NULL, &ring->event[slot]);
        if (error == CL_SUCCESS)
            cl->clFlush(cx_worker_mover(worker));
        at += n;
        if (at == bytes && error == CL_SUCCESS && event) {
            *event = ring->event[slot];
            cl->clRetainEvent(*event);
        }
    }
    if (error != CL_SUCCESS)
        clear_ring(worker);
    return error;
}

/* Enqueues the read of the chunk that begins `at` bytes into the run. */
static cl_int start_read(struct cx_worker *worker, cl_mem real, size_t offset, size_t at, size_t bytes)
{
    struct cx_ring *ring = worker->ring;
    const unsigned slot = (unsigned)(at / ring->chunk % CHUNKS);
    const size_t n = bytes - at < ring->chunk ? bytes - at : ring->chunk;
    cl_int error = worker->device->cl->clEnqueueReadBuffer(cx_worker_mover(worker), real, CL_FALSE,
                                                           offset + at, n, ring->memory + slot * ring->chunk,
                                                           0, NULL, &ring->event[slot]);
    return error == CL_SUCCESS ? worker->device->cl->clFlush(cx_worker_mover(worker)) : error;
}

static cl_int ring_download(struct cx_worker *worker, cl_mem real, size_t offset, void *host, size_t bytes,
                            const struct cx_rows *rows, cl_event *event)
{
    struct cx_ring *ring = worker->ring;
    const unsigned threads = copy_threads();
    cl_int error = CL_SUCCESS;
    size_t asked = 0;
    (void)rows;
    for (unsigned slot = 0; slot < CHUNKS && error == CL_SUCCESS; slot++) /* an upload may still use them */
        error = await_chunk(worker, &ring->event[slot]);
    for (size_t at = 0; at < bytes && error == CL_SUCCESS; at += ring->chunk) {
        const unsigned slot = (unsigned)(at / ring->chunk % CHUNKS);
        for (; asked < bytes && asked < at + CHUNKS * ring->chunk && error == CL_SUCCESS;
             asked += ring->chunk)
            error = start_read(worker, real, offset, asked, bytes);
        if (error == CL_SUCCESS && event && at + ring->chunk >= bytes) {
            *event = ring->event[slot];
            worker->device->cl->clRetainEvent(*event);
        }
        if (error == CL_SUCCESS)
            error = await_chunk(worker, &ring->event[slot]);
        if (error == CL_SUCCESS)
            cx_bytes_copy_by(threads, (unsigned char *)host + at, ring->memory + slot * ring->chunk,
                             bytes - at < ring->chunk ? bytes - at : ring->chunk);
    }
    if (error != CL_SUCCESS)
        clear_ring(worker);
    return error;
}

const struct cx_transport cx_transport_ring = {
    .name = "ring",
    .upload = ring_upload,
    .download = ring_download,
};
