/* SPDX-License-Identifier: MIT */
/*
 * How large each device's part of a launch is where its inputs lie with the devices that computed them, and
 * moving them costs more than computing with them.
 *
 * Parts in proportion to measured speeds would be a little different at each launch, and different for each
 * kernel that works on the same buffers; every difference moves data. So a device keeps the part that it has.
 * What the launches lose by that against parts by speeds is summed up, and once it is as much as moving would
 * cost, the parts are cut anew by speeds (ski rental, as in migration.h: at most twice the time of whoever
 * knew before). Speeds are smoothed over launches for this, lest noise alone look like uneven parts.
 *
 * One for each kernel; zeroed: nothing is known. Thread-safety: none, the caller serialises. Previous stage:
 * admission.h. Next: static.c.
 */
#ifndef CX_SCHEDULER_PARTS_H
#define CX_SCHEDULER_PARTS_H

#include <stdbool.h>

enum { CX_PARTS_MOST = 64 };

struct cx_parts {
    unsigned n;                  /* devices of the last launch */
    double lost;                 /* seconds, since parts were last cut by speeds */
    double ideal[CX_PARTS_MOST]; /* parts by speeds, smoothed; their sum is 1 */
};

struct cx_parts_launch {
    unsigned n; /* devices, at most CX_PARTS_MOST; the same ones in the same order at each launch */
    double groups;
    double move_seconds; /* to bring one work-group's inputs to another device */
    const double *owned; /* by device: what it has of the inputs, in any unit */
    const double *speed; /* by device: work-groups/s; 0: unknown */
};

/* Fills in part[0..n-1], parts of 1. Gives whether devices keep what they have; false: cut anew by speeds,
 * and where no device has anything. With a speed unknown they keep it. With neither, parts are equal.
 * Called by plan/plan_share.c. */
bool cx_parts_cut(struct cx_parts *parts, const struct cx_parts_launch *launch, double *part);

#endif
