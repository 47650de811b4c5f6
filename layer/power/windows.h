/* SPDX-License-Identifier: MIT */
/*
 * Static and dynamic powers of the devices that coexec uses, from windows of the meter (meter.h) and the
 * times at which the devices computed: what scheduler/power_fit.h solves, once for each group of devices that
 * share sources. A GPU with a source of its own is a group; all CPU devices are one, with all packages.
 *
 * A device's times may come late, at the end of what it computed: they are added to all windows that they
 * touch. Of packages that overlap on a device the time counts once. So windows later than what has ended so
 * far do not count yet, as a device may have computed in them.
 *
 * Of a device that computes nearly all the time windows tell the sum of both powers only. The static power
 * comes from samples while it did not compute then (quiet.h), and from what former processes knew.
 *
 * Kernels differ in what a device consumes for them: of a GPU with a source of its own each kernel gets a
 * power, by the same windows, as far from the device's as they tell.
 *
 * Seconds on the meter's clock, J, W. Thread-safety: none, sampler.c serialises. Previous stage: meter.h.
 */
#ifndef CX_LAYER_POWER_WINDOWS_H
#define CX_LAYER_POWER_WINDOWS_H

#include "layer/power/quiet.h"

enum { CX_POWER_DEVICES = 64 /* real devices, by index */, CX_POWER_GROUP_CPU = CX_POWER_SOURCES };
enum { CX_POWER_KERNELS = 16 }; /* by number; the last one is all others together */

struct cx_power_span {
    double from, to;
    double joules[CX_POWER_SOURCES], error[CX_POWER_SOURCES]; /* joules < 0: no figure */
    double busy[CX_POWER_DEVICES];
    float of_kernel[CX_POWER_DEVICES][CX_POWER_KERNELS]; /* of it */
};

struct cx_power_windows {
    unsigned sources;
    bool package[CX_POWER_SOURCES];
    bool there[CX_POWER_DEVICES];     /* the device is one of ours */
    unsigned group[CX_POWER_DEVICES]; /* its source's number, CX_POWER_GROUP_CPU, or more: it has none */
    double until[CX_POWER_DEVICES];   /* its last end */
    double opened[CX_POWER_DEVICES];  /* when it got a context, without which it consumes less; INFINITY: it
                                         has none */
    const void *kernel[CX_POWER_KERNELS - 1]; /* by number; NULL: none */
    unsigned n;                               /* windows so far; the last CX_POWER_FIT_WINDOWS are kept */
    struct cx_power_span span[CX_POWER_FIT_WINDOWS];
    struct cx_power_quiet quiet;
    struct cx_power_fitted guess[CX_POWER_SOURCES + 1]; /* of static powers, by group; error 0: none */
    struct cx_power_fit fit;                            /* while it is solved */
};

/* What is known of the powers; errors are infinite where it is not (power_fit.h). */
struct cx_power_model {
    struct cx_power_fitted fixed[CX_POWER_SOURCES + 1] /* by group */, dynamic[CX_POWER_DEVICES];
    struct cx_power_fitted of_kernel[CX_POWER_DEVICES][CX_POWER_KERNELS]; /* in place of dynamic */
    double computed[CX_POWER_DEVICES]; /* the part of the windows' time; NAN: there was no window */
};

/* The sources of that list, and no device yet. Called by sampler.c. */
void cx_power_windows_init(struct cx_power_windows *windows, const struct cx_power_sources *sources);
/* A real device: a CPU, or one with that source (CX_POWER_SOURCES: none). Called by sampler.c. */
void cx_power_windows_device(struct cx_power_windows *windows, unsigned device, bool is_cpu, unsigned source);
/* A window of the meter begins; it ends, with the meter's marks of both times. Called by sampler.c. */
void cx_power_windows_open(struct cx_power_windows *windows, double from);
void cx_power_windows_close(struct cx_power_windows *windows, const struct cx_power_meter *meter, double to,
                            const struct cx_power_mark *begin, const struct cx_power_mark *end);
/* The device has got a context; the first call counts, and gives true: the window it falls into does not
 * count for the device. Called by sampler.c. */
bool cx_power_windows_opened(struct cx_power_windows *windows, unsigned device, double at);
/* The meter was read. Called by sampler.c. */
void cx_power_windows_sample(struct cx_power_windows *windows, const struct cx_power_meter *meter, double at);
/* Static watts of a device's group, as former processes knew them, with their error. Called by sampler.c. */
void cx_power_windows_guess(struct cx_power_windows *windows, unsigned group, double watts, double error);
/* The device computed a kernel, known by any address, from one time to the other. Called by sampler.c. */
void cx_power_windows_busy(struct cx_power_windows *windows, unsigned device, const void *kernel, double from,
                           double to);
/* The number of a kernel in a list; of one that is not there, the last one. Called by sampler.c. */
unsigned cx_power_kernel_number(const void *const *kernels, const void *kernel);
/* all: nothing computes any more, so every window counts. Called by sampler.c. */
void cx_power_windows_solve(struct cx_power_windows *windows, bool all, struct cx_power_model *model);
/* Whether both powers of the device, which is of that group, are known to a fifth of what it consumes when it
 * computes. Called by api/power.c. */
bool cx_power_model_tells(const struct cx_power_model *model, unsigned group, unsigned device);
/* ... and whether the static power of the group is. Called by api/power.c. */
bool cx_power_model_tells_idle(const struct cx_power_model *model, unsigned group);

#endif
