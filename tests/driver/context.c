/* SPDX-License-Identifier: MIT */
/* Stub driver: contexts. */
#include "calls.h"
#include <CL/cl_ext.h>
#include <stdlib.h>
#include <string.h>

static void context_destroy(struct stub_object *object)
{
    free(object);
}

/* Copies the property list with its closing 0; only CL_CONTEXT_PLATFORM and INTEROP_USER_SYNC are known. */
static cl_int take_properties(struct stub_context *context, const cl_context_properties *properties)
{
    unsigned n = 0;
    if (!properties)
        return CL_SUCCESS;
    for (; properties[n]; n += 2) {
        if (n + 3 > sizeof(context->properties) / sizeof(context->properties[0]))
            return CL_INVALID_PROPERTY;
        if (properties[n] == CL_CONTEXT_PLATFORM) {
            if (!stub_object_of((const void *)properties[n + 1], STUB_PLATFORM))
                return CL_INVALID_PLATFORM;
        } else if (properties[n] != CL_CONTEXT_INTEROP_USER_SYNC && properties[n] != CL_PRINTF_CALLBACK_ARM &&
                   properties[n] != CL_PRINTF_BUFFERSIZE_ARM) {
            return CL_INVALID_PROPERTY;
        }
    }
    context->nproperties = n + 1;
    memcpy(context->properties, properties, (n + 1) * sizeof(properties[0]));
    return CL_SUCCESS;
}

static cl_context context_new(const cl_context_properties *properties, cl_uint count,
                              const cl_device_id *devices, cl_int *error)
{
    cl_int code = CL_SUCCESS;
    struct stub_context *context = NULL;
    if (count == 0 || count > STUB_MAX_DEVICES || !devices)
        code = CL_INVALID_VALUE;
    for (cl_uint i = 0; !code && i < count; i++)
        code = stub_object_of(devices[i], STUB_DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE;
    if (!code && !(context = calloc(1, sizeof(*context))))
        code = CL_OUT_OF_HOST_MEMORY;
    if (!code) {
        stub_object_init(&context->base, STUB_CONTEXT, stub_new_id(STUB_CONTEXT), context_destroy);
        context->ndevices = count;
        for (cl_uint i = 0; i < count; i++)
            context->devices[i] = STUB_OF(device, devices[i], STUB_DEVICE);
        code = take_properties(context, properties);
    }
    if (code) {
        free(context);
        context = NULL;
    }
    if (error)
        *error = code;
    return (cl_context)context;
}

CL_API_ENTRY cl_context CL_API_CALL stub_clCreateContext(
    const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data, cl_int *error)
{
    bool prints = false;
    for (const cl_context_properties *p = properties; p && *p; p += 2)
        prints |= *p == CL_PRINTF_CALLBACK_ARM && notify && data;
    struct stub_fault fault = stub_call("clCreateContext", "devices=%u first=d%u%s", count,
                                        devices ? stub_id(devices[0]) : 0, prints ? " prints" : "");
    cl_int code = fault.code ? fault.code : !notify && data ? CL_INVALID_VALUE : CL_SUCCESS;
    if (!code)
        return context_new(properties, count, devices, error);
    if (error)
        *error = code;
    return NULL;
}

CL_API_ENTRY cl_context CL_API_CALL stub_clCreateContextFromType(
    const cl_context_properties *properties, cl_device_type type,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data, cl_int *error)
{
    struct stub_fault fault = stub_call("clCreateContextFromType", "type=%#lx", (unsigned long)type);
    cl_device_id devices[STUB_MAX_DEVICES];
    cl_uint count = 0;
    cl_int code = fault.code;
    (void)notify, (void)data;
    if (!code)
        code =
            stub_clGetDeviceIDs((cl_platform_id)stub_platform_get(), type, STUB_MAX_DEVICES, devices, &count);
    if (!code)
        return context_new(properties, count, devices, error);
    if (error)
        *error = code;
    return NULL;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clRetainContext(cl_context handle)
{
    struct stub_fault fault = stub_call("clRetainContext", "c%u", stub_id(handle));
    struct stub_context *context = STUB_OF(context, handle, STUB_CONTEXT);
    if (fault.code || !context)
        return fault.code ? fault.code : CL_INVALID_CONTEXT;
    stub_object_ref(&context->base);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clReleaseContext(cl_context handle)
{
    struct stub_fault fault = stub_call("clReleaseContext", "c%u", stub_id(handle));
    struct stub_context *context = STUB_OF(context, handle, STUB_CONTEXT);
    if (fault.code || !context)
        return fault.code ? fault.code : CL_INVALID_CONTEXT;
    stub_object_unref(&context->base);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clGetContextInfo(cl_context handle, cl_context_info what, size_t room,
                                                      void *value, size_t *size_ret)
{
    struct stub_context *context = STUB_OF(context, handle, STUB_CONTEXT);
    if (!context)
        return CL_INVALID_CONTEXT;
    switch (what) {
    case CL_CONTEXT_REFERENCE_COUNT:
        return STUB_INFO(cl_uint, atomic_load(&context->base.refs));
    case CL_CONTEXT_NUM_DEVICES:
        return STUB_INFO(cl_uint, context->ndevices);
    case CL_CONTEXT_DEVICES:
        return stub_info(context->devices, context->ndevices * sizeof(context->devices[0]), room, value,
                         size_ret);
    case CL_CONTEXT_PROPERTIES:
        return stub_info(context->properties, context->nproperties * sizeof(context->properties[0]), room,
                         value, size_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL stub_clGetSupportedImageFormats(cl_context handle, cl_mem_flags flags,
                                                                cl_mem_object_type type, cl_uint room,
                                                                cl_image_format *formats, cl_uint *count)
{
    (void)flags, (void)type, (void)room, (void)formats;
    if (!stub_object_of(handle, STUB_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (count)
        *count = 0;
    return CL_SUCCESS;
}
