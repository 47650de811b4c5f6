/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_TRACE: a file in Chrome's trace-event JSON (array form). It is complete JSON at any time, also while
 * the program runs or if it crashes. It describes the process that opened it, not children made by fork().
 * Viewers take the blocks of one row for nested calls, so blocks that overlap in part go to further rows
 * beside the first (its lanes). Thread-safe. If tracing is off, a call costs one test.
 */
#ifndef CX_LAYER_REPORT_TRACE_H
#define CX_LAYER_REPORT_TRACE_H

#include <stdbool.h>
#include <stdint.h>

/* A lane's number in the file (tid) is its row's number plus this for each lane after the first. */
enum { CX_TRACE_LANE = 1000 };

/* Whether COEXEC_TRACE is set. Called in all rooms before anything is traced. */
bool cx_trace_on(void);
/* Reserves `count` consecutive rows and returns the first one's number. There are fewer than CX_TRACE_LANE
 * rows; when they are used up, the last ones are shared. Called by timeline/trace_command.c. */
unsigned cx_trace_rows(unsigned count);
/* Names a row; only the first name counts. Called by timeline/trace_command.c. */
void cx_trace_name(unsigned row, const char *name);

/* The members of a JSON object (without braces), added one by one; a member that does not fit is left out.
 * Names are plain words. Called by launch/, memory/, plan/, program/, source/ and timeline/. */
struct cx_trace_args {
    char text[1200];
    unsigned used;
};
void cx_trace_text(struct cx_trace_args *args, const char *name, const char *value);
void cx_trace_number(struct cx_trace_args *args, const char *name, double value);
void cx_trace_count(struct cx_trace_args *args, const char *name, uint64_t value);
void cx_trace_flag(struct cx_trace_args *args, const char *name, bool value);
void cx_trace_numbers(struct cx_trace_args *args, const char *name, const double *value, unsigned count);

/* Writes what a counter named `name` shows from at_ns on: `args` are its numbers. Called by
 * plan/trace_launch.c. */
void cx_trace_counter(const char *name, uint64_t at_ns, const struct cx_trace_args *args);
/* Adds to the counter of bytes moved, at the time when they had arrived. Called by memory/trace_transfer.c.
 */
void cx_trace_moved(uint64_t bytes, uint64_t at_ns);
/* Counts a row's device as busy from start to end. The counter of busy devices is written in the order of
 * time, some blocks later than they are told, the last ones at exit: a program that is killed lacks these.
 * Called by plan/trace_launch.c. */
void cx_trace_busy(unsigned row, uint64_t start_ns, uint64_t end_ns);

/* Writes a block from start to end (ns on the host's clock) on a row. Called by memory/, plan/, program/,
 * source/ and timeline/. */
void cx_trace_span(const char *name, const char *category, unsigned row, uint64_t start_ns, uint64_t end_ns,
                   const struct cx_trace_args *args);

#endif
