/* SPDX-License-Identifier: MIT */
/*
 * What sources tell while their devices do not compute: the idle power of a program that computes nearly all
 * the time, before its first launch, between two of them and at its end. A sample counts for a source where
 * no device of it computed for two of the source's steps before, as what it tells is so old; nor did the
 * first ones after sampling began, when devices are being opened.
 *
 * That a device computed is told at the end of what it computed. So a sample is settled when a device of the
 * source has ended something later; of those later than the last end it is not known yet.
 *
 * Seconds on the meter's clock, W. Thread-safety: none, sampler.c serialises. Previous stage: meter.h. Next:
 * windows.h.
 */
#ifndef CX_LAYER_POWER_QUIET_H
#define CX_LAYER_POWER_QUIET_H

#include "layer/power/meter.h"
#include "scheduler/power_fit.h"

enum { CX_POWER_SAMPLES = 256 }; /* that may be unsettled: 11 s */

struct cx_power_sample {
    double at;
    uint64_t busy; /* bit i: a device of source i computed, or may have */
    float watts[CX_POWER_SOURCES];
};

struct cx_power_quiet {
    unsigned sources;
    double margin[CX_POWER_SOURCES]; /* between computing and a sample that counts */
    double until[CX_POWER_SOURCES];  /* the last end of what its devices computed */
    unsigned n;                      /* samples so far; the last CX_POWER_SAMPLES are kept */
    double first;                    /* when they began */
    struct cx_power_sample sample[CX_POWER_SAMPLES];
    struct cx_power_quiet_sum {
        unsigned n;
        double watts, squares;
    } settled[CX_POWER_SOURCES]; /* of samples that are not kept any more */
};

/* Called by windows.c, as all of these. */
void cx_power_quiet_init(struct cx_power_quiet *quiet, const struct cx_power_sources *sources);
/* Takes in what the meter has read last. */
void cx_power_quiet_sample(struct cx_power_quiet *quiet, const struct cx_power_meter *meter, double at);
/* A device of the source computed. */
void cx_power_quiet_busy(struct cx_power_quiet *quiet, unsigned source, double from, double to);
/* The mean of the samples that count, with their standard deviation as its error, 3 % at least. all: nothing
 * computes any more. False: there are too few. */
bool cx_power_quiet_watts(const struct cx_power_quiet *quiet, unsigned source, bool all,
                          struct cx_power_fitted *watts);

#endif
