/* SPDX-License-Identifier: MIT */
/*
 * Kernels that read, or write, somewhat past the end of a buffer: a stencil's last row, loads ahead of their
 * use. Drivers' allocators have memory of the process there, so programs never notice. Buffers of all
 * lengths, made in all ways, parts of buffers; on the host's memory in place and on copies of the devices.
 */
#include "cl_fixture.h"

#include <string.h>

static const char text[] = "__kernel void ahead(__global const int *a, __global int *out, int past)\n"
                           "{\n"
                           "    size_t i = get_global_id(0);\n"
                           "    out[i] = a[i] + a[i + past];\n"
                           "}\n"
                           "__kernel void beyond(__global int *out, int past)\n"
                           "{\n"
                           "    size_t i = get_global_id(0);\n"
                           "    out[i + past] = (int)i;\n"
                           "}\n";

enum { KB = 1024, MB = KB * KB, MOST = 24576 };

static const size_t lengths[] = {4 * KB, 64 * KB, 512 * KB, MB, 4 * MB, 33 * MB + 4 * KB};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static cl_int value_of(size_t i)
{
    return (cl_int)(i * 2654435761u >> 8);
}

/* What the driver would have there anyway, of short buffers less. */
static size_t past_of(size_t items)
{
    return items < MOST ? items : MOST;
}

static cl_mem filled(cl_mem_flags flags, size_t items)
{
    cl_int *values = malloc(items * sizeof(*values));
    for (size_t i = 0; i < items; i++)
        values[i] = value_of(i);
    cl_mem mem = cl_buffer(flags, items * sizeof(*values), NULL);
    cl_write(mem, values, items * sizeof(*values));
    free(values);
    return mem;
}

static void check_ahead(cl_kernel kernel, cl_mem a, size_t first, size_t items)
{
    const size_t past = past_of(items), known = items - past;
    cl_mem out = cl_buffer(0, items * sizeof(cl_int), NULL);
    cl_int *values = malloc(items * sizeof(*values));
    cl_set_mem(kernel, 0, a);
    cl_set_mem(kernel, 1, out);
    cl_set_int(kernel, 2, (cl_int)past);
    for (int round = 0; round < 3; round++)
        cl_launch(kernel, items);
    cl_read(out, values, items * sizeof(*values));
    for (size_t i = 0; i < known; i++)
        ck_assert_int_eq(values[i],
                         (cl_int)((cl_uint)value_of(first + i) + (cl_uint)value_of(first + i + past)));
    cl_ok(clReleaseMemObject(out));
    free(values);
}

START_TEST(reads)
{
    const cl_mem_flags flags[] = {CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_ALLOC_HOST_PTR};
    cl_kernel kernel = cl_kernel_of(text, "ahead");
    for (int l = 0; l < LENGTHS; l++) {
        cl_mem mem = filled(flags[_i], lengths[l] / sizeof(cl_int));
        check_ahead(kernel, mem, 0, lengths[l] / sizeof(cl_int));
        cl_ok(clReleaseMemObject(mem));
    }
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

/* The last part of a buffer. */
START_TEST(parts)
{
    cl_kernel kernel = cl_kernel_of(text, "ahead");
    for (int l = 2; l < LENGTHS; l++) {
        const size_t from = 256 * KB, items = (lengths[l] - from) / sizeof(cl_int);
        cl_int error;
        cl_mem whole = filled(CL_MEM_READ_WRITE, lengths[l] / sizeof(cl_int));
        cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION,
                                        &(cl_buffer_region){from, lengths[l] - from}, &error);
        cl_ok(error);
        check_ahead(kernel, part, from / sizeof(cl_int), items);
        cl_ok(clReleaseMemObject(part));
        cl_ok(clReleaseMemObject(whole));
    }
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

/* Of short buffers a little, where a driver's allocator would have something else. */
START_TEST(writes)
{
    cl_kernel kernel = cl_kernel_of(text, "beyond");
    for (int l = cl_is_coexec() ? 0 : LENGTHS; l < LENGTHS; l++) {
        const size_t items = lengths[l] / sizeof(cl_int), past = past_of(items);
        cl_mem out = filled(CL_MEM_READ_WRITE, items);
        cl_int *values = malloc(lengths[l]);
        cl_set_mem(kernel, 0, out);
        cl_set_int(kernel, 1, (cl_int)past);
        cl_launch(kernel, items);
        cl_read(out, values, lengths[l]);
        for (size_t i = 0; i < items; i++)
            ck_assert_int_eq(values[i], i < past ? value_of(i) : (cl_int)(i - past));
        cl_ok(clReleaseMemObject(out));
        free(values);
    }
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("past_end");
    TCase *tcase = cl_case(suite, "past the end");
    tcase_add_loop_test(tcase, reads, 0, 3);
    tcase_add_test(tcase, parts);
    tcase_add_test(tcase, writes);
    return tap_run(suite);
}
