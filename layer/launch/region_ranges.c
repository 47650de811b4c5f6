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

/* What it costs to keep one more range apart, in bytes that may have to be brought anew instead: some 0.4 us
 * to cut it off a map of thousands, and later looks at it, at 10 GB/s. To look whether a range is there takes
 * less. */
enum { RANGE_BYTES = 16384, LOOK_BYTES = 2048 };

static bool has_gaps(const struct cx_mem *mem, const struct cx_access_interval *interval, unsigned boxes)
{
    return boxes > 0 && interval->apart && interval->hi <= mem->size && !mem->root->image;
}

/* Whether gaps may be brought, or taken from others, as long as that is what rows apart have cost; it is
 * counted. */
static bool spend(const struct cx_mem *mem, const struct cx_access_interval *interval, uint64_t times)
    CX_HOLDS(cx_context_locked)
{
    const uint64_t length = interval->hi - interval->lo;
    if (mem->storage->gaps_credit / times < length)
        return false;
    mem->storage->gaps_credit -= length;
    return true;
}

bool cx_region_needs(struct cx_byte_ranges *ranges, const struct cx_mem *mem,
                     const struct cx_access_region *region, bool write, unsigned place)
{
    const struct cx_access_interval *interval = write ? &region->write : &region->read;
    const uint64_t hi = interval->hi < mem->size ? interval->hi : mem->size;
    *ranges = (struct cx_byte_ranges){.range = &ranges->one};
    if (interval->lo >= hi ||
        cx_coherence_valid(mem->storage->coherence, mem->origin + interval->lo, mem->origin + hi, place))
        return true;
    if (!has_gaps(mem, interval, write ? region->nwrite : region->nread) ||
        cx_coherence_lost(mem->storage->coherence, mem->origin + interval->lo, mem->origin + hi) ||
        !spend(mem, interval, 2)) {
        const bool ok = cx_region_ranges(ranges, mem, region, write, write);
        mem->storage->gaps_credit += write || ranges->count < 2 ? 0 : ranges->count * LOOK_BYTES;
        return ok;
    }
    add(ranges, mem, interval->lo, hi);
    return true;
}

bool cx_region_takes_gaps(const struct cx_mem *mem, const struct cx_access_region *region, unsigned place)
{
    const struct cx_coherence *map = mem->storage->coherence;
    const uint64_t lo = mem->origin + region->write.lo, hi = mem->origin + region->write.hi;
    uint64_t rows = 0, bytes = 0;
    if (!has_gaps(mem, &region->write, region->nwrite))
        return false;
    for (unsigned b = 0; b < region->nwrite; b++) {
        const uint64_t more = rows_of(&region->write_box[b]);
        rows += more;
        bytes += more * region->write_box[b].len;
    }
    if (cx_coherence_holds_most(map, lo, hi, place, bytes + rows * RANGE_BYTES) ||
        (cx_coherence_valid(map, lo, hi, place) && spend(mem, &region->write, 1)))
        return true;
    mem->storage->gaps_credit += rows * RANGE_BYTES;
    return false;
}
