/* SPDX-License-Identifier: MIT */
/*
 * The host's clock. Thread-safe.
 */
#ifndef CX_LAYER_BASE_CLOCK_H
#define CX_LAYER_BASE_CLOCK_H

#include <stdint.h>

/* Nanoseconds of CLOCK_MONOTONIC. Used by every room that measures times. */
uint64_t cx_clock_ns(void);

#endif
