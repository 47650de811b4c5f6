/* SPDX-License-Identifier: MIT */
/*
 * How far packages' lengths are from what was predicted.
 *
 * Alone on a device a package's length is known exactly. Where packages overlap, when one ends and the next
 * is all that runs is a matter of a filling: groups that all run at once end at once, whichever package they
 * are of, and a package of few groups may end with the one before. On two H100 packages of two to three
 * fillings (Mandelbrot's) were each off by a fifth so, while all of them together took what was predicted
 * within a hundredth; taken for surprises they kept packages small, and so unsure, launch after launch.
 * Previous stage: policy.h. Next: auto.c and memory.c, which size packages by such errors.
 */
#include "scheduler/policy.h"
#include <math.h>

double cx_lengths_add(struct cx_lengths *lengths, const struct cx_device_state *device, uint64_t groups,
                      double seconds, double expected)
{
    const double each = expected / (double)groups;
    if (!(expected > 0) || !isfinite(expected) || !(seconds > 0))
        return 0;
    lengths->seconds += seconds;
    lengths->expected += expected;
    lengths->slack = device->given.overlaps ? cx_groups_drain(device) * each : 0;
    return device->given.overlaps ? lengths->expected / ((double)device->given.fill * each) : INFINITY;
}

bool cx_lengths_tell(struct cx_lengths *lengths, double *error, double *length)
{
    const struct cx_lengths row = *lengths;
    const double reported = fmin(fmax(row.expected, row.seconds - row.slack), row.seconds + row.slack);
    *lengths = (struct cx_lengths){0};
    *error = log(reported / row.expected);
    *length = row.expected;
    return row.expected > 0 && isfinite(*error);
}
