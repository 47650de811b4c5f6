/* SPDX-License-Identifier: MIT */
/*
 * Background work that must not be cut off in the middle: compilers run by a real driver, and the analyser's
 * processes.
 *
 * A process may end at any moment, also while a driver's compiler works in a thread of ours; its libraries
 * would then tear themselves down under that thread's feet. So every such thread is counted, and at exit()
 * the layer stops the helpers and waits, some seconds at most, for what cannot be stopped. Programs that end
 * otherwise are not held up. Thread-safe.
 */
#ifndef CX_LAYER_BACKGROUND_H
#define CX_LAYER_BACKGROUND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/* Runs task(data) on a thread of its own. False: none could be started, or the process is ending. */
bool cx_background_run(void (*task)(void *data), void *data);
/* Such a task is likely to come soon, when time is dearer: starts the threads that it needs now. */
void cx_background_prepare(void);

/* A worker has work for a driver that may compile in it, until cx_background_leave: exit() waits for that,
 * too. May be called with the worker's lock held. */
void cx_background_enter(void);
void cx_background_leave(void);

/* Whether the process is ending: long work should stop at the next chance. */
bool cx_background_ending(void);

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
 * on so. */
void cx_helper_enter(struct cx_helper *helper, pid_t pid);
void cx_helper_leave(struct cx_helper *helper);
void cx_helper_stop(struct cx_helper *helper);

#endif
