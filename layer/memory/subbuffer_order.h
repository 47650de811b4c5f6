/* SPDX-License-Identifier: MIT */
/*
 * Releases drivers' sub-buffers in an order that is safe.
 *
 * NVIDIA's driver (580.159.04 on an H200) crashes in clReleaseMemObject of a sub-buffer while a newer one of
 * the same buffer overlaps it, or once the buffer itself was released; newest first is safe. So a GPU's
 * sub-buffer that a newer one overlaps is released only after that one. Others are released at once, since a
 * program that makes each window before it releases the last one would otherwise collect them all. A
 * sub-buffer that waits is reused if the program makes a window of the same bytes, so two alternating windows
 * are never more than two.
 */
#ifndef CX_LAYER_MEMORY_SUBBUFFER_ORDER_H
#define CX_LAYER_MEMORY_SUBBUFFER_ORDER_H

#include "layer/memory/buffer.h"

/* Makes a sub-buffer for a window of mem's root on a member, or reuses a waiting one of the same bytes. If
 * the order matters there, the root releases it. NULL: *error is the driver's, or there is no memory.
 * Thread-safe, as are the others. Called by buffer.c. */
cl_mem cx_subbuffer_order_make(struct cx_mem *mem, unsigned member, cl_int *error);
/* The window is destroyed: releases what can be. False: it has no object there that the root releases.
 * Called by buffer.c. */
bool cx_subbuffer_order_over(struct cx_mem *mem, unsigned member);
/* Releases the remaining sub-buffers of a root, before the root's own objects. Called by buffer.c. */
void cx_subbuffer_order_finish(struct cx_mem *root);

#endif
