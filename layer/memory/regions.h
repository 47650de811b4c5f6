/* SPDX-License-Identifier: MIT */
/*
 * The regions of access.h as plain runs of bytes of a buffer: intervals, or the rows of boxes.
 */
#ifndef CX_LAYER_MEMORY_REGIONS_H
#define CX_LAYER_MEMORY_REGIONS_H

#include "layer/access/access.h"
#include "layer/memory/buffer.h"

/* Bytes [lo, hi) of the root. */
struct cx_piece {
    uint64_t lo, hi;
};

struct cx_pieces {
    struct cx_piece *piece;
    size_t count;
    struct cx_piece one; /* where there is but one */
};

/* What a package reads or writes through the argument `mem`, as runs of its root, those that touch joined;
 * with `inexact` without runs of which every byte is written for certain. False: no memory. Finish in either
 * case. */
bool cx_pieces_of(struct cx_pieces *pieces, const struct cx_mem *mem, const struct cx_access_region *region,
                  bool write, bool inexact);
/* A block's rows, those that touch joined. False: no memory. Finish in either case. */
bool cx_pieces_of_block(struct cx_pieces *pieces, const struct cx_block *block);
void cx_pieces_finish(struct cx_pieces *pieces);

#endif
