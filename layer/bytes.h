/* SPDX-License-Identifier: MIT */
/*
 * Copying bytes between the program's memory and host copies, by several threads where it is much.
 *
 * One core does not fill the memory's bandwidth, and the copy of an input is what a split cannot shorten
 * otherwise.
 */
#ifndef CX_LAYER_BYTES_H
#define CX_LAYER_BYTES_H

#include "layer/context.h"

/* memmove by as many threads as the context has members that work on the host copy in place, four at most; by
 * the caller alone where it is less than some megabytes, where the ranges overlap, or without threads.
 * Returns when all is copied. Takes no lock. */
void cx_bytes_copy(const struct cx_context *context, void *to, const void *from, size_t bytes);

#endif
