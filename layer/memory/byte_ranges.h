/* SPDX-License-Identifier: MIT */
/*
 * Runs of bytes of a buffer's root. Thread-safety: the caller's.
 */
#ifndef CX_LAYER_MEMORY_BYTE_RANGES_H
#define CX_LAYER_MEMORY_BYTE_RANGES_H

#include "layer/memory/buffer.h"

/* Bytes [lo, hi) of the root. */
struct cx_byte_range {
    uint64_t lo, hi;
};

struct cx_byte_ranges {
    struct cx_byte_range *range;
    size_t count;
    struct cx_byte_range one; /* where there is but one */
};

/* Appends a run, joined with the last one where they touch. There is room for it. */
void cx_byte_ranges_add(struct cx_byte_ranges *ranges, uint64_t lo, uint64_t hi);
/* A block's rows, those that touch joined. False: no memory. Finish in either case. */
bool cx_byte_ranges_of_block(struct cx_byte_ranges *ranges, const struct cx_block *block);
void cx_byte_ranges_finish(struct cx_byte_ranges *ranges);

#endif
