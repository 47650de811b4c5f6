/* SPDX-License-Identifier: MIT */
/*
 * LogFit: an accelerator's package is as large as its throughput needs, a CPU's takes as long as that.
 * "LogFit: adaptive partitioning for irregular applications", section 4: an accelerator's first four packages
 * are nEU 2^k groups (k = 0..3); y = a ln(x) + b is fitted to (size, throughput) by least squares, and the
 * package is a / thld, where the curve has flattened to thld; its own result then stands in place of the
 * fourth sample. A CPU gets C = G lambda_C / lambda_G, lambda the throughput of the last package.
 * Parameter: logfit_threshold, thld = 0.01. The paper gives a no unit. Here x counts in nEU and y in parts of
 * the highest throughput sampled, which reproduces the one size it prints (700 with 20 execution units needs
 * a slope of 0.35). Work-groups stand for its iterations, the smallest package (what fills the device) for
 * nEU. The first three samples are kept for the next launch (section 5.1), whose first package is sized by
 * these alone. An accelerator is left out of a rest that is smaller than its package (section 5.2: "not
 * enough to assign to the GPU a chunk sufficiently large"). Ours: any number of accelerators, each with a
 * curve of its own, CPUs following the fastest; without one, the fastest device stands in. With two packages
 * in flight the largest sample is given again until the fourth is back. Where the accelerator would end the
 * rest alone before the others do, by its curve, it is not left out, unless by logfit_published.
 */
#include "scheduler/curve.h"
#include <math.h>

enum { SAMPLES = 4 };

struct logfit_device {
    struct cx_curve_sample sample[SAMPLES];
    unsigned nsamples;
    unsigned seen;         /* packages measured when last looked at */
    bool recalled;         /* samples are those of an earlier launch: none are taken again */
    struct cx_curve curve; /* fitted to the samples */
};

static bool samples(const struct logfit_device *own)
{
    return own->nsamples < SAMPLES && !own->recalled;
}

static void fit(struct logfit_device *own)
{
    own->curve = (struct cx_curve){0};
    for (unsigned i = 0; i < own->nsamples; i++)
        cx_curve_add(&own->curve, own->sample[i]);
}

static double accelerator_package(const struct cx_balancer *balancer, unsigned index)
{
    const struct logfit_device *own = (const struct logfit_device *)balancer->data + index;
    const struct cx_device_state *device = &balancer->devices[index];
    double unit = (double)cx_package_minimum(balancer, index);
    if (samples(own))
        return unit * pow(2, fmin(device->packages + device->nflight, SAMPLES - 1));
    return cx_curve_chunk(&own->curve, unit, balancer->params.logfit_threshold);
}

static double last_speed(const struct cx_balancer *balancer, unsigned index, double now)
{
    double speed = cx_curve_newest(&balancer->devices[index]).speed;
    return speed > 0 ? speed : cx_speed_now(balancer, index, now);
}

/* Whether what is left is for the others, who are there to do it. */
static bool leaves_out(const struct cx_balancer *balancer, unsigned index, double size, double now)
{
    const struct logfit_device *own = (const struct logfit_device *)balancer->data + index;
    const double rest = (double)balancer->remaining;
    double others = 0;
    if (samples(own) || size <= rest)
        return false;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        const struct cx_balancer_device *given = &balancer->devices[i].given;
        if (!cx_accelerates(balancer, i) && !given->absent && given->first_package == 0)
            others += cx_speed_now(balancer, i, now);
    }
    return others > 0 && (cx_as_published(balancer) || cx_curve_at(&own->curve, rest) <= others);
}

/* Of all accelerators at once: a device asked before one that is left out now must not wait for it. */
static void leave_out(struct cx_balancer *balancer, double now)
{
    for (unsigned i = 0; i < balancer->ndevices; i++)
        balancer->devices[i].left_out = !balancer->devices[i].failed && cx_accelerates(balancer, i) &&
                                        leaves_out(balancer, i, accelerator_package(balancer, i), now);
}

static uint64_t logfit_next(struct cx_balancer *balancer, unsigned index, double now)
{
    const struct logfit_device *own = (const struct logfit_device *)balancer->data + index;
    enum cx_decision why = samples(own) ? CX_DECIDED_PROBE : CX_DECIDED_FITTED;
    double size;
    leave_out(balancer, now);
    if (cx_accelerates(balancer, index)) {
        size = accelerator_package(balancer, index);
        if (balancer->devices[index].left_out)
            return cx_package_decided(balancer, index, 0, CX_DECIDED_WAIT);
    } else {
        unsigned fastest = cx_fastest_accelerator(balancer, now);
        double ratio = last_speed(balancer, index, now) / last_speed(balancer, fastest, now);
        size = accelerator_package(balancer, fastest) * ratio;
        why = CX_DECIDED_MATCHED;
    }
    return cx_package_sized(balancer, index, size, why);
}

static void logfit_done(struct cx_balancer *balancer, unsigned index, double now)
{
    (void)now;
    struct logfit_device *own = (struct logfit_device *)balancer->data + index;
    const struct cx_device_state *device = &balancer->devices[index];
    if (device->samples == own->seen || device->doubtful)
        return;
    own->seen = device->samples;
    own->nsamples += own->nsamples < SAMPLES;
    own->sample[own->nsamples - 1] = cx_curve_newest(device);
    fit(own);
}

static void logfit_init(struct cx_balancer *balancer)
{
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        struct logfit_device *own = (struct logfit_device *)balancer->data + i;
        const unsigned slot = balancer->devices[i].given.slot;
        if (!balancer->tuning || slot >= CX_TUNING_DEVICES)
            continue;
        const struct cx_tuning_device *kept = &balancer->tuning->device[slot];
        own->recalled = kept->unit == (double)cx_package_minimum(balancer, i);
        for (unsigned s = 0; s < CX_TUNING_SAMPLES && own->recalled; s++)
            own->sample[own->nsamples++] =
                (struct cx_curve_sample){kept->sample[s].groups, kept->sample[s].speed};
        fit(own);
    }
}

static void logfit_keep(const struct cx_balancer *balancer, struct cx_tuning *tuning)
{
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        const struct logfit_device *own = (const struct logfit_device *)balancer->data + i;
        const unsigned slot = balancer->devices[i].given.slot;
        if (own->recalled || own->nsamples < CX_TUNING_SAMPLES || slot >= CX_TUNING_DEVICES)
            continue;
        struct cx_tuning_device *kept = &tuning->device[slot];
        kept->unit = (double)cx_package_minimum(balancer, i);
        for (unsigned s = 0; s < CX_TUNING_SAMPLES; s++) {
            kept->sample[s].groups = own->sample[s].groups;
            kept->sample[s].speed = own->sample[s].speed;
        }
    }
}

const struct cx_policy cx_policy_logfit = {
    .name = "logfit",
    .help = "packages as large as an accelerator's throughput curve asks, CPUs to match",
    .starts_small = true,
    .published = offsetof(struct cx_balancer_params, logfit_published),
    .data_size_per_device = sizeof(struct logfit_device),
    .init = logfit_init,
    .next = logfit_next,
    .done = logfit_done,
    .keep = logfit_keep,
};
