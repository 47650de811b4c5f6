/* SPDX-License-Identifier: MIT */
/*
 * Whose identity a program sees: the fastest member's, so that it chooses code and sizes as it would there
 * (COEXEC_IDENTITY=fastest), or coexec's own (virtual); which device of the machine that is only where
 * COEXEC_PLACE says so; and what single programs are told otherwise (executables.h).
 *
 * Previous stages: platform.c, device_info.c, which ask here first. Thread-safety: no state.
 */
#ifndef CX_LAYER_OBJECT_SHOWN_H
#define CX_LAYER_OBJECT_SHOWN_H

#include "layer/object/device.h"

/* Whether the fastest member's identity is shown. Called by extensions.c. */
bool cx_shown_identity(void);
/* Whether the answer to this query, which tells which device the fastest member is, is shown. Called by
 * extensions.c. */
bool cx_shown_place(cl_device_info query);

/* Answer a query by the fastest member's identity or a program's entry. false: *code is none, the answer is
 * coexec's own. Arguments as clGetDeviceInfo's. Called by platform.c and api/device_info.c. */
bool cx_shown_device(const struct cx_device *device, cl_device_info query, size_t room, void *value,
                     size_t *size_ret, cl_int *code);
bool cx_shown_platform(const struct cx_device *device, cl_platform_info query, size_t room, void *value,
                       size_t *size_ret, cl_int *code);

#endif
