/* SPDX-License-Identifier: MIT */
/*
 * Copying bytes between the program's memory, host copies and pinned memory, by several threads where it is
 * much.
 *
 * One core does not fill the memory's bandwidth, and the copy of an input is what a split cannot shorten
 * otherwise. Next: copy_threads.h, the threads.
 */
#ifndef CX_LAYER_BASE_COPY_H
#define CX_LAYER_BASE_COPY_H

#include "layer/timeline/context.h"

/* memmove by several threads: as many as the context has members that work on the host copy in place, or a
 * quarter of the machine's cores if that is more, eight at most; by the caller alone where it is less than a
 * megabyte a thread, where the ranges overlap, or without threads. Returns when all is copied. */
void cx_bytes_copy(const struct cx_context *context, void *to, const void *from, size_t bytes);

/* The same by at most `threads` threads. */
void cx_bytes_copy_by(unsigned threads, void *to, const void *from, size_t bytes);

/* How many threads cx_bytes_copy copies much by. */
unsigned cx_bytes_threads(const struct cx_context *context);

/* The machine's cores in use, 1 at least; asked of the system once, for that opens a file. Any thread. */
long cx_bytes_cores(void);

#endif
