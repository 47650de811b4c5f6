/* SPDX-License-Identifier: MIT */
/*
 * Images: creation. Queries are in image_info.c, what is asked of an image's shape in image_shape.c.
 */
#include "layer/memory/image.h"
#include "layer/driver/account.h"
#include "layer/timeline/command.h"
#include "layer/object/device.h"
#include "layer/object/device_query.h"
#include "layer/base/entry.h"
#include "layer/base/log.h"
#include "layer/timeline/worker.h"

#include <stdlib.h>
#include <string.h>

/* What is being made. */
struct making {
    const char *function;
    struct cx_context *context;
    cl_mem_flags flags;
    const cl_image_format *format;
    cl_image_desc desc;
    void *host_ptr;
    struct cx_mem *from; /* what it is made from, or NULL */
    size_t element;
    size_t bytes; /* of the whole, pitches included */
    bool beyond;  /* larger than the device says that images may be: its driver is asked */
};

void cx_image_free(struct cx_image *image)
{
    if (!image)
        return;
    cx_mem_unref(&image->from);
    free(image);
}

/* ---- checks ---- */

static bool has_rows(cl_mem_object_type type)
{
    return type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
           type == CL_MEM_OBJECT_IMAGE3D;
}

static bool is_array(cl_mem_object_type type)
{
    return type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

/* Whether a dimension is 1 at least, and within the device's limit. */
static cl_int check_extent(struct making *m, size_t extent, cl_device_info limit)
{
    if (extent == 0)
        return cx_fail(m->function, CL_INVALID_IMAGE_DESCRIPTOR, "a dimension of the image is 0");
    m->beyond |= extent > cx_device_number(m->context->devices[0], limit);
    return CL_SUCCESS;
}

/* Checks the dimensions and clears those that the type has not. */
static cl_int check_extents(struct making *m)
{
    cl_image_desc *desc = &m->desc;
    const cl_mem_object_type type = desc->image_type;
    cl_device_info width = CL_DEVICE_IMAGE2D_MAX_WIDTH;
    cl_int error;
    switch (type) {
    case CL_MEM_OBJECT_IMAGE1D_BUFFER:
        width = CL_DEVICE_IMAGE_MAX_BUFFER_SIZE;
        break;
    case CL_MEM_OBJECT_IMAGE3D:
        width = CL_DEVICE_IMAGE3D_MAX_WIDTH;
        break;
    case CL_MEM_OBJECT_IMAGE1D:
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
    case CL_MEM_OBJECT_IMAGE2D:
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
        break;
    default:
        return cx_fail(m->function, CL_INVALID_IMAGE_DESCRIPTOR, "no image type");
    }
    if ((error = check_extent(m, desc->image_width, width)) != CL_SUCCESS)
        return error;
    if (has_rows(type) &&
        (error = check_extent(m, desc->image_height,
                              type == CL_MEM_OBJECT_IMAGE3D ? CL_DEVICE_IMAGE3D_MAX_HEIGHT
                                                            : CL_DEVICE_IMAGE2D_MAX_HEIGHT)) != CL_SUCCESS)
        return error;
    if (type == CL_MEM_OBJECT_IMAGE3D &&
        (error = check_extent(m, desc->image_depth, CL_DEVICE_IMAGE3D_MAX_DEPTH)) != CL_SUCCESS)
        return error;
    if (is_array(type) &&
        (error = check_extent(m, desc->image_array_size, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE)) != CL_SUCCESS)
        return error;
    if (!has_rows(type))
        desc->image_height = 0;
    if (type != CL_MEM_OBJECT_IMAGE3D)
        desc->image_depth = 0;
    if (!is_array(type))
        desc->image_array_size = 0;
    return CL_SUCCESS;
}

/* Checks pitches given for the program's memory or for a buffer, and fills in what was left 0. */
static cl_int check_pitches(struct making *m)
{
    cl_image_desc *desc = &m->desc;
    const cl_mem_object_type type = desc->image_type;
    const size_t row = desc->image_width * m->element;
    const size_t rows = has_rows(type) ? desc->image_height : 1;
    const size_t slices = desc->image_depth ? desc->image_depth : is_array(type) ? desc->image_array_size : 1;
    const bool given = m->host_ptr || (m->from && type == CL_MEM_OBJECT_IMAGE2D);
    size_t slice;

    if (!given && (desc->image_row_pitch || desc->image_slice_pitch))
        return cx_fail(m->function, CL_INVALID_IMAGE_DESCRIPTOR, "a pitch without memory that has it");
    if (desc->image_row_pitch == 0)
        desc->image_row_pitch = row;
    if (desc->image_row_pitch < row || desc->image_row_pitch % m->element)
        return cx_fail(m->function, CL_INVALID_IMAGE_DESCRIPTOR,
                       "a row pitch under the width, or no multiple of a texel");
    if (__builtin_mul_overflow(desc->image_row_pitch, rows, &slice))
        return cx_fail(m->function, CL_INVALID_IMAGE_SIZE, "the image is larger than any memory");
    if (type != CL_MEM_OBJECT_IMAGE3D && !is_array(type))
        desc->image_slice_pitch = 0;
    else if (desc->image_slice_pitch == 0)
        desc->image_slice_pitch = slice;
    if (desc->image_slice_pitch && desc->image_slice_pitch < slice)
        return cx_fail(m->function, CL_INVALID_IMAGE_DESCRIPTOR, "a slice pitch under the rows of a slice");
    if (desc->image_slice_pitch % desc->image_row_pitch)
        return cx_fail(m->function, CL_INVALID_IMAGE_DESCRIPTOR, "a slice pitch is no multiple of the rows'");
    if (__builtin_mul_overflow(desc->image_slice_pitch ? desc->image_slice_pitch : slice, slices, &m->bytes))
        return cx_fail(m->function, CL_INVALID_IMAGE_SIZE, "the image is larger than any memory");
    return CL_SUCCESS;
}

/* A 2D image from a buffer must lie as the device's texture units want it. */
static cl_int check_alignment(const struct making *m)
{
    const struct cx_device *device = m->context->devices[0];
    const size_t pitch = cx_device_number(device, CL_DEVICE_IMAGE_PITCH_ALIGNMENT) * m->element;
    const size_t base = cx_device_number(device, CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT) * m->element;
    if (pitch == 0)
        return cx_fail(m->function, CL_INVALID_OPERATION, "the device makes no 2D images from buffers");
    if (m->desc.image_row_pitch % pitch)
        return cx_fail(m->function, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                       "the row pitch is no multiple of CL_DEVICE_IMAGE_PITCH_ALIGNMENT");
    if (base && (m->from->origin % base || (uintptr_t)m->from->root->host_ptr % base))
        return cx_fail(m->function, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                       "the buffer does not begin at CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT");
    return CL_SUCCESS;
}

/* What may differ between a 2D image and one made from it: how its channels are read. */
static cl_int check_other_view(const struct making *m)
{
    const struct cx_image *from = m->from->image;
    if (from->desc.image_type != CL_MEM_OBJECT_IMAGE2D)
        return cx_fail(m->function, CL_INVALID_IMAGE_DESCRIPTOR, "it is made from an image that is not 2D");
    if (from->format.image_channel_data_type != m->format->image_channel_data_type ||
        from->element != m->element)
        return cx_fail(m->function, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                       "the texels are not those of the image it is made from");
    if (m->desc.image_width != from->desc.image_width || m->desc.image_height != from->desc.image_height)
        return cx_fail(m->function, CL_INVALID_IMAGE_DESCRIPTOR,
                       "the dimensions are not those of the image it is made from");
    return CL_SUCCESS;
}

static cl_int check_from(struct making *m)
{
    const cl_mem_object_type type = m->desc.image_type;
    cl_int error = CL_SUCCESS;
    if (!m->desc.mem_object)
        return type == CL_MEM_OBJECT_IMAGE1D_BUFFER
                   ? cx_fail(m->function, CL_INVALID_IMAGE_DESCRIPTOR, "a 1D image buffer without a buffer")
                   : CL_SUCCESS;
    m->from = cx_mem_from(m->desc.mem_object);
    if (!m->from || m->from->context != m->context)
        return cx_fail(m->function, CL_INVALID_IMAGE_DESCRIPTOR, "mem_object is no object of the context");
    if (type != CL_MEM_OBJECT_IMAGE2D && (type != CL_MEM_OBJECT_IMAGE1D_BUFFER || m->from->image))
        return cx_fail(m->function, CL_INVALID_IMAGE_DESCRIPTOR,
                       "an image of this type cannot be made from mem_object");
    if (m->host_ptr)
        return cx_fail(m->function, CL_INVALID_HOST_PTR, "memory for an image that is made from another");
    if ((m->flags & CX_MEM_PTR_FLAGS) || !cx_mem_window_flags(m->from->flags, &m->flags))
        return cx_fail(m->function, CL_INVALID_VALUE, "flags do not go with those of mem_object");
    if (m->from->image) {
        if ((error = check_other_view(m)) != CL_SUCCESS)
            return error;
        m->desc.image_row_pitch = m->from->image->desc.image_row_pitch;
    }
    if ((error = check_pitches(m)) != CL_SUCCESS)
        return error;
    if (m->bytes > m->from->size)
        return cx_fail(m->function, CL_INVALID_IMAGE_SIZE, "the image reaches beyond the buffer");
    return type == CL_MEM_OBJECT_IMAGE2D && !m->from->image ? check_alignment(m) : CL_SUCCESS;
}

static cl_int check_making(struct making *m, const cl_image_desc *desc)
{
    cl_int error;
    if (!m->context)
        return cx_fail(m->function, CL_INVALID_CONTEXT, "no context of ours");
    if (!cx_device_number(m->context->devices[0], CL_DEVICE_IMAGE_SUPPORT))
        return cx_fail(m->function, CL_INVALID_OPERATION, "the device does not support images");
    if (!cx_mem_flags_valid(m->flags))
        return cx_fail(m->function, CL_INVALID_VALUE, "flags are unknown or exclude each other");
    if (!m->format || !(m->element = cx_image_format_bytes(m->format)))
        return cx_fail(m->function, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "no format, or none of the spec's");
    if (!desc)
        return cx_fail(m->function, CL_INVALID_IMAGE_DESCRIPTOR, "no descriptor");
    m->desc = *desc;
    if (desc->num_mip_levels || desc->num_samples)
        return cx_fail(m->function, CL_INVALID_IMAGE_DESCRIPTOR, "no mip levels or samples are offered");
    const bool wants = m->flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    if ((error = check_extents(m)) != CL_SUCCESS)
        return error;
    if (!desc->mem_object && wants != (m->host_ptr != NULL))
        return cx_fail(m->function, CL_INVALID_HOST_PTR, "host_ptr does not go with the flags");
    if ((error = check_from(m)) != CL_SUCCESS)
        return error;
    if (!m->from && (error = check_pitches(m)) != CL_SUCCESS)
        return error;
    if (!cx_image_format_supported(m->context, m->flags, m->desc.image_type, m->format))
        return cx_fail(m->function, CL_IMAGE_FORMAT_NOT_SUPPORTED, "the device has no images of this format");
    m->beyond |= !m->from && m->bytes > m->context->devices[0]->max_alloc;
    return CL_SUCCESS;
}

/* ---- making ---- */

/* The steps of an array with these pitches. */
static void lay_out(struct cx_image *image)
{
    const cl_image_desc *desc = &image->desc;
    const bool one_dimension = !has_rows(desc->image_type);
    const size_t layers = desc->image_array_size ? desc->image_array_size : 1;
    image->extent[0] = desc->image_width;
    image->step[0] = image->element;
    image->extent[1] = one_dimension ? layers : desc->image_height;
    image->step[1] =
        one_dimension && desc->image_slice_pitch ? desc->image_slice_pitch : desc->image_row_pitch;
    image->extent[2] = one_dimension ? 1 : desc->image_depth ? desc->image_depth : layers;
    image->step[2] = !one_dimension && desc->image_slice_pitch ? desc->image_slice_pitch
                                                               : image->step[1] * image->extent[1];
}

/* An image that is filled from the program's memory has rows of its own, close to each other. */
static void make_dense(cl_image_desc *desc, size_t element)
{
    const size_t rows = has_rows(desc->image_type) ? desc->image_height : 1;
    desc->image_row_pitch = desc->image_width * element;
    if (desc->image_slice_pitch)
        desc->image_slice_pitch = desc->image_row_pitch * rows;
}

/* The object is new, so the lock, which its parts need, is not taken. */
static cl_int fill_contents(struct cx_mem *mem, const struct making *m) CX_UNCHECKED
{
    if (!m->host_ptr)
        return CL_SUCCESS;
    if (mem->flags & CL_MEM_USE_HOST_PTR) {
        mem->storage->host = mem->host_ptr = m->host_ptr;
    } else {
        struct cx_image given = *mem->image;
        unsigned char *host = cx_mem_host(mem);
        if (!host)
            return CL_MEM_OBJECT_ALLOCATION_FAILURE;
        given.desc = m->desc;
        lay_out(&given);
        for (size_t z = 0; z < given.extent[2]; z++)
            for (size_t y = 0; y < given.extent[1]; y++)
                memcpy(host + y * mem->image->step[1] + z * mem->image->step[2],
                       (const char *)m->host_ptr + y * given.step[1] + z * given.step[2],
                       given.extent[0] * given.element);
    }
    return cx_coherence_own(mem->storage->coherence, 0, mem->size, CX_PLACE_HOST) ? CL_SUCCESS
                                                                                  : CL_OUT_OF_HOST_MEMORY;
}

/* Members whose driver does not work on images in place get a place of their own for this one. Whether a
 * CPU's does is known once it is open. */
static void set_apart(struct cx_mem *mem)
{
    const struct cx_context *context = mem->context;
    const uint64_t since = cx_clock_ns();
    for (unsigned w = 0; w < context->nmembers; w++)
        if (context->workers[w].device->type & CL_DEVICE_TYPE_CPU)
            (void)cx_worker_ensure(&context->workers[w]);
    cx_account_delayed(context->account, (double)(cx_clock_ns() - since) * 1e-9);
    for (unsigned w = 0; w < context->nmembers; w++)
        if (context->workers[w].place == CX_PLACE_HOST && !context->workers[w].device->probe.images_in_place)
            mem->storage->apart |= UINT64_C(1) << w;
}

/* Asks the fastest member's driver for what no query tells: whether it makes images from sub-buffers (PoCL
 * 3.1 does not), or from images. */
static cl_int try_window(struct cx_mem *mem)
{
    cl_int error;
    cx_context_lock(mem->context);
    error = cx_mem_prepare(mem, mem->context->fastest);
    cx_context_unlock(mem->context);
    return error;
}

static struct cx_mem *make(const struct making *m, cl_int *error)
{
    struct cx_image *image = calloc(1, sizeof(*image));
    *error = CL_OUT_OF_HOST_MEMORY;
    if (!image)
        return NULL;
    *image = (struct cx_image){.format = *m->format, .desc = m->desc, .element = m->element};
    image->access = m->flags & CX_MEM_ACCESS_FLAGS ? m->flags & CX_MEM_ACCESS_FLAGS : CL_MEM_READ_WRITE;
    const bool copied = m->host_ptr && (m->flags & CL_MEM_COPY_HOST_PTR);
    if (copied)
        make_dense(&image->desc, image->element);
    lay_out(image);
    const size_t bytes = copied ? image->step[2] * image->extent[2] : m->bytes;
    struct cx_mem *mem = cx_mem_create(m->context, m->from, m->from ? m->from->origin : 0, bytes,
                                       cx_mem_flags_reported(m->flags));
    if (!mem) {
        free(image);
        return NULL;
    }
    mem->image = image;
    if (m->from) {
        image->from = cx_mem_ref(m->from);
        mem->host_ptr = m->from->host_ptr;
        *error = try_window(mem);
    } else {
        set_apart(mem);
        *error = fill_contents(mem, m);
    }
    if (*error == CL_SUCCESS && m->beyond && try_window(mem) != CL_SUCCESS)
        *error = cx_fail(m->function, CL_INVALID_IMAGE_SIZE, "the image is over the device's limits");
    if (*error != CL_SUCCESS)
        cx_object_release_app(&mem->base);
    return *error == CL_SUCCESS ? mem : NULL;
}

static cl_mem create_image(const char *function, cl_context handle, const cl_mem_properties *properties,
                           cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc,
                           void *host_ptr, cl_int *errcode_ret)
{
    struct making m = {.function = function,
                       .context = cx_context_from(handle),
                       .flags = flags,
                       .format = format,
                       .host_ptr = host_ptr};
    struct cx_mem *mem = NULL;
    cl_int error = check_making(&m, desc);
    if (error == CL_SUCCESS && properties && properties[0])
        error = cx_fail(function, CL_INVALID_PROPERTY, "unknown image property");
    if (error == CL_SUCCESS)
        mem = make(&m, &error);
    if (mem && properties && (mem->properties = calloc(1, sizeof(*mem->properties))))
        mem->nproperties = 1;
    if (errcode_ret)
        *errcode_ret = error;
    return (cl_mem)mem;
}

cl_mem CL_API_CALL cx_clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                    const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret)
{
    return create_image("clCreateImage", context, NULL, flags, format, desc, host_ptr, errcode_ret);
}

cl_mem CL_API_CALL cx_clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                                  cl_mem_flags flags, const cl_image_format *format,
                                                  const cl_image_desc *desc, void *host_ptr,
                                                  cl_int *errcode_ret)
{
    return create_image("clCreateImageWithProperties", context, properties, flags, format, desc, host_ptr,
                        errcode_ret);
}

/* What is wrong with a descriptor was called an invalid size before there were descriptors. */
static cl_mem create_old(const char *function, cl_context context, cl_mem_flags flags,
                         const cl_image_format *format, const cl_image_desc *desc, void *host_ptr,
                         cl_int *errcode_ret)
{
    cl_int error;
    cl_mem mem = create_image(function, context, NULL, flags, format, desc, host_ptr, &error);
    if (errcode_ret)
        *errcode_ret = error == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : error;
    return mem;
}

cl_mem CL_API_CALL cx_clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                      size_t width, size_t height, size_t row_pitch, void *host_ptr,
                                      cl_int *errcode_ret)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = width,
                                .image_height = height,
                                .image_row_pitch = row_pitch};
    return create_old("clCreateImage2D", context, flags, format, &desc, host_ptr, errcode_ret);
}

cl_mem CL_API_CALL cx_clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                      size_t width, size_t height, size_t depth, size_t row_pitch,
                                      size_t slice_pitch, void *host_ptr, cl_int *errcode_ret)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                .image_width = width,
                                .image_height = height,
                                .image_depth = depth,
                                .image_row_pitch = row_pitch,
                                .image_slice_pitch = slice_pitch};
    return create_old("clCreateImage3D", context, flags, format, &desc, host_ptr, errcode_ret);
}
