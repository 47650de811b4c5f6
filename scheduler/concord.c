/* SPDX-License-Identifier: MIT */
/*
 * Concord: accelerators are measured with one package of fixed size while CPUs take small ones, then what is
 * left is split once.
 * Kaleem et al., "Adaptive heterogeneous scheduling for integrated GPUs" (PACT 2014), as "LogFit" describes
 * it in section 5.1: a profile lasts until the accelerator has finished its package; CPUs pick small ones
 * meanwhile. Profiles are repeated until the relative speeds settle or half of the work is processed; then
 * one share each (shares.c). Parameters: concord_profile, the accelerators' packages of one profile as a
 * share of the launch; concord_settled, the relative change of a device's share of all speeds below which
 * they have settled. Both values are not in our texts, they come from the sweep in docs/balancers.md; half of
 * the work is the paper's. Ours: any number of accelerators, each measured with one package a profile by its
 * nominal speed; one done before the others takes small ones like a CPU. Speeds measured in earlier launches
 * count as the profile before the first: the relative speed that it remembers from one time step to the next.
 */
#include "scheduler/policy.h"
#include <math.h>

/* A small package: that part of what the device would do in the time of an accelerator's. */
enum { SMALL_DIVISOR = 8 };

struct concord_device {
    unsigned before; /* packages it had been given when the profile began */
    double relative; /* its part of all speeds, after the profile before; 0: none yet */
};

struct concord_data {
    bool split;
    struct concord_device devices[];
};

static uint64_t *shares_of(const struct cx_balancer *balancer)
{
    struct concord_data *data = balancer->data;
    return (uint64_t *)(void *)(data->devices + balancer->ndevices);
}

/* Whether every accelerator has finished a package that this profile gave it. */
static bool profile_over(const struct cx_balancer *balancer)
{
    const struct concord_data *data = balancer->data;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        const struct cx_device_state *device = &balancer->devices[i];
        if (!device->failed && cx_accelerates(balancer, i) && device->packages <= data->devices[i].before)
            return false;
    }
    return true;
}

/* Notes each device's part of all speeds; whether none changed by more than the settled share of itself. */
static bool speeds_settled(const struct cx_balancer *balancer, double now)
{
    struct concord_data *data = balancer->data;
    bool settled = true;
    double sum = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++)
        sum += cx_speed_now(balancer, i, now);
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        struct concord_device *own = &data->devices[i];
        double relative = sum > 0 ? cx_speed_now(balancer, i, now) / sum : 0;
        double change = fabs(relative - own->relative);
        settled &= balancer->devices[i].failed || change <= balancer->params.concord_settled * own->relative;
        own->relative = relative;
        own->before = balancer->devices[i].packages + balancer->devices[i].nflight;
    }
    return settled;
}

static uint64_t profile_next(struct cx_balancer *balancer, unsigned index, double now)
{
    const struct concord_data *data = balancer->data;
    const struct cx_device_state *device = &balancer->devices[index];
    bool accelerates = cx_accelerates(balancer, index);
    double sum = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++)
        sum += cx_accelerates(balancer, i) ? cx_speed_now(balancer, i, now) : 0;
    double size = balancer->params.concord_profile * (double)balancer->groups *
                  (cx_speed_now(balancer, index, now) / sum);
    if (accelerates && device->packages <= data->devices[index].before) {
        if (device->packages + device->nflight > data->devices[index].before)
            return cx_package_decided(balancer, index, 0, CX_DECIDED_WAIT); /* at it */
    } else {
        size /= SMALL_DIVISOR;
    }
    return cx_package_sized(balancer, index, size, CX_DECIDED_PROBE);
}

static uint64_t concord_next(struct cx_balancer *balancer, unsigned index, double now)
{
    struct concord_data *data = balancer->data;
    if (!data->split && profile_over(balancer)) {
        bool settled = speeds_settled(balancer, now);
        data->split = settled || balancer->remaining <= balancer->groups / 2;
        if (data->split)
            cx_shares_plan(balancer, shares_of(balancer), now);
    }
    if (data->split)
        return cx_package_decided(balancer, index, cx_shares_take(balancer, shares_of(balancer), index, now),
                                  CX_DECIDED_AFTER);
    return profile_next(balancer, index, now);
}

static void concord_init(struct cx_balancer *balancer)
{
    if (balancer->measured)
        speeds_settled(balancer, 0);
}

const struct cx_policy cx_policy_concord = {
    .name = "concord",
    .help = "accelerators measured beside CPUs until speeds settle, then one share a device",
    .starts_small = true,
    .published = offsetof(struct cx_balancer_params, concord_published),
    .data_size = sizeof(struct concord_data),
    .data_size_per_device = sizeof(struct concord_device) + sizeof(uint64_t),
    .init = concord_init,
    .next = concord_next,
};
