/* SPDX-License-Identifier: MIT */
/*
 * The balancer of a launch: COEXEC_ALGO's for kernels of that name, found when the kernel function was made.
 */
#ifndef CX_LAYER_PLAN_POLICY_H
#define CX_LAYER_PLAN_POLICY_H

#include "layer/plan/plan.h"
#include "layer/program/kernel.h"
#include "scheduler/algo.h"

static inline const struct cx_policy *cx_plan_policy(const struct cx_launch *launch)
{
    return launch->request.kernel->function->algo->policy;
}

#endif
