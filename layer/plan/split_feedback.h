/* SPDX-License-Identifier: MIT */
/*
 * Measures what split launches really took, from the moment the context was free for them to the end of their
 * last package, moves included, against the time that one device would have needed for the same packages, and
 * keeps launches whole while that says they should be (scheduler/feedback.h). COEXEC_SPLIT=always and
 * COEXEC_REPRODUCIBLE=1 go without.
 */
#ifndef CX_LAYER_PLAN_SPLIT_FEEDBACK_H
#define CX_LAYER_PLAN_SPLIT_FEEDBACK_H

#include "layer/plan/plan.h"

/* Whether a launch that could be split among the plan's members is to stay whole, with the reason in it.
 * *best is the member that seems best for it, and becomes the one on which all such launches run: their
 * buffers are to meet there. Under context->lock. */
bool cx_split_feedback_keeps_whole(struct cx_launch *launch, const struct cx_split_plan *plan,
                                   const struct cx_kernel_history *history, unsigned *best);
/* It is split: its time begins. counts: false where it moves for others to come (migration_credit.h), which
 * says nothing of them. Under context->lock. */
void cx_split_feedback_begin(struct cx_launch *launch, bool counts);
/* It is over; nothing is done for one that was not split. Takes context->lock. */
void cx_split_feedback_end(struct cx_launch *launch);

#endif
