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
    struct client client;
    cl_mem vector[2], other;
    double *us[PARTS];
};

static void open_side(struct side *side, cl_platform_id platform, cl_uint steps, unsigned rounds)
{
    client_check(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(side->name), side->name, NULL),
                 "clGetPlatformInfo");
    side->client = client_open_on(platform, text, "k");
    for (unsigned b = 0; b < 2; b++)
        side->vector[b] = client_buffer(&side->client, count * sizeof(float));
    side->other = client_buffer(&side->client, BYTES);
    client_set(side->client.kernel, 2, sizeof(count), &count);
    client_set(side->client.kernel, 3, sizeof(steps), &steps);
    for (unsigned p = 0; p < PARTS; p++)
        if (!(side->us[p] = malloc(rounds * sizeof(double))))
            client_check(CL_OUT_OF_HOST_MEMORY, "malloc");
}

static void one_round(struct side *side, unsigned r, bool same, const void *from, void *to)
{
    const size_t bytes = count * sizeof(float), local = LOCAL, global = (count + LOCAL - 1) / LOCAL * LOCAL;
    double setting = 0, launching = 0;
    const double start = client_now_us();
    client_check(
        clEnqueueWriteBuffer(side->client.queue, side->other, CL_FALSE, 0, BYTES, from, 0, NULL, NULL),
        "write");
    client_check(
        clEnqueueWriteBuffer(side->client.queue, side->vector[0], CL_FALSE, 0, bytes, from, 0, NULL, NULL),
        "write");
    const double written = client_now_us();
    for (unsigned i = 0; i < LAUNCHES; i++) {
        const double before = client_now_us();
        for (cl_uint a = 0; a < 2 && (!same || i == 0); a++)
            client_set(side->client.kernel, a, sizeof(cl_mem), &side->vector[(i + a) % 2]);
        const double is_set = client_now_us();
        client_check(clEnqueueNDRangeKernel(side->client.queue, side->client.kernel, 1, NULL, &global, &local,
                                            0, NULL, NULL),
                     "launch");
        setting += is_set - before;
        launching += client_now_us() - is_set;
    }
    const double launched = client_now_us();
    client_check(
        clEnqueueReadBuffer(side->client.queue, side->vector[0], CL_FALSE, 0, bytes, to, 0, NULL, NULL),
        "read");
    client_check(clFinish(side->client.queue), "clFinish");
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
        for (unsigned i = 0; i < PARTS; i++)
            printf(" %s=%.3f", names[i], client_median(side[p].us[i], rounds));
        printf("\n");
    }
    return 0; /* what was opened ends with the process */
}
