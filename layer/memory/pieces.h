/* SPDX-License-Identifier: MIT */
/*
 * Runs of bytes of a buffer's root. Thread-safety: the caller's.
 */
#ifndef CX_LAYER_MEMORY_PIECES_H
#define CX_LAYER_MEMORY_PIECES_H

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

/* Appends a run, joined with the last one where they touch. There is room for it. */
void cx_pieces_add(struct cx_pieces *pieces, uint64_t lo, uint64_t hi);
/* A block's rows, those that touch joined. False: no memory. Finish in either case. */
bool cx_pieces_of_block(struct cx_pieces *pieces, const struct cx_block *block);
void cx_pieces_finish(struct cx_pieces *pieces);

#endif
