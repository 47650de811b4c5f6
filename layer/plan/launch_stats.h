/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_SUMMARY: what the table of kernels counts of a launch. Next: kernel_table.h.
 */
#ifndef CX_LAYER_PLAN_LAUNCH_STATS_H
#define CX_LAYER_PLAN_LAUNCH_STATS_H

#include "layer/plan/part_note.h"

struct cx_launch;

/* The launch is over, and was the program's. Takes no lock of a context. Called by api/enqueue_kernel.c. */
void cx_launch_stats(const struct cx_launch *launch);

/* What was decided about a member, and why. Called by plan/ and launch/. */
void cx_launch_decided(const struct cx_launch *launch, unsigned member, enum cx_part_note note);

#endif
