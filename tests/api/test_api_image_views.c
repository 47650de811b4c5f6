/* SPDX-License-Identifier: MIT */
/*
 * Memory that kernels see as a buffer, as a line and as a picture at once, written by split launches through
 * each in turn and held against plain memory; depth images; and what a device refuses that has neither. Where
 * COEXEC_LOG_FILE names a log of plan:info, every kernel must have been split.
 */
#include "cl_fixture.h"
#include "cl_folder.h"

#include <stdio.h>

enum { WIDTH = 64, HEIGHT = 16, N = WIDTH * HEIGHT, ROUNDS = 60 };

static const char source[] =
    "__constant sampler_t at = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
    "#define P (int2)(get_global_id(0), get_global_id(1))\n"
    "__kernel void bump(__global uint *b) { size_t i = get_global_id(0); b[i] = b[i] * 3 + (uint)i; }\n"
    /* not of numbers alone: PoCL 3.1 crashes where such an image is a kernel's only memory */
    "__kernel void put_line(__write_only image1d_buffer_t to, __global const uint *k)\n"
    "{ int i = get_global_id(0); write_imageui(to, i, (uint4)(k[i] * 5 + 1)); }\n"
    "__kernel void take_line(__global uint *out, __read_only image1d_buffer_t in)\n"
    "{ int i = get_global_id(0); out[i] += read_imageui(in, i).x; }\n"
    "__kernel void put_plane(__write_only image2d_t to, uint k)\n"
    "{ int2 p = P; write_imageui(to, p, (uint4)(p.y * k + p.x)); }\n"
    "__kernel void take_plane(__global uint *out, __read_only image2d_t in)\n"
    "{ int2 p = P; out[p.y * 64 + p.x] ^= read_imageui(in, at, p).x; }\n";

static const char deep_source[] =
    "#pragma OPENCL EXTENSION cl_khr_depth_images : enable\n"
    "__constant sampler_t at = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | "
    "CLK_FILTER_NEAREST;\n"
    "__kernel void deepen(__write_only image2d_depth_t to, __read_only image2d_depth_t from)\n"
    "{ int2 p = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imagef(to, p, read_imagef(from, at, p + (int2)(0, 1)) * 0.5f + 0.25f); }\n"
    "__kernel void deepen_layers(__write_only image2d_array_depth_t to,\n"
    "                            __read_only image2d_array_depth_t from)\n"
    "{ int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
    "  write_imagef(to, p, read_imagef(from, at, p) * 0.5f + 0.125f); }\n";

/* Whether the log, where there is one, says that the kernel was split. */
static bool said_split(const char *kernel)
{
    char wanted[64];
    snprintf(wanted, sizeof(wanted), " %s runs split", kernel);
    return cl_lines_with(cl_folder_path("log"), wanted) || !cl_is_coexec();
}

/* A log of its own for the test: the folder of the test's work is shared. Before the first call of OpenCL. */
static void open_logged(void)
{
    cl_folder_make("views");
    setenv("COEXEC_LOG_FILE", cl_folder_path("log"), 1);
    cl_open();
}

static void close_logged(void)
{
    cl_close();
    cl_folder_remove();
}

static cl_mem make(const cl_image_format *format, const cl_image_desc *desc, cl_int *error)
{
    cl_mem mem = clCreateImage(cl.context, 0, format, desc, NULL, error);
    ck_assert((mem != NULL) == (*error == CL_SUCCESS));
    return mem;
}

/* ---- one memory, three views ---- */

static const cl_image_format numbers = {CL_R, CL_UNSIGNED_INT32};
static const size_t all[3] = {WIDTH, HEIGHT, 1}, line[3] = {N, 1, 1}, none[3] = {0, 0, 0},
                    group[3] = {8, 1, 1};

struct views {
    cl_mem buffer, line, plane, out; /* plane: NULL where the device makes none from buffers */
    cl_kernel kernel[5];
    cl_uint model[N], out_model[N], got[N];
};
static struct views v;
static const char *const names[] = {"bump", "put_line", "take_line", "put_plane", "take_plane"};

/* A picture on the buffer, or the refusal of a device that makes none. */
static cl_mem plane_on(cl_mem buffer)
{
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                          .image_width = WIDTH,
                          .image_height = HEIGHT,
                          .mem_object = buffer};
    cl_uint alignment = 0;
    cl_int error;
    if (clGetDeviceInfo(cl.device, CL_DEVICE_IMAGE_PITCH_ALIGNMENT, sizeof(alignment), &alignment, NULL))
        alignment = 0;
    if (alignment && WIDTH % alignment)
        return NULL;
    desc.image_row_pitch = WIDTH * 4;
    cl_mem plane = make(&numbers, &desc, &error);
    if (alignment)
        cl_ok(error);
    else if (cl_is_coexec())
        cl_expect(error, CL_INVALID_OPERATION);
    return plane;
}

static void launch(unsigned which, cl_mem first, cl_mem second, cl_uint number)
{
    cl_kernel kernel = v.kernel[which];
    cl_set_mem(kernel, 0, first);
    if (second)
        cl_set_mem(kernel, 1, second);
    else if (which)
        cl_set_int(kernel, 1, (cl_int)number);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, which < 3 ? 1 : 2, NULL, which < 3 ? line : all, group, 0,
                                 NULL, NULL));
}

static void compare(cl_mem mem, const cl_uint *model, unsigned round)
{
    cl_read(mem, v.got, sizeof(v.got));
    for (unsigned i = 0; i < N; i++)
        ck_assert_msg(v.got[i] == model[i], "round %u, %u: %u, not %u", round, i, v.got[i], model[i]);
}

static void change_by_command(cl_mem image, bool flat)
{
    const size_t at[3] = {flat ? 5 : 100, flat ? 3 : 0, 0}, some[3] = {flat ? 20 : 200, flat ? 6 : 1, 1};
    cl_uint texels[200];
    cl_noise(texels, sizeof(texels));
    cl_ok(clEnqueueWriteImage(cl.queue, image, CL_TRUE, at, some, 0, 0, texels, 0, NULL, NULL));
    for (size_t y = 0; y < some[1]; y++)
        memcpy(v.model + (at[1] + y) * WIDTH + at[0], texels + y * some[0], some[0] * 4);
}

static void one_step(unsigned round)
{
    const unsigned what = cl_roll(v.plane ? 8 : 5);
    const cl_uint k = cl_roll(1000);
    switch (what) {
    case 0:
        launch(0, v.buffer, NULL, 0);
        for (cl_uint i = 0; i < N; i++)
            v.model[i] = v.model[i] * 3 + i;
        break;
    case 1:
        launch(1, v.line, v.out, 0);
        for (cl_uint i = 0; i < N; i++)
            v.model[i] = v.out_model[i] * 5 + 1;
        break;
    case 2:
        launch(2, v.out, v.line, 0);
        for (cl_uint i = 0; i < N; i++)
            v.out_model[i] += v.model[i];
        break;
    case 3:
        change_by_command(v.line, false);
        break;
    case 4:
        compare(v.buffer, v.model, round);
        break;
    case 5:
        launch(3, v.plane, NULL, k);
        for (cl_uint i = 0; i < N; i++)
            v.model[i] = i / WIDTH * k + i % WIDTH;
        break;
    case 6:
        launch(4, v.out, v.plane, 0);
        for (cl_uint i = 0; i < N; i++)
            v.out_model[i] ^= v.model[i];
        break;
    default:
        change_by_command(v.plane, true);
    }
}

START_TEST(views_of_one_memory)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = N};
    cl_image_desc on = desc;
    cl_int error;
    cl_program program = cl_build(source, "");
    cl_seed(77);
    for (cl_uint i = 0; i < N; i++)
        v.model[i] = i * 11;
    v.buffer = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(v.model), v.model);
    v.out = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(v.out_model), v.out_model);
    on.mem_object = v.buffer;
    v.line = make(&numbers, &on, &error);
    cl_ok(error);
    v.plane = plane_on(v.buffer);
    for (unsigned k = 0; k < 5; k++) {
        v.kernel[k] = clCreateKernel(program, names[k], &error);
        cl_ok(error);
    }
    for (unsigned round = 0; round < ROUNDS; round++)
        one_step(round);
    compare(v.buffer, v.model, ROUNDS);
    compare(v.out, v.out_model, ROUNDS);
    for (unsigned k = 0; k < (v.plane ? 5 : 3); k++)
        ck_assert_msg(said_split(names[k]), "%s was never split", names[k]);
    for (unsigned k = 0; k < 5; k++)
        cl_ok(clReleaseKernel(v.kernel[k]));
    cl_mem mems[] = {v.buffer, v.line, v.out, v.plane};
    for (unsigned m = 0; m < (v.plane ? 4 : 3); m++)
        cl_ok(clReleaseMemObject(mems[m]));
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* ---- depth images ---- */

static bool has_depth(cl_mem_object_type type, cl_channel_type data)
{
    cl_image_format list[300];
    cl_uint count = 0;
    cl_ok(clGetSupportedImageFormats(cl.context, CL_MEM_READ_WRITE, type, 300, list, &count));
    for (cl_uint i = 0; i < count && i < 300; i++)
        if (list[i].image_channel_order == CL_DEPTH && list[i].image_channel_data_type == data)
            return true;
    return false;
}

static void deepen(const char *name, const cl_image_desc *desc)
{
    const size_t layers = desc->image_array_size ? desc->image_array_size : 1,
                 region[3] = {WIDTH, HEIGHT, layers};
    const cl_image_format format = {CL_DEPTH, CL_FLOAT};
    const cl_uint dims = layers > 1 ? 3 : 2;
    static float model[2][4][HEIGHT][WIDTH], got[4][HEIGHT][WIDTH];
    cl_int error;
    cl_program program = cl_build(deep_source, "");
    cl_kernel kernel = clCreateKernel(program, name, &error);
    cl_ok(error);
    cl_mem mem[2];
    for (unsigned m = 0; m < 2; m++) {
        mem[m] = make(&format, desc, &error);
        cl_ok(error);
    }
    for (unsigned i = 0; i < layers * N; i++)
        model[0][0][0][i] = (float)(i % 512) / 512;
    cl_ok(clEnqueueWriteImage(cl.queue, mem[0], CL_TRUE, none, region, 0, 0, model[0], 0, NULL, NULL));
    for (unsigned round = 0; round < 6; round++) {
        const unsigned from = round % 2, to = 1 - from;
        cl_set_mem(kernel, 0, mem[to]);
        cl_set_mem(kernel, 1, mem[from]);
        cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, dims, NULL, region, group, 0, NULL, NULL));
        for (unsigned z = 0; z < layers; z++)
            for (unsigned y = 0; y < HEIGHT; y++)
                for (unsigned x = 0; x < WIDTH; x++)
                    model[to][z][y][x] = dims == 3
                                             ? model[from][z][y][x] * 0.5f + 0.125f
                                             : model[from][z][y + 1 < HEIGHT ? y + 1 : y][x] * 0.5f + 0.25f;
    }
    cl_ok(clEnqueueReadImage(cl.queue, mem[0], CL_TRUE, none, region, 0, 0, got, 0, NULL, NULL));
    for (unsigned i = 0; i < layers * N; i++)
        ck_assert_float_eq_tol(got[0][0][i], model[0][0][0][i], 1e-6f);
    ck_assert_msg(said_split(name), "%s was never split", name);
    for (unsigned m = 0; m < 2; m++)
        cl_ok(clReleaseMemObject(mem[m]));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
}

START_TEST(depth_images)
{
    static const cl_image_desc flat = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                       .image_width = WIDTH,
                                       .image_height = HEIGHT},
                               layered = {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
                                          .image_width = WIDTH,
                                          .image_height = HEIGHT,
                                          .image_array_size = 4};
    const cl_image_format format = {CL_DEPTH, CL_FLOAT}, odd = {CL_DEPTH, CL_UNSIGNED_INT8};
    cl_int error;
    if (has_depth(flat.image_type, CL_FLOAT)) {
        deepen("deepen", &flat);
        if (has_depth(layered.image_type, CL_FLOAT))
            deepen("deepen_layers", &layered);
    } else if (cl_is_coexec()) {
        ck_assert_ptr_null(make(&format, &flat, &error));
        cl_expect(error, CL_IMAGE_FORMAT_NOT_SUPPORTED);
    }
    if (cl_is_coexec()) { /* no depth of whole numbers is in the specification */
        ck_assert_ptr_null(make(&odd, &flat, &error));
        cl_expect(error, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("image_views");
    TCase *tests = tcase_create("views");
    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 300);
    tcase_add_checked_fixture(tests, open_logged, close_logged);
    tcase_add_test(tests, views_of_one_memory);
    tcase_add_test(tests, depth_images);
    return tap_run(suite);
}
