/* SPDX-License-Identifier: MIT */
/*
 * When a host copy is pinned: not before twice as much has moved as it is long, and not below a size where it
 * cannot pay, since pinning takes time. Pages that come pinned from the pool are used as they are. The
 * program's own memory (USE_HOST_PTR) is never kept pinned. Thread-safety: from any worker, without locks.
 * Previous stage: transfer.c. Next: pinned_pool.h.
 */
#ifndef CX_LAYER_MEMORY_PIN_POLICY_H
#define CX_LAYER_MEMORY_PIN_POLICY_H

#include <stdatomic.h>
#include <stdint.h>

struct cx_mem;
struct cx_worker;

struct cx_pin {
    atomic_uint_fast64_t moved; /* bytes moved between the host copy and members so far */
    atomic_uint_fast64_t wait;  /* the bound was reached: no other try before so much has moved */
    atomic_bool taken;          /* somebody pins, has pinned or cannot */
};

/* Counts a transfer of the root's host copy by this worker, and pins the host copy when it is time. */
void cx_pin_moved(struct cx_mem *root, struct cx_worker *worker, uint64_t bytes);

#endif
