/* SPDX-License-Identifier: MIT */
/*
 * Chunks that several threads copy, each a chunk of its own, while the caller sees to it that there is room
 * for them and takes them, in order, where they go next. Nobody waits for the slowest part of a chunk, so
 * that a ring of pinned chunks is filled and drained at the speed of the memory (docs/benchmarks.md,
 * "Pageable memory", has the figures).
 *
 * By the caller, one thread for all calls: begin; then allow and await, chunk by chunk; end. Previous stage:
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
    CX_CHUNK_THREADS = 7, /* at most: they fill a link of 55 GB/s */
    CX_CHUNKS_AHEAD = 64, /* so many chunks may be allowed beyond those that were awaited */
};

struct cx_chunks {
    void (*copy)(void *job, size_t index);
    void *job;
    size_t total;

    struct cx_lock lock;
    pthread_cond_t room, ready; /* for the threads; for the caller */
    size_t next, allowed;       /* the first that nobody has begun; the first that must not be */
    size_t awaited;             /* whose end the caller sleeps for, or `total` */
    uint64_t copied;            /* bit i % 64: chunk i was copied, and not awaited yet */
    unsigned sleeping;          /* threads that wait for room */
    bool ended;

    unsigned threads;
    struct cx_chunk_helper {
        struct cx_copy_task task;
        struct cx_chunks *chunks;
    } helper[CX_CHUNK_THREADS];
};

/* `copy` is called once for each chunk that is awaited, and never for one that was not allowed; in at most so
 * many threads beside the caller, 0: the caller's alone. */
void cx_chunks_begin(struct cx_chunks *chunks, unsigned threads, size_t total,
                     void (*copy)(void *job, size_t index), void *job);
/* Chunks before that one may be copied. Called by memory/transport_ring.c. */
void cx_chunks_allow(struct cx_chunks *chunks, size_t end);
/* Returns when that chunk, which was allowed, was copied; copies some meanwhile. Each once, in order.
 * Called by memory/transport_ring.c. */
void cx_chunks_await(struct cx_chunks *chunks, size_t index);
/* Also before all were awaited. Afterwards nothing is copied any more. Called by memory/transport_ring.c. */
void cx_chunks_end(struct cx_chunks *chunks);

#endif
