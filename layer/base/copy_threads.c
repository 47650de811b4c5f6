/* SPDX-License-Identifier: MIT */
/*
 * Threads that copy. See copy_threads.h.
 */
#include "layer/base/copy_threads.h"
#include "layer/base/copy.h"
#include "layer/base/thread.h"
#include "layer/base/lock.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/* There may be so many on small machines, too: transfers of several devices wait for each other's ends. */
enum { LEAST_THREADS = 7 };

static struct {
    struct cx_lock lock;
    pthread_cond_t work, over;
    struct cx_errand *first, **end; /* those that wait, oldest first */
    unsigned waiting, threads, busy;
    pid_t process; /* threads do not survive fork() */
} crew = {.lock = CX_LOCK_INIT(CX_RANK_COPY_THREADS),
          .work = PTHREAD_COND_INITIALIZER,
          .over = PTHREAD_COND_INITIALIZER};

static void *crew_main(void *unused)
{
    (void)unused;
    cx_lock(&crew.lock);
    for (;;) {
        while (!crew.first)
            cx_lock_wait(&crew.work, &crew.lock);
        struct cx_errand *errand = crew.first;
        crew.first = errand->next;
        if (!crew.first)
            crew.end = &crew.first;
        crew.waiting--;
        crew.busy++;
        errand->state = CX_ERRAND_RUNS;
        cx_unlock(&crew.lock);
        errand->run(errand);
        cx_lock(&crew.lock);
        errand->state = CX_ERRAND_OVER; /* its owner may free it as soon as the lock is free */
        crew.busy--;
        pthread_cond_broadcast(&crew.over);
    }
    return NULL;
}

/* A thread for each errand that waits, as far as the system gives them. crew.lock held. */
static void grow(void) CX_HOLDS(crew.lock)
{
    const unsigned half = (unsigned)(cx_bytes_cores() / 2),
                   most = half > LEAST_THREADS ? half : LEAST_THREADS;
    if (crew.threads - crew.busy >= crew.waiting || crew.threads >= most)
        return;
    while (crew.threads - crew.busy < crew.waiting && crew.threads < most) {
        if (!cx_thread_start(NULL, crew_main, NULL))
            break;
        crew.threads++;
    }
}

void cx_crew_send(struct cx_errand *errand)
{
    errand->next = NULL;
    errand->state = CX_ERRAND_WAITS;
    cx_lock(&crew.lock);
    if (crew.process != getpid()) {
        crew.process = getpid();
        crew.first = NULL; /* errands of the process that forked are its own */
        crew.end = &crew.first;
        crew.waiting = crew.threads = crew.busy = 0;
    }
    *crew.end = errand;
    crew.end = &errand->next;
    crew.waiting++;
    grow();
    pthread_cond_signal(&crew.work);
    cx_unlock(&crew.lock);
}

/* crew.lock held. */
static void take_back(struct cx_errand *errand) CX_HOLDS(crew.lock)
{
    struct cx_errand **at = &crew.first;
    while (*at != errand)
        at = &(*at)->next;
    *at = errand->next;
    if (!*at)
        crew.end = at;
    crew.waiting--;
    errand->state = CX_ERRAND_RUNS;
}

void cx_crew_finish(struct cx_errand *errand)
{
    cx_lock(&crew.lock);
    const bool ours = errand->state == CX_ERRAND_WAITS;
    if (ours)
        take_back(errand);
    while (!ours && errand->state != CX_ERRAND_OVER)
        cx_lock_wait(&crew.over, &crew.lock);
    cx_unlock(&crew.lock);
    if (ours)
        errand->run(errand);
}
