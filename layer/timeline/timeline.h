/* SPDX-License-Identifier: MIT */
/*
 * A timeline: the jobs of one worker in the order of their positions, from when they are planned until they
 * are complete, and who waits for a position. A position is a number from 1 on, given under context->lock.
 *
 *   planned ──> head .. tail ──> (run) ──> flying .. flying_tail ──> completed
 *                                submitted: the last one here
 *
 * Previous: context.h. Next: worker.h, which runs the jobs; worker_reap.h completes them; command_watch.c and
 * end_times.c wait.
 */
#ifndef CX_LAYER_TIMELINE_TIMELINE_H
#define CX_LAYER_TIMELINE_TIMELINE_H

#include "layer/base/lock.h"
#include <stdatomic.h>
#include <stdint.h>

struct cx_command;
struct cx_end;
struct cx_job;

/* Stands for the lock of any timeline in clang's analysis. */
extern struct cx_lock_kind cx_timeline_locked;

struct cx_timeline {
    atomic_uint_fast64_t submitted; /* position of the last job handed to the driver */
    atomic_uint_fast64_t completed; /* every job up to this position is complete */

    uint64_t planned CX_GUARDED_BY(cx_context_locked); /* position of the last job planned */
    /* the last job planned that may access any of this member's memory, except copies between members'
     * memories (memory/peer.h) */
    uint64_t last_user CX_GUARDED_BY(cx_context_locked);
    /* one a member: its last job that copies from this member's memory, for which all jobs planned here wait;
     * NULL: none. context->lock */
    const uint64_t *fence;
    /* a heap of commands that wait for this timeline (command_watch.c); references. context->lock */
    struct cx_command *watched;
    atomic_uint_fast64_t first_watched; /* the position for which the first of `watched` waits; 0: none */

    struct cx_lock lock;
    pthread_cond_t moved;                                  /* submitted or completed moved */
    struct cx_job *head CX_GUARDED_BY(cx_timeline_locked); /* planned, not yet submitted to the driver */
    struct cx_job *tail CX_GUARDED_BY(cx_timeline_locked);
    struct cx_job *flying CX_GUARDED_BY(cx_timeline_locked); /* submitted, not known to be complete */
    struct cx_job *flying_tail CX_GUARDED_BY(cx_timeline_locked);
    unsigned nflying CX_GUARDED_BY(cx_timeline_locked);
    struct cx_job *spare CX_GUARDED_BY(cx_timeline_locked); /* memory of jobs that are over (cx_job_take) */
    unsigned nspare CX_GUARDED_BY(cx_timeline_locked);
    unsigned nloose;       /* jobs since the last one with an event; whoever pumps */
    atomic_bool tell_next; /* the next job is to have an event (cx_worker_tell_next) */
    bool reaping CX_GUARDED_BY(cx_timeline_locked); /* a thread completes jobs */
    atomic_bool pumping; /* a thread pumps; it checks the queue once more before it stops. Set under lock */
    unsigned waiters CX_GUARDED_BY(cx_timeline_locked); /* threads that wait for `moved` */
    /* the least position that a waiter waits for; none is woken before that */
    uint64_t awaited CX_GUARDED_BY(cx_timeline_locked);
    /* the worker's thread completes everything up to this position by itself */
    uint64_t watch CX_GUARDED_BY(cx_timeline_locked);
    atomic_uint_fast64_t
        awaited_ns; /* since when a thread has waited for one of the jobs, host clock; 0: none waits */
    /* end_times.c: requested end times, the next first */
    struct cx_end *ends CX_GUARDED_BY(cx_timeline_locked);
    struct cx_end *ends_tail CX_GUARDED_BY(cx_timeline_locked);
    /* when the last of all completed jobs ended, host ns; written by who completes jobs (`reaping`) */
    uint64_t last_end CX_GUARDED_BY(cx_timeline_locked);
};

/* Whether every job up to that position is complete. Any thread. Called by timeline/, launch/ and plan/. */
static inline bool cx_timeline_passed(const struct cx_timeline *timeline, uint64_t position)
{
    return atomic_load_explicit(&timeline->completed, memory_order_acquire) >= position;
}

static inline void cx_timeline_lock(struct cx_timeline *timeline) CX_TAKES(cx_timeline_locked) CX_UNCHECKED
{
    cx_lock(&timeline->lock);
}

static inline void cx_timeline_unlock(struct cx_timeline *timeline)
    CX_RELEASES(cx_timeline_locked) CX_UNCHECKED
{
    cx_unlock(&timeline->lock);
}

/* Waits for one of its conditions; the lock is free meanwhile. Called by worker.c. */
static inline void cx_timeline_await(struct cx_timeline *timeline, pthread_cond_t *condition)
    CX_HOLDS(cx_timeline_locked) CX_UNCHECKED
{
    cx_lock_wait(condition, &timeline->lock);
}

/* For the functions that a job calls as it completes: the end of the one before it. Without the lock.
 * Called by launch/whole.c. */
static inline uint64_t cx_timeline_last_end(const struct cx_timeline *timeline) CX_UNCHECKED
{
    return timeline->last_end;
}

#endif
