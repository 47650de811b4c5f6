/* SPDX-License-Identifier: MIT */
/* Errors of command buffers (cl_khr_command_buffer 0.9.8; PoCL 3.1 has 0.9.0). */
#include "cl_recorded.h"
#include "negative.h"

static cl_int *code = &negative_code;

START_TEST(creation)
{
    const cl_command_buffer_properties_khr unknown[] = {0x1299, 1, 0};
    const cl_command_buffer_properties_khr flags[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 1 << 20, 0};
    const cl_command_buffer_properties_khr twice[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 1,
                                                      CL_COMMAND_BUFFER_FLAGS_KHR, 1, 0};
    cl_command_queue none = NULL, wrong = negative_handle(), two[2] = {cl.queue, cl.queue};
    char room[64];
    cl_command_buffer_khr buffer = cl_recorded_create(cl.queue, 0);

    ROW(CL_INVALID_VALUE, MADE(recorded.create(0, &cl.queue, NULL, code)));
    ROW(CL_INVALID_VALUE, MADE(recorded.create(2, two, NULL, code)));
    ROW(CL_INVALID_VALUE, MADE(recorded.create(1, NULL, NULL, code)));
    ROW_POCL(CL_INVALID_COMMAND_QUEUE, CRASHES, MADE(recorded.create(1, &none, NULL, code)));
    ROW_POCL(CL_INVALID_COMMAND_QUEUE, CRASHES, MADE(recorded.create(1, &wrong, NULL, code)));
    ROW(CL_INVALID_VALUE, MADE(recorded.create(1, &cl.queue, unknown, code)));
    ROW(CL_INVALID_VALUE, MADE(recorded.create(1, &cl.queue, flags, code)));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS, MADE(recorded.create(1, &cl.queue, twice, code)));
    ROW(CL_INVALID_COMMAND_BUFFER_KHR, recorded.retain(NULL));
    ROW(CL_INVALID_COMMAND_BUFFER_KHR, recorded.release(NULL));
    ROW(CL_INVALID_COMMAND_BUFFER_KHR, recorded.finalize(NULL));
    ROW_POCL(CL_INVALID_COMMAND_BUFFER_KHR, CRASHES, recorded.retain((cl_command_buffer_khr)cl.queue));
    ROW_POCL(CL_INVALID_COMMAND_BUFFER_KHR, CRASHES, recorded.finalize(negative_handle()));
    ROW(CL_INVALID_COMMAND_BUFFER_KHR,
        recorded.info(NULL, CL_COMMAND_BUFFER_STATE_KHR, sizeof(room), room, NULL));
    ROW(CL_INVALID_VALUE, recorded.info(buffer, 0x1292, sizeof(room), room, NULL));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS, recorded.info(buffer, CL_COMMAND_BUFFER_STATE_KHR, 1, room, NULL));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS,
             recorded.info(buffer, CL_COMMAND_BUFFER_QUEUES_KHR, 1, room, NULL));
    ROW(CL_INVALID_OPERATION, recorded.enqueue(0, NULL, buffer, 0, NULL, NULL));
    ROW(CL_SUCCESS, recorded.finalize(buffer));
    ROW_POCL(CL_INVALID_OPERATION, CL_SUCCESS, recorded.finalize(buffer));
    ROW(CL_SUCCESS, recorded.release(buffer));
    negative_end();
}
END_TEST

START_TEST(recording)
{
    const cl_uint pattern = 0;
    const size_t items = 64, offset = 0, huge = 1u << 30;
    const cl_command_properties_khr nothing[] = {0}, properties[] = {0x12B1, 1, 0};
    const cl_sync_point_khr strange = 99;
    cl_sync_point_khr point = 0;
    cl_mutable_command_khr handle;
    cl_mem a = cl_buffer(0, 256, NULL), b = cl_buffer(0, 256, NULL);
    cl_kernel kernel = cl_kernel_of("kernel void k(global int *a) { a[get_global_id(0)] = 1; }", "k");
    cl_kernel unset = cl_kernel_of("kernel void k(global int *a) { a[get_global_id(0)] = 1; }", "k");
    cl_context second = clCreateContext(NULL, 1, &cl.device, NULL, NULL, code);
    cl_ok(*code);
    cl_mem foreign = clCreateBuffer(second, 0, 256, NULL, code);
    cl_ok(*code);
    cl_command_buffer_khr buffer = cl_recorded_create(cl.queue, 0), done = cl_recorded_create(cl.queue, 0);
    cl_ok(recorded.finalize(done));
    cl_set_mem(kernel, 0, a);

#define BARRIER(buffer, queue, count, list, handle)                                                          \
    recorded.barrier(buffer, queue, count, list, &point, handle)
    ROW(CL_SUCCESS, BARRIER(buffer, NULL, 0, NULL, NULL));
    ROW(CL_SUCCESS, BARRIER(buffer, NULL, 1, &point, NULL));
    ROW(CL_INVALID_COMMAND_BUFFER_KHR, BARRIER(NULL, NULL, 0, NULL, NULL));
    ROW(CL_INVALID_COMMAND_QUEUE, BARRIER(buffer, cl.queue, 0, NULL, NULL));
    ROW(CL_INVALID_OPERATION, BARRIER(done, NULL, 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, BARRIER(buffer, NULL, 0, NULL, &handle));
    ROW(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, BARRIER(buffer, NULL, 1, NULL, NULL));
    ROW(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, BARRIER(buffer, NULL, 0, &point, NULL));
    ROW(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, BARRIER(buffer, NULL, 1, &strange, NULL));

#define COPY(buffer, queue, from, to, size)                                                                  \
    recorded.copy(buffer, queue, from, to, 0, 0, size, 0, NULL, NULL, NULL)
    ROW(CL_SUCCESS, COPY(buffer, NULL, a, b, 64));
    ROW(CL_INVALID_COMMAND_BUFFER_KHR, COPY(NULL, NULL, a, b, 64));
    ROW(CL_INVALID_COMMAND_QUEUE, COPY(buffer, cl.queue, a, b, 64));
    ROW(CL_INVALID_OPERATION, COPY(done, NULL, a, b, 64));
    ROW(CL_INVALID_MEM_OBJECT, COPY(buffer, NULL, NULL, b, 64));
    ROW(CL_INVALID_MEM_OBJECT, COPY(buffer, NULL, a, NULL, 64));
    ROW(CL_INVALID_CONTEXT, COPY(buffer, NULL, a, foreign, 64));
    ROW(CL_INVALID_CONTEXT, COPY(buffer, NULL, foreign, b, 64));
    ROW(CL_INVALID_VALUE, COPY(buffer, NULL, a, b, 257));
    ROW(CL_MEM_COPY_OVERLAP, COPY(buffer, NULL, a, a, 64));

#define FILL(buffer, mem, pattern, bytes, size)                                                              \
    recorded.fill(buffer, NULL, mem, pattern, bytes, 0, size, 0, NULL, NULL, NULL)
    ROW(CL_SUCCESS, FILL(buffer, a, &pattern, 4, 64));
    ROW(CL_INVALID_COMMAND_BUFFER_KHR, FILL(NULL, a, &pattern, 4, 64));
    ROW(CL_INVALID_OPERATION, FILL(done, a, &pattern, 4, 64));
    ROW(CL_INVALID_MEM_OBJECT, FILL(buffer, NULL, &pattern, 4, 64));
    ROW(CL_INVALID_CONTEXT, FILL(buffer, foreign, &pattern, 4, 64));
    ROW(CL_INVALID_VALUE, FILL(buffer, a, NULL, 4, 64));
    ROW(CL_INVALID_VALUE, FILL(buffer, a, &pattern, 3, 63));
    ROW(CL_INVALID_VALUE, FILL(buffer, a, &pattern, 4, 66));
    ROW(CL_INVALID_VALUE, FILL(buffer, a, &pattern, 4, 512));

#define RECT(from, region)                                                                                   \
    recorded.copy_rect(buffer, NULL, from, b, (const size_t[3]){0}, (const size_t[3]){0}, region, 0, 0, 0,   \
                       0, 0, NULL, NULL, NULL)
    ROW(CL_SUCCESS, RECT(a, ((const size_t[]){8, 2, 1})));
    ROW(CL_INVALID_VALUE, RECT(a, ((const size_t[]){8, 0, 1})));
    ROW(CL_INVALID_VALUE, RECT(a, ((const size_t[]){512, 1, 1})));
    ROW_POCL(CL_INVALID_VALUE, CRASHES, RECT(a, NULL));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CRASHES, RECT(NULL, ((const size_t[]){8, 2, 1})));

#define LAUNCH(buffer, list, object, dims, offset, global, local)                                            \
    recorded.kernel(buffer, NULL, list, object, dims, offset, global, local, 0, NULL, NULL, NULL)
    ROW(CL_SUCCESS, LAUNCH(buffer, NULL, kernel, 1, NULL, &items, NULL));
    ROW_POCL(CL_SUCCESS, ANY, LAUNCH(buffer, nothing, kernel, 1, NULL, &items, NULL));
    ROW_POCL(CL_INVALID_VALUE, ANY, LAUNCH(buffer, properties, kernel, 1, NULL, &items, NULL));
    ROW(CL_INVALID_COMMAND_BUFFER_KHR, LAUNCH(NULL, NULL, kernel, 1, NULL, &items, NULL));
    ROW(CL_INVALID_OPERATION, LAUNCH(done, NULL, kernel, 1, NULL, &items, NULL));
    ROW_POCL(CL_INVALID_KERNEL, CRASHES, LAUNCH(buffer, NULL, NULL, 1, NULL, &items, NULL));
    ROW_POCL(CL_INVALID_KERNEL_ARGS, CRASHES, LAUNCH(buffer, NULL, unset, 1, NULL, &items, NULL));
    ROW_POCL(CL_INVALID_WORK_DIMENSION, CRASHES, LAUNCH(buffer, NULL, kernel, 0, NULL, &items, NULL));
    ROW_POCL(CL_INVALID_WORK_DIMENSION, CRASHES, LAUNCH(buffer, NULL, kernel, 4, NULL, &items, NULL));
    ROW_POCL(CL_INVALID_WORK_GROUP_SIZE, CRASHES, LAUNCH(buffer, NULL, kernel, 1, NULL, &items, &offset));
    /* the device's driver says so at the enqueue */
    cl_command_buffer_khr refused = cl_recorded_create(cl.queue, 0);
    ROW_POCL(CL_SUCCESS, CRASHES, LAUNCH(refused, NULL, kernel, 1, NULL, &huge, &huge));
    cl_ok(recorded.release(refused));

    ROW(CL_SUCCESS, recorded.finalize(buffer));
    ROW(CL_INVALID_OPERATION, LAUNCH(buffer, NULL, kernel, 1, NULL, &items, NULL));
    ROW_POCL(CL_SUCCESS, CRASHES, recorded.enqueue(0, NULL, buffer, 0, NULL, NULL));
    cl_ok(clFinish(cl.queue));
    cl_ok(recorded.release(buffer));
    cl_ok(recorded.release(done));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseKernel(unset));
    for (int i = 0; i < 3; i++)
        cl_ok(clReleaseMemObject(((cl_mem[]){a, b, foreign})[i]));
    cl_ok(clReleaseContext(second));
    negative_end();
}
END_TEST

START_TEST(images)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    const size_t origin[3] = {0}, all[3] = {8, 8, 1}, more[3] = {9, 8, 1};
    const cl_uint colour[4] = {0};
    cl_bool has = CL_FALSE;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_IMAGE_SUPPORT, sizeof has, &has, NULL));
    if (!has)
        return;
    cl_mem mem = cl_buffer(0, 256, NULL), small = cl_buffer(0, 128, NULL);
    cl_mem image = clCreateImage(cl.context, 0, &format, &desc, NULL, code);
    cl_ok(*code);
    cl_command_buffer_khr buffer = cl_recorded_create(cl.queue, 0);
#define END 0, NULL, NULL, NULL
    ROW(CL_SUCCESS, recorded.fill_image(buffer, NULL, image, colour, origin, all, END));
    ROW(CL_INVALID_COMMAND_BUFFER_KHR, recorded.fill_image(NULL, NULL, image, colour, origin, all, END));
    ROW(CL_INVALID_MEM_OBJECT, recorded.fill_image(buffer, NULL, NULL, colour, origin, all, END));
    ROW(CL_INVALID_VALUE, recorded.fill_image(buffer, NULL, image, NULL, origin, all, END));
    ROW(CL_INVALID_VALUE, recorded.fill_image(buffer, NULL, image, colour, NULL, all, END));
    ROW(CL_INVALID_VALUE, recorded.fill_image(buffer, NULL, image, colour, origin, more, END));
    ROW(CL_SUCCESS, recorded.to_image(buffer, NULL, mem, image, 0, origin, all, END));
    ROW(CL_INVALID_VALUE, recorded.to_image(buffer, NULL, small, image, 0, origin, all, END));
    ROW(CL_INVALID_MEM_OBJECT, recorded.to_image(buffer, NULL, NULL, image, 0, origin, all, END));
    ROW(CL_SUCCESS, recorded.from_image(buffer, NULL, image, mem, origin, all, 0, END));
    ROW(CL_INVALID_VALUE, recorded.from_image(buffer, NULL, image, small, origin, all, 0, END));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CRASHES,
             recorded.from_image(buffer, NULL, image, NULL, origin, all, 0, END));
    ROW(CL_MEM_COPY_OVERLAP, recorded.copy_image(buffer, NULL, image, image, origin, origin, all, END));
    ROW(CL_INVALID_MEM_OBJECT, recorded.copy_image(buffer, NULL, image, NULL, origin, origin, all, END));
    cl_ok(recorded.release(buffer));
    for (int i = 0; i < 3; i++)
        cl_ok(clReleaseMemObject(((cl_mem[]){mem, small, image})[i]));
    negative_end();
}
END_TEST

START_TEST(enqueue)
{
    cl_context second = clCreateContext(NULL, 1, &cl.device, NULL, NULL, code);
    cl_ok(*code);
    cl_command_queue foreign = clCreateCommandQueue(second, cl.device, CL_QUEUE_PROFILING_ENABLE, code);
    cl_ok(*code);
    cl_command_queue plain = cl_queue(0), none = NULL, two[2] = {cl.queue, cl.queue};
    cl_command_buffer_khr buffer = cl_recorded_create(cl.queue, 0);
    cl_event strange = clCreateUserEvent(second, code), null = NULL;
    cl_ok(*code);
    cl_ok(clSetUserEventStatus(strange, CL_COMPLETE));
    cl_ok(recorded.finalize(buffer));

    ROW(CL_INVALID_COMMAND_BUFFER_KHR, recorded.enqueue(0, NULL, NULL, 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, recorded.enqueue(1, NULL, buffer, 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, recorded.enqueue(0, &cl.queue, buffer, 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, recorded.enqueue(2, two, buffer, 0, NULL, NULL));
    ROW(CL_INVALID_COMMAND_QUEUE, recorded.enqueue(1, &none, buffer, 0, NULL, NULL));
    ROW(CL_INVALID_CONTEXT, recorded.enqueue(1, &foreign, buffer, 0, NULL, NULL));
    ROW(CL_INCOMPATIBLE_COMMAND_QUEUE_KHR, recorded.enqueue(1, &plain, buffer, 0, NULL, NULL));
    ROW(CL_INVALID_EVENT_WAIT_LIST, recorded.enqueue(0, NULL, buffer, 1, NULL, NULL));
    ROW(CL_INVALID_EVENT_WAIT_LIST, recorded.enqueue(0, NULL, buffer, 0, &strange, NULL));
    ROW(CL_INVALID_EVENT_WAIT_LIST, recorded.enqueue(0, NULL, buffer, 1, &null, NULL));
    ROW(CL_INVALID_CONTEXT, recorded.enqueue(0, NULL, buffer, 1, &strange, NULL));
    ROW(CL_SUCCESS, recorded.enqueue(1, &cl.queue, buffer, 0, NULL, NULL));
    cl_ok(clFinish(cl.queue));
    cl_ok(recorded.release(buffer));
    cl_ok(clReleaseEvent(strange));
    cl_ok(clReleaseCommandQueue(plain));
    cl_ok(clReleaseCommandQueue(foreign));
    cl_ok(clReleaseContext(second));
    negative_end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("negative command buffers");
    TCase *tests = cl_case(suite, "negative command buffers");
    tcase_add_checked_fixture(tests, cl_recorded_find, NULL);
    tcase_add_test(tests, creation);
    tcase_add_test(tests, recording);
    tcase_add_test(tests, images);
    tcase_add_test(tests, enqueue);
    return tap_run(suite);
}
