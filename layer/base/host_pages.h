/* SPDX-License-Identifier: MIT */
/*
 * Allocates memory for host copies and pinned rings: zeroed pages, large ones on request and if there is
 * room.
 *
 * The system makes a large page in about the time of a few small ones: on the machine of docs/gpus.md, 32 MB
 * take 8 ms to touch in large pages and 19 ms in small ones, and 3 and 4 ms to register with a driver. A
 * driver that registers pages not touched before takes longer, and holds a lock meanwhile. A virtual machine
 * may have given its free memory back to its host, the large pieces of it above all. There large pages take
 * longer: 0.5 to 1 GB of them took 1 to 2 s more than small ones.
 *
 * Some kernels read, or even write, a little past the ends of a buffer; programs do not notice as long as the
 * process has memory there. So each allocation has a margin, which costs no memory until it is touched: as
 * long as the allocation, at least 16 KB and at most 2 MB, behind it, and 64 KB before it if it is that long.
 *
 * Called by buffer.c, pinned_pool.c and transport_ring.c. Any thread.
 */
#ifndef CX_LAYER_BASE_HOST_PAGES_H
#define CX_LAYER_BASE_HOST_PAGES_H

#include <stddef.h>

/* Allocates page-aligned memory with undefined contents. bytes: a multiple of the page size, not 0. NULL: no
 * memory. Called by memory/pinned_pool.c. */
void *cx_host_pages_take(size_t bytes);
/* Asks for large pages, before such memory is touched. Called by memory/pinned_pool.c. */
void cx_host_pages_wish_large(void *memory, size_t bytes);
/* The length of the margin behind an allocation of that many bytes. Called by launch/verify_clone.c and
 * memory/buffer.c. */
size_t cx_host_pages_margin(size_t bytes);
/* Frees an allocation of that many bytes, which nothing uses any more. Accepts NULL. Called by
 * memory/pinned_pool.c. */
void cx_host_pages_give(void *memory, size_t bytes);
/* Has the system make every page now, by clearing the first byte of each. Called by memory/transport_ring.c.
 */
void cx_host_pages_touch(void *memory, size_t bytes);

#endif
