/* SPDX-License-Identifier: MIT */
/*
 * The library as the loader sees it: the exported functions by which it finds the platform, and the dispatch
 * table that every handle points to. Next stage: the cx_cl... entry points, in the file of the object they
 * work on.
 */
#include "layer/api/icd.h"
#include "layer/api/command_buffer.h"
#include "layer/object/device.h"
#include "layer/base/entry.h"
#include "layer/base/log.h"

#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* Slots without a line here stay NULL: those of cl_khr_gl_sharing, gl_event, egl_image, egl_event, the D3D
 * and DX9 ones and cl_ext_device_fission. The layer reports none of these extensions, so a program has no
 * business there. cl_khr_sub_groups shares the type and the answer of its core successor. */
const cl_icd_dispatch cx_dispatch = {
#define CX_ENTRY(version, name) .name = cx_##name,
#include "layer/base/entry.def"
#undef CX_ENTRY
    .clGetGLContextInfoKHR = cx_clGetGLContextInfoKHR, /* programs that look for GL sharing call it unasked */
    .clGetKernelSubGroupInfoKHR = cx_clGetKernelSubGroupInfo,
};

/* Before any handle is made. */
__attribute__((constructor)) static void give_table(void)
{
    cx_object_dispatch = &cx_dispatch;
}

cl_int cx_clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    if ((!platforms && !num_platforms) || (platforms && num_entries == 0))
        return CX_FAIL(CL_INVALID_VALUE,
                       "neither a list to fill nor a count to give, or a list without room");
    struct cx_platform *platform = cx_forked ? cx_object_refused() : cx_platform_get();
    if (num_platforms)
        *num_platforms = platform ? 1 : 0;
    if (!platform)
        return CX_FAIL(CL_PLATFORM_NOT_FOUND_KHR, "no real device is used");
    if (platforms)
        platforms[0] = (cl_platform_id)platform;
    return CL_SUCCESS;
}

cl_int cx_clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    return cx_clIcdGetPlatformIDsKHR(num_entries, platforms, num_platforms);
}

/* Tells other copies of the layer that this library is one of them (drivers.c asks every library it opens).
 * Its address is all that counts. */
static void coexec_marker(void)
{
}

void *cx_clGetExtensionFunctionAddress(const char *name)
{
    /* What ocl-icd and Khronos' loader ask for, and the functions of extensions that we report. */
    static const struct {
        const char *name;
        void *address;
    } functions[] = {
        // clang-format off
        {"clIcdGetPlatformIDsKHR", (void *)cx_clIcdGetPlatformIDsKHR},
        {"clGetPlatformInfo", (void *)cx_clGetPlatformInfo},
        {"clCreateCommandQueueWithPropertiesKHR", (void *)cx_clCreateCommandQueueWithProperties},
        {"clGetKernelSubGroupInfoKHR", (void *)cx_clGetKernelSubGroupInfo},
        {"coexecMarker", (void *)coexec_marker},
#define CX_ENTRY(name) {#name, (void *)cx_##name},
        CX_COMMAND_BUFFER_ENTRIES
#undef CX_ENTRY
        // clang-format on
    };
    for (size_t i = 0; name && i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].address;
    return NULL;
}

void *cx_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
    return cx_platform_from(platform) ? cx_clGetExtensionFunctionAddress(name) : NULL;
}

/* The exported names (coexec.map). Loaders find the first with dlsym and ask it for the second; the second is
 * there for those that use dlsym for both. */
EXPORTED void *clGetExtensionFunctionAddress(const char *name)
{
    return cx_clGetExtensionFunctionAddress(name);
}

EXPORTED cl_int clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    return cx_clIcdGetPlatformIDsKHR(num_entries, platforms, num_platforms);
}
