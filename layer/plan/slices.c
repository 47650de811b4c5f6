/* SPDX-License-Identifier: MIT */
/*
 * The number and borders of a package's slices. See slices.h.
 */
#include "layer/plan/slices.h"

#include <math.h>

/* A slice's own costs, and what slices must gain at least: as part of the package's time, less of it where no
 * half-empty end is guessed, and in all. */
static const double slice_seconds = 20e-6, least_part = 0.02, least_seconds = 200e-6, certain_part = 0.005;

/* Mandelbrot on two H100, whose dearest groups take 13 ms and its mean ones 3.5: packages of 8 slices took 7
 * to 12 ms longer. Gaussian's all take about 2, and no longer so. Up to that factor groups count as even. */
static const double beside_part = 0.1, even_groups = 1.5;

double cx_slice_end(double compute_seconds, double fill, double groups)
{
    /* on average the device is half empty for the time of a group at a kernel's end */
    return compute_seconds * fill / fmax(groups, 1) / 2;
}

double cx_slice_end_beside(double dearest_seconds, double mean_seconds)
{
    return beside_part * fmax(dearest_seconds - even_groups * mean_seconds, 0);
}

unsigned cx_slices_best(double compute_seconds, double send_seconds, double end_seconds, bool sure,
                        uint64_t most)
{
    const double hidden = fmin(compute_seconds, send_seconds);
    const double each = slice_seconds + end_seconds;
    double best_gain = fmax((sure ? certain_part : least_part) * compute_seconds, least_seconds);
    unsigned best = 1;
    for (unsigned n = 2; n <= CX_MOST_SLICES && n <= most; n++) {
        const double gain = hidden * (1 - 1.0 / n) - each * (n - 1);
        if (gain > best_gain) {
            best_gain = gain;
            best = n;
        }
    }
    return best;
}

uint64_t cx_slice_at(struct cx_range range, uint64_t granularity, unsigned index, unsigned count)
{
    const uint64_t length = range.end - range.first;
    if (index >= count)
        return range.end;
    return range.first + length / count * index / granularity * granularity;
}
