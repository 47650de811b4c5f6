/* SPDX-License-Identifier: MIT */
/*
 * Least squares over (ln x, y), kept as sums so that any number of samples costs the same.
 * Previous stage: curve.h.
 */
#include "scheduler/curve.h"
#include <math.h>

void cx_curve_add(struct cx_curve *curve, struct cx_curve_sample sample)
{
    if (!(sample.groups > 0) || !(sample.speed > 0))
        return;
    double x = log(sample.groups);
    curve->samples++;
    curve->x += x;
    curve->xx += x * x;
    curve->y += sample.speed;
    curve->xy += x * sample.speed;
    curve->top = fmax(curve->top, sample.speed);
}

double cx_curve_slope(const struct cx_curve *curve)
{
    double n = curve->samples, spread = n * curve->xx - curve->x * curve->x;
    /* Rounding alone makes the spread of equal sizes differ from 0. */
    if (curve->samples < 2 || !(spread > 1e-9 * n * curve->xx))
        return 0;
    double a = (n * curve->xy - curve->x * curve->y) / spread;
    return isfinite(a) ? a : 0;
}

double cx_curve_at(const struct cx_curve *curve, double groups)
{
    if (curve->samples == 0 || !(groups > 0))
        return 0;
    double a = cx_curve_slope(curve);
    return cx_number_clean(curve->y / curve->samples + a * (log(groups) - curve->x / curve->samples));
}

double cx_curve_chunk(const struct cx_curve *curve, double unit, double threshold)
{
    double a = cx_curve_slope(curve);
    return a > 0 ? fmax(unit, unit * (a / curve->top) / threshold) : unit;
}

struct cx_curve_sample cx_curve_newest(const struct cx_device_state *device)
{
    if (device->samples == 0)
        return (struct cx_curve_sample){0};
    unsigned slot = (device->samples - 1) % CX_SPEED_HISTORY;
    return (struct cx_curve_sample){device->history_groups[slot], device->history[slot]};
}
