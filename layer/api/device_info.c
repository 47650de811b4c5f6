/* SPDX-License-Identifier: MIT */
/*
 * clGetDeviceInfo: every query of the OpenCL 3.0 core and of the extensions reported, by one table of
 * numbers, one of texts, and a few functions. These are coexec's own answers; whether the program sees them
 * or the fastest member's says shown.h. Previous stage: device.c.
 */
#include "layer/api/command_buffer_api.h"
#include "layer/object/device.h"
#include "layer/base/entry.h"
#include "layer/base/log.h"
#include "layer/program/program.h"
#include "layer/base/sha256.h"
#include "layer/object/shown.h"
#include "layer/memory/svm.h"

#include <stdlib.h>
#include <string.h>

/* Not a PCI vendor's and not registered: with COEXEC_IDENTITY=virtual programs are not to take the device for
 * one vendor's. */
enum { VENDOR_ID = 0x4358 };

/* ---- numbers ---- */

/* How the members' answers make one. LOWEST and BITS are the fastest member's with COEXEC_LIMITS=fastest. */
enum rule {
    RULE_FIXED,      /* the row's value */
    RULE_LOWEST,     /* of all with COEXEC_LIMITS=common */
    RULE_BITS,       /* what all have with COEXEC_LIMITS=common */
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

/* Whether the query is one of the table's; then *code is its answer. */
static bool answer_number(const struct cx_device *device, cl_device_info query, size_t room, void *value,
                          size_t *size_ret, cl_int *code)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (numbers[i].query != query)
            continue;
        cl_ulong wide = joint_number(device, &numbers[i]);
        cl_uint narrow = (cl_uint)wide;
        const void *data = numbers[i].width == UINT ? (const void *)&narrow : &wide;
        *code = cx_info_bytes(data, numbers[i].width, room, value, size_ret);
        return true;
    }
    return false;
}

/* ---- lists of names with versions ---- */

/* What a member answers; the caller frees *list. */
static size_t member_versions(const struct cx_real_device *member, cl_device_info query,
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
    size_t count = member_versions(member, query, &list), i = 0;
    while (i < count && (list[i].version != entry->version || strcmp(list[i].name, entry->name) != 0))
        i++;
    free(list);
    return i < count;
}

size_t cx_device_versions(const struct cx_device *device, cl_device_info query,
                          bool (*keep)(const cl_name_version *entry), cl_name_version **list)
{
    size_t count = member_versions(device->fastest, query, list), kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool good = keep(&(*list)[i]);
        for (unsigned m = 0; good && device->common && m < device->nmembers; m++)
            good = has_version(device->members[m], query, &(*list)[i]);
        if (good)
            (*list)[kept++] = (*list)[i];
    }
    return kept;
}

size_t cx_extension_versions(const char *extensions, cl_name_version **list)
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

/* OpenCL C 2.0 as a whole is not offered (device.c, settle_c_version). */
static bool keep_c_version(const cl_name_version *entry)
{
    return CL_VERSION_MAJOR(entry->version) != 2;
}

/* Features that need nothing of a runtime, as with the extensions in extensions.c. */
static bool keep_feature(const cl_name_version *entry)
{
    static const char *const features[] = {
        "__opencl_c_fp64",
        "__opencl_c_int64",
        "__opencl_c_images",
        "__opencl_c_3d_image_writes",
        "__opencl_c_read_write_images",
        "__opencl_c_atomic_order_acq_rel",
        "__opencl_c_atomic_order_seq_cst",
        "__opencl_c_atomic_scope_device",
        "__opencl_c_generic_address_space",
        "__opencl_c_program_scope_global_variables",
        "__opencl_c_work_group_collective_functions",
    };
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (strcmp(features[i], entry->name) == 0)
            return true;
    return false;
}

static bool keep_feature_or_sub_groups(const cl_name_version *entry)
{
    return keep_feature(entry) || strcmp(entry->name, "__opencl_c_subgroups") == 0;
}

static cl_int answer_c_versions(const struct cx_device *device, size_t room, void *value, size_t *size_ret)
{
    static const cl_name_version least[] = {{CL_MAKE_VERSION(1, 0, 0), "OpenCL C"},
                                            {CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
                                            {CL_MAKE_VERSION(1, 2, 0), "OpenCL C"}};
    cl_name_version *list;
    size_t count = cx_device_versions(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, keep_c_version, &list);
    cl_int code = count ? cx_info_bytes(list, count * sizeof *list, room, value, size_ret)
                        : cx_info_bytes(least, sizeof least, room, value, size_ret);
    free(list);
    return code;
}

static cl_int answer_features(const struct cx_device *device, size_t room, void *value, size_t *size_ret)
{
    cl_name_version *list;
    size_t count = cx_device_versions(device, CL_DEVICE_OPENCL_C_FEATURES,
                                      device->sub_groups ? keep_feature_or_sub_groups : keep_feature, &list);
    cl_int code = cx_info_bytes(list, count * sizeof *list, room, value, size_ret);
    free(list);
    return code;
}

static cl_int answer_extensions(const struct cx_device *device, size_t room, void *value, size_t *size_ret)
{
    cl_name_version *list;
    size_t count = cx_extension_versions(device->extensions, &list);
    cl_int code =
        list ? cx_info_bytes(list, count * sizeof *list, room, value, size_ret) : CL_OUT_OF_HOST_MEMORY;
    free(list);
    return code;
}

static bool keep_all(const cl_name_version *entry)
{
    return entry->name[0];
}

static cl_int answer_ils(const struct cx_device *device, size_t room, void *value, size_t *size_ret)
{
    char *versions = cx_device_il_versions(device);
    cl_name_version *list = NULL;
    size_t count = versions ? cx_device_versions(device, CL_DEVICE_ILS_WITH_VERSION, keep_all, &list) : 0;
    cl_int code = cx_info_bytes(list, count * sizeof *list, room, value, size_ret);
    free(list);
    free(versions);
    return code;
}

/* Each with the version of the first member that has it. */
static cl_int answer_builtins(const struct cx_device *device, size_t room, void *value, size_t *size_ret)
{
    char *names = cx_device_builtins(device);
    cl_name_version *list = NULL, *told;
    for (char *at = names; at && (at = strchr(at, ';'));)
        *at = ' ';
    size_t count = names ? cx_extension_versions(names, &list) : 0;
    for (unsigned m = device->nmembers; list && m-- > 0;) {
        size_t ntold = member_versions(device->members[m], CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, &told);
        for (size_t i = 0; i < count * ntold; i++)
            if (strcmp(list[i / ntold].name, told[i % ntold].name) == 0)
                list[i / ntold].version = told[i % ntold].version;
        free(told);
    }
    cl_int code = cx_info_bytes(list, count * sizeof *list, room, value, size_ret);
    free(list);
    free(names);
    return code;
}

/* ---- texts and the rest ---- */

static const char *answer_text(const struct cx_device *device, cl_device_info query)
{
    bool c30 = device->c_version == CL_MAKE_VERSION(3, 0, 0);
    switch (query) {
    case CL_DEVICE_NAME:
        return device->name;
    case CL_DEVICE_VENDOR:
        return "coexec";
    case CL_DRIVER_VERSION:
        return CX_DRIVER_VERSION;
    case CL_DEVICE_PROFILE:
        return "FULL_PROFILE";
    case CL_DEVICE_VERSION:
        return "OpenCL 3.0 coexec " CX_DRIVER_VERSION;
    case CL_DEVICE_OPENCL_C_VERSION:
        return c30 ? "OpenCL C 3.0 coexec" : "OpenCL C 1.2 coexec";
    case CL_DEVICE_EXTENSIONS:
        return device->extensions;
    case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED:
        return "v0000-01-01-00"; /* none */
    default:
        return NULL;
    }
}

static void add_text(struct cx_sha256 *hash, const char *text)
{
    cx_sha256_add(hash, text, strlen(text) + 1);
}

static void end_uuid(struct cx_sha256 *hash, cl_uchar uuid[CL_UUID_SIZE_KHR])
{
    unsigned char digest[32];
    cx_sha256_end(hash, digest);
    memcpy(uuid, digest, CL_UUID_SIZE_KHR);
}

static void driver_uuid(cl_uchar uuid[CL_UUID_SIZE_KHR])
{
    struct cx_sha256 hash;
    cx_sha256_init(&hash);
    add_text(&hash, "coexec driver " CX_VERSION);
    end_uuid(&hash, uuid);
}

/* The same in every process with the same members: of their own ids, or of what tells them apart. */
static void device_uuid(const struct cx_device *device, cl_uchar uuid[CL_UUID_SIZE_KHR])
{
    struct cx_sha256 hash;
    cx_sha256_init(&hash);
    add_text(&hash, "coexec device");
    for (unsigned m = 0; m < device->nmembers; m++) {
        const struct cx_real_device *member = device->members[m];
        cl_uchar own[CL_UUID_SIZE_KHR];
        cl_uint place[] = {member->index, member->part, member->compute_units};
        add_text(&hash, member->platform->name);
        add_text(&hash, member->name);
        cx_sha256_add(&hash, place, sizeof place);
        if (cx_extension_has(member->extensions, "cl_khr_device_uuid") &&
            member->cl->clGetDeviceInfo(member->id, CL_DEVICE_UUID_KHR, sizeof own, own, NULL) == CL_SUCCESS)
            cx_sha256_add(&hash, own, sizeof own);
    }
    end_uuid(&hash, uuid);
}

static cl_int answer_partition(const struct cx_device *device, cl_device_info query, size_t room, void *value,
                               size_t *size_ret)
{
    const cl_device_partition_property none = 0;
    cl_device_partition_property list[3];
    cl_device_affinity_domain domains;
    cl_uint max_sub_devices;
    unsigned count = cx_device_partitions(device, list, &max_sub_devices, &domains);
    switch (query) {
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
        return CX_INFO(cl_uint, max_sub_devices, room, value, size_ret);
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN:
        return CX_INFO(cl_device_affinity_domain, domains, room, value, size_ret);
    case CL_DEVICE_PARTITION_PROPERTIES:
        return count ? cx_info_bytes(list, count * sizeof *list, room, value, size_ret)
                     : cx_info_bytes(&none, sizeof none, room, value, size_ret);
    default: /* CL_DEVICE_PARTITION_TYPE */
        return device->parent
                   ? cx_info_bytes(device->partition, device->npartition * sizeof *device->partition, room,
                                   value, size_ret)
                   : cx_info_bytes(&none, sizeof none, room, value, size_ret);
    }
}

/* Frees the text; NULL is an empty one. */
static cl_int answer_own_text(char *text, size_t room, void *value, size_t *size_ret)
{
    cl_int code = cx_info_string(text ? text : "", room, value, size_ret);
    free(text);
    return code;
}

static cl_int answer_rest(const struct cx_device *device, cl_device_info query, size_t room, void *value,
                          size_t *size_ret)
{
    cl_uchar uuid[CL_UUID_SIZE_KHR];
    static const cl_uchar luid[CL_LUID_SIZE_KHR];
    switch (query) {
    case CL_DEVICE_TYPE:
        return CX_INFO(cl_device_type, device->type | atomic_load(&device->asked), room, value, size_ret);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return CX_INFO(cl_uint, device->units, room, value, size_ret);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return CX_INFO(size_t, device->max_group_size, room, value, size_ret);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return cx_info_bytes(device->max_item_sizes, sizeof device->max_item_sizes, room, value, size_ret);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return CX_INFO(cl_ulong, device->max_alloc, room, value, size_ret);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        return CX_INFO(cl_ulong, device->global_mem, room, value, size_ret);
    case CL_DEVICE_LOCAL_MEM_SIZE:
        return CX_INFO(cl_ulong, device->local_mem, room, value, size_ret);
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
        return CX_INFO(cl_ulong, device->max_constant, room, value, size_ret);
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
        return CX_INFO(cl_uint, device->base_align_bits, room, value, size_ret);
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN:
    case CL_DEVICE_PARTITION_PROPERTIES:
    case CL_DEVICE_PARTITION_TYPE:
        return answer_partition(device, query, room, value, size_ret);
    case CL_DEVICE_PARENT_DEVICE:
        return CX_INFO(cl_device_id, (cl_device_id)device->parent, room, value, size_ret);
    case CL_DEVICE_REFERENCE_COUNT:
        return CX_INFO(cl_uint, device->parent ? cx_object_app_refs(&device->base) : 1, room, value,
                       size_ret);
    case CL_DEVICE_UUID_KHR:
        device_uuid(device, uuid);
        return cx_info_bytes(uuid, sizeof uuid, room, value, size_ret);
    case CL_DRIVER_UUID_KHR:
        driver_uuid(uuid);
        return cx_info_bytes(uuid, sizeof uuid, room, value, size_ret);
    case CL_DEVICE_LUID_VALID_KHR:
        return CX_INFO(cl_bool, CL_FALSE, room, value, size_ret);
    case CL_DEVICE_LUID_KHR: /* of no meaning while not valid */
        return cx_info_bytes(luid, sizeof luid, room, value, size_ret);
    case CL_DEVICE_NODE_MASK_KHR:
        return CX_INFO(cl_uint, 0, room, value, size_ret);
    case CL_DEVICE_PLATFORM:
        return CX_INFO(cl_platform_id, (cl_platform_id)cx_platform_get(), room, value, size_ret);
    case CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR:
        return CX_INFO(cl_version, device->c_version, room, value, size_ret);
    case CL_DEVICE_SVM_CAPABILITIES:
        return CX_INFO(cl_device_svm_capabilities,
                       cx_svm_capabilities(device->members, device->nmembers, device->common, NULL), room,
                       value, size_ret);
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
        return answer_extensions(device, room, value, size_ret);
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
        return answer_c_versions(device, room, value, size_ret);
    case CL_DEVICE_OPENCL_C_FEATURES:
        return answer_features(device, room, value, size_ret);
    case CL_DEVICE_IL_VERSION:
        return answer_own_text(cx_device_il_versions(device), room, value, size_ret);
    case CL_DEVICE_ILS_WITH_VERSION:
        return answer_ils(device, room, value, size_ret);
    case CL_DEVICE_BUILT_IN_KERNELS:
        return answer_own_text(cx_device_builtins(device), room, value, size_ret);
    case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
        return answer_builtins(device, room, value, size_ret);
    default:
        return CX_FAIL(CL_INVALID_VALUE, "no such device query");
    }
}

cl_int cx_clGetDeviceInfo(cl_device_id id, cl_device_info query, size_t room, void *value, size_t *size_ret)
{
    const struct cx_device *device = cx_device_from(id);
    cl_int code;
    if (!device)
        return CX_FAIL(CL_INVALID_DEVICE, "not a device of coexec");
    if (cx_shown_device(device, query, room, value, size_ret, &code))
        return code;
    if (answer_number(device, query, room, value, size_ret, &code))
        return code;
    const char *text = answer_text(device, query);
    if (text)
        return cx_info_string(text, room, value, size_ret);
    return answer_rest(device, query, room, value, size_ret);
}
