/* SPDX-License-Identifier: MIT */
/*
 * Energy over windows, with its error, from all power sources of the machine (source.h). Somebody calls
 * cx_power_meter_sample now and then, which is cheap, and cx_power_meter_mark at the ends of windows, which
 * reads costly counters as well. A figure is the difference of two marks.
 *
 * Errors are bounds. A counter that moves every `step` is behind by so much at each end of a window: it is
 * wrong by the step, and what a call takes, times the highest power seen, at most. A power is integrated
 * between samples (trapezoids): besides the step at the ends, each change between two samples may have come
 * at any time between them. There is no figure for a window shorter than ten steps: it would be mostly error.
 *
 * Thread-safety: one thread at a time uses a meter. Previous stage: source.h.
 */
#ifndef CX_LAYER_POWER_METER_H
#define CX_LAYER_POWER_METER_H

#include "layer/power/source.h"

/* What one source has told so far. */
struct cx_power_track {
    double at;     /* seconds, when it was read last */
    double joules; /* since the meter was made */
    double unsure; /* joules that may be wrong of them, but for the ends of a window */
    double watts;  /* by the last samples; negative: not known yet */
    double most;   /* watts */
    double call;   /* seconds that reading its counter took, at most */
    bool begun, lost;
    double last_count, watts_at, watts_joules;
};

struct cx_power_mark {
    struct cx_power_track of[CX_POWER_SOURCES];
};

enum cx_power_lack { CX_POWER_KNOWN, CX_POWER_TOO_SHORT, CX_POWER_LOST };

struct cx_power_figure {
    enum cx_power_lack lack; /* if not CX_POWER_KNOWN, all but seconds is 0 */
    double seconds, joules, watts /* mean */, error /* joules */;
};

struct cx_power_meter {
    double (*clock)(void);
    struct cx_power_sources sources;
    struct cx_power_track track[CX_POWER_SOURCES];
};

/* Finds the sources; there may be none. clock gives seconds; NULL: the host's. NULL: no memory. Called by
 * tools/coexec_power.c. */
struct cx_power_meter *cx_power_meter_create(double (*clock)(void));
void cx_power_meter_destroy(struct cx_power_meter *meter);

/* Reads what is cheap to read of each source: some microseconds each. */
void cx_power_meter_sample(struct cx_power_meter *meter);
/* Reads everything: some milliseconds for each GPU of NVIDIA. */
void cx_power_meter_mark(struct cx_power_meter *meter, struct cx_power_mark *mark);

/* What source number `source` consumed between two marks. */
struct cx_power_figure cx_power_meter_between(const struct cx_power_meter *meter,
                                              const struct cx_power_mark *from,
                                              const struct cx_power_mark *to, unsigned source);
/* Why there is no figure, in words; "" for CX_POWER_KNOWN. */
const char *cx_power_lack_text(enum cx_power_lack lack);

#endif
