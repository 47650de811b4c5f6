/* SPDX-License-Identifier: MIT */
/*
 * Copies within one device's memory. See device_copy.h.
 *
 * First the driver's calls are timed. Where they are dear, the kernel is built in the background; then its
 * calls are timed, and the cheaper way stays.
 */
#include "layer/memory/device_copy.h"
#include "layer/memory/transfer_state.h"
#include "layer/base/exit_guard.h"
#include "layer/timeline/command.h"
#include "layer/base/log.h"
#include "layer/base/options.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of what a work-item copies; work-items of a group; calls that are timed. */
enum { UNIT = 16, GROUP = 64, TIMED = 64 };
/* Where a copy is longer the call does not matter. */
static const uint64_t most_bytes = 16 << 20;
/* A launch takes 3 to 8 us on the drivers we know. */
static const uint64_t dear_ns = 12000;

static const char source[] = "__kernel void coexec_copy(__global const uint4 *from, ulong first, __global "
                             "uint4 *to, ulong at, ulong n)\n"
                             "{\n"
                             "    size_t i = get_global_id(0);\n"
                             "    if (i < n)\n"
                             "        to[at + i] = from[first + i];\n"
                             "}\n";

enum way { BY_DRIVER, BY_KERNEL, WAYS };

struct cx_copier {
    atomic_uint refs; /* the worker's, and that of the thread that builds */
    struct cx_real_device *device;
    cl_context context; /* retained */
    cl_kernel kernel;   /* NULL: it could not be built; belongs to `built` */
    atomic_bool built;
    /* whoever pumps: */
    enum way way;
    bool building, settled; /* settled: the way stays, no call is timed */
    unsigned calls;         /* timed so far, of the way that is tried */
    uint64_t ns[WAYS];      /* for all of TIMED calls */
};

static void unref(struct cx_copier *copier)
{
    if (atomic_fetch_sub(&copier->refs, 1) != 1)
        return;
    if (copier->kernel)
        copier->device->cl->clReleaseKernel(copier->kernel);
    copier->device->cl->clReleaseContext(copier->context);
    free(copier);
}

void cx_device_copy_release(struct cx_worker *worker)
{
    if (worker->transfers->copier)
        unref(worker->transfers->copier);
    worker->transfers->copier = NULL;
}

static void build(void *data)
{
    struct cx_copier *copier = data;
    const cl_icd_dispatch *cl = copier->device->cl;
    const char *text = source;
    cl_int error = CL_SUCCESS;
    const bool inside = cx_exit_guard_enter();
    cl_program program =
        inside ? cl->clCreateProgramWithSource(copier->context, 1, &text, NULL, &error) : NULL;
    if (program) {
        error = cl->clBuildProgram(program, 1, &copier->device->id, NULL, NULL, NULL);
        cl_kernel kernel = error == CL_SUCCESS ? cl->clCreateKernel(program, "coexec_copy", &error) : NULL;
        copier->kernel = error == CL_SUCCESS ? kernel : NULL;
        cl->clReleaseProgram(program);
    }
    if (inside)
        cx_exit_guard_leave();
    if (error != CL_SUCCESS)
        cx_info(CX_TOPIC_DATA, "%s copies by its driver's own commands: the kernel fails with %s",
                copier->device->name, cx_cl_name(error));
    atomic_store_explicit(&copier->built, true, memory_order_release);
    unref(copier);
}

/* The worker's, made when first needed; NULL: the driver copies. */
static struct cx_copier *copier_of(struct cx_worker *worker)
{
    const enum cx_option_device_copy wish = cx_options_get()->device_copy;
    const bool always = wish == CX_OPTION_DEVICE_COPY_KERNEL;
    if (worker->transfers->copier)
        return worker->transfers->copier;
    if (wish == CX_OPTION_DEVICE_COPY_DRIVER || (!always && !(worker->device->type & CL_DEVICE_TYPE_GPU)))
        return NULL;
    struct cx_copier *copier = calloc(1, sizeof(*copier));
    if (!copier || worker->device->cl->clRetainContext(worker->real_context) != CL_SUCCESS) {
        free(copier);
        return NULL;
    }
    copier->refs = 1;
    copier->device = worker->device;
    copier->context = worker->real_context;
    worker->transfers->copier = copier;
    if (always) {
        atomic_fetch_add(&copier->refs, 1);
        build(copier);
        copier->way = copier->kernel ? BY_KERNEL : BY_DRIVER;
        copier->settled = true;
    }
    return copier;
}

static void settle(struct cx_copier *copier, enum way way)
{
    copier->way = way;
    copier->settled = true;
    cx_debug(CX_TOPIC_DATA, "%s copies by %s", copier->device->name,
             way == BY_KERNEL ? "a kernel" : "its driver's own commands");
}

/* A call took so long: goes on to the next way, or stays. */
static void note_call(struct cx_copier *copier, uint64_t ns)
{
    copier->ns[copier->way] += ns;
    if (++copier->calls < TIMED)
        return;
    copier->calls = 0;
    if (copier->way == BY_KERNEL) {
        settle(copier, copier->ns[BY_KERNEL] < copier->ns[BY_DRIVER] ? BY_KERNEL : BY_DRIVER);
        return;
    }
    if (copier->ns[BY_DRIVER] < TIMED * dear_ns) {
        settle(copier, BY_DRIVER);
        return;
    }
    copier->building = true;
    atomic_fetch_add(&copier->refs, 1);
    if (!cx_exit_guard_run(build, copier)) {
        unref(copier);
        settle(copier, BY_DRIVER);
    }
}

static cl_int copy_by_kernel(struct cx_worker *worker, cl_kernel kernel, cl_mem from, uint64_t from_lo,
                             cl_mem to, uint64_t lo, uint64_t bytes, cl_event *event)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    const cl_ulong first = from_lo / UNIT, at = lo / UNIT, n = bytes / UNIT;
    const size_t local = GROUP, global = (size_t)((n + GROUP - 1) / GROUP * GROUP);
    cl_int error = cl->clSetKernelArg(kernel, 0, sizeof(from), &from);
    if (error == CL_SUCCESS)
        error = cl->clSetKernelArg(kernel, 1, sizeof(first), &first);
    if (error == CL_SUCCESS)
        error = cl->clSetKernelArg(kernel, 2, sizeof(to), &to);
    if (error == CL_SUCCESS)
        error = cl->clSetKernelArg(kernel, 3, sizeof(at), &at);
    if (error == CL_SUCCESS)
        error = cl->clSetKernelArg(kernel, 4, sizeof(n), &n);
    return error == CL_SUCCESS
               ? cl->clEnqueueNDRangeKernel(worker->queue, kernel, 1, NULL, &global, &local, 0, NULL, event)
               : error;
}

cl_int cx_device_copy(struct cx_worker *worker, cl_mem from, uint64_t from_lo, cl_mem to, uint64_t lo,
                      uint64_t bytes, cl_event *event)
{
    const bool fits = bytes && bytes <= most_bytes && (from_lo | lo | bytes) % UNIT == 0;
    struct cx_copier *copier = fits ? copier_of(worker) : NULL;
    if (copier && copier->building && atomic_load_explicit(&copier->built, memory_order_acquire)) {
        copier->building = false;
        copier->way = copier->kernel ? BY_KERNEL : BY_DRIVER;
        copier->settled = !copier->kernel;
    }
    const uint64_t since = copier && !copier->settled && !copier->building ? cx_clock_ns() : 0;
    if (copier && copier->way == BY_KERNEL) {
        cl_int error = copy_by_kernel(worker, copier->kernel, from, from_lo, to, lo, bytes, event);
        if (error == CL_SUCCESS) {
            if (since)
                note_call(copier, cx_clock_ns() - since);
            return CL_SUCCESS;
        }
        settle(copier, BY_DRIVER);
    }
    cl_int error =
        worker->device->cl->clEnqueueCopyBuffer(worker->queue, from, to, from_lo, lo, bytes, 0, NULL, event);
    if (since && !copier->settled && error == CL_SUCCESS)
        note_call(copier, cx_clock_ns() - since);
    return error;
}
