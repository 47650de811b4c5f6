/* SPDX-License-Identifier: MIT */
/*
 * Pinned host copies: our own host memory, registered with a driver so that it moves at the link's full
 * speed.
 *
 * A CL_MEM_USE_HOST_PTR buffer over the host copy, mapped once and kept so, pins it for every device of that
 * driver (measured on NVIDIA; docs/benchmarks.md). That costs time, so a host copy is pinned when as much has
 * moved as it is long, and not below a size where it cannot pay. The program's own memory (USE_HOST_PTR) is
 * never kept pinned. Thread-safety: cx_pin_moved from any worker, without locks. Previous stage: move.c.
 */
#ifndef CX_LAYER_PIN_H
#define CX_LAYER_PIN_H

#include "layer/real.h"
#include <stdatomic.h>

struct cx_mem;
struct cx_worker;

struct cx_pin {
    atomic_uint_fast64_t moved; /* bytes moved between the host copy and members so far */
    atomic_bool taken;          /* somebody pins, has pinned or failed to */
    const struct cx_real_device *device;
    cl_mem registered;
    cl_command_queue queue; /* for the mapping alone, so that it waits for nothing */
    void *mapped;
    uint64_t bytes;
};

/* Counts a transfer of the root's host copy by this worker, and pins the host copy when it is time. */
void cx_pin_moved(struct cx_mem *root, struct cx_worker *worker, uint64_t bytes);
/* Undoes it before the host copy is freed. */
void cx_pin_finish(struct cx_pin *pin);

#endif
