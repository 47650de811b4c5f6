/* SPDX-License-Identifier: MIT */
/*
 * The virtual platform. It is there exactly when the virtual device is.
 * Next stage: device.c.
 */
#include "layer/object/device.h"
#include "layer/object/device_query.h"
#include "layer/base/entry.h"
#include "layer/base/log.h"
#include "layer/object/shown.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct cx_platform platform;
static char *platform_extensions;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void destroy_platform(struct cx_object *object)
{
    (void)object; /* lives for ever */
}

static void make_platform(void)
{
    const struct cx_device *device = cx_device_get();
    if (!device || asprintf(&platform_extensions, "cl_khr_icd %s", device->extensions) < 0)
        return;
    cx_object_init(&platform.base, CX_TAG_PLATFORM, destroy_platform);
}

struct cx_platform *cx_platform_get(void)
{
    pthread_once(&once, make_platform);
    return platform.base.tag == CX_TAG_PLATFORM ? &platform : NULL;
}

static cl_int versioned_extensions(size_t room, void *value, size_t *size_ret)
{
    cl_name_version *list = NULL;
    size_t count = cx_device_extension_versions(platform_extensions, &list);
    cl_int code = count ? cx_object_info_bytes(list, count * sizeof *list, room, value, size_ret)
                        : CL_OUT_OF_HOST_MEMORY;
    free(list);
    return code;
}

cl_int cx_clGetPlatformInfo(cl_platform_id id, cl_platform_info query, size_t room, void *value,
                            size_t *size_ret)
{
    static const struct {
        cl_platform_info query;
        const char *text;
    } texts[] = {
        {CL_PLATFORM_PROFILE, "FULL_PROFILE"},  {CL_PLATFORM_VERSION, "OpenCL 3.0 coexec " CX_DRIVER_VERSION},
        {CL_PLATFORM_NAME, "coexec"},           {CL_PLATFORM_VENDOR, "coexec"},
        {CL_PLATFORM_ICD_SUFFIX_KHR, "coexec"},
    };
    if (!cx_platform_from(id))
        return CX_FAIL(CL_INVALID_PLATFORM, "not the platform of coexec");
    cl_int code;
    if (cx_shown_platform(cx_device_get(), query, room, value, size_ret, &code))
        return code;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].query == query)
            return cx_object_info_string(texts[i].text, room, value, size_ret);
    switch (query) {
    case CL_PLATFORM_EXTENSIONS:
        return cx_object_info_string(platform_extensions, room, value, size_ret);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
        return versioned_extensions(room, value, size_ret);
    case CL_PLATFORM_NUMERIC_VERSION:
        return CX_INFO(cl_version, CL_MAKE_VERSION(3, 0, 0), room, value, size_ret);
    case CL_PLATFORM_HOST_TIMER_RESOLUTION: /* ns of the clock that all profiling times are given on */
        return CX_INFO(cl_ulong, 1, room, value, size_ret);
    default:
        return CX_FAIL(CL_INVALID_VALUE, "no such platform query");
    }
}
