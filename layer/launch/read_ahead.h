/* SPDX-License-Identifier: MIT */
/*
 * Reads that others serve (pending_reads.h): write_back.h brings some of their bytes before they are planned,
 * and they leave these out. Thread-safety: `served` under context->lock, until the read is planned.
 */
#ifndef CX_LAYER_LAUNCH_READ_AHEAD_H
#define CX_LAYER_LAUNCH_READ_AHEAD_H

#include "layer/plan/pending_reads.h"

/* Adds a run to those that somebody else brings. False: no memory. */
bool cx_read_ahead_deliver(struct cx_pending_read *pending_read, uint64_t lo, uint64_t hi);
/* What is left of it, in order; the caller frees. NULL: no memory. */
struct cx_byte_range *cx_read_ahead_left(struct cx_pending_read *pending_read, size_t *count);

#endif
