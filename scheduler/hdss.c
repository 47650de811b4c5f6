/* SPDX-License-Identifier: MIT */
/*
 * HDSS: training with growing packages, then guided self-scheduling weighted by the trained speeds.
 * Belviranli et al., "A dynamic self-scheduling scheme for heterogeneous multiprocessor architectures" (TACO
 * 2013), as "LogFit" describes it in section 5.1. Training: a device's first four packages double in size
 * from what fills it; from then on y = a ln(x) + b, fitted to all of its samples, gives its speed and its
 * next package (as in logfit.c). Training ends when every device's fitted speed changed by less than
 * hdss_settled = 1 % at its newest package, or when hdss_training = 20 % of the work is given out. Then
 * package_i = Gr w_i / (k sum w), Gr the groups left, w_i the fitted speed, no longer changed; k = hdss_k is
 * not in our texts and comes from the sweep in docs/balancers.md. Ours: a device with fewer than four samples
 * at the end of training counts with its speed as known at any time; a training package is at most its
 * device's equal part of the training share.
 */
#include "scheduler/curve.h"
#include <math.h>

enum { FIRST_SAMPLES = 4 };

struct hdss_device {
    struct cx_curve curve;
    unsigned seen; /* packages measured when last looked at */
    double speed;  /* fitted; 0 before the first four samples */
    bool settled;
};

static bool training_over(const struct cx_balancer *balancer)
{
    const struct hdss_device *all = balancer->data;
    double given = (double)(balancer->groups - balancer->remaining);
    if (given >= balancer->params.hdss_training * (double)balancer->groups)
        return true;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        if (!balancer->devices[i].failed && !all[i].settled)
            return false;
    }
    return true;
}

static double training_size(const struct cx_balancer *balancer, unsigned index)
{
    const struct hdss_device *own = (const struct hdss_device *)balancer->data + index;
    const struct cx_device_state *device = &balancer->devices[index];
    double unit = (double)cx_package_minimum(balancer, index), size;
    if (own->curve.samples < FIRST_SAMPLES)
        size = unit * pow(2, fmin(device->packages + device->nflight, FIRST_SAMPLES - 1));
    else
        size = cx_curve_chunk(&own->curve, unit, balancer->params.hdss_threshold);
    return fmin(size, balancer->params.hdss_training * (double)balancer->groups / balancer->nlive);
}

static double weight(const struct cx_balancer *balancer, unsigned index, double now)
{
    const struct hdss_device *own = (const struct hdss_device *)balancer->data + index;
    if (balancer->devices[index].failed)
        return 0;
    return own->speed > 0 ? own->speed : cx_speed_now(balancer, index, now);
}

static uint64_t hdss_next(struct cx_balancer *balancer, unsigned index, double now)
{
    if (training_over(balancer)) {
        double size, sum = 0;
        for (unsigned i = 0; i < balancer->ndevices; i++)
            sum += weight(balancer, i, now);
        size = (double)balancer->remaining * (weight(balancer, index, now) / sum) / balancer->params.hdss_k;
        return cx_package_sized(balancer, index, size, CX_DECIDED_FITTED);
    }
    return cx_package_sized(balancer, index, training_size(balancer, index), CX_DECIDED_PROBE);
}

static void hdss_done(struct cx_balancer *balancer, unsigned index, double now)
{
    (void)now;
    struct hdss_device *own = (struct hdss_device *)balancer->data + index;
    const struct cx_device_state *device = &balancer->devices[index];
    if (device->samples == own->seen || training_over(balancer))
        return;
    own->seen = device->samples;
    struct cx_curve_sample newest = cx_curve_newest(device);
    cx_curve_add(&own->curve, newest);
    if (own->curve.samples < FIRST_SAMPLES)
        return;
    double speed = cx_curve_at(&own->curve, newest.groups);
    own->settled = own->speed > 0 && fabs(speed - own->speed) < balancer->params.hdss_settled * own->speed;
    own->speed = speed;
}

const struct cx_policy cx_policy_hdss = {
    .name = "hdss",
    .help = "growing packages to learn speeds, then shrinking ones by those",
    .starts_small = true,
    .published = offsetof(struct cx_balancer_params, hdss_published),
    .data_size_per_device = sizeof(struct hdss_device),
    .next = hdss_next,
    .done = hdss_done,
};
