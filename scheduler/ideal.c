/* SPDX-License-Identifier: MIT */
/*
 * What cannot be beaten in the simulator's model: a planner who knows every cost and every speed.
 * Previous stage: simulate.h.
 */
#include "scheduler/simulate.h"
#include <math.h>

double cx_sim_alone(const struct cx_sim_load *load, unsigned ndevices, const struct cx_sim_device *devices)
{
    double best = INFINITY;
    for (unsigned i = 0; i < ndevices; i++)
        best =
            fmin(best, devices[i].fixed_seconds + cx_sim_package_seconds(&devices[i], load, 0, load->groups));
    return best;
}

/* The end of the longest package from `first` on that the device ends in time. */
static uint64_t reach(const struct cx_sim_device *device, const struct cx_sim_load *load, uint64_t first,
                      double seconds)
{
    uint64_t low = first, high = load->groups;
    while (low < high) {
        uint64_t middle = high - (high - low) / 2;
        if (device->fixed_seconds + cx_sim_package_seconds(device, load, first, middle - first) <= seconds)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Whether all groups can be done by then: each device takes as many as it can, one behind the other. */
static bool feasible(const struct cx_sim_load *load, unsigned ndevices, const struct cx_sim_device *devices,
                     double seconds)
{
    uint64_t at = 0;
    for (unsigned i = 0; i < ndevices && at < load->groups; i++)
        at = reach(&devices[i], load, at, seconds);
    return at == load->groups;
}

double cx_sim_ideal(const struct cx_sim_load *load, unsigned ndevices, const struct cx_sim_device *devices)
{
    double high = cx_sim_alone(load, ndevices, devices), low = 0;
    for (unsigned round = 0; round < 40; round++) {
        double middle = (low + high) / 2;
        *(feasible(load, ndevices, devices, middle) ? &high : &low) = middle;
    }
    return high;
}

double cx_sim_ideal_balance(const struct cx_sim_load *load, unsigned ndevices,
                            const struct cx_sim_device *devices)
{
    double end = cx_sim_ideal(load, ndevices, devices) * (1 + 1e-9), first = INFINITY, last = 0;
    uint64_t at = 0;
    for (unsigned i = 0; i < ndevices && at < load->groups; i++) {
        uint64_t to = reach(&devices[i], load, at, end);
        if (to == at)
            continue;
        double seconds = devices[i].fixed_seconds + cx_sim_package_seconds(&devices[i], load, at, to - at);
        first = fmin(first, seconds);
        last = fmax(last, seconds);
        at = to;
    }
    return last > 0 ? first / last : 1;
}
