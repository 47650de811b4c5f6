/* SPDX-License-Identifier: MIT */
/*
 * When the jobs of a timeline ended, for the times of commands that have no job of their own, such as
 * markers: such a command ends with the last of what it waits for. Only kept where there are such commands in
 * queues with profiling. Previous: worker_reap.c. Next: event.c.
 */
#include "layer/worker.h"

#include <stdlib.h>

enum { MOST = 4096 }; /* a program that asks for a marker's times later than so many jobs gets earlier ones */

struct cx_ends {
    uint64_t count;
    struct {
        uint64_t seq, ns; /* host clock: of the last to end of all jobs up to this */
    } end[MOST];
};

void cx_worker_keep_ends(struct cx_worker *worker)
{
    if (!atomic_load_explicit(&worker->ends, memory_order_relaxed))
        atomic_store(&worker->ends, calloc(1, sizeof(struct cx_ends)));
}

void cx_worker_note_end(struct cx_worker *worker, uint64_t seq, uint64_t ns)
{
    struct cx_ends *ends = ns ? atomic_load_explicit(&worker->ends, memory_order_acquire) : NULL;
    if (!ends)
        return;
    pthread_mutex_lock(&worker->lock);
    const uint64_t before = ends->count ? ends->end[(ends->count - 1) % MOST].ns : 0;
    ends->end[ends->count % MOST].seq = seq;
    ends->end[ends->count++ % MOST].ns = ns > before ? ns : before;
    pthread_mutex_unlock(&worker->lock);
}

uint64_t cx_worker_end_of(struct cx_worker *worker, uint64_t seq)
{
    uint64_t ns = 0;
    pthread_mutex_lock(&worker->lock);
    const struct cx_ends *ends = atomic_load(&worker->ends);
    for (uint64_t back = 1; ends && back <= ends->count && back <= MOST && !ns; back++)
        if (ends->end[(ends->count - back) % MOST].seq <= seq)
            ns = ends->end[(ends->count - back) % MOST].ns;
    pthread_mutex_unlock(&worker->lock);
    return ns;
}
