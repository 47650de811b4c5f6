/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_OBJECTIVE: takes members away from a split whose part of it costs more energy than it saves. The
 * powers are those given (watts of COEXEC_DEBUG), else what was measured while the program ran
 * (power/sampler.h). As long as they are not known, time counts, which is said once. Under context->lock.
 * Previous stage: plan_share.c, which knows whom admission found. Next: plan_stake.h.
 */
#ifndef CX_LAYER_PLAN_PLAN_OBJECTIVE_H
#define CX_LAYER_PLAN_PLAN_OBJECTIVE_H

#include "layer/plan/plan.h"

#include <stdio.h>

struct cx_candidates;

/* Takes members away that are to be left out. Where one is left, the decision becomes to run whole there.
 * True: it did so. Called by plan_share.c. */
bool cx_plan_objective(struct cx_launch *launch, const struct cx_split_plan *plan,
                       struct cx_kernel_history *history, struct cx_candidates *all,
                       struct cx_admission_decision *decision) CX_HOLDS(cx_context_locked);

/* The summary's line: what is expected to have been saved. Nothing where time counts. Called by api/power.c.
 */
void cx_plan_objective_print(FILE *out);

#endif
