/* SPDX-License-Identifier: MIT */
/*
 * Queries about images: one image's properties, and the formats that a context offers.
 *
 * Formats are those of the context's fastest member (COEXEC_DEBUG=limits=fastest), or what all of its members
 * with images have in common. A member that lacks the format of an image takes no part in launches that use
 * it: it gets no shadow (cx_mem_prepare).
 */
#include "layer/object/device.h"
#include "layer/object/device_query.h"
#include "layer/base/entry.h"
#include "layer/memory/image.h"
#include "layer/base/log.h"

#include <stdlib.h>

cl_int CL_API_CALL cx_clGetImageInfo(cl_mem handle, cl_image_info name, size_t room, void *value,
                                     size_t *size_ret)
{
    const struct cx_mem *mem = cx_image_from(handle);
    if (!mem)
        return CX_FAIL(CL_INVALID_MEM_OBJECT, "no image of ours");
    const struct cx_image *image = mem->image;
    switch (name) {
    case CL_IMAGE_FORMAT:
        return cx_object_info_bytes(&image->format, sizeof(image->format), room, value, size_ret);
    case CL_IMAGE_ELEMENT_SIZE:
        return CX_INFO(size_t, image->element, room, value, size_ret);
    case CL_IMAGE_ROW_PITCH:
        return CX_INFO(size_t, image->desc.image_row_pitch, room, value, size_ret);
    case CL_IMAGE_SLICE_PITCH:
        return CX_INFO(size_t, image->desc.image_slice_pitch, room, value, size_ret);
    case CL_IMAGE_WIDTH:
        return CX_INFO(size_t, image->desc.image_width, room, value, size_ret);
    case CL_IMAGE_HEIGHT:
        return CX_INFO(size_t, image->desc.image_height, room, value, size_ret);
    case CL_IMAGE_DEPTH:
        return CX_INFO(size_t, image->desc.image_depth, room, value, size_ret);
    case CL_IMAGE_ARRAY_SIZE:
        return CX_INFO(size_t, image->desc.image_array_size, room, value, size_ret);
    case CL_IMAGE_BUFFER:
        return CX_INFO(cl_mem, image->from && !image->from->image ? (cl_mem)image->from : NULL, room, value,
                       size_ret);
    case CL_IMAGE_NUM_MIP_LEVELS:
    case CL_IMAGE_NUM_SAMPLES:
        return CX_INFO(cl_uint, 0, room, value, size_ret);
    default:
        return CX_FAIL(CL_INVALID_VALUE, "unknown query");
    }
}

/* ---- formats ---- */

/* What one member offers; the caller frees *list. */
static cl_uint member_formats(const struct cx_worker *worker, cl_mem_flags flags, cl_mem_object_type type,
                              cl_image_format **list)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    cl_uint count = 0;
    *list = NULL;
    flags = flags ? flags : CL_MEM_READ_WRITE;
    if (!worker->device->images ||
        cl->clGetSupportedImageFormats(worker->real_context, flags, type, 0, NULL, &count) != CL_SUCCESS)
        return 0;
    *list = calloc(count + 1u, sizeof(**list));
    if (!*list ||
        cl->clGetSupportedImageFormats(worker->real_context, flags, type, count, *list, NULL) != CL_SUCCESS)
        return 0;
    return count;
}

static bool among(const cl_image_format *format, const cl_image_format *list, cl_uint count)
{
    for (cl_uint i = 0; i < count; i++)
        if (list[i].image_channel_order == format->image_channel_order &&
            list[i].image_channel_data_type == format->image_channel_data_type)
            return true;
    return false;
}

/* Keeps those of the list that the member has, too, and whose texels the layer knows. */
static cl_uint keep_common(const struct cx_worker *worker, cl_mem_flags flags, cl_mem_object_type type,
                           cl_image_format *list, cl_uint count)
{
    cl_image_format *other;
    cl_uint others = member_formats(worker, flags, type, &other), kept = 0;
    for (cl_uint i = 0; i < count; i++)
        if (cx_image_format_bytes(&list[i]) && among(&list[i], other, others))
            list[kept++] = list[i];
    free(other);
    return kept;
}

static cl_uint context_formats(const struct cx_context *context, cl_mem_flags flags, cl_mem_object_type type,
                               cl_image_format **list)
{
    cl_uint kept = 0;
    *list = NULL;
    if (!cx_device_number(context->devices[0], CL_DEVICE_IMAGE_SUPPORT))
        return 0;
    cl_uint count = member_formats(&context->workers[context->fastest], flags, type, list);
    for (cl_uint i = 0; i < count; i++)
        if (cx_image_format_bytes(&(*list)[i]) && !among(&(*list)[i], *list, kept))
            (*list)[kept++] = (*list)[i];
    for (unsigned m = 0; m < context->nmembers && context->devices[0]->common; m++)
        if (m != context->fastest && context->workers[m].device->images)
            kept = keep_common(&context->workers[m], flags, type, *list, kept);
    return kept;
}

bool cx_image_format_supported(const struct cx_context *context, cl_mem_flags flags, cl_mem_object_type type,
                               const cl_image_format *format)
{
    cl_image_format *list;
    const cl_mem_flags access = flags & CX_MEM_ACCESS_FLAGS;
    cl_uint count = context_formats(context, access ? access : CL_MEM_READ_WRITE, type, &list);
    bool has = among(format, list, count);
    free(list);
    return has;
}

bool cx_image_member_supports(const struct cx_worker *worker, cl_mem_flags access, cl_mem_object_type type,
                              const cl_image_format *format)
{
    cl_image_format *list;
    cl_uint count = member_formats(worker, access, type, &list);
    bool has = among(format, list, count);
    free(list);
    return has;
}

cl_int CL_API_CALL cx_clGetSupportedImageFormats(cl_context handle, cl_mem_flags flags,
                                                 cl_mem_object_type type, cl_uint num_entries,
                                                 cl_image_format *formats, cl_uint *num_formats)
{
    const struct cx_context *context = cx_context_from(handle);
    cl_image_format *list;
    if (!context)
        return CX_FAIL(CL_INVALID_CONTEXT, "no context of ours");
    if (!cx_mem_flags_valid(flags & ~(cl_mem_flags)CL_MEM_KERNEL_READ_AND_WRITE))
        return CX_FAIL(CL_INVALID_VALUE, "flags are unknown or exclude each other");
    if (type < CL_MEM_OBJECT_IMAGE2D || type > CL_MEM_OBJECT_IMAGE1D_BUFFER)
        return CX_FAIL(CL_INVALID_VALUE, "no image type");
    if (formats && num_entries == 0)
        return CX_FAIL(CL_INVALID_VALUE, "a list of formats without room");
    cl_uint count = context_formats(context, flags, type, &list);
    for (cl_uint i = 0; formats && i < count && i < num_entries; i++)
        formats[i] = list[i];
    if (num_formats)
        *num_formats = count;
    free(list);
    return CL_SUCCESS;
}
