/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_POWER in a process: starts measuring with the first context, and tells of it in the summary. Does
 * nothing without it. Next: power/sampler.h.
 */
#ifndef CX_LAYER_API_POWER_H
#define CX_LAYER_API_POWER_H

#include "layer/driver/device.h"

/* A context has these devices. Thread-safe. Called by context.c. */
void cx_power_begin(const struct cx_device_list *devices);

#endif
