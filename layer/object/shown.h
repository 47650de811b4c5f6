/* SPDX-License-Identifier: MIT */
/*
 * Decides whose identity a program sees: the fastest member's, so that the program chooses code and sizes as
 * it would there (COEXEC_IDENTITY=fastest), or coexec's own (virtual). Which device of the machine that is
 * (its place) is shown only if COEXEC_DEBUG=place says so. Single programs get different answers
 * (executables.h).
 *
 * Previous stages: platform.c and device_info.c, which call this first. Thread-safety: no state.
 */
#ifndef CX_LAYER_OBJECT_SHOWN_H
#define CX_LAYER_OBJECT_SHOWN_H

#include "layer/object/device.h"

/* Whether the fastest member's identity is shown. Called by extensions.c. */
bool cx_shown_identity(void);
/* Whether the fastest member's answer to this query, which identifies the device in the machine, is shown.
 * Called by extensions.c. */
bool cx_shown_place(cl_device_info query);

/* Answer a query with the fastest member's identity or an entry for this program. False: the caller gives
 * coexec's own answer, and *code is not set. Arguments as clGetDeviceInfo's. Called by platform.c and
 * api/device_info.c. */
bool cx_shown_device(const struct cx_device *device, cl_device_info query, size_t room, void *value,
                     size_t *size_ret, cl_int *code);
bool cx_shown_platform(const struct cx_device *device, cl_platform_info query, size_t room, void *value,
                       size_t *size_ret, cl_int *code);

#endif
