/* SPDX-License-Identifier: MIT */
/*
 * Background work: threads for it, a count of those that are inside a driver's compiler, a list of helper
 * processes, and what happens to all of them at exit().
 *
 * exit() runs handlers and destructors in reverse order of their registration, and ours must come before
 * those of the drivers' libraries, whose compilers our threads are inside of. Libraries register destructors
 * when they are loaded, and compilers also while they compile for the first time (objects made where they are
 * first used). Before any of them exit() runs the destructors of the calling thread's own objects: the
 * process's first thread, which ends most programs, gets one of ours (it runs there at no other time: where
 * that thread ends and others go on, the C library leaves them out). For the others, whose ends cannot be
 * told from the process's, the handler is registered before a thread of ours begins, whenever one enters, and
 * again and again during the first seconds that threads are inside.
 *
 * exit() may be called from a signal's handler, which may have interrupted one of the program's threads
 * anywhere, with our lock held: it does without the lock then.
 */
#include "layer/base/exit_guard.h"
#include "layer/base/deadline.h"
#include "layer/base/exit_park.h"
#include "layer/base/log.h"
#include "layer/base/callback_thread.h"
#include "layer/base/lock.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    EXIT_PATIENCE_S = 20,
    QUEUED_PATIENCE_S = 1, /* with launches that wait for others, which may take for ever */
    PLANNED_PATIENCE_MS = 150,
    LOCK_PATIENCE_MS = 50,
    END_PATIENCE_MS = 1000,
    FILES_PATIENCE_MS = 500,
    FAST_ROUNDS = 60, /* of a millisecond; then of ten */
    ROUNDS = 360,
    MOST_EXPECTED = 360, /* registrations ahead of threads that will enter */
    MOST_UNNEEDED = 2,
    MOST_IDLE = 2
};

static struct cx_lock lock = CX_LOCK_INIT(CX_RANK_EXIT_GUARD); /* nothing is called under it */
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER; /* work began */
static unsigned running CX_GUARDED_BY(lock);             /* threads inside */
static _Thread_local unsigned own;                       /* of them: this one, so often */
static unsigned queued CX_GUARDED_BY(lock);              /* launches that may compile once they begin */
static atomic_uint begun;       /* launches of which later pieces may be compiled; written under lock */
static atomic_uint planned;     /* those that have not begun; likewise */
static atomic_uint owed;        /* callbacks to the program */
static _Thread_local bool ours; /* the thread */
static struct cx_subprocess *helpers CX_GUARDED_BY(lock);
static unsigned unneeded CX_GUARDED_BY(lock); /* of them */
static unsigned filing CX_GUARDED_BY(lock);   /* threads that have files of a helper to remove */
static atomic_bool ending;
static atomic_bool closed;                  /* what has begun is not waited for any more */
static atomic_bool used;                    /* since then */
static atomic_uint waiting;                 /* threads of the program that wait for work */
static _Thread_local bool at_end;           /* the thread runs the handlers of the process' end */
static atomic_uint exit_waits;              /* waits for work of the thread that is */
static atomic_bool torn_down;               /* libraries of drivers are, or are about to be */
static bool keeping CX_GUARDED_BY(lock);    /* there is a thread that registers the handler again and again */
static unsigned rounds CX_GUARDED_BY(lock); /* it did so that often, and threads that entered */
static unsigned expected CX_GUARDED_BY(lock); /* registrations by those that will start one */

struct job {
    struct job *next;
    bool inside; /* its thread is, and was counted when the job was given */
    void (*task)(void *);
    void *data;
};

/* jobs that idle threads were chosen for, which have yet to take them */
static struct job *given CX_GUARDED_BY(lock);
static unsigned idle_threads CX_GUARDED_BY(lock); /* threads that wait for a job, but for those */
static bool prepared CX_GUARDED_BY(lock);         /* one was made ahead of its first job */
static pthread_cond_t job_given = PTHREAD_COND_INITIALIZER;

static void come_first(void);

/* atexit() is only called under our lock, which fork() takes, too: else a child could find the C library's
 * own lock taken by a thread that it does not have, and hang in its exit(). */
static void before_fork(void) CX_TAKES(lock)
{
    cx_lock(&lock);
}

static void after_fork(void) CX_RELEASES(lock)
{
    cx_unlock(&lock);
}

/* A child has the counts but not the threads. */
static void in_child(void) CX_RELEASES(lock)
{
    running = own = queued = 0;
    atomic_store(&begun, 0);
    atomic_store(&planned, 0);
    atomic_store(&waiting, 0);
    atomic_store(&exit_waits, 0);
    keeping = false;
    helpers = NULL;
    unneeded = filing = 0;
    idle_threads = 0;
    given = NULL;
    prepared = false;
    cx_unlock(&lock);
}

CX_LOCK_AT_FORK(CX_RANK_EXIT_GUARD) static void handle_forks(void)
{
    pthread_atfork(before_fork, after_fork, in_child);
    come_first();
}

static struct timespec
    until CX_GUARDED_BY(lock); /* the end of patience, once for all registrations of the handler */
static struct timespec queued_until CX_GUARDED_BY(lock);  /* with what is queued, since something moved */
static struct timespec planned_until CX_GUARDED_BY(lock); /* with what is planned and owed to nobody */
static bool given_up CX_GUARDED_BY(lock);                 /* that */
static uint64_t idle_times CX_GUARDED_BY(lock);           /* how often nothing was inside, or queued */

/* What happens to a helper at exit(). Once: the handler may run some hundred times, and a socket that nobody
 * reads from takes fewer bytes before it blocks. */
static void end_helper(struct cx_subprocess *helper) CX_HOLDS(lock)
{
    if (helper->told_end)
        return;
    helper->told_end = true;
    if (!helper->outlasts || !cx_own_file_is(&helper->wake) ||
        send(helper->wake.descriptor, "", 1, MSG_NOSIGNAL) != 1)
        kill(-helper->pid, SIGKILL);
}

/* Whether one that cleans up after itself, if our end is told to it, has ended without. */
static bool any_ended(void) CX_HOLDS(lock)
{
    bool ended = false;
    for (const struct cx_subprocess *helper = helpers; helper && !ended; helper = helper->next) {
        siginfo_t info = {0};
        ended = helper->outlasts &&
                waitid(P_PID, (id_t)helper->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid;
    }
    return ended;
}

/* Nobody would remove the files after us. */
static void await_files(void) CX_HOLDS(lock)
{
    const struct timespec end = cx_deadline_on(CLOCK_REALTIME, FILES_PATIENCE_MS);
    while ((filing || any_ended()) && cx_lock_wait_until(&idle, &lock, &end))
        ;
}

static bool lock_at_exit(void) CX_TAKES_IF(true, lock) CX_UNCHECKED
{
    const struct timespec most = cx_deadline_on(CLOCK_REALTIME, LOCK_PATIENCE_MS);
    return cx_lock_before(&lock, &most);
}

static void renew_patience(void) CX_HOLDS(lock)
{
    clock_gettime(CLOCK_REALTIME, &queued_until);
    queued_until.tv_sec += QUEUED_PATIENCE_S;
    if (queued_until.tv_sec > until.tv_sec)
        queued_until = until;
}

/* A build or a compilation is over, which a launch may have waited for. */
static void renew_planned(void) CX_HOLDS(lock)
{
    planned_until = cx_deadline_on(CLOCK_REALTIME, PLANNED_PATIENCE_MS);
    if (planned_until.tv_sec > until.tv_sec)
        planned_until = until;
}

/* Until something changes: whether there is something left to wait for. */
static bool wait_inside(void) CX_HOLDS(lock)
{
    const bool plans = !given_up && atomic_load(&planned), owes = atomic_load(&owed);
    if ((queued || atomic_load(&begun) || (plans && owes)) && cx_lock_wait_until(&idle, &lock, &queued_until))
        return true;
    if (plans && !owes && cx_lock_wait_until(&idle, &lock, &planned_until))
        return true;
    if (running > own)
        return cx_lock_wait_until(&idle, &lock, &until);
    given_up |= plans;
    return false;
}

static void at_exit(void)
{
    const bool first = !atomic_exchange(&ending, true);
    at_end = true;
    if (!lock_at_exit())
        return;
    if (first) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += EXIT_PATIENCE_S;
        renew_planned();
        renew_patience();
    }
    for (struct cx_subprocess *helper = helpers; helper; helper = helper->next)
        end_helper(helper);
    if (first)
        await_files();
    /* other threads of the program may go on giving work: one moment without any is enough. A callback of a
     * compiler may call exit(): nobody waits for the thread that it is in. */
    const uint64_t before = idle_times;
    while (idle_times == before && wait_inside())
        ;
    atomic_store(&closed, true);
    cx_unlock(&lock);
}

/* Of the C library, which C++ compilers call, too; weak, as not every one has it. */
extern int __cxa_thread_atexit_impl(void (*destroy)(void *object), void *object, void *library)
    __attribute__((weak));
extern void *__dso_handle;

static void at_exit_of_thread(void *unused)
{
    (void)unused;
    at_exit();
}

/* If the calling thread is the process's first one, its exit() begins with our handler. */
static void come_first(void)
{
    static _Thread_local bool done;
    if (done || !__cxa_thread_atexit_impl || gettid() != getpid())
        return;
    done = true;
    __cxa_thread_atexit_impl(at_exit_of_thread, NULL, &__dso_handle);
}

/* Makes our handler the next to be run, again and again while tasks run, as objects may be made at any time
 * and nothing tells of them. The thread stays: one that ends while the process does may be looked at (by
 * LeakSanitizer) when it is half gone. */
static void keep_first(void *unused)
{
    (void)unused;
    cx_lock(&lock);
    for (;;) {
        const struct timespec next = cx_deadline_on(CLOCK_REALTIME, rounds < FAST_ROUNDS ? 1 : 10);
        if (!running || rounds >= ROUNDS || atomic_load(&ending)) {
            cx_lock_wait(&wanted, &lock);
            continue;
        }
        while (!atomic_load(&ending) && cx_lock_wait_until(&idle, &lock, &next))
            continue;
        if (running && ++rounds < ROUNDS && !atomic_load(&ending))
            atexit(at_exit);
    }
}

/* The thread that keeps the handler first is to be started: there is none yet. lock held. */
static bool wants_keeper(void) CX_HOLDS(lock)
{
    const bool wants = !keeping && rounds < ROUNDS;
    keeping |= wants;
    return wants;
}

static void start_keeper(void)
{
    if (cx_callback_thread_detach(keep_first, NULL))
        return;
    cx_lock(&lock);
    keeping = false;
    cx_unlock(&lock);
}

/* A thread: runs the job, if any, then those that it is given; ends where enough others wait. */
static void serve(void *data)
{
    struct job *job = data;
    cx_exit_guard_is_ours();
    for (;;) {
        if (job) {
            own += job->inside;
            job->task(job->data);
            free(job);
        }
        cx_lock(&lock);
        const bool waits = idle_threads < MOST_IDLE;
        idle_threads += waits;
        while (waits && !given)
            cx_lock_wait(&job_given, &lock);
        job = waits ? given : NULL;
        given = job ? job->next : given;
        cx_unlock(&lock);
        if (!waits)
            return;
    }
}

/* To an idle thread, if there is one. */
static bool give(struct job *job)
{
    cx_lock(&lock);
    const bool can = idle_threads > 0;
    if (can) {
        idle_threads--;
        job->next = given;
        given = job;
        pthread_cond_signal(&job_given);
    }
    cx_unlock(&lock);
    return can;
}

void cx_exit_guard_expect(void)
{
    come_first();
    cx_lock(&lock);
    if (!atomic_load(&ending) && expected < MOST_EXPECTED) {
        expected++;
        atexit(at_exit);
    }
    cx_unlock(&lock);
}

void cx_exit_guard_call(void (*handler)(void))
{
    cx_lock(&lock);
    atexit(handler);
    cx_unlock(&lock);
}

static void note_end(void)
{
    atomic_store(&torn_down, true);
}

void cx_exit_guard_loaded(void)
{
    cx_exit_guard_call(note_end);
}

/* Whether a handler of the program's waits for work, and exit() comes no nearer to the compilers meanwhile.
 */
static bool handler_waits(void)
{
    return atomic_load(&exit_waits) && !atomic_load(&torn_down);
}

/* Whether exit() waits for launches to go on. */
static bool goes_on(void)
{
    return (atomic_load(&begun) || atomic_load(&planned)) && !atomic_load(&closed);
}

/* One more is inside: of the calling thread, or of one that is to be given work. */
static bool enter(bool by_own, bool keeps, bool launches)
{
    cx_lock(&lock);
    const bool ok = !atomic_load(&ending) || (launches && (!atomic_load(&closed) || handler_waits()));
    if (ok && rounds < ROUNDS) { /* else the keeper does */
        rounds++;
        atexit(at_exit);
    }
    const bool keep = ok && keeps && wants_keeper();
    running += ok;
    own += ok && by_own;
    if (rounds < ROUNDS)
        pthread_cond_signal(&wanted);
    cx_unlock(&lock);
    if (keep)
        start_keeper();
    return ok;
}

bool cx_exit_guard_enter(void)
{
    return enter(true, true, false);
}

bool cx_exit_guard_enter_launch(bool keeps)
{
    return enter(true, keeps, true);
}

bool cx_exit_guard_ours(void)
{
    return ours;
}

/* Fewer are inside, or queued, or one goes on. lock held. */
static void changed(void) CX_HOLDS(lock)
{
    if (running == 0 && queued == 0 && atomic_load(&begun) == 0 && (given_up || atomic_load(&planned) == 0))
        idle_times++;
    if (atomic_load(&ending))
        renew_patience();
    if (running == 0 || atomic_load(&ending))
        pthread_cond_broadcast(&idle);
}

/* lock held. */
static void end_one(void) CX_HOLDS(lock)
{
    running--;
    if (atomic_load(&ending))
        renew_planned();
}

static void leave(bool by_own)
{
    cx_lock(&lock);
    own -= by_own;
    end_one();
    changed();
    cx_unlock(&lock);
}

void cx_exit_guard_leave(void)
{
    leave(true);
}

void cx_exit_guard_compiling(enum cx_compiling *now, enum cx_compiling to)
{
    cx_lock(&lock);
    if (to > *now) {
        own -= *now == CX_COMPILING_CALL;
        queued += to == CX_COMPILING_QUEUED;
        queued -= *now == CX_COMPILING_QUEUED && queued > 0; /* a child that was forked has none */
        running += to == CX_COMPILING_BEGUN;
        if ((*now == CX_COMPILING_CALL || *now == CX_COMPILING_BEGUN) && running > 0)
            end_one();
        *now = to;
        changed();
    }
    cx_unlock(&lock);
}

/* lock held. */
static atomic_uint *counter(enum cx_uncompiled state)
{
    return state == CX_UNCOMPILED_BEGUN ? &begun : state == CX_UNCOMPILED_PLANNED ? &planned : NULL;
}

bool cx_exit_guard_uncompiled(enum cx_uncompiled *now, enum cx_uncompiled to)
{
    cx_lock(&lock);
    const bool ok = !atomic_load(&ending) || (*now != CX_UNCOMPILED_NONE && !atomic_load(&closed));
    const enum cx_uncompiled next = ok ? to : CX_UNCOMPILED_NONE;
    if (next == CX_UNCOMPILED_NONE || next > *now) {
        atomic_uint *less = counter(*now), *more = counter(next);
        if (more)
            atomic_fetch_add(more, 1);
        if (less && atomic_load(less)) /* a child that was forked has none */
            atomic_fetch_sub(less, 1);
        *now = next;
        if (less)
            changed();
    }
    cx_unlock(&lock);
    return ok;
}

bool cx_exit_guard_closed(void)
{
    return atomic_load(&closed);
}

/* Something that cx_exit_guard_parks, or who calls it, reads has changed. The change comes before this load
 * in the total order of both, so a thread that parked without seeing it is woken. */
static void unpark(void)
{
    if (atomic_load(&ending))
        cx_exit_unpark();
}

void cx_exit_guard_owes(bool more)
{
    atomic_fetch_add(&owed, more ? 1u : -1u);
    if (more)
        unpark();
}

void cx_exit_guard_is_ours(void)
{
    ours = true;
    cx_lock(&lock);
    if (rounds == 0 && expected == 0 && !atomic_load(&ending)) {
        rounds++;
        atexit(at_exit);
    }
    cx_unlock(&lock);
}

static bool run(void (*task)(void *data), void *data, bool inside)
{
    struct job *job = malloc(sizeof(*job));
    if (!job)
        return false;
    *job = (struct job){.inside = inside, .task = task, .data = data};
    if (inside ? enter(false, true, false) : !atomic_load(&ending)) {
        if (give(job) || cx_callback_thread_detach(serve, job))
            return true;
        if (inside)
            leave(false);
    }
    free(job);
    return false;
}

bool cx_exit_guard_run(void (*task)(void *data), void *data)
{
    cx_exit_guard_expect();
    return run(task, data, false);
}

bool cx_exit_guard_run_inside(void (*task)(void *data), void *data)
{
    return run(task, data, true);
}

void cx_exit_guard_prepare(void)
{
    cx_lock(&lock);
    const bool serves = !idle_threads && !prepared;
    prepared = true;
    cx_unlock(&lock);
    if (serves)
        cx_callback_thread_detach(serve, NULL);
}

bool cx_exit_guard_ending(void)
{
    return atomic_load(&ending);
}

bool cx_exit_guard_parks(void)
{
    return atomic_load(&ending) && !atomic_load(&used) && !atomic_load(&waiting) && !goes_on();
}

void cx_exit_guard_used(void)
{
    if (atomic_load_explicit(&ending, memory_order_relaxed) && !ours && !atomic_exchange(&used, true))
        unpark();
}

static void wait_at_end(bool begins)
{
    if (at_end)
        atomic_fetch_add(&exit_waits, begins ? 1u : -1u);
    if (begins)
        cx_exit_unpark();
}

void cx_exit_guard_wait_begin(void)
{
    atomic_fetch_add(&waiting, 1);
    if (atomic_load(&ending))
        wait_at_end(true);
}

void cx_exit_guard_wait_end(void)
{
    atomic_fetch_sub_explicit(&waiting, 1, memory_order_relaxed);
    if (atomic_load_explicit(&ending, memory_order_relaxed))
        wait_at_end(false);
}

static bool exit_goes_on(const void *unused)
{
    (void)unused;
    return !atomic_load(&exit_waits);
}

void cx_exit_guard_await_end(void)
{
    cx_exit_park(exit_goes_on, NULL, END_PATIENCE_MS);
}

static void kill_helper(struct cx_subprocess *helper)
{
    helper->outlasts = false;
    kill(-helper->pid, SIGKILL);
}

/* Whether one that is stopped goes on all the same. */
static bool outlasts(struct cx_subprocess *helper) CX_HOLDS(lock)
{
    if (!helper->outlasts || (!helper->unneeded && unneeded == MOST_UNNEEDED))
        return false;
    unneeded += !helper->unneeded;
    helper->unneeded = true;
    return true;
}

void cx_exit_guard_files(bool more)
{
    cx_lock(&lock);
    filing += more ? 1u : filing ? -1u : 0; /* a child that was forked has none */
    if (atomic_load(&ending))
        pthread_cond_broadcast(&idle);
    cx_unlock(&lock);
}

void cx_exit_guard_subprocess_enter(struct cx_subprocess *helper, pid_t pid)
{
    cx_exit_guard_is_ours();
    cx_lock(&lock);
    helper->pid = pid;
    helper->told_end = false;
    helper->next = helpers;
    helpers = helper;
    if (helper->stop && !outlasts(helper))
        kill_helper(helper);
    else if (atomic_load(&ending))
        end_helper(helper);
    cx_unlock(&lock);
}

void cx_exit_guard_subprocess_leave(struct cx_subprocess *helper)
{
    cx_lock(&lock);
    struct cx_subprocess **link = &helpers;
    while (*link && *link != helper)
        link = &(*link)->next;
    if (*link)
        *link = helper->next;
    unneeded -= helper->unneeded;
    helper->unneeded = false;
    helper->pid = 0;
    cx_unlock(&lock);
}

void cx_exit_guard_subprocess_stop(struct cx_subprocess *helper)
{
    cx_lock(&lock);
    helper->stop = true;
    if (helper->pid > 0 && !outlasts(helper))
        kill_helper(helper);
    cx_unlock(&lock);
}
