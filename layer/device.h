/* SPDX-License-Identifier: MIT */
/*
 * The virtual platform and its one device: what the program sees of all members (design: "The virtual device").
 *
 * Limits and extensions are those of the fastest member (COEXEC_LIMITS=fastest), or the strict minimum and
 * intersection over all (common). There is one platform and one device a process; both live for ever, so retain
 * and release only check the handle.
 * Thread-safety: immutable after cx_platform_get.
 */
#ifndef CX_LAYER_DEVICE_H
#define CX_LAYER_DEVICE_H

#include "layer/object.h"
#include "layer/real.h"

struct cx_platform {
    struct cx_object base;
};

struct cx_device {
    struct cx_object base;
    const struct cx_machine *machine;
    cl_device_type type; /* what CL_DEVICE_TYPE says */
    cl_ulong max_alloc, global_mem, local_mem, max_constant;
    size_t max_group_size, max_item_sizes[3];
    cl_uint base_align_bits; /* the largest member's, so that every member takes our sub-buffers */
    char *name;
    char *extensions;
};

CX_OBJECT_CASTS(platform, cl_platform_id, CX_TAG_PLATFORM)
CX_OBJECT_CASTS(device, cl_device_id, CX_TAG_DEVICE)

/* The one platform and device, made at the first call; NULL where no real device is used. */
struct cx_platform *cx_platform_get(void);
struct cx_device *cx_device_get(void);

/* Whether the device answers to this type (CL_DEVICE_TYPE_ALL, DEFAULT, ...): COEXEC_DEVICE_TYPE narrows it. */
bool cx_device_answers(const struct cx_device *device, cl_device_type type);

#endif
