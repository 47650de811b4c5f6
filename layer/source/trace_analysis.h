/* SPDX-License-Identifier: MIT */
/*
 * Trace rows of analyses. Does nothing if COEXEC_TRACE is not set. Thread-safe.
 */
#ifndef CX_LAYER_SOURCE_TRACE_ANALYSIS_H
#define CX_LAYER_SOURCE_TRACE_ANALYSIS_H

#include <stdbool.h>
#include <stdint.h>

/* Writes an analysis for a device (and those like it), from since_ns (on the host's clock; 0: tracing was
 * off) until now. cached: the result was found on disk. Called by analysis.c. */
void cx_trace_analysis(unsigned row, const char *device, const char *options, bool cached, const char *result,
                       uint64_t since_ns);

#endif
