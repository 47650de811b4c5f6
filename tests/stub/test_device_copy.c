/* SPDX-License-Identifier: MIT */
/*
 * Copies within a device's memory, by the driver's command and by a kernel, against a model. The tests of the
 * choice run on a stub GPU whose copy calls take as long as they say; those of the copies on any device
 * (COEXEC_DEBUG=device_copy=kernel).
 */
#include "cl_fixture.h"
#include "cl_folder.h"

#include <unistd.h>

enum { BUFFERS = 3, BYTES = 64 << 10 };
static unsigned char model[BUFFERS][BYTES], back[BYTES];
static cl_mem mem[BUFFERS];

/* A launch makes the bytes a device's own: copies of what lies on the host are made there. */
static void open_buffers(void)
{
    cl_kernel inc =
        cl_kernel_of("__kernel void stub_inc(__global int *a) { a[get_global_id(0)] += 1; }", "stub_inc");
    for (unsigned b = 0; b < BUFFERS; b++) {
        cl_uint words[BYTES / sizeof(cl_uint)];
        cl_noise(words, BYTES);
        mem[b] = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
        cl_write(mem[b], words, BYTES);
        cl_set_mem(inc, 0, mem[b]);
        cl_launch(inc, BYTES / sizeof(cl_uint));
        for (size_t i = 0; i < BYTES / sizeof(cl_uint); i++)
            words[i]++;
        memcpy(model[b], words, BYTES);
    }
    cl_ok(clReleaseKernel(inc));
}

/* A range of one buffer to one of another, or of the same that does not overlap; in units of 16 bytes mostly.
 */
static void copy_some(void)
{
    const unsigned from = cl_roll(BUFFERS), to = cl_roll(BUFFERS), grain = cl_roll(4) ? 16 : 1;
    const size_t most = from == to ? BYTES / 2 : BYTES, size = (1 + cl_roll((unsigned)most / grain)) * grain;
    const size_t room = (most - size) / grain + 1, at = cl_roll((unsigned)room) * grain,
                 into = cl_roll((unsigned)room) * grain + (from == to ? BYTES / 2 : 0);
    cl_ok(clEnqueueCopyBuffer(cl.queue, mem[from], mem[to], at, into, size, 0, NULL, NULL));
    memcpy(model[to] + into, model[from] + at, size);
}

static void close_buffers(void)
{
    for (unsigned b = 0; b < BUFFERS; b++) {
        cl_read(mem[b], back, BYTES);
        ck_assert_mem_eq(back, model[b], BYTES);
        cl_ok(clReleaseMemObject(mem[b]));
    }
}

START_TEST(copies)
{
    cl_seed(4100 + (uint64_t)_i);
    cl_open();
    open_buffers();
    for (int i = 0; i < 200; i++)
        copy_some();
    close_buffers();
    cl_close();
}
END_TEST

/* Events of copies tell times and ends. */
START_TEST(events)
{
    cl_open();
    open_buffers();
    for (int i = 0; i < 20; i++) {
        cl_event event;
        cl_ulong begin = 0, end = 0;
        cl_ok(clEnqueueCopyBuffer(cl.queue, mem[0], mem[1], 0, 0, BYTES, 0, NULL, &event));
        cl_ok(clWaitForEvents(1, &event));
        cl_ok(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(begin), &begin, NULL));
        cl_ok(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
        ck_assert(begin && end >= begin);
        cl_ok(clReleaseEvent(event));
    }
    memcpy(model[1], model[0], BYTES);
    close_buffers();
    cl_close();
}
END_TEST

/* ---- which way ---- */

/* How many of n copies the driver's command makes. */
static unsigned driver_copies(const char *call_us, const char *wish, unsigned n)
{
    cl_folder_make("copies");
    const char *log = cl_folder_path("log");
    setenv("STUB_LOG", log, 1);
    setenv("STUB_TYPE", "gpu", 1);
    setenv("STUB_IN_PLACE", "0", 1);
    setenv("STUB_DEVICES", "1", 1);
    setenv("STUB_ASYNC", "1", 1);
    set_variable("device_copy", wish);
    if (call_us)
        setenv("STUB_COPY_CALL", call_us, 1);
    cl_seed(77);
    cl_open();
    open_buffers();
    for (unsigned i = 0; i < n; i++) {
        const unsigned from = cl_roll(BUFFERS), to = (from + 1) % BUFFERS;
        cl_ok(clEnqueueCopyBuffer(cl.queue, mem[from], mem[to], 32, 64, 4096, 0, NULL, NULL));
        memcpy(model[to] + 64, model[from] + 32, 4096);
        if (i == n / 2) /* a build that began is over by then, whatever else the machine does */
            usleep(call_us ? 500000 : 0);
    }
    close_buffers();
    cl_close();
    const unsigned by_driver = cl_lines_with(log, "clEnqueueCopyBuffer ");
    cl_folder_remove();
    return by_driver;
}

/* Calls of a driver that are dear give way to the kernel, once 64 of them were seen. */
START_TEST(dear_calls)
{
    const unsigned by_driver = driver_copies("2000", "auto", 400);
    ck_assert_uint_ge(by_driver, 64);
    ck_assert_uint_lt(by_driver, 300);
}
END_TEST

START_TEST(asked_for_the_driver)
{
    ck_assert_uint_eq(driver_copies("2000", "driver", 100), 100);
}
END_TEST

START_TEST(asked_for_the_kernel)
{
    ck_assert_uint_eq(driver_copies(NULL, "kernel", 100), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("device_copy");
    TCase *tcase = tcase_create("copies");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, copies, 0, 6);
    tcase_add_test(tcase, events);
    if (getenv("DEVICE_COPY_CHOICE")) {
        tcase_add_test(tcase, dear_calls);
        tcase_add_test(tcase, asked_for_the_driver);
        tcase_add_test(tcase, asked_for_the_kernel);
    }
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
