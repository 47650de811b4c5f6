/* SPDX-License-Identifier: MIT */
/*
 * Single: the fastest device takes the launch whole, the baseline of every paper here ("Sigmoid", JPDC 2021,
 * section 5, calls it the baseline system). Fastest by the user's power, else by measured, else by nominal
 * speed; when it fails, the next one takes what it had. No parameters.
 */
#include "scheduler/policy.h"

static uint64_t single_next(struct cx_balancer *balancer, unsigned index, double now)
{
    (void)now;
    return cx_package_decided(balancer, index, index == cx_most_powerful(balancer) ? balancer->remaining : 0,
                              CX_DECIDED_SHARE);
}

const struct cx_policy cx_policy_single = {
    .name = "single",
    .help = "everything to the fastest device",
    .is_static = true,
    .keeps_whole = true,
    .next = single_next,
};
