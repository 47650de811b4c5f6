/* SPDX-License-Identifier: MIT */
/*
 * What the cases share: OpenCL through the loader, opened with dlopen so that it can be closed again, and one
 * use of it. A wrong answer ends the process with status 1.
 */
#ifndef CX_TESTS_PROCESS_USE_H
#define CX_TESTS_PROCESS_USE_H

#include <CL/cl.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

enum { ITEMS = 4096, GROUP = 64, LONG = 30000 };

/* Of the kernel `work`: so many rounds on each of ITEMS numbers. */
extern const char source[];

#define CALLS(X)                                                                                             \
    X(clGetPlatformIDs)                                                                                      \
    X(clGetDeviceIDs)                                                                                        \
    X(clGetDeviceInfo)                                                                                       \
    X(clCreateContext)                                                                                       \
    X(clReleaseContext)                                                                                      \
    X(clCreateCommandQueue)                                                                                  \
    X(clReleaseCommandQueue)                                                                                 \
    X(clCreateBuffer)                                                                                        \
    X(clReleaseMemObject)                                                                                    \
    X(clCreateProgramWithSource)                                                                             \
    X(clBuildProgram)                                                                                        \
    X(clReleaseProgram)                                                                                      \
    X(clCreateKernel)                                                                                        \
    X(clReleaseKernel)                                                                                       \
    X(clSetKernelArg)                                                                                        \
    X(clEnqueueNDRangeKernel)                                                                                \
    X(clEnqueueReadBuffer)                                                                                   \
    X(clEnqueueWriteBuffer)                                                                                  \
    X(clFlush)                                                                                               \
    X(clFinish)                                                                                              \
    X(clWaitForEvents)                                                                                       \
    X(clReleaseEvent)                                                                                        \
    X(clSetEventCallback)                                                                                    \
    X(clCreateUserEvent)                                                                                     \
    X(clSetUserEventStatus)
#define DECLARE(name) __typeof__(name) *name;
extern struct cl_calls {
    void *library;
    CALLS(DECLARE)
} cl;

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                  \
            _exit(1);                                                                                        \
        }                                                                                                    \
    } while (0)
#define OK(call) CHECK((call) == CL_SUCCESS)

struct use {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem mem;
};

void load(void);
/* Only platform and device. */
void find(struct use *use);
/* All of it, `mem` full of ones. */
void open_built(struct use *use, const char *options);
void open_device(struct use *use);
void close_device(struct use *use);
void fill(const struct use *use, cl_command_queue queue, cl_mem mem);
void launch(const struct use *use, int rounds, const cl_event *wait, cl_event *event);
/* What so many rounds make of one. */
cl_uint after(int rounds);
void expect(const struct use *use, cl_uint want);
void use_once(void);
/* Work that is still under way when this returns. */
void in_flight(struct use *use);
void wait_child(pid_t child);

#endif
