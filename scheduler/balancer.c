/* SPDX-License-Identifier: MIT */
/*
 * What holds for every policy: each group is assigned exactly once, no package is empty, packages are
 * multiples of the granularity save the last, and no device gets a package that would delay the end. Previous
 * stage: balancer.h. Next: speeds.c, limit.c and one file per policy.
 */
#include "scheduler/limit.h"
#include <stdlib.h>

/* p, d and l from the Sigmoid paper (sections 3.3, 3.4); its printed values of k are lost in our copy, ours
 * come from the sweep in docs/balancers.md. HGuided's k is the one of the Sigmoid paper's evaluation. */
const struct cx_balancer_params cx_balancer_defaults = {
    .dynamic_size = 0,
    .dynamic_packages = 128,
    .hguided_k = 2,
    .adaptive_first = 0.05,
    .adaptive_growth = 2,
    .adaptive_probes = 3,
    .sigmoid_k_regular = 0.75,
    .sigmoid_k_irregular = 0.5,
    .sigmoid_p = 0.05,
    .sigmoid_d = 0.25,
    .sigmoid_l = 2,
    .logfit_threshold = 0.01,
    .concord_profile = 0.1,
    .concord_settled = 0.1,
    .hdss_settled = 0.01,
    .hdss_training = 0.2,
    .hdss_k = 3,
};

static double above_zero(double value, double fallback)
{
    value = cx_number_clean(value);
    return value > 0 ? value : fallback;
}

static struct cx_balancer_params clean_params(const struct cx_balancer_params *given)
{
    const struct cx_balancer_params *d = &cx_balancer_defaults;
    if (!given)
        return *d;
    return (struct cx_balancer_params){
        .dynamic_size = cx_number_clean(given->dynamic_size),
        .dynamic_packages = above_zero(given->dynamic_packages, d->dynamic_packages),
        .hguided_k = above_zero(given->hguided_k, d->hguided_k),
        .adaptive_first = above_zero(given->adaptive_first, d->adaptive_first),
        .adaptive_growth = above_zero(given->adaptive_growth, d->adaptive_growth),
        .adaptive_probes = above_zero(given->adaptive_probes, d->adaptive_probes),
        .sigmoid_k_regular = above_zero(given->sigmoid_k_regular, d->sigmoid_k_regular),
        .sigmoid_k_irregular = above_zero(given->sigmoid_k_irregular, d->sigmoid_k_irregular),
        .sigmoid_p = given->sigmoid_p >= 0 && given->sigmoid_p <= 1 ? given->sigmoid_p : d->sigmoid_p,
        .sigmoid_d = above_zero(given->sigmoid_d, d->sigmoid_d),
        .sigmoid_l = above_zero(given->sigmoid_l, d->sigmoid_l),
        .logfit_threshold = above_zero(given->logfit_threshold, d->logfit_threshold),
        .concord_profile = above_zero(given->concord_profile, d->concord_profile),
        .concord_settled = above_zero(given->concord_settled, d->concord_settled),
        .hdss_settled = above_zero(given->hdss_settled, d->hdss_settled),
        .hdss_training = above_zero(given->hdss_training, d->hdss_training),
        .hdss_k = above_zero(given->hdss_k, d->hdss_k),
    };
}

static struct cx_balancer_device clean_device(const struct cx_balancer_device *given)
{
    struct cx_balancer_device device = *given;
    device.nominal_speed = cx_number_clean(device.nominal_speed);
    device.measured_speed = cx_number_clean(device.measured_speed);
    device.power = cx_number_clean(device.power);
    device.launch_seconds = cx_number_clean(device.launch_seconds);
    device.fill = device.fill ? device.fill : 1;
    return device;
}

struct cx_balancer *cx_balancer_create(const struct cx_policy *policy, const struct cx_problem *problem,
                                       const struct cx_balancer_params *params)
{
    unsigned n = problem->ndevices;
    if (!policy || n == 0)
        return NULL;
    struct cx_balancer *balancer = calloc(1, sizeof(*balancer) + n * sizeof(balancer->devices[0]));
    if (!balancer)
        return NULL;
    balancer->data = calloc(1, policy->data_size + n * policy->data_size_per_device + 1);
    if (!balancer->data) {
        cx_balancer_destroy(balancer);
        return NULL;
    }
    balancer->policy = policy;
    balancer->params = clean_params(params);
    balancer->groups = balancer->remaining = problem->groups;
    balancer->granularity = problem->granularity ? problem->granularity : 1;
    balancer->ndevices = balancer->nlive = n;
    for (unsigned i = 0; i < n; i++)
        balancer->devices[i].given = clean_device(&problem->devices[i]);
    cx_speeds_init(balancer);
    if (policy->init)
        policy->init(balancer);
    return balancer;
}

void cx_balancer_destroy(struct cx_balancer *balancer)
{
    if (!balancer)
        return;
    free(balancer->data);
    free(balancer);
}

uint64_t cx_package_minimum(const struct cx_balancer *balancer, unsigned index)
{
    const struct cx_balancer_device *given = &balancer->devices[index].given;
    return given->min_package ? given->min_package : given->fill;
}

/* The multiple of the granularity nearest to want, at least one; everything where less than one would stay.
 */
static uint64_t round_package(const struct cx_balancer *balancer, uint64_t want)
{
    uint64_t unit = balancer->granularity, left = balancer->remaining;
    if (want >= left)
        return left;
    uint64_t below = want - want % unit;
    if (below == 0 || want - below >= unit - (want - below))
        below = left - below > unit ? below + unit : left;
    /* A static share is exact; a dynamic policy's next package would be this remnant alone. */
    if (!balancer->policy->is_static && left - below < unit)
        return left;
    return below;
}

uint64_t cx_balancer_next(struct cx_balancer *balancer, unsigned index, double now)
{
    if (index >= balancer->ndevices || balancer->remaining == 0)
        return 0;
    struct cx_device_state *device = &balancer->devices[index];
    if (device->failed || device->nflight == CX_PACKAGES_IN_FLIGHT)
        return 0;
    now = cx_number_clean(now);
    uint64_t want = balancer->policy->next(balancer, index, now);
    if (!balancer->policy->is_static && (want > 0 || cx_package_must(balancer, index, now)))
        want = cx_package_limit(balancer, index, want, now);
    if (want == 0)
        return 0;
    uint64_t groups = round_package(balancer, want);
    if (device->nflight == 0)
        device->busy_since = now;
    device->flight[device->nflight++] = groups;
    device->assigned += groups;
    balancer->remaining -= groups;
    return groups;
}

static void drop_oldest(struct cx_device_state *device)
{
    device->nflight--;
    for (unsigned i = 0; i < device->nflight; i++)
        device->flight[i] = device->flight[i + 1];
}

void cx_balancer_give_back(struct cx_balancer *balancer, unsigned index, uint64_t groups)
{
    if (index >= balancer->ndevices || balancer->devices[index].nflight == 0)
        return;
    struct cx_device_state *device = &balancer->devices[index];
    uint64_t *newest = &device->flight[device->nflight - 1];
    groups = groups < *newest ? groups : *newest;
    *newest -= groups;
    if (*newest == 0)
        device->nflight--;
    device->assigned -= groups;
    balancer->remaining += groups;
    if (balancer->policy->regained)
        balancer->policy->regained(balancer);
}

void cx_balancer_done(struct cx_balancer *balancer, unsigned index, uint64_t groups, double seconds,
                      double now)
{
    if (index >= balancer->ndevices)
        return;
    struct cx_device_state *device = &balancer->devices[index];
    if (device->failed || device->nflight == 0)
        return;
    groups = groups < device->flight[0] ? groups : device->flight[0];
    device->flight[0] -= groups;
    if (device->flight[0] == 0) {
        drop_oldest(device);
        device->packages++;
    }
    device->done += groups;
    device->busy_since = cx_number_clean(now);
    if (groups > 0)
        cx_speeds_update(balancer, index, groups, seconds);
    if (balancer->policy->done)
        balancer->policy->done(balancer, index, cx_number_clean(now));
}

void cx_balancer_retire(struct cx_balancer *balancer, unsigned index)
{
    if (index >= balancer->ndevices || balancer->devices[index].failed)
        return;
    balancer->devices[index].failed = balancer->devices[index].retired = true;
    balancer->nlive--;
}

void cx_balancer_fail(struct cx_balancer *balancer, unsigned index, uint64_t groups_lost)
{
    if (index >= balancer->ndevices || (balancer->devices[index].failed && !balancer->devices[index].retired))
        return;
    struct cx_device_state *device = &balancer->devices[index];
    balancer->nlive -= !device->failed;
    device->retired = false;
    uint64_t lost = groups_lost < device->assigned ? groups_lost : device->assigned;
    device->failed = true;
    device->nflight = 0;
    device->assigned -= lost;
    device->done = device->assigned;
    device->speed = 0;
    balancer->remaining += lost;
    if (balancer->policy->regained)
        balancer->policy->regained(balancer);
}

uint64_t cx_balancer_remaining(const struct cx_balancer *balancer)
{
    return balancer->remaining;
}

bool cx_balancer_finished(const struct cx_balancer *balancer)
{
    uint64_t done = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++)
        done += balancer->devices[i].done;
    return done == balancer->groups;
}

bool cx_balancer_is_static(const struct cx_balancer *balancer)
{
    return balancer->policy->is_static;
}

void cx_balancer_measured(const struct cx_balancer *balancer, unsigned index, uint64_t *groups,
                          double *seconds)
{
    const struct cx_device_state *device = &balancer->devices[index];
    *groups = device->measured_groups;
    *seconds = device->measured_seconds;
}
