/* SPDX-License-Identifier: MIT */
/*
 * Times cost: which of a GPU's real queues, with or without profiling, commands go to, on stub GPUs, and that
 * commands stay in order where one takes over from the other. Each case has a process of its own.
 */
#include "cl_fixture.h"
#include "cl_folder.h"
#include "cl_recorded.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { N = 4096, BYTES = N * sizeof(cl_int), MOST_QUEUES = 64 };

static struct {
    char gate[256];
    cl_kernel kernel;
    cl_mem mem;
    cl_command_queue plain;
} p;

static void open_stubs(const char *types, const char *in_place)
{
    const int zero = 0;
    cl_folder_make("times");
    snprintf(p.gate, sizeof(p.gate), "%s.gate", cl_folder_path("log"));
    setenv("STUB_DEVICES", strchr(types, ',') ? "2" : "1", 1);
    setenv("STUB_TYPE", types, 1);
    setenv("STUB_IN_PLACE", in_place, 1);
    setenv("STUB_UNITS", "100,2", 1);
    setenv("STUB_GATE", p.gate, 1);
    setenv("STUB_LOG", cl_folder_path("log"), 1);
    setenv("COEXEC_LOG_FILE", cl_folder_path("coexec"), 1);
    cl_open();
    p.kernel =
        cl_kernel_of("__kernel void stub_inc(__global int *a) { a[get_global_id(0)] += 1; }", "stub_inc");
    p.mem = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
    p.plain = cl_queue(0);
    cl_set_mem(p.kernel, 0, p.mem);
    cl_ok(clEnqueueFillBuffer(p.plain, p.mem, &zero, sizeof(zero), 0, BYTES, 0, NULL, NULL));
    cl_ok(clFinish(p.plain));
}

/* The log is whole from then on. */
static void close_stubs(void)
{
    cl_ok(clReleaseCommandQueue(p.plain));
    cl_ok(clReleaseKernel(p.kernel));
    cl_ok(clReleaseMemObject(p.mem));
    cl_close();
}

static void launch(cl_command_queue queue, cl_uint nwait, const cl_event *wait, cl_event *event)
{
    const size_t items = N, local = 64;
    cl_ok(clEnqueueNDRangeKernel(queue, p.kernel, 1, NULL, &items, &local, nwait, wait, event));
}

/* Launches do not begin while it is closed. Not for devices that run them in the calling thread. */
static void close_gate(void)
{
    close(open(p.gate, O_CREAT | O_WRONLY, 0600));
}

/* Calls of this name on real queues of the first device with (true) or without profiling. */
static unsigned calls(const char *name, bool profiling)
{
    bool profiles[MOST_QUEUES] = {false}, first[MOST_QUEUES] = {false};
    char line[256], call[64];
    unsigned queues = 0, found = 0, queue, context, device;
    int properties;
    FILE *file = fopen(cl_folder_path("log"), "r");
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof(line), file))
        if (sscanf(line, "clCreateCommandQueue c%u d%u properties=%i", &context, &device, &properties) == 3) {
            ck_assert_uint_lt(++queues, MOST_QUEUES);
            profiles[queues] = properties & CL_QUEUE_PROFILING_ENABLE;
            first[queues] = device == 0;
        } else if (sscanf(line, "%63s q%u", call, &queue) == 2 && queue < MOST_QUEUES) {
            found += strcmp(call, name) == 0 && first[queue] && profiles[queue] == profiling;
        }
    fclose(file);
    return found;
}

static void expect_all(cl_int value)
{
    static cl_int back[N];
    cl_ok(clEnqueueReadBuffer(p.plain, p.mem, CL_TRUE, 0, BYTES, back, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(back[i], value);
}

static void expect_times(cl_event event)
{
    cl_ulong start = 0, end = 0;
    cl_ok(clWaitForEvents(1, &event));
    cl_ok(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL));
    cl_ok(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
    ck_assert_uint_gt(start, 0);
    ck_assert_uint_ge(end, start);
    cl_ok(clReleaseEvent(event));
}

/* Nobody wants times of a GPU that a program has to itself. */
START_TEST(alone)
{
    open_stubs("gpu", "0");
    enum { LARGE = 16 << 20 }; /* may be staged */
    void *large = calloc(1, LARGE);
    cl_mem mem = cl_buffer(CL_MEM_READ_WRITE, LARGE, NULL);
    for (int i = 0; i < 100; i++) {
        launch(p.plain, 0, NULL, NULL);
        if (i % 25 == 0)
            cl_ok(clEnqueueWriteBuffer(p.plain, mem, CL_TRUE, 0, LARGE, large, 0, NULL, NULL));
    }
    expect_all(100);
    cl_ok(clReleaseMemObject(mem));
    close_stubs();
    free(large);
    ck_assert_uint_eq(calls("clEnqueueNDRangeKernel", false), 100);
    ck_assert_uint_eq(calls("clEnqueueReadBuffer", false), 1);
    cl_folder_remove();
}
END_TEST

/* A queue of the program's with profiling has the times of its commands, and only these cost. */
START_TEST(times_where_wanted)
{
    open_stubs("gpu", "0");
    cl_event event;
    for (int i = 0; i < 20; i++) {
        launch(p.plain, 0, NULL, NULL);
        expect_all(2 * i + 1);
        launch(cl.queue, 0, NULL, &event);
        expect_times(event);
    }
    cl_ok(clFinish(cl.queue));
    for (int i = 0; i < 100; i++) {
        launch(p.plain, 0, NULL, NULL);
        cl_ok(clFinish(p.plain));
    }
    expect_all(140);
    close_stubs();
    ck_assert_uint_ge(calls("clEnqueueNDRangeKernel", false), 50);
    ck_assert_uint_ge(calls("clEnqueueNDRangeKernel", true), 20);
    cl_folder_remove();
}
END_TEST

/* While the device works for one queue the other one takes over: what it gets comes after. */
START_TEST(in_order)
{
    open_stubs("gpu", "0");
    static cl_int back[20][N];
    cl_int count = 0;
    for (int i = 0; i < 20; i++) {
        cl_event event[3];
        close_gate();
        launch(p.plain, 0, NULL, &event[0]);
        launch(cl.queue, 1, &event[0], &event[1]);
        cl_ok(clEnqueueReadBuffer(cl.queue, p.mem, CL_FALSE, 0, BYTES, back[i], 1, &event[1], &event[2]));
        for (int k = 0; k < 40; k++)
            launch(p.plain, 1, &event[2], NULL);
        cl_ok(clFlush(p.plain));
        cl_ok(clFlush(cl.queue));
        usleep(2000);
        unlink(p.gate);
        count += 2;
        cl_ok(clWaitForEvents(1, &event[2]));
        ck_assert_int_eq(back[i][N - 1], count);
        cl_ok(clReleaseEvent(event[0]));
        expect_times(event[1]);
        expect_times(event[2]);
        count += 40;
        expect_all(count);
    }
    close_stubs();
    ck_assert_uint_gt(calls("clEnqueueNDRangeKernel", false), 0);
    ck_assert_uint_ge(calls("clEnqueueNDRangeKernel", true), 20);
    cl_folder_remove();
}
END_TEST

/* Commands of all kinds, each for either queue and behind the one before, against what they should give. */
START_TEST(random_order)
{
    enum { COMMANDS = 400, READS = 64 };
    static cl_int want[N], from[N], back[READS][N], expected[READS][N];
    cl_seed((uint64_t)_i + 1);
    setenv("STUB_SPEED", "0.02", 1);
    setenv("COEXEC_SPLIT", "never", 1);
    open_stubs(_i % 2 ? "gpu,cpu" : "gpu", _i % 2 ? "0,1" : "0");
    cl_event last = NULL;
    unsigned reads = 0;
    memset(want, 0, sizeof(want));
    for (int i = 0; i < COMMANDS; i++) {
        const cl_command_queue queue = cl_roll(i / 50 % 2 ? 4 : 40) ? p.plain : cl.queue;
        const size_t at = cl_roll(N), n = 1 + cl_roll((unsigned)(N - at)), bytes = n * sizeof(cl_int);
        const cl_bool blocks = cl_roll(2);
        const cl_int value = (cl_int)cl_roll(1000);
        const cl_uint waits = last != NULL;
        cl_event event = NULL;
        switch (cl_roll(4)) {
        case 0:
            for (size_t k = at; k < at + n; k++)
                want[k] = value;
            cl_ok(clEnqueueFillBuffer(queue, p.mem, &value, sizeof(value), at * sizeof(cl_int), bytes, waits,
                                      waits ? &last : NULL, &event));
            break;
        case 1:
            for (size_t k = at; k < at + n; k++)
                from[k] = want[k] = value + (cl_int)k;
            cl_ok(clEnqueueWriteBuffer(queue, p.mem, CL_TRUE, at * sizeof(cl_int), bytes, from + at, waits,
                                       waits ? &last : NULL, &event));
            break;
        case 2:
            if (reads == READS)
                continue;
            memcpy(expected[reads], want, sizeof(want));
            cl_ok(clEnqueueReadBuffer(queue, p.mem, blocks, 0, BYTES, back[reads++], waits,
                                      waits ? &last : NULL, &event));
            break;
        default:
            for (int k = 0; k < N; k++)
                want[k]++;
            launch(queue, waits, waits ? &last : NULL, &event);
        }
        if (last)
            cl_ok(clReleaseEvent(last));
        last = event;
    }
    cl_ok(clFinish(p.plain));
    cl_ok(clFinish(cl.queue));
    cl_ok(clReleaseEvent(last));
    for (unsigned r = 0; r < reads; r++)
        ck_assert_mem_eq(back[r], expected[r], BYTES);
    close_stubs();
    if (_i % 2 == 0)
        ck_assert_uint_gt(calls("clEnqueueNDRangeKernel", false), 0);
    ck_assert_uint_gt(calls("clEnqueueNDRangeKernel", true), 0);
    cl_folder_remove();
}
END_TEST

/* Callbacks come when their own command ends, not with those of later ones: the fifth takes long. */
START_TEST(callbacks_one_by_one)
{
    enum { LAUNCHES = 6, SLOW = 4 };
    cl_event event[LAUNCHES];
    cl_int status = CL_COMPLETE;
    setenv("STUB_HANG", "clEnqueueNDRangeKernel:5:1500", 1);
    open_stubs("gpu", "0");
    close_gate();
    for (int i = 0; i < LAUNCHES; i++) {
        launch(_i ? cl.queue : p.plain, 0, NULL, &event[i]);
        cl_count_end(event[i]);
    }
    unlink(p.gate);
    while (cl_ends() < SLOW)
        usleep(1000);
    cl_ok(clGetEventInfo(event[SLOW], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
    ck_assert_int_ne(status, CL_COMPLETE);
    cl_ok(clFinish(_i ? cl.queue : p.plain));
    while (cl_ends() < LAUNCHES)
        usleep(1000);
    for (int i = 0; i < LAUNCHES; i++)
        cl_ok(clReleaseEvent(event[i]));
    close_stubs();
    cl_folder_remove();
}
END_TEST

/* Beside a CPU a kernel's speed is measured, but not in a program's first launches; once that is known, looks
 * now and then are enough, of those that wait for each launch and of those that never do. */
START_TEST(beside_cpu)
{
    setenv("COEXEC_SPLIT", "never", 1);
    open_stubs("gpu,cpu", "0,1");
    enum { LAUNCHES = 2000, SPARED_US = 30000 };
    launch(p.plain, 0, NULL, NULL);
    cl_ok(clFinish(p.plain));
    ck_assert_uint_eq(calls("clEnqueueNDRangeKernel", true), 0);
    ck_assert_uint_eq(calls("clEnqueueNDRangeKernel", false), 1);
    usleep(SPARED_US);
    for (int i = 1; i < LAUNCHES; i++) {
        launch(p.plain, 0, NULL, NULL);
        if (_i)
            cl_ok(clFinish(p.plain));
    }
    expect_all(LAUNCHES);
    close_stubs();
    const unsigned timed = calls("clEnqueueNDRangeKernel", true);
    ck_assert_uint_ge(timed, 8);
    ck_assert_uint_ge(calls("clEnqueueNDRangeKernel", false), LAUNCHES / 2);
    ck_assert_uint_eq(timed + calls("clEnqueueNDRangeKernel", false), LAUNCHES);
    cl_folder_remove();
}
END_TEST

/* What a program of few milliseconds could never use is not measured for it. */
START_TEST(first_beside_cpu)
{
    setenv("COEXEC_SPLIT", "never", 1);
    open_stubs("gpu,cpu", "0,1");
    launch(p.plain, 0, NULL, NULL);
    expect_all(1);
    close_stubs();
    ck_assert_uint_eq(calls("clEnqueueNDRangeKernel", true), 0);
    ck_assert_uint_eq(calls("clEnqueueNDRangeKernel", false), 1);
    cl_folder_remove();
}
END_TEST

START_TEST(one_queue)
{
    set_variable("queues", "one");
    open_stubs("gpu", "0");
    for (int i = 0; i < 100; i++)
        launch(p.plain, 0, NULL, NULL);
    expect_all(100);
    close_stubs();
    ck_assert_uint_eq(calls("clEnqueueNDRangeKernel", false), 0);
    ck_assert_uint_eq(calls("clEnqueueNDRangeKernel", true), 100);
    cl_folder_remove();
}
END_TEST

/* A split launch begins with its first package, however late it is known what its last one is. */
static const char *const balancers[] = {"static", "dynamic", "hguided", "sigmoid", "auto"};

START_TEST(split)
{
    enum { LAUNCHES = 4, GROUPS = N / 64, GROUP_NS = 1000000 };
    const bool at_once = _i % 2; /* as CPU devices that run what they are given in the call */
    setenv("COEXEC_ALGO", balancers[_i / 2], 1);
    setenv("COEXEC_SPLIT", "always", 1);
    set_variable("analysis_wait", "60000");
    setenv("COEXEC_LOG", "plan:info", 1);
    setenv("STUB_SPEED", "0.001", 1); /* GROUP_NS a group */
    if (at_once)
        unsetenv("STUB_ASYNC");
    open_stubs(at_once ? "cpu,cpu" : "gpu,gpu", at_once ? "1,1" : "0,0");
    for (int i = 0; i < LAUNCHES; i++) {
        cl_event event;
        launch(cl.queue, 0, NULL, &event);
        cl_ok(clWaitForEvents(1, &event));
        const cl_ulong queued = cl_time_of(event, CL_PROFILING_COMMAND_QUEUED);
        const cl_ulong submit = cl_time_of(event, CL_PROFILING_COMMAND_SUBMIT);
        const cl_ulong start = cl_time_of(event, CL_PROFILING_COMMAND_START);
        const cl_ulong end = cl_time_of(event, CL_PROFILING_COMMAND_END);
        ck_assert_uint_le(queued, submit);
        ck_assert_uint_le(submit, start);
        /* two devices cannot have done it in less, but for how clocks are compared */
        ck_assert_uint_ge(end - start, GROUPS * (cl_ulong)GROUP_NS / 2 * 9 / 10);
        cl_ok(clReleaseEvent(event));
    }
    expect_all(LAUNCHES);
    close_stubs();
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("coexec"), "stub_inc runs split"), LAUNCHES);
    cl_folder_remove();
}
END_TEST

/* Commands that do nothing but wait end with what they wait for, whose times are asked for before or after,
 * and nothing ends later than now. */
START_TEST(waiting)
{
    enum { ROUNDS = 3, WAITING = 4 };
    setenv("COEXEC_SPLIT", _i % 2 ? "always" : "never", 1);
    set_variable("analysis_wait", "60000");
    setenv("STUB_SPEED", "0.002", 1);
    if (_i / 2)
        unsetenv("STUB_ASYNC");
    open_stubs(_i / 2 ? "cpu,cpu" : "gpu,gpu", _i / 2 ? "1,1" : "0,0");
    cl_command_queue none = cl_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    for (int round = 0; round < ROUNDS; round++) {
        cl_event kernel, event[WAITING];
        cl_ulong device, host;
        launch(cl.queue, 0, NULL, &kernel);
        cl_ok(clEnqueueMarkerWithWaitList(cl.queue, 0, NULL, &event[0]));
        cl_ok(clEnqueueBarrierWithWaitList(none, 1, &kernel, &event[1]));
        cl_ok(clEnqueueMarkerWithWaitList(none, 1, &event[1], &event[2]));
        cl_ok(clEnqueueMigrateMemObjects(none, 1, &p.mem, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 1, &kernel,
                                         &event[3]));
        cl_ok(clFinish(cl.queue));
        cl_ok(clFinish(none));
        const cl_ulong end = cl_time_of(kernel, CL_PROFILING_COMMAND_END);
        cl_ok(clGetDeviceAndHostTimer(cl.device, &device, &host));
        ck_assert_uint_le(end, device);
        for (int i = 0; i < WAITING; i++) {
            const cl_ulong now = cl_time_of(event[i], CL_PROFILING_COMMAND_END);
            ck_assert_uint_ge(now, end);
            ck_assert_uint_le(now, device);
            ck_assert_uint_eq(now, cl_time_of(event[i], CL_PROFILING_COMMAND_END));
            ck_assert_uint_le(cl_time_of(event[i], CL_PROFILING_COMMAND_START), now);
            cl_ok(clReleaseEvent(event[i]));
        }
        cl_ok(clReleaseEvent(kernel));
    }
    cl_ok(clReleaseCommandQueue(none));
    close_stubs();
    cl_folder_remove();
}
END_TEST

static void *ask_end(void *event)
{
    return (void *)(uintptr_t)cl_time_of((cl_event)event, CL_PROFILING_COMMAND_END);
}

/* What is told once stays, whoever asks, even where the devices' clock says that it is still to come. */
START_TEST(stays)
{
    enum { EVENTS = 4 };
    cl_event event[EVENTS];
    cl_ulong end[EVENTS], device, host;
    pthread_t thread[EVENTS];
    void *told;
    setenv("STUB_AHEAD", "1000000000", 1);
    open_stubs("gpu,gpu", "0");
    launch(cl.queue, 0, NULL, &event[3]);
    cl_ok(clEnqueueMarkerWithWaitList(cl.queue, 0, NULL, &event[2]));
    launch(cl.queue, 0, NULL, &event[1]);
    cl_ok(clEnqueueBarrierWithWaitList(cl.queue, 1, &event[1], &event[0]));
    cl_ok(clFinish(cl.queue));
    for (int i = 0; i < EVENTS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, ask_end, event[i]), 0);
    for (int i = 0; i < EVENTS; i++)
        end[i] = cl_time_of(event[i], CL_PROFILING_COMMAND_END);
    cl_ok(clGetDeviceAndHostTimer(cl.device, &device, &host));
    for (int i = 0; i < EVENTS; i++) {
        ck_assert_int_eq(pthread_join(thread[i], &told), 0);
        ck_assert_uint_eq((uintptr_t)told, end[i]);
        ck_assert_uint_eq(cl_time_of(event[i], CL_PROFILING_COMMAND_END), end[i]);
        ck_assert_uint_le(end[i], i ? end[i - 1] : device);
        cl_ok(clReleaseEvent(event[i]));
    }
    close_stubs();
    cl_folder_remove();
}
END_TEST

/* A driver may answer with numbers that are no times: the host's clock is told then. */
START_TEST(no_times)
{
    cl_event event;
    cl_ulong before, after, host;
    setenv("STUB_UNTIMED", "1", 1);
    open_stubs(_i ? "gpu,gpu" : "gpu", "0");
    close_gate();
    launch(cl.queue, 0, NULL, &event);
    cl_ok(clFlush(cl.queue));
    cl_ok(clGetDeviceAndHostTimer(cl.device, &before, &host));
    unlink(p.gate);
    cl_ok(clFinish(cl.queue));
    cl_ok(clGetDeviceAndHostTimer(cl.device, &after, &host));
    ck_assert_uint_ge(cl_time_of(event, CL_PROFILING_COMMAND_END), before);
    ck_assert_uint_le(cl_time_of(event, CL_PROFILING_COMMAND_END), after);
    ck_assert_uint_le(cl_time_of(event, CL_PROFILING_COMMAND_START),
                      cl_time_of(event, CL_PROFILING_COMMAND_END));
    cl_ok(clReleaseEvent(event));
    close_stubs();
    cl_folder_remove();
}
END_TEST

/* What waits for a command that has no times of its own ends after it all the same. */
START_TEST(behind_untimed)
{
    cl_event kernel, event[2];
    cl_ulong device, host;
    open_stubs(_i ? "gpu,gpu" : "gpu", "0");
    launch(cl.queue, 0, NULL, NULL);
    close_gate();
    launch(p.plain, 0, NULL, &kernel);
    cl_ok(clEnqueueMarkerWithWaitList(cl.queue, 1, &kernel, &event[0]));
    cl_ok(clEnqueueBarrierWithWaitList(cl.queue, 0, NULL, &event[1]));
    cl_ok(clFlush(cl.queue));
    cl_ok(clGetDeviceAndHostTimer(cl.device, &device, &host));
    unlink(p.gate);
    for (int i = 0; i < 2; i++) {
        cl_ok(clWaitForEvents(1, &event[i]));
        ck_assert_uint_ge(cl_time_of(event[i], CL_PROFILING_COMMAND_END), device);
        cl_ok(clReleaseEvent(event[i]));
    }
    cl_ok(clReleaseEvent(kernel));
    close_stubs();
    cl_folder_remove();
}
END_TEST

/* Command buffers that do nothing but wait: in order; of no command; behind a wait list. */
START_TEST(recorded_waiting)
{
    const bool waits = _i == 2;
    cl_int status = CL_COMPLETE;
    cl_event kernel, event;
    open_stubs("gpu,gpu", "0");
    cl_recorded_find();
    cl_command_queue queue =
        cl_queue(CL_QUEUE_PROFILING_ENABLE | (waits ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0));
    cl_command_buffer_khr buffer = cl_recorded_create(queue, 0);
    for (int i = 0; i < 2 && _i != 1; i++)
        cl_ok(recorded.barrier(buffer, NULL, 0, NULL, NULL, NULL));
    cl_ok(recorded.finalize(buffer));
    close_gate();
    launch(queue, 0, NULL, &kernel);
    cl_ok(recorded.enqueue(0, NULL, buffer, waits, waits ? &kernel : NULL, &event));
    cl_ok(clFlush(queue));
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
    ck_assert_int_gt(status, CL_COMPLETE);
    unlink(p.gate);
    cl_ok(clFinish(queue));
    const cl_ulong end = cl_time_of(kernel, CL_PROFILING_COMMAND_END);
    ck_assert_uint_ge(cl_time_of(event, CL_PROFILING_COMMAND_START), end);
    ck_assert_uint_ge(cl_time_of(event, CL_PROFILING_COMMAND_END), end);
    cl_ok(clReleaseEvent(kernel));
    cl_ok(clReleaseEvent(event));
    cl_ok(recorded.release(buffer));
    cl_ok(clReleaseCommandQueue(queue));
    close_stubs();
    cl_folder_remove();
}
END_TEST

static atomic_int early, later;

/* data: what the event waits for */
static void CL_CALLBACK on_running(cl_event event, cl_int status, void *data)
{
    cl_int before = CL_COMPLETE;
    clGetEventInfo((cl_event)data, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(before), &before, NULL);
    atomic_fetch_add(before > CL_COMPLETE ? &early : &later, 1);
}

/* Where memory is apart the host reads a buffer while a launch runs that the read waits for. Nobody sees
 * that: in order, or behind a wait list; the status, or the callback. */
START_TEST(not_before)
{
    const bool waits = _i % 2, calls_back = _i / 2;
    cl_int there = 0, status = CL_COMPLETE;
    cl_event kernel, event;
    open_stubs("gpu", "0");
    cl_command_queue queue =
        cl_queue(CL_QUEUE_PROFILING_ENABLE | (waits ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0));
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(status), &status);
    close_gate();
    launch(queue, 0, NULL, &kernel);
    cl_ok(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, sizeof(there), &there, waits, waits ? &kernel : NULL,
                              &event));
    if (calls_back)
        cl_ok(clSetEventCallback(event, CL_RUNNING, on_running, kernel));
    cl_ok(clFlush(queue));
    for (int i = 0; i < 20; i++) {
        cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
        ck_assert_int_gt(status, CL_RUNNING);
        usleep(1000);
    }
    unlink(p.gate);
    cl_ok(clFinish(queue));
    ck_assert_uint_ge(cl_time_of(event, CL_PROFILING_COMMAND_START),
                      cl_time_of(kernel, CL_PROFILING_COMMAND_END));
    while (calls_back && atomic_load(&early) + atomic_load(&later) == 0)
        usleep(1000);
    ck_assert_int_eq(atomic_load(&early), 0);
    cl_ok(clReleaseEvent(kernel));
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseCommandQueue(queue));
    close_stubs();
    cl_folder_remove();
}
END_TEST

/* However many commands come before anybody asks. */
START_TEST(asked_late)
{
    enum { LATER = 5000 };
    cl_event kernel, marker;
    open_stubs("gpu", "0");
    close_gate();
    launch(cl.queue, 0, NULL, &kernel);
    cl_ok(clEnqueueMarkerWithWaitList(cl.queue, 0, NULL, &marker));
    unlink(p.gate);
    for (int i = 0; i < LATER; i++)
        launch(cl.queue, 0, NULL, NULL);
    cl_ok(clFinish(cl.queue));
    ck_assert_uint_ge(cl_time_of(marker, CL_PROFILING_COMMAND_END),
                      cl_time_of(kernel, CL_PROFILING_COMMAND_END));
    cl_ok(clReleaseEvent(kernel));
    cl_ok(clReleaseEvent(marker));
    expect_all(LATER + 1);
    close_stubs();
    cl_folder_remove();
}
END_TEST

/* Transfers that the host makes begin when they do, not when they were planned. */
START_TEST(host_transfers)
{
    const size_t zero[3] = {0, 0, 0}, region[3] = {64, BYTES / 64, 1};
    static cl_int there[N];
    cl_event kernel, event;
    unsetenv("STUB_ASYNC");
    setenv("STUB_SPEED", "0.002", 1);
    open_stubs("cpu,cpu", "1,1");
    launch(cl.queue, 0, NULL, &kernel);
    cl_ok(clEnqueueReadBufferRect(cl.queue, p.mem, CL_FALSE, zero, zero, region, 0, 0, 0, 0, there, 0, NULL,
                                  &event));
    cl_ok(clFinish(cl.queue));
    ck_assert_uint_ge(cl_time_of(event, CL_PROFILING_COMMAND_START),
                      cl_time_of(kernel, CL_PROFILING_COMMAND_END));
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseEvent(kernel));
    close_stubs();
    cl_folder_remove();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("times");
    TCase *tests = tcase_create("queues");
    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, alone);
    tcase_add_test(tests, times_where_wanted);
    tcase_add_test(tests, in_order);
    test_add_some(tests, random_order, 12);
    tcase_add_loop_test(tests, callbacks_one_by_one, 0, 2);
    tcase_add_loop_test(tests, beside_cpu, 0, 2);
    tcase_add_test(tests, first_beside_cpu);
    tcase_add_test(tests, one_queue);
    tcase_add_loop_test(tests, split, 0, 2 * sizeof(balancers) / sizeof(*balancers));
    tcase_add_loop_test(tests, waiting, 0, 4);
    tcase_add_test(tests, stays);
    tcase_add_loop_test(tests, no_times, 0, 2);
    tcase_add_loop_test(tests, behind_untimed, 0, 2);
    tcase_add_loop_test(tests, recorded_waiting, 0, 3);
    tcase_add_loop_test(tests, not_before, 0, 4);
    tcase_add_test(tests, asked_late);
    tcase_add_test(tests, host_transfers);
    return tap_run(suite);
}
