/* SPDX-License-Identifier: MIT */
/*
 * Commands that were flushed end while nobody waits for them: the program only asks for their status. Drivers
 * differ in when they begin: at once, when flushed, or in a thread of their own.
 */
#include "cl_fixture.h"

#include <unistd.h>

enum { N = 1 << 16 };

static void expect_end(cl_event event)
{
    cl_int status = CL_QUEUED;
    cl_ok(clFlush(cl.queue));
    for (unsigned i = 0; i < 30000 && status > CL_COMPLETE; i++) {
        cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
        if (status > CL_COMPLETE)
            usleep(2000);
    }
    ck_assert_int_eq(status, CL_COMPLETE);
    cl_ok(clReleaseEvent(event));
}

START_TEST(ends_by_itself)
{
    static cl_int numbers[N], got[N];
    const size_t items = N;
    const cl_int seven = 7;
    cl_event event;
    for (cl_int i = 0; i < N; i++)
        numbers[i] = i;
    cl_kernel kernel = cl_kernel_of("kernel void inc(global int *a) { a[get_global_id(0)] += 1; }", "inc");
    cl_mem mem = cl_buffer(CL_MEM_READ_WRITE, sizeof(numbers), NULL);
    cl_set_mem(kernel, 0, mem);
    cl_ok(clEnqueueWriteBuffer(cl.queue, mem, CL_FALSE, 0, sizeof(numbers), numbers, 0, NULL, &event));
    expect_end(event);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event));
    expect_end(event);
    cl_ok(clEnqueueFillBuffer(cl.queue, mem, &seven, sizeof(seven), 0, sizeof(seven), 0, NULL, &event));
    expect_end(event);
    cl_ok(clEnqueueMarkerWithWaitList(cl.queue, 0, NULL, &event));
    expect_end(event);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(cl.queue, mem, CL_FALSE, 0, sizeof(got), got, 0, NULL, &event));
    expect_end(event);
    cl_int right = 1;
    while (right < N && got[right] == right + 2)
        right++;
    ck_assert_int_eq(right, N);
    ck_assert_int_eq(got[0], 8);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("flush");
    tcase_add_test(cl_case(suite, "flush"), ends_by_itself);
    return tap_run(suite);
}
