/* SPDX-License-Identifier: MIT */
/*
 * Aliases: OpenCL objects of other members over the memory in which one member, the owner, has a buffer
 * (peer.h). Kernels of the other members use that memory instead of a copy; remote_access.h says when.
 * Thread-safety: context->lock, save the end.
 */
#ifndef CX_LAYER_MEMORY_ALIAS_H
#define CX_LAYER_MEMORY_ALIAS_H

#include "layer/memory/buffer.h"

/* The member's object over the owner's memory (root->peer[owner]), made at the first call; the root owns it.
 * NULL: it cannot be made, and is not tried again for this pair. Called by launch/remote_access.c and
 * plan/remote_access_rules.c. */
cl_mem cx_alias_get(struct cx_mem *root, unsigned owner, unsigned member);
/* Whether the alias has been made. Called by plan/remote_access_rules.c. */
bool cx_alias_exists(const struct cx_mem *root, unsigned owner, unsigned member);
/* Releases a root's aliases, before the memory goes. Accepts a root without any. No lock needed. Called by
 * buffer.c. */
void cx_alias_finish_all(struct cx_mem *root);

#endif
