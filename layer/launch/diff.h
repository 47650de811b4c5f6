/* SPDX-License-Identifier: MIT */
/*
 * Finds changed blocks: compares a region of a buffer with an earlier copy, on the device that holds both, or
 * on the host. Each block has a flag, whether anything in it differs. Used by merge.c. The functions for a
 * device are called by the thread that pumps its worker; they share nothing.
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

/* Bytes of the flags: a bit for each block. Called by diff.c, merge.c and merge_combine.c. */
static inline size_t cx_diff_bytes(uint64_t bytes)
{
    return (cx_diff_blocks(bytes) + 7) / 8;
}
static inline bool cx_diff_flag(const unsigned char *flags, size_t block)
{
    return flags[block / 8] >> block % 8 & 1;
}

/* What a worker keeps for it, made when first needed (worker->diff). Whoever pumps. */
struct cx_diff_state {
    cl_kernel kernel; /* finds changed blocks */
    cl_mem flags;     /* room for `room` bytes */
    size_t room;
    bool failed; /* the device cannot run it: the host compares */
};

/* Compares on the host: sets the flags of blocks that differ to 1, all others to 0. Called by merge.c. */
void cx_diff_host(const unsigned char *now, const unsigned char *before, uint64_t bytes,
                  unsigned char *flags);

/*
 * Compares on a device: bytes [lo, lo + bytes) of `now` (lo a multiple of CX_DIFF_BLOCK) with [0, bytes) of
 * `before`. Enqueues on the worker's queue and does not wait: the flags are valid once event[1] is complete,
 * unless that or event[0], which ends before, failed. The kernel is compiled at the worker's first call. If
 * the device cannot run it, both regions are read and compared on the host; then there may be no events, and
 * the flags are valid on return. Errors: CL_OUT_OF_HOST_MEMORY or the driver's; then nothing in flight uses
 * flags. Called by merge.c.
 */
cl_int cx_diff_device(struct cx_worker *worker, cl_mem now, uint64_t lo, cl_mem before, uint64_t bytes,
                      unsigned char *flags, cl_event event[2]);
/* Releases the kernel and buffer that the worker's first comparison made. Called by api/context.c. */
void cx_diff_release(struct cx_worker *worker);

#endif
