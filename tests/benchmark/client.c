/* SPDX-License-Identifier: MIT */
/* See client.h. */
#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void client_check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s failed with %d\n", what, error);
        exit(3);
    }
}

struct client client_open(const char *text, const char *kernel)
{
    cl_platform_id platform;
    client_check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    return client_open_on(platform, text, kernel);
}

struct client client_open_on(cl_platform_id platform, const char *text, const char *kernel)
{
    struct client client;
    cl_device_id device;
    cl_int error;

    client_check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    client.context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    client_check(error, "clCreateContext");
    client.queue = clCreateCommandQueueWithProperties(client.context, device, NULL, &error);
    client_check(error, "clCreateCommandQueueWithProperties");
    client.program = clCreateProgramWithSource(client.context, 1, &text, NULL, &error);
    client_check(error, "clCreateProgramWithSource");
    client_check(clBuildProgram(client.program, 1, &device, NULL, NULL, NULL), "clBuildProgram");
    client.kernel = clCreateKernel(client.program, kernel, &error);
    client_check(error, "clCreateKernel");
    return client;
}

cl_mem client_buffer(const struct client *client, size_t bytes)
{
    cl_int error;
    cl_mem mem = clCreateBuffer(client->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    client_check(error, "clCreateBuffer");
    return mem;
}

void client_set(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    client_check(clSetKernelArg(kernel, index, size, value), "clSetKernelArg");
}

void client_close(struct client *client)
{
    clReleaseKernel(client->kernel);
    clReleaseProgram(client->program);
    clReleaseCommandQueue(client->queue);
    clReleaseContext(client->context);
}

double client_now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double client_median(double *numbers, unsigned n)
{
    qsort(numbers, n, sizeof(*numbers), compare);
    return numbers[n / 2];
}
