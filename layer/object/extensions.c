/* SPDX-License-Identifier: MIT */
/*
 * One row for each extension of a member that can be the virtual device's, and one for each run of queries.
 * Not here, as they need functions or commands that the layer has not: sharing with other interfaces
 * (cl_khr_gl_sharing, cl_khr_external_memory), buffers of a vendor's own kind (cl_nv_create_buffer), mip
 * maps, device-side queues, unified shared memory.
 */
#include "layer/object/extensions.h"
#include "layer/base/options.h"
#include "layer/object/shown.h"

#include <CL/cl_ext.h>
#include <stdlib.h>
#include <string.h>

enum need {
    NEED_NOTHING,    /* of the kernel language, of build options, or a hint that is passed on (worker.h) */
    NEED_SUB_GROUPS, /* of the kernel language, where sub-groups are the same on every member */
    NEED_IDENTITY,   /* queries, which are the fastest member's: where that is shown (shown.h) */
    NEED_PLACE,      /* the same of queries that tell which device it is */
};

struct row {
    const char *name;
    enum need need;
};

static const struct row rows[] = {
    {"cl_khr_byte_addressable_store", NEED_NOTHING},
    {"cl_khr_global_int32_base_atomics", NEED_NOTHING},
    {"cl_khr_global_int32_extended_atomics", NEED_NOTHING},
    {"cl_khr_local_int32_base_atomics", NEED_NOTHING},
    {"cl_khr_local_int32_extended_atomics", NEED_NOTHING},
    {"cl_khr_int64_base_atomics", NEED_NOTHING},
    {"cl_khr_int64_extended_atomics", NEED_NOTHING},
    {"cl_khr_fp64", NEED_NOTHING},
    {"cl_khr_fp16", NEED_NOTHING},
    {"cl_khr_expect_assume", NEED_NOTHING},
    {"cl_khr_3d_image_writes", NEED_NOTHING},
    {"cl_khr_image2d_from_buffer", NEED_NOTHING},
    {"cl_khr_depth_images", NEED_NOTHING},
    {"cl_khr_extended_bit_ops", NEED_NOTHING},
    {"cl_khr_select_fprounding_mode", NEED_NOTHING},
    {"cl_khr_extended_async_copies", NEED_NOTHING},
    {"cl_khr_async_work_group_copy_fence", NEED_NOTHING},
    {"cl_khr_work_group_uniform_arithmetic", NEED_NOTHING},
    {"cl_khr_integer_dot_product", NEED_IDENTITY},
    {"cl_khr_subgroups", NEED_SUB_GROUPS},
    {"cl_khr_subgroup_extended_types", NEED_SUB_GROUPS},
    {"cl_khr_subgroup_non_uniform_vote", NEED_SUB_GROUPS},
    {"cl_khr_subgroup_ballot", NEED_SUB_GROUPS},
    {"cl_khr_subgroup_non_uniform_arithmetic", NEED_SUB_GROUPS},
    {"cl_khr_subgroup_shuffle", NEED_SUB_GROUPS},
    {"cl_khr_subgroup_shuffle_relative", NEED_SUB_GROUPS},
    {"cl_khr_subgroup_clustered_reduce", NEED_SUB_GROUPS},
    {"cl_khr_subgroup_rotate", NEED_SUB_GROUPS},
    {"cl_khr_priority_hints", NEED_NOTHING},
    {"cl_khr_throttle_hints", NEED_NOTHING},
    {"cl_khr_pci_bus_info", NEED_PLACE},
    {"cl_ext_float_atomics", NEED_IDENTITY},
    {"cl_nv_compiler_options", NEED_NOTHING}, /* vendor_options.h */
    {"cl_nv_pragma_unroll", NEED_NOTHING},
    {"cl_nv_device_attribute_query", NEED_IDENTITY},
    {"cl_amd_device_attribute_query", NEED_IDENTITY},
    {"cl_amd_fp64", NEED_NOTHING},
    {"cl_amd_media_ops", NEED_NOTHING},
    {"cl_amd_media_ops2", NEED_NOTHING},
    {"cl_amd_popcnt", NEED_NOTHING},
    {"cl_amd_printf", NEED_NOTHING},
    {"cl_amd_vec3", NEED_NOTHING},
    {"cl_intel_device_attribute_query", NEED_IDENTITY},
    {"cl_intel_bfloat16_conversions", NEED_NOTHING},
    {"cl_intel_subgroups", NEED_SUB_GROUPS},
    {"cl_intel_subgroups_char", NEED_SUB_GROUPS},
    {"cl_intel_subgroups_short", NEED_SUB_GROUPS},
    {"cl_intel_subgroups_long", NEED_SUB_GROUPS},
    {"cl_arm_printf", NEED_NOTHING}, /* its context properties are passed on (worker.c) */
    {"cl_arm_integer_dot_product_int8", NEED_NOTHING},
    {"cl_arm_integer_dot_product_accumulate_int8", NEED_NOTHING},
    {"cl_arm_integer_dot_product_accumulate_int16", NEED_NOTHING},
    {"cl_arm_integer_dot_product_accumulate_saturate_int8", NEED_NOTHING},
};

/* Numbers, since not every version of the headers has all names. Not AMD's offset of its profiling times:
 * those that the program sees are on the host's clock. */
static const struct {
    const char *extension;
    cl_device_info first, last;
    enum cx_extension_query kind;
} queries[] = {
    {"cl_nv_device_attribute_query", 0x4000, 0x4007, CX_EXTENSION_QUERY_PLAIN},
    {"cl_nv_device_attribute_query", 0x4008, 0x400A, CX_EXTENSION_QUERY_PLACE}, /* bus, slot, domain */
    {"cl_amd_device_attribute_query", 0x4030, 0x4034, CX_EXTENSION_QUERY_PLAIN},
    {"cl_amd_device_attribute_query", 0x4037, 0x4037, CX_EXTENSION_QUERY_PLACE}, /* topology */
    {"cl_amd_device_attribute_query", 0x4038, 0x404C, CX_EXTENSION_QUERY_PLAIN},
    {"cl_intel_device_attribute_query", 0x4250, 0x4256, CX_EXTENSION_QUERY_PLAIN},
    {"cl_khr_integer_dot_product", 0x1073, 0x1075, CX_EXTENSION_QUERY_PLAIN},
    {"cl_ext_float_atomics", 0x4231, 0x4233, CX_EXTENSION_QUERY_PLAIN},
    {"cl_khr_pci_bus_info", 0x410F, 0x410F, CX_EXTENSION_QUERY_PLACE},
    {"cl_khr_device_uuid", 0x106A, 0x106E, CX_EXTENSION_QUERY_PLACE}, /* to LUID and node mask */
};

enum { PCI_BUS_INFO = 0x410F };

static bool is_met(const struct cx_device *device, enum need need)
{
    switch (need) {
    case NEED_NOTHING:
        return true;
    case NEED_SUB_GROUPS:
        return device->sub_groups;
    case NEED_IDENTITY:
        return cx_shown_identity();
    default: /* NEED_PLACE */
        return cx_shown_place(PCI_BUS_INFO);
    }
}

/* Whether the members that count have it: the fastest, or with COEXEC_DEBUG=limits=common all. What only
 * tells of the fastest is for that to have. */
static bool have_it(const struct cx_device *device, const struct row *row)
{
    if (!device->common || row->need == NEED_PLACE)
        return cx_device_has_extension(device->fastest->extensions, row->name);
    for (unsigned m = 0; m < device->nmembers; m++)
        if (!cx_device_has_extension(device->members[m]->extensions, row->name))
            return false;
    return true;
}

char *cx_extensions_join(const struct cx_device *device)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    fputs("cl_khr_create_command_queue cl_khr_device_uuid cl_khr_extended_versioning cl_khr_command_buffer",
          stream); /* ours */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_met(device, rows[i].need) && have_it(device, &rows[i]))
            fprintf(stream, " %s", rows[i].name);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

enum cx_extension_query cx_extension_query_kind(const struct cx_device *device, cl_device_info query)
{
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        if (query >= queries[i].first && query <= queries[i].last &&
            cx_device_has_extension(device->fastest->extensions, queries[i].extension))
            return queries[i].kind;
    return CX_EXTENSION_QUERY_NONE;
}
