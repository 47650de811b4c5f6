/* SPDX-License-Identifier: MIT */
/*
 * Finds and opens the real drivers as a loader does: from libraries and folders of .icd files it makes a list
 * of platforms.
 *
 * A driver is opened directly, once, and never closed. The layer's own library, other copies of it and ICD
 * loaders are skipped. Each platform gets a dispatch table of its own with the functions that its version
 * promises. The layer is the loader of a cl_khr_icd 2.0 platform: it fills the table from the driver's
 * addresses and hands it to the driver. Next stage: device.h. Thread-safety: called once, from
 * cx_machine_get.
 */
#ifndef CX_LAYER_DRIVER_DRIVERS_H
#define CX_LAYER_DRIVER_DRIVERS_H

#include "layer/driver/device.h"

struct cx_drivers {
    unsigned nplatforms;
    struct cx_real_platform *platforms;
    char *searched;  /* what was looked at, for messages */
    unsigned nnotes; /* what could not be used, and why: one text each */
    char **notes;
};

/* Fills *drivers (zeroed by the call) with every usable platform. Finding none is no error. Called by
 * device.c. */
void cx_drivers_find(struct cx_drivers *drivers);

/* Adds a note and logs it. Called by device.c. */
void cx_drivers_note(struct cx_drivers *drivers, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Serialises calls of a driver that must not be called from two threads at once: replaces functions in its
 * table by ones that take a lock (serialize.c). Does nothing for other drivers. */
void cx_serialize(const char *platform, cl_icd_dispatch *table);

/* For a driver that mixes up the machine code of kernels of equal devices: adds different build options for
 * each of them (twins.c). Does nothing for other drivers. Called by drivers.c. */
void cx_twins_tell_apart(const char *platform, cl_icd_dispatch *table);

/* Whether a platform of that name (NULL: it has none) is PoCL's. Called by device.c, fission.c and twins.c.
 */
bool cx_drivers_is_pocl(const char *name);
/* The number of a version text: 120 for "OpenCL 1.2 ...", 100 if it contains no version. Called by device.c.
 */
unsigned cx_drivers_version_number(const char *version);

#endif
