/* SPDX-License-Identifier: MIT */
/*
 * Queues of background tasks. See task_queue.h.
 */
#include "layer/base/task_queue.h"
#include "layer/base/exit_guard.h"
#include "layer/base/clock.h"
#include "layer/base/deadline.h"
#include "layer/base/callback_thread.h"
#include "layer/base/split_policy.h"
#include "layer/base/lock.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

/* The program's builds often come in a row: so long after one nothing of ours is begun. */
enum { CALM_MS = 20 };
/* Of the thread that builds. It may hold a lock of the driver's when a thread of the program comes to want
 * that, and must get on then. */
enum { BUILDER_NICE = 10 };

struct task {
    struct task *next;
    void (*run)(void *data);
    void *data;
    const void *key;
};

struct line {
    struct task *first, *last;
    bool serving; /* there is a thread for it */
};

static struct cx_lock lock = CX_LOCK_INIT(CX_RANK_TASK_QUEUE);
static struct line lines[CX_TASKS_COUNT];
static unsigned building CX_GUARDED_BY(lock);    /* builds of the program's */
static unsigned ours CX_GUARDED_BY(lock);        /* builds of ours in their line that run */
static uint64_t both_ns CX_GUARDED_BY(lock);     /* for how long there were both, until ... */
static uint64_t both_until CX_GUARDED_BY(lock);  /* ... host clock */
static struct timespec calm CX_GUARDED_BY(lock); /* not before that */
static pthread_cond_t changed;

static void before_fork(void) CX_TAKES(lock)
{
    cx_lock(&lock);
}

static void after_fork(void) CX_RELEASES(lock)
{
    cx_unlock(&lock);
}

static void make_cond(void)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

/* A child has the lines but not the threads. */
static void in_child(void) CX_RELEASES(lock)
{
    for (unsigned i = 0; i < CX_TASKS_COUNT; i++)
        lines[i] = (struct line){0};
    building = ours = 0;
    make_cond();
    cx_unlock(&lock);
}

CX_LOCK_AT_FORK(CX_RANK_TASK_QUEUE) static void prepare(void)
{
    make_cond();
    pthread_atfork(before_fork, after_fork, in_child);
}

static bool is_before(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

/* Before `building` or `ours` changes. lock held. */
static void count_both(void) CX_HOLDS(lock)
{
    const uint64_t now = cx_clock_ns();
    if (building && ours)
        both_ns += now - both_until;
    both_until = now;
}

/* Until the program builds nothing. lock held. */
static void await_calm(void) CX_HOLDS(lock)
{
    while (!cx_exit_guard_ending()) {
        const struct timespec now = cx_deadline(0), soon = cx_deadline(CALM_MS);
        if (!building && !is_before(now, calm))
            return;
        cx_lock_wait_until(&changed, &lock, &soon);
    }
}

/* The thread of a line. Those of builds stay, as their priority does. */
static void serve(void *data)
{
    struct line *line = data;
    const bool builds = line == &lines[CX_TASKS_BUILDS];

    cx_exit_guard_is_ours();
    if (builds)
        setpriority(PRIO_PROCESS, 0, BUILDER_NICE); /* of this thread alone */
    cx_lock(&lock);
    for (;;) {
        if (builds && line->first)
            await_calm();
        struct task *task = line->first; /* another thread may have taken it meanwhile */
        if (!task && builds) {
            cx_lock_wait(&changed, &lock);
            continue;
        }
        if (!task)
            break;
        line->first = task->next;
        count_both();
        ours += builds;
        cx_unlock(&lock);
        task->run(task->data);
        free(task);
        cx_lock(&lock);
        count_both();
        ours -= builds;
    }
    line->serving = false;
    cx_unlock(&lock);
}

/* lock held */
static void append(struct line *line, struct task *task) CX_HOLDS(lock)
{
    if (line->first)
        line->last->next = task;
    else
        line->first = task;
    line->last = task;
}

/* The task with this key, out of its line; NULL: it is in none. lock held. */
static struct task *take(const void *key) CX_HOLDS(lock)
{
    for (unsigned i = 0; i < CX_TASKS_COUNT; i++) {
        struct task *before = NULL;
        for (struct task *task = lines[i].first; task; before = task, task = task->next) {
            if (task->key != key)
                continue;
            if (before)
                before->next = task->next;
            else
                lines[i].first = task->next;
            if (lines[i].last == task)
                lines[i].last = before;
            return task;
        }
    }
    return NULL;
}

/* Whether the line has a thread, or gets one. lock not held: threads that are made take it. */
static bool start(struct line *line)
{
    return line == &lines[CX_TASKS_BUILDS] ? cx_callback_thread_detach(serve, line)
                                           : cx_exit_guard_run(serve, line);
}

bool cx_task_queue_run(enum cx_task_queue number, void (*run)(void *data), void *data, const void *key)
{
    struct line *line = &lines[number];
    if (cx_exit_guard_ending())
        return false;
    if (!cx_task_queue_is_patient())
        return cx_exit_guard_run(run, data);
    struct task *task = malloc(sizeof(*task));
    if (!task)
        return false;
    *task = (struct task){.run = run, .data = data, .key = key};
    cx_exit_guard_expect();
    cx_lock(&lock);
    append(line, task);
    const bool starts = !line->serving;
    line->serving = true;
    pthread_cond_broadcast(&changed);
    cx_unlock(&lock);
    if (!starts || start(line))
        return true;
    cx_lock(&lock);
    line->serving = false;
    task = take(key); /* others that came meanwhile are left for the next thread */
    cx_unlock(&lock);
    free(task);
    return !task; /* somebody hurried it */
}

void cx_task_queue_hurry(const void *key)
{
    cx_lock(&lock);
    struct task *task = take(key);
    cx_unlock(&lock);
    if (!task)
        return;
    if (!cx_exit_guard_run(task->run, task->data))
        task->run(task->data); /* whoever waits does it */
    free(task);
}

uint64_t cx_task_queue_build_begin(void)
{
    cx_lock(&lock);
    count_both();
    building++;
    const uint64_t begun = both_ns;
    cx_unlock(&lock);
    return begun;
}

uint64_t cx_task_queue_build_end(uint64_t begun)
{
    cx_lock(&lock);
    count_both();
    building--;
    const uint64_t beside = both_ns - begun;
    calm = cx_deadline(CALM_MS);
    pthread_cond_broadcast(&changed);
    cx_unlock(&lock);
    cx_exit_guard_expect(); /* the compiler may have registered destructors behind our handler */
    return beside;
}

bool cx_task_queue_is_patient(void)
{
    return !cx_split_policy_wants_all();
}
