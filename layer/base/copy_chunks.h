/* SPDX-License-Identifier: MIT */
/*
 * Several threads copy a sequence of chunks, one chunk each at a time. The caller says which chunks there is
 * room for, and takes the copied ones in order. No thread waits for another one's part of a chunk, so a ring
 * of pinned chunks is filled and drained at the speed of the memory (docs/benchmarks.md, "Pageable memory",
 * has the figures).
 *
 * One thread makes all calls: begin; then allow and await for each chunk; end. Previous stage:
 * transport_ring.c. Next: copy_threads.h.
 */
#ifndef CX_LAYER_BASE_COPY_CHUNKS_H
#define CX_LAYER_BASE_COPY_CHUNKS_H

#include "layer/base/copy_threads.h"
#include "layer/base/lock.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CX_CHUNK_THREADS = 7,      /* at most: they fill a link of 55 GB/s */
    CX_COPY_CHUNKS_AHEAD = 64, /* so many chunks may be allowed beyond those that were awaited */
};

struct cx_copy_chunks {
    void (*copy)(void *job, size_t index);
    void *job;
    size_t total;

    struct cx_lock lock;
    pthread_cond_t room, ready; /* for the threads; for the caller */
    size_t next, allowed;       /* the first chunk not begun; the first that must not be begun yet */
    size_t awaited;             /* the chunk whose end the caller sleeps for, or `total` */
    uint64_t copied;            /* bit i % 64: chunk i was copied, and not awaited yet */
    unsigned sleeping;          /* threads that wait for room */
    bool ended;

    unsigned threads;
    struct cx_chunk_helper {
        struct cx_copy_task task;
        struct cx_copy_chunks *chunks;
    } helper[CX_CHUNK_THREADS];
};

/* Begins. `copy` is called once for each chunk that is awaited, and never for one that was not allowed, by
 * the caller and at most `threads` other threads (0: by the caller alone). Called by memory/transport_ring.c.
 */
void cx_copy_chunks_begin(struct cx_copy_chunks *chunks, unsigned threads, size_t total,
                          void (*copy)(void *job, size_t index), void *job);
/* Allows copying of the chunks before `end`. Called by memory/transport_ring.c. */
void cx_copy_chunks_allow(struct cx_copy_chunks *chunks, size_t end);
/* Returns when the chunk, which was allowed, is copied; the caller copies chunks itself meanwhile. Each chunk
 * is awaited once, in order. Called by memory/transport_ring.c. */
void cx_copy_chunks_await(struct cx_copy_chunks *chunks, size_t index);
/* Ends, also if some chunks were not awaited. After it returns, nothing is copied any more. Called by
 * memory/transport_ring.c. */
void cx_copy_chunks_end(struct cx_copy_chunks *chunks);

#endif
