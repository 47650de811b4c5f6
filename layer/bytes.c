/* SPDX-License-Identifier: MIT */
/*
 * Copying bytes by several threads. See bytes.h.
 */
#include "layer/bytes.h"
#include "layer/coherence.h"
#include "layer/traffic.h"
#include "layer/worker.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Bytes of one thread's share at least: waking a thread costs as much as copying a hundred kilobytes. */
#define LEAST_SHARE (UINT64_C(1) << 20)

enum { MOST_THREADS = 8 };

/* One thread's part of a copy; on the stack of the thread that asked for the copy. */
struct share {
    struct share *next;
    unsigned char *to;
    const unsigned char *from;
    size_t bytes;
    unsigned *left; /* shares of this copy not done; under the pool's lock */
};

/* Threads that wait for shares. They live as long as the process. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    struct share *first;
    unsigned threads;
    pid_t process; /* threads do not survive fork() */
} pool = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

/* Does the first share that waits. pool.lock held, and free for a while. */
static void do_share(void)
{
    struct share *share = pool.first;
    pool.first = share->next;
    pthread_mutex_unlock(&pool.lock);
    memcpy(share->to, share->from, share->bytes);
    pthread_mutex_lock(&pool.lock);
    if (--*share->left == 0)
        pthread_cond_broadcast(&pool.done);
}

static void *pool_main(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (!pool.first)
            pthread_cond_wait(&pool.work, &pool.lock);
        do_share();
    }
    return NULL;
}

/* Makes sure of so many threads beside the caller, as far as the system gives them. pool.lock held. */
static void grow_pool(unsigned threads)
{
    sigset_t all, old;
    if (pool.process != getpid()) {
        pool.process = getpid();
        pool.threads = 0;
    }
    if (pool.threads >= threads)
        return;
    sigfillset(&all); /* the program's signals are none of these threads' business */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    while (pool.threads < threads) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, pool_main, NULL) != 0)
            break;
        pthread_detach(thread);
        pool.threads++;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void cx_bytes_copy_by(unsigned threads, void *to, const void *from, size_t bytes)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    const bool overlap = target < source + bytes && source < target + bytes;
    unsigned n = threads < MOST_THREADS ? threads : MOST_THREADS;
    while (n > 1 && bytes / n < LEAST_SHARE)
        n--;
    if (n <= 1 || overlap) {
        memmove(to, from, bytes);
        return;
    }
    const size_t each = bytes / n / 4096 * 4096; /* the last share takes the rest */
    struct share share[MOST_THREADS];
    unsigned left = n - 1;
    pthread_mutex_lock(&pool.lock);
    grow_pool(n - 1);
    for (unsigned i = 1; i < n; i++) {
        share[i] = (struct share){.next = pool.first,
                                  .to = target + i * each,
                                  .from = source + i * each,
                                  .bytes = i + 1 == n ? bytes - i * each : each,
                                  .left = &left};
        pool.first = &share[i];
    }
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.lock);
    memcpy(target, source, each);
    pthread_mutex_lock(&pool.lock);
    while (left)
        if (pool.first) /* perhaps another copy's share; ours come next */
            do_share();
        else
            pthread_cond_wait(&pool.done, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

long cx_bytes_cores(void)
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

unsigned cx_bytes_threads(const struct cx_context *context)
{
    long threads = 0;
    const long quarter = cx_bytes_cores() / 4;
    for (unsigned m = 0; m < context->nmembers; m++)
        threads += context->workers[m].place == CX_PLACE_HOST;
    threads = quarter > threads ? quarter : threads;
    return threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : (unsigned)threads;
}

void cx_bytes_copy(const struct cx_context *context, void *to, const void *from, size_t bytes)
{
    cx_traffic_add(CX_ROUTE_HOST, true, bytes);
    cx_bytes_copy_by(cx_bytes_threads(context), to, from, bytes);
}
