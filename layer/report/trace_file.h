/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_TRACE: a file in Chrome trace-event JSON (array form; whole JSON at any time, also while the program
 * runs or where it crashed). It tells of the process that opened it, not of children it forks off. Its
 * readers take the blocks of one row for calls within each other: those that overlap in part go to further
 * rows beside the first (its lanes). Thread-safe; nothing but one test when off.
 */
#ifndef CX_LAYER_REPORT_TRACE_FILE_H
#define CX_LAYER_REPORT_TRACE_FILE_H

#include <stdbool.h>
#include <stdint.h>

/* A lane's number in the file (tid): its row, and so much for each lane beside the first. */
enum { CX_TRACE_LANE = 1000 };

bool cx_trace_on(void);
/* The first of that many new rows, one behind the other. There are less than CX_TRACE_LANE; when they are
 * used up the last ones serve again. Called by timeline/trace_command.c. */
unsigned cx_trace_rows(unsigned count);
/* Names a row once. Called by timeline/trace_command.c. */
void cx_trace_name(unsigned row, const char *name);

/* A JSON object's inside (without braces), put together member by member; what has no room is left out. Names
 * are plain words. Called by launch/, memory/, plan/, program/, source/ and timeline/. */
struct cx_trace_args {
    char text[1200];
    unsigned used;
};
void cx_trace_text(struct cx_trace_args *args, const char *name, const char *value);
void cx_trace_number(struct cx_trace_args *args, const char *name, double value);
void cx_trace_count(struct cx_trace_args *args, const char *name, uint64_t value);
void cx_trace_flag(struct cx_trace_args *args, const char *name, bool value);
void cx_trace_numbers(struct cx_trace_args *args, const char *name, const double *value, unsigned count);

/* A block from start to end (host clock, ns) on a row. Called by memory/, plan/, program/, source/ and
 * timeline/. */
void cx_trace_span(const char *name, const char *category, unsigned row, uint64_t start_ns, uint64_t end_ns,
                   const struct cx_trace_args *args);

#endif
