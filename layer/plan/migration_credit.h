/* SPDX-License-Identifier: MIT */
/*
 * Tells scheduler/migration.h what launches read and write, and hears from it when a launch is to be split
 * whatever that has to move. Under context->lock. Previous stage: plan_share.c.
 */
#ifndef CX_LAYER_PLAN_MIGRATION_CREDIT_H
#define CX_LAYER_PLAN_MIGRATION_CREDIT_H

#include "layer/plan/plan.h"

/* A launch that may be split. */
struct cx_migration_launch {
    const struct cx_split_plan *plan;
    const struct cx_access_region *whole, *package; /* by argument: of the launch, of one package */
    unsigned best;                                  /* in the plan: where it would run whole */
    struct cx_admission_decision in_place;          /* about it, were its data wherever it is needed */
    const struct cx_feedback_record *record;
};

/* Counts it. Gives whether it is to be split; *gain is what that brings once data is in place. */
bool cx_plan_migration(struct cx_launch *launch, const struct cx_migration_launch *about, double *gain);
/* Whether a launch that runs whole is to be counted by the next function. */
bool cx_plan_migration_counts(const struct cx_launch *launch);
/* Counts a launch that runs whole and was not counted. */
void cx_plan_migration_whole(struct cx_launch *launch, const struct cx_access_region *regions);

#endif
