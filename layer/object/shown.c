/* SPDX-License-Identifier: MIT */
/*
 * A program's own entry goes before everything; then COEXEC_DEBUG=place, then COEXEC_IDENTITY.
 */
#include "layer/object/shown.h"
#include "layer/object/executables.h"
#include "layer/object/extensions.h"
#include "layer/base/log.h"
#include "layer/base/options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool cx_shown_identity(void)
{
    return cx_options_get()->identity == CX_OPTION_IDENTITY_FASTEST;
}

bool cx_shown_place(cl_device_info query)
{
    const enum cx_answer_kind kind = cx_executables_answer(query)->kind;
    return kind == CX_ANSWER_DEFAULT ? cx_options_get()->place : kind == CX_ANSWER_REAL;
}

/* ---- a program's entry ---- */

/* A number in as many bytes as the answer has otherwise: that of coexec, else the real one. */
static cl_int give_number(uint64_t number, size_t usual, size_t room, void *value, size_t *size_ret)
{
    return usual == sizeof(cl_ulong) ? CX_INFO(cl_ulong, number, room, value, size_ret)
                                     : CX_INFO(cl_uint, (cl_uint)number, room, value, size_ret);
}

/* ---- the fastest member's identity ---- */

/* The real answer, free() it; NULL: there is none, or no memory. */
static char *real_text(const struct cx_real_device *real, cl_device_info query)
{
    size_t size = 0;
    if (real->cl->clGetDeviceInfo(real->id, query, 0, NULL, &size) != CL_SUCCESS || !size)
        return NULL;
    char *text = calloc(1, size + 1);
    if (text && real->cl->clGetDeviceInfo(real->id, query, size, text, NULL) != CL_SUCCESS) {
        free(text);
        text = NULL;
    }
    return text;
}

/* The version of OpenCL that the device says it has. */
static cl_version shown_version(const struct cx_device *device)
{
    const unsigned number = device->fastest->version_number;
    return !cx_shown_identity() || number >= 200 ? CL_MAKE_VERSION(3, 0, 0)
                                                 : CL_MAKE_VERSION(number / 100, number / 10 % 10, 0);
}

/* The real text behind "OpenCL " or "OpenCL C " with another number: programs take 2.x as the promise of
 * pipes, device queues and shared memory that the layer does not give; what of these is there, 3.0 has
 * queries for. */
static char *versioned_text(const struct cx_device *device, cl_device_info query)
{
    const bool language = query == CL_DEVICE_OPENCL_C_VERSION;
    const char *prefix = language ? "OpenCL C " : "OpenCL ";
    char *real = real_text(device->fastest, query), *text = NULL;
    const cl_version version = language ? device->c_version : shown_version(device);
    if (!real || strncmp(real, prefix, strlen(prefix)) != 0) {
        free(real);
        return NULL;
    }
    const char *rest = real + strlen(prefix);
    while (isdigit((unsigned char)*rest) || *rest == '.')
        rest++;
    if (asprintf(&text, "%s%u.%u%s", prefix, CL_VERSION_MAJOR(version), CL_VERSION_MINOR(version),
                 *rest ? rest : " ") < 0)
        text = NULL;
    free(real);
    return text;
}

/* Programs keep binaries under it: ours apart from the driver's own, and from those of another layout. */
static char *driver_version(const struct cx_device *device)
{
    char *real = real_text(device->fastest, CL_DRIVER_VERSION), *text = NULL;
    if (real && asprintf(&text, "%s coexec %u", real, CX_CONTAINER_VERSION) < 0)
        text = NULL;
    free(real);
    return text;
}

/* Frees the text. NULL: there was no memory, or the driver does not tell. */
static cl_int give_text(char *text, size_t room, void *value, size_t *size_ret)
{
    cl_int code = text ? cx_object_info_string(text, room, value, size_ret) : CL_OUT_OF_HOST_MEMORY;
    free(text);
    return code;
}

static bool fastest_identity(const struct cx_device *device, cl_device_info query, size_t room, void *value,
                             size_t *size_ret, cl_int *code)
{
    char *text;
    switch (query) {
    case CL_DEVICE_NAME:
    case CL_DEVICE_VENDOR:
    case CL_DEVICE_VENDOR_ID:
        break;
    case CL_DRIVER_VERSION:
        *code = give_text(driver_version(device), room, value, size_ret);
        return true;
    case CL_DEVICE_NUMERIC_VERSION:
        *code = CX_INFO(cl_version, shown_version(device), room, value, size_ret);
        return true;
    case CL_DEVICE_VERSION:
    case CL_DEVICE_OPENCL_C_VERSION:
        text = versioned_text(device, query);
        if (text)
            *code = give_text(text, room, value, size_ret);
        return text;
    default:
        if (cx_extension_query_kind(device, query) != CX_EXTENSION_QUERY_PLAIN)
            return false;
    }
    *code = device->fastest->cl->clGetDeviceInfo(device->fastest->id, query, room, value, size_ret);
    return true;
}

bool cx_shown_device(const struct cx_device *device, cl_device_info query, size_t room, void *value,
                     size_t *size_ret, cl_int *code)
{
    const struct cx_real_device *real = device->fastest;
    const struct cx_answer *answer = cx_executables_answer(query);
    size_t usual = sizeof(cl_uint);
    switch (answer->kind) {
    case CX_ANSWER_REAL:
        *code = real->cl->clGetDeviceInfo(real->id, query, room, value, size_ret);
        return true;
    case CX_ANSWER_OWN:
        return false;
    case CX_ANSWER_NONE:
        *code = CX_FAIL(CL_INVALID_VALUE, "hidden from this program (executables)");
        return true;
    case CX_ANSWER_TEXT:
        *code = cx_object_info_string(answer->text, room, value, size_ret);
        return true;
    case CX_ANSWER_NUMBER:
        if (real->cl->clGetDeviceInfo(real->id, query, 0, NULL, &usual) != CL_SUCCESS)
            usual = sizeof(cl_uint);
        *code = give_number(answer->number, usual, room, value, size_ret);
        return true;
    default:
        break;
    }
    if (cx_extension_query_kind(device, query) == CX_EXTENSION_QUERY_PLACE && cx_shown_place(query)) {
        *code = real->cl->clGetDeviceInfo(real->id, query, room, value, size_ret);
        return true;
    }
    return cx_shown_identity() && fastest_identity(device, query, room, value, size_ret, code);
}

bool cx_shown_platform(const struct cx_device *device, cl_platform_info query, size_t room, void *value,
                       size_t *size_ret, cl_int *code)
{
    const struct cx_real_platform *real = device->fastest->platform;
    const struct cx_answer *answer = cx_executables_answer(query);
    bool shown = answer->kind == CX_ANSWER_REAL;
    if (answer->kind == CX_ANSWER_TEXT) {
        *code = cx_object_info_string(answer->text, room, value, size_ret);
        return true;
    }
    if (answer->kind == CX_ANSWER_DEFAULT && cx_shown_identity()) {
        char *name = NULL;
        shown = query == CL_PLATFORM_VENDOR;
        if (query == CL_PLATFORM_NAME) {
            int length =
                asprintf(&name, "coexec (%u device%s)", device->nmembers, device->nmembers == 1 ? "" : "s");
            *code = give_text(length < 0 ? NULL : name, room, value, size_ret);
            return true;
        }
    }
    if (shown)
        *code = real->cl->clGetPlatformInfo(real->id, query, room, value, size_ret);
    return shown;
}
