/* SPDX-License-Identifier: MIT */
/*
 * Memory for host copies and rings: zeroed pages of their own, large ones where there is room for them.
 *
 * The system needs about as long for a large page as for some small ones: on the machine of docs/gpus.md, 32
 * MB take 8 ms to touch in large ones and 19 in small ones, and registering them 3 and 4. Drivers get pages
 * that were never touched more slowly, and hold a lock meanwhile.
 *
 * Kernels may read, and even write, somewhat past the ends of a buffer, which programs never notice where the
 * driver's allocator has memory of the process there. So there are margins, which cost no memory until
 * somebody touches them: behind the end as much again, 16 KB at least and 2 MB at most; of what is that long
 * also 64 KB before it.
 *
 * Called by buffer.c, pinned_pool.c and transport_ring.c. Any thread.
 */
#ifndef CX_LAYER_BASE_HOST_PAGES_H
#define CX_LAYER_BASE_HOST_PAGES_H

#include <stddef.h>

/* Page-aligned; what it holds is not said. bytes: a multiple of the page size, not 0. NULL: none. Called
 * by memory/pinned_pool.c. */
void *cx_host_pages_take(size_t bytes);
/* What may be touched behind the end of so many bytes. Called by launch/verify.c and memory/buffer.c. */
size_t cx_host_pages_margin(size_t bytes);
/* The same bytes; nothing uses them any more. NULL does nothing. Called by memory/pinned_pool.c. */
void cx_host_pages_give(void *memory, size_t bytes);
/* Has the system give every page now. Clears the first byte of each. Called by memory/transport_ring.c. */
void cx_host_pages_touch(void *memory, size_t bytes);

#endif
