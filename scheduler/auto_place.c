/* SPDX-License-Identifier: MIT */
/*
 * What the place of a package tells auto about its length.
 * Previous stage: auto.h. Next: ranges.h.
 */
#include "scheduler/auto.h"
#include <math.h>

/* Where the device's next package will be cut from, in groups. False: nobody told. */
static bool next_run(const struct cx_balancer *balancer, unsigned index, struct cx_range *run, bool *at_end)
{
    if (!balancer->ranges)
        return false;
    *run = cx_ranges_peek(balancer->ranges, index, at_end);
    run->first *= balancer->slice;
    run->end *= balancer->slice;
    run->end = run->end < balancer->groups ? run->end : balancer->groups;
    return run->end > run->first;
}

bool cx_auto_jumps(const struct cx_balancer *balancer, unsigned index)
{
    const struct cx_device_state *device = &balancer->devices[index];
    const struct cx_flight *newest =
        device->nflight ? &device->flight[device->nflight - 1] : &device->newest_done;
    struct cx_range run;
    bool at_end;
    if (newest->first == CX_NOWHERE || newest->groups == 0 || !next_run(balancer, index, &run, &at_end))
        return false;
    uint64_t next = at_end ? run.end : run.first;
    uint64_t from = newest->first, to = newest->first + newest->groups;
    uint64_t away = next > to ? next - to : next < from ? from - next : 0;
    return away > newest->groups;
}

/* Whether the package lies where the next one will be cut from. */
static bool touches(const struct cx_flight *package, const struct cx_range *run, bool at_end)
{
    return package->groups > 0 && package->first != CX_NOWHERE && !package->copy &&
           (at_end ? package->first == run->end : package->first + package->groups == run->first);
}

double cx_auto_neighbours(const struct cx_balancer *balancer, unsigned index, double now)
{
    const struct cx_auto *data = balancer->data;
    struct cx_range run;
    bool at_end;
    double longest = 1;
    if (!next_run(balancer, index, &run, &at_end))
        return 1;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        const struct cx_device_state *device = &balancer->devices[i];
        if (i == index || device->failed)
            continue;
        if (touches(&device->newest_done, &run, at_end) && device->newest_expected > 0)
            longest = fmax(longest, device->newest_seconds / device->newest_expected);
        bool beside = false;
        for (unsigned k = 0; k < device->nflight; k++)
            beside |= touches(&device->flight[k], &run, at_end);
        if (!beside || data->device[i].samples == 0)
            continue;
        double worked = now - device->busy_since - device->given.launch_seconds;
        longest = fmax(longest, worked * data->device[i].view.belief / (double)device->flight[0].groups);
    }
    return longest;
}

double cx_auto_overdue(const struct cx_balancer *balancer, double now)
{
    const struct cx_auto *data = balancer->data;
    double longest = 1;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        const struct cx_device_state *device = &balancer->devices[i];
        const struct cx_auto_device *own = &data->device[i];
        if (own->samples == 0 || device->nflight == 0 || device->failed)
            continue;
        const struct cx_flight *package = &device->flight[0];
        bool beside = own->end > own->first &&
                      (package->first == own->end || package->first + package->groups == own->first);
        if (!beside || package->first == CX_NOWHERE || package->copy)
            continue;
        double worked = now - device->busy_since - device->given.launch_seconds;
        longest = fmax(longest, worked * own->view.belief / cx_auto_filled(balancer, device, package));
    }
    return longest;
}

double cx_auto_local_mean(const struct cx_balancer *balancer, unsigned index, double want, double mean)
{
    const struct cx_auto *data = balancer->data;
    struct cx_range run;
    bool at_end;
    if (!data->learned || !next_run(balancer, index, &run, &at_end))
        return mean;
    const struct cx_cost_model *cost_model = balancer->cost_model;
    const uint64_t all = balancer->groups, length = run.end - run.first;
    const double from =
        cx_cost_model_cost(cost_model, all, 0, at_end ? run.end : run.first) + (at_end ? -want : want);
    const double place = cx_cost_model_place(cost_model, all, fmin(fmax(from / (double)all, 0), 1));
    uint64_t count = cx_groups_clamp(at_end ? (double)run.end - place : place - (double)run.first, length);
    count = count ? count : 1;
    const double cost = cx_cost_model_cost(cost_model, all, at_end ? run.end - count : run.first, count);
    return fmax(cost / (double)count, 1e-6);
}
