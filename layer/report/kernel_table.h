/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_SUMMARY: what every kernel function did, printed at exit on stderr or at the end of
 * COEXEC_SUMMARY_FILE. Thread-safe. The records live for the process.
 */
#ifndef CX_LAYER_REPORT_KERNEL_TABLE_H
#define CX_LAYER_REPORT_KERNEL_TABLE_H

struct cx_function_stats;
struct cx_launch;

/* The record of all kernels of that name. NULL without memory. */
struct cx_function_stats *cx_stats_function(const char *name);
/* Counts a launch that COEXEC_VERIFY looked at. Accepts NULL. */
enum cx_verified { CX_VERIFIED_SAME, CX_VERIFIED_DIFFERS, CX_VERIFIED_NOT, CX_VERIFIED_COUNT };
void cx_stats_verified(struct cx_function_stats *stats, enum cx_verified outcome);
/* Counts a decision about a real device (by its index), with its reason, a static text, where a summary is
 * asked for. Accepts NULL. May be called under context->lock. */
void cx_stats_decided(struct cx_function_stats *stats, unsigned device, const char *reason);
/* Counts a finished launch. */
void cx_stats_launch(const struct cx_launch *launch);
/* Prints the table now (also done at exit with COEXEC_SUMMARY=1). */
void cx_stats_print(void);

#endif
