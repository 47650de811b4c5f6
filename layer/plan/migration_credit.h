/* SPDX-License-Identifier: MIT */
/*
 * Counts the buffers that launches read and write for scheduler/migration.h, and asks it whether a launch is
 * to be split whatever that has to move. Called under context->lock. Previous stage: plan_share.c.
 */
#ifndef CX_LAYER_PLAN_MIGRATION_CREDIT_H
#define CX_LAYER_PLAN_MIGRATION_CREDIT_H

#include "layer/plan/plan.h"

/* A launch that may be split. */
struct cx_migration_launch {
    const struct cx_split_plan *plan;
    const struct cx_access_region *whole, *package; /* by argument: of the launch, of one package */
    unsigned best;                                  /* in the plan: where it would run whole */
    struct cx_admission_decision in_place; /* the decision about it if its data were wherever it is needed */
    const struct cx_feedback_record *record;
};

/* Counts the launch. Returns whether it is to be split; *gain: seconds gained once the data is in place.
 * Called by plan_share.c. */
bool cx_migration_credit_launch(struct cx_launch *launch, const struct cx_migration_launch *about,
                                double *gain) CX_HOLDS(cx_context_locked);
/* Whether a whole launch is to be counted by cx_migration_credit_whole. Called by launch/whole.c. */
bool cx_migration_credit_counts(const struct cx_launch *launch) CX_HOLDS(cx_context_locked);
/* Counts a whole launch that was not counted. Called by launch/whole.c. */
void cx_migration_credit_whole(struct cx_launch *launch, const struct cx_access_region *regions)
    CX_HOLDS(cx_context_locked);

#endif
