/* SPDX-License-Identifier: MIT */
/*
 * Where what the program writes into a buffer goes, on two stub GPUs that are open from the start: straight
 * to the device whose launches use it whole, else to the host copy, from which a split's devices fetch their
 * parts. A launch of one work-group is whole, one of many is split.
 */
#include "cl_fixture.h"
#include "cl_folder.h"
#include "cl_timeline.h"

enum { N = 1 << 14, LOCAL = 16, WHOLE = 256 };

static cl_int numbers[N];
static cl_program program;
static cl_kernel kernel;

static void open_place(void)
{
    cl_folder_make("write_place");
    setenv("STUB_TIMELINE", cl_folder_path("timeline"), 1);
    cl_open();
    program = cl_build_file(STUB_KERNELS);
    kernel = cl_kernel_in(program, "stub_inc");
}

static void close_place(void)
{
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_close();
    cl_folder_remove();
}

/* Bytes that devices got so far. */
static unsigned long brought(void)
{
    static struct cl_span spans[1 << 14];
    unsigned long bytes = 0;
    cl_ok(clFinish(cl.queue));
    const unsigned n = cl_spans_read(cl_folder_path("timeline"), spans, sizeof(spans) / sizeof(*spans));
    ck_assert_uint_lt(n, sizeof(spans) / sizeof(*spans));
    for (unsigned i = 0; i < n; i++)
        bytes += cl_span_is(&spans[i], "write") ? spans[i].count : 0;
    return bytes;
}

static void launch(cl_mem mem, bool whole, int times)
{
    const size_t items = whole ? WHOLE : N, local = whole ? WHOLE : LOCAL;
    cl_set_mem(kernel, 0, mem);
    for (int i = 0; i < times; i++)
        cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
}

/* Whether a write of the whole buffer goes to a device, seen before anything else uses it. */
static bool goes_to_device(cl_mem mem)
{
    const unsigned long before = brought();
    cl_ok(clEnqueueWriteBuffer(cl.queue, mem, CL_TRUE, 0, sizeof(numbers), numbers, 0, NULL, NULL));
    return brought() == before + sizeof(numbers);
}

static void expect_number(cl_mem mem, int at, cl_int want)
{
    cl_int got = -1;
    cl_ok(clEnqueueReadBuffer(cl.queue, mem, CL_TRUE, (size_t)at * sizeof(got), sizeof(got), &got, 0, NULL,
                              NULL));
    ck_assert_int_eq(got, want);
}

START_TEST(follows_those_that_read_first)
{
    open_place();
    cl_mem mem = cl_buffer(CL_MEM_READ_WRITE, sizeof(numbers), NULL);
    ck_assert(!goes_to_device(mem)); /* nothing is known */
    launch(mem, true, 3);
    ck_assert(goes_to_device(mem));
    ck_assert(goes_to_device(mem)); /* the same without a launch between */
    launch(mem, false, 2);
    launch(mem, true, 1); /* finds what the others left */
    expect_number(mem, 0, 3);
    expect_number(mem, N - 1, 2);
    ck_assert(!goes_to_device(mem));
    launch(mem, false, 1);
    expect_number(mem, N - 1, 1);
    ck_assert(!goes_to_device(mem));
    launch(mem, true, 2);
    expect_number(mem, 1, 2);
    ck_assert(goes_to_device(mem));
    cl_ok(clReleaseMemObject(mem));
    close_place();
}
END_TEST

START_TEST(new_buffers_go_where_the_last_launch_was)
{
    open_place();
    for (int round = 0; round < 4; round++) {
        cl_mem mem = cl_buffer(CL_MEM_READ_WRITE, sizeof(numbers), NULL);
        ck_assert_int_eq(goes_to_device(mem), round == 1 || round == 2);
        launch(mem, round < 2, 1);
        expect_number(mem, 7, 1);
        cl_ok(clReleaseMemObject(mem));
    }
    close_place();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("write_place");
    TCase *tcase = tcase_create("write_place");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, follows_those_that_read_first);
    tcase_add_test(tcase, new_buffers_go_where_the_last_launch_was);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
