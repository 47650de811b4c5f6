/* SPDX-License-Identifier: MIT */
/*
 * The cost model of admission: a device needs launch and fixed moves once, and a constant time a group.
 * Previous stage: predict.h.
 */
#include "scheduler/predict.h"
#include <math.h>

static double cost(double seconds)
{
    return isfinite(seconds) && seconds > 0 ? seconds : 0;
}

/* What moves told to take that long take by what earlier launches showed. */
static double moves(const struct cx_admission_device *device, double seconds)
{
    const double part = cost(device->moves_part);
    return part > 0 ? part * cost(seconds) : cost(seconds);
}

/* Costs of a device without nonsense: finite, at least 0. */
static double offset_of(const struct cx_admission_device *device)
{
    const double fixed = cost(device->fixed_seconds), after = fmin(cost(device->after_seconds), fixed);
    return cost(device->launch_seconds) + after + moves(device, fixed - after);
}

/* Groups/s that a device of this speed reaches when transfers for each group are counted. */
static double rate_of(const struct cx_admission_device *device, double speed)
{
    return speed > 0 ? 1 / (1 / speed + moves(device, device->transfer_seconds)) : 0;
}

double cx_predict_package(const struct cx_admission_device *device, double speed, uint64_t groups)
{
    /* Too few groups to fill the device take as long as those that do. */
    double filled = (double)(groups > device->fill ? groups : device->fill);
    double computing = speed > 0 ? filled / speed : INFINITY;
    return offset_of(device) + computing + (double)groups * moves(device, device->transfer_seconds);
}

/* The end T of a perfect split solves sum of rate_i (T - offset_i) = G over the devices with offset_i < T.
 * Taking out those that would start after the end lowers T, so the loop ends after at most one round a
 * device. */
double cx_predict_split(const struct cx_admission *launch, const struct cx_admission_member *members)
{
    double end = INFINITY;
    for (unsigned round = 0; round <= launch->ndevices; round++) {
        double work = (double)launch->groups, rates = 0;
        for (unsigned i = 0; i < launch->ndevices; i++) {
            double offset = offset_of(&launch->devices[i]);
            if (!members[i].takes_part || offset >= end)
                continue;
            double rate = rate_of(&launch->devices[i], members[i].speed);
            work += rate * offset;
            rates += rate;
        }
        double next = rates > 0 ? work / rates : end;
        if (!(next < end))
            break;
        end = next;
    }
    return end;
}

/* Measured groups/s per unit of nominal speed, over the measured devices of one class, or of all. */
static double scale_of(const struct cx_admission *launch, bool one_class, unsigned device_class)
{
    double measured = 0, nominal = 0;
    for (unsigned i = 0; i < launch->ndevices; i++) {
        const struct cx_admission_device *device = &launch->devices[i];
        double speed = cx_speed_record_speed(device->record);
        if (speed > 0 && cost(device->nominal_speed) > 0 &&
            (!one_class || device->device_class == device_class)) {
            measured += speed;
            nominal += device->nominal_speed;
        }
    }
    return nominal > 0 ? measured / nominal : 0;
}

void cx_predict_speeds(const struct cx_admission *launch, struct cx_admission_member *members)
{
    for (unsigned i = 0; i < launch->ndevices; i++) {
        const struct cx_admission_device *device = &launch->devices[i];
        members[i].speed = cx_speed_record_speed(device->record);
        if (members[i].speed > 0)
            continue;
        double scale = scale_of(launch, true, device->device_class);
        if (scale == 0)
            scale = scale_of(launch, false, 0);
        members[i].speed = cost(device->nominal_speed) * (scale > 0 ? scale : 1);
    }
}
