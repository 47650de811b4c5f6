/* SPDX-License-Identifier: MIT */
/*
 * Transfers in calls that block, on stub GPUs: the driver gets the blocking call that the program made, where
 * nothing needs more, and a write does not wait for the device. STUB_STAGED has the driver return before the
 * device has what it writes; everything later must find it all the same.
 */
#include "cl_fixture.h"
#include "cl_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { N = 4096, BYTES = N * sizeof(cl_int) };

static cl_int memory[N], back[N];
static cl_kernel kernel;
static const char *text = "__kernel void stub_inc(__global int *a) { a[get_global_id(0)] += 1; }";

static void open_gpus(const char *devices)
{
    cl_folder_make("blocking");
    setenv("STUB_DEVICES", devices, 1);
    setenv("STUB_LOG", cl_folder_path("log"), 1);
    cl_open();
    kernel = cl_kernel_of(text, "stub_inc");
    for (int i = 0; i < N; i++)
        memory[i] = i;
}

static void close_gpus(void)
{
    cl_ok(clReleaseKernel(kernel));
    cl_close();
}

/* A buffer that the GPU has, since a kernel wrote it. */
static cl_mem open_buffer(void)
{
    cl_mem mem = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
    cl_write(mem, memory, BYTES);
    cl_set_mem(kernel, 0, mem);
    cl_launch(kernel, N);
    cl_ok(clFinish(cl.queue));
    return mem;
}

/* The log is whole once the context is closed. */
static unsigned blocking_calls(const char *call)
{
    char line[64];
    unsigned count = 0;
    FILE *file = fopen(cl_folder_path("log"), "r");
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof(line), file))
        count += strstr(line, call) && strstr(line, "blocking=1 offset=0 size=16384");
    fclose(file);
    return count;
}

/* What the program's call was is what the driver's call is. */
START_TEST(as_bare)
{
    open_gpus("1");
    cl_mem mem = open_buffer();
    cl_command_queue queue[2] = {cl_queue(0), cl_queue(CL_QUEUE_PROFILING_ENABLE)};
    for (int i = 0; i < 20; i++) {
        memory[5] = i;
        cl_ok(clEnqueueWriteBuffer(queue[i % 2], mem, CL_TRUE, 0, BYTES, memory, 0, NULL, NULL));
        cl_ok(clEnqueueReadBuffer(queue[i % 2], mem, CL_TRUE, 0, BYTES, back, 0, NULL, NULL));
        ck_assert_mem_eq(back, memory, BYTES);
    }
    for (unsigned i = 0; i < 2; i++)
        cl_ok(clReleaseCommandQueue(queue[i]));
    cl_ok(clReleaseMemObject(mem));
    close_gpus();
    ck_assert_uint_eq(blocking_calls("clEnqueueWriteBuffer"), 21); /* one of them by open_buffer */
    ck_assert_uint_eq(blocking_calls("clEnqueueReadBuffer"), 20);
    cl_folder_remove();
}
END_TEST

/* A write behind a launch that does not begin returns, and the program's memory is its own again. */
START_TEST(write_does_not_wait)
{
    cl_folder_make("gate");
    char gate[256];
    snprintf(gate, sizeof(gate), "%s", cl_folder_path("gate"));
    setenv("STUB_GATE", gate, 1);
    open_gpus("1");
    cl_mem mem = open_buffer(), other = open_buffer();
    cl_set_mem(kernel, 0, other);
    close(open(gate, O_CREAT | O_WRONLY, 0600));
    cl_launch(kernel, N);
    memory[7] = 1234;
    cl_write(mem, memory, BYTES);
    memory[7] = 4321;
    unlink(gate);
    cl_read(mem, back, BYTES);
    ck_assert_int_eq(back[7], 1234);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseMemObject(other));
    close_gpus();
    cl_folder_remove();
}
END_TEST

/* With an event, that is complete when the call returns, and the driver's call blocks all the same. */
START_TEST(with_an_event)
{
    open_gpus("1");
    cl_mem mem = open_buffer();
    for (int i = 0; i < 10; i++) {
        cl_event event[2];
        cl_int status = CL_QUEUED;
        cl_ok(clEnqueueWriteBuffer(cl.queue, mem, CL_TRUE, 0, BYTES, memory, 0, NULL, &event[0]));
        cl_ok(clEnqueueReadBuffer(cl.queue, mem, CL_TRUE, 0, BYTES, back, 0, NULL, &event[1]));
        for (unsigned e = 0; e < 2; e++) {
            cl_ok(clGetEventInfo(event[e], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
            ck_assert_int_eq(status, CL_COMPLETE);
            cl_ok(clReleaseEvent(event[e]));
        }
    }
    cl_ok(clReleaseMemObject(mem));
    close_gpus();
    ck_assert_uint_eq(blocking_calls("clEnqueueWriteBuffer"), 11); /* one of them by open_buffer */
    ck_assert_uint_eq(blocking_calls("clEnqueueReadBuffer"), 10);
    cl_folder_remove();
}
END_TEST

/* So large that they would go by pinned memory once there is some, which no thread of ours has to wait for.
 */
START_TEST(before_there_is_a_ring)
{
    setenv("COEXEC_DEBUG", "staging=32", 1);
    open_gpus("1");
    cl_mem mem = open_buffer();
    for (int i = 0; i < 3; i++) {
        cl_event event;
        cl_ok(clEnqueueWriteBuffer(cl.queue, mem, CL_TRUE, 0, BYTES, memory, 0, NULL, NULL));
        cl_ok(clEnqueueReadBuffer(cl.queue, mem, CL_TRUE, 0, BYTES, back, 0, NULL, i % 2 ? &event : NULL));
        if (i % 2)
            cl_ok(clReleaseEvent(event));
        ck_assert_mem_eq(back, memory, BYTES);
    }
    cl_ok(clReleaseMemObject(mem));
    close_gpus();
    ck_assert_uint_eq(blocking_calls("clEnqueueWriteBuffer"), 4);
    ck_assert_uint_eq(blocking_calls("clEnqueueReadBuffer"), 3);
    cl_folder_remove();
}
END_TEST

/* What a launch wrote and the program maps comes by one blocking read; a mapping of what the host has needs
 * none. */
START_TEST(maps)
{
    open_gpus("1");
    cl_mem mem = open_buffer();
    cl_int code;
    const size_t items = N;
    cl_command_queue queue = cl_queue(0);
    for (int i = 0; i < 5; i++) {
        cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
        for (unsigned again = 0; again < 2; again++) {
            const int *mapped =
                clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL, &code);
            cl_ok(code);
            for (int k = 0; k < N; k++)
                ck_assert_int_eq(mapped[k], k + 2 + i);
            cl_ok(clEnqueueUnmapMemObject(queue, mem, (void *)mapped, 0, NULL, NULL));
        }
    }
    cl_ok(clReleaseCommandQueue(queue));
    cl_ok(clReleaseMemObject(mem));
    close_gpus();
    ck_assert_uint_eq(blocking_calls("clEnqueueReadBuffer"), 5);
    cl_folder_remove();
}
END_TEST

/* A call that the driver refuses, or a read whose command fails, fails the program's call, and is told once.
 */
START_TEST(failures)
{
    static const char *const rules[] = {"clEnqueueWriteBuffer:3:-5", "clEnqueueReadBuffer:2:-5",
                                        "clEnqueueReadBuffer:2:-5:event"};
    setenv("STUB_FAIL", rules[_i], 1);
    open_gpus("1");
    cl_mem mem = open_buffer();
    unsigned failed = 0;
    for (int i = 0; i < 4; i++) {
        cl_int error = clEnqueueWriteBuffer(cl.queue, mem, CL_TRUE, 0, BYTES, memory, 0, NULL, NULL);
        failed += error != CL_SUCCESS;
        const bool written = error == CL_SUCCESS;
        error = clEnqueueReadBuffer(cl.queue, mem, CL_TRUE, 0, BYTES, back, 0, NULL, NULL);
        failed += error != CL_SUCCESS && written;
        if (error == CL_SUCCESS && written)
            ck_assert_mem_eq(back, memory, BYTES);
    }
    ck_assert_uint_eq(failed, 1);
    cl_ok(clFinish(cl.queue));
    cl_ok(clReleaseMemObject(mem));
    close_gpus();
    cl_folder_remove();
}
END_TEST

enum { BUFFERS = 3, QUEUES = 2, STEPS = 300 };
static cl_int model[BUFFERS][N];
static cl_mem mems[BUFFERS];

/* One command of any kind, finished or not, and what it does to the model. */
static void step(cl_command_queue *queue)
{
    const unsigned b = cl_roll(BUFFERS), lo = cl_roll(N), n = 1 + cl_roll(N - lo), kind = cl_roll(5);
    const size_t at = lo * sizeof(cl_int), bytes = n * sizeof(cl_int), items = N, local = 64;
    cl_command_queue q = queue[cl_roll(QUEUES)];
    if (kind == 0) {
        cl_noise(memory, bytes);
        memcpy(&model[b][lo], memory, bytes);
        cl_ok(clEnqueueWriteBuffer(q, mems[b], CL_TRUE, at, bytes, memory, 0, NULL, NULL));
        cl_noise(memory, bytes); /* it is ours again */
    } else if (kind == 1) {
        cl_ok(clEnqueueReadBuffer(q, mems[b], CL_TRUE, at, bytes, back, 0, NULL, NULL));
        ck_assert_mem_eq(back, &model[b][lo], bytes);
    } else if (kind == 2) {
        const unsigned to = (b + 1) % BUFFERS;
        cl_ok(clEnqueueCopyBuffer(q, mems[b], mems[to], at, at, bytes, 0, NULL, NULL));
        memcpy(&model[to][lo], &model[b][lo], bytes);
    } else {
        cl_set_mem(kernel, 0, mems[b]);
        cl_ok(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
        for (int i = 0; i < N; i++)
            model[b][i] = (cl_int)((cl_uint)model[b][i] + 1);
    }
    /* what queues do is in no order but where one waits for all of the other's */
    cl_event marker;
    cl_ok(clEnqueueMarkerWithWaitList(q, 0, NULL, &marker));
    for (unsigned i = 0; i < QUEUES; i++)
        cl_ok(clEnqueueBarrierWithWaitList(queue[i], 1, &marker, NULL));
    cl_ok(clReleaseEvent(marker));
}

/* Writes that the device does not have yet are there for whatever comes behind them, on any device. */
START_TEST(order)
{
    static const char *const devices[] = {"1", "2", "3"};
    open_gpus(devices[_i % 3]);
    cl_seed(6200 + (uint64_t)_i);
    cl_command_queue queue[QUEUES] = {cl_queue(0), cl_queue(CL_QUEUE_PROFILING_ENABLE)};
    for (unsigned b = 0; b < BUFFERS; b++) {
        mems[b] = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
        cl_noise(model[b], BYTES);
        cl_ok(clEnqueueWriteBuffer(queue[0], mems[b], CL_TRUE, 0, BYTES, model[b], 0, NULL, NULL));
    }
    cl_ok(clFinish(queue[0]));
    for (int i = 0; i < STEPS; i++)
        step(queue);
    for (unsigned b = 0; b < BUFFERS; b++) {
        cl_ok(clEnqueueReadBuffer(queue[0], mems[b], CL_TRUE, 0, BYTES, back, 0, NULL, NULL));
        ck_assert_mem_eq(back, model[b], BYTES);
        cl_ok(clReleaseMemObject(mems[b]));
    }
    for (unsigned i = 0; i < QUEUES; i++)
        cl_ok(clReleaseCommandQueue(queue[i]));
    close_gpus();
    cl_folder_remove();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("blocking");
    TCase *tcase = tcase_create("blocking"); /* the tests open the device, after they chose it */
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, as_bare);
    tcase_add_test(tcase, write_does_not_wait);
    tcase_add_test(tcase, with_an_event);
    tcase_add_test(tcase, before_there_is_a_ring);
    tcase_add_test(tcase, maps);
    tcase_add_loop_test(tcase, failures, 0, 3);
    tcase_add_loop_test(tcase, order, 0, 12);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
