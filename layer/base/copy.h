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

#include <stddef.h>

/* Threads that one copy uses at most. */
enum { CX_BYTES_THREADS = 8 };

/* memmove by at most `threads` threads, CX_BYTES_THREADS at most; by the caller alone where it is less than a
 * megabyte a thread, where the ranges overlap, or without threads. Returns when all is copied. Called by
 * memory/host_copy.c. */
void cx_bytes_copy_by(unsigned threads, void *to, const void *from, size_t bytes);

/* The machine's cores in use, 1 at least; asked of the system once, for that opens a file. Any thread.
 * Called by copy_threads.c, memory/host_copy.c, memory/transport_ring.c and plan/plan_open.c. */
long cx_bytes_cores(void);

#endif
