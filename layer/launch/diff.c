/* SPDX-License-Identifier: MIT */
/*
 * Finding changed blocks. See diff.h.
 */
#include "layer/launch/diff.h"
#include "layer/base/log.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of the two forms' vectors; work-items of a group. */
enum { UNIT = 16, VECTOR = 64, GROUP = 64, CPU_GROUP = 16 };
/* Bytes that the host compares at a time: whole bytes of flags. */
enum { CHUNK = 1024 * 8 * CX_DIFF_BLOCK };

/*
 * Two forms, both with one byte of flags at a time. For GPUs a group of 64 work-items compares eight blocks,
 * all of its reads coalesced and independent of each other. For others one work-item goes through eight
 * blocks in long vectors. The last bytes, that fill no vector, are one work-item's.
 */
static const char source[] =
    "uint coexec_tail(__global const uchar *x, __global const uchar *y, uint n)\n"
    "{\n"
    "    uint differs = 0;\n"
    "    for (uint i = 0; i < n; i++)\n"
    "        differs |= x[i] ^ y[i];\n"
    "    return differs != 0;\n"
    "}\n"
    "__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
    "void coexec_diff(__global const uint4 *now, ulong first, __global const uint4 *before, ulong units,\n"
    "                 uint tail, __global uchar *flags)\n"
    "{\n"
    "    __local uint changed;\n"
    "    size_t group = get_global_id(0) / 64, at = group * 512 + get_local_id(0);\n"
    "    uint mine = 0;\n"
    "    if (get_local_id(0) == 0)\n"
    "        changed = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (group * 512 + 512 <= units) {\n"
    "        uint4 x[8];\n"
    "        for (uint k = 0; k < 8; k++)\n"
    "            x[k] = now[first + at + k * 64] ^ before[at + k * 64];\n"
    "        for (uint k = 0; k < 8; k++)\n"
    "            mine |= (x[k].x | x[k].y | x[k].z | x[k].w) ? 1u << k : 0;\n"
    "    } else {\n"
    "        for (uint k = 0; k < 8; k++)\n"
    "            if (at + k * 64 < units) {\n"
    "                uint4 x = now[first + at + k * 64] ^ before[at + k * 64];\n"
    "                mine |= (x.x | x.y | x.z | x.w) ? 1u << k : 0;\n"
    "            }\n"
    "        if (units / 512 == group && get_local_id(0) == 0 &&\n"
    "            coexec_tail((__global const uchar *)(now + first + units), (__global const uchar *)(before "
    "+ units),\n"
    "                        tail))\n"
    "            mine |= 1u << (units % 512 / 64);\n"
    "    }\n"
    "    if (mine)\n"
    "        atomic_or(&changed, mine);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (get_local_id(0) == 0)\n"
    "        flags[group] = (uchar)changed;\n"
    "}\n"
    "__kernel void coexec_diff_blocks(__global const ulong8 *now, ulong first, __global const ulong8 "
    "*before,\n"
    "                                 ulong units, uint tail, __global uchar *flags)\n"
    "{\n"
    "    size_t at = get_global_id(0) * 128;\n"
    "    uint changed = 0;\n"
    "    if (at > units || (at == units && tail == 0))\n"
    "        return;\n"
    "    for (uint b = 0; b < 8; b++) {\n"
    "        ulong8 x = 0;\n"
    "        size_t from = at + b * 16, to = min(from + 16, (size_t)units);\n"
    "        for (size_t i = from; i < to; i++)\n"
    "            x |= now[first + i] ^ before[i];\n"
    "        ulong4 y = x.lo | x.hi;\n"
    "        changed |= (y.x | y.y | y.z | y.w) ? 1u << b : 0;\n"
    "    }\n"
    "    if (units / 128 == get_global_id(0) &&\n"
    "        coexec_tail((__global const uchar *)(now + first + units), (__global const uchar *)(before + "
    "units), tail))\n"
    "        changed |= 1u << (units % 128 / 16);\n"
    "    flags[get_global_id(0)] = (uchar)changed;\n"
    "}\n";

void cx_diff_host(const unsigned char *now, const unsigned char *before, uint64_t bytes, unsigned char *flags)
{
    size_t blocks = cx_diff_blocks(bytes);
    memset(flags, 0, cx_diff_bytes(bytes));
    for (size_t b = 0; b < blocks; b++) {
        uint64_t at = (uint64_t)b * CX_DIFF_BLOCK;
        size_t length = (size_t)(bytes - at < CX_DIFF_BLOCK ? bytes - at : CX_DIFF_BLOCK);
        if (memcmp(now + at, before + at, length) != 0)
            flags[b / 8] |= (unsigned char)(1u << b % 8);
    }
}

static bool is_gpu(const struct cx_worker *worker)
{
    return worker->device->type & CL_DEVICE_TYPE_GPU;
}

static cl_int make_kernel(struct cx_worker *worker)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    const char *text = source;
    cl_int error = CL_SUCCESS;
    cl_program program = cl->clCreateProgramWithSource(worker->real_context, 1, &text, NULL, &error);
    if (error != CL_SUCCESS)
        return error;
    const bool counts = cx_worker_compile_begin(worker);
    error = cl->clBuildProgram(program, 1, &worker->device->id, NULL, NULL, NULL);
    cx_worker_compile_end(worker, counts, NULL);
    if (error == CL_SUCCESS)
        worker->diff->kernel =
            cl->clCreateKernel(program, is_gpu(worker) ? "coexec_diff" : "coexec_diff_blocks", &error);
    cl->clReleaseProgram(program);
    if (error != CL_SUCCESS)
        worker->diff->kernel = NULL;
    return error;
}

void cx_diff_release(struct cx_worker *worker)
{
    struct cx_diff_state *diff = worker->diff;
    if (!diff)
        return;
    if (diff->kernel)
        worker->device->cl->clReleaseKernel(diff->kernel);
    if (diff->flags)
        worker->device->cl->clReleaseMemObject(diff->flags);
    free(diff);
    worker->diff = NULL;
}

/* Room for so many bytes of flags on the device. The queue is in order, so one buffer does for all
 * comparisons. */
static cl_int make_flags(struct cx_worker *worker, size_t bytes)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    cl_int error = CL_SUCCESS;
    if (worker->diff->room >= bytes)
        return CL_SUCCESS;
    if (worker->diff->flags)
        cl->clReleaseMemObject(worker->diff->flags);
    worker->diff->flags =
        cl->clCreateBuffer(worker->real_context, CL_MEM_READ_WRITE, 2 * bytes, NULL, &error);
    worker->diff->room = worker->diff->flags ? 2 * bytes : 0;
    return error;
}

static cl_int start(struct cx_worker *worker, cl_mem now, uint64_t lo, cl_mem before, uint64_t bytes,
                    cl_event *event)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    const bool gpu = is_gpu(worker);
    const uint64_t unit = gpu ? UNIT : VECTOR;
    const cl_ulong first = lo / unit, units = bytes / unit;
    const cl_uint tail = (cl_uint)(bytes % unit);
    const size_t flags = cx_diff_bytes(bytes);
    /* always the same local size, as some drivers compile for each */
    const size_t local = gpu ? GROUP : CPU_GROUP;
    const size_t global = gpu ? flags * GROUP : (flags + CPU_GROUP - 1) / CPU_GROUP * CPU_GROUP;
    cl_int error = cl->clSetKernelArg(worker->diff->kernel, 0, sizeof(now), &now);
    if (error == CL_SUCCESS)
        error = cl->clSetKernelArg(worker->diff->kernel, 1, sizeof(first), &first);
    if (error == CL_SUCCESS)
        error = cl->clSetKernelArg(worker->diff->kernel, 2, sizeof(before), &before);
    if (error == CL_SUCCESS)
        error = cl->clSetKernelArg(worker->diff->kernel, 3, sizeof(units), &units);
    if (error == CL_SUCCESS)
        error = cl->clSetKernelArg(worker->diff->kernel, 4, sizeof(tail), &tail);
    if (error == CL_SUCCESS)
        error =
            cl->clSetKernelArg(worker->diff->kernel, 5, sizeof(worker->diff->flags), &worker->diff->flags);
    const bool counts = cx_worker_compile_begin(worker);
    if (error == CL_SUCCESS)
        error = cl->clEnqueueNDRangeKernel(worker->queue, worker->diff->kernel, 1, NULL, &global, &local, 0,
                                           NULL, event);
    cx_worker_compile_end(worker, counts, error == CL_SUCCESS ? *event : NULL);
    return error;
}

static cl_int compare_there(struct cx_worker *worker, cl_mem now, uint64_t lo, cl_mem before, uint64_t bytes,
                            unsigned char *flags, cl_event event[2])
{
    const cl_icd_dispatch *cl = worker->device->cl;
    cl_int error = worker->diff->kernel ? CL_SUCCESS : make_kernel(worker);
    if (error == CL_SUCCESS)
        error = make_flags(worker, cx_diff_bytes(bytes));
    if (error == CL_SUCCESS)
        error = start(worker, now, lo, before, bytes, &event[0]);
    if (error == CL_SUCCESS)
        error = cl->clEnqueueReadBuffer(worker->queue, worker->diff->flags, CL_FALSE, 0, cx_diff_bytes(bytes),
                                        flags, 0, NULL, &event[1]);
    if (error == CL_SUCCESS && !worker->device->probe.synchronous)
        error = cl->clFlush(worker->queue);
    if (error != CL_SUCCESS) {
        cl->clFinish(worker->queue); /* nothing may write the flags any more */
        cx_worker_drop_events(worker, event, 2);
    }
    return error;
}

/* By parts of at most CHUNK bytes. */
static cl_int compare_here(struct cx_worker *worker, cl_mem now, uint64_t lo, cl_mem before, uint64_t bytes,
                           unsigned char *flags)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    const size_t room = (size_t)(bytes < CHUNK ? bytes : CHUNK);
    unsigned char *both = malloc(2 * room);
    cl_int error = both ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (uint64_t at = 0; at < bytes && error == CL_SUCCESS; at += room) {
        size_t part = (size_t)(bytes - at < room ? bytes - at : room);
        error = cl->clEnqueueReadBuffer(worker->queue, now, CL_TRUE, (size_t)(lo + at), part, both, 0, NULL,
                                        NULL);
        if (error == CL_SUCCESS)
            error = cl->clEnqueueReadBuffer(worker->queue, before, CL_TRUE, (size_t)at, part, both + room, 0,
                                            NULL, NULL);
        if (error == CL_SUCCESS)
            cx_diff_host(both, both + room, part, flags + at / CX_DIFF_BLOCK / 8);
    }
    free(both);
    return error;
}

cl_int cx_diff_device(struct cx_worker *worker, cl_mem now, uint64_t lo, cl_mem before, uint64_t bytes,
                      unsigned char *flags, cl_event event[2])
{
    event[0] = event[1] = NULL;
    if (!worker->diff)
        worker->diff = calloc(1, sizeof(*worker->diff));
    if (worker->diff && !worker->diff->failed) {
        cl_int error = compare_there(worker, now, lo, before, bytes, flags, event);
        if (error == CL_SUCCESS)
            return error;
        worker->diff->failed = true;
        cx_warn(CX_TOPIC_WORKER, "%s cannot find changed blocks, so the host does: %s", worker->device->name,
                cx_cl_name(error));
    }
    return compare_here(worker, now, lo, before, bytes, flags);
}
