/* SPDX-License-Identifier: MIT */
/*
 * Built-in numbers by which plans bound what is not measured: how much longer than estimated a launch may
 * take on another device, and what drivers do once. Seconds. Previous stage: plan_size.h, which estimates.
 * Next: plan_stake.c for splits, plan_chains.c and follow_data.c for whole launches.
 */
#ifndef CX_LAYER_PLAN_BOUNDS_H
#define CX_LAYER_PLAN_BOUNDS_H

/* How much longer than estimated a package may take on a device that was measured at the kernel; on one like
 * another that was; and on any other. */
#define CX_BOUND_MEASURED 1.25
#define CX_BOUND_ALIKE    1.5
#define CX_BOUND_UNKNOWN  30.0
/* Before a GPU's first kernel in the context, and a kernel's first run on it: at most (an H100 took 0.2 ms,
 * and some for its first pinned memory). */
#define CX_BOUND_FIRST_USE    5e-3
#define CX_BOUND_FIRST_KERNEL 2e-3
/* Of one transfer between whole launches, however small (measured on an H200). */
#define CX_LEAST_MOVE_SECONDS 20e-6

#endif
