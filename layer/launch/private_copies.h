/* SPDX-License-Identifier: MIT */
/*
 * Private copies for commutative atomics: each part of a split launch updates a copy of its own that starts
 * at the operation's neutral element; afterwards the copies are combined with the original in the host copy.
 *
 * Source: design section 3, third way. Previous stage: split.c. All functions under context->lock
 * unless they say otherwise.
 */
#ifndef CX_LAYER_LAUNCH_PRIVATE_COPIES_H
#define CX_LAYER_LAUNCH_PRIVATE_COPIES_H

#include "layer/plan/plan.h"

struct cx_private;

/*
 * For the launch's arguments whose way is PRIVATE: brings the original to the host copy, makes and fills a
 * copy for each part, and gives the part arguments of its own (launch->parts[i].args). Call before the
 * packages' jobs are queued. *copies stays NULL where no argument needs it. Errors: CL_OUT_OF_HOST_MEMORY or
 * a driver's.
 */
cl_int cx_private_begin(struct cx_launch *launch, struct cx_cached_verdict *judged,
                        const struct cx_access_region *whole, struct cx_private **copies);
/* All packages are started on the parts' queues: queues the reads and the combination; the host copy owns the
 * result from then on. Takes the copies over. */
cl_int cx_private_end(struct cx_private **copies);
/* Gives up copies that were begun and not ended, whose jobs may still run. */
void cx_private_drop(struct cx_private **copies);

/* The neutral element of an operation (enum cx_atomic_op of a way) of `width` bytes (4 or 8), into value. */
void cx_private_neutral(unsigned op, unsigned width, unsigned char value[8]);
/* to[i] = to[i] op delta[i] for bytes / width elements. Needs no lock. Both are aligned to the width. */
void cx_private_combine(unsigned op, unsigned width, unsigned char *to, const unsigned char *delta,
                        size_t bytes);

#endif
