/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_POWER in a process: starts measuring with the first context, and tells of it in the summary. Does
 * nothing without it. Next: power/sampler.h.
 */
#ifndef CX_LAYER_API_POWER_H
#define CX_LAYER_API_POWER_H

#include "layer/driver/device.h"

enum { CX_POWER_PCI = 16 };

/* By what a device's power source is found: its place on the PCI bus ("": not told) and its UUID. False: it
 * has none. Called by power.c and tools/coexec_calibrate.c. */
bool cx_power_identify(const struct cx_real_device *device, char pci[CX_POWER_PCI], unsigned char uuid[16]);

/* A context has these devices. Thread-safe. Called by context.c. */
void cx_power_begin(const struct cx_device_list *devices);

#endif
