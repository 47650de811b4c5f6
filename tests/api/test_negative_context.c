/* SPDX-License-Identifier: MIT */
/* Errors of contexts and queues. */
#include "negative.h"

START_TEST(contexts)
{
    cl_int *code = &negative_code;
    const cl_context_properties unknown[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)cl.platform, 0x7777,
                                             0, 0},
                                wrong[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)negative_handle(), 0},
                                right[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)cl.platform, 0},
                                no_boolean[] = {CL_CONTEXT_INTEROP_USER_SYNC, 7, 0},
                                boolean[] = {CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, 0},
                                shared[] = {0x2008 /* CL_GL_CONTEXT_KHR */, 1, 0},
                                twice[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)cl.platform,
                                           CL_CONTEXT_PLATFORM, (cl_context_properties)cl.platform, 0};
    cl_device_id none = NULL, other = (cl_device_id)cl.queue;
    cl_device_id two[] = {cl.device, none};
    char text[64];
    size_t size;

    ROW(CL_INVALID_VALUE, MADE(clCreateContext(right, 0, &cl.device, NULL, NULL, code)));
    ROW(CL_INVALID_VALUE, MADE(clCreateContext(right, 1, NULL, NULL, NULL, code)));
    ROW(CL_INVALID_VALUE, MADE(clCreateContext(right, 1, &cl.device, NULL, text, code)));
    ROW(CL_INVALID_PROPERTY, MADE(clCreateContext(unknown, 1, &cl.device, NULL, NULL, code)));
    ROW(CL_INVALID_PROPERTY, MADE(clCreateContext(twice, 1, &cl.device, NULL, NULL, code)));
    ROW_POCL(CL_INVALID_PROPERTY, CL_SUCCESS,
             MADE(clCreateContext(no_boolean, 1, &cl.device, NULL, NULL, code)));
    ROW(CL_SUCCESS, MADE(clCreateContext(boolean, 1, &cl.device, NULL, NULL, code)));
    ROW_POCL(CL_INVALID_PROPERTY, CL_SUCCESS, MADE(clCreateContext(shared, 1, &cl.device, NULL, NULL, code)));
    ROW(CL_INVALID_PLATFORM, MADE(clCreateContext(wrong, 1, &cl.device, NULL, NULL, code)));
    ROW(CL_INVALID_DEVICE, MADE(clCreateContext(right, 2, two, NULL, NULL, code)));
    ROW_POCL(CL_INVALID_DEVICE, CRASHES, MADE(clCreateContext(right, 1, &other, NULL, NULL, code)));
    ROW_POCL(CL_INVALID_DEVICE_TYPE, ANY, MADE(clCreateContextFromType(right, 0, NULL, NULL, code)));
    ROW_POCL(CL_DEVICE_NOT_FOUND, ANY,
             MADE(clCreateContextFromType(right, CL_DEVICE_TYPE_CUSTOM, NULL, NULL, code)));
    ROW(CL_INVALID_VALUE, MADE(clCreateContextFromType(right, CL_DEVICE_TYPE_ALL, NULL, text, code)));
    ROW(CL_INVALID_PROPERTY, MADE(clCreateContextFromType(unknown, CL_DEVICE_TYPE_ALL, NULL, NULL, code)));
    ROW(CL_INVALID_PROPERTY, MADE(clCreateContextFromType(twice, CL_DEVICE_TYPE_ALL, NULL, NULL, code)));
    ROW(CL_INVALID_PLATFORM, MADE(clCreateContextFromType(wrong, CL_DEVICE_TYPE_ALL, NULL, NULL, code)));
    ROW(CL_INVALID_CONTEXT, clRetainContext(NULL));
    ROW(CL_INVALID_CONTEXT, clReleaseContext(NULL));
    ROW_POCL(CL_INVALID_CONTEXT, CRASHES, clRetainContext((cl_context)cl.queue));
    ROW_POCL(CL_INVALID_CONTEXT, CRASHES, clReleaseContext((cl_context)cl.queue));
    ROW(CL_INVALID_CONTEXT, clGetContextInfo(NULL, CL_CONTEXT_DEVICES, sizeof(text), text, &size));
    ROW(CL_INVALID_VALUE, clGetContextInfo(cl.context, 0xffff, sizeof(text), text, &size));
    ROW(CL_INVALID_VALUE, clGetContextInfo(cl.context, CL_CONTEXT_DEVICES, 1, text, &size));
    ROW(CL_INVALID_VALUE, clGetContextInfo(cl.context, CL_CONTEXT_NUM_DEVICES, 1, text, &size));
    ROW(CL_INVALID_CONTEXT, clSetContextDestructorCallback(NULL, NULL, NULL));
    ROW(CL_INVALID_VALUE, clSetContextDestructorCallback(cl.context, NULL, NULL));
    negative_end();
}
END_TEST

START_TEST(queues)
{
    cl_int *code = &negative_code;
    const cl_queue_properties unknown[] = {0x7777, 0, 0}, bad_bit[] = {CL_QUEUE_PROPERTIES, 1 << 20, 0},
                              on_device[] = {CL_QUEUE_PROPERTIES,
                                             CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0},
                              sized[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_SIZE, 4096,
                                         0};
    char text[64];
    size_t size;

    ROW(CL_INVALID_CONTEXT, MADE(clCreateCommandQueue(NULL, cl.device, 0, code)));
    ROW(CL_INVALID_DEVICE, MADE(clCreateCommandQueue(cl.context, NULL, 0, code)));
    ROW(CL_INVALID_VALUE, MADE(clCreateCommandQueue(cl.context, cl.device, 1 << 20, code)));
    ROW_POCL(CL_INVALID_CONTEXT, CRASHES,
             MADE(clCreateCommandQueue((cl_context)cl.queue, cl.device, 0, code)));
    ROW_POCL(CL_INVALID_DEVICE, CRASHES,
             MADE(clCreateCommandQueue(cl.context, (cl_device_id)cl.queue, 0, code)));
    ROW_POCL(CL_INVALID_QUEUE_PROPERTIES, CL_SUCCESS,
             MADE(clCreateCommandQueue(cl.context, cl.device, on_device[1], code)));
    ROW(CL_INVALID_CONTEXT, MADE(clCreateCommandQueueWithProperties(NULL, cl.device, NULL, code)));
    ROW(CL_INVALID_DEVICE, MADE(clCreateCommandQueueWithProperties(cl.context, NULL, NULL, code)));
    ROW(CL_INVALID_VALUE, MADE(clCreateCommandQueueWithProperties(cl.context, cl.device, unknown, code)));
    ROW(CL_INVALID_VALUE, MADE(clCreateCommandQueueWithProperties(cl.context, cl.device, bad_bit, code)));
    ROW_POCL(CL_INVALID_QUEUE_PROPERTIES, CRASHES,
             MADE(clCreateCommandQueueWithProperties(cl.context, cl.device, on_device, code)));
    ROW(CL_INVALID_VALUE, MADE(clCreateCommandQueueWithProperties(cl.context, cl.device, sized, code)));
    ROW(CL_INVALID_COMMAND_QUEUE, clRetainCommandQueue(NULL));
    ROW(CL_INVALID_COMMAND_QUEUE, clReleaseCommandQueue(NULL));
    ROW_POCL(CL_INVALID_COMMAND_QUEUE, CRASHES, clRetainCommandQueue((cl_command_queue)cl.context));
    ROW_POCL(CL_INVALID_COMMAND_QUEUE, CRASHES, clReleaseCommandQueue((cl_command_queue)cl.context));
    ROW(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(NULL, CL_QUEUE_CONTEXT, sizeof(text), text, &size));
    ROW(CL_INVALID_VALUE, clGetCommandQueueInfo(cl.queue, 0xffff, sizeof(text), text, &size));
    ROW(CL_INVALID_VALUE, clGetCommandQueueInfo(cl.queue, CL_QUEUE_CONTEXT, 1, text, &size));
    ROW(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(cl.queue, CL_QUEUE_SIZE, sizeof(text), text, &size));
    ROW(CL_INVALID_COMMAND_QUEUE, clFlush(NULL));
    ROW(CL_INVALID_COMMAND_QUEUE, clFinish(NULL));
    ROW_POCL(CL_INVALID_COMMAND_QUEUE, CRASHES, clFlush((cl_command_queue)cl.context));
    ROW_POCL(CL_INVALID_COMMAND_QUEUE, CRASHES, clFinish((cl_command_queue)cl.context));
    ROW(CL_INVALID_CONTEXT, clSetDefaultDeviceCommandQueue(NULL, cl.device, cl.queue));
    ROW_POCL(CL_INVALID_DEVICE, CL_INVALID_OPERATION,
             clSetDefaultDeviceCommandQueue(cl.context, NULL, cl.queue));
    ROW(CL_INVALID_OPERATION, clSetDefaultDeviceCommandQueue(cl.context, cl.device, cl.queue));
    ROW(CL_INVALID_OPERATION, clSetDefaultDeviceCommandQueue(cl.context, cl.device, NULL));
    ROW_POCL(CL_INVALID_OPERATION, CRASHES,
             clSetDefaultDeviceCommandQueue(cl.context, cl.device, (cl_command_queue)cl.context));
    negative_end();
}
END_TEST

/* What is offered by no device here, or by none any more. */
START_TEST(refused)
{
    cl_command_queue_properties old;
    ROW(CL_INVALID_CONTEXT, MADE(clCreatePipe(NULL, 0, 16, 16, NULL, &negative_code)));
    ROW(CL_INVALID_OPERATION, MADE(clCreatePipe(cl.context, 0, 16, 16, NULL, &negative_code)));
    ROW(CL_INVALID_COMMAND_QUEUE, clSetCommandQueueProperty(NULL, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, &old));
    ROW_POCL(CL_INVALID_OPERATION, CRASHES,
             clSetCommandQueueProperty(cl.queue, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, &old));
    ROW(CL_SUCCESS, clUnloadCompiler());
    negative_end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("negative context");
    TCase *tests = cl_case(suite, "context");
    tcase_add_test(tests, contexts);
    tcase_add_test(tests, queues);
    tcase_add_test(tests, refused);
    return tap_run(suite);
}
