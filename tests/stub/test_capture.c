/* SPDX-License-Identifier: MIT */
/*
 * A kernel's arguments are captured by each launch and given back by the thread that notices its end: another
 * one than launches, on a stub GPU with callbacks. Whatever both do at the same time, the arguments stay.
 */
#include "cl_fixture.h"

#include <unistd.h>

enum { ITEMS = 64, LAUNCHES = 20000 };

START_TEST(one_kernel_many_launches)
{
    static cl_int memory[ITEMS];
    const size_t items = ITEMS;
    cl_open();
    cl_kernel kernel =
        cl_kernel_of("__kernel void stub_inc(__global int *a) { a[get_global_id(0)] += 1; }", "stub_inc");
    cl_command_queue queue = cl_queue(0);
    cl_mem mem = cl_buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof(memory), memory);
    cl_set_mem(kernel, 0, mem);
    for (unsigned i = 0; i < LAUNCHES; i++) {
        cl_event event;
        cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, &event));
        cl_count_end(event);
        cl_ok(clReleaseEvent(event));
        if (i % 64 == 63) /* none is in flight: the next capture is a first one */
            while (cl_ends() <= i)
                usleep(10);
    }
    cl_ok(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(memory), memory, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++)
        ck_assert_int_eq(memory[i], LAUNCHES);
    while (cl_ends() < LAUNCHES)
        usleep(100);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseCommandQueue(queue));
    cl_close();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("capture");
    TCase *tests = tcase_create("capture");
    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, one_kernel_many_launches);
    return tap_run(suite);
}
