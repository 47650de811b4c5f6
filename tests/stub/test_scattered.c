/* SPDX-License-Identifier: MIT */
/*
 * Whole launches of a buffer that two stub GPUs have in parts, each of another range of the first one's part:
 * once telling what they touch has taken as long as bringing all of it there, that is done. Only then, and
 * all numbers stay right.
 */
#include "cl_fixture.h"
#include "cl_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4096, PART = 1024, LOCAL = 16, BYTES = N * sizeof(cl_int), LAUNCHES = 3000 };

static const char gathers[] = "stub_scale: all of its buffers go to";
static cl_int data[N];

static unsigned gathered(void)
{
    return cl_lines_with(cl_folder_path("log"), gathers);
}

/* Three times as much of what is between the borders, on one device. */
static void scale(cl_kernel kernel, size_t from, size_t items)
{
    const size_t local = LOCAL;
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, &from, &items, &local, 0, NULL, NULL));
    cl_ok(clFinish(cl.queue));
    for (size_t i = from; i < from + items; i++)
        data[i] = (cl_int)(3u * (cl_uint)data[i]);
}

START_TEST(parts_are_brought_together)
{
    const size_t items = N, local = LOCAL;
    cl_folder_make("scattered");
    setenv("COEXEC_LOG", "plan:debug", 1);
    setenv("COEXEC_LOG_FILE", cl_folder_path("log"), 1);
    setenv("COEXEC_ALGO", "static;stub_scale=single", 1);
    cl_open();
    cl_program program = cl_build_file(STUB_KERNELS);
    cl_kernel inc = cl_kernel_in(program, "stub_inc"), kernel = cl_kernel_in(program, "stub_scale");
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, BYTES, data);
    cl_set_mem(inc, 0, mem);
    cl_set_mem(kernel, 0, mem);
    cl_set_mem(kernel, 1, mem);
    cl_set_int(kernel, 2, 3);

    for (unsigned round = 0; round < 2; round++) {
        cl_ok(clEnqueueNDRangeKernel(cl.queue, inc, 1, NULL, &items, &local, 0, NULL, NULL)); /* split */
        for (unsigned i = 0; i < N; i++)
            data[i] = (cl_int)((cl_uint)data[i] + 1u);
        scale(kernel, 0, PART);
        ck_assert_uint_eq(gathered(), round); /* a launch takes no millisecond */
        for (unsigned i = 0; i < LAUNCHES && gathered() == round; i++)
            scale(kernel, (size_t)(i % 32) * LOCAL, PART);
        ck_assert_uint_eq(gathered(), round + 1);
        for (unsigned i = 0; i < 20; i++) /* nothing is lacking any more */
            scale(kernel, (size_t)(i % 32) * LOCAL, PART);
        ck_assert_uint_eq(gathered(), round + 1);
    }
    static cl_int got[N];
    cl_read(mem, got, BYTES);
    for (unsigned i = 0; i < N; i++)
        ck_assert_msg(got[i] == data[i], "%u: %d, not %d", i, got[i], data[i]);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(inc));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_close();
    cl_folder_remove();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scattered");
    TCase *tcase = tcase_create("scattered");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, parts_are_brought_together);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
