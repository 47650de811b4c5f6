/* SPDX-License-Identifier: MIT */
/*
 * How throughput grows with the size of a package: y = a ln(x) + b, fitted by least squares.
 * "LogFit" (section 4) and HDSS, which it cites, size packages by it.
 * Thread-safety: none. Next: logfit.c, hdss.c.
 */
#ifndef CX_SCHEDULER_CURVE_H
#define CX_SCHEDULER_CURVE_H

#include "scheduler/policy.h"

/* Sums over samples of (ln(groups), groups/s); zeroed: no sample. */
struct cx_curve {
    unsigned samples;
    double x, xx, y, xy;
    double top; /* highest throughput seen */
};

struct cx_curve_sample {
    double groups, speed;
};

/* A sample that is not above 0 in both is ignored. Called by hdss.c and logfit.c. */
void cx_curve_add(struct cx_curve *curve, struct cx_curve_sample sample);
/* Fitted throughput of a package of that many groups; 0 where nothing sensible can be said. Called by
 * hdss.c. */
double cx_curve_at(const struct cx_curve *curve, double groups);
/* a; 0 while all samples are of one size. */
double cx_curve_slope(const struct cx_curve *curve);
/* The size in groups past which one more unit of `unit` groups gains less than the share threshold of the
 * highest throughput: unit (a / top) / threshold. unit where the curve does not rise. Called by hdss.c and
 * logfit.c. */
double cx_curve_chunk(const struct cx_curve *curve, double unit, double threshold);

/* The newest measured package of a device; zeros before the first. Called by hdss.c and logfit.c. */
struct cx_curve_sample cx_curve_newest(const struct cx_device_state *device);

#endif
