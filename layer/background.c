/* SPDX-License-Identifier: MIT */
/*
 * Background work: a count of threads, a list of helper processes, and what happens to both at exit().
 *
 * The exit handler is registered with the first task, that is after the drivers were loaded: exit() runs
 * handlers and destructors in reverse order, so ours comes before those of the drivers' libraries.
 */
#include "layer/background.h"
#include "layer/log.h"
#include "layer/notify.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_PATIENCE_S = 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* innermost: nothing is called under it */
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static unsigned running;
static struct cx_helper *helpers;
static atomic_bool ending;
static bool registered;
static pid_t owner; /* a child made by fork() has the count but not the threads */

struct job {
    void (*task)(void *);
    void *data;
};

static void at_exit(void)
{
    struct timespec until;

    if (getpid() != owner)
        return;
    atomic_store(&ending, true);
    pthread_mutex_lock(&lock);
    for (struct cx_helper *helper = helpers; helper; helper = helper->next)
        kill(-helper->pid, SIGKILL);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += EXIT_PATIENCE_S;
    while (running && pthread_cond_timedwait(&idle, &lock, &until) != ETIMEDOUT)
        ;
    pthread_mutex_unlock(&lock);
}

static void finish_one(void)
{
    pthread_mutex_lock(&lock);
    if (--running == 0)
        pthread_cond_broadcast(&idle);
    pthread_mutex_unlock(&lock);
}

static void run_job(void *data)
{
    struct job *job = data;

    job->task(job->data);
    free(job);
    finish_one();
}

bool cx_background_run(void (*task)(void *data), void *data)
{
    struct job *job = malloc(sizeof(*job));
    if (!job)
        return false;
    *job = (struct job){.task = task, .data = data};

    pthread_mutex_lock(&lock);
    if (!registered) {
        registered = true;
        owner = getpid();
        atexit(at_exit);
    }
    bool ok = !atomic_load(&ending);
    if (ok)
        running++;
    pthread_mutex_unlock(&lock);

    if (ok && !cx_notify_detach(run_job, job)) {
        finish_one();
        ok = false;
    }
    if (!ok)
        free(job);
    return ok;
}

bool cx_background_ending(void)
{
    return atomic_load(&ending);
}

void cx_helper_enter(struct cx_helper *helper, pid_t pid)
{
    pthread_mutex_lock(&lock);
    helper->pid = pid;
    helper->next = helpers;
    helpers = helper;
    if (helper->stop || atomic_load(&ending))
        kill(-pid, SIGKILL);
    pthread_mutex_unlock(&lock);
}

void cx_helper_leave(struct cx_helper *helper)
{
    pthread_mutex_lock(&lock);
    struct cx_helper **link = &helpers;
    while (*link && *link != helper)
        link = &(*link)->next;
    if (*link)
        *link = helper->next;
    helper->pid = 0;
    pthread_mutex_unlock(&lock);
}

void cx_helper_stop(struct cx_helper *helper)
{
    pthread_mutex_lock(&lock);
    helper->stop = true;
    if (helper->pid > 0)
        kill(-helper->pid, SIGKILL);
    pthread_mutex_unlock(&lock);
}
