/* SPDX-License-Identifier: MIT */
/*
 * What the options say about splitting at all. Thread-safe: options do not change.
 */
#ifndef CX_LAYER_BASE_SPLIT_POLICY_H
#define CX_LAYER_BASE_SPLIT_POLICY_H

#include <stdbool.h>

/* Whether what may be split is, whatever it gains: COEXEC_SPLIT=always, or one order of additions for all.
 * Called by plan/plan.c and plan/plan_share.c. */
bool cx_plan_always(void);
/* Whether split variants are built whatever they may gain: COEXEC_SPLIT=always, or launches wait for them.
 * Called by base/, plan/ and program/. */
bool cx_plan_wants_all(void);
/* Whether what splits risk is bounded (COEXEC_BUDGET): not where somebody wants them at any price, or waits
 * for them. Called by api/, plan/ and program/. */
bool cx_plan_bounded(void);

#endif
