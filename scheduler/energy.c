/* SPDX-License-Identifier: MIT */
/*
 * The N nested sets, and the best of them. See energy.h.
 */
#include "scheduler/energy.h"

#include <math.h>

static bool is_power(double watts)
{
    return watts >= 0 && isfinite(watts);
}

static double joules_a_group(const struct cx_energy_device *device)
{
    return device->dynamic_watts / device->speed;
}

/* The cheaper work-group first; of equal ones the faster device, then the first. */
static bool comes_before(const struct cx_energy_device *devices, unsigned a, unsigned b)
{
    const double of_a = joules_a_group(&devices[a]), of_b = joules_a_group(&devices[b]);
    if (of_a != of_b)
        return of_a < of_b;
    return devices[a].speed > devices[b].speed;
}

/* The devices that have a speed, in that order. */
static unsigned in_order(const struct cx_energy_device *devices, unsigned n, unsigned *order)
{
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned at = count;
        if (!(devices[i].speed > 0))
            continue;
        for (; at > 0 && comes_before(devices, i, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = i;
        count++;
    }
    return count;
}

static bool is_sound(const struct cx_energy_device *devices, unsigned n, double groups, double rest_watts)
{
    if (n > CX_ENERGY_MOST || !(groups > 0) || !isfinite(groups) || !is_power(rest_watts))
        return false;
    for (unsigned i = 0; i < n; i++)
        if (!is_power(devices[i].static_watts) || !is_power(devices[i].dynamic_watts) ||
            !(devices[i].speed >= 0) || !isfinite(devices[i].speed))
            return false;
    return true;
}

static double static_watts(const struct cx_energy_device *devices, unsigned n, double rest_watts)
{
    double sum = rest_watts;
    for (unsigned i = 0; i < n; i++)
        sum += devices[i].static_watts;
    return sum;
}

/* All of the set end together after T: each of its devices consumes its dynamic power for all of T. */
static struct cx_energy_choice ending_together(uint64_t members, double groups, double speed, double watts)
{
    struct cx_energy_choice choice = {.members = members, .seconds = groups / speed};
    choice.joules = watts * choice.seconds;
    choice.edp = choice.joules * choice.seconds;
    return choice;
}

double cx_energy_value(const struct cx_energy_choice *choice, enum cx_energy_goal goal)
{
    return goal == CX_ENERGY_TIME ? choice->seconds : goal == CX_ENERGY_JOULES ? choice->joules : choice->edp;
}

struct cx_energy_choice cx_energy_choose(const struct cx_energy_device *devices, unsigned n, double groups,
                                         double rest_watts, enum cx_energy_goal goal)
{
    unsigned order[CX_ENERGY_MOST];
    struct cx_energy_choice best = {0};
    uint64_t members = 0;
    double speed = 0;
    if (!is_sound(devices, n, groups, rest_watts))
        return best;
    double watts = static_watts(devices, n, rest_watts);
    const unsigned count = in_order(devices, n, order);
    for (unsigned m = 0; m < count; m++) {
        members |= UINT64_C(1) << order[m];
        speed += devices[order[m]].speed;
        watts += devices[order[m]].dynamic_watts;
        const struct cx_energy_choice choice = ending_together(members, groups, speed, watts);
        if (!best.members || cx_energy_value(&choice, goal) <= cx_energy_value(&best, goal))
            best = choice;
    }
    return best;
}

struct cx_energy_choice cx_energy_of_set(const struct cx_energy_device *devices, unsigned n, double groups,
                                         double rest_watts, uint64_t members)
{
    double speed = 0;
    if (!is_sound(devices, n, groups, rest_watts))
        return (struct cx_energy_choice){0};
    double watts = static_watts(devices, n, rest_watts);
    for (unsigned i = 0; i < n; i++) {
        if (!(members >> i & 1) || !(devices[i].speed > 0))
            continue;
        speed += devices[i].speed;
        watts += devices[i].dynamic_watts;
    }
    return speed > 0 ? ending_together(members, groups, speed, watts) : (struct cx_energy_choice){0};
}

struct cx_energy_choice cx_energy_of_shares(const struct cx_energy_device *devices, unsigned n,
                                            const double *shares, double rest_watts)
{
    struct cx_energy_choice choice = {0};
    if (!is_sound(devices, n, 1, rest_watts))
        return choice;
    for (unsigned i = 0; i < n; i++) {
        if (!(shares[i] > 0) || !(devices[i].speed > 0))
            continue;
        const double seconds = shares[i] / devices[i].speed;
        choice.members |= UINT64_C(1) << i;
        choice.seconds = fmax(choice.seconds, seconds);
        choice.joules += devices[i].dynamic_watts * seconds;
    }
    choice.joules += static_watts(devices, n, rest_watts) * choice.seconds;
    choice.edp = choice.joules * choice.seconds;
    return choice;
}
