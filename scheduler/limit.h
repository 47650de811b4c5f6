/* SPDX-License-Identifier: MIT */
/*
 * How much of what a dynamic policy wants to give a device may be given: nothing that would delay the end.
 * Previous stage: balancer.c.
 */
#ifndef CX_SCHEDULER_LIMIT_H
#define CX_SCHEDULER_LIMIT_H

#include "scheduler/policy.h"

/* want, cut to what the device can finish by the time all can finish together; 0 where even its smallest
 * package would end later than the others end without it. Never 0 for the fastest live device with nothing in
 * flight. Called by balancer.c. */
uint64_t cx_package_limit(const struct cx_balancer *balancer, unsigned device, uint64_t want, double now);

/* Whether the device is the fastest live one and has nothing in flight, so that it may not be refused.
 * Called by balancer.c. */
bool cx_package_must(const struct cx_balancer *balancer, unsigned device, double now);

#endif
