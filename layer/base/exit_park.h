/* SPDX-License-Identifier: MIT */
/*
 * Where threads of ours stop once the process is ending, so that they begin nothing more while it is torn
 * down. They go on if the program turns out to need them after all. Previous: exit_guard.h. Thread-safe.
 */
#ifndef CX_LAYER_BASE_EXIT_PARK_H
#define CX_LAYER_BASE_EXIT_PARK_H

#include <stdbool.h>

/* Returns once stays(data) is false, or, unless `ms` is 0, that many milliseconds later; perhaps never, as
 * the process ends. It is asked at once and after each cx_exit_unpark, under a lock, and only reads atomic
 * variables. The caller holds no lock. Called by exit_guard.c and timeline/worker.c. */
void cx_exit_park(bool (*stays)(const void *data), const void *data, unsigned ms);
/* What such a function reads has changed: parked threads ask it again. The caller may hold any lock. Called
 * by exit_guard.c. */
void cx_exit_unpark(void);

#endif
