/* SPDX-License-Identifier: MIT */
/*
 * A smoothing of two buffers that change places: what iterative programs on devices with memory of their own
 * do. Knows nothing of coexec; the kernel is one that the tests' stub driver knows, whose devices sleep in
 * place of computing, so that a few cores stand for several GPUs. usage: steps [STEPS [0|1]], 1: waits after
 * each step. Last line: ms=N sum=N, of steps alone, without the transfers before and after them.
 */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 1 << 16, LOCAL = 64 };

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s failed with %d\n", what, error);
        exit(3);
    }
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
    static const char *const source =
        "__kernel void stub_smooth(__global const int *in, __global int *out, int n)\n"
        "{\n"
        "    int i = get_global_id(0);\n"
        "    out[i] = (int)((uint)in[max(i - 1, 0)] + 2u * (uint)in[i] +\n"
        "                   (uint)in[min(i + 1, n - 1)]);\n"
        "}\n";
    static cl_int values[N];
    const int steps = argc > 1 ? atoi(argv[1]) : 200, waits = argc > 2 && atoi(argv[2]), n = N;
    const size_t global = N, local = LOCAL;
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    check(error, "clCreateCommandQueueWithProperties");
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "stub_smooth", &error);
    check(error, "clCreateKernel");
    cl_mem plate[2];
    for (int i = 0; i < 2; i++) {
        plate[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(values), NULL, &error);
        check(error, "clCreateBuffer");
    }
    for (int i = 0; i < N; i++)
        values[i] = i % 17;
    check(clEnqueueWriteBuffer(queue, plate[0], CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL), "write");
    check(clSetKernelArg(kernel, 2, sizeof(n), &n), "clSetKernelArg");
    const double start = now_ms();
    for (int s = 0; s < steps; s++) {
        check(clSetKernelArg(kernel, 0, sizeof(cl_mem), &plate[s % 2]), "clSetKernelArg");
        check(clSetKernelArg(kernel, 1, sizeof(cl_mem), &plate[1 - s % 2]), "clSetKernelArg");
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "launch");
        if (waits)
            check(clFinish(queue), "clFinish");
    }
    check(clFinish(queue), "clFinish");
    const double took = now_ms() - start;
    check(clEnqueueReadBuffer(queue, plate[steps % 2], CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL),
          "read");
    unsigned sum = 0;
    for (int i = 0; i < N; i++)
        sum = sum * 31 + (unsigned)values[i];
    printf("ms=%.0f sum=%u\n", took, sum);
    clReleaseMemObject(plate[0]);
    clReleaseMemObject(plate[1]);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
