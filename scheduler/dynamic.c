/* SPDX-License-Identifier: MIT */
/*
 * Dynamic: equal packages, first come first served.
 * "Co-execution of OpenCL kernels in OmpSs", section on the Dynamic algorithm: the G work-groups are cut into
 * packages of a size that the user gives, the last one smaller; whoever is done gets the next. Parameters:
 * dynamic_size in work-groups; 0 (ours): G / dynamic_packages. The paper tunes the size for each program and
 * names no default; ours comes from the sweep in docs/balancers.md.
 */
#include "scheduler/policy.h"

static uint64_t dynamic_next(struct cx_balancer *balancer, unsigned index, double now)
{
    (void)now;
    double size = balancer->params.dynamic_size;
    if (!(size > 0))
        size = (double)balancer->groups / balancer->params.dynamic_packages;
    uint64_t package = cx_groups_clamp(size, balancer->remaining);
    return cx_package_decided(balancer, index, package > 0 ? package : 1, CX_DECIDED_EQUAL);
}

const struct cx_policy cx_policy_dynamic = {
    .name = "dynamic",
    .help = "packages of equal size, first come first served",
    .starts_small = true,
    .published = offsetof(struct cx_balancer_params, dynamic_published),
    .next = dynamic_next,
};
