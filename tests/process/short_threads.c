/* SPDX-License-Identifier: MIT */
/*
 * A program that works however few threads the layer may have (no_threads_preload.c): launches that could be
 * split, waits of all kinds, callbacks that make calls, and nobody who waits but for a callback. It knows
 * nothing of coexec. Prints "right".
 */
#include <CL/cl.h>
#include <pthread.h>
#include <stdbool.h>
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
static cl_uint values[N], places[N];

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #condition);                            \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)
#define OK(call) CHECK((call) == CL_SUCCESS)

/* ---- what a callback tells ---- */

struct told {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned count;
    cl_event user; /* its status is set, or NULL */
};

#define REPORTED_NOTHING                                                                                     \
    {                                                                                                        \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, NULL                                         \
    }

static void tell(struct told *told)
{
    if (told->user)
        OK(clSetUserEventStatus(told->user, CL_COMPLETE));
    pthread_mutex_lock(&told->lock);
    told->count++;
    pthread_cond_broadcast(&told->changed);
    pthread_mutex_unlock(&told->lock);
}

static void CL_CALLBACK event_over(cl_event event, cl_int status, void *told)
{
    cl_command_type type;
    CHECK(status == CL_COMPLETE);
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    tell(told);
}

static void CL_CALLBACK built(cl_program of, void *told)
{
    CHECK(of == program);
    tell(told);
}

/* Makes no call of OpenCL. */
static void await(struct told *told, unsigned count)
{
    pthread_mutex_lock(&told->lock);
    while (told->count < count)
        pthread_cond_wait(&told->changed, &told->lock);
    pthread_mutex_unlock(&told->lock);
}

/* ---- work ---- */

static void open_all(void)
{
    const char *source = text;
    struct told told = REPORTED_NOTHING;
    cl_platform_id platform;
    cl_int error;
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    OK(error);
    queue = clCreateCommandQueue(context, device, 0, &error);
    OK(error);
    program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    OK(error);
    OK(clBuildProgram(program, 1, &device, "", built, &told));
    await(&told, 1);
}

static cl_mem buffer_of(cl_uint *from)
{
    cl_int error;
    cl_mem mem = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, N * sizeof(*from), from, &error);
    OK(error);
    return mem;
}

static cl_kernel kernel_of(const char *name, cl_mem a, cl_mem to)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    OK(error);
    OK(clSetKernelArg(kernel, 0, sizeof(a), &a));
    if (to)
        OK(clSetKernelArg(kernel, 1, sizeof(to), &to));
    return kernel;
}

static void launch(cl_command_queue on, cl_kernel kernel, cl_event after, cl_event *event)
{
    const size_t global = N, local = LOCAL;
    OK(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &global, &local, after != NULL, after ? &after : NULL,
                              event));
}

/* Several launches, read in three ways. */
static void compute(cl_command_queue on)
{
    cl_uint *got = malloc(sizeof(values));
    cl_int error;
    cl_mem a = buffer_of(values), to = buffer_of(places);
    cl_kernel grow = kernel_of("grow", a, NULL), scatter = kernel_of("scatter", a, to);
    cl_event read;
    CHECK(got);
    for (int round = 0; round < ROUNDS; round++) {
        launch(on, grow, NULL, NULL);
        launch(on, scatter, NULL, NULL);
    }
    OK(clEnqueueReadBuffer(on, a, CL_FALSE, 0, sizeof(values), got, 0, NULL, &read));
    OK(clWaitForEvents(1, &read));
    cl_uint *mapped =
        clEnqueueMapBuffer(on, a, CL_TRUE, CL_MAP_READ, 0, sizeof(values), 0, NULL, NULL, &error);
    OK(error);
    for (cl_uint i = 0; i < N; i++) {
        cl_uint expected = i;
        for (int round = 0; round < ROUNDS; round++)
            expected = expected * 3 + i + 1;
        CHECK(got[i] == expected && mapped[i] == expected);
    }
    OK(clEnqueueUnmapMemObject(on, a, mapped, 0, NULL, NULL));
    launch(on, grow, NULL, NULL);
    OK(clFinish(on));
    OK(clEnqueueReadBuffer(on, a, CL_TRUE, 0, sizeof(values), got, 0, NULL, NULL));
    OK(clReleaseEvent(read));
    OK(clReleaseKernel(grow));
    OK(clReleaseKernel(scatter));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(to));
    free(got);
}

/* What gates the next command is set by a callback of the one before, while this waits for the last. */
static void chain_of_callbacks(void)
{
    enum { LINKS = 4 };
    struct told told[LINKS] = {REPORTED_NOTHING, REPORTED_NOTHING, REPORTED_NOTHING, REPORTED_NOTHING};
    cl_event ends[LINKS];
    cl_mem a = buffer_of(values);
    cl_kernel grow = kernel_of("grow", a, NULL);
    cl_int error;
    for (int i = 0; i < LINKS; i++) {
        launch(queue, grow, i ? told[i - 1].user : NULL, &ends[i]);
        told[i].user = clCreateUserEvent(context, &error);
        OK(error);
        OK(clSetEventCallback(ends[i], CL_COMPLETE, event_over, &told[i]));
    }
    OK(clFinish(queue));
    for (int i = 0; i < LINKS; i++) {
        await(&told[i], 1);
        OK(clReleaseEvent(told[i].user));
        OK(clReleaseEvent(ends[i]));
    }
    OK(clReleaseKernel(grow));
    OK(clReleaseMemObject(a));
}

/* Nobody waits but for a callback, or asks again and again. */
static void flush_only(void)
{
    struct told told = REPORTED_NOTHING;
    cl_int status = CL_QUEUED;
    cl_event end;
    cl_mem a = buffer_of(values);
    cl_kernel grow = kernel_of("grow", a, NULL);
    launch(queue, grow, NULL, &end);
    OK(clSetEventCallback(end, CL_COMPLETE, event_over, &told));
    OK(clFlush(queue));
    await(&told, 1);
    OK(clSetEventCallback(end, CL_COMPLETE, event_over, &told)); /* it is over already */
    await(&told, 2);
    OK(clReleaseEvent(end));
    launch(queue, grow, NULL, &end);
    OK(clFlush(queue));
    while (status != CL_COMPLETE)
        OK(clGetEventInfo(end, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
    OK(clReleaseEvent(end));
    launch(queue, grow, NULL, NULL); /* released while it runs */
    OK(clReleaseKernel(grow));
    OK(clReleaseMemObject(a));
}

static void *compute_beside(void *unused)
{
    cl_int error;
    cl_command_queue own = clCreateCommandQueue(context, device, 0, &error);
    (void)unused;
    OK(error);
    compute(own);
    OK(clReleaseCommandQueue(own));
    return NULL;
}

int main(void)
{
    pthread_t other;
    for (cl_uint i = 0; i < N; i++) {
        values[i] = i;
        places[i] = N - 1 - i;
    }
    open_all();
    compute(queue);
    chain_of_callbacks();
    flush_only();
    CHECK(pthread_create(&other, NULL, compute_beside, NULL) == 0);
    compute(queue);
    pthread_join(other, NULL);
    OK(clReleaseProgram(program));
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseContext(context));
    puts("right");
    return 0;
}
