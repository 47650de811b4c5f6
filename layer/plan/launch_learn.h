/* SPDX-License-Identifier: MIT */
/*
 * What launches that were carried out teach the planner about their function (kernel_history.h). Each of
 * `groups` work-groups, in seconds of the device. Thread-safety: as said.
 */
#ifndef CX_LAYER_PLAN_LAUNCH_LEARN_H
#define CX_LAYER_PLAN_LAUNCH_LEARN_H

#include "layer/plan/plan.h"

/* A part of a launch done: what it teaches about a member. first: its time may hold a
 * compilation (cx_launch_first). Takes context->lock. */
void cx_launch_learn(struct cx_launch *launch, unsigned member, uint64_t groups, double seconds, bool first);
/* Likewise with context->lock held. */
void cx_launch_learn_held(struct cx_launch *launch, unsigned member, uint64_t groups, double seconds,
                          bool first);
/* Likewise for a part that is one package. */
void cx_launch_learn_package(struct cx_launch *launch, unsigned member, enum cx_variant variant,
                             bool at_start, uint64_t groups, double seconds);
/* Likewise for a whole launch, of whose work-groups the number may not be known (0). */
void cx_launch_learn_whole(struct cx_launch *launch, unsigned member, uint64_t groups, double seconds);

#endif
