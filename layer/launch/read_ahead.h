/* SPDX-License-Identifier: MIT */
/*
 * A read of a buffer into the program's memory, as others see it while it waits for a launch: that may bring
 * some of the bytes there before the read is planned (write_back.h), which then leaves these out.
 * Thread-safety: `served` under context->lock, until the read is planned.
 */
#ifndef CX_LAYER_LAUNCH_READ_AHEAD_H
#define CX_LAYER_LAUNCH_READ_AHEAD_H

#include "layer/memory/pieces.h"

struct cx_reading {
    struct cx_mem *root; /* the command's reference */
    uint64_t lo, hi;     /* of the root */
    unsigned char *pointer;
    bool map; /* it is a mapping: `pointer` is the host copy's, and nobody serves it but that */
    struct cx_piece *served; /* in any order */
    size_t nserved, room;
};

/* Adds a run to those that somebody else brings. False: no memory. */
bool cx_reading_serve(struct cx_reading *reading, uint64_t lo, uint64_t hi);
/* What is left of it, in order; the caller frees. NULL: no memory. */
struct cx_piece *cx_reading_left(struct cx_reading *reading, size_t *count);

#endif
