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
/* Whether the place holds all from the region's first byte to its last: one look-up then tells as much as one
 * for each row. False tells nothing. Called by launch/. */
bool cx_region_lacks_nothing(const struct cx_mem *mem, const struct cx_access_region *region, bool write,
                             unsigned place) CX_HOLDS(cx_context_locked);

#endif
