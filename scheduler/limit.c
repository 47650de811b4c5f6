/* SPDX-License-Identifier: MIT */
/*
 * The rules that keep promise 2 of the design (never slower) inside a launch, over every dynamic policy:
 * a package ends no later than all devices could end together; a device is refused where its smallest package
 * would end after the others end without it; a device never measured starts small. With a policy's parameter
 * published=1 only admission's probes are bounded, and the fastest device is never refused. Previous stage:
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

/* Whether it is there to go on with the launch in another's stead. */
static bool goes_on(const struct cx_balancer *balancer, const struct cx_device_state *device)
{
    return !device->failed && !device->given.absent && !device->left_out && !on_probation(balancer, device);
}

/* What the rules ask of all devices. */
struct outlook {
    struct cx_pace own;
    bool fastest;    /* among those not on probation that are there */
    double without;  /* seconds in which the other known ones that are there finish what is left and what they
                      * hold; INFINITY where there are none */
    double together; /* likewise all live ones: 0 where there are none */
};

static struct outlook look(const struct cx_balancer *balancer, unsigned index, double now)
{
    struct outlook look = {.own = cx_pace_now(balancer, index, now), .fastest = true};
    double left = (double)balancer->remaining, speeds = 0, groups = left, all_speeds = 0, all_groups = left;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        const struct cx_device_state *device = &balancer->devices[i];
        struct cx_pace pace = i == index ? look.own : cx_pace_now(balancer, i, now);
        double holds = pace.speed * pace.backlog;
        if (device->left_out && i != index)
            continue;
        all_speeds += pace.speed;
        all_groups += holds;
        if (i == index)
            continue;
        if (pace.speed > look.own.speed && goes_on(balancer, device))
            look.fastest = false;
        if (is_known(device) && !device->given.absent) {
            speeds += pace.speed;
            groups += holds;
        }
    }
    look.without = speeds > 0 ? groups / speeds : INFINITY;
    look.together = all_speeds > 0 ? all_groups / all_speeds : 0;
    return look;
}

bool cx_package_must(const struct cx_balancer *balancer, unsigned index, double now)
{
    if (balancer->devices[index].nflight > 0 || balancer->devices[index].left_out)
        return false;
    double speed = cx_speed_now(balancer, index, now);
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        const struct cx_device_state *other = &balancer->devices[i];
        if (i != index && goes_on(balancer, other) && cx_speed_now(balancer, i, now) > speed)
            return false;
    }
    return true;
}

/* The part of want that ends with everybody else, given that speeds are known. */
static uint64_t limit_by_end(const struct cx_balancer *balancer, unsigned index, uint64_t want,
                             uint64_t minimum, const struct outlook *look)
{
    const struct cx_device_state *device = &balancer->devices[index];
    bool must = device->nflight == 0 && look->fastest;
    if (!must && look->own.backlog + cx_groups_filled(device, minimum) / look->own.speed > look->without)
        return 0;
    /* Rounded up: a fraction of a group is no reason to leave one over for later. */
    double share = ceil(look->own.speed * (look->together - look->own.backlog) - 0.01);
    uint64_t most = cx_groups_clamp(share, balancer->remaining);
    most = most > minimum ? most : minimum;
    return want < most ? want : most;
}

uint64_t cx_package_limit(const struct cx_balancer *balancer, unsigned index, uint64_t want, double now)
{
    const struct cx_device_state *device = &balancer->devices[index];
    uint64_t minimum = cx_package_minimum(balancer, index);
    const bool probation = on_probation(balancer, device);
    if (probation) {
        if (device->assigned > 0)
            return 0;
        minimum = 1;
        want = want < device->given.first_package ? want : device->given.first_package;
    } else if (cx_as_published(balancer)) {
        return want > 0 ? want : minimum;
    } else if (device->samples == 0 && !device->trusted && balancer->nlive > 1 &&
               !balancer->policy->starts_small) {
        want /= UNMEASURED_DIVISOR;
    }
    struct outlook all = {0};
    if (balancer->measured)
        all = look(balancer, index, now);
    if (balancer->measured && !probation) {
        double seconds = LAUNCHES_A_PACKAGE * device->given.launch_seconds;
        uint64_t worth = cx_groups_clamp(seconds * all.own.speed, balancer->remaining);
        want = want > worth ? want : worth;
    }
    minimum = minimum < balancer->remaining ? minimum : balancer->remaining;
    want = want > minimum ? want : minimum;
    return balancer->measured ? limit_by_end(balancer, index, want, minimum, &all) : want;
}
