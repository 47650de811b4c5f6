/* SPDX-License-Identifier: MIT */
/*
 * The callback thread: a list of tasks and one thread that runs them.
 */
#include "layer/base/callback_thread.h"
#include "layer/base/thread.h"
#include "layer/base/lock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct task {
    struct task *next;
    void (*run)(void *);
    void *data;
    bool ends; /* a worker's thread must not run it */
};

static struct cx_lock lock = CX_LOCK_INIT(CX_RANK_CALLBACK_THREAD);
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static struct task *head CX_GUARDED_BY(lock), *tail CX_GUARDED_BY(lock);
static bool started CX_GUARDED_BY(lock);
static bool helped CX_GUARDED_BY(lock); /* somebody runs tasks in place of the thread */
static atomic_bool stranded;            /* there are tasks, and no thread */

static void *notify_main(void *unused)
{
    (void)unused;
    for (;;) {
        cx_lock(&lock);
        while (!head || helped)
            cx_lock_wait(&wake, &lock);
        struct task *task = head;
        head = task->next;
        if (!head)
            tail = NULL;
        cx_unlock(&lock);
        task->run(task->data);
        free(task);
    }
    return NULL;
}

static void post(void (*run)(void *), void *data, bool ends)
{
    struct task *task = malloc(sizeof(*task));
    if (!task) {
        run(data);
        return;
    }
    *task = (struct task){.run = run, .data = data, .ends = ends};

    cx_lock(&lock);
    if (!started)
        started = cx_thread_start(NULL, notify_main, NULL);
    if (tail)
        tail->next = task;
    else
        head = task;
    tail = task;
    atomic_store(&stranded, !started);
    pthread_cond_signal(&wake);
    cx_unlock(&lock);
}

void cx_callback_thread_post(void (*run)(void *), void *data)
{
    post(run, data, false);
}

void cx_callback_thread_post_end(void (*run)(void *), void *data)
{
    post(run, data, true);
}

/* Takes out the first task that may be run; NULL: there is none. lock held. */
static struct task *take(bool worker) CX_HOLDS(lock)
{
    struct task *before = NULL, *task = head;
    while (task && task->ends && worker) {
        before = task;
        task = task->next;
    }
    if (!task)
        return NULL;
    *(before ? &before->next : &head) = task->next;
    if (tail == task)
        tail = before;
    return task;
}

bool cx_callback_thread_help(bool worker)
{
    struct task *task;
    bool any = false;
    if (!atomic_load(&stranded))
        return false;
    cx_lock(&lock);
    if (helped) {
        cx_unlock(&lock);
        return false;
    }
    helped = true;
    while (!started && (task = take(worker))) {
        cx_unlock(&lock);
        task->run(task->data);
        free(task);
        any = true;
        cx_lock(&lock);
    }
    helped = false;
    atomic_store(&stranded, head && !started);
    pthread_cond_signal(&wake); /* the thread, if it came meanwhile */
    cx_unlock(&lock);
    return any;
}

static void *detached_main(void *data)
{
    struct task *task = data;
    task->run(task->data);
    free(task);
    return NULL;
}

bool cx_callback_thread_detach(void (*run)(void *), void *data)
{
    struct task *task = malloc(sizeof(*task));
    if (!task)
        return false;
    *task = (struct task){.run = run, .data = data};
    if (cx_thread_start(NULL, detached_main, task))
        return true;
    free(task);
    return false;
}
