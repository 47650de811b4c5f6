/* SPDX-License-Identifier: MIT */
/*
 * The threads that a driver makes while it is asked for its devices, of which PoCL's CPU device has one for
 * each core: the parts that it is cut into by counts have as many each, in that order. So a part's threads
 * can be bound to the processors that share a cache or memory, as the part's own (COEXEC_FISSION).
 *
 * Threads that a driver makes later are not known, and keep running where the system likes. So do those of
 * the layer: they touch little memory, and may have something to do while their part's processors are all
 * busy. Previous stage: topology.h. Next: fission.h. Thread-safety: called once, from cx_machine_get.
 */
#ifndef CX_LAYER_DRIVER_DRIVER_THREADS_H
#define CX_LAYER_DRIVER_DRIVER_THREADS_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

struct cx_driver_threads {
    unsigned n;
    pid_t *id; /* in the order in which they were made */
};

/* The process' threads. The caller frees them; none where the system does not tell. Called by device.c. */
void cx_driver_threads_list(struct cx_driver_threads *threads);
/* Leaves those of `threads` that are not in `before`. Called by device.c. */
void cx_driver_threads_since(struct cx_driver_threads *threads, const struct cx_driver_threads *before);
/* Leaves none. Called by device.c. */
void cx_driver_threads_free(struct cx_driver_threads *threads);

/* Binds `count` of them from `first` on. False: some are not, as they have ended. Called by fission.c. */
bool cx_driver_threads_bind(const struct cx_driver_threads *threads, unsigned first, unsigned count,
                            const cpu_set_t *cpus);

#endif
