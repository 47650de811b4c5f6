/* SPDX-License-Identifier: MIT */
/* Stub driver: the platform, its devices, and what a loader asks of an ICD. */
#include "calls.h"
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

#define STUB_SLOT(call) .cl##call = stub_cl##call,
const cl_icd_dispatch stub_dispatch = {.clGetPlatformIDs = NULL, /* the loader's own */
                                       STUB_CALLS(STUB_SLOT)};

static struct {
    pthread_once_t once;
    struct stub_platform platforms[STUB_MAX_DEVICES];
    unsigned count, nplatforms;
    struct stub_device devices[STUB_MAX_DEVICES];
    char version[64];
} stub = {.once = PTHREAD_ONCE_INIT};

static void never_destroyed(struct stub_object *object)
{
    (void)object;
}

static cl_device_type type_of(const char *word)
{
    if (strcmp(word, "gpu") == 0)
        return CL_DEVICE_TYPE_GPU;
    if (strcmp(word, "accelerator") == 0)
        return CL_DEVICE_TYPE_ACCELERATOR;
    return strcmp(word, "custom") == 0 ? CL_DEVICE_TYPE_CUSTOM : CL_DEVICE_TYPE_CPU;
}

/* Devices of one vendor have one platform. */
static struct stub_platform *platform_of(const char *vendor)
{
    unsigned p = 0;
    while (p < stub.nplatforms && strcmp(stub.platforms[p].vendor, vendor) != 0)
        p++;
    struct stub_platform *platform = &stub.platforms[p];
    if (p == stub.nplatforms) {
        stub.nplatforms++;
        stub_object_init(&platform->base, STUB_PLATFORM, p + 1, never_destroyed);
        snprintf(platform->vendor, sizeof(platform->vendor), "%s", vendor);
    }
    return platform;
}

static cl_device_affinity_domain domain_of(const char *name)
{
    if (strcmp(name, "l1") == 0)
        return CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE;
    if (strcmp(name, "l2") == 0)
        return CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE;
    return strcmp(name, "l3") == 0 ? CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE : CL_DEVICE_AFFINITY_DOMAIN_NUMA;
}

static void init(void)
{
    char word[64];
    double count = stub_config_number("STUB_DEVICES", 0, 2);
    stub.count = count < 0 ? 0 : count > STUB_MAX_DEVICES ? STUB_MAX_DEVICES : (unsigned)count;
    if (!stub.count)
        platform_of("coexec tests");
    snprintf(stub.version, sizeof(stub.version), "OpenCL %s stub", stub_config_text("STUB_VERSION", "3.0"));
    for (unsigned i = 0; i < stub.count; i++) {
        struct stub_device *device = &stub.devices[i];
        stub_object_init(&device->base, STUB_DEVICE, i, never_destroyed);
        device->index = i;
        device->type = type_of(stub_config_word("STUB_TYPE", i, "cpu", word, sizeof(word)));
        device->speed = stub_config_number("STUB_SPEED", i, 0);
        device->units = (cl_uint)stub_config_number("STUB_UNITS", i, 1);
        device->memory = (cl_ulong)stub_config_number("STUB_MEM", i, 1 << 30);
        device->max_alloc = (cl_ulong)stub_config_number("STUB_ALLOC", i, (double)device->memory);
        device->max_group = (size_t)stub_config_number("STUB_GROUP", i, 1024);
        device->kernel_group = (size_t)stub_config_number("STUB_KERNEL_GROUP", i, (double)device->max_group);
        device->takes = (size_t)stub_config_number("STUB_TAKES", i, (double)device->max_group);
        device->lacks = (size_t)stub_config_number("STUB_LACKS", i, 0);
        device->split_group = (size_t)stub_config_number("STUB_SPLIT_GROUP", i, (double)device->kernel_group);
        device->split_lacks = (size_t)stub_config_number("STUB_SPLIT_LACKS", i, 0);
        device->in_place = stub_config_number("STUB_IN_PLACE", i, 1) != 0;
        device->domains = (cl_uint)stub_config_number("STUB_NUMA", i, 0);
        device->domain = domain_of(stub_config_word("STUB_DOMAIN", i, "numa", word, sizeof(word)));
        const char *cuts = stub_config_word("STUB_CUTS", i, "", word, sizeof(word));
        device->cuts_counts = strstr(cuts, "counts") != NULL;
        device->cuts_equally = strstr(cuts, "equally") != NULL;
        snprintf(device->name, sizeof(device->name), "stub %u", i);
        const char *name = stub_config_word("STUB_NAMES", i, NULL, word, sizeof(word));
        if (name)
            snprintf(device->name, sizeof(device->name), "%.31s", name);
        device->platform =
            platform_of(stub_config_word("STUB_VENDOR", i, "coexec tests", word, sizeof(word)));
    }
}

struct stub_platform *stub_platform_get(void)
{
    pthread_once(&stub.once, init);
    return &stub.platforms[0];
}

unsigned stub_device_count(void)
{
    pthread_once(&stub.once, init);
    return stub.count;
}

struct stub_device *stub_device_get(unsigned index)
{
    return index < stub_device_count() ? &stub.devices[index] : NULL;
}

EXPORT CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *ids,
                                                              cl_uint *count)
{
    struct stub_fault fault = stub_call("clIcdGetPlatformIDsKHR", "room=%u", room);
    if (fault.code)
        return fault.code;
    if (ids && room == 0)
        return CL_INVALID_VALUE;
    stub_platform_get();
    for (unsigned p = 0; ids && p < stub.nplatforms && p < room; p++)
        ids[p] = (cl_platform_id)&stub.platforms[p];
    if (count)
        *count = stub.nplatforms;
    return CL_SUCCESS;
}

EXPORT CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
        return (void *)(uintptr_t)clIcdGetPlatformIDsKHR;
    return strcmp(name, "clGetPlatformInfo") == 0 ? (void *)(uintptr_t)stub_clGetPlatformInfo : NULL;
}

EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id handle, cl_platform_info what,
                                                         size_t room, void *value, size_t *size_ret)
{
    return stub_clGetPlatformInfo(handle, what, room, value, size_ret);
}

CL_API_ENTRY void *CL_API_CALL stub_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
                                                                             const char *name)
{
    (void)platform;
    return clGetExtensionFunctionAddress(name);
}

CL_API_ENTRY cl_int CL_API_CALL stub_clGetPlatformInfo(cl_platform_id handle, cl_platform_info what,
                                                       size_t room, void *value, size_t *size_ret)
{
    const struct stub_platform *platform = stub_platform_get();
    if (handle && !(platform = stub_object_of(handle, STUB_PLATFORM)))
        return CL_INVALID_PLATFORM;
    switch (what) {
    case CL_PLATFORM_PROFILE:
        return STUB_TEXT("FULL_PROFILE");
    case CL_PLATFORM_VERSION:
        return STUB_TEXT(stub.version);
    case CL_PLATFORM_NAME:
        return STUB_TEXT("Stub");
    case CL_PLATFORM_VENDOR:
        return STUB_TEXT(platform->vendor);
    case CL_PLATFORM_EXTENSIONS:
        return STUB_TEXT("cl_khr_icd");
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        return STUB_TEXT("STUB");
    case CL_PLATFORM_NUMERIC_VERSION:
        return STUB_INFO(cl_version, CL_MAKE_VERSION(3, 0, 0));
    case CL_PLATFORM_HOST_TIMER_RESOLUTION:
        return STUB_INFO(cl_ulong, 0);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
        return stub_info(NULL, 0, room, value, size_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL stub_clGetDeviceIDs(cl_platform_id handle, cl_device_type type, cl_uint room,
                                                    cl_device_id *ids, cl_uint *count)
{
    struct stub_fault fault = stub_call("clGetDeviceIDs", "type=%#lx room=%u", (unsigned long)type, room);
    cl_uint found = 0;
    if (fault.code)
        return fault.code;
    if (handle && !stub_object_of(handle, STUB_PLATFORM))
        return CL_INVALID_PLATFORM;
    if ((room == 0 && ids) || (!ids && !count))
        return CL_INVALID_VALUE;
    for (unsigned i = 0; i < stub_device_count(); i++) {
        bool wanted = (stub.devices[i].type & type) || ((type & CL_DEVICE_TYPE_DEFAULT) && i == 0);
        if (!wanted || (handle && (cl_platform_id)stub.devices[i].platform != handle))
            continue;
        if (ids && found < room)
            ids[found] = (cl_device_id)&stub.devices[i];
        found++;
    }
    if (count)
        *count = found;
    return found ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}
