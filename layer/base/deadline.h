/* SPDX-License-Identifier: MIT */
/*
 * The end time of a wait, for a condition (pthread_cond_timedwait) or a lock.
 */
#ifndef CX_LAYER_BASE_DEADLINE_H
#define CX_LAYER_BASE_DEADLINE_H

#include <time.h>

/* The time `ms` milliseconds from now on that clock. Any thread. Called by exit_guard.c and exit_park.c.
 */
static inline struct timespec cx_deadline_on(clockid_t clock, unsigned ms)
{
    struct timespec until;
    clock_gettime(clock, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    return until;
}

/* The same on the monotonic clock. Called by base/, program/, source/ and timeline/. */
static inline struct timespec cx_deadline(unsigned ms)
{
    return cx_deadline_on(CLOCK_MONOTONIC, ms);
}

#endif
