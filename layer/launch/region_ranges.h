/* SPDX-License-Identifier: MIT */
/*
 * Converts regions of access.h (intervals, or the rows of boxes) to byte ranges of a buffer. Thread-safe.
 */
#ifndef CX_LAYER_LAUNCH_REGION_RANGES_H
#define CX_LAYER_LAUNCH_REGION_RANGES_H

#include "layer/access/access.h"
#include "layer/memory/byte_ranges.h"

/* Lists what a package reads or writes through the argument `mem`, as ranges of its root, adjacent ones
 * joined. inexact: without ranges of which every byte is certainly written. False: no memory. The caller
 * finishes *ranges in either case. Called by launch/. */
bool cx_region_ranges(struct cx_byte_ranges *ranges, const struct cx_mem *mem,
                      const struct cx_access_region *region, bool write, bool inexact);
/* Lists what the place needs before it reads, or writes, the region: nothing where it holds all from the
 * first byte to the last, which one look-up tells; else what cx_region_ranges lists. Where keeping such rows
 * apart has cost more, and no other package writes there, also what lies between them, which
 * cx_region_takes_gaps then finds there. As cx_region_ranges else. Called by launch/. */
bool cx_region_needs(struct cx_byte_ranges *ranges, const struct cx_mem *mem,
                     const struct cx_access_region *region, bool write, unsigned place)
    CX_HOLDS(cx_context_locked);
/* Whether the place becomes the holder of what lies between the rows that it writes as well: it holds that
 * anyway, no other package writes there, and others would lose little, or less than keeping rows apart has
 * cost. The map of a matrix then has a segment for each device, not some for each row. Asked once for each
 * write that is noted. Called by launch/launch.c. */
bool cx_region_takes_gaps(const struct cx_mem *mem, const struct cx_access_region *region, unsigned place)
    CX_HOLDS(cx_context_locked);

#endif
