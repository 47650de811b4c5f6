/* SPDX-License-Identifier: MIT */
/*
 * Static: one package a device, sized by its power before the launch begins.
 * "Sigmoid" (JPDC 2021), section 4, and "Co-execution of OpenCL kernels in OmpSs": a_i = floor(G P_i / sum
 * P), the remainder to the most powerful. P_i is the user's power, else the speed measured in earlier
 * launches, else nominal. Shares are counted in units of the granularity; one below the device's minimum goes
 * to the most powerful, too.
 */
#include "scheduler/policy.h"

static uint64_t units(const struct cx_balancer *balancer, uint64_t groups)
{
    return groups / balancer->granularity + (groups % balancer->granularity != 0);
}

static uint64_t share_of(const struct cx_balancer *balancer, unsigned index, double sum, uint64_t total,
                         uint64_t left)
{
    const struct cx_device_state *device = &balancer->devices[index];
    if (device->failed)
        return 0;
    /* A device on probation is here to be measured, whatever its nominal speed promises. */
    if (device->given.first_package > 0) {
        uint64_t bound = units(balancer, device->given.first_package);
        return bound < left / 2 ? bound : left / 2;
    }
    /* The little nudge keeps a quotient that is whole on paper from being floored one too low. */
    double exact = (double)total * (device->start_speed / sum);
    uint64_t share = cx_groups_clamp(exact * (1 + 1e-12), left);
    return share < units(balancer, device->given.min_package) ? 0 : share;
}

static void assign_shares(struct cx_balancer *balancer)
{
    uint64_t *shares = balancer->data; /* one a device, in granularity units; 0 once given */
    uint64_t total = units(balancer, balancer->remaining), left = total;
    unsigned best = cx_most_powerful(balancer);
    if (best == balancer->ndevices)
        return;
    double sum = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++)
        sum += balancer->devices[i].failed ? 0 : balancer->devices[i].start_speed;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        shares[i] = i == best ? 0 : share_of(balancer, i, sum, total, left);
        left -= shares[i];
    }
    shares[best] = left;
}

static uint64_t static_next(struct cx_balancer *balancer, unsigned index, double now)
{
    (void)now;
    uint64_t *shares = balancer->data;
    uint64_t share = shares[index];
    shares[index] = 0;
    bool all = share > balancer->remaining / balancer->granularity;
    return cx_package_decided(balancer, index, all ? balancer->remaining : share * balancer->granularity,
                              CX_DECIDED_SHARE);
}

const struct cx_policy cx_policy_static = {
    .name = "static",
    .help = "one package a device, in proportion to powers known beforehand",
    .is_static = true,
    .data_size_per_device = sizeof(uint64_t),
    .init = assign_shares,
    .next = static_next,
    .regained = assign_shares,
};
