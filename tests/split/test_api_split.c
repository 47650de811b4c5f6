/* SPDX-License-Identifier: MIT */
/*
 * What may go on beside launches whose writes are put together afterwards: the program writes through a
 * mapping of the bytes next to them, waits for nothing, or lets everything go. Meant for split launches, but
 * knows nothing of them.
 */
#include "cl_fixture.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { ITEMS = 1024, WINDOW = 512, ROUNDS = 20000 };

static const char text[] =
    "uint rounds_of(uint x, int rounds)\n"
    "{ for (int i = 0; i < rounds; i++) x = x * 1664525u + 1013904223u; return x; }\n"
    "__kernel void spread(__global const uint *index, __global uchar *out, int rounds)\n"
    "{ size_t i = get_global_id(0); out[index[i]] = (uchar)rounds_of((uint)i, rounds); }\n"
    "__kernel void count(__global const uint *index, __global uint *bins, int rounds)\n"
    "{ size_t i = get_global_id(0); atomic_add(&bins[index[i] % 16], rounds_of((uint)i, rounds) & 255u); }\n";

static struct {
    cl_program program;
    cl_kernel spread, count;
    cl_mem index;
    cl_uint place[ITEMS];
} p;

static unsigned char byte_of(cl_uint i, int rounds)
{
    for (int r = 0; r < rounds; r++)
        i = i * 1664525u + 1013904223u;
    return (unsigned char)i;
}

static void open_all(void)
{
    cl_int error;
    cl_open();
    for (cl_uint i = 0; i < ITEMS; i++)
        p.place[i] = (i * 397 + 11) % ITEMS;
    p.index = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(p.place), p.place);
    p.program = cl_build(text, "");
    p.spread = clCreateKernel(p.program, "spread", &error);
    cl_ok(error);
    p.count = clCreateKernel(p.program, "count", &error);
    cl_ok(error);
}

static void release_own(void)
{
    cl_ok(clReleaseKernel(p.spread));
    cl_ok(clReleaseKernel(p.count));
    cl_ok(clReleaseProgram(p.program));
    cl_ok(clReleaseMemObject(p.index));
}

static void close_all(void)
{
    release_own();
    cl_close();
}

static void start(cl_kernel kernel, cl_mem out, int rounds, cl_event *event)
{
    size_t items = ITEMS, local = 16;
    cl_set_mem(kernel, 0, p.index);
    cl_set_mem(kernel, 1, out);
    cl_set_int(kernel, 2, rounds);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, event));
    cl_ok(clFlush(cl.queue));
}

static void check_spread(const unsigned char *out, int rounds)
{
    for (cl_uint i = 0; i < ITEMS; i++)
        ck_assert_uint_eq(out[p.place[i]], byte_of(i, rounds));
}

static cl_mem window(cl_mem parent, size_t origin, size_t size)
{
    cl_buffer_region region = {origin, size};
    cl_int error;
    cl_mem mem = clCreateSubBuffer(parent, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    cl_ok(error);
    return mem;
}

/* The bytes before those that a kernel writes here and there are mapped, and written while it runs. */
START_TEST(mapped_beside)
{
    unsigned char data[WINDOW + ITEMS] = {0};
    cl_mem parent = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(data), data);
    cl_mem left = window(parent, 0, WINDOW), right = window(parent, WINDOW, ITEMS);
    for (int round = 0; round < 4; round++) {
        const int rounds = ROUNDS + round;
        cl_event event;
        cl_int error;
        unsigned char *at = clEnqueueMapBuffer(cl.queue, left, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, WINDOW,
                                               0, NULL, NULL, &error);
        cl_ok(error);
        start(p.spread, right, rounds, &event);
        usleep(2000u << round);
        memset(at, 100 + round, WINDOW);
        cl_ok(clWaitForEvents(1, &event));
        cl_ok(clReleaseEvent(event));
        for (unsigned i = 0; i < WINDOW; i++)
            ck_assert_uint_eq(at[i], 100 + round);
        cl_ok(clEnqueueUnmapMemObject(cl.queue, left, at, 0, NULL, NULL));
        cl_read(parent, data, sizeof(data));
        for (unsigned i = 0; i < WINDOW; i++)
            ck_assert_uint_eq(data[i], 100 + round);
        check_spread(data + WINDOW, rounds);
    }
    cl_ok(clReleaseMemObject(left));
    cl_ok(clReleaseMemObject(right));
    cl_ok(clReleaseMemObject(parent));
}
END_TEST

static atomic_uint told;

static void CL_CALLBACK tell(cl_event event, cl_int status, void *unused)
{
    ck_assert_int_eq(status, CL_COMPLETE);
    atomic_fetch_add(&told, 1);
}

/* Nobody waits: the callbacks come by themselves. */
START_TEST(callbacks_alone)
{
    cl_mem out = cl_buffer(0, ITEMS, NULL), bins = cl_buffer(0, 64, NULL);
    cl_uint zero = 0;
    cl_command_queue second = cl_queue(0);
    cl_event event[4], wait;
    cl_ok(clEnqueueFillBuffer(cl.queue, bins, &zero, sizeof(zero), 0, 64, 0, NULL, NULL));
    start(p.spread, out, 10, &event[0]);
    start(p.count, bins, 10, &event[1]);
    start(p.spread, out, 11, &event[2]);
    cl_ok(clEnqueueCopyBuffer(second, out, out, 0, ITEMS / 2, 16, 1, &event[2], &wait));
    cl_ok(clEnqueueMarkerWithWaitList(second, 1, &wait, &event[3]));
    cl_ok(clReleaseEvent(wait));
    for (unsigned i = 0; i < 4; i++) {
        cl_ok(clSetEventCallback(event[i], CL_COMPLETE, tell, NULL));
        cl_ok(clReleaseEvent(event[i]));
    }
    cl_ok(clFlush(second));
    while (atomic_load(&told) < 4) /* the test's time limit ends it */
        usleep(1000);
    cl_ok(clReleaseCommandQueue(second));
    cl_ok(clReleaseMemObject(out));
    cl_ok(clReleaseMemObject(bins));
}
END_TEST

static atomic_bool gone;

static void CL_CALLBACK context_gone(cl_context context, void *unused)
{
    atomic_store(&gone, true);
}

/* Everything is let go while the launches run, in front of or behind each other. */
START_TEST(all_released)
{
    cl_mem out = cl_buffer(0, ITEMS, NULL), bins = cl_buffer(0, 64, NULL);
    for (int i = 0; i < 3; i++) {
        start(p.spread, out, ROUNDS, NULL);
        start(p.count, bins, 10, NULL);
    }
    if (cl_is_coexec()) /* PoCL 3.1 has no such callback */
        cl_ok(clSetContextDestructorCallback(cl.context, context_gone, NULL));
    else
        atomic_store(&gone, true);
    cl_ok(clReleaseMemObject(out));
    cl_ok(clReleaseMemObject(bins));
    release_own();
    cl_ok(clReleaseCommandQueue(cl.queue));
    cl_ok(clReleaseContext(cl.context));
    while (!atomic_load(&gone))
        usleep(1000);
}
END_TEST

/* Two threads with a queue each: one merges into a window, the other into the next one, same blocks. */
static void *spread_right(void *right)
{
    size_t items = ITEMS, local = 16;
    cl_int error, rounds;
    cl_command_queue queue = cl_queue(0);
    cl_kernel kernel = clCreateKernel(p.program, "spread", &error);
    cl_ok(error);
    cl_set_mem(kernel, 0, p.index);
    cl_set_mem(kernel, 1, right);
    for (rounds = 0; rounds <= 20; rounds++) {
        cl_set_int(kernel, 2, rounds);
        cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    }
    cl_ok(clFinish(queue));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseCommandQueue(queue));
    return NULL;
}

START_TEST(two_threads)
{
    unsigned char data[2 * ITEMS + WINDOW];
    cl_mem parent = cl_buffer(0, sizeof(data), NULL);
    cl_mem left = window(parent, WINDOW, ITEMS), right = window(parent, WINDOW + ITEMS, ITEMS);
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, spread_right, right), 0);
    for (int i = 0; i <= 20; i++)
        start(p.spread, left, i, NULL);
    cl_ok(clFinish(cl.queue));
    pthread_join(thread, NULL);
    cl_read(parent, data, sizeof(data));
    check_spread(data + WINDOW, 20);
    check_spread(data + WINDOW + ITEMS, 20);
    cl_ok(clReleaseMemObject(left));
    cl_ok(clReleaseMemObject(right));
    cl_ok(clReleaseMemObject(parent));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("split");
    TCase *tcase = tcase_create("beside"), *alone = tcase_create("released");
    tcase_set_timeout(tcase, 60);
    tcase_set_timeout(alone, 60);
    tcase_add_checked_fixture(tcase, open_all, close_all);
    tcase_add_checked_fixture(alone, open_all, NULL);
    tcase_add_test(tcase, mapped_beside);
    tcase_add_test(tcase, callbacks_alone);
    tcase_add_test(tcase, two_threads);
    tcase_add_test(alone, all_released);
    suite_add_tcase(suite, tcase);
    suite_add_tcase(suite, alone);
    return tap_run(suite);
}
