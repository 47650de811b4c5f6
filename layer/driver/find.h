/* SPDX-License-Identifier: MIT */
/*
 * Finding and opening the real drivers, as a loader does: libraries and folders of .icd files in, platforms
 * out.
 *
 * A driver is opened directly, once, and never closed. Not opened for use: ourselves, any other copy of the
 * layer, and ICD loaders. Each platform gets a table of its own, with the functions its version promises; a
 * cl_khr_icd 2.0 platform gets its table filled from the driver's addresses, and is told of it, since we are
 * its loader. Next stage: device.h. Thread-safety: called once, from cx_machine_get.
 */
#ifndef CX_LAYER_DRIVER_FIND_H
#define CX_LAYER_DRIVER_FIND_H

#include "layer/driver/device.h"

struct cx_drivers {
    unsigned nplatforms;
    struct cx_real_platform *platforms;
    char *searched;  /* what was looked at, for messages */
    unsigned nnotes; /* what could not be used, and why: one text each */
    char **notes;
};

/* Fills *drivers (zeroed by the call) with every usable platform. Nothing found is no error. Called by
 * device.c. */
void cx_drivers_find(struct cx_drivers *drivers);

/* Adds a note and logs it. Called by device.c. */
void cx_drivers_note(struct cx_drivers *drivers, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Lets a driver that may not be called from two threads at once be called by one at a time: puts functions
 * with a lock into its table (serialize.c). Nothing happens for all others. */
void cx_serialise(const char *platform, cl_icd_dispatch *table);

/* Gives equal devices of a driver that mixes up their kernels' machine code options of their own (twins.c).
 * Nothing happens for all others. Called by find.c. */
void cx_tell_twins_apart(const char *platform, cl_icd_dispatch *table);

/* "OpenCL 1.2 ..." gives 120; 100 when there is no version in it. Called by device.c. */
unsigned cx_version_number(const char *version);

#endif
