/* SPDX-License-Identifier: MIT */
/*
 * Reads and mappings of buffers that wait in queues for a launch, and for nothing else. Next stage:
 * write_back.h. All under context->lock.
 */
#ifndef CX_LAYER_PLAN_PENDING_READS_H
#define CX_LAYER_PLAN_PENDING_READS_H

#include "layer/timeline/command.h"
#include "layer/memory/byte_ranges.h"

/* A read of a buffer into the program's memory, as others see it while it waits for a launch: that may bring
 * some of the bytes there before the read is planned (read_ahead.h). */
struct cx_pending_read {
    struct cx_mem *root; /* the command's reference */
    uint64_t lo, hi;     /* of the root */
    unsigned char *pointer;
    bool map; /* it is a mapping: `pointer` is the host copy's, and nobody serves it but that */
    struct cx_byte_range *delivered; /* in any order */
    size_t ndelivered, room;
};

enum { CX_WAITING_READS = 8 };

/* The launch, and reads that wait for nothing but what stands before them here. */
struct cx_waiting {
    struct cx_command *command[1 + CX_WAITING_READS];
    unsigned count;
};

void cx_waiting_find(struct cx_command *launch, struct cx_waiting *waiting);

#endif
