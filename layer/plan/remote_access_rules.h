/* SPDX-License-Identifier: MIT */
/*
 * Which launches use buffers at one home (remote_access.h), where devices reach each other's memory.
 *
 * Under `auto` a buffer that is only read is visited where what others are thought to read of it, with what
 * they read since it last changed, is less than bringing it to them; one that is written, once a merge of
 * such a launch had to put that much together. Only for whole buffers, of which each member has a place of
 * its own. Thread-safety: context->lock. Previous stage: plan.c. Next: split.c.
 */
#ifndef CX_LAYER_PLAN_REMOTE_ACCESS_RULES_H
#define CX_LAYER_PLAN_REMOTE_ACCESS_RULES_H

#include "layer/plan/plan.h"

/* Of a launch whose ways are chosen (cx_launch_choose_protocols): which of its buffers these members, as far
 * as they reach each other, use at one home. Sets launch->ways, one_home, home and visited. */
void cx_remote_access_choose(struct cx_launch *launch, const struct cx_cached_verdict *judged,
                             const unsigned *member, unsigned n);

/* Then, once it is known who takes part: whether that holds, and all objects for it are there. Otherwise
 * the ways are to be chosen anew. */
bool cx_remote_access_confirm(struct cx_launch *launch, const unsigned *member, unsigned n);

#endif
