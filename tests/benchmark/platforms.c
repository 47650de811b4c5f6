/* SPDX-License-Identifier: MIT */
/*
 * The same short launches through every platform of the process, in turn, so that all have the same processor
 * and clock: a driver by itself and coexec above it, say, in one folder for OCL_ICD_VENDORS. A round is two
 * writes, 100 launches of a kernel that reads one buffer and writes another, which change places, and a read.
 * A line for each platform: medians in us, of a round and of its parts; `set`: both clSetKernelArg of a
 * launch.
 * usage: platforms [ROUNDS [STEPS [same]]]; STEPS: how long the kernel takes; same: arguments stay.
 */
#include "client.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLATFORMS = 4, MOST_ROUNDS = 10000, LAUNCHES = 100, LOCAL = 128, BYTES = 2850000 };
enum part { WRITE, LOOP, FINISH, TOTAL, SET, LAUNCH, PARTS };

static const char *const text = "kernel void k(global const float *x, global float *y, uint n, uint steps)\n"
                                "{ uint i = get_global_id(0); float sum = 0; if (i >= n) return;\n"
                                "  for (uint j = 0; j < steps; j++) sum += x[(i + j * 977) % n];\n"
                                "  y[i] = sum * 0.5f; }\n";
static const cl_uint count = 47271;

struct side {
    char name[64];
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem vector[2], other;
    double *us[PARTS];
};

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void set(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    client_check(clSetKernelArg(kernel, index, size, value), "clSetKernelArg");
}

static cl_mem buffer(cl_context context, size_t bytes)
{
    cl_int error;
    cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    client_check(error, "clCreateBuffer");
    return mem;
}

static void open_side(struct side *side, cl_platform_id platform, cl_uint steps, unsigned rounds)
{
    cl_device_id device;
    cl_int error;
    const char *source = text;
    client_check(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(side->name), side->name, NULL),
                 "clGetPlatformInfo");
    client_check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    client_check(error, "clCreateContext");
    side->queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    client_check(error, "clCreateCommandQueueWithProperties");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    client_check(error, "clCreateProgramWithSource");
    client_check(clBuildProgram(program, 1, &device, NULL, NULL, NULL), "clBuildProgram");
    side->kernel = clCreateKernel(program, "k", &error);
    client_check(error, "clCreateKernel");
    for (unsigned b = 0; b < 2; b++)
        side->vector[b] = buffer(context, count * sizeof(float));
    side->other = buffer(context, BYTES);
    set(side->kernel, 2, sizeof(count), &count);
    set(side->kernel, 3, sizeof(steps), &steps);
    for (unsigned p = 0; p < PARTS; p++)
        if (!(side->us[p] = malloc(rounds * sizeof(double))))
            client_check(CL_OUT_OF_HOST_MEMORY, "malloc");
}

static void one_round(struct side *side, unsigned r, bool same, const void *from, void *to)
{
    const size_t bytes = count * sizeof(float), local = LOCAL, global = (count + LOCAL - 1) / LOCAL * LOCAL;
    double setting = 0, launching = 0;
    const double start = client_now_us();
    client_check(clEnqueueWriteBuffer(side->queue, side->other, CL_FALSE, 0, BYTES, from, 0, NULL, NULL),
                 "write");
    client_check(clEnqueueWriteBuffer(side->queue, side->vector[0], CL_FALSE, 0, bytes, from, 0, NULL, NULL),
                 "write");
    const double written = client_now_us();
    for (unsigned i = 0; i < LAUNCHES; i++) {
        const double before = client_now_us();
        for (cl_uint a = 0; a < 2 && (!same || i == 0); a++)
            set(side->kernel, a, sizeof(cl_mem), &side->vector[(i + a) % 2]);
        const double is_set = client_now_us();
        client_check(
            clEnqueueNDRangeKernel(side->queue, side->kernel, 1, NULL, &global, &local, 0, NULL, NULL),
            "launch");
        setting += is_set - before;
        launching += client_now_us() - is_set;
    }
    const double launched = client_now_us();
    client_check(clEnqueueReadBuffer(side->queue, side->vector[0], CL_FALSE, 0, bytes, to, 0, NULL, NULL),
                 "read");
    client_check(clFinish(side->queue), "clFinish");
    const double end = client_now_us();
    side->us[WRITE][r] = written - start;
    side->us[LOOP][r] = launched - written;
    side->us[FINISH][r] = end - launched;
    side->us[TOTAL][r] = end - start;
    side->us[SET][r] = setting / LAUNCHES;
    side->us[LAUNCH][r] = launching / LAUNCHES;
}

int main(int argc, char **argv)
{
    static const char *const names[PARTS] = {"write", "loop", "finish", "total", "set", "launch"};
    struct side side[MOST_PLATFORMS];
    cl_platform_id platform[MOST_PLATFORMS];
    cl_uint n = 0;
    const unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 300;
    const cl_uint steps = argc > 2 ? (cl_uint)strtoul(argv[2], NULL, 10) : 8;
    const bool same = argc > 3 && strcmp(argv[3], "same") == 0;
    char *from = calloc(1, BYTES), *to = malloc(BYTES);
    if (rounds < 1 || rounds > MOST_ROUNDS || !from || !to) {
        fprintf(stderr, "usage: platforms [ROUNDS [STEPS [same]]]\n");
        return 2;
    }
    client_check(clGetPlatformIDs(MOST_PLATFORMS, platform, &n), "clGetPlatformIDs");
    n = n < MOST_PLATFORMS ? n : MOST_PLATFORMS;
    for (unsigned p = 0; p < n; p++)
        open_side(&side[p], platform[p], steps, rounds);
    for (unsigned r = 0; r < rounds; r++)
        for (unsigned p = 0; p < n; p++)
            one_round(&side[p], r, same, from, to);
    for (unsigned p = 0; p < n; p++) {
        printf("%s:", side[p].name);
        for (unsigned i = 0; i < PARTS; i++) {
            qsort(side[p].us[i], rounds, sizeof(double), compare);
            printf(" %s=%.3f", names[i], side[p].us[i][rounds / 2]);
        }
        printf("\n");
    }
    return 0; /* what was opened ends with the process */
}
