/* SPDX-License-Identifier: MIT */
/*
 * Adaptive: growing probe packages on every device, then one predicted share each.
 * Boyer et al., "Load balancing in a changing world" (CF 2013), for two devices, extended to N as in
 * "Sigmoid" (JPDC 2021), section 4.1: each device gets probe packages, the j-th of first G (S_i / S_T)
 * growth^j work-groups, S nominal; when all have finished their number of them, what is left is shared once,
 * so that by the measured speeds all end together (shares.c). A device done with its probes gets further ones
 * until then, of the last size. Parameters: adaptive_first, adaptive_growth, adaptive_probes; the papers
 * leave them to the programmer, ours come from the sweep in docs/balancers.md. Should every group go while a
 * slow device is at its probes, there is no share.
 */
#include "scheduler/policy.h"
#include <math.h>

struct adaptive_data {
    bool shared;       /* probing is over */
    uint64_t shares[]; /* one a device, 0 once fetched */
};

/* Packages given, by what came back and what is in flight. */
static unsigned given(const struct cx_device_state *device)
{
    return device->packages + device->nflight;
}

static bool probing_over(const struct cx_balancer *balancer)
{
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        const struct cx_device_state *device = &balancer->devices[i];
        if (!device->failed && device->packages < balancer->params.adaptive_probes)
            return false;
    }
    return true;
}

static uint64_t adaptive_next(struct cx_balancer *balancer, unsigned index, double now)
{
    struct adaptive_data *data = balancer->data;
    if (!data->shared && probing_over(balancer)) {
        data->shared = true;
        cx_shares_plan(balancer, data->shares, now);
    }
    if (data->shared)
        return cx_package_decided(balancer, index, cx_shares_take(balancer, data->shares, index, now),
                                  CX_DECIDED_AFTER);
    const struct cx_balancer_params *params = &balancer->params;
    double sum = 0, step = fmin(given(&balancer->devices[index]), ceil(params->adaptive_probes) - 1);
    for (unsigned i = 0; i < balancer->ndevices; i++)
        sum += balancer->devices[i].failed ? 0 : balancer->devices[i].start_speed;
    double size = params->adaptive_first * (double)balancer->groups *
                  (balancer->devices[index].start_speed / sum) * pow(params->adaptive_growth, step);
    return cx_package_sized(balancer, index, size, CX_DECIDED_PROBE);
}

const struct cx_policy cx_policy_adaptive = {
    .name = "adaptive",
    .help = "growing probe packages, then one share a device by their speeds",
    .starts_small = true,
    .published = offsetof(struct cx_balancer_params, adaptive_published),
    .data_size = sizeof(struct adaptive_data),
    .data_size_per_device = sizeof(uint64_t),
    .next = adaptive_next,
};
