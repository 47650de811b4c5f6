/* SPDX-License-Identifier: MIT */
/* Errors of events. */
#include "negative.h"

static void CL_CALLBACK called(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)status;
    (void)data;
}

START_TEST(events)
{
    cl_int *code = &negative_code;
    cl_event none = NULL, user, done, plain;
    cl_int pattern = 0;
    cl_mem mem = cl_buffer(0, 64, NULL);
    char room[64];
    size_t size;
    cl_context second = clCreateContext(NULL, 1, &cl.device, NULL, NULL, code);
    cl_ok(*code);
    cl_event strange = clCreateUserEvent(second, code);
    cl_ok(*code);
    cl_ok(clSetUserEventStatus(strange, CL_COMPLETE));
    user = clCreateUserEvent(cl.context, code);
    cl_ok(*code);
    cl_ok(clEnqueueFillBuffer(cl.queue, mem, &pattern, 4, 0, 64, 0, NULL, &done));
    cl_command_queue unprofiled = cl_queue(0);
    cl_ok(clEnqueueFillBuffer(unprofiled, mem, &pattern, 4, 0, 64, 0, NULL, &plain));
    cl_ok(clFinish(cl.queue));
    cl_ok(clFinish(unprofiled));
    const cl_event both[] = {done, strange}, half[] = {done, NULL};

    ROW(CL_INVALID_VALUE, clWaitForEvents(0, &done));
    ROW(CL_INVALID_VALUE, clWaitForEvents(1, NULL));
    ROW(CL_INVALID_VALUE, clWaitForEvents(0, NULL));
    ROW(CL_INVALID_EVENT, clWaitForEvents(1, &none));
    ROW(CL_INVALID_CONTEXT, clWaitForEvents(2, both));
    ROW(CL_INVALID_EVENT, clWaitForEvents(2, half));
    ROW(CL_INVALID_EVENT, clRetainEvent(NULL));
    ROW(CL_INVALID_EVENT, clReleaseEvent(NULL));
    ROW_POCL(CL_INVALID_EVENT, CRASHES, clRetainEvent((cl_event)cl.queue));
    ROW_POCL(CL_INVALID_EVENT, CRASHES, clReleaseEvent((cl_event)cl.queue));
    ROW(CL_INVALID_CONTEXT, MADE(clCreateUserEvent(NULL, code)));
    ROW_POCL(CL_INVALID_CONTEXT, CRASHES, MADE(clCreateUserEvent((cl_context)cl.queue, code)));
    ROW(CL_INVALID_EVENT, clGetEventInfo(NULL, CL_EVENT_CONTEXT, sizeof(room), room, &size));
    ROW(CL_INVALID_VALUE, clGetEventInfo(done, 0xffff, sizeof(room), room, &size));
    ROW(CL_INVALID_VALUE, clGetEventInfo(done, CL_EVENT_CONTEXT, 1, room, &size));
    ROW(CL_INVALID_VALUE, clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, 1, room, &size));
#define TIMES(event, what, room_size) clGetEventProfilingInfo(event, what, room_size, room, &size)
    ROW(CL_INVALID_EVENT, TIMES(NULL, CL_PROFILING_COMMAND_END, sizeof(room)));
    ROW(CL_INVALID_VALUE, TIMES(done, 0xffff, sizeof(room)));
    ROW(CL_INVALID_VALUE, TIMES(done, CL_PROFILING_COMMAND_END, 1));
    ROW(CL_PROFILING_INFO_NOT_AVAILABLE, TIMES(plain, CL_PROFILING_COMMAND_END, sizeof(room)));
    ROW(CL_PROFILING_INFO_NOT_AVAILABLE, TIMES(user, CL_PROFILING_COMMAND_END, sizeof(room)));
    if (cl_user_events_work()) { /* a command that has not ended has no times yet */
        cl_event late;
        cl_ok(clEnqueueFillBuffer(cl.queue, mem, &pattern, 4, 0, 64, 1, &user, &late));
        ROW(CL_PROFILING_INFO_NOT_AVAILABLE, TIMES(late, CL_PROFILING_COMMAND_END, sizeof(room)));
        ROW(CL_PROFILING_INFO_NOT_AVAILABLE, TIMES(late, CL_PROFILING_COMMAND_QUEUED, sizeof(room)));
        cl_ok(clReleaseEvent(late));
    }
    ROW(CL_INVALID_EVENT, clSetEventCallback(NULL, CL_COMPLETE, called, NULL));
    ROW(CL_INVALID_VALUE, clSetEventCallback(done, CL_COMPLETE, NULL, NULL));
    ROW(CL_INVALID_VALUE, clSetEventCallback(done, CL_QUEUED, called, NULL));
    ROW(CL_INVALID_VALUE, clSetEventCallback(done, 7, called, NULL));
    ROW(CL_INVALID_EVENT, clSetUserEventStatus(NULL, CL_COMPLETE));
    ROW_POCL(CL_INVALID_EVENT, CRASHES, clSetUserEventStatus((cl_event)cl.queue, CL_COMPLETE));
    ROW(CL_INVALID_VALUE, clSetUserEventStatus(user, 5));
    ROW(CL_INVALID_EVENT, clSetUserEventStatus(done, CL_COMPLETE));
    ROW(CL_INVALID_VALUE, clSetUserEventStatus(user, CL_RUNNING));
    ROW(CL_INVALID_VALUE, clSetUserEventStatus(user, CL_QUEUED));
    ROW(CL_SUCCESS, clSetUserEventStatus(user, CL_COMPLETE));
    ROW(CL_INVALID_OPERATION, clSetUserEventStatus(user, CL_COMPLETE));
    ROW(CL_INVALID_OPERATION, clSetUserEventStatus(user, -5));
    cl_ok(clReleaseEvent(user));
    cl_ok(clReleaseEvent(done));
    cl_ok(clReleaseEvent(plain));
    cl_ok(clReleaseEvent(strange));
    cl_ok(clReleaseContext(second));
    cl_ok(clReleaseCommandQueue(unprofiled));
    cl_ok(clReleaseMemObject(mem));
    negative_end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("negative event");
    tcase_add_test(cl_case(suite, "event"), events);
    return tap_run(suite);
}
