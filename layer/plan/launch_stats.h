/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_SUMMARY and `coexec top`: what the table of kernels and the live counters count of a launch. Next:
 * kernel_table.h, live.h.
 */
#ifndef CX_LAYER_PLAN_LAUNCH_STATS_H
#define CX_LAYER_PLAN_LAUNCH_STATS_H

#include "layer/plan/part_note.h"

#include <stdbool.h>
#include <stdint.h>

struct cx_kernel;
struct cx_launch;
struct cx_real_device;

/* The launch is over, and was the program's. Takes no lock of a context. Called by api/enqueue_kernel.c. */
void cx_launch_stats(const struct cx_launch *launch);

/* Whole launches that repeat one before (launch/replay.h) have no launch of their own to tell of: what the
 * summary counts of each. reason: of cx_launch_reason; groups: 0: not known. */
struct cx_launch_repeat {
    const struct cx_kernel *kernel;
    const struct cx_real_device *device;
    unsigned reason;
    uint64_t groups, items;
    bool failed;
};
/* The number of the reason why a launch runs whole, for those that repeat it; 0: none, or no summary is
 * wanted. Called by launch/replay.c, as is the next. */
unsigned cx_launch_reason(const struct cx_launch *launch);
/* Counts one that is over, if a summary is wanted. Takes no lock of a context. */
void cx_launch_repeated(const struct cx_launch_repeat *repeat);

/* Whether all launches are timed for what is told of them: a trace, or what kernels consume. For a summary
 * alone, samples are. Called by launch/whole.c and launch/replay.c. */
bool cx_launch_times_all(void);

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
