/* SPDX-License-Identifier: MIT */
/*
 * Judging a launch by the access summary of its kernel: may it be split, along which dimension, what does
 * each package touch, and how long may it take? Verdicts are kept with the function, the latest ones. Under
 * context->lock. Previous stage: access.h. Next: plan.h.
 */
#ifndef CX_LAYER_PLAN_JUDGE_H
#define CX_LAYER_PLAN_JUDGE_H

#include "layer/plan/plan.h"

/* The arguments as access.h wants them; free() it. NULL: no memory. */
struct cx_access_arg *cx_judge_describe(const struct cx_launch *launch);
/* The launch judged by its summary, or NULL where there is none; borrowed from the function's records. */
struct cx_cached_verdict *cx_judge_launch(struct cx_launch *launch);
/* The same of a launch whose summary and local size are known. spared: NULL, or set where the launch is so
 * short that it is not judged; NULL is returned then. */
struct cx_cached_verdict *cx_judge_args(struct cx_kernel_history *history,
                                        const struct cx_summary_kernel *summary,
                                        const struct cx_launch *launch, bool *skipped);
/* Seconds that the launch may take on the member by the text of its kernel: a guess, far above what most
 * take. */
double cx_judge_longest(const struct cx_launch *launch, const struct cx_cached_verdict *judged,
                        unsigned member);

#endif
