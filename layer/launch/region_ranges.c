/* SPDX-License-Identifier: MIT */
/*
 * Converts regions of access.h to byte ranges. See region_ranges.h.
 */
#include "layer/launch/region_ranges.h"

#include <stdlib.h>

static uint64_t rows_of(const struct cx_access_box *box)
{
    return box->count[0] * box->count[1];
}

/* Bytes of the argument, as far as it reaches. */
static void add(struct cx_byte_ranges *ranges, const struct cx_mem *mem, uint64_t lo, uint64_t hi)
{
    hi = hi < mem->size ? hi : mem->size;
    if (lo < hi)
        cx_byte_ranges_add(ranges, mem->origin + lo, mem->origin + hi);
}

static void add_box(struct cx_byte_ranges *ranges, const struct cx_mem *mem, const struct cx_access_box *box)
{
    for (uint64_t j = 0; j < box->count[1]; j++)
        for (uint64_t i = 0; i < box->count[0]; i++) {
            uint64_t lo = box->lo + i * box->stride[0] + j * box->stride[1];
            add(ranges, mem, lo, lo + box->len);
        }
}

bool cx_region_ranges(struct cx_byte_ranges *ranges, const struct cx_mem *mem,
                      const struct cx_access_region *region, bool write, bool inexact)
{
    const struct cx_access_interval *interval = write ? &region->write : &region->read;
    const struct cx_access_box *box = write ? region->write_box : region->read_box;
    const unsigned nbox = write ? region->nwrite : region->nread;
    uint64_t rows = 0;

    *ranges = (struct cx_byte_ranges){.range = &ranges->one};
    if (nbox == 0) {
        if (!(inexact && interval->exact))
            add(ranges, mem, interval->lo, interval->hi);
        return true;
    }
    for (unsigned b = 0; b < nbox; b++)
        rows += rows_of(&box[b]);
    ranges->range = malloc((size_t)rows * sizeof(*ranges->range));
    if (!ranges->range)
        return false;
    for (unsigned b = 0; b < nbox; b++)
        if (!(inexact && box[b].exact))
            add_box(ranges, mem, &box[b]);
    return true;
}

bool cx_region_lacks_nothing(const struct cx_mem *mem, const struct cx_access_region *region, bool write,
                             unsigned place)
{
    const struct cx_access_interval *interval = write ? &region->write : &region->read;
    const uint64_t hi = interval->hi < mem->size ? interval->hi : mem->size;
    return interval->lo >= hi ||
           cx_coherence_valid(mem->storage->coherence, mem->origin + interval->lo, mem->origin + hi, place);
}
