/* SPDX-License-Identifier: MIT */
/*
 * Two arrays in host memory, x and y, come to the devices, and y goes home: as y += 2 x on one device, which
 * coexec shares out (`saxpy`), and as plain copies by all devices of a platform at once, a share each in both
 * directions at the same time, from and to one pinned host copy (`copies`, bare): what the links give. Knows
 * nothing of coexec. Last line: mode, bytes moved, median ms, GB/s.
 * usage: stream saxpy|copies [MEGABYTES-OF-AN-ARRAY [TIMES]]
 */
#include "client.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TIMES = 100, MOST_DEVICES = 16 };
static const size_t chunk = (size_t)64 << 20;
static const char *const text = "kernel void saxpy(global const float *x, global float *y)\n"
                                "{ size_t i = get_global_id(0); y[i] += 2.0f * x[i]; }\n";

static size_t bytes;
static unsigned times;

static cl_mem pinned(cl_context context)
{
    cl_int error;
    cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &error);
    client_check(error, "clCreateBuffer(CL_MEM_ALLOC_HOST_PTR)");
    return mem;
}

static float *map(cl_command_queue queue, cl_mem mem, cl_map_flags flags)
{
    cl_int error;
    void *at = clEnqueueMapBuffer(queue, mem, CL_TRUE, flags, 0, bytes, 0, NULL, NULL, &error);
    client_check(error, "clEnqueueMapBuffer");
    return at;
}

/* ---- the program ---- */

static void run_saxpy(double *ms)
{
    struct client client = client_open(text, "saxpy");
    cl_mem mem[2] = {pinned(client.context), pinned(client.context)};
    const size_t n = bytes / sizeof(float);
    float *x = map(client.queue, mem[0], CL_MAP_WRITE), *y = map(client.queue, mem[1], CL_MAP_WRITE);
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)(i % 1000);
        y[i] = 1.0f;
    }
    for (unsigned a = 0; a < 2; a++)
        client_check(clSetKernelArg(client.kernel, a, sizeof(cl_mem), &mem[a]), "clSetKernelArg");
    for (unsigned t = 0; t < times; t++) {
        const double since = client_now_us();
        client_check(clEnqueueUnmapMemObject(client.queue, mem[0], x, 0, NULL, NULL), "unmap");
        client_check(clEnqueueUnmapMemObject(client.queue, mem[1], y, 0, NULL, NULL), "unmap");
        client_check(clEnqueueNDRangeKernel(client.queue, client.kernel, 1, NULL, &n, NULL, 0, NULL, NULL),
                     "launch");
        y = map(client.queue, mem[1], CL_MAP_READ | CL_MAP_WRITE);
        ms[t] = (client_now_us() - since) / 1e3;
        x = map(client.queue, mem[0], CL_MAP_READ | CL_MAP_WRITE);
    }
    for (size_t i = 0; i < n; i++)
        if (y[i] != 1.0f + 2.0f * (float)times * (float)(i % 1000))
            client_check(CL_INVALID_VALUE, "comparing with plain C");
    client_check(clEnqueueUnmapMemObject(client.queue, mem[0], x, 0, NULL, NULL), "unmap");
    client_check(clEnqueueUnmapMemObject(client.queue, mem[1], y, 0, NULL, NULL), "unmap");
    client_check(clFinish(client.queue), "clFinish");
    clReleaseMemObject(mem[0]);
    clReleaseMemObject(mem[1]);
    client_close(&client);
}

/* ---- plain copies ---- */

struct device {
    cl_context context;
    cl_command_queue in, out;
    cl_mem x, y;
};

static void open_device(struct device *device, cl_device_id id)
{
    cl_int error;
    device->context = clCreateContext(NULL, 1, &id, NULL, NULL, &error);
    client_check(error, "clCreateContext");
    cl_command_queue *const queues[] = {&device->in, &device->out};
    for (unsigned q = 0; q < 2; q++) {
        *queues[q] = clCreateCommandQueueWithProperties(device->context, id, NULL, &error);
        client_check(error, "clCreateCommandQueueWithProperties");
    }
}

static cl_mem share_of(const struct device *device, size_t share)
{
    cl_int error;
    cl_mem mem = clCreateBuffer(device->context, CL_MEM_READ_WRITE, share, NULL, &error);
    client_check(error, "clCreateBuffer");
    return mem;
}

/* Chunk by chunk: x and y in, and y out again as soon as it is there, while the next ones come in. */
static void copy_share(const struct device *device, char *x, char *y, size_t first, size_t share)
{
    for (size_t at = 0; at < share; at += chunk) {
        const size_t n = share - at < chunk ? share - at : chunk;
        cl_event there;
        client_check(
            clEnqueueWriteBuffer(device->in, device->x, CL_FALSE, at, n, x + first + at, 0, NULL, NULL),
            "write");
        client_check(
            clEnqueueWriteBuffer(device->in, device->y, CL_FALSE, at, n, y + first + at, 0, NULL, &there),
            "write");
        client_check(
            clEnqueueReadBuffer(device->out, device->y, CL_FALSE, at, n, y + first + at, 1, &there, NULL),
            "read");
        client_check(clReleaseEvent(there), "clReleaseEvent");
    }
    client_check(clFlush(device->in), "clFlush");
    client_check(clFlush(device->out), "clFlush");
}

static void run_copies(double *ms)
{
    struct device device[MOST_DEVICES];
    cl_device_id id[MOST_DEVICES];
    cl_platform_id platform;
    cl_uint n = 0;
    client_check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    client_check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST_DEVICES, id, &n), "clGetDeviceIDs");
    n = n < MOST_DEVICES ? n : MOST_DEVICES;
    for (cl_uint d = 0; d < n; d++)
        open_device(&device[d], id[d]);
    const size_t share = bytes / n / sizeof(float) * sizeof(float);
    cl_mem host[2] = {pinned(device[0].context), pinned(device[0].context)};
    char *x = (char *)map(device[0].in, host[0], CL_MAP_WRITE),
         *y = (char *)map(device[0].in, host[1], CL_MAP_WRITE);
    memset(x, 1, bytes);
    memset(y, 1, bytes);
    for (cl_uint d = 0; d < n; d++) {
        device[d].x = share_of(&device[d], share);
        device[d].y = share_of(&device[d], share);
    }
    for (unsigned t = 0; t < times; t++) {
        const double since = client_now_us();
        for (cl_uint d = 0; d < n; d++)
            copy_share(&device[d], x, y, d * share, share);
        for (cl_uint d = 0; d < n; d++)
            client_check(clFinish(device[d].out), "clFinish");
        ms[t] = (client_now_us() - since) / 1e3;
    }
    client_check(clEnqueueUnmapMemObject(device[0].in, host[0], x, 0, NULL, NULL), "unmap");
    client_check(clEnqueueUnmapMemObject(device[0].in, host[1], y, 0, NULL, NULL), "unmap");
    client_check(clFinish(device[0].in), "clFinish");
    clReleaseMemObject(host[0]);
    clReleaseMemObject(host[1]);
    for (cl_uint d = 0; d < n; d++) {
        clReleaseMemObject(device[d].x);
        clReleaseMemObject(device[d].y);
        clReleaseCommandQueue(device[d].in);
        clReleaseCommandQueue(device[d].out);
        clReleaseContext(device[d].context);
    }
}

int main(int argc, char **argv)
{
    static double ms[MOST_TIMES];
    const unsigned long megabytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 256;
    const bool copies = argc > 1 && strcmp(argv[1], "copies") == 0;
    times = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 7;
    if (argc < 2 || (!copies && strcmp(argv[1], "saxpy") != 0) || megabytes < 1 || megabytes > 16384 ||
        times < 1 || times > MOST_TIMES) {
        fprintf(stderr, "usage: stream saxpy|copies [MEGABYTES-OF-AN-ARRAY [TIMES]]\n");
        return 2;
    }
    bytes = (size_t)megabytes << 20;
    if (copies)
        run_copies(ms);
    else
        run_saxpy(ms);
    const double median = client_median(ms, times);
    printf("%s bytes=%zu ms=%.3f GB/s=%.2f\n", argv[1], 3 * bytes, median, 3 * (double)bytes / median / 1e6);
    return 0;
}
