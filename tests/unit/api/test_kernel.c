/* SPDX-License-Identifier: MIT */
/*
 * Kernels from the inside, on two PoCL devices: argument snapshots and what they keep alive, what is set on
 * the real kernels and what is not, split variants, and ends at awkward moments. What programs see is tested
 * through the API elsewhere.
 */
#include "capture.h"
#include "layer/source/analysis.h"
#include "layer/memory/buffer.h"
#include "layer/object/device.h"
#include "layer/base/entry.h"
#include "layer/plan/plan.h"
#include "layer/source/subrange.h"
#include "layer/program/program.h"
#include "layer/program/build_deferred.h"
#include "layer/program/kernel_bind.h"
#include "layer/program/kernel_info.h"
#include "layer/timeline/worker.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static cl_context handle;
static struct cx_context *context;
static atomic_uint sets; /* calls of the members' clSetKernelArg, by any thread */
static cl_icd_dispatch counting[2];
static cl_int(CL_API_CALL *real_set)(cl_kernel, cl_uint, size_t, const void *);

static cl_int CL_API_CALL counted_set(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    sets++;
    return real_set(kernel, index, size, value);
}

static void open_context(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;

    ck_assert_int_eq(cx_clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    ck_assert_int_eq(cx_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), CL_SUCCESS);
    handle = cx_clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    ck_assert_int_eq(error, CL_SUCCESS);
    context = cx_context_from(handle);
    ck_assert_uint_eq(context->nmembers, 2);
    for (unsigned m = 0; m < 2; m++) {
        struct cx_real_device *own = context->workers[m].device;
        counting[m] = *own->cl;
        real_set = own->cl->clSetKernelArg;
        counting[m].clSetKernelArg = counted_set;
        own->cl = &counting[m];
    }
}

static void setup(void)
{
    clean_environment();
    set_environment("POCL_DEVICES", "basic pthread", "POCL_MAX_PTHREAD_COUNT", "1", "analysis", "0", NULL);
    open_context();
}

static void teardown(void)
{
    ck_assert_int_eq(cx_clReleaseContext(handle), CL_SUCCESS);
}

static const char text[] = "typedef struct { int a; char b[29]; } big;\n"
                           "__kernel void mixed(__global int *out, __local int *room, int add, big s)\n"
                           "{\n"
                           "    room[get_local_id(0)] = add + s.a;\n"
                           "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                           "    out[get_global_id(0)] = room[0] + (int)get_group_id(0) * 1000 +\n"
                           "                            (int)get_global_size(0) * 100000;\n"
                           "}\n"
                           "__kernel void other(__global int *out) { out[0] = 1; }\n";
struct big {
    cl_int a;
    char b[29];
};

static cl_program build_first(const char *source)
{
    cl_int error;
    cl_program program = cx_clCreateProgramWithSource(handle, 1, &source, NULL, &error);
    ck_assert_int_eq(error, CL_SUCCESS);
    ck_assert_int_eq(cx_clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_SUCCESS);
    return program;
}

/* Built by all members. */
static cl_program build(const char *source)
{
    cl_program program = build_first(source);
    ck_assert(cx_build_deferred_wait(cx_program_from(program), ~0u));
    return program;
}

static cl_kernel kernel_of(cl_program program, const char *name)
{
    cl_int error;
    cl_kernel kernel = cx_clCreateKernel(program, name, &error);
    ck_assert_int_eq(error, CL_SUCCESS);
    return kernel;
}

static cl_mem buffer(size_t size)
{
    cl_int error;
    cl_mem mem = cx_clCreateBuffer(handle, CL_MEM_READ_WRITE, size, NULL, &error);
    ck_assert_int_eq(error, CL_SUCCESS);
    return mem;
}

static void set(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    ck_assert_int_eq(cx_clSetKernelArg(kernel, index, size, value), CL_SUCCESS);
}

static void set_all(cl_kernel kernel, cl_mem out, cl_int add)
{
    struct big big = {.a = 5};
    set(kernel, 0, sizeof(out), &out);
    set(kernel, 1, 8 * sizeof(cl_int), NULL);
    set(kernel, 2, sizeof(add), &add);
    set(kernel, 3, sizeof(big), &big);
}

static cl_int added(const struct cx_args *args)
{
    return *(const cl_int *)args->arg[2].value;
}

START_TEST(snapshots)
{
    cl_program program = build(text);
    cl_kernel kernel = kernel_of(program, "mixed");
    struct cx_kernel *own = cx_kernel_from(kernel);
    cl_mem out = buffer(256);
    cl_int value = 2;
    unsigned missing = 99;

    ck_assert_ptr_nonnull(own->function->history); /* no launch has to make it */
    set(kernel, 0, sizeof(out), &out);
    ck_assert_ptr_null(cx_kernel_capture(own, &missing));
    ck_assert_uint_eq(missing, 1);
    set_all(kernel, out, 1);
    const struct cx_args *before = own->args;
    set_all(kernel, out, 1);
    ck_assert_ptr_eq(own->args, before); /* nobody looked: in place */

    struct cx_args *first = cx_kernel_capture(own, &missing), *again = cx_kernel_capture(own, &missing);
    ck_assert_ptr_eq(first, before);
    ck_assert_ptr_eq(again, first);
    set(kernel, 2, sizeof(value), &value);
    struct cx_args *second = cx_kernel_capture(own, &missing);
    ck_assert_ptr_ne(second, first);
    ck_assert_int_eq(added(first), 1);
    ck_assert_int_eq(added(second), 2);
    ck_assert_ptr_eq(second->arg[0].mem, first->arg[0].mem);
    ck_assert_uint_eq(second->arg[1].size, 8 * sizeof(cl_int));
    ck_assert_int_eq(((struct big *)second->arg[3].value)->a, 5);

    cl_int error;
    cl_kernel clone = cx_clCloneKernel(kernel, &error);
    ck_assert_int_eq(error, CL_SUCCESS);
    value = 3;
    set(clone, 2, sizeof(value), &value);
    struct cx_args *third = cx_kernel_capture(cx_kernel_from(clone), &missing);
    ck_assert_int_eq(added(third), 3);
    ck_assert_int_eq(added(own->args), 2);

    cx_args_unref(&third);
    cx_args_unref(&again);
    cx_args_unref(&first);
    cx_args_unref(&second);
    ck_assert_int_eq(cx_clReleaseKernel(clone), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseKernel(kernel), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseMemObject(out), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseProgram(program), CL_SUCCESS);
}
END_TEST

/* A kernel keeps no buffer alive, a captured snapshot does, and a new buffer at the old address is another
 * one. */
START_TEST(buffers_in_snapshots)
{
    cl_program program = build(text);
    cl_kernel kernel = kernel_of(program, "other");
    struct cx_kernel *own = cx_kernel_from(kernel);
    cl_mem out = buffer(256);
    unsigned missing = 99;

    set(kernel, 0, sizeof(out), &out);
    struct cx_args *captured = cx_kernel_capture(own, &missing);
    struct cx_args *more = cx_args_ref(captured);
    ck_assert_int_eq(cx_clReleaseMemObject(out), CL_SUCCESS);
    cx_args_unref(&captured);
    ck_assert_ptr_null(captured);
    ck_assert_uint_eq(more->arg[0].mem->size, 256); /* alive */
    cx_args_unref(&more);
    ck_assert_ptr_null(cx_kernel_capture(own, &missing));
    ck_assert_uint_eq(missing, 1);
    ck_assert_int_eq(cx_clSetKernelArg(kernel, 0, sizeof(out), &out), CL_INVALID_MEM_OBJECT);

    cl_mem others[64];
    for (unsigned i = 0; i < 64; i++)
        others[i] = buffer(256);
    ck_assert_ptr_null(cx_kernel_capture(own, &missing));
    out = NULL;
    set(kernel, 0, sizeof(out), &out);
    captured = cx_kernel_capture(own, &missing);
    ck_assert_ptr_nonnull(captured);
    ck_assert_ptr_null(captured->arg[0].mem);
    cx_args_unref(&captured);
    for (unsigned i = 0; i < 64; i++)
        ck_assert_int_eq(cx_clReleaseMemObject(others[i]), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseKernel(kernel), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseProgram(program), CL_SUCCESS);
}
END_TEST

START_TEST(argument_errors)
{
    cl_program program = build(text);
    cl_kernel kernel = kernel_of(program, "mixed");
    cl_int value = 1;
    struct big big = {.a = 1};
    void *stray = &big;

    ck_assert_int_eq(cx_clSetKernelArg(kernel, 4, sizeof(value), &value), CL_INVALID_ARG_INDEX);
    ck_assert_int_eq(cx_clSetKernelArg(kernel, 0, sizeof(value), &value), CL_INVALID_ARG_SIZE);
    ck_assert_int_eq(cx_clSetKernelArg(kernel, 0, sizeof(stray), &stray), CL_INVALID_MEM_OBJECT);
    ck_assert_int_eq(cx_clSetKernelArg(kernel, 0, sizeof(handle), &handle), CL_INVALID_MEM_OBJECT);
    ck_assert_int_eq(cx_clSetKernelArg(kernel, 1, 0, NULL), CL_INVALID_ARG_SIZE);
    ck_assert_int_eq(cx_clSetKernelArg(kernel, 1, sizeof(value), &value), CL_INVALID_ARG_VALUE);
    ck_assert_int_eq(cx_clSetKernelArg(kernel, 2, sizeof(value), NULL), CL_INVALID_ARG_VALUE);
    ck_assert_int_eq(cx_clSetKernelArg(kernel, 2, 2 * sizeof(value), &big), CL_INVALID_ARG_SIZE);
    ck_assert_int_eq(cx_clSetKernelArg((cl_kernel)program, 0, sizeof(value), &value), CL_INVALID_KERNEL);
    ck_assert_int_eq(cx_clReleaseKernel(kernel), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseProgram(program), CL_SUCCESS);
}
END_TEST

/* Binds the kernel's current arguments on the member and runs it there; gives how many arguments were set. */
static unsigned run_on(struct cx_kernel *kernel, unsigned member, enum cx_variant variant,
                       const struct cx_subrange_launch *l)
{
    struct cx_worker *worker = &context->workers[member];
    unsigned missing;
    cl_kernel real = NULL;

    struct cx_args *args = cx_kernel_capture(kernel, &missing);
    ck_assert_ptr_nonnull(args);
    for (unsigned i = 0; i < args->count; i++) {
        if (args->arg[i].kind != CX_ARGS_MEM)
            continue;
        cx_context_lock(context);
        ck_assert_int_eq(cx_mem_prepare(args->arg[i].mem, member), CL_SUCCESS);
        cx_context_unlock(context);
    }
    sets = 0;
    ck_assert_int_eq(cx_kernel_bind(kernel, member, variant, args, &real), CL_SUCCESS);
    unsigned done = sets;
    ck_assert_int_eq(worker->device->cl->clEnqueueNDRangeKernel(worker->queue, real, l->dims, l->offset,
                                                                l->global, l->local, 0, NULL, NULL),
                     CL_SUCCESS);
    ck_assert_int_eq(worker->device->cl->clFinish(worker->queue), CL_SUCCESS);
    cx_args_unref(&args);
    return done;
}

static void expect_out(cl_mem out, unsigned member, cl_int base, unsigned items)
{
    const struct cx_worker *worker = &context->workers[member];
    cl_int got[64];

    ck_assert_int_eq(worker->device->cl->clEnqueueReadBuffer(worker->queue,
                                                             cx_mem_real(cx_mem_from(out), member), CL_TRUE,
                                                             0, items * sizeof(cl_int), got, 0, NULL, NULL),
                     CL_SUCCESS);
    for (unsigned i = 0; i < items; i++)
        ck_assert_int_eq(got[i], base + (cl_int)(i / 8) * 1000 + (cl_int)items * 100000);
}

/* A capture of the current arguments, bound on member 0; *done: how many were set there. */
static struct cx_args *bound(struct cx_kernel *kernel, unsigned *done)
{
    unsigned missing;
    cl_kernel real;
    struct cx_args *args = cx_kernel_capture(kernel, &missing);
    ck_assert_ptr_nonnull(args);
    cx_context_lock(context);
    ck_assert_int_eq(cx_mem_prepare(args->arg[0].mem, 0), CL_SUCCESS);
    cx_context_unlock(context);
    sets = 0;
    ck_assert_int_eq(cx_kernel_bind(kernel, 0, CX_VARIANT_PLAIN, args, &real), CL_SUCCESS);
    *done = sets;
    return args;
}

/* Launches that need values no more leave the snapshot to clSetKernelArg, which changes a value in place; the
 * real kernel is told of that, whichever snapshot it is bound to next. */
START_TEST(values_in_place)
{
    const struct cx_subrange_launch whole = {.dims = 1, .global = {64, 1, 1}, .local = {8, 1, 1}};
    cl_program program = build(text);
    cl_kernel kernel = kernel_of(program, "mixed");
    struct cx_kernel *own = cx_kernel_from(kernel);
    cl_mem out = buffer(64 * sizeof(cl_int));
    struct cx_args *flying[4];
    unsigned done, missing;
    set_all(kernel, out, 1);
    for (cl_int i = 0; i < 4; i++) {
        set(kernel, 2, sizeof(i), &i);
        flying[i] = bound(own, &done);
        ck_assert_uint_eq(done, i ? 1 : 4);
        ck_assert_ptr_eq(flying[i], own->args);
        ck_assert_ptr_eq(flying[i], flying[0]);
        cx_args_pass(flying[i]);
    }
    cl_int value = 4;
    set(kernel, 1, 16 * sizeof(cl_int), NULL); /* no value: a snapshot of its own */
    set(kernel, 2, sizeof(value), &value);
    ck_assert_ptr_ne(own->args, flying[0]);
    ck_assert_int_eq(added(flying[0]), 3);
    ck_assert_uint_eq(run_on(own, 0, CX_VARIANT_PLAIN, &whole), 2);
    expect_out(out, 0, 4 + 5, 64);
    for (unsigned i = 0; i < 4; i++)
        cx_args_unref_passed(&flying[i]);

    struct cx_args *recorded = cx_kernel_capture(own, &missing); /* whose values may be read for long */
    value = 5;
    set(kernel, 2, sizeof(value), &value);
    ck_assert_ptr_ne(own->args, recorded);
    ck_assert_uint_eq(run_on(own, 0, CX_VARIANT_PLAIN, &whole), 1);
    const struct cx_args *current = own->args;
    value = 4; /* as the recorded one has it, and the real kernel has not */
    set(kernel, 2, sizeof(value), &value);
    ck_assert_ptr_eq(own->args, current);
    cl_kernel real;
    sets = 0;
    ck_assert_int_eq(cx_kernel_bind(own, 0, CX_VARIANT_PLAIN, recorded, &real), CL_SUCCESS);
    ck_assert_uint_eq(sets, 1);
    cx_args_unref(&recorded);
    ck_assert_uint_eq(run_on(own, 0, CX_VARIANT_PLAIN, &whole), 0);
    expect_out(out, 0, 4 + 5, 64);

    ck_assert_uint_eq(run_on(own, 1, CX_VARIANT_PLAIN, &whole), 4); /* two hold it: not in place */
    current = own->args;
    value = 6;
    set(kernel, 2, sizeof(value), &value);
    ck_assert_ptr_ne(own->args, current);
    for (unsigned m = 0; m < 2; m++) {
        ck_assert_uint_eq(run_on(own, m, CX_VARIANT_PLAIN, &whole), 1);
        expect_out(out, m, 6 + 5, 64);
    }
    ck_assert_int_eq(cx_clReleaseKernel(kernel), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseMemObject(out), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseProgram(program), CL_SUCCESS);
}
END_TEST

START_TEST(binding)
{
    const struct cx_subrange_launch whole = {.dims = 1, .global = {64, 1, 1}, .local = {8, 1, 1}};
    cl_program program = build(text);
    cl_kernel kernel = kernel_of(program, "mixed");
    struct cx_kernel *own = cx_kernel_from(kernel);
    cl_mem out = buffer(64 * sizeof(cl_int)), other = buffer(64 * sizeof(cl_int));
    cl_int value = 2;

    set_all(kernel, out, 1);
    for (unsigned m = 0; m < 2; m++) {
        ck_assert(cx_kernel_runs_on(own, m));
        ck_assert_uint_eq(run_on(own, m, CX_VARIANT_PLAIN, &whole), 4);
        expect_out(out, m, 6, 64);
        ck_assert_uint_eq(run_on(own, m, CX_VARIANT_PLAIN, &whole), 0);
    }
    set(kernel, 2, sizeof(value), &value);
    ck_assert_uint_eq(run_on(own, 0, CX_VARIANT_PLAIN, &whole), 1);
    expect_out(out, 0, 7, 64);
    set_all(kernel, out, 2); /* the same again */
    ck_assert_uint_eq(run_on(own, 0, CX_VARIANT_PLAIN, &whole), 0);
    set(kernel, 0, sizeof(other), &other);
    ck_assert_uint_eq(run_on(own, 0, CX_VARIANT_PLAIN, &whole), 1);
    expect_out(other, 0, 7, 64);
    ck_assert_uint_eq(run_on(own, 1, CX_VARIANT_PLAIN, &whole), 2); /* two changes at once */
    expect_out(other, 1, 7, 64);

    unsigned missing;
    cl_kernel real = NULL;
    struct cx_args *args = cx_kernel_capture(own, &missing);
    ck_assert_int_eq(cx_kernel_bind(own, 0, CX_VARIANT_SPLIT, args, &real), CL_INVALID_PROGRAM_EXECUTABLE);
    cx_args_unref(&args);

    size_t all = cx_kernel_group_limit(own, CX_ALL_MEMBERS);
    ck_assert_uint_gt(all, 0);
    ck_assert_uint_le(all, cx_kernel_group_limit(own, 0));
    capture_start();
    cx_kernel_leave_out(own, 1, "a test");
    cx_kernel_leave_out(own, 1, "a test");
    const char *log = capture_end();
    ck_assert_ptr_nonnull(strstr(log, "a test"));
    ck_assert_ptr_eq(strstr(log, "a test"), strrchr(log, 'a'));
    ck_assert(!cx_kernel_runs_on(own, 1));
    ck_assert_uint_eq(cx_kernel_group_limit(own, 1), 0);
    ck_assert_int_eq(cx_clReleaseMemObject(out), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseMemObject(other), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseKernel(kernel), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseProgram(program), CL_SUCCESS);
}
END_TEST

START_TEST(variants)
{
    const struct cx_access_geometry geometry = {.work_dim = 1, .global = {64, 1, 1}, .local = {8, 1, 1}};
    cl_program program = build(text);
    cl_kernel kernel = kernel_of(program, "mixed");
    struct cx_kernel *own = cx_kernel_from(kernel);
    cl_mem out = buffer(64 * sizeof(cl_int));
    struct cx_subrange_launch launch;

    ck_assert(cx_kernel_variant_ready(own, 0, CX_VARIANT_PLAIN));
    ck_assert(!cx_kernel_variant_ready(own, 0, CX_VARIANT_SPLIT));
    cx_kernel_variant_want(own, CX_VARIANT_SPLIT);
    cx_kernel_variant_want(own, CX_VARIANT_SPLIT);
    ck_assert(cx_kernel_variant_wait(own, CX_VARIANT_SPLIT, 60000));
    ck_assert(!cx_kernel_variant_ready(own, 0, CX_VARIANT_SPLIT3_0));
    set_all(kernel, out, 1);
    for (unsigned m = 0; m < 2; m++) {
        ck_assert(cx_kernel_variant_ready(own, m, CX_VARIANT_SPLIT));
        ck_assert_uint_gt(cx_kernel_variant_limit(own, m, CX_VARIANT_SPLIT), 0);
        cx_subrange_package(&geometry, 0, CX_VARIANT_SPLIT, 0, 3, &launch);
        ck_assert_uint_eq(run_on(own, m, CX_VARIANT_SPLIT, &launch), 4);
        cx_subrange_package(&geometry, 0, CX_VARIANT_SPLIT, 3, 8, &launch);
        ck_assert_uint_eq(run_on(own, m, CX_VARIANT_SPLIT, &launch), 0);
        expect_out(out, m, 6, 64);
    }
    ck_assert_int_eq(cx_clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_INVALID_OPERATION);
    ck_assert_int_eq(cx_clReleaseMemObject(out), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseKernel(kernel), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseProgram(program), CL_SUCCESS);
}
END_TEST

/* A program that defines one of the names itself has no variant, and a new build starts without any. */
START_TEST(variants_that_fail)
{
    cl_program program =
        build("#define get_group_id(d) 0\n__kernel void k(__global int *a) { a[0] = get_group_id(0); }");
    cl_kernel kernel = kernel_of(program, "k");
    struct cx_kernel *own = cx_kernel_from(kernel);

    cx_kernel_variant_want(own, CX_VARIANT_SPLIT);
    ck_assert(cx_kernel_variant_wait(own, CX_VARIANT_SPLIT, 60000));
    ck_assert(!cx_kernel_variant_ready(own, 0, CX_VARIANT_SPLIT));
    ck_assert(!cx_kernel_variant_ready(own, 1, CX_VARIANT_SPLIT));
    cx_kernel_variant_want(own, CX_VARIANT_SPLIT3_1);
    ck_assert_int_eq(cx_clReleaseKernel(kernel), CL_SUCCESS);
    ck_assert_int_eq(cx_clBuildProgram(program, 0, NULL, "-DX", NULL, NULL),
                     CL_SUCCESS); /* while that goes on */
    kernel = kernel_of(program, "k");
    ck_assert(!cx_kernel_variant_ready(cx_kernel_from(kernel), 0, CX_VARIANT_SPLIT3_1));
    ck_assert_int_eq(cx_clReleaseKernel(kernel), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseProgram(program), CL_SUCCESS);
}
END_TEST

START_TEST(released_while_built)
{
    cl_program program = build(text);
    cl_kernel kernel = kernel_of(program, "mixed");

    cx_kernel_variant_want(cx_kernel_from(kernel), CX_VARIANT_SPLIT3_2);
    ck_assert_int_eq(cx_clReleaseKernel(kernel), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseProgram(program), CL_SUCCESS);
}
END_TEST

START_TEST(why_no_summary)
{
    cl_program program = build(text);
    cl_kernel kernel = kernel_of(program, "other");
    struct cx_kernel *own = cx_kernel_from(kernel);
    struct cx_no_summary why = {0};

    ck_assert_ptr_null(cx_kernel_summary(own, &why));
    ck_assert_int_eq(why.reason, CX_NO_SUMMARY_OFF);
    ck_assert(cx_kernel_summary_wait(own, 0));
    why = (struct cx_no_summary){0};
    ck_assert(!cx_program_compatible(own->program, 0, 1, &why));
    ck_assert_int_eq(why.reason, CX_NO_SUMMARY_OFF);
    ck_assert(cx_program_compatible(own->program, 1, 1, NULL));
    ck_assert_int_eq(cx_clReleaseKernel(kernel), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseProgram(program), CL_SUCCESS);
}
END_TEST

static cl_mem read_only(size_t size)
{
    cl_int error;
    cl_mem mem = cx_clCreateBuffer(handle, CL_MEM_READ_ONLY, size, NULL, &error);
    ck_assert_int_eq(error, CL_SUCCESS);
    return mem;
}

/* A kernel that nobody could analyse fills a buffer that its flags call read-only, as one of hashcat's does:
 * that works on every driver. */
START_TEST(fills_read_only)
{
    cl_program program = build("__kernel void fill(__global int *a) { a[get_global_id(0)] = 7; }");
    cl_kernel kernel = kernel_of(program, "fill");
    cl_mem from = read_only(64 * sizeof(cl_int)), to = read_only(64 * sizeof(cl_int));
    cl_int error, got[64] = {0};
    const size_t items = 64;
    cl_command_queue queue = cx_clCreateCommandQueue(handle, (cl_device_id)context->devices[0], 0, &error);
    ck_assert_int_eq(error, CL_SUCCESS);
    set(kernel, 0, sizeof(from), &from);
    ck_assert_int_eq(cx_clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL),
                     CL_SUCCESS);
    ck_assert_int_eq(cx_clEnqueueCopyBuffer(queue, from, to, 0, 0, sizeof(got), 0, NULL, NULL), CL_SUCCESS);
    ck_assert_int_eq(cx_clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL),
                     CL_SUCCESS);
    for (unsigned i = 0; i < 64; i++)
        ck_assert_int_eq(got[i], 7);
    ck_assert_int_eq(cx_clReleaseCommandQueue(queue), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseMemObject(from), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseMemObject(to), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseKernel(kernel), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseProgram(program), CL_SUCCESS);
}
END_TEST

static cl_int one_launch(cl_kernel kernel, cl_command_queue queue, size_t items)
{
    const size_t local = 8;
    cl_int error = cx_clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL);
    return error == CL_SUCCESS ? cx_clFinish(queue) : error;
}

/* Launches are judged by which arguments mean the same memory, not by which memory that is. */
START_TEST(judged_by_pattern)
{
    clean_environment();
    set_environment("POCL_DEVICES", "basic pthread", "POCL_MAX_PTHREAD_COUNT", "1", "COEXEC_BUDGET", "1",
                    NULL);
    open_context();
    cl_program program = build("__kernel void next(__global const int *a, __global int *b)\n"
                               "{ b[get_global_id(0)] = a[get_global_id(0)] + 1; }");
    cl_kernel kernel = kernel_of(program, "next");
    const struct cx_kernel *own = cx_kernel_from(kernel);
    cl_mem mem[4];
    cl_int error;
    cl_command_queue queue = cx_clCreateCommandQueue(handle, (cl_device_id)context->devices[0], 0, &error);
    ck_assert_int_eq(error, CL_SUCCESS);
    ck_assert(cx_kernel_summary_wait(cx_kernel_from(kernel), 60000));
    for (unsigned i = 0; i < 4; i++)
        mem[i] = buffer(64 * sizeof(cl_int));

    for (unsigned i = 0; i < 4; i += 2) {
        set(kernel, 0, sizeof(mem[i]), &mem[i]);
        set(kernel, 1, sizeof(mem[i + 1]), &mem[i + 1]);
        ck_assert_int_eq(one_launch(kernel, queue, 64), CL_SUCCESS);
        const struct cx_kernel_history *history = own->function->history;
        ck_assert_ptr_nonnull(history->verdicts.cached[0]);
        ck_assert_ptr_null(history->verdicts.cached[1]);
    }
    set(kernel, 0, sizeof(mem[3]), &mem[3]);
    ck_assert_int_eq(one_launch(kernel, queue, 64), CL_SUCCESS);
    ck_assert_ptr_nonnull(((const struct cx_kernel_history *)own->function->history)->verdicts.cached[1]);

    ck_assert_int_eq(cx_clReleaseCommandQueue(queue), CL_SUCCESS);
    for (unsigned i = 0; i < 4; i++)
        ck_assert_int_eq(cx_clReleaseMemObject(mem[i]), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseKernel(kernel), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseProgram(program), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseContext(handle), CL_SUCCESS);
}
END_TEST

static unsigned variant_state(cl_kernel kernel)
{
    return atomic_load(&cx_kernel_from(kernel)->program->members[0].state[CX_VARIANT_SPLIT]);
}

/* A variant costs as much as a build: not for one launch of a kernel that is short by its text, but for many.
 */
START_TEST(variants_for_work_only)
{
    clean_environment();
    set_environment("POCL_DEVICES", "basic pthread", "POCL_MAX_PTHREAD_COUNT", "1", "COEXEC_BUDGET", "1",
                    "build", _i ? "lazy" : "all", NULL);
    open_context();
    cl_int error;
    cl_program program = build_first(text);
    cl_kernel kernel = kernel_of(program, "mixed");
    cl_mem out = buffer(sizeof(cl_int) << 18);
    cl_command_queue queue = cx_clCreateCommandQueue(handle, (cl_device_id)context->devices[0], 0, &error);
    ck_assert_int_eq(error, CL_SUCCESS);
    ck_assert(cx_kernel_summary_wait(cx_kernel_from(kernel), 60000));

    set_all(kernel, out, 1);
    ck_assert_int_eq(one_launch(kernel, queue, 64), CL_SUCCESS);
    ck_assert_uint_eq(variant_state(kernel), CX_BUILD_NONE);
    ck_assert(cx_build_deferred_on(cx_program_from(program), 1) == (_i == 1));
    for (unsigned i = 0; i < 10000 && variant_state(kernel) == CX_BUILD_NONE; i++)
        ck_assert_int_eq(one_launch(kernel, queue, 1 << 18), CL_SUCCESS);
    ck_assert_uint_ne(variant_state(kernel), CX_BUILD_NONE);
    ck_assert(cx_build_deferred_wait(cx_program_from(program), 60000));
    ck_assert(cx_kernel_variant_wait(cx_kernel_from(kernel), CX_VARIANT_SPLIT, 60000));
    ck_assert(cx_kernel_variant_ready(cx_kernel_from(kernel), 1, CX_VARIANT_SPLIT));

    ck_assert_int_eq(cx_clReleaseCommandQueue(queue), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseMemObject(out), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseKernel(kernel), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseProgram(program), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseContext(handle), CL_SUCCESS);
}
END_TEST

/* A process that ends while drivers compile for us ends well. */
START_TEST(process_ends_while_building)
{
    clean_environment();
    set_environment("POCL_DEVICES", "basic pthread", "POCL_MAX_PTHREAD_COUNT", "1", "analysis", "0",
                    "POCL_KERNEL_CACHE", "0", NULL);
    for (unsigned i = 0; i < 3; i++) {
        int status = 0;
        pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0) {
            open_context();
            cl_program program = build(text);
            cl_kernel kernel = kernel_of(program, "mixed");
            for (int v = CX_VARIANT_SPLIT; v < CX_VARIANT_COUNT; v++)
                cx_kernel_variant_want(cx_kernel_from(kernel), (enum cx_variant)v);
            usleep(i * 30000);
            exit(7);
        }
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 7, "status %x", (unsigned)status);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernel");
    TCase *inside = tcase_create("inside"), *ends = tcase_create("ends");

    tcase_set_timeout(inside, 120);
    tcase_add_checked_fixture(inside, setup, teardown);
    tcase_add_test(inside, snapshots);
    tcase_add_test(inside, buffers_in_snapshots);
    tcase_add_test(inside, argument_errors);
    tcase_add_test(inside, values_in_place);
    tcase_add_test(inside, binding);
    tcase_add_test(inside, variants);
    tcase_add_test(inside, variants_that_fail);
    tcase_add_test(inside, released_while_built);
    tcase_add_test(inside, why_no_summary);
    tcase_add_test(inside, fills_read_only);
    suite_add_tcase(suite, inside);
    tcase_set_timeout(ends, 120);
    tcase_add_test(ends, judged_by_pattern);
    tcase_add_loop_test(ends, variants_for_work_only, 0, 2);
    tcase_add_test(ends, process_ends_while_building);
    suite_add_tcase(suite, ends);
    return tap_run(suite);
}
