/* SPDX-License-Identifier: MIT */
/*
 * Questions about options that decide on splitting as a whole. Thread-safe: options do not change.
 */
#ifndef CX_LAYER_BASE_SPLIT_POLICY_H
#define CX_LAYER_BASE_SPLIT_POLICY_H

#include <stdbool.h>

/* Whether every launch that may be split is split, whatever it gains: COEXEC_SPLIT=always or
 * COEXEC_REPRODUCIBLE=1. Called by plan/plan.c and plan/plan_share.c. */
bool cx_split_policy_always(void);
/* Whether split variants are built whatever they may gain: COEXEC_SPLIT=always, or options that make launches
 * wait for them. Called by base/, plan/ and program/. */
bool cx_split_policy_wants_all(void);
/* Whether the time that splits may lose is bounded (COEXEC_BUDGET). Not if one of the other two is true, or
 * options ask for verification, for all builds at once, or for peers at once. Called by api/, plan/ and
 * program/. */
bool cx_split_policy_bounded(void);

#endif
