/* SPDX-License-Identifier: MIT */
/*
 * Compiling ahead: has a CPU's driver compile a kernel for the packages that a split would launch, in a
 * process of its own at idle priority (tools/compile_main.c), while launches stay whole because the split
 * would have to wait for that.
 *
 * PoCL compiles a kernel for each local size, with an offset and without, in the first launch of it. That
 * takes longer than most launches, so a split that has it before it is too dear for most programs, in each of
 * their processes; and what never ran is never compiled. What the driver keeps on disk serves this process
 * and later ones alike. Only of drivers that keep such, and of kernels whose text is known and which take no
 * images. One such process at a time. Previous stage: plan_stake.h. Next: launch_form.h, which learns of it
 * from program/compile_record.h. Under context->lock.
 */
#ifndef CX_LAYER_PLAN_COMPILE_AHEAD_H
#define CX_LAYER_PLAN_COMPILE_AHEAD_H

#include "layer/plan/plan.h"
#include "layer/plan/plan_stake.h"

/* The launch stays whole. saves: seconds that the split would save once all is compiled. Once launches of the
 * kernel have missed a quarter of what compiling takes, it begins. Called by plan_stake.c. */
void cx_compile_ahead(const struct cx_launch *launch, const struct cx_split_plan *plan,
                      struct cx_kernel_history *history, const struct cx_plan_costs *costs, double saves)
    CX_HOLDS(cx_context_locked);

#endif
