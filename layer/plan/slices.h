/* SPDX-License-Identifier: MIT */
/*
 * Packages in slices: one package of the balancer's, run as several kernels one behind the other, so that
 * what the first ones wrote goes home (write_back.h) while the others run.
 *
 * A slice costs a launch, and the device the end of a kernel at which it is not full, or, where the next
 * slice runs beside that, a part of how long its dearest group runs: slices of cheap groups are over before
 * that. It gains what moves meanwhile. The number follows from what is known of the kernel's speed there, and
 * of what COEXEC_LINK tells of transfers: a package whose time is not known is one kernel. Previous stage:
 * split_package.c.
 */
#ifndef CX_LAYER_PLAN_SLICES_H
#define CX_LAYER_PLAN_SLICES_H

#include "scheduler/ranges.h"

#include <stdbool.h>
#include <stdint.h>

enum { CX_MOST_SLICES = 8 };

/* Seconds that a kernel's end costs, were so many groups to fill the device, of a package of so many groups.
 */
double cx_slice_end(double compute_seconds, double fill, double groups);
/* The same where the next slice runs beside it, of a kernel whose dearest groups take that long (0: who
 * knows), where a mean one takes so long: slices of cheap groups are over before their dearest ones. */
double cx_slice_end_beside(double dearest_seconds, double mean_seconds);
/* How many slices serve best for a package that takes so many seconds and sends so much for so long, where
 * each kernel's end costs so many; sure: that is no guess. Never more than `most`. Any thread. */
unsigned cx_slices_best(double compute_seconds, double send_seconds, double end_seconds, bool sure,
                        uint64_t most);
/* Where slice `index` of the range begins, which is cut at multiples of `granularity`; index: count: its end.
 */
uint64_t cx_slice_at(struct cx_range range, uint64_t granularity, unsigned index, unsigned count);

#endif
