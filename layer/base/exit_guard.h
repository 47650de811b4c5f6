/* SPDX-License-Identifier: MIT */
/*
 * An exit handler that waits for work which must not be interrupted when the process ends: compilers run by a
 * real driver, and processes of the analyser.
 *
 * A process may end at any moment, also while a driver's compiler works in a thread of the layer; the
 * compiler's libraries would then be torn down while that thread uses them. So a thread of the layer enters
 * before a call that may compile, and leaves after it. exit() stops the helper processes, lets no further
 * thread enter, and waits a few seconds at most for those that have entered. It waits for nothing else;
 * workers start no more jobs unless the program goes on using OpenCL. A process that ends without exit() is
 * not delayed. Thread-safe.
 */
#ifndef CX_LAYER_BASE_EXIT_GUARD_H
#define CX_LAYER_BASE_EXIT_GUARD_H

#include "layer/base/own_file.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/* Starts a thread for task(data). False: no thread could be started, or the process is ending. Called by
 * base/, driver/, memory/, source/ and timeline/. */
bool cx_exit_guard_run(void (*task)(void *data), void *data);
/* Has exit() call the handler, before libraries that were loaded until now are torn down. Called by
 * power/sampler.c. */
void cx_exit_guard_call(void (*handler)(void));
/* The library of a driver was loaded, so that it is noted when exit() is about to tear it down. Called by
 * driver/open.c. */
void cx_exit_guard_loaded(void);
/* Announces work that is about to be given to another thread. The giving thread calls it, so that the exit
 * handler is registered before the process can end: exit() runs handlers registered last first, and ignores
 * one of ours registered while it runs. Called by task_queue.c and timeline/worker.c. */
void cx_exit_guard_expect(void);
/* Like cx_exit_guard_run, for a task that calls a compiler: it counts as entered (cx_exit_guard_enter) from
 * now on, until it calls cx_exit_guard_leave, so that it cannot begin while the process is ending. Called by
 * program/build.c. */
bool cx_exit_guard_run_inside(void (*task)(void *data), void *data);
/* Starts a thread now for a task that is likely to come soon, so that starting it costs no time then. Called
 * by program/build.c. */
void cx_exit_guard_prepare(void);

/* A thread of ours is about to call a driver that may compile in that call; cx_exit_guard_leave ends this.
 * False: the process is ending, so the caller must not make the call, nor leave. May be called with a
 * worker's lock held. */
bool cx_exit_guard_enter(void);
/* Like cx_exit_guard_enter, for a launch: it may enter also while exit() waits for launches that have begun
 * (cx_exit_guard_uncompiled), or while a handler of exit() waits for work and no driver is torn down yet.
 * keeps: a thread of ours keeps registering the exit handler, so that it runs first; otherwise the process
 * has no other thread of ours. Called by driver/, memory/, program/, source/ and timeline/. */
bool cx_exit_guard_enter_launch(bool keeps);
void cx_exit_guard_leave(void);

/* State of a launch for which the driver may compile in a thread of its own: what exit() waits for after the
 * enqueueing call has returned. */
enum cx_compiling {
    CX_COMPILING_CALL,   /* the enqueueing call is under way (cx_exit_guard_enter) */
    CX_COMPILING_QUEUED, /* the launch may wait for others; the handler waits a second at most */
    CX_COMPILING_BEGUN,  /* the driver has begun it: the handler waits as for calls under way */
    CX_COMPILING_OVER
};
/* Moves the state from *now to `to`, unless it is already further. The thread that made the call moves it on
 * from CALL, which also ends its cx_exit_guard_enter. Called by timeline/worker_compile.c. */
void cx_exit_guard_compiling(enum cx_compiling *now, enum cx_compiling to);

/* State of a launch that waits to begin, and for which a CPU's driver may have to compile in the enqueueing
 * call: after the compiler's handlers nobody could run it any more, whoever waits for it. exit() waits for
 * its begin, and workers go on meanwhile. */
enum cx_uncompiled {
    CX_UNCOMPILED_NONE,    /* it needs no compiler, or no more */
    CX_UNCOMPILED_PLANNED, /* waited for 0.15 s, from the last build or compilation on; if the program is owed
                              a callback, as for queued launches */
    CX_UNCOMPILED_BEGUN    /* packages of it are still to be started: as for queued launches */
};
/* Moves the state from *now to `to`; a launch that has begun stays so until NONE. False: the process is
 * ending and does not wait for it, so the launch should use only what is compiled. Called by launch/ and
 * api/enqueue_kernel.c. */
bool cx_exit_guard_uncompiled(enum cx_uncompiled *now, enum cx_uncompiled to);
/* Whether exit() waits for nothing any more, so that compilers may be gone. Called by
 * timeline/worker_compile.c. */
bool cx_exit_guard_closed(void);
/* The program is owed one callback more, or less. Called by timeline/command_watch.c. */
void cx_exit_guard_owes(bool more);

/* Whether the process is ending. Long work asks it now and then, and stops. Called by base/, driver/,
 * launch/, plan/ and source/. */
bool cx_exit_guard_ending(void);
/* Marks the calling thread as one of the layer's, whose work stops once exit() is called; asks whether it is
 * one. Called by task_queue.c, timeline/worker.c and timeline/worker_compile.c. */
void cx_exit_guard_is_ours(void);
bool cx_exit_guard_ours(void);
/* Whether the process is ending and the program has stopped using OpenCL: none of its threads waits for work,
 * and none has called since. A worker's thread then begins nothing more (exit_park.h). Called by
 * timeline/worker.c. */
bool cx_exit_guard_parks(void);
/* The program makes a call that must have an effect (used), or one of its threads waits for work (wait_begin,
 * wait_end). Called by timeline/command.c, timeline/queue.c and timeline/worker.c. */
void cx_exit_guard_used(void);
void cx_exit_guard_wait_begin(void);
void cx_exit_guard_wait_end(void);

/* Called by a thread of ours before the program learns that something fails as the process is ending: waits
 * for that end, which nothing tells of, a second at most. Returns at once where the thread in exit() waits
 * for work, and so perhaps for the caller. No lock held. Called by timeline/worker_compile.c. */
void cx_exit_guard_await_end(void);

/* A helper process under way. When our process ends, the helper is killed with its process group, unless it
 * outlasts us. */
struct cx_subprocess {
    struct cx_subprocess *next;
    pid_t pid;        /* 0: not running (any more) */
    atomic_bool stop; /* to be killed as soon as it runs */
    atomic_bool
        outlasts; /* set before it starts: when our process ends, `wake` is written to and it is not killed */
    struct cx_own_file wake; /* a socket while it runs, where it outlasts us */
    bool unneeded;           /* it was stopped, but goes on, as it outlasts us */
    bool told_end;           /* that our process ends */
};
/* The calling thread has files of a helper to remove (more), or no longer: they are gone, or the helper's,
 * which outlasts us and runs. exit() waits for that, half a second at most. Called by subprocess.c,
 * knowledge/, plan/ and source/. */
void cx_exit_guard_files(bool more);
/* Registers a helper that was just started (enter), removes it before it is reaped or abandoned (leave),
 * kills it (stop). A helper that outlasts us is not killed, as the next program may use the result that it
 * writes to disk; only a few may go on at once. Called by subprocess.c and source/analysis.c. */
void cx_exit_guard_subprocess_enter(struct cx_subprocess *helper, pid_t pid);
void cx_exit_guard_subprocess_leave(struct cx_subprocess *helper);
void cx_exit_guard_subprocess_stop(struct cx_subprocess *helper);

#endif
