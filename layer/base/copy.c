/* SPDX-License-Identifier: MIT */
/*
 * Copying bytes by several threads. See copy.h.
 */
#include "layer/base/copy.h"
#include "layer/base/copy_threads.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* Bytes of one thread's share at least: waking a thread costs as much as copying a hundred kilobytes. */
#define LEAST_SHARE (UINT64_C(1) << 20)

/* One thread's part of a copy; on the stack of the thread that asked for the copy. */
struct share {
    struct cx_copy_task task;
    unsigned char *to;
    const unsigned char *from;
    size_t bytes;
};

static void copy_share(struct cx_copy_task *task)
{
    const struct share *share = (const struct share *)task;
    memcpy(share->to, share->from, share->bytes);
}

void cx_copy_by(unsigned threads, void *to, const void *from, size_t bytes)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    const bool overlap = target < source + bytes && source < target + bytes;
    unsigned n = threads < CX_COPY_THREADS ? threads : CX_COPY_THREADS;
    while (n > 1 && bytes / n < LEAST_SHARE)
        n--;
    if (n <= 1 || overlap) {
        memmove(to, from, bytes);
        return;
    }
    const size_t each = bytes / n / 4096 * 4096; /* the last share takes the rest */
    struct share share[CX_COPY_THREADS];
    for (unsigned i = 1; i < n; i++) {
        share[i] = (struct share){.task.run = copy_share,
                                  .to = target + i * each,
                                  .from = source + i * each,
                                  .bytes = i + 1 == n ? bytes - i * each : each};
        cx_copy_threads_send(&share[i].task);
    }
    memcpy(target, source, each);
    for (unsigned i = n; i-- > 1;) /* from those that wait longest for a thread */
        cx_copy_threads_finish(&share[i].task);
}

long cx_copy_cores(void)
{
    static atomic_long cores;
    long count = atomic_load_explicit(&cores, memory_order_relaxed);
    if (count == 0) {
        count = sysconf(_SC_NPROCESSORS_ONLN);
        count = count > 0 ? count : 1;
        atomic_store_explicit(&cores, count, memory_order_relaxed);
    }
    return count;
}
