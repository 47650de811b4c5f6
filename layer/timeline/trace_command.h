/* SPDX-License-Identifier: MIT */
/*
 * What the trace tells of commands and waits, and which rows a context has: those of its members, the host's
 * worker, the program where it waits and what was decided, the analyses, and builds for each member; one for
 * each queue. All do nothing when COEXEC_TRACE is not set. Thread-safe. Next: trace_file.h.
 */
#ifndef CX_LAYER_TIMELINE_TRACE_COMMAND_H
#define CX_LAYER_TIMELINE_TRACE_COMMAND_H

#include <stdint.h>

struct cx_command;
struct cx_context;
struct cx_queue;
struct cx_worker;

/* Gives a new context, or queue, its rows. */
void cx_trace_context(struct cx_context *context);
void cx_trace_queue(struct cx_queue *queue);
/* A worker's row, and that of a member's builds. */
unsigned cx_trace_worker(const struct cx_worker *worker);
unsigned cx_trace_builds(const struct cx_context *context, unsigned member);
/* The rows of a context's waits and decisions, and of its analyses. */
unsigned cx_trace_waits(const struct cx_context *context);
unsigned cx_trace_analyses(const struct cx_context *context);

/* A command of the program's that is over, from its first start to its last end. */
void cx_trace_command(const struct cx_command *command);
/* The program waits since then (host ns; 0 when tracing was off) for an object, told by kind and id. */
void cx_trace_wait(const struct cx_context *context, const char *what, uint64_t id, uint64_t since_ns);

#endif
