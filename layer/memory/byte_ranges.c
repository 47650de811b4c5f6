/* SPDX-License-Identifier: MIT */
/*
 * Runs of bytes. See byte_ranges.h.
 */
#include "layer/memory/byte_ranges.h"

#include <stdlib.h>

void cx_byte_ranges_add(struct cx_byte_ranges *ranges, uint64_t lo, uint64_t hi)
{
    struct cx_byte_range *last = ranges->count ? &ranges->range[ranges->count - 1] : NULL;
    if (last && last->hi == lo)
        last->hi = hi;
    else
        ranges->range[ranges->count++] = (struct cx_byte_range){lo, hi};
}

bool cx_byte_ranges_of_block(struct cx_byte_ranges *ranges, const struct cx_block *block)
{
    const uint64_t bytes = block->bytes, rows = block->stride[0] == bytes ? 1 : block->count[0];
    const uint64_t run = rows == 1 ? bytes * block->count[0] : bytes;
    *ranges = (struct cx_byte_ranges){.range = &ranges->one};
    if (rows * block->count[1] > 1) {
        ranges->range = malloc((size_t)(rows * block->count[1]) * sizeof(*ranges->range));
        if (!ranges->range)
            return false;
    }
    for (uint64_t z = 0; z < block->count[1]; z++)
        for (uint64_t y = 0; y < rows; y++) {
            const uint64_t lo = block->lo + z * block->stride[1] + y * block->stride[0];
            cx_byte_ranges_add(ranges, lo, lo + run);
        }
    return true;
}

void cx_byte_ranges_finish(struct cx_byte_ranges *ranges)
{
    if (ranges->range != &ranges->one)
        free(ranges->range);
    ranges->range = NULL;
}
