/* SPDX-License-Identifier: MIT */
/* Errors of images and samplers. */
#include "negative.h"

static const cl_image_format rgba = {CL_RGBA, CL_UNORM_INT8};
static const cl_image_desc plane = {
    .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 8};
static char host[16 * 8 * 4 * 2];

static bool has_images(void)
{
    cl_bool images = CL_FALSE;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL));
    return images;
}

static cl_int made(cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc, void *data)
{
    return MADE(clCreateImage(cl.context, flags, format, desc, data, &negative_code));
}

static cl_int sized(cl_mem_object_type type, size_t width, size_t height, size_t depth, size_t layers)
{
    const cl_image_desc desc = {.image_type = type,
                                .image_width = width,
                                .image_height = height,
                                .image_depth = depth,
                                .image_array_size = layers};
    return made(0, &rgba, &desc, NULL);
}

START_TEST(creation)
{
    cl_int *code = &negative_code;
    const cl_image_format no_order = {0x7777, CL_UNORM_INT8}, no_type = {CL_RGBA, 0x7777},
                          mixed = {CL_RGBA, CL_UNORM_SHORT_565};
    cl_image_desc pitched = plane, odd_pitch = plane, levels = plane, samples = plane, strange = plane;
    size_t width = 0;
    if (!has_images())
        return;
    pitched.image_row_pitch = 64;
    odd_pitch.image_row_pitch = 65;
    levels.num_mip_levels = 1;
    samples.num_samples = 1;
    strange.image_type = 0x7777;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof(width), &width, NULL));

    ROW(CL_INVALID_CONTEXT, MADE(clCreateImage(NULL, 0, &rgba, &plane, NULL, code)));
    ROW(CL_INVALID_VALUE, made((cl_mem_flags)1 << 40, &rgba, &plane, NULL));
    ROW(CL_INVALID_VALUE, made(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &rgba, &plane, NULL));
    ROW(CL_INVALID_VALUE, made(CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, &rgba, &plane, NULL));
    ROW(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, made(0, NULL, &plane, NULL));
    ROW_POCL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CL_INVALID_OPERATION, made(0, &no_order, &plane, NULL));
    ROW_POCL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CL_INVALID_OPERATION, made(0, &no_type, &plane, NULL));
    ROW_POCL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CL_INVALID_OPERATION, made(0, &mixed, &plane, NULL));
    ROW(CL_INVALID_IMAGE_DESCRIPTOR, made(0, &rgba, NULL, NULL));
    ROW_POCL(CL_INVALID_IMAGE_DESCRIPTOR, CL_INVALID_VALUE, made(0, &rgba, &strange, NULL));
    ROW_POCL(CL_INVALID_IMAGE_DESCRIPTOR, CL_SUCCESS, made(0, &rgba, &pitched, NULL));
    ROW_POCL(CL_INVALID_IMAGE_DESCRIPTOR, CL_INVALID_VALUE,
             made(CL_MEM_COPY_HOST_PTR, &rgba, &odd_pitch, host));
    ROW_POCL(CL_INVALID_IMAGE_DESCRIPTOR, CRASHES, made(0, &rgba, &samples, NULL));
    ROW_POCL(CL_INVALID_IMAGE_DESCRIPTOR, CRASHES, made(0, &rgba, &levels, NULL));
    ROW_POCL(CL_INVALID_IMAGE_SIZE, CL_INVALID_OPERATION, sized(CL_MEM_OBJECT_IMAGE2D, width + 1, 1, 0, 0));
    /* a dimension must be at least 1: a wrong value of a descriptor; sizes are wrong that exceed a limit */
#define WITHOUT(type, width, height, depth, layers)                                                          \
    ROW_POCL(CL_INVALID_IMAGE_DESCRIPTOR, CL_INVALID_BUFFER_SIZE, sized(type, width, height, depth, layers))
    WITHOUT(CL_MEM_OBJECT_IMAGE1D, 0, 0, 0, 0);
    WITHOUT(CL_MEM_OBJECT_IMAGE1D_ARRAY, 8, 0, 0, 0);
    WITHOUT(CL_MEM_OBJECT_IMAGE2D, 0, 8, 0, 0);
    WITHOUT(CL_MEM_OBJECT_IMAGE2D, 8, 0, 0, 0);
    WITHOUT(CL_MEM_OBJECT_IMAGE2D_ARRAY, 8, 8, 0, 0);
    WITHOUT(CL_MEM_OBJECT_IMAGE3D, 8, 8, 0, 0);
    ROW(CL_INVALID_VALUE, made(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, &rgba, &plane, host));
    ROW(CL_INVALID_VALUE, made(CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, &rgba, &plane, host));
    ROW(CL_INVALID_HOST_PTR, made(CL_MEM_USE_HOST_PTR, &rgba, &plane, NULL));
    ROW(CL_INVALID_HOST_PTR, made(CL_MEM_COPY_HOST_PTR, &rgba, &plane, NULL));
    ROW(CL_INVALID_HOST_PTR, made(0, &rgba, &plane, host));
    cl_uint count;
    ROW(CL_INVALID_CONTEXT, clGetSupportedImageFormats(NULL, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
    ROW(CL_INVALID_VALUE, clGetSupportedImageFormats(cl.context, 0, CL_MEM_OBJECT_BUFFER, 0, NULL, &count));
    negative_end();
}
END_TEST

/* From other objects, and over memory with pitches. */
START_TEST(creation_from)
{
    const cl_image_format packed = {CL_RGB, CL_UNORM_SHORT_565};
    cl_image_desc texels = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 16};
    cl_image_desc space = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                           .image_width = 4,
                           .image_height = 4,
                           .image_depth = 2,
                           .image_row_pitch = 16};
    cl_image_desc layers = {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY,
                            .image_width = 4,
                            .image_array_size = 2,
                            .image_row_pitch = 16};
    if (!has_images())
        return;
    cl_mem buffer = cl_buffer(0, 64, NULL), readable = cl_buffer(CL_MEM_READ_ONLY, 64, NULL),
           writable = cl_buffer(CL_MEM_WRITE_ONLY, 64, NULL),
           hidden = cl_buffer(CL_MEM_HOST_NO_ACCESS, 64, NULL);

    ROW_POCL(CL_IMAGE_FORMAT_NOT_SUPPORTED, ANY, made(0, &packed, &plane, NULL));
    ROW_POCL(CL_INVALID_IMAGE_DESCRIPTOR, ANY, made(0, &rgba, &texels, NULL));
    texels.mem_object = (cl_mem)cl.queue;
    ROW_POCL(CL_INVALID_IMAGE_DESCRIPTOR, CRASHES, made(0, &rgba, &texels, NULL));
    texels.mem_object = buffer;
    ROW(CL_SUCCESS, made(0, &rgba, &texels, NULL));
    ROW_POCL(CL_INVALID_VALUE, ANY, made(CL_MEM_ALLOC_HOST_PTR, &rgba, &texels, NULL));
    ROW_POCL(CL_INVALID_HOST_PTR, ANY, made(0, &rgba, &texels, host));
    texels.image_width = 17;
    ROW_POCL(CL_INVALID_IMAGE_SIZE, ANY, made(0, &rgba, &texels, NULL));
    texels.image_width = 16;
    texels.mem_object = readable;
    ROW_POCL(CL_INVALID_VALUE, ANY, made(CL_MEM_READ_WRITE, &rgba, &texels, NULL));
    ROW_POCL(CL_INVALID_VALUE, ANY, made(CL_MEM_WRITE_ONLY, &rgba, &texels, NULL));
    ROW(CL_SUCCESS, made(CL_MEM_READ_ONLY, &rgba, &texels, NULL));
    texels.mem_object = writable;
    ROW_POCL(CL_INVALID_VALUE, ANY, made(CL_MEM_READ_WRITE, &rgba, &texels, NULL));
    ROW_POCL(CL_INVALID_VALUE, ANY, made(CL_MEM_READ_ONLY, &rgba, &texels, NULL));
    texels.mem_object = hidden;
    ROW_POCL(CL_INVALID_VALUE, ANY, made(CL_MEM_HOST_READ_ONLY, &rgba, &texels, NULL));
    ROW_POCL(CL_INVALID_VALUE, ANY, made(CL_MEM_HOST_WRITE_ONLY, &rgba, &texels, NULL));

    /* 4 rows of 16 bytes are a slice, a row of a 1D array is one */
    space.image_slice_pitch = 63;
    ROW_POCL(CL_INVALID_IMAGE_DESCRIPTOR, ANY, made(CL_MEM_COPY_HOST_PTR, &rgba, &space, host));
    space.image_slice_pitch = 48;
    ROW_POCL(CL_INVALID_IMAGE_DESCRIPTOR, ANY, made(CL_MEM_COPY_HOST_PTR, &rgba, &space, host));
    space.image_slice_pitch = 72;
    ROW_POCL(CL_INVALID_IMAGE_DESCRIPTOR, ANY, made(CL_MEM_COPY_HOST_PTR, &rgba, &space, host));
    space.image_slice_pitch = 80;
    ROW(CL_SUCCESS, made(CL_MEM_COPY_HOST_PTR, &rgba, &space, host));
    layers.image_slice_pitch = 8;
    ROW_POCL(CL_INVALID_IMAGE_DESCRIPTOR, ANY, made(CL_MEM_COPY_HOST_PTR, &rgba, &layers, host));
    layers.image_slice_pitch = 32;
    ROW(CL_SUCCESS, made(CL_MEM_COPY_HOST_PTR, &rgba, &layers, host));
    space.mem_object = buffer;
    space.image_row_pitch = space.image_slice_pitch = 0;
    ROW_POCL(CL_INVALID_IMAGE_DESCRIPTOR, ANY, made(0, &rgba, &space, NULL));
    const cl_mem list[] = {buffer, readable, writable, hidden};
    for (unsigned i = 0; i < sizeof(list) / sizeof(*list); i++)
        cl_ok(clReleaseMemObject(list[i]));
    negative_end();
}
END_TEST

/* By the functions from before there were descriptors, and by the one with properties. */
START_TEST(creation_otherwise)
{
    cl_int *code = &negative_code;
    const cl_mem_properties none[] = {0}, unknown[] = {0x7777, 1, 0};
    if (!has_images())
        return;
#define PLANE(context, flags, format, width, row, data)                                                      \
    MADE(clCreateImage2D(context, flags, format, width, 8, row, data, code))
#define SPACE(context, flags, format, depth, row, slice, data)                                               \
    MADE(clCreateImage3D(context, flags, format, 8, 8, depth, row, slice, data, code))
    ROW(CL_SUCCESS, PLANE(cl.context, 0, &rgba, 16, 0, NULL));
    ROW(CL_INVALID_CONTEXT, PLANE(NULL, 0, &rgba, 16, 0, NULL));
    ROW(CL_INVALID_VALUE, PLANE(cl.context, (cl_mem_flags)1 << 40, &rgba, 16, 0, NULL));
    ROW(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, PLANE(cl.context, 0, NULL, 16, 0, NULL));
    ROW_POCL(CL_INVALID_IMAGE_SIZE, CL_INVALID_BUFFER_SIZE, PLANE(cl.context, 0, &rgba, 0, 0, NULL));
    ROW_POCL(CL_INVALID_IMAGE_SIZE, CL_SUCCESS, PLANE(cl.context, 0, &rgba, 16, 64, NULL));
    ROW(CL_INVALID_HOST_PTR, PLANE(cl.context, CL_MEM_COPY_HOST_PTR, &rgba, 16, 0, NULL));
    ROW(CL_INVALID_HOST_PTR, PLANE(cl.context, 0, &rgba, 16, 0, host));
    ROW(CL_SUCCESS, SPACE(cl.context, 0, &rgba, 2, 0, 0, NULL));
    ROW(CL_INVALID_CONTEXT, SPACE(NULL, 0, &rgba, 2, 0, 0, NULL));
    ROW(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, SPACE(cl.context, 0, NULL, 2, 0, 0, NULL));
    ROW_POCL(CL_INVALID_IMAGE_SIZE, CL_INVALID_BUFFER_SIZE, SPACE(cl.context, 0, &rgba, 0, 0, 0, NULL));
    ROW_POCL(CL_INVALID_IMAGE_SIZE, CL_SUCCESS, SPACE(cl.context, 0, &rgba, 2, 32, 256, NULL));
    ROW(CL_INVALID_HOST_PTR, SPACE(cl.context, CL_MEM_USE_HOST_PTR, &rgba, 2, 0, 0, NULL));
#define WITH(context, list, format)                                                                          \
    MADE(clCreateImageWithProperties(context, list, 0, format, &plane, NULL, code))
    ROW(CL_SUCCESS, WITH(cl.context, NULL, &rgba));
    ROW(CL_SUCCESS, WITH(cl.context, none, &rgba));
    ROW(CL_INVALID_CONTEXT, WITH(NULL, none, &rgba));
    ROW(CL_INVALID_PROPERTY, WITH(cl.context, unknown, &rgba));
    ROW(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, WITH(cl.context, none, NULL));
    negative_end();
}
END_TEST

START_TEST(commands)
{
    cl_int *code = &negative_code;
    const size_t zero[3] = {0}, all[3] = {16, 8, 1}, flat[3] = {16, 8, 0}, deep[3] = {16, 8, 2},
                 far[3] = {1, 0, 0}, thick[3] = {0, 0, 1};
    const float colour[4] = {0};
    size_t row, size;
    char room[64];
    if (!has_images())
        return;
    cl_mem image = clCreateImage(cl.context, 0, &rgba, &plane, NULL, code);
    cl_ok(*code);
    const cl_image_format half = {CL_R, CL_UNORM_INT8};
    cl_mem other = clCreateImage(cl.context, 0, &half, &plane, NULL, code);
    cl_ok(*code);
    cl_mem hidden = clCreateImage(cl.context, CL_MEM_HOST_NO_ACCESS, &rgba, &plane, NULL, code);
    cl_ok(*code);
    cl_mem buffer = cl_buffer(0, 256, NULL);

#define READ(queue, image, origin, region, row, slice, ptr)                                                  \
    clEnqueueReadImage(queue, image, CL_TRUE, origin, region, row, slice, ptr, 0, NULL, NULL)
#define WRITE(queue, image, origin, region, row, ptr)                                                        \
    clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, row, 0, ptr, 0, NULL, NULL)
#define COPY(from, to, origin, there, region)                                                                \
    clEnqueueCopyImage(cl.queue, from, to, origin, there, region, 0, NULL, NULL)
    ROW(CL_INVALID_COMMAND_QUEUE, READ(NULL, image, zero, all, 0, 0, host));
    ROW(CL_INVALID_MEM_OBJECT, READ(cl.queue, NULL, zero, all, 0, 0, host));
    ROW(CL_INVALID_MEM_OBJECT, READ(cl.queue, buffer, zero, all, 0, 0, host));
    ROW(CL_INVALID_VALUE, READ(cl.queue, image, NULL, all, 0, 0, host));
    ROW(CL_INVALID_VALUE, READ(cl.queue, image, zero, NULL, 0, 0, host));
    ROW(CL_INVALID_VALUE, READ(cl.queue, image, zero, flat, 0, 0, host));
    ROW(CL_INVALID_VALUE, READ(cl.queue, image, zero, deep, 0, 0, host));
    ROW(CL_INVALID_VALUE, READ(cl.queue, image, far, all, 0, 0, host));
    ROW(CL_INVALID_VALUE, READ(cl.queue, image, thick, all, 0, 0, host));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS, READ(cl.queue, image, zero, all, 63, 0, host));
    ROW(CL_INVALID_VALUE, READ(cl.queue, image, zero, all, 0, 0, NULL));
    ROW(CL_INVALID_OPERATION, READ(cl.queue, hidden, zero, all, 0, 0, host));
    ROW_POCL(CL_INVALID_COMMAND_QUEUE, CRASHES,
             READ((cl_command_queue)cl.context, image, zero, all, 0, 0, host));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CRASHES, READ(cl.queue, (cl_mem)cl.context, zero, all, 0, 0, host));
    /* 0 by the specification, which no driver known to us holds programs to, and of no meaning */
    ROW(CL_SUCCESS, READ(cl.queue, image, zero, all, 64, 1024, host));
    ROW(CL_INVALID_MEM_OBJECT, WRITE(cl.queue, NULL, zero, all, 0, host));
    ROW(CL_INVALID_VALUE, WRITE(cl.queue, image, NULL, all, 0, host));
    ROW(CL_INVALID_VALUE, WRITE(cl.queue, image, zero, NULL, 0, host));
    ROW(CL_INVALID_COMMAND_QUEUE, WRITE(NULL, image, zero, all, 0, host));
    ROW(CL_INVALID_MEM_OBJECT, WRITE(cl.queue, buffer, zero, all, 0, host));
    ROW(CL_INVALID_VALUE, WRITE(cl.queue, image, far, all, 0, host));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS, WRITE(cl.queue, image, zero, all, 63, host));
    ROW(CL_INVALID_VALUE, WRITE(cl.queue, image, zero, all, 0, NULL));
    ROW(CL_INVALID_OPERATION, WRITE(cl.queue, hidden, zero, all, 0, host));
    ROW(CL_INVALID_MEM_OBJECT, COPY(image, buffer, zero, zero, all));
    ROW(CL_INVALID_MEM_OBJECT, COPY(NULL, image, zero, zero, all));
    ROW(CL_INVALID_MEM_OBJECT, COPY(image, NULL, zero, zero, all));
    ROW(CL_INVALID_MEM_OBJECT, COPY(buffer, image, zero, zero, all));
    ROW(CL_INVALID_MEM_OBJECT, clEnqueueFillImage(cl.queue, NULL, colour, zero, all, 0, NULL, NULL));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CRASHES,
             clEnqueueCopyImageToBuffer(cl.queue, NULL, buffer, zero, all, 0, 0, NULL, NULL));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CRASHES,
             clEnqueueCopyImageToBuffer(cl.queue, image, NULL, zero, all, 0, 0, NULL, NULL));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CRASHES,
             clEnqueueCopyBufferToImage(cl.queue, NULL, image, 0, zero, all, 0, NULL, NULL));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CRASHES,
             clEnqueueCopyBufferToImage(cl.queue, buffer, NULL, 0, zero, all, 0, NULL, NULL));
    ROW(CL_IMAGE_FORMAT_MISMATCH, COPY(image, other, zero, zero, all));
    ROW(CL_INVALID_VALUE, COPY(image, hidden, far, zero, all));
    ROW(CL_INVALID_VALUE, COPY(image, hidden, zero, far, all));
    ROW(CL_MEM_COPY_OVERLAP, COPY(image, image, zero, zero, all));
    ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueFillImage(NULL, image, colour, zero, all, 0, NULL, NULL));
    ROW(CL_INVALID_MEM_OBJECT, clEnqueueFillImage(cl.queue, buffer, colour, zero, all, 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, clEnqueueFillImage(cl.queue, image, NULL, zero, all, 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, clEnqueueFillImage(cl.queue, image, colour, far, all, 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, clEnqueueCopyImageToBuffer(cl.queue, image, buffer, zero, all, 0, 0, NULL, NULL));
    ROW(CL_INVALID_MEM_OBJECT,
        clEnqueueCopyImageToBuffer(cl.queue, buffer, image, zero, all, 0, 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, clEnqueueCopyBufferToImage(cl.queue, buffer, image, 0, zero, all, 0, NULL, NULL));
    ROW(CL_INVALID_MEM_OBJECT,
        clEnqueueCopyBufferToImage(cl.queue, image, image, 0, zero, all, 0, NULL, NULL));
#define MAP(image, flags, origin, pitch)                                                                     \
    MADE(clEnqueueMapImage(cl.queue, image, CL_TRUE, flags, origin, all, pitch, NULL, 0, NULL, NULL, code))
    ROW(CL_INVALID_MEM_OBJECT, MAP(buffer, CL_MAP_READ, zero, &row));
    ROW(CL_INVALID_MEM_OBJECT, MAP(NULL, CL_MAP_READ, zero, &row));
    /* twice for writing: as of buffers */
    ROW(CL_SUCCESS, MAP(image, CL_MAP_WRITE, zero, &row));
    ROW(CL_SUCCESS, MAP(image, CL_MAP_WRITE, zero, &row));
    ROW(CL_INVALID_VALUE, MAP(image, CL_MAP_READ, far, &row));
    ROW(CL_INVALID_VALUE, MAP(image, CL_MAP_READ, zero, NULL));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS, MAP(image, 1 << 20, zero, &row));
    ROW(CL_INVALID_OPERATION, MAP(hidden, CL_MAP_READ, zero, &row));
    ROW(CL_INVALID_VALUE, clGetImageInfo(image, 0xffff, sizeof(room), room, &size));
    ROW(CL_INVALID_VALUE, clGetImageInfo(image, CL_IMAGE_WIDTH, 1, room, &size));
    ROW(CL_INVALID_MEM_OBJECT, READ(cl.queue, (cl_mem)NULL, zero, all, 0, 0, host));
    cl_ok(clReleaseMemObject(image));
    cl_ok(clReleaseMemObject(other));
    cl_ok(clReleaseMemObject(hidden));
    cl_ok(clReleaseMemObject(buffer));
    negative_end();
}
END_TEST

/* Objects of another context, wait lists, origins and pitches that images of fewer dimensions have not. */
START_TEST(commands_otherwise)
{
    cl_int *code = &negative_code;
    const size_t zero[3] = {0}, all[3] = {16, 8, 1}, low[3] = {0, 1, 0}, tall[3] = {16, 2, 1},
                 row[3] = {16, 1, 1};
    const float colour[4] = {0};
    cl_event none = NULL, strange;
    size_t pitch;
    cl_uint count;
    cl_image_format formats[1];
    if (!has_images())
        return;
    cl_context second = clCreateContext(NULL, 1, &cl.device, NULL, NULL, code);
    cl_ok(*code);
    strange = clCreateUserEvent(second, code);
    cl_ok(*code);
    cl_ok(clSetUserEventStatus(strange, CL_COMPLETE));
    const cl_image_desc flat = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 16};
    cl_mem image = clCreateImage(cl.context, 0, &rgba, &plane, NULL, code);
    cl_ok(*code);
    cl_mem other = clCreateImage(cl.context, 0, &rgba, &plane, NULL, code);
    cl_ok(*code);
    cl_mem line = clCreateImage(cl.context, 0, &rgba, &flat, NULL, code);
    cl_ok(*code);
    cl_mem foreign = clCreateImage(second, 0, &rgba, &plane, NULL, code);
    cl_ok(*code);
    cl_mem writable = clCreateImage(cl.context, CL_MEM_HOST_WRITE_ONLY, &rgba, &plane, NULL, code);
    cl_ok(*code);
    cl_mem readable = clCreateImage(cl.context, CL_MEM_HOST_READ_ONLY, &rgba, &plane, NULL, code);
    cl_ok(*code);
    cl_mem buffer = cl_buffer(0, 16 * 8 * 4, NULL);

#define COLOUR(image, colour, origin, region)                                                                \
    clEnqueueFillImage(cl.queue, image, colour, origin, region, 0, NULL, NULL)
#define OUT(queue, image, buffer, origin, region, at)                                                        \
    clEnqueueCopyImageToBuffer(queue, image, buffer, origin, region, at, 0, NULL, NULL)
#define IN(queue, buffer, image, at, origin, region)                                                         \
    clEnqueueCopyBufferToImage(queue, buffer, image, at, origin, region, 0, NULL, NULL)
#define SHOWN(queue, image, flags, origin, region)                                                           \
    MADE(clEnqueueMapImage(queue, image, CL_TRUE, flags, origin, region, &pitch, NULL, 0, NULL, NULL, code))
    ROW(CL_INVALID_CONTEXT, READ(cl.queue, foreign, zero, all, 0, 0, host));
    ROW(CL_INVALID_CONTEXT, WRITE(cl.queue, foreign, zero, all, 0, host));
    ROW(CL_INVALID_CONTEXT, COPY(image, foreign, zero, zero, all));
    ROW(CL_INVALID_CONTEXT, COPY(foreign, image, zero, zero, all));
    ROW(CL_INVALID_CONTEXT, COLOUR(foreign, colour, zero, all));
    ROW(CL_INVALID_CONTEXT, OUT(cl.queue, foreign, buffer, zero, all, 0));
    ROW(CL_INVALID_CONTEXT, IN(cl.queue, buffer, foreign, 0, zero, all));
    ROW(CL_INVALID_CONTEXT, SHOWN(cl.queue, foreign, CL_MAP_READ, zero, all));
    ROW(CL_INVALID_COMMAND_QUEUE, OUT(NULL, image, buffer, zero, all, 0));
    ROW(CL_INVALID_COMMAND_QUEUE, IN(NULL, buffer, image, 0, zero, all));
    ROW(CL_INVALID_COMMAND_QUEUE, SHOWN(NULL, image, CL_MAP_READ, zero, all));
    ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueCopyImage(NULL, image, other, zero, zero, all, 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, READ(cl.queue, line, low, row, 0, 0, host));
    ROW(CL_INVALID_VALUE, READ(cl.queue, line, zero, tall, 0, 0, host));
    ROW(CL_INVALID_VALUE, WRITE(cl.queue, line, zero, tall, 0, host));
    ROW(CL_INVALID_VALUE, COLOUR(line, colour, zero, tall));
    ROW(CL_INVALID_VALUE, COLOUR(image, colour, NULL, all));
    ROW(CL_INVALID_VALUE, COLOUR(image, colour, zero, NULL));
    ROW(CL_INVALID_VALUE, OUT(cl.queue, image, buffer, zero, all, 1));
    ROW(CL_INVALID_VALUE, OUT(cl.queue, image, buffer, low, all, 0));
    ROW(CL_INVALID_VALUE, OUT(cl.queue, image, buffer, NULL, all, 0));
    ROW(CL_INVALID_VALUE, OUT(cl.queue, image, buffer, zero, NULL, 0));
    ROW(CL_INVALID_VALUE, IN(cl.queue, buffer, image, 1, zero, all));
    ROW(CL_INVALID_VALUE, IN(cl.queue, buffer, image, 0, low, all));
    ROW(CL_INVALID_VALUE, IN(cl.queue, buffer, image, 0, NULL, all));
    ROW(CL_INVALID_VALUE, IN(cl.queue, buffer, image, 0, zero, NULL));
    ROW(CL_INVALID_VALUE, COPY(image, other, NULL, zero, all));
    ROW(CL_INVALID_VALUE, COPY(image, other, zero, NULL, all));
    ROW(CL_INVALID_VALUE, COPY(image, other, zero, zero, NULL));
    ROW(CL_INVALID_VALUE, SHOWN(cl.queue, image, CL_MAP_READ, NULL, all));
    ROW(CL_INVALID_VALUE, SHOWN(cl.queue, image, CL_MAP_READ, zero, NULL));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS,
             SHOWN(cl.queue, image, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, zero, all));
    ROW(CL_INVALID_OPERATION, READ(cl.queue, writable, zero, all, 0, 0, host));
    ROW(CL_INVALID_OPERATION, WRITE(cl.queue, readable, zero, all, 0, host));
    ROW(CL_INVALID_OPERATION, SHOWN(cl.queue, writable, CL_MAP_READ, zero, all));
    ROW(CL_INVALID_OPERATION, SHOWN(cl.queue, readable, CL_MAP_WRITE, zero, all));
    ROW_POCL(CL_INVALID_OPERATION, CL_SUCCESS,
             SHOWN(cl.queue, readable, CL_MAP_WRITE_INVALIDATE_REGION, zero, all));

    /* buffer commands take no images */
    ROW_POCL(CL_INVALID_MEM_OBJECT, CL_SUCCESS,
             clEnqueueReadBuffer(cl.queue, image, CL_TRUE, 0, 8, host, 0, NULL, NULL));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CL_SUCCESS,
             clEnqueueWriteBuffer(cl.queue, image, CL_TRUE, 0, 8, host, 0, NULL, NULL));
    ROW(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(cl.queue, image, buffer, 0, 0, 8, 0, NULL, NULL));
    ROW(CL_INVALID_MEM_OBJECT, clEnqueueFillBuffer(cl.queue, image, colour, 4, 0, 8, 0, NULL, NULL));
    ROW(CL_INVALID_MEM_OBJECT,
        MADE(clEnqueueMapBuffer(cl.queue, image, CL_TRUE, CL_MAP_READ, 0, 8, 0, NULL, NULL, code)));

#define LISTS(call)                                                                                          \
    ROW(CL_INVALID_EVENT_WAIT_LIST, call(1, NULL));                                                          \
    ROW(CL_INVALID_EVENT_WAIT_LIST, call(0, &none));                                                         \
    ROW(CL_INVALID_EVENT_WAIT_LIST, call(1, &none));                                                         \
    ROW(CL_INVALID_CONTEXT, call(1, &strange))
#define BY_READ(n, list)  clEnqueueReadImage(cl.queue, image, CL_FALSE, zero, all, 0, 0, host, n, list, NULL)
#define BY_WRITE(n, list) clEnqueueWriteImage(cl.queue, image, CL_FALSE, zero, all, 0, 0, host, n, list, NULL)
#define BY_FILL(n, list)  clEnqueueFillImage(cl.queue, image, colour, zero, all, n, list, NULL)
#define BY_COPY(n, list)  clEnqueueCopyImage(cl.queue, image, other, zero, zero, all, n, list, NULL)
#define BY_OUT(n, list)   clEnqueueCopyImageToBuffer(cl.queue, image, buffer, zero, all, 0, n, list, NULL)
#define BY_IN(n, list)    clEnqueueCopyBufferToImage(cl.queue, buffer, image, 0, zero, all, n, list, NULL)
#define BY_MAP(n, list)                                                                                      \
    MADE(clEnqueueMapImage(cl.queue, image, CL_FALSE, CL_MAP_READ, zero, all, &pitch, NULL, n, list, NULL,   \
                           code))
    LISTS(BY_READ);
    LISTS(BY_WRITE);
    LISTS(BY_FILL);
    LISTS(BY_COPY);
    LISTS(BY_OUT);
    LISTS(BY_IN);
    LISTS(BY_MAP);
#define FORMATS(flags, type, room, list)                                                                     \
    clGetSupportedImageFormats(cl.context, flags, type, room, list, &count)
    ROW(CL_INVALID_VALUE, FORMATS(0, 0x7777, 0, NULL));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS, FORMATS((cl_mem_flags)1 << 40, CL_MEM_OBJECT_IMAGE2D, 0, NULL));
    ROW(CL_INVALID_VALUE, FORMATS(0, CL_MEM_OBJECT_IMAGE2D, 0, formats));
    const cl_mem list[] = {image, other, line, foreign, writable, readable, buffer};
    cl_ok(clFinish(cl.queue));
    for (unsigned i = 0; i < sizeof(list) / sizeof(*list); i++)
        cl_ok(clReleaseMemObject(list[i]));
    cl_ok(clReleaseEvent(strange));
    cl_ok(clReleaseContext(second));
    negative_end();
}
END_TEST

/* Slices and layers have a pitch of their own. */
START_TEST(slices)
{
    static const cl_image_desc descs[] = {
        {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 4, .image_height = 4, .image_depth = 2},
        {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
         .image_width = 4,
         .image_height = 4,
         .image_array_size = 2},
        {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 4, .image_array_size = 2},
    };
    static const size_t zero[3] = {0}, region[][3] = {{4, 4, 2}, {4, 4, 2}, {4, 2, 1}},
                        least[] = {64, 64, 16};
    cl_int *code = &negative_code;
    size_t row, slice;
    if (!has_images())
        return;
    for (unsigned i = 0; i < sizeof(descs) / sizeof(*descs); i++) {
        cl_mem image = clCreateImage(cl.context, 0, &rgba, &descs[i], NULL, code);
        cl_ok(*code);
#define PITCHED(call, slice) call(cl.queue, image, CL_TRUE, zero, region[i], 0, slice, host, 0, NULL, NULL)
#define SEEN(row, slice)                                                                                     \
    MADE(clEnqueueMapImage(cl.queue, image, CL_TRUE, CL_MAP_READ, zero, region[i], row, slice, 0, NULL,      \
                           NULL, code))
        ROW_POCL(CL_INVALID_VALUE, ANY, PITCHED(clEnqueueReadImage, least[i] - 4));
        ROW_POCL(CL_INVALID_VALUE, ANY, PITCHED(clEnqueueWriteImage, least[i] - 4));
        ROW_POCL(CL_SUCCESS, ANY, PITCHED(clEnqueueReadImage, least[i]));
        ROW_POCL(CL_SUCCESS, ANY, PITCHED(clEnqueueWriteImage, 2 * least[i]));
        ROW(CL_INVALID_VALUE, SEEN(&row, NULL));
        ROW(CL_INVALID_VALUE, SEEN(NULL, &slice));
        ROW(CL_SUCCESS, SEEN(&row, &slice));
        cl_ok(clFinish(cl.queue));
        cl_ok(clReleaseMemObject(image));
    }
    negative_end();
}
END_TEST

/* Calls that block tell that what they waited for has failed. */
START_TEST(failed_waits)
{
    const size_t zero[3] = {0}, all[3] = {16, 8, 1};
    cl_int *code = &negative_code;
    size_t row;
    if (!has_images() || !cl_user_events_fail())
        return;
    cl_mem image = clCreateImage(cl.context, 0, &rgba, &plane, NULL, code);
    cl_ok(*code);
    cl_event failed = clCreateUserEvent(cl.context, code);
    cl_ok(*code);
    cl_ok(clSetUserEventStatus(failed, -7));
    cl_command_queue queue = cl_queue(0);
    ROW(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
        clEnqueueReadImage(queue, image, CL_TRUE, zero, all, 0, 0, host, 1, &failed, NULL));
    ROW(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
        clEnqueueWriteImage(queue, image, CL_TRUE, zero, all, 0, 0, host, 1, &failed, NULL));
    ROW(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
        MADE(clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, zero, all, &row, NULL, 1, &failed, NULL,
                               code)));
    cl_ok(clReleaseCommandQueue(queue));
    cl_ok(clReleaseEvent(failed));
    cl_ok(clReleaseMemObject(image));
    negative_end();
}
END_TEST

START_TEST(samplers)
{
    cl_int *code = &negative_code;
    const cl_sampler_properties unknown[] = {0x7777, 0, 0},
                                twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_NEAREST, CL_SAMPLER_FILTER_MODE,
                                           CL_FILTER_NEAREST, 0},
                                bad[] = {CL_SAMPLER_FILTER_MODE, 0x7777, 0},
                                no_boolean[] = {CL_SAMPLER_NORMALIZED_COORDS, 5, 0};
    char room[64];
    size_t size;
    if (!has_images())
        return;
    cl_sampler sampler = clCreateSampler(cl.context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, code);
    cl_ok(*code);

#define SAMPLER(context, normal, address, filter)                                                            \
    MADE(clCreateSampler(context, normal, address, filter, code))
    ROW(CL_INVALID_CONTEXT, SAMPLER(NULL, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS, SAMPLER(cl.context, CL_FALSE, 0x7777, CL_FILTER_NEAREST));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS, SAMPLER(cl.context, CL_FALSE, CL_ADDRESS_NONE, 0x7777));
    ROW(CL_INVALID_CONTEXT, MADE(clCreateSamplerWithProperties(NULL, NULL, code)));
    ROW(CL_INVALID_VALUE, MADE(clCreateSamplerWithProperties(cl.context, unknown, code)));
    ROW(CL_INVALID_VALUE, MADE(clCreateSamplerWithProperties(cl.context, twice, code)));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS, MADE(clCreateSamplerWithProperties(cl.context, bad, code)));
    ROW(CL_INVALID_VALUE, MADE(clCreateSamplerWithProperties(cl.context, no_boolean, code)));
    ROW_POCL(CL_INVALID_SAMPLER, CRASHES, clRetainSampler((cl_sampler)cl.queue));
    ROW_POCL(CL_INVALID_SAMPLER, CRASHES, clReleaseSampler((cl_sampler)cl.queue));
    ROW(CL_INVALID_SAMPLER, clRetainSampler(NULL));
    ROW(CL_INVALID_SAMPLER, clReleaseSampler(NULL));
    ROW(CL_INVALID_SAMPLER, clGetSamplerInfo(NULL, CL_SAMPLER_CONTEXT, sizeof(room), room, &size));
    ROW(CL_INVALID_VALUE, clGetSamplerInfo(sampler, 0xffff, sizeof(room), room, &size));
    ROW(CL_INVALID_VALUE, clGetSamplerInfo(sampler, CL_SAMPLER_CONTEXT, 1, room, &size));
    cl_sampler none = NULL;
    cl_kernel kernel = cl_kernel_of("kernel void s(sampler_t s, read_only image2d_t i, global float *o)"
                                    "{ *o = read_imagef(i, s, (int2)(0, 0)).x; }",
                                    "s");
    ROW_POCL(CL_INVALID_SAMPLER, ANY, clSetKernelArg(kernel, 0, sizeof(none), NULL));
    ROW_POCL(CL_INVALID_SAMPLER, ANY, clSetKernelArg(kernel, 0, sizeof(none), &none));
    ROW(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof(sampler), &sampler));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseSampler(sampler));
    negative_end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("negative image");
    TCase *tests = cl_case(suite, "image");
    tcase_add_test(tests, creation);
    tcase_add_test(tests, creation_from);
    tcase_add_test(tests, creation_otherwise);
    tcase_add_test(tests, commands);
    tcase_add_test(tests, commands_otherwise);
    tcase_add_test(tests, slices);
    tcase_add_test(tests, failed_waits);
    tcase_add_test(tests, samplers);
    return tap_run(suite);
}
