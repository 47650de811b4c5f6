/* SPDX-License-Identifier: MIT */
/*
 * Chunks that several threads copy. See copy_chunks.h.
 */
#include "layer/base/copy_chunks.h"

static uint64_t bit_of(size_t index)
{
    return UINT64_C(1) << index % CX_COPY_CHUNKS_AHEAD;
}

static bool may_copy(const struct cx_copy_chunks *chunks) CX_HOLDS(chunks->lock)
{
    return chunks->next < chunks->allowed && !chunks->ended;
}

/* The lock is held, and free meanwhile. */
static void copy_next(struct cx_copy_chunks *chunks) CX_HOLDS(chunks->lock)
{
    const size_t index = chunks->next++;
    cx_unlock(&chunks->lock);
    chunks->copy(chunks->job, index);
    cx_lock(&chunks->lock);
    chunks->copied |= bit_of(index);
    if (chunks->awaited == index)
        pthread_cond_signal(&chunks->ready);
}

static void help(struct cx_copy_task *task)
{
    struct cx_copy_chunks *chunks = ((struct cx_chunk_helper *)task)->chunks;
    cx_lock(&chunks->lock);
    while (!chunks->ended && chunks->next < chunks->total) {
        if (may_copy(chunks)) {
            copy_next(chunks);
            continue;
        }
        chunks->sleeping++;
        cx_lock_wait(&chunks->room, &chunks->lock);
        chunks->sleeping--;
    }
    cx_unlock(&chunks->lock);
}

void cx_copy_chunks_begin(struct cx_copy_chunks *chunks, unsigned threads, size_t total,
                          void (*copy)(void *job, size_t index), void *job)
{
    chunks->copy = copy;
    chunks->job = job;
    chunks->total = chunks->awaited = total;
    chunks->next = chunks->allowed = 0;
    chunks->copied = 0;
    chunks->sleeping = 0;
    chunks->ended = false;
    cx_lock_init(&chunks->lock, CX_RANK_COPY_CHUNKS);
    pthread_cond_init(&chunks->room, NULL);
    pthread_cond_init(&chunks->ready, NULL);
    chunks->threads = threads < CX_CHUNK_THREADS ? threads : CX_CHUNK_THREADS;
    while (chunks->threads > 0 && chunks->threads >= total) /* the caller copies as well */
        chunks->threads--;
    for (unsigned i = 0; i < chunks->threads; i++) {
        chunks->helper[i] = (struct cx_chunk_helper){.task.run = help, .chunks = chunks};
        cx_copy_threads_send(&chunks->helper[i].task);
    }
}

void cx_copy_chunks_allow(struct cx_copy_chunks *chunks, size_t end)
{
    cx_lock(&chunks->lock);
    const size_t more = end > chunks->allowed ? end - chunks->allowed : 0;
    chunks->allowed += more;
    for (size_t i = 0; i < more && i < chunks->sleeping; i++)
        pthread_cond_signal(&chunks->room);
    cx_unlock(&chunks->lock);
}

void cx_copy_chunks_await(struct cx_copy_chunks *chunks, size_t index)
{
    cx_lock(&chunks->lock);
    while (!(chunks->copied & bit_of(index))) {
        if (may_copy(chunks)) {
            copy_next(chunks);
            continue;
        }
        chunks->awaited = index;
        cx_lock_wait(&chunks->ready, &chunks->lock);
        chunks->awaited = chunks->total;
    }
    chunks->copied &= ~bit_of(index);
    cx_unlock(&chunks->lock);
}

void cx_copy_chunks_end(struct cx_copy_chunks *chunks)
{
    cx_lock(&chunks->lock);
    chunks->ended = true;
    pthread_cond_broadcast(&chunks->room);
    cx_unlock(&chunks->lock);
    for (unsigned i = 0; i < chunks->threads; i++)
        cx_copy_threads_finish(&chunks->helper[i].task);
    pthread_cond_destroy(&chunks->ready);
    pthread_cond_destroy(&chunks->room);
    cx_lock_finish(&chunks->lock);
}
