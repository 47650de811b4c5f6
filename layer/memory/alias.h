/* SPDX-License-Identifier: MIT */
/*
 * Aliases: OpenCL objects of other members over the memory in which one of them, the home, has a buffer
 * (peer.h). Kernels of theirs use that memory in place of a copy: remote_access.h says when. Thread-safety:
 * context->lock, save the end.
 */
#ifndef CX_LAYER_MEMORY_ALIAS_H
#define CX_LAYER_MEMORY_ALIAS_H

#include "layer/memory/buffer.h"

/* The member's object over the root's memory at `home`, which has such memory (root->peer[home]); made at the
 * first call and the root's own. NULL: there is none, and the pair is not tried again. */
cl_mem cx_alias_get(struct cx_mem *root, unsigned owner, unsigned member);
/* Whether it was made. */
bool cx_alias_exists(const struct cx_mem *root, unsigned owner, unsigned member);
/* Releases a root's aliases, before the memory goes. Accepts a root without any. No lock needed. */
void cx_aliases_finish(struct cx_mem *root);

#endif
