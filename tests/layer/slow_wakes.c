/* SPDX-License-Identifier: MIT */
/*
 * Threads that wait for a condition get the lock late, as on a machine with much else to do: whoever waits
 * for long finds out what others make of it meanwhile. SLOW_WAKES: microseconds, each time a random part of
 * them; none without. In a program that exports its symbols it stands in for the C library's functions.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

typedef int wait_function(pthread_cond_t *, pthread_mutex_t *);
typedef int timed_function(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

static unsigned most_us(void)
{
    static atomic_int known = -1;
    int most = atomic_load(&known);
    if (most < 0) {
        const char *value = getenv("SLOW_WAKES");
        most = value ? atoi(value) : 0;
        atomic_store(&known, most);
    }
    return (unsigned)most;
}

static void dawdle(pthread_mutex_t *mutex)
{
    static atomic_uint noise = 1;
    if (!most_us())
        return;
    const unsigned roll = atomic_fetch_add(&noise, 0x9e3779b9u) >> 8;
    pthread_mutex_unlock(mutex);
    usleep(roll % most_us());
    pthread_mutex_lock(mutex);
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    wait_function *next = (wait_function *)dlsym(RTLD_NEXT, "pthread_cond_wait");
    const int error = next(condition, mutex);
    dawdle(mutex);
    return error;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
    timed_function *next = (timed_function *)dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    const int error = next(condition, mutex, until);
    dawdle(mutex);
    return error;
}
