/* SPDX-License-Identifier: MIT */
/*
 * What private copies cost (private_copies.h): the bytes that they take. Thread-safe.
 */
#ifndef CX_LAYER_PLAN_PRIVATE_COST_H
#define CX_LAYER_PLAN_PRIVATE_COST_H

#include "layer/plan/plan.h"

/* Whether the launch updates private copies of the argument's buffer. whole: what it touches, by argument. */
bool cx_private_covers(const struct cx_launch *launch, unsigned arg, const struct cx_access_region *whole);
/* Bytes of one part's copies: for the planner's costs. */
uint64_t cx_private_bytes(const struct cx_launch *launch, const struct cx_access_region *whole);

#endif
