/* SPDX-License-Identifier: MIT */
/*
 * Cuts a CPU device into sub-devices (COEXEC_FISSION): of a number of cores each, or one for each domain of
 * processors that share a cache or memory, as in "Marrow" (section 3.1).
 *
 * A driver that offers affinity domains makes these itself. Any other one is given the domains' sizes, in the
 * order of processors (by counts), or cuts into equal parts. What is left over is one more part, so that no
 * core stands idle. Previous stage: driver_threads.h. Next: device.h. Thread-safety: called once, from
 * cx_machine_get.
 */
#ifndef CX_LAYER_DRIVER_FISSION_H
#define CX_LAYER_DRIVER_FISSION_H

#include "layer/base/option_numbers.h"
#include "layer/driver/device.h"
#include "layer/driver/driver_threads.h"

#include <sched.h>

enum { CX_FISSION_TEXT = 300 };

struct cx_fission {
    unsigned n;                 /* parts; 0: the device stays whole */
    cl_device_id *part;         /* sub-devices, which the caller owns */
    bool bound;                 /* the driver's threads of each part run on its processors alone */
    cpu_set_t *cpus;            /* of each part, where it has all cores of one domain; else NULL */
    char text[CX_FISSION_TEXT]; /* how it is cut, or why not; empty: that was not asked for */
};

/* The level for `auto`, of those at which this CPU device would be in 2 to 16 parts (knowledge/cut_search.h):
 * settled for the first such device, for all. *text tells of it. Called by device.c. */
struct cx_option_cut cx_fission_settle(const struct cx_real_device *device, char text[CX_FISSION_TEXT]);

/* Cuts the device, or leaves n 0, and binds the threads that its driver made for it. Called by device.c. */
void cx_fission_cut(const struct cx_real_device *device, struct cx_option_cut how,
                    const struct cx_driver_threads *threads, struct cx_fission *fission);
/* Frees all but the sub-devices. Called by device.c. */
void cx_fission_free(struct cx_fission *fission);

#endif
