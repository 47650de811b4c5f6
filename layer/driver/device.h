/* SPDX-License-Identifier: MIT */
/*
 * The real drivers and devices below the layer, found once in a process and kept for its life. They are found
 * as loaders find them: by COEXEC_VENDORS if set, else by OCL_ICD_FILENAMES and /etc/OpenCL/vendors. Drivers
 * are opened directly and never closed; coexec's own library is skipped. A cl_khr_icd 2.0 driver gets its
 * dispatch table from the layer, which is its loader. Next stage: device.h (the virtual device over them),
 * context.h.
 *
 * Thread-safety: cx_machine_get may be called from any thread. What it returns never changes, except
 * `probe`, which cx_probe_device writes once under a lock, and `opened`.
 */
#ifndef CX_LAYER_DRIVER_DEVICE_H
#define CX_LAYER_DRIVER_DEVICE_H

#include "scheduler/occupancy.h"

#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { CX_MEMBERS_MAX = 62 }; /* of a context: coherence_map.h counts 63 places, one of them the host */

struct cx_real_platform {
    cl_platform_id id;
    const cl_icd_dispatch *cl; /* every call to this platform's objects goes through this table */
    char *driver;              /* path or soname of the library */
    char *name, *vendor, *version;
    unsigned version_number; /* 100 * major + minor * 10: 120, 300 */
};

/* The largest it takes, as its driver says. */
struct cx_device_limits {
    cl_uint address_bits, base_align_bits;
    cl_ulong global_mem, max_alloc, local_mem, max_constant;
    size_t max_group_size, max_item_sizes[3];
};

/* What its driver does not say: found out by cx_probe_device, as the device is first opened. */
struct cx_device_probe {
    bool done;
    bool synchronous;     /* the driver runs commands in the thread that enqueues them (PoCL's basic) */
    bool in_place;        /* CL_MEM_USE_HOST_PTR memory is used in place, writes seen both ways */
    bool images_in_place; /* the same of images, with pitches */
};

struct cx_real_device {
    /* which it is, and what its driver says: constant once found */
    unsigned index; /* as COEXEC_DEVICES numbers them: order of discovery */
    const struct cx_real_platform *platform;
    const cl_icd_dispatch *cl;
    cl_device_id id; /* a sub-device where COEXEC_FISSION cut a CPU device */
    bool is_sub_device;
    cl_uint part;                       /* of a device that the program cut: which part, from 1 */
    const struct cx_real_device *whole; /* which device that is, as it is in the machine; else NULL */
    cl_device_type type;                /* CL_DEVICE_TYPE_CPU, GPU, ACCELERATOR or CUSTOM, without DEFAULT */
    char *name;
    char *vendor;
    char *extensions;
    char *opencl_c_version;
    unsigned version_number; /* of the device, as in the platform */
    cl_uint compute_units, clock_mhz;
    struct cx_device_limits limits;
    cl_bool little_endian, compiler, non_uniform_groups;
    cl_bool unified_memory; /* shares its memory with the host */
    cl_bool images;
    struct cx_multiprocessor multiprocessor; /* of NVIDIA's GPUs; no warps: not known */
    double nominal_gflops; /* > 0; from type, units, clock: only good for relative guesses */
    /* chosen by COEXEC_DEVICES, once all are found */
    bool used;          /* a member of the virtual device */
    char left_out[160]; /* why not, when !used */
    /* as the process goes on */
    atomic_bool opened;           /* a context was made for it in this process */
    struct cx_device_probe probe; /* written once, under a lock of probe.c */
};

/* Devices of a context, by member. */
struct cx_device_list {
    const struct cx_real_device *device[CX_MEMBERS_MAX];
    unsigned n;
};

struct cx_machine {
    unsigned nplatforms;
    struct cx_real_platform *platforms;
    unsigned ndevices;
    struct cx_real_device *devices; /* all that were found, used or not */
    unsigned nused;
    struct cx_real_device **used;   /* members, in the order COEXEC_DEVICES asks for */
    struct cx_real_device *fastest; /* of the used ones, by nominal_gflops; NULL when none */
    char *searched;                 /* folders and files looked at, for messages */
    unsigned nnotes; /* drivers, platforms and devices that cannot be used, and why: one text each, for
                        `coexec info` */
    char **notes;
};

/* Returns the drivers and devices, which the first call finds. Never NULL; nused may be 0. Called by driver/,
 * object/, plan/ and tools/. */
const struct cx_machine *cx_machine_get(void);

/* Finds out whether the device is synchronous and works in place, with a context and queue of it. Idempotent,
 * thread-safe. COEXEC_DEBUG=zero_copy=0 makes in_place false. Called by timeline/worker_open.c and
 * tools/coexec_info.c. */
void cx_probe_device(struct cx_real_device *device, cl_context context, cl_command_queue queue);

/* Makes a device like `of` for a sub-device that the driver made of it (sub_devices.h), and takes that over:
 * free gives it back. NULL: no memory. Called by object/device.c and object/sub_device.c. */
struct cx_real_device *cx_real_device_new_part(const struct cx_real_device *of, cl_device_id id);
void cx_real_device_free_part(struct cx_real_device *part);

/* Whether the driver may be given commands that read, write, copy or fill an image. PoCL aborts on them if
 * the queue's device is a sub-device; kernels on images in host memory work there. Called by probe.c,
 * api/enqueue_image.c and memory/image_shape.c. */
bool cx_real_device_moves_images(const struct cx_real_device *device);

/* Whether `name` is a whole word in a space-separated list of extensions. Called by api/, memory/, object/
 * and timeline/. */
bool cx_device_has_extension(const char *extensions, const char *name);

#endif
