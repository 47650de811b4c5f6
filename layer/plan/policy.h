/* SPDX-License-Identifier: MIT */
/*
 * The balancer that COEXEC_ALGO names. Thread-safe: options do not change.
 */
#ifndef CX_LAYER_PLAN_POLICY_H
#define CX_LAYER_PLAN_POLICY_H

#include "scheduler/balancer.h"

/* Never NULL. */
const struct cx_policy *cx_plan_policy(void);

#endif
