/* SPDX-License-Identifier: MIT */
/*
 * Slices: one package of the balancer runs as several kernels one after the other, so that results of the
 * first ones are written back (write_back.h) while the others run.
 *
 * A slice costs a launch, and the end of a kernel, at which the device is not full; if the next slice runs
 * beside that, it costs a part of the time of its longest group. It gains the transfers that overlap. The
 * number of slices follows from the kernel's measured speed and the estimated speed of transfers; a package
 * of unknown time is one kernel. Previous stage: split_package.c.
 */
#ifndef CX_LAYER_PLAN_SLICES_H
#define CX_LAYER_PLAN_SLICES_H

#include "scheduler/ranges.h"

#include <stdbool.h>
#include <stdint.h>

enum { CX_MOST_SLICES = 8 };

/* Seconds that a kernel's end costs, for a package of `groups` groups on a device that `fill` groups fill.
 * Called by launch/write_back_slices.c. */
double cx_slice_end(double compute_seconds, double fill, double groups);
/* Like cx_slice_end if the next slice runs beside it: the longest groups take dearest_seconds (0: unknown), a
 * mean one mean_seconds. Called by launch/write_back_slices.c. */
double cx_slice_end_beside(double dearest_seconds, double mean_seconds);
/* The best number of slices, at most `most`, for a package that computes and sends results for these times,
 * if each kernel's end costs end_seconds. sure: the times are measured. Any thread. Called by
 * launch/write_back_slices.c. */
unsigned cx_slices_best(double compute_seconds, double send_seconds, double end_seconds, bool sure,
                        uint64_t most);
/* The step at which slice `index` of the range begins, cut at multiples of `granularity`; for index = count,
 * the range's end. Called by launch/split_package.c, launch/write_back.c and launch/write_back_slices.c. */
uint64_t cx_slice_at(struct cx_range range, uint64_t granularity, unsigned index, unsigned count);

#endif
