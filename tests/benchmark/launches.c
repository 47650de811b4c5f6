/* SPDX-License-Identifier: MIT */
/*
 * Cost of a launch: enqueues a kernel of one work-group many times without waiting, then finishes. Knows
 * nothing of coexec. Last line: launches=N us=M (per launch, best of five rounds), waited=M for launches that
 * are each waited for, enqueue=M for the time within the enqueue call alone, cpu=M for the processor time of
 * all threads. usage: launches [LAUNCHES [WORK-GROUPS]]; with more groups, and COEXEC_SPLIT=always, what a
 * split launch costs. The kernel is one that the tests' stub driver knows.
 */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
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

static double cpu_us(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Microseconds a launch. */
struct cost {
    double total, enqueue, cpu;
};

static size_t groups = 1;

static struct cost round_of(cl_command_queue queue, cl_kernel kernel, int launches, int wait)
{
    const size_t local = 64, global = local * groups;
    struct cost cost = {0, 0, 0};
    const double start = now_us(), cpu = cpu_us();
    for (int i = 0; i < launches; i++) {
        const double before = now_us();
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "launch");
        cost.enqueue += (now_us() - before) / launches;
        if (wait)
            check(clFinish(queue), "finish");
    }
    check(clFinish(queue), "finish");
    cost.total = (now_us() - start) / launches;
    cost.cpu = (cpu_us() - cpu) / launches;
    return cost;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static struct cost best_of(cl_command_queue queue, cl_kernel kernel, int launches, int wait)
{
    struct cost best = {1e30, 1e30, 1e30};
    for (int i = 0; i < 5; i++) {
        struct cost cost = round_of(queue, kernel, launches, wait);
        best = (struct cost){least(best.total, cost.total), least(best.enqueue, cost.enqueue),
                             least(best.cpu, cost.cpu)};
    }
    return best;
}

int main(int argc, char **argv)
{
    const char *text = "__kernel void stub_inc(__global int *a) { a[get_global_id(0)] += 1; }";
    int launches = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 10000;
    groups = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
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
    cl_kernel kernel = clCreateKernel(program, "stub_inc", &error);
    check(error, "clCreateKernel");
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, groups * 64 * sizeof(cl_int), NULL, &error);
    check(error, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), "clSetKernelArg");
    round_of(queue, kernel, 100, 1);
    struct cost running = best_of(queue, kernel, launches, 0);
    struct cost waited = best_of(queue, kernel, launches / 4 + 1, 1);
    printf("launches=%d us=%.3f waited=%.3f enqueue=%.3f cpu=%.3f\n", launches, running.total, waited.total,
           running.enqueue, running.cpu);
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
