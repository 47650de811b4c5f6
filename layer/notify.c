/* SPDX-License-Identifier: MIT */
/*
 * The notify thread: a list of tasks and one thread that empties it.
 */
#include "layer/notify.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct task {
    struct task *next;
    void (*run)(void *);
    void *data;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static struct task *head, *tail;
static bool started;

/* Starts a detached thread that takes none of the program's signals. */
static bool start_thread(void *(*body)(void *), void *data)
{
    sigset_t all, old;
    pthread_attr_t attributes;
    pthread_t thread;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    bool ok = pthread_create(&thread, &attributes, body, data) == 0;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return ok;
}

static void *notify_main(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!head)
            pthread_cond_wait(&wake, &lock);
        struct task *task = head;
        head = task->next;
        if (!head)
            tail = NULL;
        pthread_mutex_unlock(&lock);
        task->run(task->data);
        free(task);
    }
    return NULL;
}

void cx_notify_post(void (*run)(void *), void *data)
{
    struct task *task = malloc(sizeof(*task));
    if (!task) {
        run(data);
        return;
    }
    *task = (struct task){.run = run, .data = data};

    pthread_mutex_lock(&lock);
    if (!started)
        started = start_thread(notify_main, NULL);
    if (!started) {
        pthread_mutex_unlock(&lock);
        free(task);
        run(data);
        return;
    }
    if (tail)
        tail->next = task;
    else
        head = task;
    tail = task;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
}

static void *detached_main(void *data)
{
    struct task *task = data;
    task->run(task->data);
    free(task);
    return NULL;
}

bool cx_notify_detach(void (*run)(void *), void *data)
{
    struct task *task = malloc(sizeof(*task));
    if (!task)
        return false;
    *task = (struct task){.run = run, .data = data};
    if (start_thread(detached_main, task))
        return true;
    free(task);
    return false;
}
