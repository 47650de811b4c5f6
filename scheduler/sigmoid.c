/* SPDX-License-Identifier: MIT */
/*
 * Sigmoid: packages that stay large for most of the launch and shrink towards its end, by measured speeds.
 * "Sigmoid: an auto-tuned load balancing algorithm for heterogeneous systems" (JPDC 2021), section 3:
 * package_i = max(f_i, b1_i, b2_i), with Gr of G groups not yet assigned, N devices, speeds S_i and their sum
 * S_T, f_i = (S_i / S_T) L tanh(3 k Gr / G), L = G / (l N) (equation 5), b1_i = p t S_i: at worst the share p
 * of the time t so far is spent with one device working, b2_i: the groups that the device holds at once, by
 * the equations of occupancy (section 3.4, occupancy.h), or where these are not known what fills it (a user's
 * minimum stands in its place). k falls for good from k_regular to k_irregular once, on some device, the last
 * three packages' speeds deviate by more than d of their mean (standard deviation over three, not two). L is
 * G / N in OpenMP's guided schedule, to which the paper likens it, and that gives its Table 3: l = 1. Ours: a
 * device here holds two packages, so the second one's b1 counts the first: both together stay within p t; a
 * package that takes longer than its device's speed allows lowers that speed before it ends; and a kernel of
 * which most launches were irregular is taken for irregular from the start. sigmoid_published leaves these
 * out.
 */
#include "scheduler/policy.h"
#include <math.h>

struct sigmoid_data {
    bool irregular; /* goes by k_irregular */
    bool found;     /* this launch is irregular */
    bool seen;      /* ... could be told */
};

static double speed_of(const struct cx_balancer *balancer, unsigned index, double now)
{
    const struct cx_device_state *device = &balancer->devices[index];
    if (cx_as_published(balancer))
        return device->failed ? 0 : device->speed;
    return cx_speed_now(balancer, index, now);
}

static double size_of_curve(const struct cx_balancer *balancer, unsigned index, double now)
{
    const struct sigmoid_data *data = balancer->data;
    const struct cx_balancer_params *params = &balancer->params;
    double sum = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++)
        sum += speed_of(balancer, i, now);
    double k = data->irregular ? params->sigmoid_k_irregular : params->sigmoid_k_regular;
    double largest = (double)balancer->groups / (params->sigmoid_l * balancer->nlive);
    double left = (double)balancer->remaining / (double)balancer->groups;
    return speed_of(balancer, index, now) / sum * largest * tanh(3 * k * left);
}

/* b1, less what the device still has to do, if not as published; 0 while speeds are no groups/s. */
static double size_of_bound(const struct cx_balancer *balancer, unsigned index, double now)
{
    if (!balancer->measured)
        return 0;
    double seconds = balancer->params.sigmoid_p * now;
    if (!cx_as_published(balancer))
        seconds -= cx_backlog_seconds(balancer, index, now);
    return seconds > 0 ? seconds * speed_of(balancer, index, now) : 0;
}

static uint64_t sigmoid_next(struct cx_balancer *balancer, unsigned index, double now)
{
    double curve = size_of_curve(balancer, index, now), bound = size_of_bound(balancer, index, now);
    return cx_package_sized(balancer, index, fmax(curve, bound),
                            curve >= bound ? CX_DECIDED_CURVE : CX_DECIDED_BOUND);
}

static void sigmoid_done(struct cx_balancer *balancer, unsigned index, double now)
{
    (void)now;
    struct sigmoid_data *data = balancer->data;
    const struct cx_device_state *device = &balancer->devices[index];
    if (device->samples < CX_SPEED_HISTORY)
        return;
    double squares = 0, mean = 0;
    for (unsigned i = 0; i < CX_SPEED_HISTORY; i++)
        mean += device->history[i] / CX_SPEED_HISTORY;
    for (unsigned i = 0; i < CX_SPEED_HISTORY; i++)
        squares += (device->history[i] - mean) * (device->history[i] - mean);
    data->seen = true;
    if (sqrt(squares / CX_SPEED_HISTORY) > balancer->params.sigmoid_d * mean)
        data->irregular = data->found = true;
}

static void sigmoid_init(struct cx_balancer *balancer)
{
    struct sigmoid_data *data = balancer->data;
    const struct cx_tuning *tuning = balancer->tuning;
    data->irregular = tuning && tuning->launches > 0 && tuning->irregular > 0.5 && !cx_as_published(balancer);
}

/* The newest launch counts by a third. */
static void sigmoid_keep(const struct cx_balancer *balancer, struct cx_tuning *tuning)
{
    const struct sigmoid_data *data = balancer->data;
    const double newest = tuning->launches > 0 ? 1. / 3 : 1;
    if (!data->seen)
        return;
    tuning->irregular += newest * (data->found - tuning->irregular);
    tuning->launches += tuning->launches < 1000;
}

const struct cx_policy cx_policy_sigmoid = {
    .name = "sigmoid",
    .help = "packages sized by measured speeds, large at first and small at the end",
    .published = offsetof(struct cx_balancer_params, sigmoid_published),
    .by_occupancy = true,
    .data_size = sizeof(struct sigmoid_data),
    .init = sigmoid_init,
    .next = sigmoid_next,
    .done = sigmoid_done,
    .keep = sigmoid_keep,
};
