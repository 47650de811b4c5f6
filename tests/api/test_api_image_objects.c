/* SPDX-License-Identifier: MIT */
/*
 * Image and sampler objects: queries, every error of the calls that make and use them, formats, samplers in
 * kernels, fills of each format against the device's own conversion, and images that are windows on buffers.
 */
#include "cl_fixture.h"
#include <stdio.h>

static const cl_image_format rgba8 = {CL_RGBA, CL_UNSIGNED_INT8};

static cl_mem make(cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc, void *host,
                   cl_int expected)
{
    cl_int error = 1;
    cl_mem mem = clCreateImage(cl.context, flags, format, desc, host, &error);
    cl_expect(error, expected);
    ck_assert((mem != NULL) == (expected == CL_SUCCESS));
    return mem;
}

static cl_mem make_2d(cl_mem_flags flags, size_t width, size_t height)
{
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
    return make(flags, &rgba8, &desc, NULL, CL_SUCCESS);
}

/* ---- queries ---- */

static size_t size_of(cl_mem mem, cl_image_info what)
{
    size_t value = 99;
    cl_ok(clGetImageInfo(mem, what, sizeof(value), &value, NULL));
    return value;
}

START_TEST(queries)
{
    static const struct {
        cl_image_desc desc;
        size_t row, slice;
    } made[] = {
        {{.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 5}, 20, 0},
        {{.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 5, .image_array_size = 3}, 20, 20},
        {{.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 5, .image_height = 4}, 20, 0},
        {{.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
          .image_width = 5,
          .image_height = 4,
          .image_array_size = 3},
         20,
         80},
        {{.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 5, .image_height = 4, .image_depth = 3},
         20,
         80},
    };
    for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++) {
        const cl_image_desc *desc = &made[i].desc;
        cl_mem mem = make(CL_MEM_READ_ONLY, &rgba8, desc, NULL, CL_SUCCESS), none = mem;
        cl_image_format format;
        cl_mem_object_type type;
        cl_uint number = 7;
        size_t size;
        cl_ok(clGetImageInfo(mem, CL_IMAGE_FORMAT, sizeof(format), &format, &size));
        ck_assert_uint_eq(size, sizeof(format));
        ck_assert_mem_eq(&format, &rgba8, sizeof(format));
        ck_assert_uint_eq(size_of(mem, CL_IMAGE_ELEMENT_SIZE), 4);
        ck_assert_uint_eq(size_of(mem, CL_IMAGE_WIDTH), desc->image_width);
        ck_assert_uint_eq(size_of(mem, CL_IMAGE_HEIGHT), desc->image_height);
        ck_assert_uint_eq(size_of(mem, CL_IMAGE_DEPTH), desc->image_depth);
        ck_assert_uint_eq(size_of(mem, CL_IMAGE_ARRAY_SIZE), desc->image_array_size);
        ck_assert_uint_ge(size_of(mem, CL_IMAGE_ROW_PITCH), made[i].row);
        ck_assert_uint_ge(size_of(mem, CL_IMAGE_SLICE_PITCH), made[i].slice);
        cl_ok(clGetImageInfo(mem, CL_IMAGE_BUFFER, sizeof(none), &none, NULL));
        ck_assert_ptr_null(none);
        cl_ok(clGetImageInfo(mem, CL_IMAGE_NUM_SAMPLES, sizeof(number), &number, NULL));
        ck_assert_uint_eq(number, 0);
        cl_ok(clGetMemObjectInfo(mem, CL_MEM_TYPE, sizeof(type), &type, NULL));
        ck_assert_uint_eq(type, desc->image_type);
        cl_expect(clGetImageInfo(mem, CL_IMAGE_FORMAT, 1, &format, NULL), CL_INVALID_VALUE);
        cl_expect(clGetImageInfo(mem, 0x1234, 8, &size, NULL), CL_INVALID_VALUE);
        cl_ok(clReleaseMemObject(mem));
    }
    cl_mem buffer = cl_buffer(0, 64, NULL);
    size_t size;
    cl_expect(clGetImageInfo(buffer, CL_IMAGE_WIDTH, 8, &size, NULL), CL_INVALID_MEM_OBJECT);
    cl_expect(clGetImageInfo(NULL, CL_IMAGE_WIDTH, 8, &size, NULL), CL_INVALID_MEM_OBJECT);
    cl_ok(clReleaseMemObject(buffer));
}
END_TEST

START_TEST(formats)
{
    cl_image_format list[200];
    cl_uint count = 0, again = 0;
    bool found = false;
    cl_ok(clGetSupportedImageFormats(cl.context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
    ck_assert_uint_gt(count, 0);
    ck_assert_uint_le(count, 200);
    cl_ok(
        clGetSupportedImageFormats(cl.context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 200, list, &again));
    ck_assert_uint_eq(count, again);
    for (cl_uint i = 0; i < count; i++) {
        const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
        cl_ok(clReleaseMemObject(make(0, &list[i], &desc, NULL, CL_SUCCESS)));
        found |= memcmp(&list[i], &rgba8, sizeof(rgba8)) == 0;
    }
    cl_image_format both[200]; /* for kernels that read and write one image: perhaps none */
    cl_ok(clGetSupportedImageFormats(cl.context, CL_MEM_KERNEL_READ_AND_WRITE, CL_MEM_OBJECT_IMAGE2D, 200,
                                     both, &again));
    for (cl_uint i = 0; i < again; i++) {
        cl_uint k = 0;
        while (k < count && memcmp(&both[i], &list[k], sizeof(list[k])) != 0)
            k++;
        ck_assert_uint_lt(k, count);
    }
    ck_assert(found);
    cl_expect(clGetSupportedImageFormats(NULL, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count),
              CL_INVALID_CONTEXT);
    cl_expect(clGetSupportedImageFormats(cl.context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_BUFFER, 0, NULL, &count),
              CL_INVALID_VALUE);
    cl_expect(
        clGetSupportedImageFormats(cl.context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, list, &count),
        CL_INVALID_VALUE);
    cl_expect(clGetSupportedImageFormats(cl.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
                                         CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count),
              CL_INVALID_VALUE);
}
END_TEST

/* ---- what cannot be made ---- */

START_TEST(bad_images)
{
    unsigned char memory[4096];
    const cl_image_format unknown = {CL_RGBA, 0x7777}, mismatched = {CL_INTENSITY, CL_SIGNED_INT8},
                          missing = {CL_RGBA, CL_UNORM_INT_101010_2};
    const cl_image_desc good = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    cl_image_desc desc;
    cl_int error;
    size_t limit;
#define BAD(field, value, flags, host, expected)                                                             \
    desc = good;                                                                                             \
    desc.field = value;                                                                                      \
    make(flags, &rgba8, &desc, host, expected)
    ck_assert_ptr_null(clCreateImage(NULL, 0, &rgba8, &good, NULL, &error));
    cl_expect(error, CL_INVALID_CONTEXT);
    make(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &rgba8, &good, NULL, CL_INVALID_VALUE);
    make((cl_mem_flags)1 << 40, &rgba8, &good, NULL, CL_INVALID_VALUE);
    make(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, &rgba8, &good, memory, CL_INVALID_VALUE);
    make(0, NULL, &good, NULL, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    make(0, &unknown, &good, NULL, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    make(0, &mismatched, &good, NULL, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    if (cl_is_coexec()) /* PoCL lacks it; its own answer differs */
        make(0, &missing, &good, NULL, CL_IMAGE_FORMAT_NOT_SUPPORTED);
    make(0, &rgba8, NULL, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    BAD(image_type, CL_MEM_OBJECT_BUFFER, 0, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    BAD(num_mip_levels, 2, 0, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    BAD(num_samples, 2, 0, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    BAD(image_width, 0, 0, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    BAD(image_height, 0, 0, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof(limit), &limit, NULL));
    BAD(image_width, limit + 1, 0, NULL, CL_INVALID_IMAGE_SIZE);
    make(0, &rgba8, &good, memory, CL_INVALID_HOST_PTR);
    make(CL_MEM_USE_HOST_PTR, &rgba8, &good, NULL, CL_INVALID_HOST_PTR);
    make(CL_MEM_COPY_HOST_PTR, &rgba8, &good, NULL, CL_INVALID_HOST_PTR);
    BAD(image_row_pitch, 64, 0, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    BAD(image_row_pitch, 28, CL_MEM_USE_HOST_PTR, memory, CL_INVALID_IMAGE_DESCRIPTOR);
    BAD(image_row_pitch, 34, CL_MEM_USE_HOST_PTR, memory, CL_INVALID_IMAGE_DESCRIPTOR);
    const cl_image_desc solid = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                 .image_width = 4,
                                 .image_height = 4,
                                 .image_depth = 4,
                                 .image_slice_pitch = 60};
    make(CL_MEM_USE_HOST_PTR, &rgba8, &solid, memory, CL_INVALID_IMAGE_DESCRIPTOR);
    const cl_image_desc no_buffer = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4};
    make(0, &rgba8, &no_buffer, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
#undef BAD
}
END_TEST

START_TEST(old_calls)
{
    cl_int error;
    size_t row;
    unsigned char memory[16 * 8 * 2] = {0};
    cl_mem flat = clCreateImage2D(cl.context, CL_MEM_USE_HOST_PTR, &rgba8, 3, 8, 16, memory, &error);
    cl_expect(error, CL_SUCCESS);
    cl_ok(clGetImageInfo(flat, CL_IMAGE_ROW_PITCH, sizeof(row), &row, NULL));
    ck_assert_uint_eq(row, 16);
    cl_mem solid = clCreateImage3D(cl.context, CL_MEM_COPY_HOST_PTR, &rgba8, 3, 2, 2, 16, 32, memory, &error);
    cl_expect(error, CL_SUCCESS);
    ck_assert_ptr_null(clCreateImage2D(cl.context, 0, &rgba8, 0, 8, 0, NULL, &error));
    cl_expect(error, CL_INVALID_IMAGE_SIZE);
    ck_assert_ptr_null(clCreateImage2D(cl.context, CL_MEM_USE_HOST_PTR, &rgba8, 8, 8, 3, memory, &error));
    cl_expect(error, CL_INVALID_IMAGE_SIZE);
    cl_ok(clReleaseMemObject(flat));
    cl_ok(clReleaseMemObject(solid));
}
END_TEST

/* ---- commands that are refused ---- */

START_TEST(bad_commands)
{
    cl_mem image = make_2d(0, 8, 8), other = make_2d(0, 8, 8), buffer = cl_buffer(0, 256, NULL),
           hidden = make_2d(CL_MEM_HOST_NO_ACCESS, 8, 8), readable = make_2d(CL_MEM_HOST_READ_ONLY, 8, 8);
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    cl_mem bytes = make(0, &format, &desc, NULL, CL_SUCCESS);
    const size_t none[3] = {0, 0, 0}, all[3] = {8, 8, 1}, empty[3] = {8, 0, 1}, deep[3] = {8, 8, 2},
                 aside[3] = {1, 0, 0}, half[3] = {4, 8, 1}, right[3] = {3, 0, 0};
    unsigned char memory[256];
    size_t row, slice;
    cl_int error;
    cl_uint color[4] = {0};
    cl_command_queue q = cl.queue;
    cl_expect(clEnqueueReadImage(NULL, image, 1, none, all, 0, 0, memory, 0, NULL, NULL),
              CL_INVALID_COMMAND_QUEUE);
    cl_expect(clEnqueueReadImage(q, NULL, 1, none, all, 0, 0, memory, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    cl_expect(clEnqueueReadImage(q, buffer, 1, none, all, 0, 0, memory, 0, NULL, NULL),
              CL_INVALID_MEM_OBJECT);
    cl_expect(clEnqueueReadBuffer(q, image, 1, 0, 4, memory, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    cl_expect(clEnqueueReadImage(q, image, 1, none, all, 0, 0, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueReadImage(q, image, 1, none, empty, 0, 0, memory, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueReadImage(q, image, 1, none, deep, 0, 0, memory, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueReadImage(q, image, 1, aside, all, 0, 0, memory, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueReadImage(q, image, 1, none, all, 31, 0, memory, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueWriteImage(q, image, 1, aside, all, 0, 0, memory, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueReadImage(q, image, 1, none, all, 0, 0, memory, 1, NULL, NULL),
              CL_INVALID_EVENT_WAIT_LIST);
    cl_expect(clEnqueueReadImage(q, hidden, 1, none, all, 0, 0, memory, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_expect(clEnqueueWriteImage(q, readable, 1, none, all, 0, 0, memory, 0, NULL, NULL),
              CL_INVALID_OPERATION);
    cl_expect(clEnqueueCopyImage(q, image, bytes, none, none, all, 0, NULL, NULL), CL_IMAGE_FORMAT_MISMATCH);
    cl_expect(clEnqueueCopyImage(q, image, other, none, aside, all, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueCopyImage(q, image, image, none, right, half, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    cl_expect(clEnqueueCopyImage(q, image, buffer, none, none, all, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    cl_expect(clEnqueueCopyImageToBuffer(q, image, buffer, none, all, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueCopyImageToBuffer(q, buffer, buffer, none, all, 0, 0, NULL, NULL),
              CL_INVALID_MEM_OBJECT);
    cl_expect(clEnqueueCopyBufferToImage(q, buffer, image, 4, none, all, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueCopyBufferToImage(q, image, image, 0, none, all, 0, NULL, NULL),
              CL_INVALID_MEM_OBJECT);
    cl_expect(clEnqueueFillImage(q, image, NULL, none, all, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueFillImage(q, image, color, aside, all, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueFillImage(q, buffer, color, none, all, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    clEnqueueMapImage(q, image, 1, CL_MAP_READ, none, all, NULL, &slice, 0, NULL, NULL, &error);
    cl_expect(error, CL_INVALID_VALUE);
    clEnqueueMapImage(q, image, 1, CL_MAP_READ, aside, all, &row, &slice, 0, NULL, NULL, &error);
    cl_expect(error, CL_INVALID_VALUE);
    clEnqueueMapImage(q, image, 1, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, none, all, &row, &slice, 0,
                      NULL, NULL, &error);
    cl_expect(error, CL_INVALID_VALUE);
    clEnqueueMapImage(q, readable, 1, CL_MAP_WRITE, none, all, &row, &slice, 0, NULL, NULL, &error);
    cl_expect(error, CL_INVALID_OPERATION);
    clEnqueueMapImage(q, buffer, 1, CL_MAP_READ, none, all, &row, &slice, 0, NULL, NULL, &error);
    cl_expect(error, CL_INVALID_MEM_OBJECT);
    clEnqueueMapBuffer(q, image, 1, CL_MAP_READ, 0, 4, 0, NULL, NULL, &error);
    cl_expect(error, CL_INVALID_MEM_OBJECT);
    const cl_buffer_region region = {0, 16};
    clCreateSubBuffer(image, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    cl_expect(error, CL_INVALID_MEM_OBJECT);
    cl_mem mems[] = {image, other, buffer, hidden, readable, bytes};
    for (size_t i = 0; i < sizeof(mems) / sizeof(*mems); i++)
        cl_ok(clReleaseMemObject(mems[i]));
}
END_TEST

/* ---- samplers ---- */

START_TEST(sampler_objects)
{
    cl_int error;
    cl_uint count;
    cl_bool normalized;
    cl_addressing_mode mode;
    cl_filter_mode filter;
    cl_context context;
    const cl_sampler_properties good[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                          CL_FALSE,
                                          CL_SAMPLER_ADDRESSING_MODE,
                                          CL_ADDRESS_NONE,
                                          CL_SAMPLER_FILTER_MODE,
                                          CL_FILTER_LINEAR,
                                          0};
    const cl_sampler_properties twice[] = {CL_SAMPLER_NORMALIZED_COORDS, 1, CL_SAMPLER_NORMALIZED_COORDS, 1,
                                           0};
    const cl_sampler_properties unknown[] = {0x4711, 1, 0};
    cl_sampler sampler = clCreateSampler(cl.context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, &error);
    cl_expect(error, CL_SUCCESS);
    cl_ok(clRetainSampler(sampler));
    cl_ok(clGetSamplerInfo(sampler, CL_SAMPLER_REFERENCE_COUNT, sizeof(count), &count, NULL));
    ck_assert_uint_eq(count, 2);
    cl_ok(clGetSamplerInfo(sampler, CL_SAMPLER_CONTEXT, sizeof(context), &context, NULL));
    ck_assert_ptr_eq(context, cl.context);
    cl_ok(clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof(normalized), &normalized, NULL));
    ck_assert_uint_eq(normalized, CL_TRUE);
    cl_ok(clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof(mode), &mode, NULL));
    ck_assert_uint_eq(mode, CL_ADDRESS_REPEAT);
    cl_ok(clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof(filter), &filter, NULL));
    ck_assert_uint_eq(filter, CL_FILTER_NEAREST);
    cl_expect(clGetSamplerInfo(sampler, 0x1234, 8, &count, NULL), CL_INVALID_VALUE);
    cl_ok(clReleaseSampler(sampler));
    cl_ok(clReleaseSampler(sampler));
    cl_expect(clReleaseSampler(NULL), CL_INVALID_SAMPLER);
    ck_assert_ptr_null(clCreateSampler(NULL, 1, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error));
    cl_expect(error, CL_INVALID_CONTEXT);
    ck_assert_ptr_null(clCreateSampler(cl.context, 1, 0x1111, CL_FILTER_NEAREST, &error));
    cl_expect(error, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateSampler(cl.context, 1, CL_ADDRESS_CLAMP, 0x1111, &error));
    cl_expect(error, CL_INVALID_VALUE);
    sampler = clCreateSamplerWithProperties(cl.context, good, &error);
    cl_expect(error, CL_SUCCESS);
    cl_ok(clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof(filter), &filter, NULL));
    ck_assert_uint_eq(filter, CL_FILTER_LINEAR);
    cl_ok(clReleaseSampler(sampler));
    ck_assert_ptr_null(clCreateSamplerWithProperties(cl.context, twice, &error));
    cl_expect(error, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateSamplerWithProperties(cl.context, unknown, &error));
    cl_expect(error, CL_INVALID_VALUE);
}
END_TEST

static const char *const mode_names[] = {"CLK_ADDRESS_NONE", "CLK_ADDRESS_CLAMP_TO_EDGE", "CLK_ADDRESS_CLAMP",
                                         "CLK_ADDRESS_REPEAT", "CLK_ADDRESS_MIRRORED_REPEAT"};

enum { SAMPLERS = 20 };

struct wanted {
    unsigned mode, linear, normalized;
    bool missing; /* repeating needs normalized coordinates */
};

static struct wanted wanted_of(unsigned kind)
{
    struct wanted wanted = {.mode = kind % 5, .linear = kind / 5 % 2, .normalized = kind / 10};
    wanted.missing = !wanted.normalized && wanted.mode >= 3;
    return wanted;
}

/* A kernel that looks through the sampler of a kind, written into it, and through the one given. */
static char *samplers_source(unsigned n)
{
    char *source = calloc(1, 16384), *at = source;
    for (unsigned kind = 0; kind < SAMPLERS; kind++) {
        const struct wanted wanted = wanted_of(kind);
        if (!wanted.missing)
            at += sprintf(at, "__constant sampler_t fixed%u = %s | %s | %s;\n", kind, mode_names[wanted.mode],
                          wanted.linear ? "CLK_FILTER_LINEAR" : "CLK_FILTER_NEAREST",
                          wanted.normalized ? "CLK_NORMALIZED_COORDS_TRUE" : "CLK_NORMALIZED_COORDS_FALSE");
    }
    at += sprintf(at,
                  "__kernel void look(__global float4 *out, __read_only image2d_t image, sampler_t given,\n"
                  "                   int kind)\n"
                  "{ int i = get_global_id(0); float s = kind >= 10 ? 0.125f : 1.0f, lo = -4.0f; float4 v;\n"
                  "  int k = i; if (kind %% 5 == 0) { lo = 0.6f; k %%= 40; }\n"
                  "  float2 p = (float2)((k * 0.17f + lo) * s, (k * 0.11f + lo) * s);\n"
                  "  switch (kind) {\n");
    for (unsigned kind = 0; kind < SAMPLERS; kind++)
        if (!wanted_of(kind).missing)
            at += sprintf(at, "  case %u: v = read_imagef(image, fixed%u, p); break;\n", kind, kind);
    sprintf(at,
            "  default: v = (float4)(0); }\n  out[i] = v; out[i + %u] = read_imagef(image, given, p); }\n",
            n);
    return source;
}

/* A sampler given as an argument does what the same one written into the program does. */
START_TEST(samplers_in_kernels)
{
    enum { N = 96 };
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const size_t none[3] = {0, 0, 0}, all[3] = {8, 8, 1};
    float texels[8 * 8 * 4], got[2][N * 4];
    cl_mem image = make(CL_MEM_READ_ONLY, &format, &desc, NULL, CL_SUCCESS),
           out = cl_buffer(0, sizeof(got), NULL);
    cl_int error;
    for (unsigned i = 0; i < 256; i++)
        texels[i] = (float)(i * 37 % 101);
    cl_ok(clEnqueueWriteImage(cl.queue, image, CL_TRUE, none, all, 0, 0, texels, 0, NULL, NULL));
    char *source = samplers_source(N);
    cl_kernel kernel = cl_kernel_of(source, "look");
    free(source);
    cl_set_mem(kernel, 0, out);
    cl_set_mem(kernel, 1, image);
    for (unsigned kind = 0; kind < SAMPLERS; kind++) {
        const struct wanted wanted = wanted_of(kind);
        if (wanted.missing)
            continue;
        cl_sampler sampler = clCreateSampler(cl.context, wanted.normalized, CL_ADDRESS_NONE + wanted.mode,
                                             wanted.linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &error);
        cl_expect(error, CL_SUCCESS);
        cl_ok(clSetKernelArg(kernel, 2, sizeof(sampler), &sampler));
        cl_set_int(kernel, 3, (cl_int)kind);
        cl_ok(clReleaseSampler(sampler)); /* the kernel keeps what it needs */
        memset(got, 0, sizeof(got));
        cl_write(out, got, sizeof(got));
        cl_launch(kernel, N);
        cl_read(out, got, sizeof(got));
        ck_assert_msg(memcmp(got[0], got[1], sizeof(got[0])) == 0, "mode %u linear %u normalized %u",
                      wanted.mode, wanted.linear, wanted.normalized);
    }
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(image));
    cl_ok(clReleaseMemObject(out));
}
END_TEST

/* ---- arguments ---- */

START_TEST(bad_arguments)
{
    static const char source[] =
        "__kernel void f(__read_only image2d_t in, __write_only image2d_t out, sampler_t s,\n"
        "                __global uint *b)\n"
        "{ int2 p = (int2)(get_global_id(0), 0);\n"
        "  write_imageui(out, p, read_imageui(in, s, p)); b[p.x] = p.x; }\n";
    cl_int error;
    cl_program program = cl_build(source, _i ? "-cl-kernel-arg-info" : "");
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    cl_expect(error, CL_SUCCESS);
    cl_mem image = make_2d(0, 8, 8), only = make_2d(CL_MEM_WRITE_ONLY, 8, 8), buffer = cl_buffer(0, 64, NULL),
           none = NULL;
    cl_sampler sampler = NULL;
    cl_expect(clSetKernelArg(kernel, 0, sizeof(cl_mem) - 1, &image), CL_INVALID_ARG_SIZE);
    cl_expect(clSetKernelArg(kernel, 0, sizeof(cl_mem), &none), CL_INVALID_MEM_OBJECT);
    cl_expect(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer), CL_INVALID_MEM_OBJECT);
    cl_expect(clSetKernelArg(kernel, 3, sizeof(cl_mem), &image), CL_INVALID_MEM_OBJECT);
    cl_expect(clSetKernelArg(kernel, 0, sizeof(cl_mem), &only), CL_INVALID_ARG_VALUE);
    cl_expect(clSetKernelArg(kernel, 2, sizeof(cl_sampler), &sampler), CL_INVALID_SAMPLER);
    cl_expect(clSetKernelArg(kernel, 2, sizeof(cl_sampler), &image), CL_INVALID_SAMPLER);
    cl_ok(clSetKernelArg(kernel, 0, sizeof(cl_mem), &image));
    cl_ok(clSetKernelArg(kernel, 1, sizeof(cl_mem), &only));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseMemObject(image));
    cl_ok(clReleaseMemObject(only));
    cl_ok(clReleaseMemObject(buffer));
}
END_TEST

/* ---- fills ---- */

/* A fill leaves what the device's own write of the same colour leaves. */
START_TEST(fills)
{
    static const char source[] = "__kernel void put_f(__write_only image2d_t to, float4 c) { "
                                 "write_imagef(to, (int2)(get_global_id(0), 0), c); }\n"
                                 "__kernel void put_i(__write_only image2d_t to, int4 c) { write_imagei(to, "
                                 "(int2)(get_global_id(0), 0), c); }\n"
                                 "__kernel void put_u(__write_only image2d_t to, uint4 c) { "
                                 "write_imageui(to, (int2)(get_global_id(0), 0), c); }\n";
    static const float floats[][4] = {
        {0.1f, 0.5f, 0.25f, 1}, {-0.7f, 2.5f, 0.003f, -3}, {1, 0, 0.999f, 0.501f}};
    static const int integers[][4] = {{1, 2, 3, 4}, {-129, 300, 70000, -40000}, {127, -128, 32767, 255}};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 2};
    const size_t none[3] = {0, 0, 0}, row[3] = {4, 1, 1}, below[3] = {0, 1, 0}, all[3] = {4, 2, 1};
    cl_program program = cl_build(source, "");
    cl_image_format list[200];
    cl_uint count;
    cl_ok(
        clGetSupportedImageFormats(cl.context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 200, list, &count));
    for (cl_uint f = 0; f < count; f++)
        for (unsigned c = 0; c < 3; c++) {
            const cl_channel_type type = list[f].image_channel_data_type;
            const bool is_signed = type >= CL_SIGNED_INT8 && type <= CL_SIGNED_INT32,
                       is_unsigned = type >= CL_UNSIGNED_INT8 && type <= CL_UNSIGNED_INT32;
            const void *color = is_signed || is_unsigned ? (const void *)integers[c] : floats[c];
            unsigned char got[2 * 4 * 16];
            cl_int error;
            if (list[f].image_channel_order == CL_DEPTH || type == CL_HALF_FLOAT)
                continue; /* PoCL 3.1's kernels write no halves */
            cl_mem image = make(0, &list[f], &desc, NULL, CL_SUCCESS);
            cl_kernel kernel = clCreateKernel(program,
                                              is_signed     ? "put_i"
                                              : is_unsigned ? "put_u"
                                                            : "put_f",
                                              &error);
            cl_expect(error, CL_SUCCESS);
            cl_set_mem(kernel, 0, image);
            cl_ok(clSetKernelArg(kernel, 1, 16, color));
            cl_launch(kernel, 4);
            cl_ok(clEnqueueFillImage(cl.queue, image, color, below, row, 0, NULL, NULL));
            cl_ok(clEnqueueReadImage(cl.queue, image, CL_TRUE, none, all, 0, 0, got, 0, NULL, NULL));
            const size_t bytes = 4 * size_of(image, CL_IMAGE_ELEMENT_SIZE);
            for (size_t b = 0; b < bytes; b++)
                ck_assert_msg(abs(got[b] - got[bytes + b]) <= 1,
                              "format %x %x, colour %u, byte %zu: %02x, %02x", list[f].image_channel_order,
                              type, c, b, got[b], got[bytes + b]);
            cl_ok(clReleaseKernel(kernel));
            cl_ok(clReleaseMemObject(image));
        }
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* ---- windows on buffers, and one image twice ---- */

/* Texels and bytes are the same: kernels and commands on either are seen by the other. */
START_TEST(image_on_buffer)
{
    enum { N = 512, PART = 256 };
    cl_program program =
        cl_build("__kernel void bytes(__global uint *b) { size_t i = get_global_id(0); b[i] += 5; }\n"
                 "__kernel void texels(__read_only image1d_buffer_t in, __global uint *out)\n"
                 "{ int i = get_global_id(0); out[i] = read_imageui(in, i).x * 2; }\n"
                 "__kernel void both(__write_only image1d_buffer_t to, __global const uint *from, int at)\n"
                 "{ int i = get_global_id(0); write_imageui(to, i, (uint4)(from[i + at] + i)); }\n",
                 "");
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const cl_buffer_region region = {PART * 4, PART * 4};
    cl_uint model[N], got[N];
    cl_int error;
    size_t offset;
    cl_mem of;
    for (unsigned i = 0; i < N; i++)
        model[i] = i * 7;
    cl_mem root = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(model), model), out = cl_buffer(0, PART * 4, NULL);
    cl_mem part = clCreateSubBuffer(root, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    cl_expect(error, CL_SUCCESS);
    unsigned first = PART;
    cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = PART, .mem_object = part};
    cl_mem image = clCreateImage(cl.context, 0, &format, &desc, NULL, &error);
    if (error == CL_INVALID_MEM_OBJECT) { /* PoCL 3.1 makes none from sub-buffers */
        first = 0;
        desc.mem_object = root;
        image = make(0, &format, &desc, NULL, CL_SUCCESS);
    }
    cl_ok(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof(of), &of, NULL));
    ck_assert_ptr_eq(of, desc.mem_object);
    cl_ok(clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(of), &of, NULL));
    ck_assert_ptr_eq(of, desc.mem_object);
    cl_ok(clGetMemObjectInfo(image, CL_MEM_OFFSET, sizeof(offset), &offset, NULL));
    ck_assert_uint_eq(offset, 0);
    cl_kernel bytes = clCreateKernel(program, "bytes", &error),
              texels = clCreateKernel(program, "texels", &error),
              both = clCreateKernel(program, "both", &error);
    cl_set_mem(bytes, 0, root);
    cl_set_mem(texels, 0, image);
    cl_set_mem(texels, 1, out);
    cl_set_mem(both, 0, image);
    cl_set_mem(both, 1, root);
    cl_set_int(both, 2, first ? 0 : PART);
    for (unsigned round = 0; round < 3; round++) {
        cl_launch(bytes, N);
        for (unsigned i = 0; i < N; i++)
            model[i] += 5;
        cl_launch(texels, PART);
        cl_read(out, got, PART * 4);
        for (unsigned i = 0; i < PART; i++)
            ck_assert_uint_eq(got[i], model[first + i] * 2);
        cl_launch(both, PART);
        for (unsigned i = 0; i < PART; i++)
            model[first + i] = model[i + (first ? 0 : PART)] + i;
        const size_t at[3] = {3, 0, 0}, some[3] = {50, 1, 1};
        for (unsigned i = 0; i < 50; i++)
            model[first + 3 + i] = got[i] = i ^ round;
        cl_ok(clEnqueueWriteImage(cl.queue, image, CL_TRUE, at, some, 0, 0, got, 0, NULL, NULL));
        cl_read(root, got, sizeof(got));
        ck_assert_mem_eq(got, model, sizeof(got));
    }
    cl_mem mems[] = {image, part, root, out};
    for (size_t i = 0; i < 4; i++)
        cl_ok(clReleaseMemObject(mems[i]));
    cl_ok(clReleaseKernel(bytes));
    cl_ok(clReleaseKernel(texels));
    cl_ok(clReleaseKernel(both));
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* A 2D image made from a buffer, where the device makes such: rows of the buffer with a pitch. */
START_TEST(flat_image_on_buffer)
{
    enum { W = 40, H = 12 };
    cl_uint alignment = 0;
    cl_int error;
    if (clGetDeviceInfo(cl.device, CL_DEVICE_IMAGE_PITCH_ALIGNMENT, sizeof(alignment), &alignment, NULL) ||
        alignment == 0)
        return;
    const size_t pitch = (W + alignment - 1) / alignment * alignment, none[3] = {0, 0, 0}, all[3] = {W, H, 1},
                 some[3] = {5, 4, 1}, at[3] = {7, 3, 0}, group[2] = {8, 1};
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    cl_uint *model = calloc(pitch * H, 4), *got = calloc(pitch * H, 4), *dense = calloc(W * H, 4);
    for (size_t i = 0; i < pitch * H; i++)
        model[i] = (cl_uint)(i * 3);
    cl_mem buffer = cl_buffer(0, pitch * H * 4, NULL);
    cl_write(buffer, model, pitch * H * 4);
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                          .image_width = W,
                          .image_height = H,
                          .image_row_pitch = pitch * 4 + 1,
                          .mem_object = buffer};
    make(0, &format, &desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    desc.image_row_pitch = pitch * 4;
    cl_mem image = make(0, &format, &desc, NULL, CL_SUCCESS), next = cl_buffer(0, W * H * 4, NULL);
    ck_assert_uint_eq(size_of(image, CL_IMAGE_ROW_PITCH), pitch * 4);
    cl_program program = cl_build(
        "__constant sampler_t at = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
        "__kernel void texels(__read_only image2d_t in, __global uint *out)\n"
        "{ int2 p = (int2)(get_global_id(0), get_global_id(1));\n"
        "  out[p.y * get_global_size(0) + p.x] = read_imageui(in, at, p).x; }\n"
        "__kernel void put(__write_only image2d_t to, __global const uint *from)\n"
        "{ int2 p = (int2)(get_global_id(0), get_global_id(1));\n"
        "  write_imageui(to, p, (uint4)(from[p.y * get_global_size(0) + p.x] + 9)); }\n"
        "__kernel void bytes(__global uint *b) { b[get_global_id(0)] ^= 1; }\n",
        "");
    cl_kernel texels = clCreateKernel(program, "texels", &error),
              put = clCreateKernel(program, "put", &error), bytes = clCreateKernel(program, "bytes", &error);
    cl_set_mem(texels, 0, image);
    cl_set_mem(texels, 1, next);
    cl_set_mem(put, 0, image);
    cl_set_mem(put, 1, next);
    cl_set_mem(bytes, 0, buffer);
    for (unsigned round = 0; round < 3; round++) {
        cl_launch(bytes, pitch * H);
        for (size_t i = 0; i < pitch * H; i++)
            model[i] ^= 1;
        cl_ok(clEnqueueNDRangeKernel(cl.queue, texels, 2, NULL, all, group, 0, NULL, NULL));
        cl_ok(clEnqueueNDRangeKernel(cl.queue, put, 2, NULL, all, group, 0, NULL, NULL));
        for (size_t y = 0; y < H; y++)
            for (size_t x = 0; x < W; x++)
                model[y * pitch + x] += 9;
        for (size_t i = 0; i < 20; i++)
            dense[i] = model[(3 + i / 5) * pitch + 7 + i % 5] = (cl_uint)(i + round);
        cl_ok(clEnqueueWriteImage(cl.queue, image, CL_TRUE, at, some, 0, 0, dense, 0, NULL, NULL));
        cl_read(buffer, got, pitch * H * 4);
        ck_assert_mem_eq(got, model, pitch * H * 4);
        cl_ok(clEnqueueReadImage(cl.queue, image, CL_TRUE, none, all, 0, 0, dense, 0, NULL, NULL));
        for (size_t y = 0; y < H; y++)
            ck_assert_mem_eq(dense + y * W, model + y * pitch, W * 4);
    }
    cl_kernel kernels[] = {texels, put, bytes};
    for (size_t i = 0; i < 3; i++)
        cl_ok(clReleaseKernel(kernels[i]));
    cl_mem mems[] = {image, next, buffer};
    for (size_t i = 0; i < 3; i++)
        cl_ok(clReleaseMemObject(mems[i]));
    cl_ok(clReleaseProgram(program));
    free(model);
    free(got);
    free(dense);
}
END_TEST

START_TEST(one_image_twice)
{
    cl_kernel kernel = cl_kernel_of(
        "__constant sampler_t at = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
        "__kernel void f(__read_only image2d_t in, __write_only image2d_t out)\n"
        "{ int2 p = (int2)(get_global_id(0), get_global_id(1));\n"
        "  write_imageui(out, p, read_imageui(in, at, p) ^ (uint4)(p.x, p.y, 1, 2)); }\n",
        "f");
    unsigned char model[16 * 16 * 4], got[16 * 16 * 4];
    const size_t none[3] = {0, 0, 0}, all[3] = {16, 16, 1}, group[2] = {4, 1};
    cl_mem image = make_2d(0, 16, 16);
    cl_noise(model, sizeof(model));
    cl_ok(clEnqueueWriteImage(cl.queue, image, CL_TRUE, none, all, 0, 0, model, 0, NULL, NULL));
    cl_set_mem(kernel, 0, image);
    cl_set_mem(kernel, 1, image);
    for (unsigned round = 0; round < 3; round++)
        cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 2, NULL, all, group, 0, NULL, NULL));
    for (unsigned y = 0; y < 16; y++)
        for (unsigned x = 0; x < 16; x++) {
            unsigned char *texel = model + (y * 16 + x) * 4;
            texel[0] ^= (unsigned char)x;
            texel[1] ^= (unsigned char)y;
            texel[2] ^= 1;
            texel[3] ^= 2;
        }
    cl_ok(clEnqueueReadImage(cl.queue, image, CL_TRUE, none, all, 0, 0, got, 0, NULL, NULL));
    ck_assert_mem_eq(got, model, sizeof(got));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(image));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("image_objects");
    TCase *tcase = cl_case(suite, "objects");
    tcase_add_test(tcase, queries);
    tcase_add_test(tcase, formats);
    tcase_add_test(tcase, bad_images);
    tcase_add_test(tcase, old_calls);
    tcase_add_test(tcase, bad_commands);
    tcase_add_test(tcase, sampler_objects);
    tcase_add_test(tcase, samplers_in_kernels);
    tcase_add_loop_test(tcase, bad_arguments, 0, 2);
    tcase_add_test(tcase, fills);
    tcase_add_test(tcase, image_on_buffer);
    tcase_add_test(tcase, flat_image_on_buffer);
    tcase_add_test(tcase, one_image_twice);
    return tap_run(suite);
}
