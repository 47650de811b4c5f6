/* SPDX-License-Identifier: MIT */
/*
 * Copying bytes by several threads. See bytes.h.
 */
#include "layer/bytes.h"
#include "layer/coherence.h"
#include "layer/worker.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

/* Bytes of one thread's share at least: starting a thread costs as much as copying some hundred kilobytes. */
#define LEAST_SHARE (UINT64_C(4) << 20)

enum { MOST_THREADS = 4 };

struct share {
    pthread_t thread;
    unsigned char *to;
    const unsigned char *from;
    size_t bytes;
    bool started;
};

static void *copy_share(void *data)
{
    const struct share *share = data;
    memcpy(share->to, share->from, share->bytes);
    return NULL;
}

static unsigned threads_for(const struct cx_context *context, size_t bytes)
{
    unsigned in_place = 0;
    for (unsigned m = 0; m < context->nmembers; m++)
        in_place += context->workers[m].place == CX_PLACE_HOST;
    unsigned n = in_place < MOST_THREADS ? in_place : MOST_THREADS;
    while (n > 1 && bytes / n < LEAST_SHARE)
        n--;
    return n ? n : 1;
}

void cx_bytes_copy(const struct cx_context *context, void *to, const void *from, size_t bytes)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    const bool overlap = target < source + bytes && source < target + bytes;
    const unsigned n = overlap ? 1 : threads_for(context, bytes);
    const size_t each = bytes / n / 4096 * 4096; /* the last share takes the rest */
    struct share share[MOST_THREADS];
    sigset_t all, old;

    if (n == 1) {
        memmove(to, from, bytes);
        return;
    }
    sigfillset(&all); /* the program's signals are none of these threads' business */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    for (unsigned i = 1; i < n; i++) {
        share[i] = (struct share){.to = target + i * each,
                                  .from = source + i * each,
                                  .bytes = i + 1 == n ? bytes - i * each : each};
        share[i].started = pthread_create(&share[i].thread, NULL, copy_share, &share[i]) == 0;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    memcpy(target, source, each);
    for (unsigned i = 1; i < n; i++)
        if (share[i].started)
            pthread_join(share[i].thread, NULL);
        else
            copy_share(&share[i]);
}
