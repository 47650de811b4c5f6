/* SPDX-License-Identifier: MIT */
/*
 * One share a device of what is left, such that all end together: the second half of the policies that
 * measure first and split once. T = (Gr + sum S_j B_j) / sum S_j, share_i = S_i (T - B_i), with Gr groups
 * left, speeds S and backlogs B (seconds of what a device still holds).
 * Previous stage: policy.h. Next: adaptive.c, concord.c.
 */
#include "scheduler/policy.h"
#include <math.h>

void cx_shares_plan(const struct cx_balancer *balancer, uint64_t *shares, double now)
{
    double speeds = 0, groups = (double)balancer->remaining;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        double speed = cx_speed_now(balancer, i, now);
        speeds += speed;
        groups += speed * cx_backlog_seconds(balancer, i, now);
    }
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        double speed = cx_speed_now(balancer, i, now);
        double seconds = speeds > 0 ? groups / speeds - cx_backlog_seconds(balancer, i, now) : 0;
        /* Rounded up, so that no group is left over for later. */
        shares[i] = speed > 0 ? cx_groups_clamp(ceil(speed * seconds - 0.01), balancer->remaining) : 0;
    }
}

uint64_t cx_shares_take(const struct cx_balancer *balancer, uint64_t *shares, unsigned index, double now)
{
    uint64_t unclaimed = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++)
        unclaimed |= balancer->devices[i].failed ? 0 : shares[i];
    /* All have theirs and something is left (the end's limits, a failure), or this one would idle beside a
     * share that its owner is too slow to fetch. */
    if (shares[index] == 0 && (unclaimed == 0 || balancer->devices[index].nflight == 0))
        cx_shares_plan(balancer, shares, now);
    uint64_t share = shares[index];
    shares[index] = 0;
    return share;
}
