/* SPDX-License-Identifier: MIT */
/*
 * A driver for tests that speaks cl_khr_icd 2.0: its tables hold nothing but the tag, so whoever calls
 * through them crashes; the functions come from clIcdGetFunctionAddressForPlatformKHR. It knows its devices'
 * facts and runs nothing. ICD2_DEVICES=n    number of devices, 2 by default, all named "twin" ICD2_ODD=bits
 * makes the last device big-endian ("endian") or 32-bit ("bits") ICD2_REFUSE=1
 * clIcdSetPlatformDispatchDataKHR fails
 */
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define TAG    ((uintptr_t)0x4F50454E434C3331u)

struct object {
    const cl_icd_dispatch *dispatch;
    void *loader_data;
    unsigned index;
};

static cl_icd_dispatch tagged;
static struct object platform = {&tagged, NULL, 0};
static struct object devices[8];

static unsigned device_count(void)
{
    const char *text = getenv("ICD2_DEVICES");
    long count = text ? strtol(text, NULL, 10) : 2;
    return count < 0 || count > 8 ? 2 : (unsigned)count;
}

static cl_int give(const void *data, size_t size, size_t room, void *value, size_t *size_ret)
{
    if (value && room < size)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, data, size);
    if (size_ret)
        *size_ret = size;
    return CL_SUCCESS;
}

static cl_int get_platform_info(cl_platform_id id, cl_platform_info query, size_t room, void *value,
                                size_t *size_ret)
{
    const char *text = query == CL_PLATFORM_VERSION ? "OpenCL 3.0 icd2" : "icd2";
    /* The table that the loader hands over is in place before anything is asked. */
    if (!((struct object *)id)->loader_data)
        return CL_INVALID_PLATFORM;
    return give(text, strlen(text) + 1, room, value, size_ret);
}

static cl_int get_device_ids(cl_platform_id id, cl_device_type type, cl_uint room, cl_device_id *ids,
                             cl_uint *count)
{
    unsigned n = device_count();
    for (unsigned i = 0; i < n; i++) {
        devices[i] = (struct object){&tagged, platform.loader_data, i};
        if (ids && i < room)
            ids[i] = (cl_device_id)&devices[i];
    }
    if (count)
        *count = n;
    return n ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

static cl_int get_device_info(cl_device_id id, cl_device_info query, size_t room, void *value,
                              size_t *size_ret)
{
    const char *odd = getenv("ICD2_ODD");
    int is_odd = odd && ((struct object *)id)->index + 1 == device_count();
    static const size_t sizes[3] = {64, 64, 64};
    size_t group = 64;
    cl_ulong memory = 1 << 20;
    cl_device_type type = CL_DEVICE_TYPE_CPU;
    cl_uint one = 1, little = !(is_odd && strcmp(odd, "endian") == 0),
            bits = is_odd && strcmp(odd, "bits") == 0 ? 32 : 64;
    switch (query) {
    case CL_DEVICE_NAME:
        return give("twin", 5, room, value, size_ret);
    case CL_DEVICE_VERSION:
        return give("OpenCL 3.0 icd2", 16, room, value, size_ret);
    case CL_DEVICE_OPENCL_C_VERSION:
        return give("OpenCL C 3.0", 13, room, value, size_ret);
    case CL_DEVICE_EXTENSIONS:
        return give("cl_khr_fp16 cl_khr_spir", 24, room, value, size_ret);
    case CL_DEVICE_TYPE:
        return give(&type, sizeof type, room, value, size_ret);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return give(&memory, sizeof memory, room, value, size_ret);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return give(&group, sizeof group, room, value, size_ret);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return give(sizes, sizeof sizes, room, value, size_ret);
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return give(&one, sizeof one, room, value, size_ret);
    case CL_DEVICE_ENDIAN_LITTLE:
        return give(&little, sizeof little, room, value, size_ret);
    case CL_DEVICE_ADDRESS_BITS:
        return give(&bits, sizeof bits, room, value, size_ret);
    default:
        return CL_INVALID_VALUE; /* a driver that answers little */
    }
}

static cl_int refuse(void)
{
    return CL_OUT_OF_RESOURCES;
}

static void *get_function(cl_platform_id id, const char *name)
{
    if (strcmp(name, "clGetPlatformInfo") == 0)
        return (void *)get_platform_info;
    if (strcmp(name, "clGetDeviceIDs") == 0)
        return (void *)get_device_ids;
    return strcmp(name, "clGetDeviceInfo") == 0 ? (void *)get_device_info : (void *)refuse;
}

static cl_int set_data(cl_platform_id id, void *data)
{
    if (getenv("ICD2_REFUSE"))
        return CL_INVALID_PLATFORM;
    ((struct object *)id)->loader_data = data;
    return CL_SUCCESS;
}

static cl_int get_platforms(cl_uint room, cl_platform_id *ids, cl_uint *count)
{
    tagged.clGetPlatformIDs = (__typeof__(tagged.clGetPlatformIDs))TAG;
    tagged.clUnloadCompiler = (__typeof__(tagged.clUnloadCompiler))TAG;
    if (ids && room)
        ids[0] = (cl_platform_id)&platform;
    if (count)
        *count = 1;
    return CL_SUCCESS;
}

EXPORT void *clGetExtensionFunctionAddress(const char *name)
{
    if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
        return (void *)get_platforms;
    if (strcmp(name, "clIcdGetFunctionAddressForPlatformKHR") == 0)
        return (void *)get_function;
    return strcmp(name, "clIcdSetPlatformDispatchDataKHR") == 0 ? (void *)set_data : NULL;
}
