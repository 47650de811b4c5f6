/* SPDX-License-Identifier: MIT */
/*
 * The host's clock. Thread-safe.
 */
#ifndef CX_LAYER_BASE_CLOCK_H
#define CX_LAYER_BASE_CLOCK_H

#include <stdint.h>

/* Nanoseconds of CLOCK_MONOTONIC. Used by every room that measures times. */
uint64_t cx_clock_ns(void);
/* A length in nanoseconds; 0 where it is not known, as negative numbers say. Called by launch/. */
static inline uint64_t cx_clock_length(double seconds)
{
    return seconds > 0 ? (uint64_t)(int64_t)(seconds * 1e9) : 0;
}

#endif
