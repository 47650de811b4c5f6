/* SPDX-License-Identifier: MIT */
/*
 * Finding changed blocks: compares a region of a buffer with a copy from before, on the device that holds
 * both, or on the host.
 *
 * A flag of one byte a block says whether anything in the block differs. Used by merge.c. The functions for a
 * device are for the thread that pumps its worker; nothing is shared.
 */
#ifndef CX_LAYER_DIFF_H
#define CX_LAYER_DIFF_H

#include "layer/worker.h"

/* Bytes of a block; regions begin at multiples of it within their buffer. */
enum { CX_DIFF_BLOCK = 1024 };

static inline size_t cx_diff_blocks(uint64_t bytes)
{
    return (size_t)((bytes + CX_DIFF_BLOCK - 1) / CX_DIFF_BLOCK);
}

/* flags[b] (cx_diff_blocks(bytes) of them) becomes 0 where block b of both is the same, else 1. */
void cx_diff_host(const unsigned char *now, const unsigned char *before, uint64_t bytes,
                  unsigned char *flags);

/*
 * The same on a device: bytes [lo, lo + bytes) of `now` (lo a multiple of CX_DIFF_BLOCK) against [0, bytes)
 * of `before`. Enqueues on the worker's queue and does not wait: the flags are there when *event is complete.
 * *scratch, a buffer of the device, is the caller's to release after that. Errors: the driver's; then nothing
 * is in flight that uses flags. The kernel is compiled at the worker's first call.
 */
cl_int cx_diff_device(struct cx_worker *worker, cl_mem now, uint64_t lo, cl_mem before, uint64_t bytes,
                      unsigned char *flags, cl_mem *scratch, cl_event *event);
/* Releases what the worker's first call made. */
void cx_diff_release(struct cx_worker *worker);

#endif
