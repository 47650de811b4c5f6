/* SPDX-License-Identifier: MIT */
/*
 * What splits gained, by estimate: the time that launches took beside the time that they would have taken on
 * the fastest device alone. Pure functions, for the summary and for reports of traces. Thread-safe.
 */
#ifndef CX_LAYER_REPORT_GAIN_H
#define CX_LAYER_REPORT_GAIN_H

#include <stddef.h>
#include <stdint.h>

/* What one device did for a kernel: work-groups, and how long it took, in split launches and in whole ones.
 */
struct cx_gain_device {
    uint64_t split_groups, split_ns;
    uint64_t whole_groups, whole_ns;
    unsigned cpu_units; /* compute units, if it is a CPU device; else 0 */
};

/* How long a kernel's launches would have taken on the device that was fastest at it. span_ns: how long they
 * took, split_span_ns of it the split ones. Devices compete for cores, power or caches where CPU devices work
 * beside each other, so there the speed that a device had alone, in whole launches, counts too, if it was
 * higher. Called by kernel_table.c, live.c and tools/. */
double cx_gain_alone_ns(const struct cx_gain_device *devices, unsigned count, uint64_t span_ns,
                        uint64_t split_span_ns);

/* What makes the estimate doubtful, as text to put behind the word: "; devices share cores", "; the machine
 * is busy", both or "". cpu_units: of all CPU devices that worked beside others; load: threads that want a
 * core, as the system averages them. */
void cx_gain_doubts(char *text, size_t room, unsigned cpu_units, unsigned cores, double load);

/* Cores that this process may run on. Called by kernel_table.c and plan/trace_launch.c. */
unsigned cx_gain_cores(void);

#endif
