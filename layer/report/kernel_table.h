/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_SUMMARY: a table with a row for each kernel function, printed at exit on standard error or appended
 * to COEXEC_SUMMARY_FILE. Launches are counted one by one; whole launches are timed as samples (whole.c), and
 * those between two samples count as taking as long for a work-item as the next sample (of the last ones: as
 * the last sample). Thread-safe. The records live as long as the process.
 */
#ifndef CX_LAYER_REPORT_KERNEL_TABLE_H
#define CX_LAYER_REPORT_KERNEL_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct cx_function_stats;

/* The record of all kernels of that name, made at the first call. NULL: no memory. Called by
 * program/function.c. */
struct cx_function_stats *cx_kernel_table_function(const char *name);
/* Counts a launch that COEXEC_VERIFY checked, with the outcome. Accepts NULL. Called by launch/verify.c. */
enum cx_verified { CX_VERIFIED_SAME, CX_VERIFIED_DIFFERS, CX_VERIFIED_NOT, CX_VERIFIED_COUNT };
void cx_kernel_table_verified(struct cx_function_stats *stats, enum cx_verified outcome);
/* Counts a decision about a real device (given by its index) and the reason, a static text, if a summary is
 * wanted. Accepts NULL. May be called under context->lock. Called by plan/launch_stats.c. */
void cx_kernel_table_decided(struct cx_function_stats *stats, unsigned device, const char *reason);

/* The part of a finished launch that one real device did. Times in ns on the host's clock. */
struct cx_kernel_table_part {
    unsigned device;    /* its index */
    const char *name;   /* lives as long as the process */
    unsigned cpu_units; /* gain.h */
    uint64_t packages, groups, busy_ns;
    uint64_t first_ns, last_ns; /* start and end; 0: unknown */
};
/* A finished launch. */
struct cx_kernel_table_run {
    const struct cx_kernel_table_part *part;
    unsigned nparts;
    uint64_t items; /* its work-items */
    uint64_t moved, changed,
        combined; /* bytes moved to devices; found changed by a merge; combined on the host */
    bool merges, has_private, remote_access; /* the write protocols of a split launch */
    const char *reason;                      /* why it ran whole or split; NULL: not known */
    const char *where;                       /* the place in the source that the reason is about, as text */
    uint32_t line;                           /* ... its line */
};
/* Adds a finished launch to the record. Accepts NULL for the record. Called by plan/launch_stats.c. */
void cx_kernel_table_launch(struct cx_function_stats *stats, const struct cx_kernel_table_run *run);

/* The number of a reason for whole launches, which the next function takes; 0: there is no room for it. text,
 * where, line: as above. Accepts NULL for the record. May be called under context->lock. Called by
 * plan/launch_stats.c. */
unsigned cx_kernel_table_reason(struct cx_function_stats *stats, const char *text, const char *where,
                                uint32_t line);
/* A finished launch that repeated one before (launch/replay.h), whole on one device and untimed. */
struct cx_kernel_table_repeat {
    unsigned device;  /* its index */
    const char *name; /* lives as long as the process */
    unsigned reason;  /* of cx_kernel_table_reason */
    uint64_t groups, items;
    bool failed; /* it computed nothing */
};
/* Adds it to the record. Accepts NULL for the record. Called by plan/launch_stats.c. */
void cx_kernel_table_repeated(struct cx_function_stats *stats, const struct cx_kernel_table_repeat *repeat);

/* What the summary tells of energy (COEXEC_POWER), both called at exit only. head: lines below the first
 * ones. joules: what a kernel, given by its record, consumed that took so long, while devices (by index, n of
 * them) computed so long, in seconds; NAN: not known. A static struct. Called by api/power.c. */
struct cx_kernel_table_energy {
    void (*head)(FILE *out);
    double (*joules)(const struct cx_function_stats *stats, double seconds, const double *busy, unsigned n);
};
void cx_kernel_table_energy(const struct cx_kernel_table_energy *energy);

/* Registers print(), which writes lines behind the table, in the order of registration; once for each
 * function. Called by api/context.c. */
void cx_kernel_table_append(void (*print)(FILE *out));

#endif
