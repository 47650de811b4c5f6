/* SPDX-License-Identifier: MIT */
/*
 * Background work: a count of threads, a list of helper processes, and what happens to both at exit().
 *
 * exit() runs handlers and destructors in reverse order of their registration, and ours must come before
 * those of the drivers' libraries, whose compilers our tasks are inside of. Libraries register destructors
 * when they are loaded, and compilers also while they compile for the first time (objects made where they are
 * first used). So the handler is registered with each task, and again and again during the first seconds of
 * tasks.
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

enum {
    EXIT_PATIENCE_S = 20,
    FAST_ROUNDS = 60, /* of a millisecond; then of ten */
    ROUNDS = 360
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* innermost: nothing is called under it */
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static unsigned running;
static struct cx_helper *helpers;
static atomic_bool ending;
static bool keeping;    /* a thread registers the handler again and again */
static unsigned rounds; /* it did so that often */
static pid_t owner;     /* a child made by fork() has the count but not the threads */

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

/* Makes our handler the next to be run, while tasks run and objects may still be made. */
static void keep_first(void *unused)
{
    (void)unused;
    for (bool more = true, fast = true; more;) {
        const struct timespec pause = {0, fast ? 1000000 : 10000000};
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&lock);
        more = keeping = running && ++rounds < ROUNDS && !atomic_load(&ending);
        fast = rounds < FAST_ROUNDS;
        if (more)
            atexit(at_exit);
        pthread_mutex_unlock(&lock);
    }
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
    owner = getpid();
    if (rounds < ROUNDS) {
        rounds++;
        atexit(at_exit);
    }
    bool ok = !atomic_load(&ending), keep = ok && !keeping && rounds < ROUNDS;
    keeping |= keep;
    if (ok)
        running++;
    pthread_mutex_unlock(&lock);
    if (keep && !cx_notify_detach(keep_first, NULL)) {
        pthread_mutex_lock(&lock);
        keeping = false;
        pthread_mutex_unlock(&lock);
    }

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
