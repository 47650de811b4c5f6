/* SPDX-License-Identifier: MIT */
/*
 * Enters measurements of launches that were carried out into the history of their function
 * (kernel_history.h). Each of `groups` work-groups, in seconds of the device. Thread-safety: as said.
 */
#ifndef CX_LAYER_PLAN_LAUNCH_LEARN_H
#define CX_LAYER_PLAN_LAUNCH_LEARN_H

#include "layer/plan/plan.h"

/* Records a part of a launch. first: its time may include a compilation (cx_launch_first). Takes
 * context->lock. Called by launch/split_member.c. */
void cx_launch_learn(struct cx_launch *launch, unsigned member, uint64_t groups, double seconds, bool first);
/* Like cx_launch_learn, with context->lock held. Called by launch/prefix.c and launch/split.c. */
void cx_launch_learn_held(struct cx_launch *launch, unsigned member, uint64_t groups, double seconds,
                          bool first) CX_HOLDS(cx_context_locked);
/* Like cx_launch_learn, for a part that is one package. Called by launch/static.c. */
void cx_launch_learn_package(struct cx_launch *launch, unsigned member, enum cx_variant variant,
                             bool at_start, uint64_t groups, double seconds);
/* Like cx_launch_learn, for a whole launch, whose number of work-groups may be unknown (0). Called by
 * launch/whole.c. */
void cx_launch_learn_whole(struct cx_launch *launch, unsigned member, uint64_t groups, double seconds);

#endif
