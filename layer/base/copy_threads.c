/* SPDX-License-Identifier: MIT */
/*
 * The pool of threads that copy. See copy_threads.h.
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
    struct cx_copy_task *first, **end; /* those that wait, oldest first */
    unsigned waiting, threads, busy;
    pid_t process; /* threads do not survive fork() */
} pool = {.lock = CX_LOCK_INIT(CX_RANK_COPY_THREADS),
          .work = PTHREAD_COND_INITIALIZER,
          .over = PTHREAD_COND_INITIALIZER};

static void *thread_main(void *unused)
{
    (void)unused;
    cx_lock(&pool.lock);
    for (;;) {
        while (!pool.first)
            cx_lock_wait(&pool.work, &pool.lock);
        struct cx_copy_task *task = pool.first;
        pool.first = task->next;
        if (!pool.first)
            pool.end = &pool.first;
        pool.waiting--;
        pool.busy++;
        task->state = CX_COPY_TASK_RUNS;
        cx_unlock(&pool.lock);
        task->run(task);
        cx_lock(&pool.lock);
        task->state = CX_COPY_TASK_OVER; /* its owner may free it as soon as the lock is free */
        pool.busy--;
        pthread_cond_broadcast(&pool.over);
    }
    return NULL;
}

/* Starts a thread for each task that waits, as far as the system gives them. pool.lock held. */
static void grow(void) CX_HOLDS(pool.lock)
{
    const unsigned half = (unsigned)(cx_copy_cores() / 2), most = half > LEAST_THREADS ? half : LEAST_THREADS;
    if (pool.threads - pool.busy >= pool.waiting || pool.threads >= most)
        return;
    while (pool.threads - pool.busy < pool.waiting && pool.threads < most) {
        if (!cx_thread_start(NULL, thread_main, NULL))
            break;
        pool.threads++;
    }
}

void cx_copy_threads_send(struct cx_copy_task *task)
{
    task->next = NULL;
    task->state = CX_COPY_TASK_WAITS;
    cx_lock(&pool.lock);
    if (pool.process != getpid()) {
        pool.process = getpid();
        pool.first = NULL; /* tasks of the parent process are not this one's */
        pool.end = &pool.first;
        pool.waiting = pool.threads = pool.busy = 0;
    }
    *pool.end = task;
    pool.end = &task->next;
    pool.waiting++;
    grow();
    pthread_cond_signal(&pool.work);
    cx_unlock(&pool.lock);
}

/* pool.lock held. */
static void take_back(struct cx_copy_task *task) CX_HOLDS(pool.lock)
{
    struct cx_copy_task **at = &pool.first;
    while (*at != task)
        at = &(*at)->next;
    *at = task->next;
    if (!*at)
        pool.end = at;
    pool.waiting--;
    task->state = CX_COPY_TASK_RUNS;
}

void cx_copy_threads_finish(struct cx_copy_task *task)
{
    cx_lock(&pool.lock);
    const bool ours = task->state == CX_COPY_TASK_WAITS;
    if (ours)
        take_back(task);
    while (!ours && task->state != CX_COPY_TASK_OVER)
        cx_lock_wait(&pool.over, &pool.lock);
    cx_unlock(&pool.lock);
    if (ours)
        task->run(task);
}
