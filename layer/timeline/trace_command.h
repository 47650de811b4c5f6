/* SPDX-License-Identifier: MIT */
/*
 * Trace rows of commands and waits. A context has rows for its members, the host's worker, the program's
 * waits with decisions, the launches, the analyses, and each member's builds; each queue has one. All
 * functions do nothing if COEXEC_TRACE is not set. Thread-safe. Next: trace.h.
 */
#ifndef CX_LAYER_TIMELINE_TRACE_COMMAND_H
#define CX_LAYER_TIMELINE_TRACE_COMMAND_H

#include <stdint.h>

struct cx_command;
struct cx_context;
struct cx_queue;
struct cx_worker;

/* Reserve the rows of a new context or queue. Called by queue.c and api/context.c. */
void cx_trace_context(struct cx_context *context);
void cx_trace_queue(struct cx_queue *queue);
/* The row of a worker, and of a member's builds. Called by memory/trace_transfer.c, plan/trace_launch.c
 * and program/trace_build.c. */
unsigned cx_trace_worker(const struct cx_worker *worker);
unsigned cx_trace_builds(const struct cx_context *context, unsigned member);
/* The rows of a context's waits and decisions, of its launches, and of its analyses. Called by
 * plan/trace_launch.c, program/build.c and program/variant.c. */
unsigned cx_trace_waits(const struct cx_context *context);
unsigned cx_trace_launches(const struct cx_context *context);
unsigned cx_trace_analyses(const struct cx_context *context);

/* Writes a complete command of the program, from its first start to its last end. Called by command.c. */
void cx_trace_command(const struct cx_command *command);
/* Writes a wait of the program for an object, named by kind and id, from since_ns (host ns; 0: tracing was
 * off) until now. Called by command.c and queue.c. */
void cx_trace_wait(const struct cx_context *context, const char *what, uint64_t id, uint64_t since_ns);

#endif
