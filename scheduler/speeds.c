/* SPDX-License-Identifier: MIT */
/*
 * How fast each device is thought to be, in one unit over all devices of a launch.
 * The pitfall this file exists for: nominal GFLOP/s beside one device's measured work-groups/s make shares
 * wrong by orders of magnitude. So nominal numbers are rescaled, at every update, by what the measured
 * devices reach per unit of theirs. Previous stage: balancer.c. Next: the policies.
 */
#include "scheduler/policy.h"
#include <math.h>

double cx_number_clean(double value)
{
    /* Bounds that no real speed or time passes, so that sums and ratios stay finite. */
    if (!isfinite(value) || !(value > 0))
        return 0;
    return cx_lesser(cx_greater(value, 1e-60), 1e60);
}

uint64_t cx_groups_clamp(double value, uint64_t limit)
{
    if (!(value >= 1))
        return 0;
    /* (double)limit may round up past limit; what is below it then converts exactly. */
    if (value >= (double)limit)
        return limit;
    return (uint64_t)value;
}

static double measured_before(const struct cx_balancer_device *device)
{
    return device->measured_speed;
}

static double set_by_user(const struct cx_balancer_device *device)
{
    return device->power;
}

/* Lays better numbers over the start speeds: devices that have one take it, the others keep their place in
 * proportion. The unit becomes the better numbers' own, or stays the old one. */
static void overlay(struct cx_balancer *balancer, double (*better)(const struct cx_balancer_device *),
                    bool take_unit)
{
    double sum_old = 0, sum_better = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        const struct cx_device_state *device = &balancer->devices[i];
        if (better(&device->given) > 0) {
            sum_old += device->start_speed;
            sum_better += better(&device->given);
        }
    }
    if (!(sum_better > 0))
        return;
    double per_better = take_unit ? 1 : sum_old / sum_better;
    double per_old = take_unit ? sum_better / sum_old : 1;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        struct cx_device_state *device = &balancer->devices[i];
        double value = better(&device->given);
        device->start_speed = cx_number_clean(value > 0 ? value * per_better : device->start_speed * per_old);
    }
}

/* Nominal speeds, with the mean of the known ones for the unknown; 1 for all when none is known. */
static void start_nominal(struct cx_balancer *balancer)
{
    double sum = 0;
    unsigned known = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        sum += balancer->devices[i].given.nominal_speed;
        known += balancer->devices[i].given.nominal_speed > 0;
    }
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        struct cx_device_state *device = &balancer->devices[i];
        double nominal = device->given.nominal_speed;
        device->start_speed = nominal > 0 ? nominal : known ? sum / known : 1;
    }
}

void cx_speeds_init(struct cx_balancer *balancer)
{
    start_nominal(balancer);
    overlay(balancer, measured_before, true);
    overlay(balancer, set_by_user, false);
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        struct cx_device_state *device = &balancer->devices[i];
        balancer->measured |= device->given.measured_speed > 0;
        device->trusted = device->given.measured_speed > 0 || device->given.power > 0;
        device->speed = device->start_speed;
    }
    cx_speeds_roles(balancer);
}

void cx_speeds_roles(struct cx_balancer *balancer)
{
    unsigned best = balancer->ndevices;
    balancer->accelerated = false;
    for (unsigned i = 0; i < balancer->ndevices; i++)
        balancer->accelerated |= balancer->devices[i].given.accelerator && !balancer->devices[i].failed;
    for (unsigned pass = 0; pass < 2 && best == balancer->ndevices; pass++) {
        for (unsigned i = 0; i < balancer->ndevices; i++) {
            const struct cx_device_state *device = &balancer->devices[i];
            if (device->failed || (pass == 0 && device->given.first_package > 0))
                continue;
            if (best == balancer->ndevices || device->start_speed > balancer->devices[best].start_speed)
                best = i;
        }
    }
    balancer->powerful = best;
}

/* Mean speed over the last packages: their groups over their seconds. The mean of the speeds would be ruled
 * by one cheap package among dear ones (the edge of a Mandelbrot image) and make the next one as long as the
 * launch. */
static double mean_of_history(const struct cx_device_state *device)
{
    unsigned n = device->samples < CX_SPEED_HISTORY ? device->samples : CX_SPEED_HISTORY;
    double groups = 0, seconds = 0;
    for (unsigned i = 0; i < n; i++) {
        groups += device->history_groups[i];
        seconds += device->history_seconds[i];
    }
    return cx_number_clean(groups / seconds);
}

/* Whether the package counts; forgets a first one that a better one replaces. */
static bool counts(struct cx_device_state *device, bool first)
{
    const bool known = device->trusted || device->samples > 0;
    if (first && known)
        return false;
    if (!first && device->doubtful) {
        device->samples = 0;
        device->measured_groups = 0;
        device->measured_seconds = 0;
    }
    device->doubtful = first;
    return true;
}

void cx_speeds_update(struct cx_balancer *balancer, unsigned index, uint64_t groups, double seconds,
                      bool first)
{
    struct cx_device_state *device = &balancer->devices[index];
    double filled = cx_groups_filled(device, groups), speed = cx_number_clean(filled / seconds);
    if (!(cx_number_clean(seconds) > 0) || speed == 0 || !counts(device, first))
        return;
    unsigned slot = device->samples++ % CX_SPEED_HISTORY;
    device->history[slot] = speed;
    device->history_groups[slot] = filled;
    device->history_seconds[slot] = seconds;
    device->measured_groups += (uint64_t)filled;
    device->measured_seconds += seconds;
    device->speed = mean_of_history(device);
    balancer->measured = true;

    double sum_start = 0, sum_measured = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        if (balancer->devices[i].samples > 0) {
            sum_start += balancer->devices[i].start_speed;
            sum_measured += balancer->devices[i].speed;
        }
    }
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        struct cx_device_state *other = &balancer->devices[i];
        if (other->samples == 0)
            other->speed = cx_number_clean(other->start_speed * (sum_measured / sum_start));
    }
}

double cx_speed_now(const struct cx_balancer *balancer, unsigned index, double now)
{
    const struct cx_device_state *device = &balancer->devices[index];
    if (device->failed)
        return 0;
    if (!balancer->measured || device->nflight == 0 || !(now > device->busy_since))
        return device->speed;
    /* Still at its oldest package: it cannot be faster than if it finished right now. */
    return cx_lesser(device->speed,
                     cx_groups_filled(device, device->flight[0].groups) / (now - device->busy_since));
}

struct cx_pace cx_pace_now(const struct cx_balancer *balancer, unsigned index, double now)
{
    const struct cx_device_state *device = &balancer->devices[index];
    struct cx_pace pace = {.speed = cx_speed_now(balancer, index, now)};
    if (!balancer->measured || !(pace.speed > 0) || device->nflight == 0)
        return pace;
    double groups = 0, worked = now > device->busy_since ? now - device->busy_since : 0;
    for (unsigned i = 0; i < device->nflight; i++)
        groups += cx_groups_filled(device, device->flight[i].groups);
    pace.backlog = cx_greater(groups / pace.speed - worked, 0);
    return pace;
}

bool cx_accelerates(const struct cx_balancer *balancer, unsigned index)
{
    return balancer->accelerated ? balancer->devices[index].given.accelerator : index == balancer->powerful;
}

unsigned cx_fastest_accelerator(const struct cx_balancer *balancer, double now)
{
    unsigned best = 0;
    double highest = -1;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        double speed = cx_speed_now(balancer, i, now);
        if (!balancer->devices[i].failed && cx_accelerates(balancer, i) && speed > highest) {
            highest = speed;
            best = i;
        }
    }
    return best;
}

double cx_backlog_seconds(const struct cx_balancer *balancer, unsigned index, double now)
{
    return cx_pace_now(balancer, index, now).backlog;
}
