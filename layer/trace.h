/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_TRACE: a file in Chrome trace-event JSON (array form, valid to its readers while it is still
 * written). Rows are the timelines of each context. Thread-safe; nothing but one test when off.
 */
#ifndef CX_LAYER_TRACE_H
#define CX_LAYER_TRACE_H

#include <stdbool.h>
#include <stdint.h>

bool cx_trace_on(void);
/* A block from start to end (host clock, ns) on a row; `details` is a JSON object's inside (without braces)
 * or NULL. */
void cx_trace_span(const char *name, const char *category, unsigned row, uint64_t start_ns, uint64_t end_ns,
                   const char *details);
/* Names a row once. */
void cx_trace_row(unsigned row, const char *name);

/* Rows of a context with so many members: the members themselves, the host's worker, the program where it
 * waits, builds for each member, and the program's queues (by their id; several may share a row). */
static inline unsigned cx_trace_waits(unsigned nmembers)
{
    return nmembers + 1;
}
static inline unsigned cx_trace_builds(unsigned nmembers, unsigned member)
{
    return nmembers + 2 + member;
}
static inline unsigned cx_trace_queue(unsigned nmembers, uint64_t id)
{
    return 2 * nmembers + 2 + (unsigned)(id % 16);
}

struct cx_command;
struct cx_launch;

/* A command of the program's that is over, from its first start to its last end. */
void cx_trace_command(const struct cx_command *command);
/* The program waits since then (host ns; 0 when tracing was off). */
void cx_trace_wait(unsigned nmembers, uint64_t since_ns);
/* What was decided about a launch, and from what. */
void cx_trace_plan(const struct cx_launch *launch, bool split);

#endif
