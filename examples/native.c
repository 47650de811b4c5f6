/* SPDX-License-Identifier: MIT */
/*
 * What the examples' hand-split versions share: one part a device, with a context and a queue of its own and
 * a fixed share of the work; transfers from and to pinned memory that all devices share. In place of
 * device.c's one device; the steps themselves are in the programs.
 */
#include "common.h"

#include <stdlib.h>

bool run_is_native(const struct run *run)
{
    return run->part_count > 0;
}

void run_share(const struct run *part, size_t total, size_t unit, size_t *first, size_t *end)
{
    double before = 0, sum = 0;
    size_t units = round_up(total, unit) / unit;
    for (unsigned i = 0; i < part->part_count; i++) {
        before += i < part->part ? part->powers[i] : 0;
        sum += part->powers[i];
    }
    *first = unit * (size_t)((double)units * before / sum + 0.5);
    *end = unit * (size_t)((double)units * (before + part->powers[part->part]) / sum + 0.5);
    if (part->part == part->part_count - 1 || *end > total)
        *end = total;
    if (*first > total)
        *first = total;
}

/* The first part makes each array, and keeps it mapped; the other parts, which ask in the same order, get the
 * same. */
void *native_array(struct run *run, size_t bytes)
{
    unsigned number = run->array_count++;
    if (run->part > 0)
        return run->parts[0]->arrays[number];
    cl_int error;
    run->pinned[number] = clCreateBuffer(run->context, CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &error);
    cl_check(error, "clCreateBuffer(CL_MEM_ALLOC_HOST_PTR)");
    run->arrays[number] = clEnqueueMapBuffer(run->queue, run->pinned[number], CL_TRUE,
                                             CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &error);
    cl_check(error, "clEnqueueMapBuffer");
    return run->arrays[number];
}

static void *no_memory(const struct run *run, void *memory)
{
    if (!memory)
        fail(STATUS_USAGE, "%s: no host memory", run->example->name);
    return memory;
}

static void choose_devices(const struct run *run, cl_device_id *devices)
{
    unsigned count = device_list(run, devices, MAX_PARTS);
    if (count < run->part_count)
        fail(STATUS_USAGE, "%s: --native names %u powers, but there are %u devices of the wanted kind",
             run->example->name, run->part_count, count);
    for (unsigned i = 0; i < run->part_count; i++) {
        const char *platform = run->wanted[i].platform;
        const int length = (int)run->wanted[i].length;
        if (platform)
            devices[i] = device_named(run, platform, run->wanted[i].length, run->wanted[i].device);
        if (!devices[i])
            fail(STATUS_USAGE, "%s: --native: there is no device %u of a platform named \"%.*s\"",
                 run->example->name, run->wanted[i].device, length, platform);
    }
}

void native_open(struct run *run)
{
    cl_device_id devices[MAX_PARTS];
    choose_devices(run, devices);
    for (unsigned i = 0; i < run->part_count; i++) {
        struct run *part = run;
        if (i > 0) {
            part = no_memory(run, calloc(1, sizeof(*part)));
            *part = *run;
            part->states[0] = run->states[i] = no_memory(run, calloc(1, run->example->state_size));
            part->array_count = part->buffer_count = part->kernel_count = 0;
            part->input_count = part->output_count = 0;
        }
        run->parts[i] = part;
        part->parts[0] = run;
        part->part = i;
        part->device = devices[i];
        device_open(part);
        program_build(part);
        run->example->setup(part, run->states[i]);
    }
}

/* Fed from the last to the first: the first device's driver may compute within the call. */
void native_once(struct run *run)
{
    bool more = true;
    for (size_t step = 0; more; step++) {
        for (unsigned i = run->part_count; i-- > 0;) {
            more = run->example->native(run->parts[i], run->states[i], step);
            cl_check(clFlush(run->parts[i]->queue), "clFlush");
        }
        for (unsigned i = 0; i < run->part_count; i++)
            run_finish(run->parts[i]);
    }
}

void native_close(struct run *run)
{
    for (unsigned i = 0; i < run->array_count; i++) {
        cl_check(clEnqueueUnmapMemObject(run->queue, run->pinned[i], run->arrays[i], 0, NULL, NULL),
                 "clEnqueueUnmapMemObject");
        cl_check(clReleaseMemObject(run->pinned[i]), "clReleaseMemObject");
    }
    run_finish(run);
    for (unsigned i = 1; i < run->part_count; i++) {
        run_release(run->parts[i]);
        free(run->parts[i]);
        free(run->states[i]);
    }
}
