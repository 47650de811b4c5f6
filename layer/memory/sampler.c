/* SPDX-License-Identifier: MIT */
/*
 * Samplers: creation, queries, the end.
 */
#include "layer/memory/sampler.h"
#include "layer/object/device.h"
#include "layer/object/device_query.h"
#include "layer/base/entry.h"
#include "layer/object/handle_set.h"
#include "layer/base/log.h"
#include "layer/timeline/worker.h"

#include <stdlib.h>
#include <string.h>

static void sampler_destroy(struct cx_object *object)
{
    struct cx_sampler *sampler = (struct cx_sampler *)object;
    cx_handle_set_remove(sampler);
    for (unsigned m = 0; sampler->real && m < sampler->context->nmembers; m++)
        if (sampler->real[m])
            sampler->context->workers[m].device->cl->clReleaseSampler(sampler->real[m]);
    free(sampler->real);
    cx_context_unref(&sampler->context);
    free(sampler);
}

cl_int cx_sampler_prepare(struct cx_sampler *sampler, unsigned member)
{
    const struct cx_worker *worker = &sampler->context->workers[member];
    cl_int error = CL_SUCCESS;
    if (sampler->real[member])
        return CL_SUCCESS;
    if (!worker->device->images)
        return CL_INVALID_OPERATION;
    /* deprecated, but there in every version of the table */
    sampler->real[member] = worker->device->cl->clCreateSampler(worker->real_context, sampler->normalized,
                                                                sampler->addressing, sampler->filter, &error);
    return error;
}

/* ---- creation ---- */

static bool addressing_valid(cl_addressing_mode mode)
{
    return mode >= CL_ADDRESS_NONE && mode <= CL_ADDRESS_MIRRORED_REPEAT;
}

static cl_int check(const char *function, const struct cx_context *context, const struct cx_sampler *sampler)
{
    const cl_addressing_mode mode = sampler->addressing;
    if (!cx_device_number(context->devices[0], CL_DEVICE_IMAGE_SUPPORT))
        return cx_fail(function, CL_INVALID_OPERATION, "the device does not support images");
    if (sampler->normalized > CL_TRUE || !addressing_valid(mode) ||
        (sampler->filter != CL_FILTER_NEAREST && sampler->filter != CL_FILTER_LINEAR))
        return cx_fail(function, CL_INVALID_VALUE, "no such coordinates, addressing or filter");
    if (!sampler->normalized && (mode == CL_ADDRESS_REPEAT || mode == CL_ADDRESS_MIRRORED_REPEAT))
        return cx_fail(function, CL_INVALID_VALUE, "repeating needs normalized coordinates");
    return CL_SUCCESS;
}

/* Takes over what `from` describes. The fastest member's driver has a say. */
static cl_sampler create(const char *function, cl_context handle, const struct cx_sampler *from,
                         cl_int *errcode_ret)
{
    struct cx_context *context = cx_context_from(handle);
    struct cx_sampler *sampler = NULL;
    cl_int error = context ? check(function, context, from)
                           : cx_fail(function, CL_INVALID_CONTEXT, "no context of ours");
    if (error == CL_SUCCESS) {
        sampler = malloc(sizeof(*sampler));
        error = sampler ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    if (sampler) {
        *sampler = *from;
        cx_object_init(&sampler->base, CX_TAG_SAMPLER, sampler_destroy);
        sampler->context = cx_context_ref(context);
        sampler->real = calloc(context->nmembers, sizeof(*sampler->real));
        error = sampler->real && cx_handle_set_add(sampler) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    if (error == CL_SUCCESS) {
        cx_context_lock(context);
        error = cx_sampler_prepare(sampler, context->fastest);
        cx_context_unlock(context);
    }
    if (error != CL_SUCCESS && sampler) {
        cx_object_release_app(&sampler->base);
        sampler = NULL;
    }
    if (errcode_ret)
        *errcode_ret = error;
    return (cl_sampler)sampler;
}

cl_sampler CL_API_CALL cx_clCreateSampler(cl_context context, cl_bool normalized,
                                          cl_addressing_mode addressing, cl_filter_mode filter,
                                          cl_int *errcode_ret)
{
    const struct cx_sampler from = {.normalized = normalized, .addressing = addressing, .filter = filter};
    return create("clCreateSampler", context, &from, errcode_ret);
}

/* Reads a property list into the sampler. */
static cl_int read_properties(const char *function, const cl_sampler_properties *list,
                              struct cx_sampler *sampler)
{
    size_t n = 0;
    if (!list)
        return CL_SUCCESS;
    for (; list[n]; n += 2) {
        if (n == 6)
            return cx_fail(function, CL_INVALID_VALUE, "a sampler property is unknown or given twice");
        for (size_t i = 0; i < n; i += 2)
            if (list[i] == list[n])
                return cx_fail(function, CL_INVALID_VALUE, "a sampler property is given twice");
        switch (list[n]) {
        case CL_SAMPLER_NORMALIZED_COORDS:
            sampler->normalized = list[n + 1] <= CL_TRUE ? (cl_bool)list[n + 1] : 2;
            break;
        case CL_SAMPLER_ADDRESSING_MODE:
            sampler->addressing = (cl_addressing_mode)list[n + 1];
            break;
        case CL_SAMPLER_FILTER_MODE:
            sampler->filter = (cl_filter_mode)list[n + 1];
            break;
        default:
            return cx_fail(function, CL_INVALID_VALUE, "unknown sampler property");
        }
    }
    sampler->nproperties = n + 1;
    memcpy(sampler->properties, list, (n + 1) * sizeof(*list));
    return CL_SUCCESS;
}

cl_sampler CL_API_CALL cx_clCreateSamplerWithProperties(cl_context context,
                                                        const cl_sampler_properties *properties,
                                                        cl_int *errcode_ret)
{
    const char *function = "clCreateSamplerWithProperties";
    struct cx_sampler from = {
        .normalized = CL_TRUE, .addressing = CL_ADDRESS_CLAMP, .filter = CL_FILTER_NEAREST};
    cl_int error = cx_context_from(context) ? read_properties(function, properties, &from)
                                            : cx_fail(function, CL_INVALID_CONTEXT, "no context of ours");
    if (error == CL_SUCCESS)
        return create(function, context, &from, errcode_ret);
    if (errcode_ret)
        *errcode_ret = error;
    return NULL;
}

/* ---- life and queries ---- */

cl_int CL_API_CALL cx_clRetainSampler(cl_sampler handle)
{
    struct cx_sampler *sampler = cx_sampler_from(handle);
    if (!sampler)
        return CX_FAIL(CL_INVALID_SAMPLER, "no sampler of ours");
    cx_object_retain_app(&sampler->base);
    return CL_SUCCESS;
}

cl_int CL_API_CALL cx_clReleaseSampler(cl_sampler handle)
{
    struct cx_sampler *sampler = cx_sampler_from(handle);
    if (!sampler)
        return CX_FAIL(CL_INVALID_SAMPLER, "no sampler of ours");
    if (!cx_object_release_app(&sampler->base))
        return CX_FAIL(CL_INVALID_SAMPLER, "released already");
    return CL_SUCCESS;
}

cl_int CL_API_CALL cx_clGetSamplerInfo(cl_sampler handle, cl_sampler_info name, size_t room, void *value,
                                       size_t *size_ret)
{
    const struct cx_sampler *sampler = cx_sampler_from(handle);
    if (!sampler)
        return CX_FAIL(CL_INVALID_SAMPLER, "no sampler of ours");
    switch (name) {
    case CL_SAMPLER_REFERENCE_COUNT:
        return CX_INFO(cl_uint, cx_object_app_refs(&sampler->base), room, value, size_ret);
    case CL_SAMPLER_CONTEXT:
        return CX_INFO(cl_context, (cl_context)sampler->context, room, value, size_ret);
    case CL_SAMPLER_NORMALIZED_COORDS:
        return CX_INFO(cl_bool, sampler->normalized, room, value, size_ret);
    case CL_SAMPLER_ADDRESSING_MODE:
        return CX_INFO(cl_addressing_mode, sampler->addressing, room, value, size_ret);
    case CL_SAMPLER_FILTER_MODE:
        return CX_INFO(cl_filter_mode, sampler->filter, room, value, size_ret);
    case CL_SAMPLER_PROPERTIES:
        return cx_object_info_bytes(sampler->properties, sampler->nproperties * sizeof(*sampler->properties),
                                    room, value, size_ret);
    default:
        return CX_FAIL(CL_INVALID_VALUE, "unknown query");
    }
}
