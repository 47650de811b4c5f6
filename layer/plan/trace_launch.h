/* SPDX-License-Identifier: MIT */
/*
 * What the trace tells of launches: decisions, packages and merges. Nothing when COEXEC_TRACE is not set.
 * Thread-safe.
 */
#ifndef CX_LAYER_PLAN_TRACE_LAUNCH_H
#define CX_LAYER_PLAN_TRACE_LAUNCH_H

#include "layer/report/trace_file.h"

struct cx_launch;
struct cx_part;
struct cx_worker;

/* What was decided about a launch, and from what. */
void cx_trace_plan(const struct cx_launch *launch, bool split);
/* A package, or a whole launch on one member: groups from part->at on, why that many (part->why, NULL: no
 * choice), and how long before its start that was decided and after its end that was noticed. */
void cx_trace_package(const struct cx_launch *launch, const struct cx_part *part, uint64_t groups,
                      uint64_t start_ns, uint64_t end_ns);
/* A step of putting a launch's writes together; `args` gets what launch it was. */
void cx_trace_merge(const struct cx_launch *launch, const struct cx_worker *worker, const char *step,
                    struct cx_trace_args *args, uint64_t start_ns, uint64_t end_ns);

#endif
