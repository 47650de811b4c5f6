/* SPDX-License-Identifier: MIT */
/* Launches on memory that the program holds itself, and on windows of one buffer. */
#include "cl_fixture.h"

enum { COUNT = 4096, PAGE = 4096 };

static const char text[] =
    "__kernel void advance(__global int *a, int by) { size_t i = get_global_id(0); a[i] = a[i] * 3 + by; }\n"
    "__kernel void shift(__global const int *in, __global int *out) { size_t i = get_global_id(0); out[i] = "
    "in[i] + 7; }\n"
    "__kernel void scatter(__global const int *at, __global int *out) { size_t i = get_global_id(0); "
    "out[at[i]] = (int)i; }\n"
    "__kernel void tally(__global const int *in, __global int *bins) { atomic_inc(&bins[in[get_global_id(0)] "
    "& 15]); }\n";

static cl_kernel kernel_of(cl_program program, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    cl_ok(error);
    return kernel;
}

static void launch(cl_kernel kernel, size_t items)
{
    size_t local = 32;
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
}

static cl_mem window(cl_mem parent, size_t first, size_t count)
{
    cl_buffer_region region = {first * sizeof(cl_int), count * sizeof(cl_int)};
    cl_int error;
    cl_mem mem = clCreateSubBuffer(parent, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    cl_ok(error);
    return mem;
}

static cl_int *map(cl_mem mem, cl_map_flags flags, size_t first, size_t count)
{
    cl_int error;
    cl_int *at = clEnqueueMapBuffer(cl.queue, mem, CL_TRUE, flags, first * sizeof(cl_int),
                                    count * sizeof(cl_int), 0, NULL, NULL, &error);
    cl_ok(error);
    return at;
}

/* The program changes its memory under a mapping, between launches that change it too. */
START_TEST(host_pointer_in_use)
{
    cl_int *own = aligned_alloc(PAGE, COUNT * sizeof(cl_int)), *model = calloc(COUNT, sizeof(cl_int));
    for (int i = 0; i < COUNT; i++)
        own[i] = model[i] = i;
    cl_program program = cl_build(text, "");
    cl_kernel step = kernel_of(program, "advance");
    cl_mem mem = cl_buffer(CL_MEM_USE_HOST_PTR, COUNT * sizeof(cl_int), own);
    cl_set_mem(step, 0, mem);
    for (int round = 0; round < 6; round++) {
        size_t items = COUNT - 512 * (size_t)(round % 3);
        cl_set_int(step, 1, round);
        launch(step, items);
        for (size_t i = 0; i < items; i++)
            model[i] = (cl_int)((cl_uint)model[i] * 3 + (cl_uint)round);
        size_t first = 1000 + 100 * (size_t)round, count = 1500;
        cl_int *at = map(mem, CL_MAP_READ | CL_MAP_WRITE, first, count);
        ck_assert_ptr_eq(at, own + first);
        ck_assert_mem_eq(at, model + first, count * sizeof(cl_int));
        for (size_t i = 0; i < count; i += 3)
            at[i] = model[first + i] = round - (cl_int)i;
        cl_ok(clEnqueueUnmapMemObject(cl.queue, mem, at, 0, NULL, NULL));
    }
    cl_int *all = map(mem, CL_MAP_READ, 0, COUNT);
    ck_assert_ptr_eq(all, own);
    ck_assert_mem_eq(own, model, COUNT * sizeof(cl_int));
    cl_ok(clEnqueueUnmapMemObject(cl.queue, mem, all, 0, NULL, NULL));
    cl_ok(clFinish(cl.queue));
    cl_ok(clReleaseMemObject(mem));
    free(own);
    free(model);
}
END_TEST

/* Merged and private writes to the program's own memory. */
START_TEST(host_pointer_merged)
{
    cl_int *own = aligned_alloc(PAGE, COUNT * sizeof(cl_int)), *at = calloc(COUNT, sizeof(cl_int)), bins[16];
    for (int i = 0; i < COUNT; i++) {
        own[i] = -1;
        at[i] = (i * 1237) % COUNT; /* odd: a permutation */
    }
    for (int i = 0; i < 16; i++)
        bins[i] = i;
    cl_program program = cl_build(text, "");
    cl_kernel scatter = kernel_of(program, "scatter"), tally = kernel_of(program, "tally");
    cl_mem index = cl_buffer(CL_MEM_COPY_HOST_PTR, COUNT * sizeof(cl_int), at);
    cl_mem out = cl_buffer(CL_MEM_USE_HOST_PTR, COUNT * sizeof(cl_int), own);
    cl_mem counts = cl_buffer(CL_MEM_USE_HOST_PTR, sizeof(bins), bins);
    cl_set_mem(scatter, 0, index);
    cl_set_mem(scatter, 1, out);
    launch(scatter, COUNT / 2);
    cl_set_mem(tally, 0, out);
    cl_set_mem(tally, 1, counts);
    launch(tally, COUNT);
    cl_int *seen = map(out, CL_MAP_READ, 0, COUNT), *sums = map(counts, CL_MAP_READ, 0, 16), want[16];
    for (int i = 0; i < 16; i++)
        want[i] = i + COUNT / 32 + (i == 15 ? COUNT / 2 : 0);
    for (int i = 0; i < COUNT; i++)
        ck_assert_int_eq(seen[at[i]], i < COUNT / 2 ? i : -1);
    ck_assert_mem_eq(sums, want, sizeof(want));
    cl_ok(clEnqueueUnmapMemObject(cl.queue, out, seen, 0, NULL, NULL));
    cl_ok(clEnqueueUnmapMemObject(cl.queue, counts, sums, 0, NULL, NULL));
    cl_ok(clFinish(cl.queue));
    cl_ok(clReleaseMemObject(out));
    cl_ok(clReleaseMemObject(counts));
    free(own);
    free(at);
}
END_TEST

/* Windows of one buffer as in- and output, in turn with launches on the whole. */
START_TEST(windows_as_aliases)
{
    cl_int *model = calloc(COUNT, sizeof(cl_int)), *got = calloc(COUNT, sizeof(cl_int));
    for (int i = 0; i < COUNT; i++)
        model[i] = i * 5;
    cl_program program = cl_build(text, "");
    cl_kernel step = kernel_of(program, "advance"), shift = kernel_of(program, "shift");
    cl_mem parent = cl_buffer(CL_MEM_COPY_HOST_PTR, COUNT * sizeof(cl_int), model);
    for (int round = 0; round < 6; round++) {
        size_t count = 1024, from = 1024 * (size_t)(round % 3), to = from + count;
        cl_mem in = window(parent, from, count), out = window(parent, to, count);
        cl_set_mem(shift, 0, in);
        cl_set_mem(shift, 1, out);
        launch(shift, count);
        for (size_t i = 0; i < count; i++)
            model[to + i] = model[from + i] + 7;
        cl_set_mem(step, 0, round % 2 ? parent : out);
        cl_set_int(step, 1, round);
        launch(step, count);
        size_t first = round % 2 ? 0 : to;
        for (size_t i = first; i < first + count; i++)
            model[i] = (cl_int)((cl_uint)model[i] * 3 + (cl_uint)round);
        cl_read(out, got, count * sizeof(cl_int));
        ck_assert_mem_eq(got, model + to, count * sizeof(cl_int));
        cl_ok(clReleaseMemObject(in));
        cl_ok(clReleaseMemObject(out));
    }
    cl_read(parent, got, COUNT * sizeof(cl_int));
    ck_assert_mem_eq(got, model, COUNT * sizeof(cl_int));
    cl_ok(clReleaseMemObject(parent));
    free(model);
    free(got);
}
END_TEST

/* A rectangle from one window of a buffer into another, with other pitches, where a device holds both. */
START_TEST(rectangles_between_windows)
{
    enum { ROWS = 8, WIDTH = 16, FROM_ROW = 32, TO_ROW = 64 }; /* ints */
    cl_int *model = calloc(COUNT, sizeof(cl_int)), *got = calloc(COUNT, sizeof(cl_int));
    cl_program program = cl_build(text, "");
    cl_kernel step = kernel_of(program, "advance");
    cl_mem parent = cl_buffer(CL_MEM_READ_WRITE, COUNT * sizeof(cl_int), NULL);
    cl_mem from = window(parent, 0, 1024), to = window(parent, 2048, 1024);
    const size_t origin[3] = {0}, region[3] = {WIDTH * sizeof(cl_int), ROWS, 1};
    for (int i = 0; i < COUNT; i++)
        model[i] = i;
    cl_write(parent, model, COUNT * sizeof(cl_int));
    cl_set_mem(step, 0, parent);
    cl_set_int(step, 1, 5);
    launch(step, COUNT);
    cl_ok(clEnqueueCopyBufferRect(cl.queue, from, to, origin, origin, region, FROM_ROW * sizeof(cl_int), 0,
                                  TO_ROW * sizeof(cl_int), 0, 0, NULL, NULL));
    for (int i = 0; i < COUNT; i++)
        model[i] = model[i] * 3 + 5;
    for (int row = 0; row < ROWS; row++)
        memcpy(&model[2048 + row * TO_ROW], &model[row * FROM_ROW], WIDTH * sizeof(cl_int));
    cl_read(parent, got, COUNT * sizeof(cl_int));
    ck_assert_mem_eq(got, model, COUNT * sizeof(cl_int));
    cl_ok(clReleaseMemObject(from));
    cl_ok(clReleaseMemObject(to));
    cl_ok(clReleaseMemObject(parent));
    cl_ok(clReleaseKernel(step));
    cl_ok(clReleaseProgram(program));
    free(model);
    free(got);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("alias");
    TCase *tests = cl_case(suite, "alias");

    tcase_add_test(tests, host_pointer_in_use);
    tcase_add_test(tests, host_pointer_merged);
    tcase_add_test(tests, windows_as_aliases);
    tcase_add_test(tests, rectangles_between_windows);
    return tap_run(suite);
}
