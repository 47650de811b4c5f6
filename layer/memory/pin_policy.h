/* SPDX-License-Identifier: MIT */
/*
 * Decides when a host copy is pinned: once twice its length has been transferred, and only from a size on at
 * which pinning, which takes time, can pay. Pages that the pool gives pinned are used as they are. The
 * program's own memory (USE_HOST_PTR) is never pinned for long. Thread-safety: from any worker, without
 * locks. Previous stage: transfer.c. Next: pinned_pool.h.
 */
#ifndef CX_LAYER_MEMORY_PIN_POLICY_H
#define CX_LAYER_MEMORY_PIN_POLICY_H

#include <stdatomic.h>
#include <stdint.h>

struct cx_mem;
struct cx_worker;

struct cx_pin {
    atomic_uint_fast64_t moved; /* bytes moved between the host copy and members so far */
    atomic_uint_fast64_t wait;  /* the bound was reached: no other try until this much has been transferred */
    atomic_bool taken;          /* a thread pins it, has pinned it, or it cannot be pinned */
};

/* Counts a transfer of the root's host copy by this worker, and pins the host copy if it is time. Called
 * by transfer.c. */
void cx_pin_moved(struct cx_mem *root, struct cx_worker *worker, uint64_t bytes);

#endif
