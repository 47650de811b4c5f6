/* SPDX-License-Identifier: MIT */
/*
 * The regions of access.h as plain runs of bytes of a buffer: intervals, or the rows of boxes. Thread-safe.
 */
#ifndef CX_LAYER_LAUNCH_REGION_RANGES_H
#define CX_LAYER_LAUNCH_REGION_RANGES_H

#include "layer/access/access.h"
#include "layer/memory/byte_ranges.h"

/* What a package reads or writes through the argument `mem`, as runs of its root, those that touch joined;
 * with `inexact` without runs of which every byte is written for certain. False: no memory. Finish in either
 * case. */
bool cx_region_ranges(struct cx_byte_ranges *ranges, const struct cx_mem *mem,
                      const struct cx_access_region *region, bool write, bool inexact);

#endif
