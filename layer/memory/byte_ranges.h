/* SPDX-License-Identifier: MIT */
/*
 * Lists of byte ranges of a buffer's root. Thread-safety: the caller's.
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
    struct cx_byte_range one; /* room for a single one */
};

/* Appends a range, or extends the last one if they are adjacent. The caller has made room. Called by
 * launch/region_ranges.c. */
void cx_byte_ranges_add(struct cx_byte_ranges *ranges, uint64_t lo, uint64_t hi);
/* Lists a block's rows, adjacent ones joined. False: no memory. The caller finishes *ranges in either case.
 * Called by api/ and launch/.
 */
bool cx_byte_ranges_of_block(struct cx_byte_ranges *ranges, const struct cx_block *block);
void cx_byte_ranges_finish(struct cx_byte_ranges *ranges);

#endif
