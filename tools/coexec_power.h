/* SPDX-License-Identifier: MIT */
/*
 * coexec power: what it measured of one run, and how that is told.
 */
#ifndef CX_TOOLS_COEXEC_POWER_H
#define CX_TOOLS_COEXEC_POWER_H

#include "layer/power/meter.h"

#include <stdio.h>
#include <sys/types.h>

/* Watts over time, at most CX_POWER_CURVE points: when there are more, neighbours are averaged. */
enum { CX_POWER_CURVE = 4096 };

struct cx_power_curve {
    unsigned n, each, left; /* a point is the mean of `each` samples; so many more until it is whole */
    double at[CX_POWER_CURVE];
    float *watts; /* by point, then by source; below 0: not known */
};

struct cx_power_run {
    const struct cx_power_meter *meter;
    char **command;  /* ends with NULL */
    double period;   /* seconds */
    double seconds;  /* that the program ran */
    int status;      /* as a shell has it */
    double sampling; /* seconds of processor time that measuring took meanwhile */
    bool has_idle;   /* measured before, so many seconds: */
    double idle_seconds;
    struct cx_power_figure figure[CX_POWER_SOURCES], idle[CX_POWER_SOURCES];
    struct cx_power_curve *curve;
};

/* Sums over the sources that have a figure. */
struct cx_power_total {
    unsigned known;
    double joules, error, watts, above /* idle, joules; only with has_idle */, edp;
};

/* Called by coexec_power.c. */
bool cx_power_curve_init(struct cx_power_curve *curve, unsigned sources);
void cx_power_curve_add(struct cx_power_curve *curve, const struct cx_power_meter *meter, double at);

/* Joules above what the source consumed idle for as long; NAN where either is not known. */
double cx_power_above_idle(const struct cx_power_run *run, unsigned source);
struct cx_power_total cx_power_total(const struct cx_power_run *run);

/* The table that people read. */
void cx_power_print(const struct cx_power_run *run, FILE *out);
/* The same and the curve as JSON. False, and errno says why: the file cannot be written. */
bool cx_power_write_json(const struct cx_power_run *run, const char *file);

#endif
