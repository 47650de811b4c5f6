/* SPDX-License-Identifier: MIT */
/*
 * The virtual device: what is settled once about it, and how it is found. Its queries are in device_info.c.
 * Previous stage: device.h.
 */
#include "layer/object/device.h"
#include "layer/base/clock.h"
#include "layer/base/entry.h"
#include "layer/object/extensions.h"
#include "layer/base/log.h"
#include "layer/base/options.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cx_device *root;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ---- putting it together ---- */

/* Which members count for limits and extensions: the fastest, or all. */
static bool counts(const struct cx_device *device, const struct cx_real_device *member)
{
    return device->common || member == device->fastest;
}

static void settle_limits(struct cx_device *device)
{
    const struct cx_real_device *fastest = device->fastest;
    device->global_mem = fastest->limits.global_mem;
    device->max_alloc = fastest->limits.max_alloc;
    device->local_mem = fastest->limits.local_mem;
    device->max_constant = fastest->limits.max_constant;
    device->max_group_size = fastest->limits.max_group_size;
    memcpy(device->max_item_sizes, fastest->limits.max_item_sizes, sizeof device->max_item_sizes);
    for (unsigned m = 0; m < device->nmembers; m++) {
        const struct cx_real_device *member = device->members[m];
        if (!counts(device, member))
            continue;
        if (member->limits.base_align_bits > device->base_align_bits)
            device->base_align_bits = member->limits.base_align_bits;
#define LOWER(field)                                                                                         \
    if (member->limits.field < device->field)                                                                \
    device->field = member->limits.field
        LOWER(global_mem);
        LOWER(max_alloc);
        LOWER(local_mem);
        LOWER(max_constant);
        LOWER(max_group_size);
        for (unsigned i = 0; i < 3; i++)
            LOWER(max_item_sizes[i]);
#undef LOWER
    }
}

/* Programs size persistent kernels and reductions by these: groups that wait for each other must all find
 * room on one device. */
static void settle_sizes(struct cx_device *device)
{
    const struct cx_real_device *fastest = device->fastest;
    device->units = fastest->compute_units;
    if (device->sum)
        device->global_mem = fastest->limits.global_mem;
    for (unsigned m = 0; device->sum && m < device->nmembers; m++)
        if (device->members[m] != fastest) {
            device->units += device->members[m]->compute_units;
            device->global_mem += device->members[m]->limits.global_mem;
        }
    if (!device->units)
        device->units = 1;
}

/* GPU where one is a member, else accelerator, else CPU; what COEXEC_DEBUG=device_type says goes before. */
static cl_device_type settle_type(const struct cx_device *device)
{
    static const cl_device_type types[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR};
    switch (cx_options_get()->device_type) {
    case CX_OPTION_DEVICE_TYPE_GPU:
        return CL_DEVICE_TYPE_GPU;
    case CX_OPTION_DEVICE_TYPE_ACCELERATOR:
        return CL_DEVICE_TYPE_ACCELERATOR;
    case CX_OPTION_DEVICE_TYPE_CPU:
        return CL_DEVICE_TYPE_CPU;
    case CX_OPTION_DEVICE_TYPE_ALL:
        break;
    }
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
        for (unsigned m = 0; m < device->nmembers; m++)
            if (device->members[m]->type == types[i])
                return types[i];
    return CL_DEVICE_TYPE_CPU;
}

/* "coexec: A + 2 x B": every name once, with its count, and no more than `longest` characters of it. NULL:
 * out of memory. */
static char *join_names(const struct cx_device *device, int longest)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    struct cx_real_device *const *used = device->members;
    unsigned nused = device->nmembers;
    if (!stream)
        return NULL;
    fputs("coexec: ", stream);
    for (unsigned m = 0; m < nused; m++) {
        unsigned same = 0, before = 0;
        for (unsigned other = 0; other < nused; other++)
            if (strcmp(used[other]->name, used[m]->name) == 0) {
                same++;
                before += other < m;
            }
        if (before)
            continue;
        fputs(m ? " + " : "", stream);
        if (same > 1)
            fprintf(stream, "%u x ", same);
        fprintf(stream, "%.*s", longest, used[m]->name);
    }
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* Programs ask for the name with 64 bytes to put it in, as StarPU does, and end when it is longer: the
 * members' names are cut, and only counted where little of them would be left. */
static char *short_name(const struct cx_device *device)
{
    enum { FITS = 63, LEGIBLE = 12 };
    char *text = join_names(device, INT_MAX);
    for (int longest = FITS; text && strlen(text) > FITS && longest >= LEGIBLE; longest--) {
        free(text);
        text = join_names(device, longest);
    }
    if (!text || strlen(text) <= FITS)
        return text;
    free(text);
    return asprintf(&text, "coexec: %u devices", device->nmembers) < 0 ? NULL : text;
}

/* A kernel with sub-groups must see the same ones wherever it runs, and only devices of one kind are known to
 * have them alike. */
static bool settle_sub_groups(const struct cx_device *device)
{
    const struct cx_real_device *first = device->members[0];
    for (unsigned m = 0; m < device->nmembers; m++) {
        const struct cx_real_device *member = device->members[m];
        cl_uint most = 0;
        if (member->version_number < 210 || member->platform != first->platform ||
            strcmp(member->name, first->name) != 0 ||
            member->cl->clGetDeviceInfo(member->id, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof most, &most, NULL) !=
                CL_SUCCESS ||
            most == 0)
            return false;
    }
    return true;
}

/* OpenCL C 2.0 asks for pipes, device queues and shared memory, which the layer does not offer: a
 * member's 2.0 counts as 1.2 here. */
static cl_version settle_c_version(const struct cx_device *device)
{
    for (unsigned m = 0; m < device->nmembers; m++) {
        const struct cx_real_device *member = device->members[m];
        if (counts(device, member) && strncmp(member->opencl_c_version, "OpenCL C 3.", 11) != 0)
            return CL_MAKE_VERSION(1, 2, 0);
    }
    return CL_MAKE_VERSION(3, 0, 0);
}

static void destroy_device(struct cx_object *object)
{
    struct cx_device *device = (struct cx_device *)object;
    struct cx_device *parent = device->parent;
    for (unsigned p = 0; p < device->nparts; p++)
        cx_real_device_free_part(device->parts[p]);
    free(device->parts);
    free(device->members);
    free(device->partition);
    free(device->name);
    free(device->extensions);
    free(device);
    cx_device_unref(&parent);
}

struct cx_device *cx_device_new(struct cx_real_device **members, unsigned nmembers, struct cx_device *parent)
{
    struct cx_device *device = calloc(1, sizeof *device);
    if (!device) {
        free(members);
        return NULL;
    }
    cx_object_init(&device->base, CX_TAG_DEVICE, destroy_device);
    device->parent = parent ? cx_device_ref(parent) : NULL;
    device->members = members;
    device->nmembers = nmembers;
    device->fastest = members[0];
    for (unsigned m = 1; m < nmembers; m++)
        if (members[m]->nominal_gflops > device->fastest->nominal_gflops)
            device->fastest = members[m];
    device->common = cx_options_get()->limits == CX_OPTION_LIMITS_COMMON;
    device->sum = cx_options_get()->units == CX_OPTION_UNITS_SUM;
    settle_limits(device);
    settle_sizes(device);
    device->type = settle_type(device);
    device->c_version = settle_c_version(device);
    device->sub_groups = settle_sub_groups(device);
    device->name = short_name(device);
    device->extensions = cx_extensions_join(device);
    if (!device->name || !device->extensions)
        cx_device_unref(&device);
    return device;
}

static void make_root(void)
{
    const struct cx_machine *machine = cx_machine_get();
    struct cx_real_device **members = malloc((machine->nused + 1) * sizeof *members);
    if (!members || machine->nused == 0) {
        free(members);
        return;
    }
    memcpy(members, machine->used, machine->nused * sizeof *members);
    root = cx_device_new(members, machine->nused, NULL);
}

struct cx_device *cx_device_get(void)
{
    pthread_once(&once, make_root);
    return root;
}

bool cx_device_answers(struct cx_device *asked, cl_device_type type)
{
    const cl_device_type ordinary = CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR;
    const bool narrowed = cx_options_get()->device_type != CX_OPTION_DEVICE_TYPE_ALL;
    const cl_device_type takes = narrowed ? asked->type : ordinary;
    if (!(type & (takes | CL_DEVICE_TYPE_DEFAULT)))
        return false;
    /* a program that asks for GPUs alone is given one that says it is one */
    if (!(type & (asked->type | CL_DEVICE_TYPE_DEFAULT)))
        atomic_fetch_or(&asked->asked, type & takes);
    return true;
}

/* ---- entry points ---- */

cl_int cx_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint num_entries,
                         cl_device_id *devices, cl_uint *num_devices)
{
    const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    if (!cx_platform_from(platform))
        return CX_FAIL(CL_INVALID_PLATFORM, "not the platform of coexec");
    if (type == 0 || (type != CL_DEVICE_TYPE_ALL && (type & ~known)))
        return CX_FAIL(CL_INVALID_DEVICE_TYPE, "not a device type");
    if ((!devices && !num_devices) || (devices && num_entries == 0))
        return CX_FAIL(CL_INVALID_VALUE,
                       "neither a list to fill nor a count to give, or a list without room");
    struct cx_device *one = cx_device_get();
    bool answers = one && cx_device_answers(one, type);
    if (num_devices)
        *num_devices = answers ? 1 : 0;
    if (!answers)
        return CX_FAIL(CL_DEVICE_NOT_FOUND, "no device of that type (COEXEC_DEBUG=device_type)");
    if (devices)
        devices[0] = (cl_device_id)one;
    return CL_SUCCESS;
}

/* Counting changes nothing on a root device. */
cl_int cx_clRetainDevice(cl_device_id id)
{
    struct cx_device *device = cx_device_from(id);
    if (!device)
        return CX_FAIL(CL_INVALID_DEVICE, "not a device");
    if (device->parent)
        cx_object_retain_app(&device->base);
    return CL_SUCCESS;
}

cl_int cx_clReleaseDevice(cl_device_id id)
{
    struct cx_device *device = cx_device_from(id);
    if (!device)
        return CX_FAIL(CL_INVALID_DEVICE, "not a device");
    if (device->parent && !cx_object_release_app(&device->base))
        return CX_FAIL(CL_INVALID_DEVICE, "released already");
    return CL_SUCCESS;
}

/* All members' profiling times are given on the host's clock, so that is the device's timer, too. */
cl_int cx_clGetDeviceAndHostTimer(cl_device_id id, cl_ulong *device_timestamp, cl_ulong *host_timestamp)
{
    if (!cx_device_from(id))
        return CX_FAIL(CL_INVALID_DEVICE, "not a device");
    if (!device_timestamp || !host_timestamp)
        return CX_FAIL(CL_INVALID_VALUE, "no place for a timestamp");
    *device_timestamp = *host_timestamp = cx_clock_ns();
    return CL_SUCCESS;
}

cl_int cx_clGetHostTimer(cl_device_id id, cl_ulong *host_timestamp)
{
    if (!cx_device_from(id))
        return CX_FAIL(CL_INVALID_DEVICE, "not a device");
    if (!host_timestamp)
        return CX_FAIL(CL_INVALID_VALUE, "no place for a timestamp");
    *host_timestamp = cx_clock_ns();
    return CL_SUCCESS;
}
