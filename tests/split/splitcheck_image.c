/* SPDX-License-Identifier: MIT */
/* Image arguments of splitcheck. */
#include "splitcheck_image.h"

static cl_image_desc description(const struct recipe_arg *arg, const struct recipe_image *i)
{
    static const cl_mem_object_type types[] = {[RECIPE_IMAGE1D] = CL_MEM_OBJECT_IMAGE1D,
                                               [RECIPE_IMAGE1D_BUFFER] = CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                               [RECIPE_IMAGE1D_ARRAY] = CL_MEM_OBJECT_IMAGE1D_ARRAY,
                                               [RECIPE_IMAGE2D] = CL_MEM_OBJECT_IMAGE2D,
                                               [RECIPE_IMAGE2D_ARRAY] = CL_MEM_OBJECT_IMAGE2D_ARRAY,
                                               [RECIPE_IMAGE3D] = CL_MEM_OBJECT_IMAGE3D};
    return (cl_image_desc){.image_type = types[arg->image],
                           .image_width = i->width,
                           .image_height = i->height,
                           .image_depth = i->depth,
                           .image_array_size = i->layers};
}

size_t splitcheck_image_bytes(const struct recipe_arg *arg, const struct recipe_range *range)
{
    struct recipe_image i = recipe_image(arg, range);
    return i.width * i.height * i.depth * i.layers * arg->element;
}

cl_int splitcheck_image_new(cl_context context, const struct recipe_arg *arg,
                            const struct recipe_range *range, cl_mem_flags flags, void *bytes, cl_mem *image,
                            cl_mem *buffer)
{
    struct recipe_image i = recipe_image(arg, range);
    cl_image_desc desc = description(arg, &i);
    cl_image_format format = {i.order, i.type};
    cl_int code = CL_SUCCESS;
    *buffer = NULL;
    if (arg->image == RECIPE_IMAGE1D_BUFFER) {
        *buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | flags, splitcheck_image_bytes(arg, range),
                                 bytes, &code);
        desc.mem_object = *buffer;
        flags = 0;
        bytes = NULL;
    }
    if (code == CL_SUCCESS)
        *image = clCreateImage(context, CL_MEM_READ_WRITE | flags, &format, &desc, bytes, &code);
    return code;
}

cl_int splitcheck_image_read(cl_command_queue queue, const struct recipe_arg *arg,
                             const struct recipe_range *range, cl_mem image, cl_mem buffer, void *bytes)
{
    struct recipe_image i = recipe_image(arg, range);
    const size_t origin[3] = {0, 0, 0};
    size_t region[3] = {i.width, arg->image == RECIPE_IMAGE1D_ARRAY ? i.layers : i.height,
                        arg->image == RECIPE_IMAGE2D_ARRAY ? i.layers : i.depth};
    if (buffer)
        return clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, splitcheck_image_bytes(arg, range), bytes, 0,
                                   NULL, NULL);
    return clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL);
}
