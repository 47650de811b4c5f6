/* SPDX-License-Identifier: MIT */
/*
 * How fast changed blocks are found, against the device's own copy of as many bytes, on every device.
 *
 * usage: diff [MEGABYTES]    (256)
 *
 * Prints a line a device: milliseconds of a copy and of a comparison (with reading the flags), both best of
 * nine, and the ratio of their speeds: both touch twice the bytes.
 */
#include "layer/timeline/command.h"
#include "layer/object/device.h"
#include "layer/launch/diff.h"
#include "layer/base/entry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double copy_ms(struct cx_worker *worker, cl_mem from, cl_mem to, size_t bytes)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    double best = 1e30;
    for (unsigned i = 0; i < 9; i++) {
        cl->clFinish(worker->queue);
        uint64_t start = cx_clock_ns();
        if (cl->clEnqueueCopyBuffer(worker->queue, from, to, 0, 0, bytes, 0, NULL, NULL) != CL_SUCCESS)
            return -1;
        cl->clFinish(worker->queue);
        double ms = (double)(cx_clock_ns() - start) * 1e-6;
        best = ms < best ? ms : best;
    }
    return best;
}

static double diff_ms(struct cx_worker *worker, cl_mem now, cl_mem before, size_t bytes, unsigned char *flags)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    double best = 1e30;
    for (unsigned i = 0; i < 9; i++) {
        cl_event event[2];
        cl->clFinish(worker->queue);
        uint64_t start = cx_clock_ns();
        if (cx_diff_device(worker, now, 0, before, bytes, flags, event) != CL_SUCCESS || !event[1])
            return -1;
        cl->clWaitForEvents(2, event);
        double ms = (double)(cx_clock_ns() - start) * 1e-6;
        cx_worker_drop_events(worker, event, 2);
        best = ms < best ? ms : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    const size_t bytes = (size_t)(argc > 1 ? atoi(argv[1]) : 256) << 20;
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;

    if (cx_clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        cx_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return 1;
    cl_context handle = cx_clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    unsigned char *flags = malloc(cx_diff_bytes(bytes));
    if (error != CL_SUCCESS || !flags)
        return 1;
    struct cx_context *context = cx_context_from(handle);
    for (unsigned m = 0; m < context->nmembers; m++) {
        struct cx_worker *worker = &context->workers[m];
        const cl_icd_dispatch *cl = worker->device->cl;
        const cl_uchar zero = 0;
        cl_mem x = cl->clCreateBuffer(worker->real_context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
        cl_mem y = cl->clCreateBuffer(worker->real_context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
        if (!x || !y ||
            cl->clEnqueueFillBuffer(worker->queue, x, &zero, 1, 0, bytes, 0, NULL, NULL) != CL_SUCCESS)
            return 1;
        double copy = copy_ms(worker, x, y, bytes), diff = diff_ms(worker, x, y, bytes, flags);
        printf("%s: %zu MB, copy %.3f ms, comparison %.3f ms, ratio %.2f\n", worker->device->name,
               bytes >> 20, copy, diff, copy / diff);
        cl->clReleaseMemObject(x);
        cl->clReleaseMemObject(y);
    }
    free(flags);
    cx_clReleaseContext(handle);
    return 0;
}
