/* SPDX-License-Identifier: MIT */
/*
 * The policies by name. A new one is its own file and a line here.
 * Previous stage: balancer.h. Next: one file per policy.
 */
#include "scheduler/policy.h"
#include <string.h>

static const struct cx_policy *const policies[] = {
    // clang-format off
    &cx_policy_single,
    &cx_policy_static,
    &cx_policy_dynamic,
    &cx_policy_hguided,
    &cx_policy_adaptive,
    &cx_policy_sigmoid,
    &cx_policy_logfit,
    &cx_policy_concord,
    &cx_policy_hdss,
    &cx_policy_marrow,
    &cx_policy_auto,
    // clang-format on
};

const struct cx_policy *cx_policy_get(unsigned index)
{
    return index < sizeof(policies) / sizeof(policies[0]) ? policies[index] : NULL;
}

const struct cx_policy *cx_policy_find(const char *name)
{
    const struct cx_policy *policy;
    for (unsigned i = 0; name && (policy = cx_policy_get(i)); i++) {
        if (strcmp(policy->name, name) == 0)
            return policy;
    }
    return NULL;
}
