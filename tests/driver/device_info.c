/* SPDX-License-Identifier: MIT */
/* Stub driver: clGetDeviceInfo. Numbers that are not configurable are those of a plain small device. */
#include "calls.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Queries that every device answers with the same number. */
struct plain {
    cl_device_info what;
    unsigned size; /* bytes of the answer */
    cl_ulong value;
};

#define UINT sizeof(cl_uint)
#define BITS sizeof(cl_ulong)
static const struct plain plain_answers[] = {
    {CL_DEVICE_MAX_CLOCK_FREQUENCY, UINT, 1000},
    {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, UINT, 3},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, UINT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, UINT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, UINT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, UINT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, UINT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, UINT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, UINT, 0},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, UINT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, UINT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, UINT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, UINT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, UINT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, UINT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, UINT, 0},
    {CL_DEVICE_ADDRESS_BITS, UINT, 64},
    {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, UINT, 128},
    {CL_DEVICE_MAX_READ_IMAGE_ARGS, UINT, 0},
    {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, UINT, 0},
    {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, UINT, 0},
    {CL_DEVICE_MAX_SAMPLERS, UINT, 0},
    {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, UINT, CL_NONE},
    {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, UINT, 64},
    {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, BITS, 0},
    {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, BITS, 65536},
    {CL_DEVICE_MAX_CONSTANT_ARGS, UINT, 8},
    {CL_DEVICE_LOCAL_MEM_TYPE, UINT, CL_LOCAL},
    {CL_DEVICE_LOCAL_MEM_SIZE, BITS, 32768},
    {CL_DEVICE_ERROR_CORRECTION_SUPPORT, UINT, CL_FALSE},
    {CL_DEVICE_HOST_UNIFIED_MEMORY, UINT, CL_TRUE},
    {CL_DEVICE_IMAGE_SUPPORT, UINT, CL_FALSE},
    {CL_DEVICE_ENDIAN_LITTLE, UINT, CL_TRUE},
    {CL_DEVICE_AVAILABLE, UINT, CL_TRUE},
    {CL_DEVICE_COMPILER_AVAILABLE, UINT, CL_TRUE},
    {CL_DEVICE_LINKER_AVAILABLE, UINT, CL_FALSE},
    {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, UINT, CL_TRUE},
    {CL_DEVICE_PARTITION_MAX_SUB_DEVICES, UINT, 0},
    {CL_DEVICE_REFERENCE_COUNT, UINT, 1},
    {CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, UINT, CL_FALSE},
    {CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, UINT, CL_FALSE},
    {CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, UINT, CL_FALSE},
    {CL_DEVICE_PIPE_SUPPORT, UINT, CL_FALSE},
    {CL_DEVICE_NUMERIC_VERSION, UINT, CL_MAKE_VERSION(3, 0, 0)},
    {CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, UINT, 0},
    {CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, UINT, 0},
    {CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, UINT, 0},
    {CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, UINT, 0},
    {CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, UINT, 0},
    {CL_DEVICE_MAX_ON_DEVICE_QUEUES, UINT, 0},
    {CL_DEVICE_MAX_ON_DEVICE_EVENTS, UINT, 0},
    {CL_DEVICE_MAX_PIPE_ARGS, UINT, 0},
    {CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, UINT, 0},
    {CL_DEVICE_PIPE_MAX_PACKET_SIZE, UINT, 0},
    {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, UINT, 0},
    {CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, UINT, 0},
    {CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof(size_t), 0},
    {CL_DEVICE_IMAGE2D_MAX_HEIGHT, sizeof(size_t), 0},
    {CL_DEVICE_IMAGE3D_MAX_WIDTH, sizeof(size_t), 0},
    {CL_DEVICE_IMAGE3D_MAX_HEIGHT, sizeof(size_t), 0},
    {CL_DEVICE_IMAGE3D_MAX_DEPTH, sizeof(size_t), 0},
    {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, sizeof(size_t), 0},
    {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, sizeof(size_t), 0},
    {CL_DEVICE_MAX_PARAMETER_SIZE, sizeof(size_t), 1024},
    {CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof(size_t), 1},
    {CL_DEVICE_PRINTF_BUFFER_SIZE, sizeof(size_t), 0},
    {CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, sizeof(size_t), 0},
    {CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, sizeof(size_t), 0},
    {CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof(size_t), 1},
    {CL_DEVICE_SINGLE_FP_CONFIG, BITS, CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN},
    {CL_DEVICE_DOUBLE_FP_CONFIG, BITS, 0},
    {CL_DEVICE_HALF_FP_CONFIG, BITS, 0},
    {CL_DEVICE_EXECUTION_CAPABILITIES, BITS, CL_EXEC_KERNEL},
    {CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, BITS, CL_QUEUE_PROFILING_ENABLE},
    {CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, BITS, 0},
    {CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, BITS, 0},
    {CL_DEVICE_SVM_CAPABILITIES, BITS, 0},
    {CL_DEVICE_PARTITION_AFFINITY_DOMAIN, BITS, 0},
    {CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, BITS,
     CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP},
    {CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, BITS,
     CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP},
    {CL_DEVICE_PARENT_DEVICE, sizeof(void *), 0},
    {CL_DEVICE_PARTITION_PROPERTIES, sizeof(cl_ulong), 0},
    {CL_DEVICE_PARTITION_TYPE, 0, 0},
    {CL_DEVICE_ILS_WITH_VERSION, 0, 0},
    {CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, 0, 0},
    {CL_DEVICE_EXTENSIONS_WITH_VERSION, 0, 0},
    {CL_DEVICE_OPENCL_C_FEATURES, 0, 0},
    {CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, 1, 0},
};

static const char *extensions(const struct stub_device *device, char *room, size_t size)
{
    return stub_config_word("STUB_EXTENSIONS", device->index,
                            "cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "
                            "cl_khr_byte_addressable_store",
                            room, size);
}

static cl_uint vendor_id(const struct stub_device *device)
{
    char word[32];
    return (cl_uint)strtoul(stub_config_word("STUB_VENDOR_ID", device->index, "0x5354", word, sizeof(word)),
                            NULL, 0);
}

/* Of "major.minor.registers". */
static cl_uint nvidia_number(const struct stub_device *device, unsigned part)
{
    char room[32];
    const char *text = stub_config_word("STUB_NVIDIA", device->index, "0.0.0", room, sizeof(room));
    while (part-- > 0 && strchr(text, '.'))
        text = strchr(text, '.') + 1;
    return (cl_uint)strtoul(text, NULL, 10);
}

/* Queries of vendors' extensions: those of the first have the number 100 * device + the query's own. */
static cl_int vendor_answer(cl_device_info what, const struct stub_device *device, size_t room, void *value,
                            size_t *size_ret)
{
    static const struct {
        const char *extension;
        cl_device_info first, last;
    } queries[] = {{"cl_nv_device_attribute_query", 0x4000, 0x400A},
                   {"cl_amd_device_attribute_query", 0x4030, 0x404C},
                   {"cl_khr_pci_bus_info", 0x410F, 0x410F},
                   {"cl_khr_device_uuid", 0x106A, 0x106A}};
    char list[512];
    const char *have = extensions(device, list, sizeof(list));
    for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
        if (what < queries[i].first || what > queries[i].last || !strstr(have, queries[i].extension))
            continue;
        if (what <= 0x4002 && getenv("STUB_NVIDIA"))
            return STUB_INFO(cl_uint, nvidia_number(device, what - 0x4000));
        if (what == 0x410F)
            return stub_info((cl_uint[]){0, device->index + 1, 0, 0}, 4 * sizeof(cl_uint), room, value,
                             size_ret);
        if (what == 0x106A)
            return stub_info("sixteen bytes id", 16, room, value, size_ret);
        return STUB_INFO(cl_uint, 100 * device->index + what - queries[i].first);
    }
    return CL_INVALID_VALUE;
}

static cl_int text_answer(cl_device_info what, const struct stub_device *device, size_t room, void *value,
                          size_t *size_ret)
{
    char version[64], name[256], offer[256], list[512];
    switch (what) {
    case CL_DEVICE_MAX_NUM_SUB_GROUPS: {
        unsigned long size = strtoul(stub_offer("STUB_SUB_GROUP", device, offer, sizeof(offer)), NULL, 10);
        return STUB_INFO(cl_uint, size ? (cl_uint)(device->max_group / size) : 0);
    }
    case CL_DEVICE_IL_VERSION:
        return STUB_TEXT(stub_offer("STUB_IL", device, offer, sizeof(offer)));
    case CL_DEVICE_BUILT_IN_KERNELS:
        return STUB_TEXT(stub_offer("STUB_BUILTINS", device, offer, sizeof(offer)));
    case CL_DEVICE_NAME:
        snprintf(name, sizeof name, "%s%s", device->name, stub_config_text("STUB_NAME_END", ""));
        return STUB_TEXT(name);
    case CL_DEVICE_VENDOR:
        return STUB_TEXT(device->platform->vendor);
    case CL_DRIVER_VERSION:
        return STUB_TEXT(stub_config_word("STUB_DRIVER", device->index, "1", offer, sizeof(offer)));
    case CL_DEVICE_PROFILE:
        return STUB_TEXT("FULL_PROFILE");
    case CL_DEVICE_VERSION:
        snprintf(version, sizeof(version), "OpenCL %s stub", stub_config_text("STUB_VERSION", "3.0"));
        return STUB_TEXT(version);
    case CL_DEVICE_OPENCL_C_VERSION:
        return STUB_TEXT("OpenCL C 1.2 stub");
    case CL_DEVICE_EXTENSIONS:
        return STUB_TEXT(extensions(device, list, sizeof(list)));
    default:
        return vendor_answer(what, device, room, value, size_ret);
    }
}

CL_API_ENTRY cl_int CL_API_CALL stub_clGetDeviceInfo(cl_device_id handle, cl_device_info what, size_t room,
                                                     void *value, size_t *size_ret)
{
    struct stub_device *device = STUB_OF(device, handle, STUB_DEVICE);
    static const cl_name_version c_versions[] = {{CL_MAKE_VERSION(1, 0, 0), "OpenCL C"},
                                                 {CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
                                                 {CL_MAKE_VERSION(1, 2, 0), "OpenCL C"}};
    if (!device)
        return CL_INVALID_DEVICE;
    if (stub_domain_info(device, what, room, value, size_ret) == CL_SUCCESS)
        return CL_SUCCESS;
    for (size_t i = 0; i < sizeof(plain_answers) / sizeof(plain_answers[0]); i++) {
        if (plain_answers[i].what == what) /* little-endian machines only */
            return stub_info(&plain_answers[i].value, plain_answers[i].size, room, value, size_ret);
    }
    switch (what) {
    case CL_DEVICE_TYPE:
        return STUB_INFO(cl_device_type, device->type | (device->index == 0 ? CL_DEVICE_TYPE_DEFAULT : 0));
    case CL_DEVICE_PLATFORM:
        return STUB_INFO(cl_platform_id, (cl_platform_id)device->platform);
    case CL_DEVICE_VENDOR_ID:
        return STUB_INFO(cl_uint, vendor_id(device));
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
        return STUB_INFO(cl_uint, (cl_uint)stub_config_number("STUB_ALIGN", device->index, 1024));
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return STUB_INFO(cl_uint, device->units);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return STUB_INFO(size_t, device->max_group);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return stub_info((size_t[]){device->max_group, device->max_group, device->max_group},
                         3 * sizeof(size_t), room, value, size_ret);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return STUB_INFO(cl_ulong, device->max_alloc);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        return STUB_INFO(cl_ulong, device->memory);
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
        return stub_info(c_versions, sizeof(c_versions), room, value, size_ret);
    default:
        return text_answer(what, device, room, value, size_ret);
    }
}
