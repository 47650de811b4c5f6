/* SPDX-License-Identifier: MIT */
/*
 * Cost of a launch that stays whole: enqueues a kernel of one work-group many times without waiting, then
 * finishes. Knows nothing of coexec. Last line: launches=N us=M (per launch, best of five rounds), and
 * waited=M for launches that are each waited for.
 */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s failed with %d\n", what, error);
        exit(3);
    }
}

/* Microseconds a launch. */
static double round_of(cl_command_queue queue, cl_kernel kernel, int launches, int wait)
{
    const size_t global = 64, local = 64;
    double start = now_us();
    for (int i = 0; i < launches; i++) {
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "launch");
        if (wait)
            check(clFinish(queue), "finish");
    }
    check(clFinish(queue), "finish");
    return (now_us() - start) / launches;
}

static double best_of(cl_command_queue queue, cl_kernel kernel, int launches, int wait)
{
    double best = 1e30;
    for (int i = 0; i < 5; i++) {
        double us = round_of(queue, kernel, launches, wait);
        best = us < best ? us : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    const char *text = "__kernel void tiny(__global int *a) { a[get_global_id(0)] += 1; }";
    int launches = argc > 1 ? atoi(argv[1]) : 10000;
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;

    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    check(error, "clCreateCommandQueueWithProperties");
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, NULL, NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "tiny", &error);
    check(error, "clCreateKernel");
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64 * sizeof(cl_int), NULL, &error);
    check(error, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), "clSetKernelArg");
    round_of(queue, kernel, 100, 1);
    double free_running = best_of(queue, kernel, launches, 0);
    double waited = best_of(queue, kernel, launches / 4 + 1, 1);
    printf("launches=%d us=%.3f waited=%.3f\n", launches, free_running, waited);
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
