/* SPDX-License-Identifier: MIT */
/*
 * Regions as runs of bytes. See regions.h.
 */
#include "layer/memory/regions.h"

#include <stdlib.h>

static uint64_t rows_of(const struct cx_access_box *box)
{
    return box->count[0] * box->count[1];
}

static void add(struct cx_pieces *pieces, const struct cx_mem *mem, uint64_t lo, uint64_t hi)
{
    struct cx_piece *last = pieces->count ? &pieces->piece[pieces->count - 1] : NULL;
    hi = hi < mem->size ? hi : mem->size;
    if (lo >= hi)
        return;
    lo += mem->origin;
    hi += mem->origin;
    if (last && last->hi == lo)
        last->hi = hi;
    else
        pieces->piece[pieces->count++] = (struct cx_piece){lo, hi};
}

static void add_box(struct cx_pieces *pieces, const struct cx_mem *mem, const struct cx_access_box *box)
{
    for (uint64_t j = 0; j < box->count[1]; j++)
        for (uint64_t i = 0; i < box->count[0]; i++) {
            uint64_t lo = box->lo + i * box->stride[0] + j * box->stride[1];
            add(pieces, mem, lo, lo + box->len);
        }
}

bool cx_pieces_of(struct cx_pieces *pieces, const struct cx_mem *mem, const struct cx_access_region *region,
                  bool write, bool inexact)
{
    const struct cx_access_interval *interval = write ? &region->write : &region->read;
    const struct cx_access_box *box = write ? region->write_box : region->read_box;
    const unsigned nbox = write ? region->nwrite : region->nread;
    uint64_t rows = 0;

    *pieces = (struct cx_pieces){.piece = &pieces->one};
    if (nbox == 0) {
        if (!(inexact && interval->exact))
            add(pieces, mem, interval->lo, interval->hi);
        return true;
    }
    for (unsigned b = 0; b < nbox; b++)
        rows += rows_of(&box[b]);
    pieces->piece = malloc((size_t)rows * sizeof(*pieces->piece));
    if (!pieces->piece)
        return false;
    for (unsigned b = 0; b < nbox; b++)
        if (!(inexact && box[b].exact))
            add_box(pieces, mem, &box[b]);
    return true;
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
            struct cx_piece *last = pieces->count ? &pieces->piece[pieces->count - 1] : NULL;
            const uint64_t lo = block->lo + z * block->stride[1] + y * block->stride[0];
            if (last && last->hi == lo)
                last->hi = lo + run;
            else
                pieces->piece[pieces->count++] = (struct cx_piece){lo, lo + run};
        }
    return true;
}

void cx_pieces_finish(struct cx_pieces *pieces)
{
    if (pieces->piece != &pieces->one)
        free(pieces->piece);
    pieces->piece = NULL;
}
