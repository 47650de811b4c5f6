/* SPDX-License-Identifier: MIT */
/*
 * Whether judging a launch (judge.h) is worth what it takes: some microseconds to tens of them, which a
 * program that waits for each launch loses. It is where a split could save more than that, by how long such
 * launches take and by how likely a split is: each judgement in a row after which a launch stays whole, as
 * others have not built the program or moving its data does not pay, halves that likelihood, to a 64th. So
 * judging in vain takes less than a hundredth of what the launches take, and launches that come after what
 * kept them whole is over wait for the next judgement no longer than that. Those between have the last one's
 * decision. Under context->lock. Previous stage: plan.h. Next: judge.h.
 */
#ifndef CX_LAYER_PLAN_JUDGING_PRICE_H
#define CX_LAYER_PLAN_JUDGING_PRICE_H

#include "layer/plan/plan.h"

enum cx_judging {
    CX_JUDGING_PAYS,
    CX_JUDGING_TOO_SHORT, /* no split of it could pay for it; counted until such launches together could */
    CX_JUDGING_UNLIKELY   /* judgements of launches of the kernel came to nothing, and this one may, too */
};

/* Whether judging this launch pays, which was not judged before; hash: of cx_access_hash. How long judging
 * takes (verdicts.seconds) is trusted less and less while nothing is judged. Called by judge.c. */
enum cx_judging cx_judging_pays(const struct cx_launch *launch, struct cx_kernel_history *history,
                                uint64_t hash) CX_HOLDS(cx_context_locked);
/* Judging a launch took so many seconds. Called by judge.c. */
void cx_judging_took(struct cx_kernel_history *history, double seconds) CX_HOLDS(cx_context_locked);
/* The launch is decided, or held. If it was judged anew, what came of it counts for the next ones. Called by
 * plan.c. */
void cx_judging_decided(const struct cx_launch *launch, enum cx_plan_kind kind) CX_HOLDS(cx_context_locked);
/* Gives a launch that is not judged (CX_JUDGING_UNLIKELY) the decision of the last one that was. Called by
 * plan.c. */
void cx_judging_repeat(struct cx_launch *launch, const struct cx_kernel_history *history)
    CX_HOLDS(cx_context_locked);

#endif
