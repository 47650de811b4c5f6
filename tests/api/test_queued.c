/* SPDX-License-Identifier: MIT */
/*
 * Launches that a program enqueues all at once, before the first one has ended: the split variant which they
 * lack is built while they wait, and those still waiting then are split.
 */
#include "cl_fixture.h"
#include "cl_folder.h"

enum { N = 1 << 14, LOCAL = 64, ITEMS = 1 << 11 };

/* Strided by the range, which a package must not see: it needs a variant. */
static const char source[] = "kernel void work(global float *a, int n, int steps)\n"
                             "{\n"
                             "    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {\n"
                             "        float x = a[i];\n"
                             "        for (int k = 0; k < steps; k++) x = x * 0.5f + 1.0f;\n"
                             "        a[i] = x;\n"
                             "    }\n"
                             "}\n";

static void check_contents(cl_command_queue queue, cl_mem mem)
{
    static float got[N];
    size_t right = 0;
    cl_ok(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
    while (right < N && got[right] == 2.0f) /* where the steps lead */
        right++;
    ck_assert_uint_eq(right, N);
}

static void run(bool in_order, unsigned launches, cl_int steps)
{
    static float zero[N];
    const size_t items = ITEMS, local = LOCAL;
    const cl_int n = N;
    cl_int error;
    cl_command_queue queue = clCreateCommandQueue(
        cl.context, cl.device, in_order ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    cl_ok(error);
    cl_program program = cl_build(source, "");
    cl_kernel kernel = clCreateKernel(program, "work", &error);
    cl_ok(error);
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(zero), zero);
    cl_set_mem(kernel, 0, mem);
    cl_ok(clSetKernelArg(kernel, 1, sizeof(n), &n));
    cl_ok(clSetKernelArg(kernel, 2, sizeof(steps), &steps));
    cl_event before = NULL;
    for (unsigned i = 0; i < launches; i++) {
        cl_event event;
        cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &local, before != NULL,
                                     before ? &before : NULL, &event));
        if (before)
            cl_ok(clReleaseEvent(before));
        before = event;
    }
    cl_ok(clReleaseEvent(before));
    cl_ok(clFinish(queue));
    check_contents(queue, mem);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseCommandQueue(queue));
}

START_TEST(waiting_launches_split)
{
    cl_folder_make("queued");
    setenv("COEXEC_LOG", "plan:info", 1);
    setenv("COEXEC_LOG_FILE", cl_folder_path("log"), 1);
    cl_open();
    /* enough of them, on a busy machine, too, that some wait when the build has ended */
    unsigned split = 0;
    for (unsigned launches = 60; !split && launches < 4000; launches *= 4) {
        run(_i, launches, 500);
        split = cl_lines_with(cl_folder_path("log"), "work runs split");
    }
    cl_close();
    ck_assert_uint_gt(split, 0);
    cl_folder_remove();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("queued");
    TCase *tc = tcase_create("queued");
    tcase_set_timeout(tc, 240);
    tcase_add_loop_test(tc, waiting_launches_split, 0, 2);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
