/* SPDX-License-Identifier: MIT */
/*
 * Unsettled memory objects: a launch decides while it runs who owns its results, and commands that use the
 * objects are planned once that launch settles. Thread-safety: context->lock.
 */
#ifndef CX_LAYER_MEMORY_UNSETTLED_H
#define CX_LAYER_MEMORY_UNSETTLED_H

#include "layer/memory/buffer.h"

/* Called first by plan functions: whether the command must wait for a launch that has not settled the object
 * (mem may be NULL); then it is planned again once that settles. Fine-grained shared virtual memory counts as
 * written by the program. Called by api/ and plan/. */
bool cx_unsettled_blocks(struct cx_command *command, const struct cx_mem *mem) CX_HOLDS(cx_context_locked);
/* Marks the object as unsettled by the command; others wait until the mark is released. Called by
 * launch/prefix.c and launch/split.c. */
void cx_unsettled_hold(struct cx_mem *mem, struct cx_command *command) CX_HOLDS(cx_context_locked);
/* Releases the mark; does nothing if it is another command's. Called by launch/launch.c. */
void cx_unsettled_release(struct cx_mem *mem, const struct cx_command *command) CX_HOLDS(cx_context_locked);

#endif
