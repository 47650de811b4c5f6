/* SPDX-License-Identifier: MIT */
/*
 * cl_khr_command_buffer: what is recorded runs at each enqueue as the same commands enqueued one by one do,
 * with the arguments it was recorded with, in the queue's order and behind the wait list. For any OpenCL that
 * has the extension; PoCL 3.1's own launches take the arguments set last, its sync points order nothing, and
 * it answers queries wrongly.
 */
#include "cl_recorded.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { SIZE = 1024, GROUP = 64, BYTES = SIZE * sizeof(cl_uint) };

static const char source[] =
    "kernel void scale(global uint *to, global const uint *from, uint by, uint more)\n"
    "{ size_t i = get_global_id(0); to[i] = from[i] * by + more; }\n"
    "kernel void add(global uint *to, global const uint *from)\n"
    "{ size_t i = get_global_id(0); to[i] += from[i]; }\n";

static const size_t items = SIZE, group = GROUP;

static cl_mem filled(cl_uint value)
{
    cl_uint data[SIZE];
    for (int i = 0; i < SIZE; i++)
        data[i] = value;
    return cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof data, data);
}

static void expect(cl_mem mem, cl_uint want)
{
    cl_uint got[SIZE];
    cl_read(mem, got, sizeof got);
    for (int i = 0; i < SIZE; i++)
        ck_assert_uint_eq(got[i], want);
}

static cl_uint state(cl_command_buffer_khr buffer)
{
    cl_command_buffer_state_khr value = 77;
    cl_ok(recorded.info(buffer, CL_COMMAND_BUFFER_STATE_KHR, sizeof value, &value, NULL));
    return value;
}

static void set_scale(cl_kernel kernel, cl_mem to, cl_mem from, cl_int by, cl_int more)
{
    cl_set_mem(kernel, 0, to);
    cl_set_mem(kernel, 1, from);
    cl_set_int(kernel, 2, by);
    cl_set_int(kernel, 3, more);
}

static void record_kernel(cl_command_buffer_khr buffer, cl_kernel kernel)
{
    cl_ok(recorded.kernel(buffer, NULL, NULL, kernel, 1, NULL, &items, &group, 0, NULL, NULL, NULL));
}

static void record_fill(cl_command_buffer_khr buffer, cl_mem mem, cl_uint value)
{
    cl_ok(recorded.fill(buffer, NULL, mem, &value, sizeof value, 0, BYTES, 0, NULL, NULL, NULL));
}

/* Three enqueues, with arguments as they were when recorded, of objects that the program has let go. */
START_TEST(replayed)
{
    cl_uint start[SIZE];
    if (!cl_is_coexec())
        return;
    cl_mem a = filled(0), b = filled(0), c = filled(9);
    cl_kernel scale = cl_kernel_of(source, "scale"), add = cl_kernel_of(source, "add");
    cl_command_buffer_khr buffer = cl_recorded_create(cl.queue, 0);
    ck_assert_uint_eq(state(buffer), CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
    set_scale(scale, b, a, 3, 1);
    record_kernel(buffer, scale);
    set_scale(scale, b, b, 2, 0);
    record_kernel(buffer, scale);
    cl_set_mem(add, 0, c);
    cl_set_mem(add, 1, b);
    record_kernel(buffer, add);
    record_fill(buffer, b, 5);
    cl_set_mem(add, 1, a);
    set_scale(scale, a, a, 0, 0);
    cl_ok(recorded.finalize(buffer));
    ck_assert_uint_eq(state(buffer), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    cl_ok(clReleaseKernel(scale));
    cl_ok(clReleaseKernel(add));
    for (cl_uint round = 1; round <= 3; round++) {
        for (int i = 0; i < SIZE; i++)
            start[i] = round;
        cl_write(a, start, sizeof start);
        cl_ok(recorded.enqueue(0, NULL, buffer, 0, NULL, NULL));
        expect(a, round);
        expect(b, 5);
        expect(c, 9 + (round * (round + 1) / 2 * 3 + round) * 2);
    }
    ck_assert_uint_eq(state(buffer), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    cl_ok(clReleaseMemObject(b));
    cl_ok(recorded.enqueue(0, NULL, buffer, 0, NULL, NULL));
    cl_ok(recorded.release(buffer));
    expect(c, 9 + (9 * 3 + 4) * 2);
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(c));
}
END_TEST

/* Many times, while the device is done with the first replays. */
START_TEST(replayed_often)
{
    enum { REPLAYS = 4000 };
    if (!cl_is_coexec())
        return;
    cl_mem a = filled(1), b = filled(0);
    cl_kernel add = cl_kernel_of(source, "add");
    cl_command_buffer_khr buffer = cl_recorded_create(cl.queue, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    cl_set_mem(add, 0, b);
    cl_set_mem(add, 1, a);
    record_kernel(buffer, add);
    cl_ok(recorded.finalize(buffer));
    for (int i = 0; i < REPLAYS; i++)
        cl_ok(recorded.enqueue(0, NULL, buffer, 0, NULL, NULL));
    expect(b, REPLAYS);
    cl_ok(recorded.release(buffer));
    cl_ok(clReleaseKernel(add));
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
}
END_TEST

START_TEST(queries)
{
    const cl_command_buffer_properties_khr given[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                                      CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
    cl_command_buffer_properties_khr list[3] = {1, 1, 1};
    cl_command_queue queue = NULL;
    cl_uint count = 0;
    size_t size = 0;
    if (!cl_is_coexec())
        return;
    cl_command_buffer_khr buffer = cl_recorded_create(cl.queue, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    cl_ok(recorded.info(buffer, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, sizeof count, &count, &size));
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(size, sizeof count);
    cl_ok(recorded.info(buffer, CL_COMMAND_BUFFER_QUEUES_KHR, sizeof queue, &queue, NULL));
    ck_assert_ptr_eq(queue, cl.queue);
    cl_ok(recorded.info(buffer, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, sizeof list, list, &size));
    ck_assert_uint_eq(size, sizeof given);
    ck_assert_mem_eq(list, given, sizeof given);
    cl_ok(recorded.retain(buffer));
    cl_ok(recorded.info(buffer, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 2);
    cl_ok(recorded.release(buffer));
    cl_ok(recorded.info(buffer, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 1);
    cl_ok(recorded.release(buffer));
    buffer = cl_recorded_create(cl.queue, 0);
    cl_ok(recorded.info(buffer, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, sizeof list, list, &size));
    ck_assert(size == 0 || (size == sizeof *list && list[0] == 0));
    cl_ok(recorded.release(buffer));
}
END_TEST

/* Between commands of an in-order queue, by an event, and with nothing in it. */
START_TEST(in_its_place)
{
    const cl_uint seven = 7;
    cl_mem a = filled(1), b = filled(1);
    cl_kernel add = cl_kernel_of(source, "add");
    cl_event event;
    cl_command_type type = 0;
    cl_command_queue queue = NULL;
    cl_ulong times[4] = {0};
    cl_command_buffer_khr buffer = cl_recorded_create(cl.queue, 0), empty = cl_recorded_create(cl.queue, 0);
    cl_set_mem(add, 0, b);
    cl_set_mem(add, 1, a);
    record_kernel(buffer, add);
    cl_ok(recorded.finalize(buffer));
    cl_ok(recorded.finalize(empty));
    cl_ok(clEnqueueFillBuffer(cl.queue, a, &seven, sizeof seven, 0, BYTES, 0, NULL, NULL));
    cl_ok(recorded.enqueue(0, NULL, buffer, 0, NULL, &event));
    cl_ok(clEnqueueCopyBuffer(cl.queue, b, a, 0, 0, BYTES, 0, NULL, NULL));
    expect(a, 8);
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_COMMAND_COMMAND_BUFFER_KHR);
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL));
    ck_assert_ptr_eq(queue, cl.queue);
    cl_ok(clWaitForEvents(1, &event));
    for (cl_uint i = 0; i < 4; i++) {
        cl_ok(
            clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + i, sizeof *times, &times[i], NULL));
        ck_assert(i == 0 || times[i] >= times[i - 1]);
    }
    ck_assert(times[3] > times[2]);
    cl_ok(clReleaseEvent(event));
    cl_ok(recorded.enqueue(0, NULL, empty, 0, NULL, &event));
    cl_ok(clWaitForEvents(1, &event));
    cl_ok(clReleaseEvent(event));
    cl_ok(recorded.release(buffer));
    cl_ok(recorded.release(empty));
    cl_ok(clReleaseKernel(add));
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
}
END_TEST

/* On another queue like it. */
START_TEST(elsewhere)
{
    cl_mem a = filled(1), b = filled(1);
    cl_kernel add = cl_kernel_of(source, "add");
    cl_command_queue other = cl_queue(CL_QUEUE_PROFILING_ENABLE);
    cl_command_buffer_khr buffer = cl_recorded_create(cl.queue, 0);
    cl_set_mem(add, 0, b);
    cl_set_mem(add, 1, a);
    record_kernel(buffer, add);
    cl_ok(recorded.finalize(buffer));
    cl_ok(recorded.enqueue(1, &other, buffer, 0, NULL, NULL));
    cl_ok(clFinish(other));
    expect(b, 2);
    cl_ok(recorded.release(buffer));
    cl_ok(clReleaseCommandQueue(other));
    cl_ok(clReleaseKernel(add));
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
}
END_TEST

/* Behind the program's event: pending until then, and failed where that fails. */
START_TEST(behind_user_event)
{
    const bool fails = _i;
    cl_event gate, event, second;
    cl_int error, status = 77;
    if (!cl_user_events_work() || (fails && !cl_user_events_fail()))
        return;
    cl_mem a = filled(1);
    cl_command_buffer_khr buffer = cl_recorded_create(cl.queue, 0);
    record_fill(buffer, a, 2);
    cl_ok(recorded.barrier(buffer, NULL, 0, NULL, NULL, NULL));
    record_fill(buffer, a, 3);
    cl_ok(recorded.finalize(buffer));
    gate = clCreateUserEvent(cl.context, &error);
    cl_ok(error);
    cl_ok(recorded.enqueue(0, NULL, buffer, 1, &gate, &event));
    cl_ok(clFlush(cl.queue));
    if (recorded.has_properties) /* since then it is enqueued again at any time */
        ck_assert_uint_eq(state(buffer), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    else
        cl_expect(recorded.enqueue(0, NULL, buffer, 0, NULL, &second), CL_INVALID_OPERATION);
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    ck_assert_int_gt(status, CL_COMPLETE);
    cl_ok(clSetUserEventStatus(gate, fails ? -7 : CL_COMPLETE));
    cl_expect(clWaitForEvents(1, &event), fails ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    ck_assert(fails ? status < 0 : status == CL_COMPLETE);
    ck_assert_uint_eq(state(buffer), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    expect(a, fails ? 1 : 3);
    cl_ok(recorded.enqueue(0, NULL, buffer, 0, NULL, NULL));
    expect(a, 3);
    cl_ok(clReleaseEvent(gate));
    cl_ok(clReleaseEvent(event));
    cl_ok(recorded.release(buffer));
    cl_ok(clReleaseMemObject(a));
}
END_TEST

static void CL_CALLBACK on_end_slowly(cl_event event, cl_int status, void *data)
{
    usleep(20000);
    atomic_store((atomic_int *)data, status == CL_COMPLETE ? 1 : -1);
}

/* Whoever waits for a command buffer finds its callbacks called. */
START_TEST(called_back)
{
    if (!cl_is_coexec())
        return;
    cl_mem a = filled(1);
    cl_kernel scale = cl_kernel_of(source, "scale");
    cl_command_buffer_khr buffer = cl_recorded_create(cl.queue, 0);
    set_scale(scale, a, a, 1, 1);
    record_kernel(buffer, scale);
    cl_ok(recorded.finalize(buffer));
    for (int i = 0; i < 8; i++) {
        atomic_int called = 0;
        cl_event event;
        cl_ok(recorded.enqueue(0, NULL, buffer, 0, NULL, &event));
        cl_ok(clSetEventCallback(event, CL_COMPLETE, on_end_slowly, &called));
        cl_ok(i % 2 ? clFinish(cl.queue) : clWaitForEvents(1, &event));
        ck_assert_int_eq(atomic_load(&called), 1);
        cl_ok(clReleaseEvent(event));
    }
    expect(a, 9);
    cl_ok(clReleaseKernel(scale));
    cl_ok(recorded.release(buffer));
    cl_ok(clReleaseMemObject(a));
}
END_TEST

/* Enqueued while it is pending, without CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR: one run follows the other,
 * also of a queue that keeps no order. */
START_TEST(one_after_the_other)
{
    enum { TIMES = 12 };
    if (!recorded.has_properties || !cl_user_events_work())
        return;
    cl_command_queue queue = cl_queue(_i ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    cl_mem a = filled(1);
    cl_kernel scale = cl_kernel_of(source, "scale");
    cl_int error;
    cl_event gate = clCreateUserEvent(cl.context, &error);
    cl_ok(error);
    cl_command_buffer_khr buffer = cl_recorded_create(queue, 0);
    set_scale(scale, a, a, 3, 1);
    record_kernel(buffer, scale);
    cl_ok(clReleaseKernel(scale));
    cl_ok(recorded.finalize(buffer));
    cl_uint want = 1;
    for (int i = 0; i < TIMES; i++, want = 3 * want + 1)
        cl_ok(recorded.enqueue(0, NULL, buffer, i == 0, i == 0 ? &gate : NULL, NULL));
    cl_ok(clFlush(queue));
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clFinish(queue));
    expect(a, want);
    cl_ok(clReleaseEvent(gate));
    cl_ok(recorded.release(buffer));
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseCommandQueue(queue));
}
END_TEST

/* Programs built against 0.9.1 give no list of properties: a memory object, or a length, in its place tells.
 */
START_TEST(older_signature)
{
    const size_t zero[3] = {0}, region[3] = {BYTES, 1, 1};
    const cl_uint value = 5;
    cl_sync_point_khr points[3] = {0};
    if (!recorded.has_properties)
        return;
    cl_mem a = filled(1), b = filled(2), c = filled(3);
    cl_command_buffer_khr buffer = cl_recorded_create(cl.queue, 0);
    const struct cl_recorded_older *older = &recorded.older;
    cl_ok(older->fill(buffer, NULL, a, &value, sizeof value, 0, BYTES, 0, NULL, &points[0], NULL));
    cl_ok(older->copy(buffer, NULL, a, b, 0, 0, BYTES, 1, &points[0], &points[1], NULL));
    cl_ok(older->barrier(buffer, NULL, 2, points, &points[2], NULL));
    cl_ok(older->copy_rect(buffer, NULL, b, c, zero, zero, region, 0, 0, 0, 0, 1, &points[2], NULL, NULL));
    ck_assert_uint_eq(points[0], 1);
    ck_assert_uint_eq(points[2], 3);
    cl_expect(older->copy(buffer, NULL, a, a, 0, 0, BYTES, 0, NULL, NULL, NULL), CL_MEM_COPY_OVERLAP);
    cl_ok(recorded.finalize(buffer));
    cl_ok(recorded.enqueue(0, NULL, buffer, 0, NULL, NULL));
    expect(c, 5);
    cl_ok(recorded.release(buffer));
    for (int i = 0; i < 3; i++)
        cl_ok(clReleaseMemObject(((cl_mem[]){a, b, c})[i]));
}
END_TEST

/* What 0.9.8 has beyond 0.9.1. */
START_TEST(todays_signature)
{
    const cl_command_properties_khr nothing[] = {0}, unknown[] = {0x7777, 1, 0};
    const cl_uint value = 6;
    cl_device_svm_capabilities svm = 0;
    cl_command_queue_properties queues = 0;
    cl_context context = NULL;
    if (!recorded.has_properties)
        return;
    cl_mem a = filled(1);
    cl_command_buffer_khr buffer = cl_recorded_create(cl.queue, 0);
    const struct cl_recorded_today *today = &recorded.today;
    cl_ok(recorded.info(buffer, CL_COMMAND_BUFFER_CONTEXT_KHR, sizeof context, &context, NULL));
    ck_assert_ptr_eq(context, cl.context);
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR, sizeof queues,
                          &queues, NULL));
    ck_assert(queues & CL_QUEUE_PROFILING_ENABLE);
    cl_ok(today->fill(buffer, NULL, nothing, a, &value, sizeof value, 0, BYTES, 0, NULL, NULL, NULL));
    cl_expect(today->fill(buffer, NULL, unknown, a, &value, sizeof value, 0, BYTES, 0, NULL, NULL, NULL),
              CL_INVALID_VALUE);
    cl_expect(today->barrier(buffer, NULL, unknown, 0, NULL, NULL, NULL), CL_INVALID_VALUE);
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    cl_uint *one = svm ? clSVMAlloc(cl.context, 0, BYTES, 0) : NULL;
    cl_uint *two = one ? clSVMAlloc(cl.context, 0, BYTES, 0) : NULL;
    if (two) {
        cl_ok(today->svm_fill(buffer, NULL, NULL, one, &value, sizeof value, BYTES, 0, NULL, NULL, NULL));
        cl_ok(today->svm_copy(buffer, NULL, NULL, two, one, BYTES, 0, NULL, NULL, NULL));
    }
    cl_ok(recorded.finalize(buffer));
    cl_ok(recorded.enqueue(0, NULL, buffer, 0, NULL, NULL));
    expect(a, 6);
    if (two) {
        cl_ok(clEnqueueSVMMap(cl.queue, CL_TRUE, CL_MAP_READ, two, BYTES, 0, NULL, NULL));
        for (int i = 0; i < SIZE; i++)
            ck_assert_uint_eq(two[i], 6);
        cl_ok(clEnqueueSVMUnmap(cl.queue, two, 0, NULL, NULL));
        cl_ok(clFinish(cl.queue));
        clSVMFree(cl.context, two);
        clSVMFree(cl.context, one);
    }
    cl_ok(recorded.release(buffer));
    cl_ok(clReleaseMemObject(a));
}
END_TEST

/* Many at once, all let go before they ran. */
START_TEST(simultaneous)
{
    enum { TIMES = 20 };
    cl_mem a = filled(1), b = filled(0);
    cl_kernel add = cl_kernel_of(source, "add");
    cl_event gate = NULL;
    cl_int error;
    cl_command_buffer_khr buffer = cl_recorded_create(cl.queue, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    cl_set_mem(add, 0, b);
    cl_set_mem(add, 1, a);
    record_kernel(buffer, add);
    cl_ok(clReleaseKernel(add));
    cl_ok(recorded.finalize(buffer));
    if (cl_user_events_work()) {
        gate = clCreateUserEvent(cl.context, &error);
        cl_ok(error);
    }
    for (int i = 0; i < TIMES; i++)
        cl_ok(recorded.enqueue(0, NULL, buffer, gate != NULL, gate ? &gate : NULL, NULL));
    cl_ok(recorded.release(buffer));
    if (gate) {
        cl_ok(clFlush(cl.queue));
        cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
        cl_ok(clReleaseEvent(gate));
    }
    expect(b, TIMES);
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
}
END_TEST

/* A chain by sync points alone, beside commands that depend on nothing, and barriers. */
START_TEST(out_of_order)
{
    if (!cl_out_of_order_works() || !cl_is_coexec())
        return;
    cl_command_queue queue = cl_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem a = filled(1), b = filled(0), c = filled(0), d = filled(0);
    cl_kernel scale = cl_kernel_of(source, "scale");
    cl_sync_point_khr first, second[2];
    const cl_uint value = 11;
    cl_event event;
    cl_command_buffer_khr buffer = cl_recorded_create(queue, 0);
    set_scale(scale, b, a, 2, 0);
    cl_ok(recorded.kernel(buffer, NULL, NULL, scale, 1, NULL, &items, &group, 0, NULL, &first, NULL));
    cl_ok(recorded.fill(buffer, NULL, d, &value, sizeof value, 0, BYTES, 0, NULL, NULL, NULL));
    set_scale(scale, c, b, 3, 1);
    cl_ok(recorded.kernel(buffer, NULL, NULL, scale, 1, NULL, &items, &group, 1, &first, &second[0], NULL));
    cl_ok(recorded.copy(buffer, NULL, b, a, 0, 0, BYTES, 1, &first, &second[1], NULL));
    cl_ok(recorded.barrier(buffer, NULL, 2, second, NULL, NULL));
    set_scale(scale, b, c, 1, 0);
    cl_ok(recorded.kernel(buffer, NULL, NULL, scale, 1, NULL, &items, &group, 0, NULL, NULL, NULL));
    cl_ok(recorded.barrier(buffer, NULL, 0, NULL, NULL, NULL));
    set_scale(scale, d, d, 2, 0);
    cl_ok(recorded.kernel(buffer, NULL, NULL, scale, 1, NULL, &items, &group, 0, NULL, NULL, NULL));
    ck_assert(first != 0 && second[0] != first && second[1] != second[0] && second[1] != first);
    cl_ok(recorded.finalize(buffer));
    for (cl_uint round = 0; round < 3; round++) {
        cl_ok(recorded.enqueue(0, NULL, buffer, 0, NULL, &event));
        cl_ok(clWaitForEvents(1, &event));
        cl_ok(clReleaseEvent(event));
        expect(a, 2u << round);
        expect(c, (2u << round) * 3 + 1);
        expect(b, (2u << round) * 3 + 1);
        expect(d, 22);
    }
    cl_ok(recorded.release(buffer));
    cl_ok(clReleaseKernel(scale));
    cl_ok(clReleaseCommandQueue(queue));
    for (int i = 0; i < 4; i++)
        cl_ok(clReleaseMemObject(((cl_mem[]){a, b, c, d})[i]));
}
END_TEST

/* All commands on images, and a rectangle. PoCL's own copies and fills of images are wrong. */
START_TEST(images)
{
    enum { WIDTH = 16, HEIGHT = 8, TEXELS = WIDTH * HEIGHT };
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    const size_t origin[3] = {0}, at[3] = {2, 3, 0}, small[3] = {4, 2, 1}, all[3] = {WIDTH, HEIGHT, 1};
    const size_t row = WIDTH * 4, rect_at[3] = {8, 3, 0}, rect[3] = {16, 2, 1};
    const cl_uint colour[4] = {1, 2, 3, 4};
    cl_bool has = CL_FALSE;
    cl_uchar in[TEXELS][4], out[TEXELS][4], want[TEXELS][4];
    cl_int error;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_IMAGE_SUPPORT, sizeof has, &has, NULL));
    if (!has || !cl_is_coexec())
        return;
    cl_noise(in, sizeof in);
    cl_mem from = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof in, in), to = cl_buffer(0, sizeof out, NULL);
    cl_mem image[2];
    for (int i = 0; i < 2; i++) {
        image[i] = clCreateImage(cl.context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error);
        cl_ok(error);
    }
    cl_command_buffer_khr buffer = cl_recorded_create(cl.queue, 0);
    cl_ok(recorded.to_image(buffer, NULL, from, image[0], 0, origin, all, 0, NULL, NULL, NULL));
    cl_ok(recorded.copy_image(buffer, NULL, image[0], image[1], origin, origin, all, 0, NULL, NULL, NULL));
    cl_ok(recorded.fill_image(buffer, NULL, image[1], colour, at, small, 0, NULL, NULL, NULL));
    cl_ok(recorded.from_image(buffer, NULL, image[1], to, origin, all, 0, 0, NULL, NULL, NULL));
    cl_ok(recorded.copy_rect(buffer, NULL, from, to, origin, rect_at, rect, row, 0, row, 0, 0, NULL, NULL,
                             NULL));
    cl_ok(recorded.finalize(buffer));
    for (int round = 0; round < 2; round++) {
        cl_noise(in, sizeof in);
        cl_write(from, in, sizeof in);
        cl_ok(recorded.enqueue(0, NULL, buffer, 0, NULL, NULL));
        memcpy(want, in, sizeof want);
        for (int y = 3; y < 5; y++)
            for (int x = 2; x < 6; x++)
                memcpy(want[y * WIDTH + x], (cl_uchar[]){1, 2, 3, 4}, 4);
        for (int y = 0; y < 2; y++)
            memcpy(want[(3 + y) * WIDTH + 2], in[y * WIDTH], 16);
        cl_read(to, out, sizeof out);
        ck_assert_mem_eq(out, want, sizeof want);
    }
    cl_ok(recorded.release(buffer));
    for (int i = 0; i < 4; i++)
        cl_ok(clReleaseMemObject(((cl_mem[]){from, to, image[0], image[1]})[i]));
}
END_TEST

/* ---- random lists ---- */

enum { MEMS = 3, ROUNDS = 40 };

/* One random command, enqueued or recorded. */
static void random_command(cl_command_buffer_khr buffer, cl_kernel scale, cl_kernel add, cl_mem mem[MEMS])
{
    const unsigned kind = cl_roll(5), to = cl_roll(MEMS), from = (to + 1 + cl_roll(MEMS - 1)) % MEMS;
    const size_t offset = 4 * cl_roll(SIZE / 2), size = 4 * (1 + cl_roll(SIZE / 2));
    const size_t place[3] = {4 * cl_roll(8), cl_roll(8), 0},
                 region[3] = {4 * (1 + cl_roll(8)), 1 + cl_roll(4), 1};
    const size_t start = GROUP * cl_roll(4), count = GROUP * (1 + cl_roll(12));
    const cl_uint value = cl_roll(1000);
    cl_kernel kernel = cl_roll(2) ? scale : add;
    switch (kind) {
    case 0:
        if (buffer)
            cl_ok(recorded.copy(buffer, NULL, mem[from], mem[to], 0, offset, size, 0, NULL, NULL, NULL));
        else
            cl_ok(clEnqueueCopyBuffer(cl.queue, mem[from], mem[to], 0, offset, size, 0, NULL, NULL));
        break;
    case 1:
        if (buffer)
            cl_ok(recorded.fill(buffer, NULL, mem[to], &value, 4, offset, size, 0, NULL, NULL, NULL));
        else
            cl_ok(clEnqueueFillBuffer(cl.queue, mem[to], &value, 4, offset, size, 0, NULL, NULL));
        break;
    case 2:
        if (buffer)
            cl_ok(recorded.copy_rect(buffer, NULL, mem[from], mem[to], place, place, region, 128, 0, 128, 0,
                                     0, NULL, NULL, NULL));
        else
            cl_ok(clEnqueueCopyBufferRect(cl.queue, mem[from], mem[to], place, place, region, 128, 0, 128, 0,
                                          0, NULL, NULL));
        break;
    default:
        cl_set_mem(kernel, 0, mem[to]);
        cl_set_mem(kernel, 1, mem[from]);
        cl_set_int(scale, 2, 1 + (cl_int)cl_roll(5));
        cl_set_int(scale, 3, (cl_int)cl_roll(5));
        if (buffer)
            cl_ok(
                recorded.kernel(buffer, NULL, NULL, kernel, 1, &start, &count, &group, 0, NULL, NULL, NULL));
        else
            cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, &start, &count, &group, 0, NULL, NULL));
    }
}

/* The same list recorded and enqueued one by one, from the same contents. */
START_TEST(as_one_by_one)
{
    static cl_uint noise[MEMS][SIZE], recorded_out[MEMS][SIZE], out[MEMS][SIZE];
    if (!cl_is_coexec())
        return;
    cl_kernel scale = cl_kernel_of(source, "scale"), add = cl_kernel_of(source, "add");
    cl_mem mem[MEMS];
    for (int m = 0; m < MEMS; m++)
        mem[m] = filled(0);
    for (int round = 0; round < ROUNDS; round++) {
        const unsigned count = 1 + (unsigned)round % 12, times = 1 + (unsigned)round % 3;
        cl_command_buffer_khr buffer = cl_recorded_create(cl.queue, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
        cl_noise(noise, sizeof noise);
        cl_seed(1000 + (unsigned)round);
        for (unsigned i = 0; i < count; i++)
            random_command(buffer, scale, add, mem);
        cl_ok(recorded.finalize(buffer));
        for (int m = 0; m < MEMS; m++)
            cl_write(mem[m], noise[m], BYTES);
        for (unsigned t = 0; t < times; t++)
            cl_ok(recorded.enqueue(0, NULL, buffer, 0, NULL, NULL));
        for (int m = 0; m < MEMS; m++)
            cl_read(mem[m], recorded_out[m], BYTES);
        for (int m = 0; m < MEMS; m++)
            cl_write(mem[m], noise[m], BYTES);
        for (unsigned t = 0; t < times; t++) {
            cl_seed(1000 + (unsigned)round);
            for (unsigned i = 0; i < count; i++)
                random_command(NULL, scale, add, mem);
        }
        for (int m = 0; m < MEMS; m++)
            cl_read(mem[m], out[m], BYTES);
        ck_assert_msg(memcmp(out, recorded_out, sizeof out) == 0, "round %d", round);
        cl_ok(recorded.release(buffer));
    }
    cl_ok(clReleaseKernel(scale));
    cl_ok(clReleaseKernel(add));
    for (int m = 0; m < MEMS; m++)
        cl_ok(clReleaseMemObject(mem[m]));
}
END_TEST

/* ---- one command among others ---- */

static void *fill_often(void *data)
{
    const cl_uint value = 1000;
    for (int i = 0; i < 60; i++)
        if (clEnqueueFillBuffer(cl.queue, data, &value, sizeof value, 0, BYTES, 0, NULL, NULL) != CL_SUCCESS)
            return data;
    return NULL;
}

/* What another thread enqueues on the in-order queue meanwhile comes before all of it or behind all of it. */
START_TEST(undivided)
{
    enum { TIMES = 30 };
    if (!cl_is_coexec())
        return;
    cl_mem a = filled(0), b = filled(0);
    cl_kernel add = cl_kernel_of(source, "add");
    cl_command_buffer_khr buffer = cl_recorded_create(cl.queue, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    pthread_t thread;
    void *failed;
    record_fill(buffer, a, 1);
    cl_set_mem(add, 0, b);
    cl_set_mem(add, 1, a);
    record_kernel(buffer, add);
    cl_ok(recorded.finalize(buffer));
    ck_assert_int_eq(pthread_create(&thread, NULL, fill_often, a), 0);
    for (int i = 0; i < TIMES; i++)
        cl_ok(recorded.enqueue(0, NULL, buffer, 0, NULL, NULL));
    ck_assert_int_eq(pthread_join(thread, &failed), 0);
    ck_assert_ptr_null(failed);
    expect(b, TIMES);
    cl_ok(recorded.release(buffer));
    cl_ok(clReleaseKernel(add));
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("command buffers");
    TCase *tests = cl_case(suite, "command buffers");
    tcase_add_checked_fixture(tests, cl_recorded_find, NULL);
    tcase_add_test(tests, replayed);
    tcase_add_test(tests, replayed_often);
    tcase_add_test(tests, queries);
    tcase_add_test(tests, in_its_place);
    tcase_add_test(tests, elsewhere);
    tcase_add_loop_test(tests, behind_user_event, 0, 2);
    tcase_add_test(tests, called_back);
    tcase_add_test(tests, simultaneous);
    tcase_add_loop_test(tests, one_after_the_other, 0, 2);
    tcase_add_test(tests, older_signature);
    tcase_add_test(tests, todays_signature);
    tcase_add_test(tests, out_of_order);
    tcase_add_test(tests, images);
    tcase_add_test(tests, as_one_by_one);
    tcase_add_test(tests, undivided);
    return tap_run(suite);
}
