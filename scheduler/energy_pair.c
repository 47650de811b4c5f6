/* SPDX-License-Identifier: MIT */
/*
 * Equations 1 to 9 of "When to co-execute". See energy_pair.h.
 */
#include "scheduler/energy_pair.h"

#include <math.h>

static double both_static(const struct cx_energy_pair *pair)
{
    return pair->c.static_watts + pair->g.static_watts;
}

double cx_energy_pair_seconds(const struct cx_energy_pair *pair, double groups, double alpha)
{
    return fmax(alpha * groups / pair->c.speed, (1 - alpha) * groups / pair->g.speed);
}

double cx_energy_pair_joules(const struct cx_energy_pair *pair, double groups, double alpha)
{
    return both_static(pair) * cx_energy_pair_seconds(pair, groups, alpha) +
           alpha * pair->c.dynamic_watts * groups / pair->c.speed +
           (1 - alpha) * pair->g.dynamic_watts * groups / pair->g.speed;
}

double cx_energy_pair_opt(const struct cx_energy_pair *pair)
{
    return pair->c.speed / (pair->c.speed + pair->g.speed);
}

/* Equations 4 and 5 without their divisions, for powers of 0. */
bool cx_energy_pair_left_falls(const struct cx_energy_pair *pair)
{
    return pair->g.speed * pair->c.dynamic_watts <
           pair->c.speed * (both_static(pair) + pair->g.dynamic_watts);
}

bool cx_energy_pair_right_rises(const struct cx_energy_pair *pair)
{
    return pair->g.speed * (both_static(pair) + pair->c.dynamic_watts) >
           pair->c.speed * pair->g.dynamic_watts;
}

bool cx_energy_pair_pays(const struct cx_energy_pair *pair)
{
    return cx_energy_pair_left_falls(pair) && cx_energy_pair_right_rises(pair);
}

double cx_energy_pair_best(const struct cx_energy_pair *pair)
{
    if (pair->g.speed * pair->c.dynamic_watts > pair->c.speed * (both_static(pair) + pair->g.dynamic_watts))
        return 0;
    if (pair->g.speed * (both_static(pair) + pair->c.dynamic_watts) < pair->c.speed * pair->g.dynamic_watts)
        return 1;
    return cx_energy_pair_opt(pair);
}

double cx_energy_pair_joules_both(const struct cx_energy_pair *pair, double groups)
{
    return groups / (pair->c.speed + pair->g.speed) *
           (both_static(pair) + pair->c.dynamic_watts + pair->g.dynamic_watts);
}

double cx_energy_pair_joules_g(const struct cx_energy_pair *pair, double groups)
{
    return groups / pair->g.speed * (both_static(pair) + pair->g.dynamic_watts);
}

double cx_energy_pair_joules_c(const struct cx_energy_pair *pair, double groups)
{
    return groups / pair->c.speed * (both_static(pair) + pair->c.dynamic_watts);
}

double cx_energy_pair_left(const struct cx_energy_pair *pair)
{
    const double c = pair->c.speed * (both_static(pair) + pair->g.dynamic_watts),
                 g = pair->g.speed * pair->c.dynamic_watts;
    return (2 * c - g) / (2 * c - 2 * g);
}

double cx_energy_pair_right(const struct cx_energy_pair *pair)
{
    const double c = pair->c.speed * pair->g.dynamic_watts,
                 g = pair->g.speed * (both_static(pair) + pair->c.dynamic_watts);
    return c / (2 * (c - g));
}
