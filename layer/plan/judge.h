/* SPDX-License-Identifier: MIT */
/*
 * Judges a launch by the access summary of its kernel: whether it may be split, along which dimension, what
 * each package accesses, and how long it may take. The latest verdicts are cached with the function. Called
 * under context->lock. Previous stage: access.h. Next: plan.h.
 */
#ifndef CX_LAYER_PLAN_JUDGE_H
#define CX_LAYER_PLAN_JUDGE_H

#include "layer/plan/judging_price.h"
#include "layer/plan/plan.h"

/* Makes the description of the arguments that access.h needs; the caller frees it. NULL: no memory. Called
 * by record_launch.c. */
struct cx_access_arg *cx_judge_describe(const struct cx_launch *launch);
/* Judges the launch by its summary. The result belongs to the function's cache. NULL: there is no summary.
 * Called by prefix_rules.c, svm_rules.c, launch/failover.c and launch/whole.c. */
struct cx_cached_verdict *cx_judge_launch(struct cx_launch *launch) CX_HOLDS(cx_context_locked);
/* Like cx_judge_launch for a known summary and local size. skipped: NULL, or set to whether judging pays;
 * where it does not, NULL is returned. Called by plan.c. */
struct cx_cached_verdict *cx_judge_args(struct cx_kernel_history *history,
                                        const struct cx_summary_kernel *summary,
                                        const struct cx_launch *launch, enum cx_judging *skipped)
    CX_HOLDS(cx_context_locked);
/* The same as below of a kernel without loops, before it is judged; infinite for others. Called by
 * prefix_rules.c. */
double cx_judge_straight_longest(const struct cx_launch *launch, const struct cx_summary_kernel *summary,
                                 unsigned member);
/* Seconds that the launch may take on the member, by the kernel's text: a guess, far above what most launches
 * take. Called by plan.c and prefix_rules.c. */
double cx_judge_longest(const struct cx_launch *launch, const struct cx_cached_verdict *judged,
                        unsigned member);

#endif
