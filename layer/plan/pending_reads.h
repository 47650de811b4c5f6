/* SPDX-License-Identifier: MIT */
/*
 * Reads and mappings of buffers that wait in queues for a launch, and for nothing else. Next stage:
 * write_back.h. All under context->lock.
 */
#ifndef CX_LAYER_PLAN_PENDING_READS_H
#define CX_LAYER_PLAN_PENDING_READS_H

#include "layer/timeline/command.h"

enum { CX_WAITING_READS = 8 };

/* The launch, and reads that wait for nothing but what stands before them here. */
struct cx_waiting {
    struct cx_command *command[1 + CX_WAITING_READS];
    unsigned count;
};

void cx_waiting_find(struct cx_command *launch, struct cx_waiting *waiting);

#endif
