/* SPDX-License-Identifier: MIT */
/*
 * Memory objects whose owners are not known yet, as a launch decides them while it runs: commands that touch
 * them are planned once that launch settles. Thread-safety: context->lock.
 */
#ifndef CX_LAYER_MEMORY_UNSETTLED_H
#define CX_LAYER_MEMORY_UNSETTLED_H

#include "layer/memory/buffer.h"

/* For the start of plan functions: whether the command has to wait for another one that holds this object
 * (NULL: none does), and is planned again once that settles. Fine-grained shared virtual memory counts as
 * written by the program. */
bool cx_unsettled_blocks(struct cx_command *command, const struct cx_mem *mem);
/* The command decides who owns the object's bytes: others wait until it lets go. */
void cx_unsettled_hold(struct cx_mem *mem, struct cx_command *command);
/* It does so no more; nothing where another one holds the object. */
void cx_unsettled_release(struct cx_mem *mem, const struct cx_command *command);

#endif
