/* SPDX-License-Identifier: MIT */
/*
 * Packages in slices: one package of the balancer's, run as several kernels one behind the other, so that
 * what the first ones wrote goes home (launch_home.h) while the others run.
 *
 * A slice costs a launch, and the device the end of a kernel at which it is not full; it gains what moves
 * meanwhile. The number follows from what is known of the kernel's speed there, and of what COEXEC_LINK tells
 * of transfers: a package whose time is not known is one kernel. Previous stage: launch_package.c.
 */
#ifndef CX_LAYER_LAUNCH_SLICE_H
#define CX_LAYER_LAUNCH_SLICE_H

#include "scheduler/ranges.h"

#include <stdint.h>

enum { CX_MOST_SLICES = 8 };

/* How many slices serve best for a package that takes so many seconds and sends so much for so long: of
 * `fill` groups at a time of so many groups in all. Never more than `most`. Any thread. */
unsigned cx_slices_best(double compute_seconds, double send_seconds, double fill, double groups,
                        uint64_t most);
/* Where slice `index` of the range begins, which is cut at multiples of `granularity`; index: count: its end.
 */
uint64_t cx_slice_at(struct cx_range range, uint64_t granularity, unsigned index, unsigned count);

#endif
