/* SPDX-License-Identifier: MIT */
/*
 * A wrapper around a real driver whose devices cost what GPUs do: their contexts take long to open, kernels
 * to be used for the first time, bytes to be moved. The call that causes a cost takes so much longer. For
 * tests and benchmarks of what coexec risks, on a machine without GPUs.
 *
 *   COSTLY_DRIVER=file    the driver below; default libpocl.so.2
 *   COSTLY_CONTEXT=0,200  milliseconds that a context of the device takes, one number a device of the first
 *                         platform, the last one repeats
 *   COSTLY_FIRST=0,10     milliseconds that the first launch of a kernel on the device takes
 *   COSTLY_MB=0.02,0.1    milliseconds that reads and writes of a megabyte take
 *   COSTLY_REPORT=file    where a line a device goes at the end: how often, how much, and what that cost
 */
#include "wrap.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_USED = 1024 };

struct costs {
    double context, first, megabyte; /* ms */
    unsigned long contexts, firsts, launches, transfers;
    double bytes, ms;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct costs costs[WRAP_MAX_DEVICES];
/* Kernels that were launched, by device, program and name. */
static struct {
    unsigned device;
    cl_program program;
    char name[64];
} used[MAX_USED];
static unsigned nused;

static void pause_ms(double ms)
{
    struct timespec left = {.tv_sec = (time_t)(ms / 1e3),
                            .tv_nsec = (long)((ms - 1e3 * (double)(time_t)(ms / 1e3)) * 1e6)};
    if (ms > 0)
        while (nanosleep(&left, &left) != 0)
            continue;
}

/* WRAP_MAX_DEVICES: none of ours, such as a sub-device. */
static unsigned index_of(cl_device_id device)
{
    unsigned i = 0;
    while (i < driver.ndevices && driver.devices[i] != device)
        i++;
    return i < driver.ndevices ? i : WRAP_MAX_DEVICES;
}

static unsigned device_of(cl_command_queue queue)
{
    cl_device_id device = NULL;
    driver.real.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(device), &device, NULL);
    return index_of(device);
}

static void pay(unsigned device, double ms)
{
    pthread_mutex_lock(&lock);
    costs[device].ms += ms;
    pthread_mutex_unlock(&lock);
    pause_ms(ms);
}

static cl_context CL_API_CALL costly_context(
    const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user_data, cl_int *code)
{
    for (cl_uint i = 0; devices && i < count; i++) {
        const unsigned device = index_of(devices[i]);
        if (device == WRAP_MAX_DEVICES)
            continue;
        pthread_mutex_lock(&lock);
        costs[device].contexts++;
        pthread_mutex_unlock(&lock);
        pay(device, costs[device].context);
    }
    return driver.real.clCreateContext(properties, count, devices, notify, user_data, code);
}

/* Whether it was never launched on the device before. */
static bool is_first(unsigned device, cl_kernel kernel)
{
    cl_program program = NULL;
    char name[64] = "";
    unsigned i = 0;
    driver.real.clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL);
    driver.real.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, NULL);
    pthread_mutex_lock(&lock);
    costs[device].launches++;
    while (i < nused &&
           (used[i].device != device || used[i].program != program || strcmp(used[i].name, name) != 0))
        i++;
    const bool first = i == nused;
    if (first && nused < MAX_USED) {
        used[nused].device = device;
        used[nused].program = program;
        strcpy(used[nused++].name, name);
    }
    costs[device].firsts += first;
    pthread_mutex_unlock(&lock);
    return first;
}

static cl_int CL_API_CALL costly_launch(cl_command_queue queue, cl_kernel kernel, cl_uint dim,
                                        const size_t *offset, const size_t *global, const size_t *local,
                                        cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    const unsigned device = device_of(queue);
    if (device < WRAP_MAX_DEVICES && is_first(device, kernel))
        pay(device, costs[device].first);
    return driver.real.clEnqueueNDRangeKernel(queue, kernel, dim, offset, global, local, nwaits, waits,
                                              event);
}

static void move(cl_command_queue queue, size_t bytes)
{
    const unsigned device = device_of(queue);
    if (device == WRAP_MAX_DEVICES)
        return;
    pthread_mutex_lock(&lock);
    costs[device].bytes += (double)bytes;
    costs[device].transfers++;
    pthread_mutex_unlock(&lock);
    pay(device, costs[device].megabyte * (double)bytes / 1e6);
}

static cl_int CL_API_CALL costly_write(cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t offset,
                                       size_t bytes, const void *from, cl_uint nwaits, const cl_event *waits,
                                       cl_event *event)
{
    move(queue, bytes);
    return driver.real.clEnqueueWriteBuffer(queue, mem, blocking, offset, bytes, from, nwaits, waits, event);
}

static cl_int CL_API_CALL costly_read(cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t offset,
                                      size_t bytes, void *to, cl_uint nwaits, const cl_event *waits,
                                      cl_event *event)
{
    move(queue, bytes);
    return driver.real.clEnqueueReadBuffer(queue, mem, blocking, offset, bytes, to, nwaits, waits, event);
}

/* The number for each device; the last one repeats. */
static void read_list(const char *variable, double *first, size_t apart)
{
    const char *text = getenv(variable);
    double number = 0;
    for (unsigned i = 0; i < WRAP_MAX_DEVICES; i++) {
        if (text && *text) {
            char *end;
            number = strtod(text, &end);
            text = *end == ',' ? end + 1 : NULL;
        }
        *(double *)(void *)((char *)first + i * apart) = number;
    }
}

static void __attribute__((destructor)) report(void)
{
    const char *file = getenv("COSTLY_REPORT");
    FILE *out = file ? fopen(file, "ae") : NULL;
    if (!out)
        return;
    for (unsigned i = 0; i < driver.ndevices; i++)
        fprintf(out,
                "device %u: contexts %lu, first launches %lu, launches %lu, transfers %lu, MB %.3f, cost "
                "%.3f ms\n",
                i, costs[i].contexts, costs[i].firsts, costs[i].launches, costs[i].transfers,
                costs[i].bytes / 1e6, costs[i].ms);
    fclose(out);
}

const char *const wrap_name = "costly", *const wrap_variable = "COSTLY_DRIVER";

void wrap_replace(cl_icd_dispatch *table)
{
    read_list("COSTLY_CONTEXT", &costs[0].context, sizeof *costs);
    read_list("COSTLY_FIRST", &costs[0].first, sizeof *costs);
    read_list("COSTLY_MB", &costs[0].megabyte, sizeof *costs);
    table->clCreateContext = costly_context;
    table->clEnqueueNDRangeKernel = costly_launch;
    table->clEnqueueWriteBuffer = costly_write;
    table->clEnqueueReadBuffer = costly_read;
}
