/* SPDX-License-Identifier: MIT */
/*
 * Copies between the program's memory and host copies. Thread-safe. Next: copy.h.
 */
#ifndef CX_LAYER_MEMORY_HOST_COPY_H
#define CX_LAYER_MEMORY_HOST_COPY_H

#include "layer/timeline/context.h"

/* Copies with as many threads as the context has members that work in place, or a quarter of the machine's
 * cores if that is more (cx_copy_by). Counted as transferred within the host. Called by
 * api/enqueue_transfer.c. */
void cx_host_copy(const struct cx_context *context, void *to, const void *from, size_t bytes);

/* How many threads a large copy uses. Called by launch/write_back.c. */
unsigned cx_host_copy_threads(const struct cx_context *context);

#endif
