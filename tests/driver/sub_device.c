/* SPDX-License-Identifier: MIT */
/* Stub driver: devices of several NUMA domains (STUB_NUMA), cut into one sub-device each, and in no other
 * way. */
#include "calls.h"
#include <stdlib.h>
#include <string.h>

static void part_destroyed(struct stub_object *object)
{
    free(object);
}

static cl_device_id part_of(const struct stub_device *device)
{
    struct stub_device *part = calloc(1, sizeof(*part));
    if (!part)
        return NULL;
    stub_object_init(&part->base, STUB_DEVICE, device->base.id, part_destroyed);
    part->index = device->index;
    part->platform = device->platform;
    part->type = device->type;
    part->speed = device->speed / device->domains;
    part->units = device->units / device->domains;
    part->memory = device->memory;
    part->max_alloc = device->max_alloc;
    part->max_group = device->max_group;
    part->kernel_group = device->kernel_group;
    part->takes = device->takes;
    part->lacks = device->lacks;
    part->in_place = device->in_place;
    part->is_part = true;
    memcpy(part->name, device->name, sizeof(part->name));
    return (cl_device_id)part;
}

static bool knows(const struct stub_device *device, const cl_device_partition_property *list)
{
    return device->domains > 1 && list && list[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN &&
           (list[1] == CL_DEVICE_AFFINITY_DOMAIN_NUMA ||
            list[1] == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE) &&
           !list[2];
}

CL_API_ENTRY cl_int CL_API_CALL stub_clCreateSubDevices(cl_device_id handle,
                                                        const cl_device_partition_property *properties,
                                                        cl_uint room, cl_device_id *devices, cl_uint *count)
{
    struct stub_fault fault = stub_call("clCreateSubDevices", "d%u", stub_id(handle));
    const struct stub_device *device = STUB_OF(device, handle, STUB_DEVICE);
    if (fault.code)
        return fault.code;
    if (!device || !knows(device, properties) || (devices && room < device->domains))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; devices && i < device->domains; i++) {
        devices[i] = part_of(device);
        if (!devices[i]) {
            while (i-- > 0)
                stub_clReleaseDevice(devices[i]);
            return CL_OUT_OF_HOST_MEMORY;
        }
    }
    if (count)
        *count = device->domains;
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

cl_int stub_domain_info(const struct stub_device *device, cl_device_info what, size_t room, void *value,
                        size_t *size_ret)
{
    static const cl_device_partition_property of_parts[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                            CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};
    if (device->is_part && what == CL_DEVICE_PARTITION_TYPE)
        return stub_info(of_parts, sizeof(of_parts), room, value, size_ret);
    if (device->domains > 1 && what == CL_DEVICE_PARTITION_MAX_SUB_DEVICES)
        return STUB_INFO(cl_uint, device->domains);
    if (device->domains > 1 && what == CL_DEVICE_PARTITION_PROPERTIES)
        return STUB_INFO(cl_device_partition_property, CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN);
    if (device->domains > 1 && what == CL_DEVICE_PARTITION_AFFINITY_DOMAIN)
        return STUB_INFO(cl_device_affinity_domain,
                         CL_DEVICE_AFFINITY_DOMAIN_NUMA | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE);
    return CL_INVALID_VALUE;
}
