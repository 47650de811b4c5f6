/* SPDX-License-Identifier: MIT */
/*
 * Carries out what the planner decides of a launch. Under context->lock. Previous stage: plan.h. Next:
 * whole.c, static.c (shares known beforehand), split.c or prefix.h.
 */
#ifndef CX_LAYER_LAUNCH_START_H
#define CX_LAYER_LAUNCH_START_H

#include "layer/timeline/context.h"

struct cx_command;
struct cx_launch;
struct cx_split_plan;

/* cx_command_ops.plan of a launch. Called through a pointer set in api/enqueue_kernel.c. */
void cx_start_launch(struct cx_command *command) CX_HOLDS(cx_context_locked);
/* A split that is decided; takes the plan over. Called by prefix.c. */
void cx_start_split(struct cx_launch *launch, struct cx_split_plan *plan) CX_HOLDS(cx_context_locked);

#endif
