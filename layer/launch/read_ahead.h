/* SPDX-License-Identifier: MIT */
/*
 * Read-ahead for pending reads (pending_reads.h): write-back (write_back.h) delivers some of their bytes
 * before the read is planned, and the read then skips these. Thread-safety: `delivered` is guarded by
 * context->lock until the read is planned.
 */
#ifndef CX_LAYER_LAUNCH_READ_AHEAD_H
#define CX_LAYER_LAUNCH_READ_AHEAD_H

#include "layer/plan/pending_reads.h"

/* Adds a range that write-back delivers. False: no memory. Called by write_back.c. */
bool cx_read_ahead_deliver(struct cx_pending_read *pending_read, uint64_t lo, uint64_t hi);
/* The ranges that are left for the read itself, in order; the caller frees them. NULL: no memory. Called
 * by api/enqueue_transfer.c. */
struct cx_byte_range *cx_read_ahead_left(struct cx_pending_read *pending_read, size_t *count);

#endif
