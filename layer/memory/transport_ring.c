/* SPDX-License-Identifier: MIT */
/*
 * The ring transport: large runs between pageable host memory (the program's own, or host copies not pinned)
 * and a device move through a ring of pinned chunks that several threads fill and drain while the device's
 * copy engine works on the others. A driver's own path through pageable memory is a third as fast
 * (docs/benchmarks.md has the figures).
 *
 * It copies in the thread that calls, so its jobs are never pumped by the program's (cx_job_kind.waits).
 * COEXEC_DEBUG=staging sets from which size on it is used. Previous stage: the table (transport.h).
 */
#include "layer/memory/transport.h"
#include "layer/memory/transfer_state.h"
#include "layer/memory/transfer.h"
#include "layer/base/copy.h"
#include "layer/base/copy_chunks.h"
#include "layer/base/copy_threads.h"
#include "layer/base/host_pages.h"
#include "layer/base/log.h"
#include "layer/base/options.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNKS = 16,
    FILLING = 8, /* of these the threads copy, while the device has the others */
    LARGEST_CHUNK = 4 << 20,
    PAGE = 4096,
    /* a transfer of few megabytes goes in shorter chunks, so that all threads have some of it */
    SHORTEST_CHUNK = 256 << 10,
    A_TRANSFER = 8,
};

struct cx_ring {
    struct cx_copy_task
        touching; /* has the pages given, which drivers do slowly and under a lock of theirs */
    bool touched;
    struct cx_pinned_pool pool; /* of these pages alone, which no buffer is to get */
    struct cx_pages *pages;
    size_t chunk;
    size_t first;           /* the chunk that the next transfer begins with, the longest unused one */
    cl_event event[CHUNKS]; /* of the transfer that uses the chunk, or NULL */
    /* of the transfer started last */
    cl_event begun;   /* its first chunk's, or NULL */
    unsigned pending; /* its chunks before the last one that may be under way */
};

/* COEXEC_DEBUG=staging in bytes, 0: no transfer of this worker goes through a ring. By it go the shortest
 * transfer that does, a half, and the ring's chunks, a quarter each. */
static uint64_t staging(const struct cx_worker *worker)
{
    const struct cx_options *options = cx_options_get();
    const bool gpu = worker->device && worker->device->type & CL_DEVICE_TYPE_GPU;
    return gpu || options->staging < 1024 ? cx_options_staging() : 0;
}

/* From so many times its size on an upload through the ring goes at the pace of the device. */
enum { PACING_RINGS = 4 };

/* Bytes that go the driver's own way first. Registering 32 MB takes an H200's driver 3 ms once the pages are
 * there (10 where it has to get them, and nobody else's calls go on meanwhile): less than half of what 64 MB
 * take its own way. From half of that on the pages are got, by another thread. */
static uint64_t pays_after(const struct cx_worker *worker)
{
    return 8 * staging(worker);
}

/* Whether a transfer of that size may come to go through the ring: then its job must not run in the program's
 * thread. Any thread. */
static bool is_possible(const struct cx_worker *worker, uint64_t bytes)
{
    return worker->device && bytes >= worker->transfers->ring_from &&
           !atomic_load(&worker->transfers->ring_failed);
}

uint64_t cx_transport_ring_from(const struct cx_worker *worker)
{
    const uint64_t unit = staging(worker);
    return unit ? unit / 2 : UINT64_MAX;
}

static void touch(struct cx_copy_task *task)
{
    struct cx_pages *pages = ((struct cx_ring *)task)->pages;
    cx_host_pages_touch(pages->memory, pages->bytes);
}

/* From here to release_ring: by whoever pumps the worker, and by nobody else at the time. */
static void begin_ring(struct cx_worker *worker)
{
    const uint64_t wanted = staging(worker) / 4 / PAGE * PAGE, chunk = wanted < PAGE ? PAGE
                                                                       : wanted > LARGEST_CHUNK
                                                                           ? LARGEST_CHUNK
                                                                           : wanted;
    const bool may = CHUNKS * chunk <= cx_options_get()->pinned_max; /* no pages for what will never be */
    struct cx_ring *ring = may ? calloc(1, sizeof(*ring)) : NULL;
    atomic_store(&worker->transfers->ring_failed, !may);
    if (!ring)
        return;
    ring->chunk = (size_t)chunk;
    ring->pages = cx_pinned_pool_take(&ring->pool, CHUNKS * ring->chunk, true);
    ring->touching.run = touch;
    ring->touched = !ring->pages;
    worker->transfers->ring = ring;
    if (ring->pages)
        cx_copy_threads_send(&ring->touching);
}

static void await_touch(struct cx_ring *ring)
{
    if (!ring->touched)
        cx_copy_threads_finish(&ring->touching);
    ring->touched = true;
}

/* Nothing is in flight. */
static void release_ring(struct cx_worker *worker)
{
    struct cx_ring *ring = worker->transfers->ring;
    if (!ring)
        return;
    await_touch(ring);
    cx_worker_drop_events(worker, &ring->begun, 1);
    cx_worker_drop_events(worker, ring->event, CHUNKS);
    cx_pinned_pool_drop(&ring->pages);
    free(ring);
    worker->transfers->ring = NULL;
}

static bool have_ring(struct cx_worker *worker)
{
    struct cx_ring *ring = worker->transfers->ring;
    bool again = false;
    if (ring && ring->pages && atomic_load(&ring->pages->pinned))
        return true;
    if (ring)
        await_touch(ring);
    const bool had =
        ring && ring->pages && cx_pinned_pool_pin(ring->pages, worker->real_context, worker->device, &again);
    cx_debug(CX_TOPIC_DATA, "%s: %u pinned chunks of %zu bytes %s", worker->device->name, (unsigned)CHUNKS,
             ring ? ring->chunk : 0, had ? "ready" : "cannot be had");
    if (again) { /* others have COEXEC_PINNED_MAX just now */
        worker->transfers->pageable = pays_after(worker) / 2;
    } else if (!had) {
        release_ring(worker);
        atomic_store(&worker->transfers->ring_failed, true);
    }
    return had;
}

/* Counts what goes another way: pinned memory is made once so much has moved that it pays. */
static bool ring_takes(struct cx_worker *worker, const struct cx_transfer_item *item,
                       const struct cx_rows *rows)
{
    const uint64_t bytes = item->hi - item->lo;
    if (rows->count > 1 || !is_possible(worker, bytes) || (item->pages && atomic_load(&item->pages->pinned)))
        return false;
    worker->transfers->pageable += bytes;
    if (!worker->transfers->ring && worker->transfers->pageable >= pays_after(worker) / 2)
        begin_ring(worker);
    return worker->transfers->pageable >= pays_after(worker) && have_ring(worker);
}

/* Threads beside the one that drives the device: with it half of the machine's cores. */
static unsigned copy_threads(void)
{
    const long cores = cx_copy_cores();
    if (cx_options_get()->staging < 1024) /* tests of small machines, too */
        return 2;
    return cores >= 4 ? (unsigned)(cores / 2 - 1) : 0;
}

/* Waits until a chunk is free, or filled. Gives the status of what used it if that was a part of the same
 * transfer; others tell their own (tell). */
static cl_int await_chunk(struct cx_worker *worker, cl_event *event, bool same)
{
    if (!*event)
        return CL_SUCCESS;
    cl_int error = cx_worker_wait_event(worker, *event);
    cl_int status = cx_worker_drop_events(worker, event, 1);
    return error != CL_SUCCESS || !same ? error : status;
}

/* Of the transfer that was started last, and taken by the driver: a reference to the event of its first chunk
 * (`first` may be NULL), and those to the events of its other chunks that are not known to be over but for
 * the last one's. Without memory for these it waits for them, and gives the first error. */
static cl_int tell(struct cx_worker *worker, cl_event *first, struct cx_transfer_item *item)
{
    struct cx_ring *ring = worker->transfers->ring;
    const unsigned pending = ring->pending;
    cl_event *own = pending ? malloc(pending * sizeof(*own)) : NULL;
    cl_int error = CL_SUCCESS;
    item->nchunks = 0;
    if (first) {
        *first = ring->begun;
        ring->begun = NULL;
    }
    for (unsigned i = 0; i < pending && error == CL_SUCCESS; i++) { /* ring->first is behind the last one */
        cl_event *event = &ring->event[(ring->first + CHUNKS - 1 - pending + i) % CHUNKS];
        error = own ? worker->device->cl->clRetainEvent(*event) : await_chunk(worker, event, true);
        if (own && error == CL_SUCCESS)
            own[item->nchunks++] = *event;
    }
    item->chunks = own;
    return error;
}

/* After a failure: nothing uses the chunks any more. */
static void clear_ring(struct cx_worker *worker)
{
    for (unsigned slot = 0; slot < CHUNKS; slot++) /* they may be of two queues */
        await_chunk(worker, &worker->transfers->ring->event[slot], false);
}

/* A transfer in chunks; chunk i of it is in the ring's (first + i) mod CHUNKS. */
struct crossing {
    struct cx_worker *worker;
    struct cx_ring *ring;
    cl_mem real;
    size_t offset;
    unsigned char *host;
    size_t bytes, chunk, count, first;
};

static size_t chunk_for(const struct cx_ring *ring, size_t bytes)
{
    const size_t part = bytes / A_TRANSFER / PAGE * PAGE,
                 least = part < SHORTEST_CHUNK ? SHORTEST_CHUNK : part;
    return least < ring->chunk ? least : ring->chunk;
}

static struct crossing crossing_of(struct cx_worker *worker, const struct cx_transfer_item *item)
{
    struct cx_ring *ring = worker->transfers->ring;
    const size_t bytes = (size_t)(item->hi - item->lo);
    const size_t chunk = chunk_for(ring, bytes);
    cx_worker_drop_events(worker, &ring->begun, 1);
    ring->pending = 0;
    return (struct crossing){.worker = worker,
                             .ring = ring,
                             .real = item->real,
                             .offset = (size_t)item->lo,
                             .host = item->host,
                             .bytes = bytes,
                             .chunk = chunk,
                             .count = (bytes + chunk - 1) / chunk,
                             .first = ring->first};
}

static size_t slot_of(const struct crossing *crossing, size_t index)
{
    return (crossing->first + index) % CHUNKS;
}

static unsigned char *chunk_of(const struct crossing *crossing, size_t index)
{
    return crossing->ring->pages->memory + slot_of(crossing, index) * crossing->ring->chunk;
}

static size_t length_of(const struct crossing *crossing, size_t index)
{
    const size_t left = crossing->bytes - index * crossing->chunk;
    return left < crossing->chunk ? left : crossing->chunk;
}

/* Jobs of copy_chunks.h: any thread, for different chunks at once. */
static void fill_chunk(void *job, size_t index)
{
    const struct crossing *crossing = job;
    memcpy(chunk_of(crossing, index), crossing->host + index * crossing->chunk, length_of(crossing, index));
}

static void drain_chunk(void *job, size_t index)
{
    const struct crossing *crossing = job;
    memcpy(crossing->host + index * crossing->chunk, chunk_of(crossing, index), length_of(crossing, index));
}

/* Enqueues the transfer between the device and the ring's chunk. */
static cl_int start_chunk(const struct crossing *crossing, size_t index, bool upload)
{
    const cl_icd_dispatch *cl = crossing->worker->device->cl;
    const cl_command_queue queue = cx_worker_mover(crossing->worker);
    const size_t at = crossing->offset + index * crossing->chunk, bytes = length_of(crossing, index);
    unsigned char *chunk = chunk_of(crossing, index);
    cl_event *event = &crossing->ring->event[slot_of(crossing, index)];
    const cl_int error =
        upload ? cl->clEnqueueWriteBuffer(queue, crossing->real, CL_FALSE, at, bytes, chunk, 0, NULL, event)
               : cl->clEnqueueReadBuffer(queue, crossing->real, CL_FALSE, at, bytes, chunk, 0, NULL, event);
    if (error == CL_SUCCESS && index == 0 && cl->clRetainEvent(*event) == CL_SUCCESS)
        crossing->ring->begun = *event;
    return error == CL_SUCCESS ? cl->clFlush(queue) : error;
}

/* The transfer's event is that of its last chunk, while the ring still holds it. */
static void give_event(const struct crossing *crossing, cl_event *event)
{
    if (!event)
        return;
    *event = crossing->ring->event[slot_of(crossing, crossing->count - 1)];
    crossing->worker->device->cl->clRetainEvent(*event);
}

static cl_int end_crossing(const struct crossing *crossing, cl_int error)
{
    crossing->ring->first = slot_of(crossing, crossing->count);
    if (error != CL_SUCCESS)
        clear_ring(crossing->worker);
    return error;
}

static cl_int upload(struct cx_worker *worker, const struct cx_transfer_item *item, cl_event *event)
{
    struct crossing crossing = crossing_of(worker, item);
    struct cx_copy_chunks chunks;
    cl_int error = CL_SUCCESS;
    cx_copy_chunks_begin(&chunks, copy_threads(), crossing.count, fill_chunk, &crossing);
    for (size_t sent = 0, allowed = 0; sent < crossing.count && error == CL_SUCCESS; sent++) {
        for (; allowed < crossing.count && allowed < sent + FILLING && error == CL_SUCCESS; allowed++) {
            error =
                await_chunk(worker, &crossing.ring->event[slot_of(&crossing, allowed)], allowed >= CHUNKS);
            if (error == CL_SUCCESS)
                cx_copy_chunks_allow(&chunks, allowed + 1);
        }
        if (error != CL_SUCCESS)
            break;
        cx_copy_chunks_await(&chunks, sent);
        error = start_chunk(&crossing, sent, true);
    }
    cx_copy_chunks_end(&chunks);
    if (error == CL_SUCCESS) {
        give_event(&crossing, event);
        crossing.ring->pending = (unsigned)(crossing.count < CHUNKS ? crossing.count : CHUNKS) - 1;
    }
    return end_crossing(&crossing, error);
}

/* Chunks [asked, asked + n) of the transfer, n such that CHUNKS - FILLING come after `come`, once those
 * before them in the ring have been copied. */
static cl_int ask_ahead(const struct crossing *crossing, struct cx_copy_chunks *chunks, size_t come,
                        size_t *asked)
{
    cl_int error = CL_SUCCESS;
    for (; *asked < crossing->count && *asked < come + CHUNKS - FILLING && error == CL_SUCCESS; ++*asked) {
        if (*asked >= CHUNKS)
            cx_copy_chunks_await(chunks, *asked - CHUNKS);
        error = start_chunk(crossing, *asked, false);
    }
    return error;
}

static cl_int download(struct cx_worker *worker, const struct cx_transfer_item *item, cl_event *event)
{
    struct crossing crossing = crossing_of(worker, item);
    struct cx_copy_chunks chunks;
    cl_int error = CL_SUCCESS;
    size_t asked = 0;
    for (unsigned slot = 0; slot < CHUNKS && error == CL_SUCCESS; slot++) /* an upload may still use them */
        error = await_chunk(worker, &crossing.ring->event[slot], false);
    cx_copy_chunks_begin(&chunks, copy_threads(), crossing.count, drain_chunk, &crossing);
    for (size_t come = 0; come < crossing.count && error == CL_SUCCESS; come++) {
        error = ask_ahead(&crossing, &chunks, come, &asked);
        if (error == CL_SUCCESS && come + 1 == crossing.count)
            give_event(&crossing, event);
        if (error == CL_SUCCESS)
            error = await_chunk(worker, &crossing.ring->event[slot_of(&crossing, come)], true);
        if (error == CL_SUCCESS)
            cx_copy_chunks_allow(&chunks, come + 1);
    }
    for (size_t left = asked > CHUNKS ? asked - CHUNKS : 0; left < crossing.count && error == CL_SUCCESS;
         left++)
        cx_copy_chunks_await(&chunks, left);
    cx_copy_chunks_end(&chunks);
    return end_crossing(&crossing, error);
}

static cl_int ring_start(struct cx_worker *worker, struct cx_transfer_item *item, const struct cx_rows *rows,
                         bool upwards, cl_event *first, cl_event *last)
{
    (void)rows; /* one */
    const cl_int error = upwards ? upload(worker, item, last) : download(worker, item, last);
    return error == CL_SUCCESS ? tell(worker, first, item) : error;
}

static bool ring_paces(uint64_t bytes)
{
    return bytes >= PACING_RINGS * cx_options_staging();
}

static enum cx_route ring_route(const struct cx_transfer_item *item, const struct cx_rows *rows)
{
    (void)item, (void)rows;
    return CX_ROUTE_RING;
}

const struct cx_transport cx_transport_ring = {
    .name = "ring",
    .takes = ring_takes,
    .start = ring_start,
    .parts = true,
    .may_wait = is_possible,
    .paces = ring_paces,
    .route = ring_route,
    .release = release_ring,
};
