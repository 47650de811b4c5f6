/* SPDX-License-Identifier: MIT */
/*
 * The virtual device: what is settled once about it, and how it is found. Its queries are in device_info.c.
 * Previous stage: real.h.
 */
#include "layer/device.h"
#include "layer/entry.h"
#include "layer/log.h"
#include "layer/options.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct cx_device device;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Extensions of the kernel language that need nothing of a runtime: what the member's compiler knows is all
 * there is. */
static const char *const language_extensions[] = {
    "cl_khr_byte_addressable_store",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_fp64",
    "cl_khr_fp16",
    "cl_khr_expect_assume",
};

/* ---- putting it together ---- */

/* Which members count for limits and extensions: the fastest, or all. */
static bool counts(const struct cx_real_device *member)
{
    return device.common || member == device.machine->fastest;
}

static void settle_limits(void)
{
    const struct cx_machine *machine = device.machine;
    const struct cx_real_device *fastest = machine->fastest;
    cl_ulong smallest = fastest->global_mem;
    device.max_alloc = fastest->max_alloc;
    device.local_mem = fastest->local_mem;
    device.max_constant = fastest->max_constant;
    device.max_group_size = fastest->max_group_size;
    memcpy(device.max_item_sizes, fastest->max_item_sizes, sizeof device.max_item_sizes);
    for (unsigned m = 0; m < machine->nused; m++) {
        const struct cx_real_device *member = machine->used[m];
        if (member->global_mem > device.global_mem)
            device.global_mem = member->global_mem;
        if (member->base_align_bits > device.base_align_bits)
            device.base_align_bits = member->base_align_bits;
        if (device.common && member->global_mem < smallest)
            smallest = member->global_mem;
        if (!counts(member))
            continue;
#define LOWER(field)                                                                                         \
    if (member->field < device.field)                                                                        \
    device.field = member->field
        LOWER(max_alloc);
        LOWER(local_mem);
        LOWER(max_constant);
        LOWER(max_group_size);
        for (unsigned i = 0; i < 3; i++)
            LOWER(max_item_sizes[i]);
#undef LOWER
    }
    if (device.common)
        device.global_mem = smallest;
}

/* GPU where one is a member, else accelerator, else CPU; what COEXEC_DEVICE_TYPE says goes before. */
static cl_device_type settle_type(void)
{
    static const struct {
        const char *word;
        cl_device_type type;
    } types[] = {{"gpu", CL_DEVICE_TYPE_GPU},
                 {"accelerator", CL_DEVICE_TYPE_ACCELERATOR},
                 {"cpu", CL_DEVICE_TYPE_CPU}};
    for (unsigned i = 0; i < 3; i++)
        if (strcmp(cx_options_get()->device_type, types[i].word) == 0)
            return types[i].type;
    for (unsigned i = 0; i < 3; i++)
        for (unsigned m = 0; m < device.machine->nused; m++)
            if (device.machine->used[m]->type == types[i].type)
                return types[i].type;
    return CL_DEVICE_TYPE_CPU;
}

/* "coexec: A + 2 x B": every name once, with its count. NULL: out of memory. */
static char *join_names(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    struct cx_real_device *const *used = device.machine->used;
    unsigned nused = device.machine->nused;
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
        fputs(used[m]->name, stream);
    }
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

static bool all_have(const char *extension)
{
    for (unsigned m = 0; m < device.machine->nused; m++)
        if (counts(device.machine->used[m]) &&
            !cx_extension_has(device.machine->used[m]->extensions, extension))
            return false;
    return true;
}

static char *join_extensions(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    fputs("cl_khr_extended_versioning", stream); /* ours: its queries are the core's */
    for (size_t i = 0; i < sizeof language_extensions / sizeof *language_extensions; i++)
        if (all_have(language_extensions[i]))
            fprintf(stream, " %s", language_extensions[i]);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* OpenCL C 2.0 asks for pipes, device queues and shared memory, which the layer does not offer: a
 * member's 2.0 counts as 1.2 here. */
static cl_version settle_c_version(void)
{
    for (unsigned m = 0; m < device.machine->nused; m++) {
        const struct cx_real_device *member = device.machine->used[m];
        if (counts(member) && strncmp(member->opencl_c_version, "OpenCL C 3.", 11) != 0)
            return CL_MAKE_VERSION(1, 2, 0);
    }
    return CL_MAKE_VERSION(3, 0, 0);
}

static void destroy_device(struct cx_object *object)
{
    (void)object; /* lives for ever */
}

static void make_device(void)
{
    device.machine = cx_machine_get();
    if (device.machine->nused == 0)
        return;
    device.common = strcmp(cx_options_get()->limits, "common") == 0;
    settle_limits();
    device.type = settle_type();
    device.c_version = settle_c_version();
    device.name = join_names();
    device.extensions = join_extensions();
    if (device.name && device.extensions)
        cx_object_init(&device.base, CX_TAG_DEVICE, destroy_device);
}

struct cx_device *cx_device_get(void)
{
    pthread_once(&once, make_device);
    return device.base.tag == CX_TAG_DEVICE ? &device : NULL;
}

bool cx_device_answers(const struct cx_device *asked, cl_device_type type)
{
    const cl_device_type ordinary = CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR;
    bool narrowed = strcmp(cx_options_get()->device_type, "all") != 0;
    return (type & ((narrowed ? asked->type : ordinary) | CL_DEVICE_TYPE_DEFAULT)) != 0;
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
        return CX_FAIL(CL_DEVICE_NOT_FOUND, "no device of that type (COEXEC_DEVICE_TYPE)");
    if (devices)
        devices[0] = (cl_device_id)one;
    return CL_SUCCESS;
}

/* The device is a root device: counting changes nothing. */
cl_int cx_clRetainDevice(cl_device_id id)
{
    return cx_device_from(id) ? CL_SUCCESS : CX_FAIL(CL_INVALID_DEVICE, "not a device");
}

cl_int cx_clReleaseDevice(cl_device_id id)
{
    return cx_device_from(id) ? CL_SUCCESS : CX_FAIL(CL_INVALID_DEVICE, "not a device");
}
