/* SPDX-License-Identifier: MIT */
/*
 * What the trace tells of analyses. Nothing when COEXEC_TRACE is not set. Thread-safe.
 */
#ifndef CX_LAYER_SOURCE_TRACE_ANALYSIS_H
#define CX_LAYER_SOURCE_TRACE_ANALYSIS_H

#include <stdbool.h>
#include <stdint.h>

/* An analysis for a device (and those like it) from then (host ns; 0 when tracing was off) until now, on the
 * given row; the result found on disk, or not. Called by analysis.c. */
void cx_trace_analysis(unsigned row, const char *device, const char *options, bool cached, const char *result,
                       uint64_t since_ns);

#endif
