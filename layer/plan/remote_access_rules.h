/* SPDX-License-Identifier: MIT */
/*
 * Decides which launches use buffers by remote access (remote_access.h), if devices reach each other's
 * memory.
 *
 * With `auto`, a buffer that is only read is accessed remotely if the expected reads of other members, with
 * those since it last changed, cost less than copying it to them; a buffer that is written, once a merge of
 * such a launch had to combine that much. Only for whole buffers of which each member has its own memory.
 * Thread-safety: context->lock. Previous stage: plan.c. Next: split.c.
 */
#ifndef CX_LAYER_PLAN_REMOTE_ACCESS_RULES_H
#define CX_LAYER_PLAN_REMOTE_ACCESS_RULES_H

#include "layer/plan/plan.h"

/* For a launch whose protocols are chosen (cx_launch_choose_protocols): decides which of its buffers these
 * members, as far as they reach each other, use by remote access. Sets protocols, remote_access, remote_owner
 * and remote_bytes of launch->decision. Called by plan.c. */
void cx_remote_access_choose(struct cx_launch *launch, const struct cx_cached_verdict *judged,
                             const unsigned *member, unsigned n) CX_HOLDS(cx_context_locked);

/* Then, once the members that take part are known: whether the choice holds, and all aliases can be had.
 * Otherwise the caller chooses the protocols anew. Called by plan.c. */
bool cx_remote_access_confirm(struct cx_launch *launch, const unsigned *member, unsigned n)
    CX_HOLDS(cx_context_locked);

#endif
