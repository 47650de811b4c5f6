/* SPDX-License-Identifier: MIT */
/*
 * Commands that do not depend on each other: on an out-of-order queue and on several queues of one context
 * they overlap where there are several devices below. Also: what several queues say of time, callbacks in
 * order, calls that do not block, and the extension's way of making a queue. For any OpenCL; overlap is asked
 * of coexec alone, and of its profiling times, not of a clock.
 */
#include "cl_fixture.h"
#include <CL/cl_ext.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 256, GROUP = 64 };

static const char source[] =
    "kernel void ping(global uint *out, int rounds)\n"
    "{ uint x = out[get_global_id(0)]; for (int i = 0; i < rounds; i++) x = x * 1664525u + 1013904223u;\n"
    "  out[get_global_id(0)] = x; }\n"
    "kernel void pong(global uint *out, int rounds)\n"
    "{ uint x = out[get_global_id(0)]; for (int i = 0; i < rounds; i++) x = (x ^ 61u) * 22695477u + 1u;\n"
    "  out[get_global_id(0)] = x; }\n";

static cl_uint ping(cl_uint x, int rounds)
{
    for (int i = 0; i < rounds; i++)
        x = x * 1664525u + 1013904223u;
    return x;
}

static cl_uint pong(cl_uint x, int rounds)
{
    for (int i = 0; i < rounds; i++)
        x = (x ^ 61u) * 22695477u + 1u;
    return x;
}

static cl_event start(cl_command_queue queue, cl_kernel kernel, cl_mem mem, int rounds, cl_uint nwait,
                      const cl_event *list)
{
    const size_t items = SIZE, group = GROUP;
    cl_event event;
    cl_set_mem(kernel, 0, mem);
    cl_set_int(kernel, 1, rounds);
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, nwait, list, &event));
    return event;
}

static bool overlap(cl_event a, cl_event b)
{
    return cl_time_of(a, CL_PROFILING_COMMAND_START) < cl_time_of(b, CL_PROFILING_COMMAND_END) &&
           cl_time_of(b, CL_PROFILING_COMMAND_START) < cl_time_of(a, CL_PROFILING_COMMAND_END);
}

static void expect(cl_mem mem, cl_uint want)
{
    cl_uint got[SIZE];
    cl_read(mem, got, sizeof got);
    for (int i = 0; i < SIZE; i++)
        ck_assert_uint_eq(got[i], want);
}

static cl_mem filled(cl_uint value)
{
    cl_uint data[SIZE];
    for (int i = 0; i < SIZE; i++)
        data[i] = value;
    return cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof data, data);
}

/* Rounds that keep the device busy for milliseconds: a CPU runs work-items one after the other. */
enum { ROUNDS = 100000, GPU_ROUNDS = 3000000 };

static int long_rounds(void)
{
    cl_device_type type = 0;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    return type & CL_DEVICE_TYPE_GPU ? GPU_ROUNDS : ROUNDS;
}

/* Two whole launches of different kernels on these queues; how they are waited for is the case. */
static void two_launches(cl_command_queue one, cl_command_queue other, int way)
{
    cl_kernel first = cl_kernel_of(source, "ping"), second = cl_kernel_of(source, "pong");
    cl_mem a = filled(1), b = filled(2);
    cl_event events[2];
    const int rounds = long_rounds();
    bool overlapped = false;
    int warm = 0;
    /* the first launches compile and are measured; on a busy machine others may come out one after the other
     */
    for (; warm < 2 || (warm < 8 && !overlapped && cl_is_coexec()); warm++) {
        events[0] = start(one, first, a, rounds, 0, NULL);
        events[1] = start(other, second, b, rounds, 0, NULL);
        if (way == 0 || !warm) {
            cl_ok(clFlush(other));
            cl_ok(clFinish(one));
            cl_ok(clFinish(other));
        } else if (way == 1) {
            cl_ok(clFlush(one));
            cl_ok(clFlush(other));
            cl_ok(clWaitForEvents(2, events));
        } else {
            cl_ok(clWaitForEvents(2, events));
        }
        overlapped |= warm && overlap(events[0], events[1]);
        cl_ok(clReleaseEvent(events[0]));
        cl_ok(clReleaseEvent(events[1]));
    }
    ck_assert_msg(overlapped || !cl_is_coexec(), "the launches ran one after the other");
    expect(a, ping(1, warm * rounds));
    expect(b, pong(2, warm * rounds));
    cl_ok(clReleaseKernel(first));
    cl_ok(clReleaseKernel(second));
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
}

START_TEST(out_of_order_overlaps)
{
    if (!cl_out_of_order_works())
        return;
    cl_command_queue queue = cl_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    two_launches(queue, queue, _i);
    cl_ok(clReleaseCommandQueue(queue));
}
END_TEST

START_TEST(two_queues_overlap)
{
    cl_command_queue other = cl_queue(CL_QUEUE_PROFILING_ENABLE);
    two_launches(cl.queue, other, _i);
    cl_ok(clReleaseCommandQueue(other));
}
END_TEST

/* What depends on a launch comes after it, wherever both run. */
START_TEST(dependent_ones_do_not)
{
    if (!cl_out_of_order_works())
        return;
    cl_command_queue queue = cl_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    cl_kernel kernels[] = {cl_kernel_of(source, "ping"), cl_kernel_of(source, "pong")};
    cl_mem mems[] = {filled(1), filled(2)};
    cl_event last[2] = {NULL, NULL};
    cl_uint want[] = {1, 2};
    for (int i = 0; i < 12; i++) {
        for (int m = 0; m < 2; m++) {
            bool pings = (i + m) % 2 == 0;
            cl_event next = start(queue, kernels[!pings], mems[m], ROUNDS / 50, last[m] ? 1 : 0,
                                  last[m] ? &last[m] : NULL);
            want[m] = pings ? ping(want[m], ROUNDS / 50) : pong(want[m], ROUNDS / 50);
            if (last[m]) {
                cl_ok(clWaitForEvents(1, &next));
                ck_assert_uint_le(cl_time_of(last[m], CL_PROFILING_COMMAND_END),
                                  cl_time_of(next, CL_PROFILING_COMMAND_END));
                cl_ok(clReleaseEvent(last[m]));
            }
            last[m] = next;
        }
    }
    cl_ok(clFinish(queue));
    for (int m = 0; m < 2; m++) {
        expect(mems[m], want[m]);
        cl_ok(clReleaseEvent(last[m]));
        cl_ok(clReleaseMemObject(mems[m]));
        cl_ok(clReleaseKernel(kernels[m]));
    }
    cl_ok(clReleaseCommandQueue(queue));
}
END_TEST

/* All events' times are of one clock, the one that clGetHostTimer reads, whichever device a command ran on.
 */
START_TEST(one_clock)
{
    enum { SLACK_NS = 2000000 }; /* clocks of devices are matched by a marker */
    cl_command_queue queues[] = {cl_queue(CL_QUEUE_PROFILING_ENABLE), cl_queue(CL_QUEUE_PROFILING_ENABLE)};
    cl_kernel kernel = cl_kernel_of(source, "ping");
    cl_mem mems[] = {filled(1), filled(2)};
    cl_ulong before = 0, after = 0;
    bool timer = clGetHostTimer(cl.device, &before) == CL_SUCCESS;
    cl_event events[20];
    for (int i = 0; i < 20; i++)
        events[i] = start(queues[i % 2], kernel, mems[i % 2], ROUNDS / 50, 0, NULL);
    cl_ok(clFlush(queues[0]));
    cl_ok(clFlush(queues[1]));
    cl_ok(clWaitForEvents(20, events));
    if (timer)
        cl_ok(clGetHostTimer(cl.device, &after));
    for (int i = 0; i < 20; i++) {
        cl_ulong queued = cl_time_of(events[i], CL_PROFILING_COMMAND_QUEUED),
                 submit = cl_time_of(events[i], CL_PROFILING_COMMAND_SUBMIT),
                 begin = cl_time_of(events[i], CL_PROFILING_COMMAND_START),
                 end = cl_time_of(events[i], CL_PROFILING_COMMAND_END);
        ck_assert_uint_le(queued, submit);
        ck_assert_uint_le(submit, begin);
        ck_assert_uint_le(begin, end);
        if (timer) {
            ck_assert_uint_le(before, queued);
            ck_assert_uint_le(end, after + SLACK_NS);
        }
        if (i >= 2) /* of one in-order queue */
            ck_assert_uint_le(cl_time_of(events[i - 2], CL_PROFILING_COMMAND_QUEUED), queued);
    }
    for (int i = 0; i < 20; i++)
        cl_ok(clReleaseEvent(events[i]));
    for (int i = 0; i < 2; i++) {
        cl_ok(clReleaseMemObject(mems[i]));
        cl_ok(clReleaseCommandQueue(queues[i]));
    }
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

/* Callbacks of one event come in the order of the statuses, whatever the order they were set in. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int n;
    cl_int status[3];
} told = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void CL_CALLBACK tell(cl_event event, cl_int status, void *data)
{
    (void)event, (void)data;
    pthread_mutex_lock(&told.lock);
    if (told.n < 3)
        told.status[told.n] = status;
    told.n++;
    pthread_cond_broadcast(&told.changed);
    pthread_mutex_unlock(&told.lock);
}

START_TEST(callbacks_in_order)
{
    static const cl_int orders[3][3] = {{CL_COMPLETE, CL_RUNNING, CL_SUBMITTED},
                                        {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE},
                                        {CL_RUNNING, CL_COMPLETE, CL_SUBMITTED}};
    if (!cl_user_events_work())
        return;
    cl_kernel kernel = cl_kernel_of(source, "ping");
    cl_mem mem = filled(1);
    cl_int error;
    cl_event gate = clCreateUserEvent(cl.context, &error);
    cl_ok(error);
    cl_event event = start(cl.queue, kernel, mem, 10, 1, &gate);
    for (int i = 0; i < 3; i++)
        cl_ok(clSetEventCallback(event, orders[_i][i], tell, NULL));
    cl_ok(clFlush(cl.queue));
    ck_assert_int_eq(told.n, 0);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    pthread_mutex_lock(&told.lock);
    while (told.n < 3)
        pthread_cond_wait(&told.changed, &told.lock);
    pthread_mutex_unlock(&told.lock);
    ck_assert_int_eq(told.status[0], CL_SUBMITTED);
    ck_assert_int_eq(told.status[1], CL_RUNNING);
    ck_assert_int_eq(told.status[2], CL_COMPLETE);
    cl_ok(clReleaseEvent(gate));
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

/* A failed dependency: every callback gets the error. */
START_TEST(callbacks_of_errors)
{
    if (!cl_user_events_fail())
        return;
    cl_kernel kernel = cl_kernel_of(source, "ping");
    cl_mem mem = filled(1);
    cl_int error;
    cl_event gate = clCreateUserEvent(cl.context, &error);
    cl_ok(error);
    cl_event event = start(cl.queue, kernel, mem, 10, 1, &gate);
    cl_ok(clSetEventCallback(event, CL_COMPLETE, tell, NULL));
    cl_ok(clSetEventCallback(event, CL_SUBMITTED, tell, NULL));
    cl_ok(clSetUserEventStatus(gate, -5));
    pthread_mutex_lock(&told.lock);
    while (told.n < 2)
        pthread_cond_wait(&told.changed, &told.lock);
    pthread_mutex_unlock(&told.lock);
    ck_assert_int_lt(told.status[0], 0);
    ck_assert_int_lt(told.status[1], 0);
    cl_expect(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_ok(clReleaseEvent(gate));
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

/* ---- calls that do not block ---- */

enum { WRITES = 200, WRITTEN = 4096, MOST_IN_CALL = 32 };

static pthread_t caller;
static atomic_bool calling;
static atomic_uint in_call, gone;

/* Called by whoever carried out the last command that used the buffer. */
static void CL_CALLBACK note_who(cl_mem mem, void *data)
{
    (void)mem, (void)data;
    if (atomic_load(&calling) && pthread_equal(pthread_self(), caller))
        atomic_fetch_add(&in_call, 1);
    atomic_fetch_add(&gone, 1);
}

/* What a user event lets go is not all done by the thread that completes it: that call does not block. */
START_TEST(work_let_go_runs_elsewhere)
{
    static const unsigned char bytes[WRITTEN];
    cl_int error;
    if (!cl_is_coexec())
        return;
    cl_command_queue queue = cl_queue(0);
    cl_event gate = clCreateUserEvent(cl.context, &error);
    cl_ok(error);
    for (unsigned i = 0; i < WRITES; i++) {
        cl_mem mem = cl_buffer(CL_MEM_READ_WRITE, WRITTEN, NULL);
        cl_ok(clSetMemObjectDestructorCallback(mem, note_who, NULL));
        cl_ok(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, WRITTEN, bytes, 1, &gate, NULL));
        cl_ok(clReleaseMemObject(mem));
    }
    caller = pthread_self();
    atomic_store(&calling, true);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    atomic_store(&calling, false);
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(atomic_load(&gone), WRITES);
    ck_assert_msg(atomic_load(&in_call) <= MOST_IN_CALL, "%u writes in one call", atomic_load(&in_call));
    cl_ok(clReleaseEvent(gate));
    cl_ok(clReleaseCommandQueue(queue));
}
END_TEST

START_TEST(created_by_extension)
{
    typedef cl_command_queue(CL_API_CALL * creator)(cl_context, cl_device_id, const cl_queue_properties_khr *,
                                                    cl_int *);
    creator create;
    void *address =
        clGetExtensionFunctionAddressForPlatform(cl.platform, "clCreateCommandQueueWithPropertiesKHR");
    if (!address)
        return;
    memcpy(&create, &address, sizeof create);
    const cl_queue_properties_khr list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    cl_int error;
    cl_command_queue_properties got = 0;
    cl_command_queue queue = create(cl.context, cl.device, list, &error);
    cl_ok(error);
    cl_ok(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof got, &got, NULL));
    ck_assert_uint_eq(got, CL_QUEUE_PROFILING_ENABLE);
    cl_ok(clFinish(queue));
    cl_ok(clReleaseCommandQueue(queue));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("api_queues");
    TCase *tcase = cl_case(suite, "queues");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, out_of_order_overlaps, 0, 3);
    tcase_add_loop_test(tcase, two_queues_overlap, 0, 3);
    tcase_add_test(tcase, dependent_ones_do_not);
    tcase_add_test(tcase, one_clock);
    tcase_add_loop_test(tcase, callbacks_in_order, 0, 3);
    tcase_add_test(tcase, callbacks_of_errors);
    tcase_add_test(tcase, work_let_go_runs_elsewhere);
    tcase_add_test(tcase, created_by_extension);
    return tap_run(suite);
}
