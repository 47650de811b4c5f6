/* SPDX-License-Identifier: MIT */
/*
 * Split feedback: compares the real time of split launches (from when the context was free for them to the
 * end of their last package, moves included) with the time that one device would have needed for the same
 * packages, and keeps launches whole while splits lose (scheduler/feedback.h). Not with COEXEC_SPLIT=always
 * or COEXEC_REPRODUCIBLE=1.
 */
#ifndef CX_LAYER_PLAN_SPLIT_FEEDBACK_H
#define CX_LAYER_PLAN_SPLIT_FEEDBACK_H

#include "layer/plan/plan.h"

/* Whether a launch that could be split among the plan's members is kept whole; sets its reason. *best: the
 * member that seems best for it; becomes the one on which all launches kept whole run, so that their buffers
 * are together. Called under context->lock. Called by plan_share.c. */
bool cx_split_feedback_keeps_whole(struct cx_launch *launch, const struct cx_split_plan *plan,
                                   const struct cx_kernel_history *history, unsigned *best)
    CX_HOLDS(cx_context_locked);
/* Called when the launch is split: its time begins. counts: false if it moves data for later launches
 * (migration_credit.h), which is not typical. Called under context->lock. */
void cx_split_feedback_begin(struct cx_launch *launch, bool counts) CX_HOLDS(cx_context_locked);
/* Called when the launch is over; does nothing for one that was not split. Takes context->lock. */
void cx_split_feedback_end(struct cx_launch *launch);

#endif
