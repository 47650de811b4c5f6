/* SPDX-License-Identifier: MIT */
/*
 * How many work-groups a multiprocessor of an NVIDIA GPU holds at once, by the equations of the CUDA
 * Occupancy Calculator: what "Sigmoid" (JPDC 2021, section 3.4) takes for its second lower bound b2, times
 * the multiprocessors. Limits of a multiprocessor are those of the CUDA C++ Programming Guide's table of
 * compute capabilities. Reentrant. Previous stage: sigmoid.c, whose b2 is cx_balancer_device.resident.
 */
#ifndef CX_SCHEDULER_OCCUPANCY_H
#define CX_SCHEDULER_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

/* What one multiprocessor has. */
struct cx_multiprocessor {
    unsigned warps, groups;        /* at once, at most */
    unsigned registers;            /* of 32 bits */
    uint64_t local_bytes;          /* local memory ("shared" in CUDA) of all groups together */
    unsigned local_unit, reserved; /* each group's is rounded up to it, and that much is the driver's */
};

/* That of a compute capability, 3.5 to 9.0. False: not known. Called by driver/device.c. */
bool cx_multiprocessor_find(unsigned major, unsigned minor, struct cx_multiprocessor *multiprocessor);
/* Groups of so many work-items that run at once; 0: not even one. registers: of a work-item; 0: not known,
 * and no limit. local_bytes: of a group. Called by plan/plan_size.c. */
unsigned cx_occupancy_groups(const struct cx_multiprocessor *multiprocessor, unsigned items,
                             unsigned registers, uint64_t local_bytes);
/* The part of all warps that those groups are, 0 to 1. Called by tests/scheduler/occupancy.c. */
double cx_occupancy(const struct cx_multiprocessor *multiprocessor, unsigned items, unsigned groups);

#endif
