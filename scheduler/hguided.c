/* SPDX-License-Identifier: MIT */
/*
 * HGuided: packages that shrink with the work that is left, in proportion to powers known beforehand.
 * "Sigmoid" (JPDC 2021), section 4, and "Co-execution of OpenCL kernels in OmpSs":
 * package_i = max(min_i, floor(Gr P_i / (k N sum P))), Gr the groups not yet assigned. min_i is the user's,
 * else what fills the device (DefHG). P_i does not follow the speeds of this launch: that is what Sigmoid
 * adds.
 */
#include "scheduler/policy.h"

static uint64_t hguided_next(struct cx_balancer *balancer, unsigned index, double now)
{
    (void)now;
    double sum = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++)
        sum += balancer->devices[i].failed ? 0 : balancer->devices[i].start_speed;
    double share = balancer->devices[index].start_speed / sum;
    double size = (double)balancer->remaining * share / (balancer->params.hguided_k * balancer->nlive);
    return cx_package_sized(balancer, index, size, CX_DECIDED_GUIDED);
}

const struct cx_policy cx_policy_hguided = {
    .name = "hguided",
    .help = "shrinking packages in proportion to powers known beforehand",
    .published = offsetof(struct cx_balancer_params, hguided_published),
    .next = hguided_next,
};
