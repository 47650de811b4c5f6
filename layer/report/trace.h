/* SPDX-License-Identifier: MIT */
/*
 * What the trace tells, and on which rows: of each context those of its members, the host's worker, the
 * program where it waits and what was decided, and builds for each member; one for each queue. All do nothing
 * when COEXEC_TRACE is not set. Thread-safe.
 */
#ifndef CX_LAYER_REPORT_TRACE_H
#define CX_LAYER_REPORT_TRACE_H

#include "layer/report/trace_file.h"

struct cx_command;
struct cx_context;
struct cx_launch;
struct cx_part;
struct cx_program;
struct cx_queue;
struct cx_runs;
struct cx_worker;

/* Gives a new context, or queue, its rows. */
void cx_trace_context(struct cx_context *context);
void cx_trace_queue(struct cx_queue *queue);
/* A worker's row, and that of a member's builds. */
unsigned cx_trace_worker(const struct cx_worker *worker);
unsigned cx_trace_builds(const struct cx_context *context, unsigned member);

/* The row of a context's analyses. */
unsigned cx_trace_analyses(const struct cx_context *context);

/* A command of the program's that is over, from its first start to its last end. */
void cx_trace_command(const struct cx_command *command);
/* The program waits since then (host ns; 0 when tracing was off) for an object, told by kind and id. */
void cx_trace_wait(const struct cx_context *context, const char *what, uint64_t id, uint64_t since_ns);
/* What was decided about a launch, and from what. */
void cx_trace_plan(const struct cx_launch *launch, bool split);
/* A package, or a whole launch on one member: groups from part->at on, why that many (part->why, NULL: no
 * choice), and how long before its start that was decided and after its end that was noticed. */
void cx_trace_package(const struct cx_launch *launch, const struct cx_part *part, uint64_t groups,
                      uint64_t start_ns, uint64_t end_ns);
/* A step of putting a launch's writes together; `args` gets what launch it was. */
void cx_trace_merge(const struct cx_launch *launch, const struct cx_worker *worker, const char *step,
                    struct cx_trace_args *args, uint64_t start_ns, uint64_t end_ns);
/* Transfers that a worker did. */
void cx_trace_runs(const struct cx_runs *runs, const struct cx_worker *worker, uint64_t start_ns,
                   uint64_t end_ns);
/* A member's build, or that of a variant, made of `from`; since then. */
void cx_trace_build(const struct cx_program *program, unsigned member, const char *name, const char *from,
                    const char *options, int error, uint64_t since_ns);

/* An analysis for a device (and those like it) since then; the result found on disk, or not. */
void cx_trace_analysis(unsigned row, const char *device, const char *options, bool cached, const char *result,
                       uint64_t since_ns);

#endif
