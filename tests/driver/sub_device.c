/* SPDX-License-Identifier: MIT */
/* Stub driver: devices of several domains (STUB_NUMA, STUB_DOMAIN), cut into one sub-device each, and by
 * counts or into equal parts where STUB_CUTS says so. */
#include "calls.h"
#include <stdlib.h>
#include <string.h>

static void part_destroyed(struct stub_object *object)
{
    free(object);
}

static cl_device_id part_of(const struct stub_device *device, cl_uint units)
{
    struct stub_device *part = calloc(1, sizeof(*part));
    if (!part)
        return NULL;
    stub_object_init(&part->base, STUB_DEVICE, device->base.id, part_destroyed);
    part->index = device->index;
    part->platform = device->platform;
    part->type = device->type;
    part->speed = device->speed * units / device->units;
    part->units = units;
    part->memory = device->memory;
    part->max_alloc = device->max_alloc;
    part->max_group = device->max_group;
    part->kernel_group = device->kernel_group;
    part->takes = device->takes;
    part->lacks = device->lacks;
    part->split_group = device->split_group;
    part->split_lacks = device->split_lacks;
    part->in_place = device->in_place;
    part->is_part = true;
    part->domain = device->domain;
    memcpy(part->name, device->name, sizeof(part->name));
    return (cl_device_id)part;
}

enum { MOST_PARTS = 256 };

static cl_uint by_domains(const struct stub_device *device, cl_device_affinity_domain domain,
                          cl_uint units[MOST_PARTS])
{
    if (device->domains < 2 ||
        (domain != device->domain && domain != CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE))
        return 0;
    for (cl_uint i = 0; i < device->domains; i++)
        units[i] = device->units / device->domains;
    return device->domains;
}

static cl_uint by_size(const struct stub_device *device, cl_uint size, cl_uint units[MOST_PARTS])
{
    const cl_uint count = device->cuts_equally && size ? device->units / size : 0;
    for (cl_uint i = 0; i < count && i < MOST_PARTS; i++)
        units[i] = size;
    return count < MOST_PARTS ? count : 0;
}

static cl_uint by_counts(const struct stub_device *device, const cl_device_partition_property *counts,
                         cl_uint units[MOST_PARTS])
{
    cl_uint all = 0, count = 0;
    for (; device->cuts_counts && counts[count] && count < MOST_PARTS; count++) {
        units[count] = (cl_uint)counts[count];
        all += units[count];
    }
    return all <= device->units ? count : 0;
}

/* Units of each part that the list asks for; 0: it is not understood. */
static cl_uint units_of(const struct stub_device *device, const cl_device_partition_property *list,
                        cl_uint units[MOST_PARTS])
{
    if (!device || !list)
        return 0;
    if (list[0] == CL_DEVICE_PARTITION_BY_COUNTS)
        return by_counts(device, list + 1, units);
    if (list[0] == CL_DEVICE_PARTITION_EQUALLY && !list[2])
        return by_size(device, (cl_uint)list[1], units);
    return list[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN && !list[2]
               ? by_domains(device, (cl_device_affinity_domain)list[1], units)
               : 0;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clCreateSubDevices(cl_device_id handle,
                                                        const cl_device_partition_property *properties,
                                                        cl_uint room, cl_device_id *devices, cl_uint *count)
{
    struct stub_fault fault = stub_call("clCreateSubDevices", "d%u", stub_id(handle));
    const struct stub_device *device = STUB_OF(device, handle, STUB_DEVICE);
    cl_uint units[MOST_PARTS];
    if (fault.code)
        return fault.code;
    const cl_uint parts = units_of(device, properties, units);
    if (!parts || (devices && room < parts))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; devices && i < parts; i++) {
        devices[i] = part_of(device, units[i]);
        if (!devices[i]) {
            while (i-- > 0)
                stub_clReleaseDevice(devices[i]);
            return CL_OUT_OF_HOST_MEMORY;
        }
    }
    if (count)
        *count = parts;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clRetainDevice(cl_device_id handle)
{
    struct stub_device *device = STUB_OF(device, handle, STUB_DEVICE);
    if (!device)
        return CL_INVALID_DEVICE;
    if (device->is_part)
        stub_object_ref(&device->base);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clReleaseDevice(cl_device_id handle)
{
    struct stub_device *device = STUB_OF(device, handle, STUB_DEVICE);
    if (!device)
        return CL_INVALID_DEVICE;
    if (device->is_part)
        stub_object_unref(&device->base);
    return CL_SUCCESS;
}

static cl_int cuts_info(const struct stub_device *device, size_t room, void *value, size_t *size_ret)
{
    cl_device_partition_property list[3];
    unsigned n = 0;
    if (device->domains > 1)
        list[n++] = CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN;
    if (device->cuts_counts)
        list[n++] = CL_DEVICE_PARTITION_BY_COUNTS;
    if (device->cuts_equally)
        list[n++] = CL_DEVICE_PARTITION_EQUALLY;
    return stub_info(list, n * sizeof(*list), room, value, size_ret);
}

cl_int stub_domain_info(const struct stub_device *device, cl_device_info what, size_t room, void *value,
                        size_t *size_ret)
{
    const cl_device_partition_property of_parts[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                     (cl_device_partition_property)device->domain, 0};
    const bool cuts = device->cuts_counts || device->cuts_equally;
    if (device->is_part && what == CL_DEVICE_PARTITION_TYPE)
        return stub_info(of_parts, sizeof(of_parts), room, value, size_ret);
    if ((cuts || device->domains > 1) && what == CL_DEVICE_PARTITION_MAX_SUB_DEVICES)
        return STUB_INFO(cl_uint, cuts ? device->units : device->domains);
    if ((cuts || device->domains > 1) && what == CL_DEVICE_PARTITION_PROPERTIES)
        return cuts_info(device, room, value, size_ret);
    if (device->domains > 1 && what == CL_DEVICE_PARTITION_AFFINITY_DOMAIN)
        return STUB_INFO(cl_device_affinity_domain,
                         device->domain | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE);
    return CL_INVALID_VALUE;
}
