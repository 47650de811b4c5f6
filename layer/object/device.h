/* SPDX-License-Identifier: MIT */
/*
 * The virtual platform and its one device: what the program sees of all members (design: "The virtual
 * device"); and sub-devices of it, which have members of their own (sub_device.c).
 *
 * Limits and extensions are those of the fastest member (COEXEC_DEBUG=limits=fastest), or the strict minimum
 * and intersection over all (common). A process has one platform and one root device, which are never
 * destroyed, so retain and release only check the handle. Sub-devices are counted. Thread-safety: immutable
 * once made.
 */
#ifndef CX_LAYER_OBJECT_DEVICE_H
#define CX_LAYER_OBJECT_DEVICE_H

#include "layer/object/version.h"
#include "layer/object/object.h"
#include "layer/driver/device.h"

#ifndef CX_VERSION
#define CX_VERSION "0.2.0" /* the build gives meson's project version */
#endif

/* The version text of the platform and its device. It contains the version of the binary format: programs
 * that cache binaries use the text as a key, and would otherwise find, and rebuild, a binary that is refused
 * each time. */
#define CX_DIGITS_OF(number) #number
#define CX_DIGITS(number)    CX_DIGITS_OF(number)
#define CX_DRIVER_VERSION    CX_VERSION "." CX_DIGITS(CX_CONTAINER_VERSION)

struct cx_platform {
    struct cx_object base;
};

struct cx_device {
    struct cx_object base;
    unsigned nmembers;
    struct cx_real_device **members; /* real devices, or parts of them */
    struct cx_real_device *fastest;  /* of the members */
    cl_device_type type;             /* what CL_DEVICE_TYPE says, and with it */
    atomic_uint_fast64_t asked;      /* ... the types that it was asked for, and found by, without that one */
    cl_uint units;                   /* what CL_DEVICE_MAX_COMPUTE_UNITS says */
    cl_ulong max_alloc, global_mem, local_mem, max_constant;
    size_t max_group_size, max_item_sizes[3];
    cl_uint base_align_bits; /* a member that wants more takes no part where a sub-buffer does not have it */
    char *name;
    char *extensions;
    bool common;          /* COEXEC_DEBUG=limits=common */
    bool sum;             /* COEXEC_DEBUG=units=sum */
    cl_version c_version; /* CL_DEVICE_OPENCL_C_VERSION: 1.2, or 3.0 where the fastest member says so */
    bool sub_groups;      /* every member has them, of the same size */
    /* sub-devices */
    struct cx_device *parent;      /* a reference; NULL: the root device */
    struct cx_real_device **parts; /* members that were cut for it, and die with it */
    unsigned nparts;
    cl_device_partition_property *partition; /* CL_DEVICE_PARTITION_TYPE, with its closing 0 */
    size_t npartition;
};

CX_OBJECT_CASTS(platform, cl_platform_id, CX_TAG_PLATFORM)
CX_OBJECT_CASTS(device, cl_device_id, CX_TAG_DEVICE)

/* The platform and the root device, made at the first call. NULL: no real device can be used. Called by api/,
 * memory/ and tools/. */
struct cx_platform *cx_platform_get(void);
struct cx_device *cx_device_get(void);

/* Makes a device over these members (it takes the list over); with `parent`, a sub-device of that. NULL: no
 * memory. Called by sub_device.c. */
struct cx_device *cx_device_new(struct cx_real_device **members, unsigned nmembers, struct cx_device *parent);

/* Which partitions a device offers (sub_device.c): fills list[] (room for 3) with CL_DEVICE_PARTITION_...
 * names and returns how many; also gives the largest number of sub-devices of one call, and the affinity
 * domains. Called by api/device_info.c. */
unsigned cx_device_partitions(const struct cx_device *device, cl_device_partition_property *list,
                              cl_uint *max_sub_devices, cl_device_affinity_domain *domains);

/* Whether the device answers to this type (CL_DEVICE_TYPE_ALL, DEFAULT, ...): COEXEC_DEBUG=device_type
 * narrows it. Called by api/context.c.
 */
bool cx_device_answers(struct cx_device *device, cl_device_type type);

#endif
