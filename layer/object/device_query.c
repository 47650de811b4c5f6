/* SPDX-License-Identifier: MIT */
/*
 * Answers of the virtual device that are numbers or lists of names with versions, made from its members'
 * answers. See device_query.h.
 */
#include "layer/object/device_query.h"
#include "layer/object/command_buffer_api.h"
#include "layer/object/device.h"

#include <stdlib.h>
#include <string.h>

/* Not a PCI vendor's and not registered: with COEXEC_IDENTITY=virtual programs are not to take the device for
 * one vendor's. */
enum { VENDOR_ID = 0x4358 };

/* ---- numbers ---- */

/* How the members' answers make one. LOWEST and BITS are the fastest member's with
 * COEXEC_DEBUG=limits=fastest. */
enum rule {
    RULE_FIXED,      /* the row's value */
    RULE_LOWEST,     /* of all with COEXEC_DEBUG=limits=common */
    RULE_BITS,       /* what all have with COEXEC_DEBUG=limits=common */
    RULE_HIGHEST,    /* over all members */
    RULE_ALL,        /* bits that all members have */
    RULE_SUB_GROUPS, /* any member's where all are alike, else the row's value */
};

enum width {
    UINT = sizeof(cl_uint),
    ULONG = sizeof(cl_ulong)
}; /* cl_bool is a cl_uint; size_t a ULONG or UINT */
enum { SIZE = sizeof(size_t) };

/* Of the fixed value, or of the one for a member whose driver does not answer; the bits that the layer lets
 * through. */
struct number_row {
    cl_device_info query;
    unsigned char width;
    unsigned char rule;
    cl_ulong value;
    cl_ulong mask; /* 0: all bits */
};

enum {
    ATOMICS_LEAST = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP, /* what 3.0 demands */
    /* Not the scope of all devices: it needs memory shared with other devices. */
    ATOMICS_MASK = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
                   CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM |
                   CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE
};

// clang-format off
static const struct number_row numbers[] = {
    {CL_DEVICE_VENDOR_ID, UINT, RULE_FIXED, VENDOR_ID, 0},
    {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, UINT, RULE_FIXED, 3, 0},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, UINT, RULE_LOWEST, 1, 0},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, UINT, RULE_LOWEST, 1, 0},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, UINT, RULE_LOWEST, 1, 0},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, UINT, RULE_LOWEST, 1, 0},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, UINT, RULE_LOWEST, 1, 0},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, UINT, RULE_LOWEST, 0, 0},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, UINT, RULE_LOWEST, 0, 0},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, UINT, RULE_LOWEST, 1, 0},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, UINT, RULE_LOWEST, 1, 0},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, UINT, RULE_LOWEST, 1, 0},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, UINT, RULE_LOWEST, 1, 0},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, UINT, RULE_LOWEST, 1, 0},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, UINT, RULE_LOWEST, 0, 0},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, UINT, RULE_LOWEST, 0, 0},
    {CL_DEVICE_MAX_CLOCK_FREQUENCY, UINT, RULE_LOWEST, 0, 0},
    {CL_DEVICE_ADDRESS_BITS, UINT, RULE_LOWEST, 8 * sizeof(void *), 0},
    {CL_DEVICE_IMAGE_SUPPORT, UINT, RULE_BITS, CL_FALSE, 0},
    {CL_DEVICE_MAX_READ_IMAGE_ARGS, UINT, RULE_LOWEST, 0, 0},
    {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, UINT, RULE_LOWEST, 0, 0},
    {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, UINT, RULE_LOWEST, 0, 0},
    {CL_DEVICE_IMAGE2D_MAX_WIDTH, SIZE, RULE_LOWEST, 0, 0},
    {CL_DEVICE_IMAGE2D_MAX_HEIGHT, SIZE, RULE_LOWEST, 0, 0},
    {CL_DEVICE_IMAGE3D_MAX_WIDTH, SIZE, RULE_LOWEST, 0, 0},
    {CL_DEVICE_IMAGE3D_MAX_HEIGHT, SIZE, RULE_LOWEST, 0, 0},
    {CL_DEVICE_IMAGE3D_MAX_DEPTH, SIZE, RULE_LOWEST, 0, 0},
    {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, SIZE, RULE_LOWEST, 0, 0},
    {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, SIZE, RULE_LOWEST, 0, 0},
    {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, UINT, RULE_LOWEST, 0, 0},
    {CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, UINT, RULE_LOWEST, 0, 0},
    {CL_DEVICE_MAX_SAMPLERS, UINT, RULE_LOWEST, 0, 0},
    {CL_DEVICE_MAX_PARAMETER_SIZE, SIZE, RULE_LOWEST, 256, 0},
    {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, UINT, RULE_HIGHEST, 128, 0},
    {CL_DEVICE_SINGLE_FP_CONFIG, ULONG, RULE_BITS, 0, 0},
    {CL_DEVICE_DOUBLE_FP_CONFIG, ULONG, RULE_BITS, 0, 0},
    {CL_DEVICE_HALF_FP_CONFIG, ULONG, RULE_BITS, 0, 0},
    {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, UINT, RULE_LOWEST, CL_NONE, 0},
    {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, UINT, RULE_LOWEST, 0, 0},
    {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, ULONG, RULE_LOWEST, 0, 0},
    {CL_DEVICE_MAX_CONSTANT_ARGS, UINT, RULE_LOWEST, 8, 0},
    {CL_DEVICE_LOCAL_MEM_TYPE, UINT, RULE_LOWEST, CL_GLOBAL, 0}, /* CL_LOCAL, of its own, is less than CL_GLOBAL */
    {CL_DEVICE_ERROR_CORRECTION_SUPPORT, UINT, RULE_ALL, CL_FALSE, 0},
    {CL_DEVICE_PROFILING_TIMER_RESOLUTION, SIZE, RULE_HIGHEST, 1, 0},
    {CL_DEVICE_ENDIAN_LITTLE, UINT, RULE_ALL, CL_TRUE, 0},
    {CL_DEVICE_AVAILABLE, UINT, RULE_FIXED, CL_TRUE, 0},
    {CL_DEVICE_COMPILER_AVAILABLE, UINT, RULE_FIXED, CL_TRUE, 0},
    {CL_DEVICE_LINKER_AVAILABLE, UINT, RULE_FIXED, CL_TRUE, 0},
    {CL_DEVICE_EXECUTION_CAPABILITIES, ULONG, RULE_BITS, CL_EXEC_KERNEL, CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL},
    {CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, ULONG, RULE_FIXED,
     CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, 0},
    {CL_DEVICE_HOST_UNIFIED_MEMORY, UINT, RULE_ALL, CL_FALSE, 0},
    {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, UINT, RULE_FIXED, CL_TRUE, 0},
    {CL_DEVICE_PRINTF_BUFFER_SIZE, SIZE, RULE_LOWEST, 0, 0},
    {CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, SIZE, RULE_LOWEST, 0, 0},
    {CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, SIZE, RULE_LOWEST, 0, 0},
    /* No queues on the device, no pipes. */
    {CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, ULONG, RULE_FIXED, 0, 0},
    {CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, UINT, RULE_FIXED, 0, 0},
    {CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, UINT, RULE_FIXED, 0, 0},
    {CL_DEVICE_MAX_ON_DEVICE_QUEUES, UINT, RULE_FIXED, 0, 0},
    {CL_DEVICE_MAX_ON_DEVICE_EVENTS, UINT, RULE_FIXED, 0, 0},
    {CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, ULONG, RULE_FIXED, 0, 0},
    {CL_DEVICE_PIPE_SUPPORT, UINT, RULE_FIXED, CL_FALSE, 0},
    {CL_DEVICE_MAX_PIPE_ARGS, UINT, RULE_FIXED, 0, 0},
    {CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, UINT, RULE_FIXED, 0, 0},
    {CL_DEVICE_PIPE_MAX_PACKET_SIZE, UINT, RULE_FIXED, 0, 0},
    {CL_DEVICE_MAX_NUM_SUB_GROUPS, UINT, RULE_SUB_GROUPS, 0, 0},
    {CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, UINT, RULE_SUB_GROUPS, CL_FALSE, 0},
    {CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, UINT, RULE_HIGHEST, 0, 0},
    {CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, UINT, RULE_HIGHEST, 0, 0},
    {CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, UINT, RULE_HIGHEST, 0, 0},
    {CL_DEVICE_NUMERIC_VERSION, UINT, RULE_FIXED, CL_MAKE_VERSION(3, 0, 0), 0},
    {CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, ULONG, RULE_BITS, ATOMICS_LEAST, ATOMICS_MASK},
    {CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, ULONG, RULE_BITS, ATOMICS_LEAST | CL_DEVICE_ATOMIC_ORDER_ACQ_REL,
     ATOMICS_MASK},
    {CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, UINT, RULE_BITS, CL_FALSE, 0},
    {CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, SIZE, RULE_LOWEST, 1, 0},
    {CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, UINT, RULE_BITS, CL_FALSE, 0},
    {CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, UINT, RULE_BITS, CL_FALSE, 0},
    {CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, ULONG, RULE_FIXED,
     CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR |
     CL_COMMAND_BUFFER_CAPABILITY_OUT_OF_ORDER_KHR, 0},
    {CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR, ULONG, RULE_FIXED,
     CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, 0},
    {CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR, ULONG, RULE_FIXED, 0, 0},
};
// clang-format on

static cl_ulong member_number(const struct cx_real_device *member, const struct number_row *row)
{
    cl_uint narrow = 0;
    cl_ulong wide = 0;
    size_t size = 0;
    void *value = row->width == UINT ? (void *)&narrow : &wide;
    cl_int code = member->cl->clGetDeviceInfo(member->id, row->query, row->width, value, &size);
    if (code != CL_SUCCESS || size != row->width)
        return row->value;
    return row->width == UINT ? narrow : wide;
}

static cl_ulong join(cl_ulong one, cl_ulong other, enum rule rule)
{
    switch (rule) {
    case RULE_LOWEST:
        return other < one ? other : one;
    case RULE_HIGHEST:
        return other > one ? other : one;
    default:
        return one & other;
    }
}

static cl_ulong joint_number(const struct cx_device *device, const struct number_row *row)
{
    bool fastest_only = !device->common && (row->rule == RULE_LOWEST || row->rule == RULE_BITS);
    if (row->rule == RULE_FIXED || (row->rule == RULE_SUB_GROUPS && !device->sub_groups))
        return row->value;
    if (row->rule == RULE_SUB_GROUPS)
        return member_number(device->fastest, row);
    cl_ulong result = member_number(fastest_only ? device->fastest : device->members[0], row);
    for (unsigned m = 1; !fastest_only && m < device->nmembers; m++)
        result = join(result, member_number(device->members[m], row), row->rule);
    return row->mask ? result & row->mask : result;
}

size_t cx_device_number(const struct cx_device *device, cl_device_info query)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].query == query)
            return (size_t)joint_number(device, &numbers[i]);
    return 0;
}

bool cx_device_answer_number(const struct cx_device *device, cl_device_info query, size_t room, void *value,
                             size_t *size_ret, cl_int *code)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (numbers[i].query != query)
            continue;
        cl_ulong wide = joint_number(device, &numbers[i]);
        cl_uint narrow = (cl_uint)wide;
        const void *data = numbers[i].width == UINT ? (const void *)&narrow : &wide;
        *code = cx_object_info_bytes(data, numbers[i].width, room, value, size_ret);
        return true;
    }
    return false;
}

/* ---- lists of names with versions ---- */

size_t cx_device_member_versions(const struct cx_real_device *member, cl_device_info query,
                                 cl_name_version **list)
{
    size_t size = 0;
    *list = NULL;
    if (member->version_number < 300 ||
        member->cl->clGetDeviceInfo(member->id, query, 0, NULL, &size) != CL_SUCCESS || size < sizeof **list)
        return 0;
    *list = malloc(size);
    if (!*list || member->cl->clGetDeviceInfo(member->id, query, size, *list, NULL) != CL_SUCCESS)
        return 0;
    return size / sizeof **list;
}

static bool has_version(const struct cx_real_device *member, cl_device_info query,
                        const cl_name_version *entry)
{
    cl_name_version *list;
    size_t count = cx_device_member_versions(member, query, &list), i = 0;
    while (i < count && (list[i].version != entry->version || strcmp(list[i].name, entry->name) != 0))
        i++;
    free(list);
    return i < count;
}

size_t cx_device_versions(const struct cx_device *device, cl_device_info query,
                          bool (*keep)(const cl_name_version *entry), cl_name_version **list)
{
    size_t count = cx_device_member_versions(device->fastest, query, list), kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool good = keep(&(*list)[i]);
        for (unsigned m = 0; good && device->common && m < device->nmembers; m++)
            good = has_version(device->members[m], query, &(*list)[i]);
        if (good)
            (*list)[kept++] = (*list)[i];
    }
    return kept;
}

size_t cx_device_extension_versions(const char *extensions, cl_name_version **list)
{
    size_t count = 0, room = 1;
    for (const char *at = extensions; *at; at++)
        room += *at == ' ';
    *list = calloc(room, sizeof **list);
    while (*list && *extensions) {
        size_t length = strcspn(extensions, " ");
        if (length && length < CL_NAME_VERSION_MAX_NAME_SIZE) {
            memcpy((*list)[count].name, extensions, length);
            const bool provisional = strcmp((*list)[count].name, "cl_khr_command_buffer") == 0;
            (*list)[count++].version = provisional ? CL_MAKE_VERSION(0, 9, 8) : CL_MAKE_VERSION(1, 0, 0);
        }
        extensions += length + strspn(extensions + length, " ");
    }
    return count;
}
