/* SPDX-License-Identifier: MIT */
/*
 * Starting: many programs of long straight-line code, as generators of chemical rates write it, each built
 * and then launched a few times. Compilers take longer for such a program than its launches last, so this is
 * about what else happens meanwhile. Knows nothing of coexec. The text is the same each time, so that
 * drivers' caches know it the second time. Last line: seconds to open the device, to build, of the first
 * round of launches, of all later ones, in main, and a sum of the results, which is the same on all devices
 * but for rounding. usage: straight [PROGRAMS [STATEMENTS-A-KERNEL [KERNELS-A-PROGRAM [ROUNDS]]]]
 */
#include "client.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPECIES = 32, RATES = 64, ITEMS = 4096, MOST_PROGRAMS = 100 };

static unsigned state = 1;

static unsigned pick(unsigned below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

static void write_statement(FILE *to)
{
    const unsigned rate = pick(RATES), a = pick(SPECIES), b = pick(SPECIES), other = pick(RATES);
    switch (pick(4)) {
    case 0:
        fprintf(to, "    R(%u) = exp(%u.5f - %u.25f * it) * C(%u);\n", rate, pick(4), pick(4), a);
        break;
    case 1:
        fprintf(to, "    R(%u) = R(%u) * 0.%u1f + C(%u) * C(%u);\n", rate, other, pick(9), a, b);
        break;
    case 2:
        fprintf(to, "    sum = mad(0.%u3f, R(%u), sum * 0.5f);\n", pick(9), rate);
        break;
    default:
        fprintf(to, "    R(%u) = fmin(R(%u), sum + %u.0f) + lt * 0.%u2f;\n", rate, other, 1 + pick(8),
                pick(9));
    }
}

/* A program's text: kernels rates_0, rates_1, ... */
static char *write_text(unsigned kernels, unsigned statements)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    client_check(to ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, "writing a program");
    fprintf(to, "#define C(k) c[(k) * n + i]\n#define R(k) r[(k) * n + i]\n");
    for (unsigned k = 0; k < kernels; k++) {
        fprintf(to, "kernel void rates_%u(global const float *t, global const float *c, global float *r)\n",
                k);
        fprintf(to, "{\n    const size_t i = get_global_id(0), n = get_global_size(0);\n");
        fprintf(to, "    const float it = 1.0f / t[i], lt = log(t[i]);\n    float sum = 0;\n");
        for (unsigned s = 0; s < statements; s++)
            write_statement(to);
        fprintf(to, "    R(0) += sum;\n}\n");
    }
    fclose(to);
    return text;
}

static cl_mem filled(const struct client *client, size_t count, float from, float step)
{
    cl_mem mem = client_buffer(client, count * sizeof(float));
    float *data = malloc(count * sizeof(float));

    client_check(data ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, "filling a buffer");
    for (size_t i = 0; i < count; i++)
        data[i] = from + step * (float)(i % 97);
    client_check(
        clEnqueueWriteBuffer(client->queue, mem, CL_TRUE, 0, count * sizeof(float), data, 0, NULL, NULL),
        "write");
    free(data);
    return mem;
}

struct all {
    struct client client;
    cl_device_id device;
    unsigned programs, kernels;
    cl_program program[MOST_PROGRAMS];
    cl_kernel *kernel; /* of all programs */
    cl_mem t, c, r;
};

static void build(struct all *all, unsigned p, unsigned statements)
{
    char *text = write_text(all->kernels, statements);
    const char *const texts[] = {text};
    cl_int error;

    all->program[p] = clCreateProgramWithSource(all->client.context, 1, (const char **)texts, NULL, &error);
    client_check(error, "clCreateProgramWithSource");
    client_check(clBuildProgram(all->program[p], 1, &all->device, NULL, NULL, NULL), "clBuildProgram");
    free(text);
    for (unsigned k = 0; k < all->kernels; k++) {
        cl_kernel *kernel = &all->kernel[p * all->kernels + k];
        char name[24];
        snprintf(name, sizeof(name), "rates_%u", k);
        *kernel = clCreateKernel(all->program[p], name, &error);
        client_check(error, "clCreateKernel");
        client_set(*kernel, 0, sizeof(cl_mem), &all->t);
        client_set(*kernel, 1, sizeof(cl_mem), &all->c);
        client_set(*kernel, 2, sizeof(cl_mem), &all->r);
    }
}

/* Launches all kernels once, one after the other. */
static void run(const struct all *all)
{
    const size_t items = ITEMS, group = 64;

    for (unsigned k = 0; k < all->programs * all->kernels; k++)
        client_check(
            clEnqueueNDRangeKernel(all->client.queue, all->kernel[k], 1, NULL, &items, &group, 0, NULL, NULL),
            "launch");
    client_check(clFinish(all->client.queue), "clFinish");
}

static double add_up(const struct all *all)
{
    static float r[RATES * ITEMS];
    double sum = 0;

    client_check(clEnqueueReadBuffer(all->client.queue, all->r, CL_TRUE, 0, sizeof(r), r, 0, NULL, NULL),
                 "read");
    for (unsigned i = 0; i < RATES * ITEMS; i++)
        sum += isfinite(r[i]) ? log1p(fabs(r[i])) : 0;
    return sum;
}

static unsigned argument(int argc, char **argv, int i, unsigned otherwise)
{
    return argc > i && atoi(argv[i]) > 0 ? (unsigned)atoi(argv[i]) : otherwise;
}

int main(int argc, char **argv)
{
    const double begin = client_now_us();
    static struct all all;
    const unsigned statements = argument(argc, argv, 2, 2000), rounds = argument(argc, argv, 4, 20);

    all.programs = argument(argc, argv, 1, 27);
    all.programs = all.programs < MOST_PROGRAMS ? all.programs : MOST_PROGRAMS;
    all.kernels = argument(argc, argv, 3, 1);
    all.kernel = calloc((size_t)all.programs * all.kernels, sizeof(cl_kernel));
    client_check(all.kernel ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, "a list of kernels");
    all.client = client_open("kernel void nothing(global int *a) { a[0] = 0; }", "nothing");
    client_check(
        clGetContextInfo(all.client.context, CL_CONTEXT_DEVICES, sizeof(all.device), &all.device, NULL),
        "devices");
    all.t = filled(&all.client, ITEMS, 1.0f, 0.01f);
    all.c = filled(&all.client, SPECIES * ITEMS, 0.1f, 0.001f);
    all.r = filled(&all.client, RATES * ITEMS, 0.0f, 0.0f);
    const double opened = client_now_us();
    for (unsigned p = 0; p < all.programs; p++)
        build(&all, p, statements);
    const double built = client_now_us();
    run(&all);
    const double first = client_now_us();
    for (unsigned i = 1; i < rounds; i++)
        run(&all);
    const double last = client_now_us();
    const double sum = add_up(&all);
    printf("open=%.3f build=%.3f first=%.3f later=%.3f all=%.3f sum=%.6g\n", (opened - begin) / 1e6,
           (built - opened) / 1e6, (first - built) / 1e6, (last - first) / 1e6,
           (client_now_us() - begin) / 1e6, sum);
    return 0;
}
