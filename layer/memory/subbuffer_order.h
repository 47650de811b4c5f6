/* SPDX-License-Identifier: MIT */
/*
 * In which order the drivers' sub-buffers are released.
 *
 * NVIDIA's driver (580.159.04 on an H200) crashes in clReleaseMemObject of a sub-buffer while a newer one of
 * the same buffer overlaps it, or once the buffer itself was released; newest first it does not. So a
 * sub-buffer of a GPU that a newer one overlaps stays until that one is gone. Others go at once: a program
 * that makes each next window before it ends the last one would else collect them all. One that stays serves
 * again when the program makes a window of the same bytes, so that two by turns are never more than two.
 */
#ifndef CX_LAYER_MEMORY_SUBBUFFER_ORDER_H
#define CX_LAYER_MEMORY_SUBBUFFER_ORDER_H

#include "layer/memory/buffer.h"

/* A sub-buffer for a window of mem's root on a member, made or taken from those of the same bytes that
 * stayed; where order matters there its release is the root's. NULL and *error: the driver's, or no memory.
 * Thread-safe, as are the others. */
cl_mem cx_window_make(struct cx_mem *mem, unsigned member, cl_int *error);
/* The window is gone: releases what can be. False: it has no object there whose release is the root's. */
bool cx_window_over(struct cx_mem *mem, unsigned member);
/* Releases what is left of a root, before the root's own objects. */
void cx_windows_finish(struct cx_mem *root);

#endif
