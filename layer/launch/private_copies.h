/* SPDX-License-Identifier: MIT */
/*
 * Reduction by private copies, for commutative atomics: each part of a split launch updates a copy of its
 * own, which starts with the operation's neutral element; afterwards the copies are combined with the
 * original in the host copy.
 *
 * Previous stage: split.c. All functions are called under context->lock unless stated otherwise.
 */
#ifndef CX_LAYER_LAUNCH_PRIVATE_COPIES_H
#define CX_LAYER_LAUNCH_PRIVATE_COPIES_H

#include "layer/plan/plan.h"

struct cx_private_copies;

/*
 * For arguments with the protocol REDUCTION: moves the original to the host copy, makes and fills a copy for
 * each part, and gives the part its own arguments (launch->parts[i].args). Called by split.c before the
 * packages' jobs are queued. *copies stays NULL if no argument needs it. Errors: CL_OUT_OF_HOST_MEMORY or a
 * driver's.
 */
cl_int cx_private_copies_begin(struct cx_launch *launch, struct cx_cached_verdict *judged,
                               const struct cx_access_region *whole, struct cx_private_copies **copies)
    CX_HOLDS(cx_context_locked);
/* All packages are started on the parts' queues: queues the reads and the combination; from then on the host
 * copy owns the result. Takes the copies over. Called by split.c. */
cl_int cx_private_copies_end(struct cx_private_copies **copies) CX_HOLDS(cx_context_locked);
/* Drops copies that were begun and not ended; their jobs may still run. Called by split.c. */
void cx_private_copies_drop(struct cx_private_copies **copies);

/* Gives the neutral element of an operation (enum cx_atomic_op) of `width` bytes (4 or 8). Called by
 * private_copies.c and tests. */
void cx_private_copies_neutral(unsigned op, unsigned width, unsigned char value[8]);
/* to[i] = to[i] op delta[i] for bytes / width elements. Needs no lock. Both are aligned to the width. Called
 * by private_copies.c and tests. */
void cx_private_copies_combine(unsigned op, unsigned width, unsigned char *to, const unsigned char *delta,
                               size_t bytes);

#endif
