/* SPDX-License-Identifier: MIT */
/*
 * Copies between the program's memory and host copies. Thread-safe. Next: copy.h.
 */
#ifndef CX_LAYER_MEMORY_HOST_COPY_H
#define CX_LAYER_MEMORY_HOST_COPY_H

#include "layer/timeline/context.h"

/* cx_bytes_copy_by as many threads as the context has members that work on the host copy in place, or a
 * quarter of the machine's cores if that is more. Counted as moved within the host. */
void cx_bytes_copy(const struct cx_context *context, void *to, const void *from, size_t bytes);

/* How many threads that copies much by. */
unsigned cx_bytes_threads(const struct cx_context *context);

#endif
