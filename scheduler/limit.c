/* SPDX-License-Identifier: MIT */
/*
 * The rules that keep promise 2 of the design (never slower) inside a launch, over every dynamic policy:
 * a package ends no later than all devices could end together; a device is refused where its smallest package
 * would end after the others end without it; a device never measured starts small. Previous stage:
 * balancer.c. Next: speeds.c.
 */
#include "scheduler/limit.h"
#include <math.h>

/* An unmeasured device gets a quarter of what the policy says: with two packages in flight, half of a launch
 * would otherwise be given away before anything is known. */
enum { UNMEASURED_DIVISOR = 4 };
/* A package lasts at least this many times what launching it costs, unless it would end late. */
enum { LAUNCHES_A_PACKAGE = 8 };

static bool is_known(const struct cx_device_state *device)
{
    return !device->failed && (device->samples > 0 || device->given.measured_speed > 0);
}

/* A device on probation: bounded first package, not yet done. */
static bool on_probation(const struct cx_balancer *balancer, const struct cx_device_state *device)
{
    return device->given.first_package > 0 && device->done == 0 && balancer->nlive > 1;
}

static bool is_fastest(const struct cx_balancer *balancer, unsigned index, double now)
{
    double speed = cx_speed_now(balancer, index, now);
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        const struct cx_device_state *other = &balancer->devices[i];
        if (i != index && !other->failed && !on_probation(balancer, other) &&
            cx_speed_now(balancer, i, now) > speed)
            return false;
    }
    return true;
}

bool cx_package_must(const struct cx_balancer *balancer, unsigned index, double now)
{
    return balancer->devices[index].nflight == 0 && is_fastest(balancer, index, now);
}

/* Seconds in which all known devices but one finish what is left and what they hold; INFINITY where there are
 * none. */
static double seconds_without(const struct cx_balancer *balancer, unsigned index, double now)
{
    double speeds = 0, groups = (double)balancer->remaining;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        if (i == index || !is_known(&balancer->devices[i]))
            continue;
        double speed = cx_speed_now(balancer, i, now);
        speeds += speed;
        groups += speed * cx_backlog_seconds(balancer, i, now);
    }
    return speeds > 0 ? groups / speeds : INFINITY;
}

/* Seconds in which all live devices together finish what is left and what they hold. */
static double seconds_together(const struct cx_balancer *balancer, double now)
{
    double speeds = 0, groups = (double)balancer->remaining;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        double speed = cx_speed_now(balancer, i, now);
        speeds += speed;
        groups += speed * cx_backlog_seconds(balancer, i, now);
    }
    return speeds > 0 ? groups / speeds : 0;
}

/* The part of want that ends with everybody else, given that speeds are known. */
static uint64_t limit_by_end(const struct cx_balancer *balancer, unsigned index, uint64_t want,
                             uint64_t minimum, double now)
{
    double speed = cx_speed_now(balancer, index, now), backlog = cx_backlog_seconds(balancer, index, now);
    if (!cx_package_must(balancer, index, now) &&
        backlog + cx_package_seconds(balancer, index, minimum, now) > seconds_without(balancer, index, now))
        return 0;
    /* Rounded up: a fraction of a group is no reason to leave one over for later. */
    double share = ceil(speed * (seconds_together(balancer, now) - backlog) - 0.01);
    uint64_t most = cx_groups_clamp(share, balancer->remaining);
    most = most > minimum ? most : minimum;
    return want < most ? want : most;
}

uint64_t cx_package_limit(const struct cx_balancer *balancer, unsigned index, uint64_t want, double now)
{
    const struct cx_device_state *device = &balancer->devices[index];
    uint64_t minimum = cx_package_minimum(balancer, index);
    if (on_probation(balancer, device)) {
        if (device->assigned > 0)
            return 0;
        minimum = 1;
        want = want < device->given.first_package ? want : device->given.first_package;
    } else if (device->samples == 0 && !device->trusted && balancer->nlive > 1 &&
               !balancer->policy->starts_small) {
        want /= UNMEASURED_DIVISOR;
    }
    if (balancer->measured && !on_probation(balancer, device)) {
        double seconds = LAUNCHES_A_PACKAGE * device->given.launch_seconds;
        uint64_t worth = cx_groups_clamp(seconds * cx_speed_now(balancer, index, now), balancer->remaining);
        want = want > worth ? want : worth;
    }
    minimum = minimum < balancer->remaining ? minimum : balancer->remaining;
    want = want > minimum ? want : minimum;
    return balancer->measured ? limit_by_end(balancer, index, want, minimum, now) : want;
}
