/* SPDX-License-Identifier: MIT */
/*
 * Parts that devices keep. See parts.h.
 */
#include "scheduler/parts.h"

#include <math.h>
#include <string.h>

/* Of each launch in the smoothed parts. */
static const double smoothing = 0.2;

static double clean(double value)
{
    return isfinite(value) && value > 0 ? value : 0;
}

/* Parts of 1 in proportion to values. False: they are all 0; parts are equal then. */
static bool proportion(const double *value, unsigned n, double *part)
{
    double sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += clean(value[i]);
    for (unsigned i = 0; i < n; i++)
        part[i] = sum > 0 ? clean(value[i]) / sum : 1.0 / n;
    return sum > 0;
}

static bool all_known(const struct cx_parts_launch *launch)
{
    bool known = true;
    for (unsigned i = 0; i < launch->n; i++)
        known &= clean(launch->speed[i]) > 0;
    return known;
}

static void smooth(struct cx_parts *parts, const struct cx_parts_launch *launch)
{
    double ideal[CX_PARTS_MOST];
    (void)proportion(launch->speed, launch->n, ideal);
    if (parts->n != launch->n)
        *parts = (struct cx_parts){.n = launch->n};
    for (unsigned i = 0; i < launch->n; i++)
        parts->ideal[i] += (parts->ideal[i] > 0 ? smoothing : 1) * (ideal[i] - parts->ideal[i]);
}

bool cx_parts_cut(struct cx_parts *parts, const struct cx_parts_launch *launch, double *part)
{
    const bool owned = proportion(launch->owned, launch->n, part);
    if (!all_known(launch))
        return owned;
    smooth(parts, launch);
    double speeds = 0, latest = 0, moved = 0;
    for (unsigned i = 0; i < launch->n; i++) {
        speeds += launch->speed[i];
        latest = fmax(latest, part[i] / parts->ideal[i]);
        moved += fmax(parts->ideal[i] - part[i], 0);
    }
    parts->lost += (latest - 1) * launch->groups / speeds;
    if (owned && parts->lost <= moved * launch->groups * clean(launch->move_seconds))
        return true;
    parts->lost = 0;
    memcpy(part, parts->ideal, launch->n * sizeof(*part));
    return false;
}
