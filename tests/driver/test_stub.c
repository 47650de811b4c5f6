/* SPDX-License-Identifier: MIT */
/*
 * The stub driver under a plain loader (OCL_ICD_VENDORS=<build>/tests/driver): it must be a driver that a
 * layer can trust before a layer is tested on it. Each test sets the environment before it opens OpenCL.
 */
#include "../fixture/cl_fixture.h"
#include "file.h"
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { N = 1000 };

static char *kernel_text;

static void read_kernels(void)
{
    kernel_text = file_read(STUB_KERNELS, NULL);
    ck_assert_ptr_nonnull(kernel_text);
}

static void forget_kernels(void)
{
    free(kernel_text);
}

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Every second run: commands in the calling thread, then in a thread of the queue. */
static void set_async(int loop)
{
    setenv("STUB_ASYNC", loop ? "1" : "0", 1);
}

START_TEST(devices_as_asked)
{
    cl_device_id devices[4];
    cl_uint count, units;
    cl_device_type type;
    cl_ulong memory;
    size_t group;
    setenv("STUB_DEVICES", "3", 1);
    setenv("STUB_TYPE", "cpu,gpu", 1);
    setenv("STUB_MEM", "1000000", 1);
    setenv("STUB_GROUP", "16,32,64", 1);
    setenv("STUB_UNITS", "7", 1);
    cl_open_device();
    cl_ok(clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_ALL, 4, devices, &count));
    ck_assert_uint_eq(count, 3);
    cl_ok(clGetDeviceInfo(devices[0], CL_DEVICE_TYPE, sizeof(type), &type, NULL));
    ck_assert_uint_eq(type, CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_DEFAULT);
    cl_ok(clGetDeviceInfo(devices[2], CL_DEVICE_TYPE, sizeof(type), &type, NULL));
    ck_assert_uint_eq(type, CL_DEVICE_TYPE_GPU);
    cl_ok(clGetDeviceInfo(devices[1], CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(memory), &memory, NULL));
    ck_assert_uint_eq(memory, 1000000);
    cl_ok(clGetDeviceInfo(devices[1], CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(group), &group, NULL));
    ck_assert_uint_eq(group, 32);
    cl_ok(clGetDeviceInfo(devices[1], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL));
    ck_assert_uint_eq(units, 7);
}
END_TEST

START_TEST(no_devices)
{
    cl_platform_id platform;
    cl_uint count = 7;
    setenv("STUB_DEVICES", "0", 1);
    cl_ok(clGetPlatformIDs(1, &platform, NULL));
    cl_expect(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count), CL_DEVICE_NOT_FOUND);
}
END_TEST

static cl_kernel kernel_of(cl_program program, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    cl_ok(error);
    return kernel;
}

START_TEST(kernels_compute)
{
    int data[N], out[N];
    size_t half = N / 2;
    set_async(_i);
    cl_open();
    cl_program program = cl_build(kernel_text, "");
    cl_mem a = cl_buffer(0, sizeof(data), NULL), b = cl_buffer(0, sizeof(data), NULL);
    cl_kernel fill = kernel_of(program, "stub_fill_gid"), scale = kernel_of(program, "stub_scale");
    cl_set_mem(fill, 0, a);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, fill, 1, &half, &half, NULL, 0, NULL, NULL));
    cl_ok(clEnqueueNDRangeKernel(cl.queue, fill, 1, NULL, &half, NULL, 0, NULL, NULL));
    cl_set_mem(scale, 0, a);
    cl_set_mem(scale, 1, b);
    cl_set_int(scale, 2, 3);
    cl_launch(scale, N);
    cl_read(b, out, sizeof(out));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(out[i], i * 3);
    cl_ok(clReleaseKernel(fill));
    cl_ok(clReleaseKernel(scale));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
    cl_close();
}
END_TEST

START_TEST(fresh_memory_is_garbage)
{
    unsigned char bytes[16];
    cl_open();
    cl_mem mem = cl_buffer(0, 16, NULL);
    cl_read(mem, bytes, 16);
    ck_assert_int_eq(bytes[5], 0xa5);
    cl_ok(clReleaseMemObject(mem));
    cl_close();
}
END_TEST

/* Without in-place use the program's memory changes only through a map. */
START_TEST(host_pointer_in_place_or_not)
{
    static int host[N];
    cl_int error, one = 1;
    setenv("STUB_IN_PLACE", _i ? "1" : "0", 1);
    cl_open();
    cl_mem mem = cl_buffer(CL_MEM_USE_HOST_PTR, sizeof(host), host);
    cl_ok(clEnqueueFillBuffer(cl.queue, mem, &one, sizeof(one), 0, sizeof(host), 0, NULL, NULL));
    cl_ok(clFinish(cl.queue));
    ck_assert_int_eq(host[10], _i ? 1 : 0);
    int *map =
        clEnqueueMapBuffer(cl.queue, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 40, 40, 0, NULL, NULL, &error);
    cl_ok(error);
    ck_assert_ptr_eq(map, host + 10);
    ck_assert_int_eq(map[0], 1);
    map[1] = 77;
    cl_ok(clEnqueueUnmapMemObject(cl.queue, mem, map, 0, NULL, NULL));
    cl_expect(clEnqueueUnmapMemObject(cl.queue, mem, map, 0, NULL, NULL), CL_INVALID_VALUE);
    int got;
    cl_ok(clEnqueueReadBuffer(cl.queue, mem, CL_TRUE, 44, 4, &got, 0, NULL, NULL));
    ck_assert_int_eq(got, 77);
    cl_ok(clReleaseMemObject(mem));
    cl_close();
}
END_TEST

START_TEST(user_event_holds_queue)
{
    int one = 1, got = 0;
    cl_int error, status;
    cl_event command;
    set_async(_i);
    cl_open();
    cl_mem mem = cl_buffer(0, 4, NULL);
    cl_event user = clCreateUserEvent(cl.context, &error);
    cl_ok(error);
    cl_ok(clEnqueueWriteBuffer(cl.queue, mem, CL_FALSE, 0, 4, &one, 1, &user, &command));
    cl_ok(clEnqueueReadBuffer(cl.queue, mem, CL_FALSE, 0, 4, &got, 0, NULL, NULL));
    cl_ok(clFlush(cl.queue));
    usleep(20000);
    cl_ok(clGetEventInfo(command, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
    ck_assert_int_gt(status, CL_COMPLETE);
    cl_ok(clSetUserEventStatus(user, CL_COMPLETE));
    cl_ok(clFinish(cl.queue));
    ck_assert_int_eq(got, 1);
    cl_ok(clReleaseEvent(user));
    cl_ok(clReleaseEvent(command));
    cl_ok(clReleaseMemObject(mem));
    cl_close();
}
END_TEST

START_TEST(speed_is_simulated)
{
    size_t items = 1000, local = 1;
    setenv("STUB_SPEED", "0.05", 1); /* 1000 groups: 20 ms */
    set_async(_i);
    cl_open();
    cl_kernel kernel = cl_kernel_of(kernel_text, "stub_fill_gid");
    cl_mem mem = cl_buffer(0, items * 4, NULL);
    cl_set_mem(kernel, 0, mem);
    double begin = milliseconds();
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    double enqueued = milliseconds();
    cl_ok(clFinish(cl.queue));
    double end = milliseconds();
    ck_assert(end - begin >= 19.9);
    if (_i)
        ck_assert(enqueued - begin < 19);
    else
        ck_assert(enqueued - begin >= 19.9);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(mem));
    cl_close();
}
END_TEST

/* A kernel of 20 ms on a device that is slow at first, by a time or by a file: it takes at least as long as
 * half of it needs then. Without a load it is 20 ms, and nobody says how much more. */
START_TEST(load_is_simulated)
{
    size_t items = 1000, local = 1;
    char name[] = "/tmp/coexec-load-XXXXXX";
    setenv("STUB_SPEED", "0.05", 1);
    if (_i) {
        const int file = mkstemp(name);
        ck_assert_int_ge(file, 0);
        ck_assert_int_eq(write(file, "3\n", 2), 2);
        close(file);
        setenv("STUB_LOAD", name, 1);
    } else {
        setenv("STUB_SLOW", "1:0:1000:9,0:0:30:3", 1); /* 10 of its 20 ms in 30, the rest in 10 */
    }
    cl_open();
    cl_kernel kernel = cl_kernel_of(kernel_text, "stub_fill_gid");
    cl_mem mem = cl_buffer(0, items * 4, NULL);
    cl_set_mem(kernel, 0, mem);
    double begin = milliseconds();
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_ok(clFinish(cl.queue));
    double end = milliseconds();
    ck_assert_msg(end - begin >= (_i ? 59.5 : 39.5), "%g ms", end - begin);
    if (_i) /* gone again */
        ck_assert_int_eq(unlink(name), 0);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(mem));
    cl_close();
}
END_TEST

START_TEST(faults_at_the_kth_call)
{
    cl_int error, value = 0, status;
    cl_event event;
    setenv("STUB_FAIL", "clCreateBuffer:2:-61,clEnqueueWriteBuffer:1:-5,clEnqueueReadBuffer:1:-36:event", 1);
    cl_open();
    cl_mem mem = cl_buffer(0, 4, NULL);
    ck_assert_ptr_null(clCreateBuffer(cl.context, 0, 4, NULL, &error));
    cl_expect(error, CL_INVALID_BUFFER_SIZE);
    cl_expect(clEnqueueWriteBuffer(cl.queue, mem, CL_TRUE, 0, 4, &value, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    cl_write(mem, &value, 4);
    cl_ok(clEnqueueReadBuffer(cl.queue, mem, CL_FALSE, 0, 4, &value, 0, NULL, &event));
    cl_ok(clFinish(cl.queue));
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
    ck_assert_int_eq(status, -36);
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseMemObject(mem));
    cl_close();
}
END_TEST

START_TEST(hang_at_the_kth_call)
{
    int value = 1;
    setenv("STUB_HANG", "clEnqueueWriteBuffer:2:50", 1);
    set_async(1);
    cl_open();
    cl_mem mem = cl_buffer(0, 4, NULL);
    double begin = milliseconds();
    cl_write(mem, &value, 4);
    ck_assert(milliseconds() - begin < 45);
    begin = milliseconds();
    cl_write(mem, &value, 4);
    ck_assert(milliseconds() - begin >= 50);
    cl_ok(clReleaseMemObject(mem));
    cl_close();
}
END_TEST

START_TEST(memory_runs_out)
{
    cl_int error;
    setenv("STUB_MEM", "1000", 1);
    setenv("STUB_ALLOC", "600", 1);
    cl_open();
    ck_assert_ptr_null(clCreateBuffer(cl.context, 0, 601, NULL, &error));
    cl_expect(error, CL_INVALID_BUFFER_SIZE);
    cl_mem mem = cl_buffer(0, 600, NULL);
    ck_assert_ptr_null(clCreateBuffer(cl.context, 0, 401, NULL, &error));
    cl_expect(error, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    cl_ok(clReleaseMemObject(mem));
    mem = cl_buffer(0, 401, NULL);
    cl_ok(clReleaseMemObject(mem));
    cl_close();
}
END_TEST

START_TEST(log_has_a_line_a_call)
{
    char path[] = "/tmp/stub-log-XXXXXX", text[8192];
    int descriptor = mkstemp(path), value = 3;
    ck_assert_int_ge(descriptor, 0);
    setenv("STUB_LOG", path, 1);
    cl_open();
    cl_mem mem = cl_buffer(CL_MEM_READ_ONLY, 64, NULL);
    cl_ok(clEnqueueWriteBuffer(cl.queue, mem, CL_TRUE, 8, 4, &value, 0, NULL, NULL));
    cl_ok(clReleaseMemObject(mem));
    cl_close();
    ssize_t length = read(descriptor, text, sizeof(text) - 1);
    close(descriptor);
    unlink(path);
    ck_assert_int_gt(length, 0);
    text[length] = '\0';
    ck_assert_ptr_nonnull(strstr(text, "\nclCreateBuffer c1 flags=0x4 size=64\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nclEnqueueWriteBuffer q1 b1 blocking=1 offset=8 size=4 waits=0\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nclReleaseMemObject b1\n"));
}
END_TEST

START_TEST(unknown_kernels_do_not_build)
{
    const char *source = "__kernel void nobody(__global int *out) { out[0] = 1; }";
    char log[256];
    cl_int error;
    cl_open();
    cl_program program = clCreateProgramWithSource(cl.context, 1, &source, NULL, &error);
    cl_expect(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    cl_ok(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL));
    ck_assert_ptr_nonnull(strstr(log, "nobody"));
    cl_ok(clReleaseProgram(program));
    cl_close();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stub");
    TCase *tcase = tcase_create("driver");
    tcase_add_checked_fixture(tcase, read_kernels, forget_kernels);
    tcase_set_timeout(tcase, 30);
    tcase_add_test(tcase, devices_as_asked);
    tcase_add_test(tcase, no_devices);
    tcase_add_loop_test(tcase, kernels_compute, 0, 2);
    tcase_add_test(tcase, fresh_memory_is_garbage);
    tcase_add_loop_test(tcase, host_pointer_in_place_or_not, 0, 2);
    tcase_add_loop_test(tcase, user_event_holds_queue, 0, 2);
    tcase_add_loop_test(tcase, speed_is_simulated, 0, 2);
    tcase_add_loop_test(tcase, load_is_simulated, 0, 2);
    tcase_add_test(tcase, faults_at_the_kth_call);
    tcase_add_test(tcase, hang_at_the_kth_call);
    tcase_add_test(tcase, memory_runs_out);
    tcase_add_test(tcase, log_has_a_line_a_call);
    tcase_add_test(tcase, unknown_kernels_do_not_build);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
