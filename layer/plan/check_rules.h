/* SPDX-License-Identifier: MIT */
/*
 * Which launches may be split first and checked afterwards (launch/speculation.h), besides what their kernels
 * and arguments say (access/checked.c): sizes, what the program may see while they run, and how it went of
 * late. After a conflict the kernel's next launches run whole, twice as many after each one that follows.
 * What an undone launch takes counts as loss of the split (plan_stake.h), which reckons with it beforehand.
 *
 * Previous stage: judge.h. Next: plan.c. context->lock held unless said otherwise.
 */
#ifndef CX_LAYER_PLAN_CHECK_RULES_H
#define CX_LAYER_PLAN_CHECK_RULES_H

#include "layer/plan/plan.h"

/* Bytes of all objects that participants have copies of, at most: they are filled, fetched and compared for
 * each participant, while the devices wait. */
#define CX_CHECKED_BYTES (UINT64_C(1) << 20)

/* Bytes at most of what is written besides, which are kept from before (speculation.h). */
#define CX_KEPT_BYTES (UINT64_C(1) << 28)

/* Whether launches of the kernel may be such, as far as that can be told without their numbers. Takes no
 * lock. Called by judge.c and plan.c. */
bool cx_check_counts(const struct cx_summary_kernel *summary);
/* Why a launch that was judged so (verdict.checked) is not split; CX_WHY_NONE: it may be, or it was not
 * judged so. Called by plan.c. */
enum cx_why cx_check_forbids(struct cx_launch *launch, const struct cx_cached_verdict *judged)
    CX_HOLDS(cx_context_locked);
/* Seconds that making and filling copies, keeping what is written besides, and fetching and comparing the
 * copies takes a participant, by the launch's protocols; 0: nothing is checked. whole: its regions, by
 * argument. Called by candidates.c. */
double cx_check_seconds(const struct cx_launch *launch, const struct cx_access_region *whole)
    CX_HOLDS(cx_context_locked);
/* How often, of one time, the launch is to be taken to be undone and to run whole in addition: always where
 * nothing is known, or the last one was undone, and half as often after each that stood; 0: it is not
 * checked. Called by plan_stake.c. */
double cx_check_risk(const struct cx_split_plan *plan, const struct cx_kernel_history *history)
    CX_HOLDS(cx_context_locked);
/* Such a launch was checked. Called by launch/split.c. */
void cx_check_note(const struct cx_launch *launch, bool conflict) CX_HOLDS(cx_context_locked);

#endif
