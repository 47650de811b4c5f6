/* SPDX-License-Identifier: MIT */
/*
 * Runs of bytes. See pieces.h.
 */
#include "layer/memory/pieces.h"

#include <stdlib.h>

void cx_pieces_add(struct cx_pieces *pieces, uint64_t lo, uint64_t hi)
{
    struct cx_piece *last = pieces->count ? &pieces->piece[pieces->count - 1] : NULL;
    if (last && last->hi == lo)
        last->hi = hi;
    else
        pieces->piece[pieces->count++] = (struct cx_piece){lo, hi};
}

bool cx_pieces_of_block(struct cx_pieces *pieces, const struct cx_block *block)
{
    const uint64_t bytes = block->bytes, rows = block->stride[0] == bytes ? 1 : block->count[0];
    const uint64_t run = rows == 1 ? bytes * block->count[0] : bytes;
    *pieces = (struct cx_pieces){.piece = &pieces->one};
    if (rows * block->count[1] > 1) {
        pieces->piece = malloc((size_t)(rows * block->count[1]) * sizeof(*pieces->piece));
        if (!pieces->piece)
            return false;
    }
    for (uint64_t z = 0; z < block->count[1]; z++)
        for (uint64_t y = 0; y < rows; y++) {
            const uint64_t lo = block->lo + z * block->stride[1] + y * block->stride[0];
            cx_pieces_add(pieces, lo, lo + run);
        }
    return true;
}

void cx_pieces_finish(struct cx_pieces *pieces)
{
    if (pieces->piece != &pieces->one)
        free(pieces->piece);
    pieces->piece = NULL;
}
