/* SPDX-License-Identifier: MIT */
/*
 * Chooses which steps of a launch a package consists of; the balancer says only how many.
 *
 * Each part has a partition of the range, as long as its expected share, and takes packages from it, every
 * other part from the far end, so that neighbours meet. When its partition is used up, it takes from the
 * fullest partition, at the end that the other part would reach last. So repeated launches find their data
 * where it was computed, and costs that are symmetric about the middle balance by themselves. Steps that come
 * back (a device failed) are taken first. Thread-safety: none; the caller serialises. Used by the layer's
 * dynamic splits and by the simulator.
 */
#ifndef CX_SCHEDULER_RANGES_H
#define CX_SCHEDULER_RANGES_H

#include <stdbool.h>
#include <stdint.h>

/* Steps [first, end) along the split dimension. */
struct cx_range {
    uint64_t first, end;
};

struct cx_ranges {
    unsigned n;
    uint64_t granularity;
    struct cx_range *partition; /* one a part: its steps not assigned yet; odd parts take from the end */
    bool *closed;               /* partitions that other parts may not take from yet */
    struct cx_range *pool;      /* runs that belong to nobody */
    unsigned npool, room_pool;
};

/* Cuts [0, steps) into n partitions in proportion to weight, at multiples of granularity, without the steps
 * in `aside` (may be empty). False: no memory. Called by simulate.c and launch/split.c. */
bool cx_ranges_init(struct cx_ranges *ranges, unsigned n, const double *weight, uint64_t steps,
                    uint64_t granularity, struct cx_range aside);
void cx_ranges_finish(struct cx_ranges *ranges);
/* Up to `steps` (a multiple of the granularity, or all that is left) for this part in one run whose ends are
 * multiples of the granularity or the end of the range; empty when nothing is left. Called by simulate.c
 * and launch/split_package.c. */
struct cx_range cx_ranges_take(struct cx_ranges *ranges, unsigned part, uint64_t steps);
/* The run that a package for this part would be cut from now, from its end where *at_end; empty when nothing
 * is left. Called by auto_place.c. */
struct cx_range cx_ranges_peek(const struct cx_ranges *ranges, unsigned part, bool *at_end);
/* Closes all partitions until each is opened, so that every part gets steps of a launch, however short
 * (tests). Called by launch/split.c, launch/split_member.c and launch/split_package.c. */
void cx_ranges_close(struct cx_ranges *ranges);
void cx_ranges_open(struct cx_ranges *ranges, unsigned part);
/* Whether there is anything that this part may take now. Called by launch/split_member.c and
 * launch/split_package.c. */
bool cx_ranges_any(const struct cx_ranges *ranges, unsigned part);
/* A run comes back. There is room for one from each part, and for what lies aside; false: no memory for more.
 * Called by simulate.c, launch/reexecute.c and launch/split_member.c.
 */
bool cx_ranges_return(struct cx_ranges *ranges, struct cx_range range);

#endif
