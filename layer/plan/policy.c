/* SPDX-License-Identifier: MIT */
/*
 * The chosen balancer. See policy.h.
 */
#include "layer/plan/policy.h"
#include "layer/base/options.h"

#include <stdatomic.h>

const struct cx_policy *cx_plan_policy(void)
{
    static _Atomic(const struct cx_policy *) chosen;
    const struct cx_policy *policy = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (!policy) {
        policy = cx_policy_find(cx_options_get()->algo);
        atomic_store_explicit(&chosen, policy, memory_order_relaxed);
    }
    return policy;
}
