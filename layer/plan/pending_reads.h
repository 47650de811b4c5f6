/* SPDX-License-Identifier: MIT */
/*
 * Finds reads and mappings of buffers that wait in queues for a launch, and for nothing else. Next stage:
 * write_back.h. All under context->lock.
 */
#ifndef CX_LAYER_PLAN_PENDING_READS_H
#define CX_LAYER_PLAN_PENDING_READS_H

#include "layer/timeline/command.h"
#include "layer/memory/byte_ranges.h"

/* A read of a buffer into the program's memory that waits for a launch. Write-back may deliver some of its
 * bytes before the read is planned (read_ahead.h). */
struct cx_pending_read {
    struct cx_mem *root; /* the command's reference */
    uint64_t lo, hi;     /* of the root */
    unsigned char *pointer;
    bool map; /* it is a mapping: `pointer` is in the host copy, to which results are written back */
    struct cx_byte_range *delivered; /* in any order */
    size_t ndelivered, room;
};

enum { CX_WAITING_READS = 8 };

/* The launch, and reads that wait only for commands before them in this list. */
struct cx_waiting {
    struct cx_command *command[1 + CX_WAITING_READS];
    unsigned count;
};

/* Finds the reads that wait for the launch. Called by launch/write_back.c and launch/write_back_slices.c. */
void cx_pending_reads_find(struct cx_command *launch, struct cx_waiting *waiting) CX_HOLDS(cx_context_locked);

#endif
