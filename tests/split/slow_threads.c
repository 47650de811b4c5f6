/* SPDX-License-Identifier: MIT */
/*
 * Threads that are slow where it hurts, as on a machine with much else to do; what must hold does not depend
 * on who is first. SLOW_WAKES: whoever waited for a condition gets the lock late, by a random part of so many
 * microseconds, and finds out what others made of it meanwhile. SLOW_LOCKS: every so often a thread stops
 * before it takes a lock. Neither without the variable. In a program that exports its symbols these stand in
 * for the C library's functions.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define STANDS_IN __attribute__((visibility("default")))

enum { EVERY = 32 };

typedef int wait_function(pthread_cond_t *, pthread_mutex_t *);
typedef int timed_function(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
typedef int lock_function(pthread_mutex_t *);

static wait_function *next_wait;
static timed_function *next_timed;
static lock_function *next_lock;
static unsigned wakes_us, locks_us;

static unsigned from_environment(const char *name)
{
    const char *value = getenv(name);
    return value ? (unsigned)atoi(value) : 0;
}

__attribute__((constructor)) static void find_next(void)
{
    next_wait = (wait_function *)dlsym(RTLD_NEXT, "pthread_cond_wait");
    next_timed = (timed_function *)dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    next_lock = (lock_function *)dlsym(RTLD_NEXT, "pthread_mutex_lock");
    wakes_us = from_environment("SLOW_WAKES");
    locks_us = from_environment("SLOW_LOCKS");
}

static unsigned roll(void)
{
    static atomic_uint noise = 1;
    unsigned mixed = atomic_fetch_add(&noise, 0x9e3779b9u);
    mixed = (mixed ^ mixed >> 15) * 0x85ebca6bu;
    return mixed ^ mixed >> 13;
}

static void dawdle(pthread_mutex_t *mutex)
{
    if (!wakes_us)
        return;
    pthread_mutex_unlock(mutex);
    usleep(roll() % wakes_us);
    next_lock(mutex);
}

STANDS_IN int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    if (!next_wait)
        find_next();
    const int error = next_wait(condition, mutex);
    dawdle(mutex);
    return error;
}

STANDS_IN int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                     const struct timespec *until)
{
    if (!next_timed)
        find_next();
    const int error = next_timed(condition, mutex, until);
    dawdle(mutex);
    return error;
}

STANDS_IN int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (!next_lock)
        find_next();
    if (locks_us && roll() % EVERY == 0)
        usleep(roll() % locks_us);
    return next_lock(mutex);
}
