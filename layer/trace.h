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

#endif
