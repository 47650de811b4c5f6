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
 * nEU. Ours: any number of accelerators, each with a curve of its own, CPUs following the fastest; without
 * one, the fastest device stands in. With two packages in flight the largest sample is given again until the
 * fourth is back.
 */
#include "scheduler/curve.h"
#include <math.h>

enum { SAMPLES = 4 };

struct logfit_device {
    struct cx_curve_sample sample[SAMPLES];
    unsigned nsamples;
    unsigned seen; /* packages measured when last looked at */
};

static double accelerator_package(const struct cx_balancer *balancer, unsigned index)
{
    const struct logfit_device *own = (const struct logfit_device *)balancer->data + index;
    const struct cx_device_state *device = &balancer->devices[index];
    double unit = (double)cx_package_minimum(balancer, index);
    if (own->nsamples < SAMPLES)
        return unit * pow(2, fmin(device->packages + device->nflight, SAMPLES - 1));
    struct cx_curve curve = {0};
    for (unsigned i = 0; i < SAMPLES; i++)
        cx_curve_add(&curve, own->sample[i]);
    return cx_curve_chunk(&curve, unit, balancer->params.logfit_threshold);
}

static double last_speed(const struct cx_balancer *balancer, unsigned index, double now)
{
    double speed = cx_curve_newest(&balancer->devices[index]).speed;
    return speed > 0 ? speed : cx_speed_now(balancer, index, now);
}

static uint64_t logfit_next(struct cx_balancer *balancer, unsigned index, double now)
{
    const struct logfit_device *own = (const struct logfit_device *)balancer->data + index;
    enum cx_decision why = own->nsamples < SAMPLES ? CX_DECIDED_PROBE : CX_DECIDED_FITTED;
    double size;
    if (cx_accelerates(balancer, index)) {
        size = accelerator_package(balancer, index);
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
    if (device->samples == own->seen)
        return;
    own->seen = device->samples;
    own->nsamples += own->nsamples < SAMPLES;
    own->sample[own->nsamples - 1] = cx_curve_newest(device);
}

const struct cx_policy cx_policy_logfit = {
    .name = "logfit",
    .help = "packages as large as an accelerator's throughput curve asks, CPUs to match",
    .starts_small = true,
    .data_size_per_device = sizeof(struct logfit_device),
    .next = logfit_next,
    .done = logfit_done,
};
