/* SPDX-License-Identifier: MIT */
/*
 * The shape of an image: where its texels lie as bytes, which boxes runs of bytes are, and the real images of
 * that shape. Previous stage: image.c. Next: transfer.c, transport_image.c.
 */
#include "layer/memory/image.h"

/* ---- as bytes ---- */

struct cx_block cx_image_block(const struct cx_mem *mem, const size_t origin[3], const size_t region[3])
{
    const struct cx_image *image = mem->image;
    return (struct cx_block){.lo = mem->origin + cx_image_offset(image, origin),
                             .bytes = region[0] * image->element,
                             .count = {region[1], region[2]},
                             .stride = {image->step[1], image->step[2]}};
}

void cx_image_pitches(const struct cx_image *image, size_t row, size_t slice, size_t *row_pitch,
                      size_t *slice_pitch)
{
    *row_pitch = row;
    *slice_pitch = slice;
    switch (image->desc.image_type) {
    case CL_MEM_OBJECT_IMAGE1D_ARRAY: /* its rows are layers; PoCL 3.1 takes the one for the other */
        *slice_pitch = row;
        break;
    case CL_MEM_OBJECT_IMAGE1D:
    case CL_MEM_OBJECT_IMAGE1D_BUFFER:
        *row_pitch = 0;
        *slice_pitch = 0;
        break;
    case CL_MEM_OBJECT_IMAGE2D:
        *slice_pitch = 0;
        break;
    default:
        break;
    }
}

/* ---- as boxes ---- */

size_t cx_image_box_end(const struct cx_image *image, size_t lo, size_t hi, size_t *start)
{
    const size_t width = image->extent[0] * image->element;
    const size_t slice_bytes = (image->extent[1] - 1) * image->step[1] + width;
    size_t z = lo / image->step[2], y = lo % image->step[2] / image->step[1];
    size_t x = lo - z * image->step[2] - y * image->step[1];

    if (x >= width) { /* behind a row */
        y++;
        x = 0;
    }
    if (y >= image->extent[1]) { /* behind a slice */
        z++;
        y = x = 0;
    }
    *start = z * image->step[2] + y * image->step[1] + x;
    if (*start >= hi || z >= image->extent[2]) {
        *start = hi;
        return hi;
    }
    size_t left = hi - *start;
    if (x == 0 && y == 0 && left >= slice_bytes) {
        size_t slices = (left - slice_bytes) / image->step[2] + 1;
        if (slices > image->extent[2] - z)
            slices = image->extent[2] - z;
        return *start + (slices - 1) * image->step[2] + slice_bytes;
    }
    if (x == 0 && left >= width) {
        size_t rows = (left - width) / image->step[1] + 1;
        if (rows > image->extent[1] - y)
            rows = image->extent[1] - y;
        return *start + (rows - 1) * image->step[1] + width;
    }
    return *start + (left < width - x ? left : width - x);
}

void cx_image_box(const struct cx_image *image, size_t lo, size_t bytes, size_t origin[3], size_t region[3])
{
    const size_t width = image->extent[0] * image->element;
    const size_t slice_bytes = (image->extent[1] - 1) * image->step[1] + width;
    origin[2] = lo / image->step[2];
    origin[1] = lo % image->step[2] / image->step[1];
    origin[0] = (lo - origin[2] * image->step[2] - origin[1] * image->step[1]) / image->element;
    region[0] = bytes < width ? bytes / image->element : image->extent[0];
    region[1] = 1;
    region[2] = 1;
    if (bytes > slice_bytes || (bytes == slice_bytes && bytes > width)) {
        region[1] = image->extent[1];
        region[2] = (bytes - slice_bytes) / image->step[2] + 1;
    } else if (bytes > width) {
        region[1] = (bytes - width) / image->step[1] + 1;
    }
}

/* ---- as real images ---- */

cl_mem cx_image_make(const struct cx_mem *mem, unsigned member, void *host, cl_mem from, cl_int *error)
{
    const struct cx_image *image = mem->image;
    const struct cx_worker *worker = &mem->context->workers[member];
    cl_image_desc desc = image->desc;
    *error = CL_IMAGE_FORMAT_NOT_SUPPORTED;
    if ((!host && !from && !cx_real_device_moves_images(worker->device)) ||
        !cx_image_member_supports(worker, image->access, desc.image_type, &image->format))
        return NULL;
    if (!host && !(from && desc.image_type == CL_MEM_OBJECT_IMAGE2D && !image->from->image))
        desc.image_row_pitch = 0; /* the driver's own affair */
    if (!host)
        desc.image_slice_pitch = 0;
    desc.mem_object = from;
    return worker->device->cl->clCreateImage(worker->real_context,
                                             image->access | (host ? CL_MEM_USE_HOST_PTR : 0), &image->format,
                                             &desc, host, error);
}
