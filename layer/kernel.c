/* SPDX-License-Identifier: MIT */
/*
 * Kernels: making, cloning and releasing them, and their argument snapshots.
 *
 * A snapshot has two counts. `refs` keeps the struct: one each for the kernel object, for real kernels that
 * hold these values, and for captures. `capture` counts the launches that need the buffers alive: the first
 * takes a reference on each buffer, the last gives them back. A kernel object alone keeps no buffer alive.
 * Previous stage: program.c, function.c. Next: kernel_arg.c, the planner.
 */
#include "layer/kernel.h"
#include "layer/live.h"
#include "layer/analysis.h"
#include "layer/buffer.h"
#include "layer/entry.h"
#include "layer/log.h"
#include "layer/options.h"
#include "layer/plan_size.h"
#include "layer/program.h"
#include "layer/sampler.h"

#include <stdlib.h>
#include <string.h>

void cx_args_drop(struct cx_args **args)
{
    struct cx_args *old = *args;

    *args = NULL;
    if (!old || atomic_fetch_sub_explicit(&old->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (unsigned i = 0; i < old->count; i++) {
        if (old->arg[i].value != old->arg[i].small)
            free(old->arg[i].value);
        cx_sampler_unref(&old->arg[i].sampler);
        cx_mem_unref(&old->arg[i].window);
    }
    free(old->svm);
    free(old);
}

struct cx_args *cx_args_ref(struct cx_args *args)
{
    atomic_fetch_add_explicit(&args->refs, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&args->capture, 1, memory_order_relaxed);
    return args;
}

/* Gives back the references on the first `count` arguments' buffers. */
static void release_buffers(const struct cx_args *args, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct cx_mem *mem = args->arg[i].kind == CX_ARGS_MEM ? cx_mem_keeper(args->arg[i].mem) : NULL;
        cx_mem_unref(&mem);
    }
}

void cx_args_unref(struct cx_args **args)
{
    struct cx_args *old = *args;

    if (!old)
        return;
    if (atomic_fetch_sub_explicit(&old->capture, 1, memory_order_acq_rel) == 1)
        release_buffers(old, old->count);
    cx_args_drop(args);
}

/* References the buffers. false: one of them is gone (then none is referenced). A program that releases a
 * buffer in one thread while it launches a kernel on it in another is in error; all others are told apart for
 * certain. */
static bool take_buffers(const struct cx_args *args)
{
    for (unsigned i = 0; i < args->count; i++) {
        const struct cx_arg *arg = &args->arg[i];
        if (arg->kind != CX_ARGS_MEM || !arg->mem)
            continue;
        if (!cx_live_has(arg->mem) || arg->mem->base.id != arg->mem_id) {
            release_buffers(args, i);
            return false;
        }
        cx_mem_ref(cx_mem_keeper(arg->mem));
    }
    return true;
}

/* One more capture of a snapshot that has any, whose buffers are referenced; false: it has none. The last one
 * may be given back at any moment, by another thread. */
static bool capture_again(struct cx_args *args)
{
    unsigned captures = atomic_load_explicit(&args->capture, memory_order_acquire);
    while (captures && !atomic_compare_exchange_weak_explicit(&args->capture, &captures, captures + 1,
                                                              memory_order_acq_rel, memory_order_acquire))
        ;
    return captures != 0;
}

struct cx_args *cx_kernel_capture(struct cx_kernel *kernel, unsigned *missing)
{
    pthread_mutex_lock(&kernel->lock);
    struct cx_args *args = kernel->args;
    for (unsigned i = 0; args && i < args->count; i++) {
        if (args->arg[i].kind == CX_ARGS_UNSET) {
            *missing = i;
            args = NULL;
        }
    }
    if (args && capture_again(args)) {
        atomic_fetch_add_explicit(&args->refs, 1, memory_order_relaxed);
    } else if (args && take_buffers(args)) { /* only this lock lets the count grow from 0 */
        cx_args_ref(args);
    } else if (args) {
        *missing = args->count;
        args = NULL;
    }
    pthread_mutex_unlock(&kernel->lock);
    return args;
}

static struct cx_args *args_new(unsigned count)
{
    struct cx_args *args = calloc(1, sizeof(*args) + count * sizeof(args->arg[0]));
    if (args) {
        atomic_init(&args->refs, 1);
        args->count = count;
    }
    return args;
}

/* Attaches to the program, so that it is not built anew: 1 for a kernel of this name, or for all. */
static cl_int attach(struct cx_program *program, const char *name, unsigned *count,
                     struct cx_function **function)
{
    cl_int error = CL_SUCCESS;

    pthread_mutex_lock(&program->lock);
    bool built = !program->building && program->status == CL_BUILD_SUCCESS && program->kernel_names;
    if (name && built && !cx_program_find(program, name) && program->context->nmembers > 1) {
        /* members that build later may know more names */
        pthread_mutex_unlock(&program->lock);
        cx_program_late_wait(program, ~0u);
        pthread_mutex_lock(&program->lock);
        built = !program->building && program->status == CL_BUILD_SUCCESS && program->kernel_names;
        if (built && !cx_program_late(program))
            cx_program_list_more(program);
    }
    if (!built)
        error = CL_INVALID_PROGRAM_EXECUTABLE;
    else if (name && !(*function = cx_program_find(program, name)))
        error = CL_INVALID_KERNEL_NAME;
    *count = name ? 1 : program->nfunctions;
    if (error == CL_SUCCESS)
        program->nattached += *count;
    pthread_mutex_unlock(&program->lock);
    return error;
}

static void detach(struct cx_program *program, unsigned count)
{
    pthread_mutex_lock(&program->lock);
    program->nattached -= count;
    pthread_mutex_unlock(&program->lock);
}

static void kernel_destroy(struct cx_object *object)
{
    struct cx_kernel *kernel = (struct cx_kernel *)object;

    cx_kernel_members_destroy(kernel);
    cx_args_drop(&kernel->args);
    pthread_mutex_destroy(&kernel->lock);
    detach(kernel->program, 1);
    cx_program_unref(&kernel->program);
    free(kernel);
}

/* A kernel of a known function to which the caller is attached; takes that over, also on failure. */
static struct cx_kernel *kernel_new(struct cx_function *function, struct cx_args *args)
{
    struct cx_program *program = function->program;
    struct cx_kernel *kernel = calloc(1, sizeof(*kernel));
    if (!kernel) {
        cx_args_drop(&args);
        detach(program, 1);
        return NULL;
    }
    cx_object_init(&kernel->base, CX_TAG_KERNEL, kernel_destroy);
    pthread_mutex_init(&kernel->lock, NULL);
    kernel->program = cx_program_ref(program);
    kernel->function = function;
    kernel->nargs = function->nargs;
    kernel->args = args;
    kernel->members = cx_kernel_members_create(program->context->nmembers);
    if (!kernel->args || !kernel->members)
        cx_kernel_unref(&kernel);
    return kernel;
}

/* A kernel that will be launched. Where all is to be split that may be, and it is known by now that this
 * needs a variant, that is begun. */
static void foresee(struct cx_kernel *kernel)
{
    const struct cx_summary_kernel *summary = cx_kernel_summary(kernel, NULL);

    cx_kernel_foresee(kernel);

    if (cx_plan_wants_all() && summary && summary->uses & CX_USE_NEEDS_REWRITE && summary->max_dim <= 2 &&
        cx_summary_forbids(summary, NULL, NULL) == CX_REASON_NONE && kernel->program->context->nmembers > 1)
        cx_kernel_variant_want(kernel, CX_VARIANT_SPLIT);
}

/* Makes the kernel of an attached function; takes the attachment over. */
static struct cx_kernel *make_kernel(struct cx_function *function, cl_int *error)
{
    struct cx_kernel *kernel = NULL;

    *error = cx_function_learn(function);
    if (*error != CL_SUCCESS) {
        detach(function->program, 1);
        return NULL;
    }
    kernel = kernel_new(function, args_new(function->nargs));
    if (kernel)
        foresee(kernel);
    else
        *error = CL_OUT_OF_HOST_MEMORY;
    return kernel;
}

cl_kernel cx_clCreateKernel(cl_program handle, const char *kernel_name, cl_int *errcode_ret)
{
    struct cx_program *program = cx_program_from(handle);
    struct cx_function *function = NULL;
    struct cx_kernel *kernel = NULL;
    cl_int error = CL_SUCCESS;
    unsigned count = 0;

    if (!program)
        error = CX_FAIL(CL_INVALID_PROGRAM, "not a program");
    else if (!kernel_name)
        error = CX_FAIL(CL_INVALID_VALUE, "the name is NULL");
    else if ((error = attach(program, kernel_name, &count, &function)) != CL_SUCCESS)
        CX_FAIL(error, "the program is not built, or has no kernel of that name");
    else if (!(kernel = make_kernel(function, &error)))
        CX_FAIL(error, "no driver makes this kernel");
    if (errcode_ret)
        *errcode_ret = error;
    return (cl_kernel)kernel;
}

/* One by one: a driver is known that fails on a program's kernels asked for all at once. */
static cl_int make_all(struct cx_program *program, unsigned count, cl_kernel *kernels)
{
    cl_int error = CL_SUCCESS;

    for (unsigned f = 0; f < count; f++) {
        struct cx_kernel *kernel = make_kernel(&program->functions[f], &error);
        if (!kernel) {
            detach(program, count - f - 1);
            while (f-- > 0)
                cx_object_release_app(&cx_kernel_from(kernels[f])->base);
            return error;
        }
        kernels[f] = (cl_kernel)kernel;
    }
    return CL_SUCCESS;
}

cl_int cx_clCreateKernelsInProgram(cl_program handle, cl_uint num_kernels, cl_kernel *kernels,
                                   cl_uint *num_kernels_ret)
{
    struct cx_program *program = cx_program_from(handle);
    unsigned count = 0;

    if (!program)
        return CX_FAIL(CL_INVALID_PROGRAM, "not a program");
    cl_int error = attach(program, NULL, &count, NULL);
    if (error != CL_SUCCESS)
        return CX_FAIL(error, "the program is not built");
    if (kernels && num_kernels < count) {
        detach(program, count);
        return CX_FAIL(CL_INVALID_VALUE, "room for fewer kernels than there are");
    }
    if (kernels)
        error = make_all(program, count, kernels);
    else
        detach(program, count);
    if (error != CL_SUCCESS)
        return CX_FAIL(error, "no driver makes one of the kernels");
    if (num_kernels_ret)
        *num_kernels_ret = count;
    return CL_SUCCESS;
}

cl_kernel cx_clCloneKernel(cl_kernel handle, cl_int *errcode_ret)
{
    struct cx_kernel *kernel = cx_kernel_from(handle), *clone = NULL;
    cl_int error = CL_SUCCESS;

    if (kernel) {
        pthread_mutex_lock(&kernel->program->lock);
        kernel->program->nattached++;
        pthread_mutex_unlock(&kernel->program->lock);
        pthread_mutex_lock(&kernel->lock);
        struct cx_args *args = cx_args_clone(kernel->args);
        pthread_mutex_unlock(&kernel->lock);
        clone = kernel_new(kernel->function, args);
        if (!clone)
            error = CX_FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for the kernel");
    } else {
        error = CX_FAIL(CL_INVALID_KERNEL, "not a kernel");
    }
    if (errcode_ret)
        *errcode_ret = error;
    return (cl_kernel)clone;
}

cl_int cx_clRetainKernel(cl_kernel handle)
{
    struct cx_kernel *kernel = cx_kernel_from(handle);
    if (!kernel)
        return CX_FAIL(CL_INVALID_KERNEL, "not a kernel");
    cx_object_retain_app(&kernel->base);
    return CL_SUCCESS;
}

cl_int cx_clReleaseKernel(cl_kernel handle)
{
    struct cx_kernel *kernel = cx_kernel_from(handle);
    if (!kernel)
        return CX_FAIL(CL_INVALID_KERNEL, "not a kernel");
    if (!cx_object_release_app(&kernel->base))
        return CX_FAIL(CL_INVALID_KERNEL, "released already");
    return CL_SUCCESS;
}
