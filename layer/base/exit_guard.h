/* SPDX-License-Identifier: MIT */
/*
 * What must not be cut off in the middle when the process ends: compilers run by a real driver, and the
 * analyser's processes.
 *
 * A process may end at any moment, also while a driver's compiler works in a thread of ours; its libraries
 * would then tear themselves down under that thread's feet. So our threads enter before they call what may
 * compile, and leave after it: exit() stops the helpers, lets nobody enter any more, and waits, some seconds
 * at most, for those that are inside. It waits for nothing else; workers start no more jobs unless the
 * program goes on using OpenCL. Programs that end otherwise are not held up. Thread-safe.
 */
#ifndef CX_LAYER_BASE_EXIT_GUARD_H
#define CX_LAYER_BASE_EXIT_GUARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/* Runs task(data) on a thread of its own. False: none could be started, or the process is ending. Called
 * by base/, driver/, memory/, source/ and timeline/. */
bool cx_background_run(void (*task)(void *data), void *data);
/* Such work is given to another thread, which has not begun: by the thread that gives it, so that the process
 * cannot end between the two without our knowing (exit() runs no handler before ours that is registered now,
 * and none of ours that is registered while it runs). Called by task_queue.c and timeline/worker.c. */
void cx_background_expect(void);
/* As cx_background_run, but it counts as inside a compiler (below) from now on, until it leaves: so that it
 * is not begun while the process is already ending. Called by program/build.c. */
bool cx_background_run_inside(void (*task)(void *data), void *data);
/* Such a task is likely to come soon, when time is dearer: starts a thread for it now. Called by
 * program/build.c. */
void cx_background_prepare(void);

/* A thread of ours is about to call a driver that may compile in it, until cx_background_leave. False: the
 * process is ending, so that it had better not; there is nothing to leave then. May be called with a worker's
 * lock held. */
bool cx_background_enter(void);
/* The same for a launch: let in, too, as long as exit() waits for what has begun (below). keeps: with a
 * thread of ours that keeps exit()'s handler the first one; else the process has no other thread of ours.
 * Called by driver/, memory/, program/, source/ and timeline/. */
bool cx_background_enter_launch(bool keeps);
void cx_background_leave(void);

/* A launch in which a driver may compile in a thread of its own: what exit() waits for once the call that
 * gave it to the driver is over. */
enum cx_compiling {
    CX_COMPILING_CALL,   /* the thread that gives it is inside (cx_background_enter) */
    CX_COMPILING_QUEUED, /* it may wait for others, for a second at most */
    CX_COMPILING_BEGUN,  /* the driver has taken it up: as those inside */
    CX_COMPILING_OVER
};
/* It goes on from *now to `to`, or is further already. From CALL on by the thread that is inside, which is
 * not any more then. Called by timeline/worker_compile.c. */
void cx_background_compiling(enum cx_compiling *now, enum cx_compiling to);

/* A launch begins in pieces of which later ones may have to be compiled, until they were: so that it can be
 * ended by whoever still waits for it, exit() waits for that, too, as for what is queued. What workers began
 * goes on meanwhile. False: the process is ending, so that the launch had better do with what is compiled.
 * Called by launch/prefix.c, launch/split.c and launch/split_package.c. */
bool cx_background_begun(void);
void cx_background_begun_over(void);

/* Whether the process is ending: long work should stop at the next chance. Called by base/, driver/,
 * launch/, plan/ and source/. */
bool cx_background_ending(void);
/* The calling thread is one of ours: what it does stops once exit() is called. Whether it is. Called by
 * task_queue.c, timeline/worker.c and timeline/worker_compile.c. */
void cx_background_is_ours(void);
bool cx_background_ours(void);
/* Whether the process is ending and the program does nothing with OpenCL any more, so that no work need be
 * begun: neither does a thread of the program wait for some, nor has one called since. Called by
 * timeline/worker.c. */
bool cx_background_parks(void);
/* The program calls something that is to have an effect; and a thread of it waits for work. Called by
 * timeline/command.c, timeline/queue.c and timeline/worker.c. */
void cx_background_used(void);
void cx_background_wait_begin(void);
void cx_background_wait_end(void);

/* A helper process that runs now. When the process ends it is killed with its process group, or left to
 * itself where it outlasts us. */
struct cx_helper {
    struct cx_helper *next;
    pid_t pid;            /* 0: not running (any more) */
    atomic_bool stop;     /* kill it as soon as it runs */
    atomic_bool outlasts; /* set before it starts: at our end `wake` is written to instead of killing it */
    int wake;             /* an eventfd while it runs, where it outlasts us */
    bool unneeded;        /* it was stopped, and goes on all the same */
};
/* Enters a helper that was just started (pid set), takes it out before it is reaped or left, and kills it.
 * One that outlasts us is not killed: what it keeps on disk may be of use to the next program. Few at once go
 * on so. Called by subprocess.c and source/analysis.c. */
void cx_helper_enter(struct cx_helper *helper, pid_t pid);
void cx_helper_leave(struct cx_helper *helper);
void cx_helper_stop(struct cx_helper *helper);

#endif
