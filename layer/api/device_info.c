/* SPDX-License-Identifier: MIT */
/*
 * clGetDeviceInfo: every query of the OpenCL 3.0 core and of the extensions reported; numbers by the table of
 * device_query.c, texts and the rest here. These are coexec's own answers; whether the program sees them or
 * the fastest member's says shown.h. Previous stage: device_query.c.
 */
#include "layer/object/device.h"
#include "layer/object/device_query.h"
#include "layer/base/entry.h"
#include "layer/base/log.h"
#include "layer/program/program.h"
#include "layer/program/program_il.h"
#include "layer/base/sha256.h"
#include "layer/object/shown.h"
#include "layer/memory/svm.h"

#include <stdlib.h>
#include <string.h>

/* ---- lists of names with versions ---- */

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
    cl_int code = count ? cx_object_info_bytes(list, count * sizeof *list, room, value, size_ret)
                        : cx_object_info_bytes(least, sizeof least, room, value, size_ret);
    free(list);
    return code;
}

static cl_int answer_features(const struct cx_device *device, size_t room, void *value, size_t *size_ret)
{
    cl_name_version *list;
    size_t count = cx_device_versions(device, CL_DEVICE_OPENCL_C_FEATURES,
                                      device->sub_groups ? keep_feature_or_sub_groups : keep_feature, &list);
    cl_int code = cx_object_info_bytes(list, count * sizeof *list, room, value, size_ret);
    free(list);
    return code;
}

static cl_int answer_extensions(const struct cx_device *device, size_t room, void *value, size_t *size_ret)
{
    cl_name_version *list;
    size_t count = cx_device_extension_versions(device->extensions, &list);
    cl_int code = list ? cx_object_info_bytes(list, count * sizeof *list, room, value, size_ret)
                       : CL_OUT_OF_HOST_MEMORY;
    free(list);
    return code;
}

static bool keep_all(const cl_name_version *entry)
{
    return entry->name[0];
}

static cl_int answer_ils(const struct cx_device *device, size_t room, void *value, size_t *size_ret)
{
    char *versions = cx_program_il_device_versions(device);
    cl_name_version *list = NULL;
    size_t count = versions ? cx_device_versions(device, CL_DEVICE_ILS_WITH_VERSION, keep_all, &list) : 0;
    cl_int code = cx_object_info_bytes(list, count * sizeof *list, room, value, size_ret);
    free(list);
    free(versions);
    return code;
}

/* Each with the version of the first member that has it. */
static cl_int answer_builtins(const struct cx_device *device, size_t room, void *value, size_t *size_ret)
{
    char *names = cx_program_il_device_builtins(device);
    cl_name_version *list = NULL, *told;
    for (char *at = names; at && (at = strchr(at, ';'));)
        *at = ' ';
    size_t count = names ? cx_device_extension_versions(names, &list) : 0;
    for (unsigned m = device->nmembers; list && m-- > 0;) {
        size_t nreported =
            cx_device_member_versions(device->members[m], CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, &told);
        for (size_t i = 0; i < count * nreported; i++)
            if (strcmp(list[i / nreported].name, told[i % nreported].name) == 0)
                list[i / nreported].version = told[i % nreported].version;
        free(told);
    }
    cl_int code = cx_object_info_bytes(list, count * sizeof *list, room, value, size_ret);
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
        if (cx_device_has_extension(member->extensions, "cl_khr_device_uuid") &&
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
        return count ? cx_object_info_bytes(list, count * sizeof *list, room, value, size_ret)
                     : cx_object_info_bytes(&none, sizeof none, room, value, size_ret);
    default: /* CL_DEVICE_PARTITION_TYPE */
        return device->parent
                   ? cx_object_info_bytes(device->partition, device->npartition * sizeof *device->partition,
                                          room, value, size_ret)
                   : cx_object_info_bytes(&none, sizeof none, room, value, size_ret);
    }
}

/* Frees the text; NULL is an empty one. */
static cl_int answer_own_text(char *text, size_t room, void *value, size_t *size_ret)
{
    cl_int code = cx_object_info_string(text ? text : "", room, value, size_ret);
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
        return cx_object_info_bytes(device->max_item_sizes, sizeof device->max_item_sizes, room, value,
                                    size_ret);
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
        return cx_object_info_bytes(uuid, sizeof uuid, room, value, size_ret);
    case CL_DRIVER_UUID_KHR:
        driver_uuid(uuid);
        return cx_object_info_bytes(uuid, sizeof uuid, room, value, size_ret);
    case CL_DEVICE_LUID_VALID_KHR:
        return CX_INFO(cl_bool, CL_FALSE, room, value, size_ret);
    case CL_DEVICE_LUID_KHR: /* of no meaning while not valid */
        return cx_object_info_bytes(luid, sizeof luid, room, value, size_ret);
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
        return answer_own_text(cx_program_il_device_versions(device), room, value, size_ret);
    case CL_DEVICE_ILS_WITH_VERSION:
        return answer_ils(device, room, value, size_ret);
    case CL_DEVICE_BUILT_IN_KERNELS:
        return answer_own_text(cx_program_il_device_builtins(device), room, value, size_ret);
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
    if (cx_device_answer_number(device, query, room, value, size_ret, &code))
        return code;
    const char *text = answer_text(device, query);
    if (text)
        return cx_object_info_string(text, room, value, size_ret);
    return answer_rest(device, query, room, value, size_ret);
}
