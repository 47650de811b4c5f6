/* SPDX-License-Identifier: MIT */
/*
 * Mutexes with a rank. A thread takes locks in the order of enum cx_lock_rank, so that no two threads can
 * wait for each other's lock.
 *
 * A build with -Dlock-checks=enabled (the default with sanitizers, and in tools/check) keeps a list of the
 * locks that each thread holds. Once for each pair it logs, as an error with both names, a lock that is taken
 * while one of the same or a later rank is held, and a wait for a condition with another lock held (but where
 * lock.c says why); likewise a lock held across a callback of the program. With LOCK_ABORT=1 in the
 * environment, as in our tests, such a build then ends the process. In all other builds a lock is a bare
 * mutex. Thread-safe.
 */
#ifndef CX_LAYER_BASE_LOCK_H
#define CX_LAYER_BASE_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

/* Outermost first: with one held, only those further down may be taken. */
enum cx_lock_rank {
    CX_RANK_NONE,            /* never initialised */
    CX_RANK_COMMAND_BUFFER,  /* command_buffer.h: the commands of one and their enqueues */
    CX_RANK_OPENING,         /* worker.h: one thread opens a member at a time */
    CX_RANK_PROBE,           /* probe.c: what probing found out about all devices */
    CX_RANK_UNITS,           /* program.h: the parts of a program that are built apart */
    CX_RANK_CONTEXT,         /* context.h: coherence maps, command states and queues */
    CX_RANK_WORKER,          /* worker.h: the jobs of a timeline */
    CX_RANK_PROGRAM,         /* program.h: builds and variants */
    CX_RANK_FUNCTION,        /* kernel.h: what is known of a kernel function */
    CX_RANK_KERNEL,          /* kernel.h: the arguments of a kernel object */
    CX_RANK_IL,              /* program_il.c: specialization constants */
    CX_RANK_ANALYSIS,        /* analysis.c: the result of an analysis, and who waits for it */
    CX_RANK_INQUIRY,         /* compiler_macros.c: one question to a driver's compiler */
    CX_RANK_MACROS,          /* compiler_macros.c: all answers so far */
    CX_RANK_KERNEL_TABLE,    /* kernel_table.c: the summary's rows */
    CX_RANK_LIVE,            /* live.c: names of devices and kernels */
    CX_RANK_POWER,           /* power/sampler.c: windows, and when devices computed */
    CX_RANK_SUBBUFFER_ORDER, /* subbuffer_order.c: its table */
    CX_RANK_PINNED_POOL,     /* pinned_pool.c: pages of all pools */
    CX_RANK_CUDA,            /* cuda.c: the library, once opened */
    CX_RANK_CUDA_ASKING,     /* cuda.c: who waits for the library */
    CX_RANK_RECORDING,       /* recording.c: the file and what it holds */
    CX_RANK_TRACE_FILE,      /* trace.c: the file and the order of its lines */
    CX_RANK_ACCOUNT,         /* account.c: all accounts */
    CX_RANK_KNOWLEDGE,       /* knowledge.c: what this process knows */
    CX_RANK_HANDLE_SET,      /* handle_set.c: changes of the set of handles */
    CX_RANK_SUB_DEVICES,     /* sub_devices.c: parts of devices that are kept */
    CX_RANK_SERIALIZE,       /* serialize.c: calls of a driver that takes one at a time */
    CX_RANK_COPY_CHUNKS,     /* copy_chunks.h: chunks that several threads copy */
    CX_RANK_COPY_THREADS,    /* copy_threads.c: the threads' tasks */
    CX_RANK_FREELIST,        /* freelist.h: one list */
    CX_RANK_CALLBACK_THREAD, /* callback_thread.c: the thread's tasks */
    CX_RANK_TASK_QUEUE,      /* task_queue.c: queues of background tasks */
    CX_RANK_EXIT_GUARD,      /* exit_guard.c: what the end of the process waits for */
    CX_RANK_EXIT_PARK,       /* exit_park.c: threads that begin nothing more */
    CX_RANK_COUNT
};

/* For clang's -Wthread-safety (tools/lock_check). A function that CX_HOLDS a lock is called with it held. */
#ifdef __clang__
#define CX_LOCK_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define CX_LOCK_ATTRIBUTE(attribute)
#endif
#define CX_GUARDED_BY(lock)      CX_LOCK_ATTRIBUTE(guarded_by(lock))
#define CX_HOLDS(lock)           CX_LOCK_ATTRIBUTE(requires_capability(lock))
#define CX_TAKES(lock)           CX_LOCK_ATTRIBUTE(acquire_capability(lock))
#define CX_TAKES_IF(value, lock) CX_LOCK_ATTRIBUTE(try_acquire_capability(value, lock))
#define CX_RELEASES(lock)        CX_LOCK_ATTRIBUTE(release_capability(lock))
/* It reaches a lock by other paths than its callers, which clang cannot tell to be the same one. */
#define CX_UNCHECKED CX_LOCK_ATTRIBUTE(no_thread_safety_analysis)

/* In C a field cannot name a lock beside it in its struct (clang 16). So what guards fields may be any lock
 * of a kind, declared but never defined: struct cx_timeline has an example. */
struct CX_LOCK_ATTRIBUTE(capability("lock")) cx_lock_kind;

struct CX_LOCK_ATTRIBUTE(capability("lock")) cx_lock {
    pthread_mutex_t mutex;
#ifdef CX_LOCK_CHECKS
    enum cx_lock_rank rank;
    bool recursive;
#endif
};

/* For constructors that have fork() take a lock (pthread_atfork): it takes those in the order of ranks, too,
 * as handlers registered last take theirs first. */
#define CX_LOCK_AT_FORK(rank) __attribute__((constructor(1000 - (rank))))

static inline void cx_lock_init_kind(struct cx_lock *lock, int kind)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kind);
    pthread_mutex_init(&lock->mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

#ifdef CX_LOCK_CHECKS

#define CX_LOCK_INIT(lock_rank)                                                                              \
    {                                                                                                        \
        .mutex = PTHREAD_MUTEX_INITIALIZER, .rank = (lock_rank)                                              \
    }
void cx_lock_init(struct cx_lock *lock, enum cx_lock_rank rank);
void cx_lock_init_recursive(struct cx_lock *lock, enum cx_lock_rank rank);
void cx_lock(struct cx_lock *lock) CX_TAKES(*lock);
bool cx_lock_try(struct cx_lock *lock) CX_TAKES_IF(true, *lock);
void cx_unlock(struct cx_lock *lock) CX_RELEASES(*lock);
bool cx_lock_before(struct cx_lock *lock, const struct timespec *end) CX_TAKES_IF(true, *lock);
void cx_lock_wait(pthread_cond_t *condition, struct cx_lock *lock) CX_HOLDS(*lock);
bool cx_lock_wait_until(pthread_cond_t *condition, struct cx_lock *lock, const struct timespec *end)
    CX_HOLDS(*lock);
void cx_lock_none_held(const char *what);

#else

#define CX_LOCK_INIT(lock_rank)                                                                              \
    {                                                                                                        \
        .mutex = PTHREAD_MUTEX_INITIALIZER                                                                   \
    }

static inline void cx_lock_init(struct cx_lock *lock, enum cx_lock_rank rank)
{
    (void)rank;
    pthread_mutex_init(&lock->mutex, NULL);
}

/* Initialises a lock that the thread which holds it may take again. Called by driver/serialize.c. */
static inline void cx_lock_init_recursive(struct cx_lock *lock, enum cx_lock_rank rank)
{
    (void)rank;
    cx_lock_init_kind(lock, PTHREAD_MUTEX_RECURSIVE);
}

static inline void cx_lock(struct cx_lock *lock) CX_TAKES(*lock) CX_UNCHECKED
{
    pthread_mutex_lock(&lock->mutex);
}

/* Takes the lock if nobody has it; returns whether it did. Called by timeline/context.h. */
static inline bool cx_lock_try(struct cx_lock *lock) CX_TAKES_IF(true, *lock) CX_UNCHECKED
{
    return pthread_mutex_trylock(&lock->mutex) == 0;
}

static inline void cx_unlock(struct cx_lock *lock) CX_RELEASES(*lock) CX_UNCHECKED
{
    pthread_mutex_unlock(&lock->mutex);
}

/* Takes the lock, waiting until `end` (CLOCK_REALTIME) at most; returns whether it did. Ranks are not
 * checked, as the wait ends. Called by exit_guard.c. */
static inline bool cx_lock_before(struct cx_lock *lock, const struct timespec *end)
    CX_TAKES_IF(true, *lock) CX_UNCHECKED
{
    return pthread_mutex_timedlock(&lock->mutex, end) == 0;
}

/* Waits for the condition. The lock is held, and released during the wait. Called by base/, memory/, program/
 * and timeline/. */
static inline void cx_lock_wait(pthread_cond_t *condition, struct cx_lock *lock) CX_HOLDS(*lock)
{
    pthread_cond_wait(condition, &lock->mutex);
}

/* Like cx_lock_wait, until `end` by the condition's clock at most. False: that time has come. Called by
 * base/, memory/, program/, source/ and timeline/. */
static inline bool cx_lock_wait_until(pthread_cond_t *condition, struct cx_lock *lock,
                                      const struct timespec *end) CX_HOLDS(*lock)
{
    return pthread_cond_timedwait(condition, &lock->mutex, end) == 0;
}

/* Checks that the thread holds no lock, before a callback of the program (named by `what`) is called. Called
 * by api/, memory/, program/ and timeline/. */
static inline void cx_lock_none_held(const char *what)
{
    (void)what;
}

#endif

static inline void cx_lock_finish(struct cx_lock *lock)
{
    pthread_mutex_destroy(&lock->mutex);
}

#endif
