/* SPDX-License-Identifier: MIT */
/*
 * OpenCL called from threads with small stacks: launches that could be split and are merged, a program built
 * there, transfers, maps, events. It knows nothing of coexec. TAP.
 *
 * usage: small_stack KB...
 */
#include <CL/cl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 15, ROUNDS = 5, LOCAL = 64 };

static const char text[] =
    "__kernel void grow(__global uint *a) { uint i = get_global_id(0); a[i] = a[i] * 3 + i; }\n"
    "__kernel void scatter(__global uint *a, __global const uint *to) { a[to[get_global_id(0)]] += 1; }\n";

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_uint values[N], places[N], got[N];
static unsigned failed; /* the first line that failed in a thread; 0: none */

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition) && !failed)                                                                         \
            failed = __LINE__;                                                                               \
    } while (0)
#define OK(call) CHECK((call) == CL_SUCCESS)

/* With the whole stack of the program: what drivers' compilers need is theirs. */
static void open_all(void)
{
    const char *source = text;
    cl_platform_id platform;
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
    program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    OK(clBuildProgram(program, 1, &device, "", NULL, NULL));
}

static void *compute(void *unused)
{
    const size_t global = N, local = LOCAL;
    cl_event read;
    cl_kernel grow = clCreateKernel(program, "grow", NULL),
              scatter = clCreateKernel(program, "scatter", NULL);
    cl_mem a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(values), values, NULL);
    cl_mem to = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(places), places, NULL);
    (void)unused;
    OK(clSetKernelArg(grow, 0, sizeof(cl_mem), &a));
    OK(clSetKernelArg(scatter, 0, sizeof(cl_mem), &a));
    OK(clSetKernelArg(scatter, 1, sizeof(cl_mem), &to));
    for (int round = 0; round < ROUNDS; round++) {
        OK(clEnqueueNDRangeKernel(queue, grow, 1, NULL, &global, &local, 0, NULL, NULL));
        OK(clEnqueueNDRangeKernel(queue, scatter, 1, NULL, &global, &local, 0, NULL, NULL));
    }
    OK(clEnqueueReadBuffer(queue, a, CL_FALSE, 0, sizeof(got), got, 0, NULL, &read));
    OK(clWaitForEvents(1, &read));
    cl_uint *mapped =
        clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_READ, 0, sizeof(values), 0, NULL, NULL, NULL);
    for (cl_uint i = 0; i < N && mapped; i++) {
        cl_uint expected = i;
        for (int round = 0; round < ROUNDS; round++)
            expected = expected * 3 + i + 1;
        CHECK(got[i] == expected && mapped[i] == expected);
    }
    CHECK(mapped);
    OK(clEnqueueUnmapMemObject(queue, a, mapped, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseEvent(read));
    OK(clReleaseKernel(grow));
    OK(clReleaseKernel(scatter));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(to));
    return NULL;
}

int main(int count, char **sizes)
{
    int wrong = 0;
    for (cl_uint i = 0; i < N; i++) {
        values[i] = i;
        places[i] = N - 1 - i;
    }
    open_all();
    printf("1..%d\n", count - 1);
    for (int i = 1; i < count; i++) {
        pthread_attr_t attributes;
        pthread_t thread;
        pthread_attr_init(&attributes);
        CHECK(pthread_attr_setstacksize(&attributes, strtoul(sizes[i], NULL, 10) * 1024) == 0);
        CHECK(pthread_create(&thread, &attributes, compute, NULL) == 0);
        pthread_join(thread, NULL);
        pthread_attr_destroy(&attributes);
        printf("%sok %d - %s KB", failed ? "not " : "", i, sizes[i]);
        if (failed)
            printf(": line %u", failed);
        puts("");
        fflush(stdout);
        wrong |= failed != 0;
        failed = 0;
    }
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return wrong;
}
