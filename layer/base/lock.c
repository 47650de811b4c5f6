/* SPDX-License-Identifier: MIT */
/*
 * Checks of the order of locks. See lock.h; builds without checks have nothing of this.
 */
#include "layer/base/lock.h"

#ifdef CX_LOCK_CHECKS

#include "layer/base/log.h"
#include "layer/base/options.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_HELD = 16 };

static const char *const names[CX_RANK_COUNT] = {
    [CX_RANK_NONE] = "none",
    [CX_RANK_COMMAND_BUFFER] = "command buffer",
    [CX_RANK_OPENING] = "opening",
    [CX_RANK_PROBE] = "probe",
    [CX_RANK_UNITS] = "units",
    [CX_RANK_CONTEXT] = "context",
    [CX_RANK_WORKER] = "worker",
    [CX_RANK_PROGRAM] = "program",
    [CX_RANK_FUNCTION] = "function",
    [CX_RANK_KERNEL] = "kernel",
    [CX_RANK_IL] = "il",
    [CX_RANK_ANALYSIS] = "analysis",
    [CX_RANK_INQUIRY] = "inquiry",
    [CX_RANK_MACROS] = "macros",
    [CX_RANK_KERNEL_TABLE] = "kernel table",
    [CX_RANK_LIVE] = "live counters",
    [CX_RANK_POWER] = "power",
    [CX_RANK_SUBBUFFER_ORDER] = "subbuffer order",
    [CX_RANK_PINNED_POOL] = "pinned pool",
    [CX_RANK_CUDA] = "cuda",
    [CX_RANK_CUDA_ASKING] = "cuda asking",
    [CX_RANK_RECORDING] = "recording",
    [CX_RANK_TRACE_FILE] = "trace file",
    [CX_RANK_ACCOUNT] = "account",
    [CX_RANK_HANDLE_SET] = "handle set",
    [CX_RANK_SUB_DEVICES] = "sub-devices",
    [CX_RANK_SERIALIZE] = "serialize",
    [CX_RANK_COPY_CHUNKS] = "copy chunks",
    [CX_RANK_COPY_THREADS] = "copy threads",
    [CX_RANK_FREELIST] = "freelist",
    [CX_RANK_CALLBACK_THREAD] = "callback thread",
    [CX_RANK_TASK_QUEUE] = "later",
    [CX_RANK_EXIT_GUARD] = "exit guard",
    [CX_RANK_EXIT_PARK] = "exit park",
};

/* What this thread holds, in the order in which it took it. */
static _Thread_local struct {
    const struct cx_lock *lock[MOST_HELD];
    unsigned n;
} held;

/* Whether this was told of the two before; it is from now on. */
static bool is_known(atomic_uint_fast64_t *known, enum cx_lock_rank rank)
{
    const uint64_t bit = UINT64_C(1) << rank;
    return atomic_fetch_or(known, bit) & bit;
}

/* The pair is found together for the first time. A test ends: its log may be gone with it. */
#define TELL(...)                                                                                            \
    do {                                                                                                     \
        cx_error(CX_TOPIC_WORKER, "order of locks: " __VA_ARGS__);                                           \
        if (cx_options_lock_abort()) {                                                                       \
            dprintf(STDERR_FILENO, "order of locks: " __VA_ARGS__);                                          \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

static void check_order(const struct cx_lock *lock)
{
    static atomic_uint_fast64_t known[CX_RANK_COUNT];
    if (lock->rank == CX_RANK_NONE && !is_known(&known[CX_RANK_NONE], CX_RANK_NONE))
        TELL("a lock has no rank");
    for (unsigned i = 0; i < held.n; i++) {
        const enum cx_lock_rank other = held.lock[i]->rank;
        if (lock->recursive && held.lock[i] == lock)
            return;
        if (other >= lock->rank && !is_known(&known[other], lock->rank))
            TELL("\"%s\" is taken while \"%s\" is held", names[lock->rank], names[other]);
    }
}

/* program_unit.c waits for binaries that others make: they take nothing before a program's lock for that. */
static bool may_wait(enum cx_lock_rank rank, enum cx_lock_rank other)
{
    return rank == CX_RANK_PROGRAM && other == CX_RANK_UNITS;
}

static void check_wait(const struct cx_lock *lock)
{
    static atomic_uint_fast64_t known[CX_RANK_COUNT];
    for (unsigned i = 0; i < held.n; i++) {
        const enum cx_lock_rank other = held.lock[i]->rank;
        if (held.lock[i] != lock && !may_wait(lock->rank, other) && !is_known(&known[other], lock->rank))
            TELL("a wait with \"%s\" while \"%s\" is held", names[lock->rank], names[other]);
    }
}

static void add(const struct cx_lock *lock)
{
    if (held.n < MOST_HELD)
        held.lock[held.n++] = lock;
}

static void remove_held(const struct cx_lock *lock)
{
    unsigned i = held.n;
    while (i > 0 && held.lock[i - 1] != lock)
        i--;
    for (; i > 0 && i < held.n; i++)
        held.lock[i - 1] = held.lock[i];
    held.n -= i > 0;
}

void cx_lock_init(struct cx_lock *lock, enum cx_lock_rank rank)
{
    pthread_mutex_init(&lock->mutex, NULL);
    lock->rank = rank;
    lock->recursive = false;
}

void cx_lock_init_recursive(struct cx_lock *lock, enum cx_lock_rank rank)
{
    cx_lock_init_kind(lock, PTHREAD_MUTEX_RECURSIVE);
    lock->rank = rank;
    lock->recursive = true;
}

void cx_lock(struct cx_lock *lock) CX_UNCHECKED
{
    check_order(lock);
    pthread_mutex_lock(&lock->mutex);
    add(lock);
}

bool cx_lock_try(struct cx_lock *lock) CX_UNCHECKED
{
    check_order(lock);
    if (pthread_mutex_trylock(&lock->mutex) != 0)
        return false;
    add(lock);
    return true;
}

void cx_unlock(struct cx_lock *lock) CX_UNCHECKED
{
    remove_held(lock);
    pthread_mutex_unlock(&lock->mutex);
}

bool cx_lock_before(struct cx_lock *lock, const struct timespec *end) CX_UNCHECKED
{
    const bool ok = pthread_mutex_timedlock(&lock->mutex, end) == 0;
    if (ok)
        add(lock);
    return ok;
}

void cx_lock_wait(pthread_cond_t *condition, struct cx_lock *lock)
{
    check_wait(lock);
    pthread_cond_wait(condition, &lock->mutex);
}

bool cx_lock_wait_until(pthread_cond_t *condition, struct cx_lock *lock, const struct timespec *end)
{
    check_wait(lock);
    return pthread_cond_timedwait(condition, &lock->mutex, end) == 0;
}

void cx_lock_none_held(const char *what)
{
    static atomic_uint_fast64_t known;
    for (unsigned i = 0; i < held.n; i++)
        if (!is_known(&known, held.lock[i]->rank))
            TELL("\"%s\" is held across a callback of the program (%s)", names[held.lock[i]->rank], what);
}

#endif
