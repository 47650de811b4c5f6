/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_SUMMARY and `coexec top`: what the table of kernels and the live counters count of a launch. Next:
 * kernel_table.h, live.h.
 */
#ifndef CX_LAYER_PLAN_LAUNCH_STATS_H
#define CX_LAYER_PLAN_LAUNCH_STATS_H

#include "layer/plan/part_note.h"

struct cx_launch;

/* The launch is over, and was the program's. Takes no lock of a context. Called by api/enqueue_kernel.c. */
void cx_launch_stats(const struct cx_launch *launch);

/* The same for the live counters, of one that has parts: split, or begun as slices. Takes no lock of a
 * context. Called by api/enqueue_kernel.c. */
void cx_launch_live(const struct cx_launch *launch);

/* How long it took, for the search for levels to cut CPU devices at (knowledge/cut_search.h). Called by
 * launch/whole.c. */
void cx_launch_took(const struct cx_launch *launch, uint64_t ns);

/* The device's compute units, if it is a CPU: such devices may share cores. Called by trace_launch.c
 * and launch/whole.c, too. */
unsigned cx_launch_cpu_units(const struct cx_launch *launch, unsigned member);

/* What was decided about a member, and why. Called by plan/ and launch/. */
void cx_launch_decided(const struct cx_launch *launch, unsigned member, enum cx_part_note note);

#endif
