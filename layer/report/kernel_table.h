/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_SUMMARY: what every kernel function did, printed at exit on stderr or at the end of
 * COEXEC_SUMMARY_FILE. Thread-safe. The records live for the process.
 */
#ifndef CX_LAYER_REPORT_KERNEL_TABLE_H
#define CX_LAYER_REPORT_KERNEL_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct cx_function_stats;

/* The record of all kernels of that name. NULL without memory. Called by program/function.c. */
struct cx_function_stats *cx_stats_function(const char *name);
/* Counts a launch that COEXEC_VERIFY looked at. Accepts NULL. Called by launch/verify.c. */
enum cx_verified { CX_VERIFIED_SAME, CX_VERIFIED_DIFFERS, CX_VERIFIED_NOT, CX_VERIFIED_COUNT };
void cx_stats_verified(struct cx_function_stats *stats, enum cx_verified outcome);
/* Counts a decision about a real device (by its index), with its reason, a static text, where a summary is
 * asked for. Accepts NULL. May be called under context->lock. Called by plan/launch_stats.c. */
void cx_stats_decided(struct cx_function_stats *stats, unsigned device, const char *reason);

/* What a finished launch did on one real device. Times: ns, of one clock. */
struct cx_stats_part {
    unsigned device;  /* its index */
    const char *name; /* lives as long as the process */
    uint64_t packages, groups, busy_ns;
    uint64_t first_ns, last_ns; /* start and end; 0: unknown */
};
/* A finished launch, of bytes and parts. */
struct cx_stats_run {
    const struct cx_stats_part *part;
    unsigned nparts;
    uint64_t moved, changed, combined;       /* brought to devices; found changed by a merge, and combined */
    bool merges, has_private, remote_access; /* how writes of a split one were kept right */
    const char *reason;                      /* why it is whole or split; NULL: not told */
    const char *where;                       /* what of the source that is about, as text */
    uint32_t line;                           /* ... which tells one from another */
};
/* Counts it. Accepts NULL for the record. Called by plan/launch_stats.c. */
void cx_stats_launch(struct cx_function_stats *stats, const struct cx_stats_run *run);

/* Has print() write lines behind the table, behind those that were appended before; once for each. Called
 * by api/context.c. */
void cx_stats_append(void (*print)(FILE *out));

#endif
