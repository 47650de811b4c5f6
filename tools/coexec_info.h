/* SPDX-License-Identifier: MIT */
/*
 * What `coexec info` tells, in both of its forms.
 */
#ifndef CX_TOOLS_COEXEC_INFO_H
#define CX_TOOLS_COEXEC_INFO_H

#include "layer/object/device.h"

/* Where a device stands: "used", or why it is left out. */
const char *cx_device_standing(const struct cx_real_device *device);
const char *cx_type_name(cl_device_type type);

struct cx_links;
/* Prints machine, virtual device (NULL where there is none), options and links (NULL: not measured) as one
 * JSON object. Returns an exit status. */
int cx_info_json(const struct cx_machine *machine, const struct cx_device *device,
                 const struct cx_links *links);

/* Says on standard error that there is no device, and what can be done. Returns the exit status, 1. Called by
 * info and run. */
int cx_tell_no_device(const char *subcommand, const struct cx_machine *machine);

/* Where what was learned is kept, below the cache folder, for people; NULL: nowhere. */
const char *cx_info_knowledge(void);

#endif
