/* SPDX-License-Identifier: MIT */
/*
 * What handing data from GPU to GPU costs: each step of two buffers that change places reads all numbers that
 * the step before wrote, its own half and the other one. Knows nothing of coexec. As an expert would write it
 * for a driver's own context of two devices, which hands whole buffers over by itself (`shared`); and for one
 * device (`one`), which coexec splits, if told so: COEXEC_SPLIT=always COEXEC_ALGO=static. With a fourth
 * argument, `own`, each half reads itself alone: what is left is no transfer. Last line: mode, bytes of all
 * numbers, median ms a step, a sum of the result, which is the same in both modes.
 * usage: handover shared|one [MEGABYTES [STEPS [own]]]
 */
#include "client.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 2, LOCAL = 256, MOST_STEPS = 1000 };

static const char *const text =
    "uint number(global const uint *low, global const uint *high, uint part, uint i)\n"
    "{ return i < part ? low[i] : high[i - part]; }\n"
    "kernel void halves(global const uint *low, global const uint *high, global uint *to, uint part,\n"
    "                   uint apart, uint first)\n"
    "{ uint i = get_global_id(0) + first;\n"
    "  to[get_global_id(0)] = number(low, high, part, i) * 3u +\n"
    "                         number(low, high, part, (i + apart) % (2u * part)) * 2u + 1u; }\n"
    "kernel void whole(global const uint *from, global uint *to, uint part, uint apart)\n"
    "{ uint i = get_global_id(0); to[i] = from[i] * 3u + from[(i + apart) % (2u * part)] * 2u + 1u; }\n";

static cl_uint half, apart;
static unsigned steps;

static void launch(cl_command_queue queue, cl_kernel kernel, size_t items)
{
    const size_t local = LOCAL;
    client_check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL), "launch");
    client_check(clFlush(queue), "clFlush");
}

static cl_uint sum_of(const cl_uint *numbers)
{
    cl_uint sum = 0;
    for (size_t i = 0; i < (size_t)half * PARTS; i++)
        sum = (sum ^ numbers[i]) * 16777619u;
    return sum;
}

/* ---- one device ---- */

static void run_one(cl_uint *numbers, double *ms)
{
    struct client client = client_open(text, "whole");
    const size_t bytes = (size_t)half * PARTS * sizeof(cl_uint);
    cl_mem mem[2] = {client_buffer(&client, bytes), client_buffer(&client, bytes)};
    client_check(clEnqueueWriteBuffer(client.queue, mem[0], CL_TRUE, 0, bytes, numbers, 0, NULL, NULL),
                 "write");
    client_set(client.kernel, 2, sizeof(half), &half);
    client_set(client.kernel, 3, sizeof(apart), &apart);
    for (unsigned s = 0; s < steps; s++) {
        const double since = client_now_us();
        client_set(client.kernel, 0, sizeof(cl_mem), &mem[s % 2]);
        client_set(client.kernel, 1, sizeof(cl_mem), &mem[(s + 1) % 2]);
        launch(client.queue, client.kernel, (size_t)half * PARTS);
        client_check(clFinish(client.queue), "clFinish");
        ms[s] = (client_now_us() - since) / 1e3;
    }
    client_check(clEnqueueReadBuffer(client.queue, mem[steps % 2], CL_TRUE, 0, bytes, numbers, 0, NULL, NULL),
                 "read");
    clReleaseMemObject(mem[0]);
    clReleaseMemObject(mem[1]);
    client_close(&client);
}

/* ---- a context of two ---- */

static void run_shared(cl_uint *numbers, double *ms)
{
    cl_platform_id platform;
    cl_device_id device[PARTS];
    cl_command_queue queue[PARTS];
    cl_kernel kernel[PARTS];
    cl_mem mem[2][PARTS];
    cl_uint found = 0;
    cl_int error;
    const size_t bytes = (size_t)half * sizeof(cl_uint);

    client_check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    client_check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, PARTS, device, &found), "clGetDeviceIDs");
    if (found < PARTS)
        client_check(CL_DEVICE_NOT_FOUND, "finding two devices");
    cl_context context = clCreateContext(NULL, PARTS, device, NULL, NULL, &error);
    client_check(error, "clCreateContext");
    const char *source = text;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    client_check(error, "clCreateProgramWithSource");
    client_check(clBuildProgram(program, PARTS, device, NULL, NULL, NULL), "clBuildProgram");
    for (cl_uint p = 0; p < PARTS; p++) {
        const cl_uint first = p * half;
        queue[p] = clCreateCommandQueueWithProperties(context, device[p], NULL, &error);
        client_check(error, "clCreateCommandQueueWithProperties");
        kernel[p] = clCreateKernel(program, "halves", &error);
        client_check(error, "clCreateKernel");
        client_set(kernel[p], 3, sizeof(half), &half);
        client_set(kernel[p], 4, sizeof(apart), &apart);
        client_set(kernel[p], 5, sizeof(first), &first);
        for (unsigned b = 0; b < 2; b++) {
            mem[b][p] = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
            client_check(error, "clCreateBuffer");
        }
        client_check(
            clEnqueueWriteBuffer(queue[p], mem[0][p], CL_TRUE, 0, bytes, numbers + first, 0, NULL, NULL),
            "write");
    }
    for (unsigned s = 0; s < steps; s++) {
        const double since = client_now_us();
        for (unsigned p = 0; p < PARTS; p++) {
            const unsigned low = apart ? 0 : p, high = apart ? 1 : p; /* own: the other one is not named */
            client_set(kernel[p], 0, sizeof(cl_mem), &mem[s % 2][low]);
            client_set(kernel[p], 1, sizeof(cl_mem), &mem[s % 2][high]);
            client_set(kernel[p], 2, sizeof(cl_mem), &mem[(s + 1) % 2][p]);
            launch(queue[p], kernel[p], half);
        }
        for (unsigned p = 0; p < PARTS; p++)
            client_check(clFinish(queue[p]), "clFinish");
        ms[s] = (client_now_us() - since) / 1e3;
    }
    for (unsigned p = 0; p < PARTS; p++) {
        client_check(clEnqueueReadBuffer(queue[p], mem[steps % 2][p], CL_TRUE, 0, bytes, numbers + p * half,
                                         0, NULL, NULL),
                     "read");
        clReleaseMemObject(mem[0][p]);
        clReleaseMemObject(mem[1][p]);
        clReleaseKernel(kernel[p]);
        clReleaseCommandQueue(queue[p]);
    }
    clReleaseProgram(program);
    clReleaseContext(context);
}

int main(int argc, char **argv)
{
    static double ms[MOST_STEPS];
    const unsigned long megabytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 64;
    const bool shared = argc > 1 && strcmp(argv[1], "shared") == 0;
    steps = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 20;
    if (argc < 2 || (!shared && strcmp(argv[1], "one") != 0) || megabytes < 1 || megabytes > 8192 ||
        steps < 1 || steps > MOST_STEPS) {
        fprintf(stderr, "usage: handover shared|one [MEGABYTES [STEPS [own]]]\n");
        return 2;
    }
    half = (cl_uint)(megabytes << 20) / PARTS / sizeof(cl_uint);
    apart = argc > 4 ? 0 : half;
    cl_uint *numbers = malloc((size_t)half * PARTS * sizeof(*numbers));
    if (!numbers)
        return 2;
    for (size_t i = 0; i < (size_t)half * PARTS; i++)
        numbers[i] = (cl_uint)i;
    if (shared)
        run_shared(numbers, ms);
    else
        run_one(numbers, ms);
    printf("%s bytes=%lu ms=%.3f sum=%08x\n", argv[1], megabytes << 20, client_median(ms, steps),
           sum_of(numbers));
    free(numbers);
    return 0;
}
