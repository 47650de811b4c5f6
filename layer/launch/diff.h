/* SPDX-License-Identifier: MIT */
/*
 * Finding changed blocks: compares a region of a buffer with a copy from before, on the device that holds
 * both, or on the host.
 *
 * A flag a block says whether anything in the block differs. Used by merge.c. The functions for a
 * device are for the thread that pumps its worker; nothing is shared.
 */
#ifndef CX_LAYER_LAUNCH_DIFF_H
#define CX_LAYER_LAUNCH_DIFF_H

#include "layer/timeline/worker.h"

/* Bytes of a block; regions begin at multiples of it within their buffer. */
enum { CX_DIFF_BLOCK = 1024 };

static inline size_t cx_diff_blocks(uint64_t bytes)
{
    return (size_t)((bytes + CX_DIFF_BLOCK - 1) / CX_DIFF_BLOCK);
}

/* Bytes of the flags: a bit for each block. */
static inline size_t cx_diff_bytes(uint64_t bytes)
{
    return (cx_diff_blocks(bytes) + 7) / 8;
}
static inline bool cx_diff_flag(const unsigned char *flags, size_t block)
{
    return flags[block / 8] >> block % 8 & 1;
}

/* The flags of blocks that differ become 1, of all others 0. */
void cx_diff_host(const unsigned char *now, const unsigned char *before, uint64_t bytes,
                  unsigned char *flags);

/*
 * The same on a device: bytes [lo, lo + bytes) of `now` (lo a multiple of CX_DIFF_BLOCK) against [0, bytes)
 * of `before`. Enqueues on the worker's queue and does not wait: the flags are there when event[1]
 * is complete, unless that or event[0], which is over by then, failed.
 * Where the device cannot run the kernel, which is compiled at the worker's first call, both regions are read
 * and compared on the host; there may be no events then, and the flags are there on return. Errors:
 * CL_OUT_OF_HOST_MEMORY or the driver's; then nothing is in flight that uses flags.
 */
cl_int cx_diff_device(struct cx_worker *worker, cl_mem now, uint64_t lo, cl_mem before, uint64_t bytes,
                      unsigned char *flags, cl_event event[2]);
/* Releases what the worker's first call made. */
void cx_diff_release(struct cx_worker *worker);

#endif
