/* SPDX-License-Identifier: MIT */
/*
 * Threads that stop once the process is ending. See exit_park.h.
 *
 * The lock is not exit_guard.c's: that one may stay taken for ever, by a thread whose signal handler calls
 * exit().
 */
#include "layer/base/exit_park.h"
#include "layer/base/deadline.h"
#include "layer/base/lock.h"

#include <pthread.h>

static struct cx_lock lock = CX_LOCK_INIT(CX_RANK_EXIT_PARK);
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void before_fork(void) CX_TAKES(lock)
{
    cx_lock(&lock);
}

static void after_fork(void) CX_RELEASES(lock)
{
    cx_unlock(&lock);
}

CX_LOCK_AT_FORK(CX_RANK_EXIT_PARK) static void handle_forks(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

void cx_exit_park(bool (*stays)(const void *data), const void *data, unsigned ms)
{
    const struct timespec end = cx_deadline_on(CLOCK_REALTIME, ms);
    bool in_time = true;
    cx_lock(&lock);
    while (in_time && stays(data)) {
        if (ms)
            in_time = cx_lock_wait_until(&changed, &lock, &end);
        else
            cx_lock_wait(&changed, &lock);
    }
    cx_unlock(&lock);
}

void cx_exit_unpark(void)
{
    cx_lock(&lock);
    pthread_cond_broadcast(&changed);
    cx_unlock(&lock);
}
