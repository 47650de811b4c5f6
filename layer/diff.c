/* SPDX-License-Identifier: MIT */
/*
 * Finding changed blocks. See diff.h.
 */
#include "layer/diff.h"
#include "layer/log.h"

#include <string.h>

/* Bytes of the two forms' vectors; work-items of a group on GPUs. */
enum { UNIT = 16, VECTOR = 64, GROUP = 64, CPU_GROUP = 16 };

/*
 * Two forms. For GPUs work-items of a group look at neighbouring units, so that reads are coalesced; all that
 * write a flag write the same value. For others each work-item goes through whole blocks in long vectors. The
 * last bytes that fill no unit (or no block) are one work-item's.
 */
static const char source[] =
    "__kernel void coexec_diff(__global const uint4 *now, ulong first, __global const uint4 *before, ulong "
    "units,\n"
    "                          uint tail, __global uchar *flags)\n"
    "{\n"
    "    size_t step = get_global_size(0);\n"
    "    for (size_t i = get_global_id(0); i < units; i += step) {\n"
    "        uint4 x = now[first + i] ^ before[i];\n"
    "        if (x.x | x.y | x.z | x.w)\n"
    "            flags[i / 64] = 1;\n"
    "    }\n"
    "    if (tail && get_global_id(0) == 0)\n"
    "        for (uint b = 0; b < tail; b++)\n"
    "            if (((__global const uchar *)(now + first + units))[b] != "
    "((__global const uchar *)(before + units))[b])\n"
    "                flags[units / 64] = 1;\n"
    "}\n"
    "__kernel void coexec_diff_blocks(__global const ulong8 *now, ulong first, __global const ulong8 "
    "*before,\n"
    "                                 ulong blocks, uint tail, __global uchar *flags)\n"
    "{\n"
    "    size_t b = get_global_id(0);\n"
    "    if (b < blocks) {\n"
    "        ulong8 x = 0;\n"
    "        for (uint i = 0; i < 16; i++)\n"
    "            x |= now[first + b * 16 + i] ^ before[b * 16 + i];\n"
    "        ulong4 y = x.lo | x.hi;\n"
    "        flags[b] = (y.x | y.y | y.z | y.w) != 0;\n"
    "    } else if (b == blocks) {\n"
    "        for (uint i = 0; i < tail; i++)\n"
    "            if (((__global const uchar *)(now + first + blocks * 16))[i] != "
    "((__global const uchar *)(before + blocks * 16))[i])\n"
    "                flags[blocks] = 1;\n"
    "    }\n"
    "}\n";

void cx_diff_host(const unsigned char *now, const unsigned char *before, uint64_t bytes, unsigned char *flags)
{
    size_t blocks = cx_diff_blocks(bytes);
    for (size_t b = 0; b < blocks; b++) {
        uint64_t at = (uint64_t)b * CX_DIFF_BLOCK;
        size_t length = (size_t)(bytes - at < CX_DIFF_BLOCK ? bytes - at : CX_DIFF_BLOCK);
        flags[b] = memcmp(now + at, before + at, length) != 0;
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
    error = cl->clBuildProgram(program, 1, &worker->device->id, NULL, NULL, NULL);
    if (error == CL_SUCCESS)
        worker->diff =
            cl->clCreateKernel(program, is_gpu(worker) ? "coexec_diff" : "coexec_diff_blocks", &error);
    cl->clReleaseProgram(program);
    if (error != CL_SUCCESS) {
        worker->diff = NULL;
        cx_warn(CX_TOPIC_WORKER, "%s cannot build the kernel that finds changed blocks: %s",
                worker->device->name, cx_cl_name(error));
    }
    return error;
}

void cx_diff_release(struct cx_worker *worker)
{
    if (worker->diff)
        worker->device->cl->clReleaseKernel(worker->diff);
    worker->diff = NULL;
}

/* Enough work-items to fill a GPU, few enough that each has some units. */
static size_t items_for(const struct cx_worker *worker, uint64_t units)
{
    uint64_t most = (uint64_t)worker->device->compute_units * 2048;
    uint64_t items = units < most ? units : most;
    items = (items + GROUP - 1) / GROUP * GROUP;
    return (size_t)(items ? items : GROUP);
}

static cl_int start(struct cx_worker *worker, cl_mem now, uint64_t lo, cl_mem before, uint64_t bytes,
                    cl_mem flags)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    const bool gpu = is_gpu(worker);
    const uint64_t unit = gpu ? UNIT : CX_DIFF_BLOCK;
    const cl_ulong first = lo / (gpu ? UNIT : VECTOR), units = bytes / unit;
    const cl_uint tail = (cl_uint)(bytes % unit);
    const size_t local = gpu ? GROUP : CPU_GROUP; /* always the same, as some drivers compile for each */
    const size_t global = gpu ? items_for(worker, units) : (size_t)(units / CPU_GROUP + 1) * CPU_GROUP;
    cl_int error = cl->clSetKernelArg(worker->diff, 0, sizeof(now), &now);
    if (error == CL_SUCCESS)
        error = cl->clSetKernelArg(worker->diff, 1, sizeof(first), &first);
    if (error == CL_SUCCESS)
        error = cl->clSetKernelArg(worker->diff, 2, sizeof(before), &before);
    if (error == CL_SUCCESS)
        error = cl->clSetKernelArg(worker->diff, 3, sizeof(units), &units);
    if (error == CL_SUCCESS)
        error = cl->clSetKernelArg(worker->diff, 4, sizeof(tail), &tail);
    if (error == CL_SUCCESS)
        error = cl->clSetKernelArg(worker->diff, 5, sizeof(flags), &flags);
    if (error == CL_SUCCESS)
        error = cl->clEnqueueNDRangeKernel(worker->queue, worker->diff, 1, NULL, &global, gpu ? &local : NULL,
                                           0, NULL, NULL);
    return error;
}

cl_int cx_diff_device(struct cx_worker *worker, cl_mem now, uint64_t lo, cl_mem before, uint64_t bytes,
                      unsigned char *flags, cl_mem *scratch, cl_event *event)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    const size_t blocks = cx_diff_blocks(bytes);
    cl_int error = worker->diff ? CL_SUCCESS : make_kernel(worker);

    *scratch = NULL;
    *event = NULL;
    if (error != CL_SUCCESS)
        return error;
    memset(flags, 0, blocks);
    *scratch = cl->clCreateBuffer(worker->real_context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, blocks,
                                  flags, &error);
    if (error == CL_SUCCESS)
        error = start(worker, now, lo, before, bytes, *scratch);
    if (error == CL_SUCCESS)
        error = cl->clEnqueueReadBuffer(worker->queue, *scratch, CL_FALSE, 0, blocks, flags, 0, NULL, event);
    if (error == CL_SUCCESS && !worker->device->submits_in_caller)
        error = cl->clFlush(worker->queue);
    if (error != CL_SUCCESS) {
        cl->clFinish(worker->queue); /* nothing may write the flags any more */
        if (*event)
            cl->clReleaseEvent(*event);
        if (*scratch)
            cl->clReleaseMemObject(*scratch);
        *scratch = NULL;
        *event = NULL;
    }
    return error;
}
