/* SPDX-License-Identifier: MIT */
/*
 * Trace rows of launches: decisions, packages and merges. Does nothing if COEXEC_TRACE is not set.
 * Thread-safe.
 */
#ifndef CX_LAYER_PLAN_TRACE_LAUNCH_H
#define CX_LAYER_PLAN_TRACE_LAUNCH_H

#include "layer/report/trace.h"

#include "layer/timeline/context.h"

struct cx_launch;
struct cx_part;
struct cx_worker;

/* Writes the decision about a launch, and what it is based on. Called by plan.c. */
void cx_trace_plan(const struct cx_launch *launch, bool split) CX_HOLDS(cx_context_locked);
/* Writes a package, or a whole launch on one member: groups from part->at on, why that many (part->why, NULL:
 * no choice), and the times from the decision to its start and from its end to when that was noticed.
 * Called by launch/launch.c and launch/split_package.c. */
void cx_trace_package(const struct cx_launch *launch, const struct cx_part *part, uint64_t groups,
                      uint64_t start_ns, uint64_t end_ns);
/* Writes a finished launch: its devices, what each did, and why it ran so. Called by
 * api/enqueue_kernel.c. */
void cx_trace_launch(const struct cx_launch *launch);
/* Writes a step of a merge; adds the launch to `args`. Called by launch/merge.c and
 * launch/private_copies.c. */
void cx_trace_merge(const struct cx_launch *launch, const struct cx_worker *worker, const char *step,
                    struct cx_trace_args *args, uint64_t start_ns, uint64_t end_ns);

#endif
