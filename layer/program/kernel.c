/* SPDX-License-Identifier: MIT */
/*
 * Kernels: making, cloning and releasing them, and their argument snapshots.
 *
 * A snapshot counts its owner (the kernel object), real kernels that hold these values, and captures, which
 * are launches that need the buffers alive: the first takes a reference on each buffer, the last gives them
 * back. A kernel object alone keeps no buffer alive. All counts are one number, which changes at once.
 * Previous stage: program.c, function.c. Next: kernel_arg.c, the planner.
 */
#include "layer/program/kernel.h"
#include "layer/object/handle_set.h"
#include "layer/source/analysis.h"
#include "layer/memory/buffer.h"
#include "layer/base/entry.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/base/split_policy.h"
#include "layer/program/program.h"
#include "layer/program/build_deferred.h"
#include "layer/program/function.h"
#include "layer/program/kernel_arg.h"
#include "layer/program/kernel_bind.h"
#include "layer/program/program_info.h"
#include "layer/program/program_unit.h"
#include "layer/memory/sampler.h"
#include "layer/base/freelist.h"

#include <stdlib.h>
#include <string.h>

/* Snapshots of so many arguments; each launch of a kernel whose arguments change makes one. */
enum { FREE_ARGS = 24 };
static struct cx_freelist free_args[FREE_ARGS] = {[0 ... FREE_ARGS - 1] = CX_FREELIST_NONE};

/* Captures of a snapshot; the next launch gets another one like it. As many again can be counted. */
#define MOST_CAPTURES (CX_ARGS_PASSED / CX_ARGS_CAPTURE / 2)

static uint64_t captures_of(uint64_t holders)
{
    return holders % CX_ARGS_PASSED / CX_ARGS_CAPTURE;
}

static void args_free(struct cx_args *old)
{
    for (unsigned i = 0; i < old->count; i++) {
        if (old->arg[i].value != old->arg[i].small)
            free(old->arg[i].value);
        cx_sampler_unref(&old->arg[i].sampler);
        cx_mem_unref(&old->arg[i].window);
    }
    free(old->svm);
    if (old->count < FREE_ARGS)
        cx_freelist_give(&free_args[old->count], old);
    else
        free(old);
}

/* Releases what is counted so, and nulls the pointer; accepts a pointer to NULL. */
static void release(struct cx_args **args, uint64_t what)
{
    struct cx_args *old = *args;
    *args = NULL;
    if (old && atomic_fetch_sub_explicit(&old->holders, what, memory_order_acq_rel) == what)
        args_free(old);
}

void cx_args_drop(struct cx_args **args)
{
    release(args, CX_ARGS_OWNER);
}

static uint64_t bound_of(uint64_t holders)
{
    return holders % CX_ARGS_CAPTURE / CX_ARGS_BOUND;
}

void cx_args_bind(struct cx_args *args)
{
    atomic_fetch_add_explicit(&args->holders, CX_ARGS_BOUND, memory_order_relaxed);
    cx_args_told(args);
}

void cx_args_unbind(struct cx_args **args)
{
    release(args, CX_ARGS_BOUND);
}

void cx_args_told(struct cx_args *args)
{
    const uint64_t holders = atomic_load_explicit(&args->holders, memory_order_relaxed);
    if (bound_of(holders) == 1 && atomic_load_explicit(&args->untold, memory_order_relaxed))
        atomic_store_explicit(&args->untold, 0, memory_order_relaxed);
}

bool cx_args_alone(const struct cx_args *args, bool *values)
{
    const uint64_t holders = atomic_load_explicit(&args->holders, memory_order_acquire);
    *values = holders % CX_ARGS_BOUND == 1 && bound_of(holders) <= 1 &&
              captures_of(holders) == holders / CX_ARGS_PASSED;
    return holders == CX_ARGS_OWNER;
}

struct cx_args *cx_args_new(unsigned count)
{
    struct cx_args *args = NULL;
    const size_t size = sizeof(*args) + count * sizeof(args->arg[0]);
    args = count < FREE_ARGS ? cx_freelist_take(&free_args[count], size) : malloc(size);
    if (!args)
        return NULL;
    *args = (struct cx_args){.count = count};
    atomic_init(&args->holders, CX_ARGS_OWNER);
    return args;
}

static struct cx_args *args_unset(unsigned count)
{
    struct cx_args *args = cx_args_new(count);
    if (args)
        memset(args->arg, 0, count * sizeof(args->arg[0]));
    return args;
}

struct cx_args *cx_args_ref(struct cx_args *args)
{
    atomic_fetch_add_explicit(&args->holders, CX_ARGS_CAPTURE, memory_order_relaxed);
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

/* Releases a capture that is counted so. The last one stays as an owner until the buffers are released. */
static void release_capture(struct cx_args **args, uint64_t what)
{
    struct cx_args *old = *args;
    bool last;

    if (!old)
        return;
    uint64_t holders = atomic_load_explicit(&old->holders, memory_order_relaxed);
    do
        last = captures_of(holders) == 1;
    while (!atomic_compare_exchange_weak_explicit(&old->holders, &holders,
                                                  holders - what + (last ? CX_ARGS_OWNER : 0),
                                                  memory_order_acq_rel, memory_order_relaxed));
    *args = NULL;
    if (!last)
        return;
    release_buffers(old, old->count);
    cx_args_drop(&old);
}

void cx_args_unref(struct cx_args **args)
{
    release_capture(args, CX_ARGS_CAPTURE);
}

void cx_args_pass(struct cx_args *args)
{
    atomic_fetch_add_explicit(&args->holders, CX_ARGS_PASSED, memory_order_release);
}

void cx_args_unref_passed(struct cx_args **args)
{
    release_capture(args, CX_ARGS_CAPTURE + CX_ARGS_PASSED);
}

/* References the buffers, up to the first that is gone. Gives of how many arguments. A program that releases
 * a buffer in one thread while it launches a kernel on it in another is in error; all others are told apart
 * for certain. */
static unsigned take_buffers(const struct cx_args *args)
{
    unsigned i = 0;
    for (; i < args->count; i++) {
        const struct cx_arg *arg = &args->arg[i];
        if (arg->kind != CX_ARGS_MEM || !arg->mem)
            continue;
        if (!cx_handle_set_has(arg->mem) || arg->mem->base.id != arg->mem_id)
            break;
        cx_mem_ref(cx_mem_keeper(arg->mem));
    }
    return i;
}

/* One more capture of a snapshot that has any, whose buffers are referenced; false: it has none. The last one
 * may be given back at any moment, by another thread. */
static bool capture_again(struct cx_args *args)
{
    uint64_t holders = atomic_load_explicit(&args->holders, memory_order_relaxed);
    while (captures_of(holders) &&
           !atomic_compare_exchange_weak_explicit(&args->holders, &holders, holders + CX_ARGS_CAPTURE,
                                                  memory_order_acq_rel, memory_order_relaxed))
        ;
    return captures_of(holders);
}

/* The kernel's lock is held. False: a buffer is gone; the first *taken arguments' are referenced, and the
 * caller has an owner's reference, to give them back without the lock. */
static bool capture(struct cx_args *args, unsigned *taken)
{
    if (capture_again(args))
        return true;
    *taken = take_buffers(args);
    const bool captured = *taken == args->count;
    atomic_fetch_add_explicit(&args->holders, captured ? CX_ARGS_CAPTURE : CX_ARGS_OWNER,
                              memory_order_acq_rel);
    return captured;
}

/* The kernel's snapshot, or one like it where that is captured too often. NULL: no memory. */
static struct cx_args *to_capture(struct cx_kernel *kernel)
{
    struct cx_args *args = kernel->args;
    if (captures_of(atomic_load_explicit(&args->holders, memory_order_relaxed)) < MOST_CAPTURES)
        return args;
    if (!(args = cx_args_clone(kernel->args)))
        return NULL;
    cx_args_drop(&kernel->args);
    return kernel->args = args;
}

struct cx_args *cx_kernel_capture(struct cx_kernel *kernel, unsigned *missing)
{
    unsigned taken = 0, set = 0;
    cx_lock(&kernel->lock);
    while (set < kernel->nargs && kernel->args->arg[set].kind != CX_ARGS_UNSET)
        set++;
    struct cx_args *args = set == kernel->nargs ? to_capture(kernel) : NULL;
    const bool captured = args && capture(args, &taken);
    *missing = set;
    cx_unlock(&kernel->lock);
    if (args && !captured) {
        release_buffers(args, taken); /* which may call the program back */
        cx_args_drop(&args);
    }
    return args;
}

/* Attaches to a unit, so that it is not built anew, for a kernel of this name. NULL: it has none; *built
 * tells whether it is an executable, *deferred whether members that build later may know more names. */
static struct cx_function *attach_unit(struct cx_program *unit, const char *name, bool *built, bool *deferred)
{
    struct cx_function *function = NULL;

    cx_lock(&unit->lock);
    *built = !unit->build.running && unit->build.status == CL_BUILD_SUCCESS && unit->kernels.names;
    *deferred = false;
    if (*built && !(function = cx_program_find(unit, name)) && unit->context->nmembers > 1) {
        *deferred = cx_build_deferred_any(unit);
        if (!*deferred)
            cx_program_list_more(unit);
        function = cx_program_find(unit, name);
    }
    unit->build.nattached += function != NULL;
    cx_unlock(&unit->lock);
    return function;
}

static void detach(struct cx_program *unit)
{
    cx_lock(&unit->lock);
    unit->build.nattached--;
    cx_unlock(&unit->lock);
}

/* Attaches to all units that have the function; *deferred: a reference to one that may have it once it is
 * built on all members, or NULL. */
static cl_int attach_once(struct cx_program *program, const char *name, struct cx_function **functions,
                          unsigned *count, struct cx_program **deferred)
{
    bool any = false;

    *count = 0;
    *deferred = NULL;
    cx_lock(&program->division.lock);
    for (unsigned d = 0; d < program->division.ndevices; d++) {
        bool built, later;
        if (!cx_program_first(program, d))
            continue;
        struct cx_function *function = attach_unit(program->division.units[d], name, &built, &later);
        any |= built;
        if (function)
            functions[(*count)++] = function;
        else if (later && !*deferred)
            *deferred = cx_program_ref(program->division.units[d]);
    }
    cx_unlock(&program->division.lock);
    return !any ? CL_INVALID_PROGRAM_EXECUTABLE : *count ? CL_SUCCESS : CL_INVALID_KERNEL_NAME;
}

static cl_int attach(struct cx_program *program, const char *name, struct cx_function **functions,
                     unsigned *count)
{
    for (;;) {
        struct cx_program *deferred;
        cl_int error = attach_once(program, name, functions, count, &deferred);
        if (!deferred)
            return error;
        while (*count)
            detach(functions[--*count]->program);
        cx_build_deferred_wait(deferred, ~0u);
        cx_program_unref(&deferred);
    }
}

struct cx_kernel *cx_kernel_on(struct cx_kernel *kernel, const struct cx_device *device)
{
    const struct cx_context *context = kernel->program->context;
    unsigned d = 0;

    if (!kernel->on)
        return kernel;
    while (d < context->ndevices && context->devices[d] != device)
        d++;
    return d < context->ndevices ? kernel->on[d] : NULL;
}

cl_int cx_kernel_try(struct cx_kernel *kernel, unsigned index, size_t size, const void *value)
{
    cl_int error = cx_function_try(kernel->function, index, size, value);

    for (unsigned d = 0; kernel->on && error == CL_SUCCESS && d < kernel->program->context->ndevices; d++)
        if (kernel->on[d] && kernel->on[d] != kernel)
            error = cx_function_try(kernel->on[d]->function, index, size, value);
    return error;
}

static void kernel_destroy(struct cx_object *object)
{
    struct cx_kernel *kernel = (struct cx_kernel *)object;

    for (unsigned d = 0; kernel->on && d < kernel->program->context->ndevices; d++)
        if (kernel->on[d] != kernel)
            cx_kernel_unref(&kernel->on[d]);
    free(kernel->on);
    cx_kernel_members_destroy(kernel);
    cx_args_drop(&kernel->args);
    cx_lock_finish(&kernel->lock);
    detach(kernel->program);
    cx_program_unref(&kernel->program);
    cx_program_unref(&kernel->whole);
    free(kernel);
}

/* A kernel of a known function to which the caller is attached; takes that over, also on failure. */
static struct cx_kernel *kernel_new(struct cx_function *function, struct cx_args *args)
{
    struct cx_program *program = function->program;
    struct cx_kernel *kernel = calloc(1, sizeof(*kernel));
    if (!kernel) {
        cx_args_drop(&args);
        detach(program);
        return NULL;
    }
    cx_object_init(&kernel->base, CX_TAG_KERNEL, kernel_destroy);
    cx_lock_init(&kernel->lock, CX_RANK_KERNEL);
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

    if (cx_split_policy_wants_all() && summary && summary->uses & CX_USE_NEEDS_REWRITE &&
        summary->max_dim <= 2 && cx_summary_forbids(summary, NULL, NULL) == CX_REASON_NONE &&
        kernel->program->context->nmembers > 1)
        cx_kernel_variant_want(kernel, CX_VARIANT_SPLIT);
}

/* Makes the kernel of an attached function; takes the attachment over. */
static struct cx_kernel *make_kernel(struct cx_function *function, cl_int *error)
{
    struct cx_kernel *kernel = NULL;

    *error = cx_function_learn(function);
    if (*error != CL_SUCCESS) {
        detach(function->program);
        return NULL;
    }
    kernel = kernel_new(function, args_unset(function->nargs));
    if (kernel)
        foresee(kernel);
    else
        *error = CL_OUT_OF_HOST_MEMORY;
    return kernel;
}

/* Whether two units' functions take the same arguments, as far as the drivers tell. */
static bool alike(const struct cx_function *a, const struct cx_function *b)
{
    bool same = a->nargs == b->nargs;

    for (unsigned i = 0; same && i < a->nargs; i++)
        same = a->params[i].kind == b->params[i].kind;
    return same;
}

/* Has each device's own kernel stand for the first one, where they are not all the same; `own` gives the
 * context's d-th device's, or NULL. false: no memory. */
static bool stand_in(struct cx_kernel *kernel, struct cx_kernel *(*own)(const void *data, unsigned d),
                     const void *data)
{
    const unsigned ndevices = kernel->program->context->ndevices;
    bool same = true;

    for (unsigned d = 0; d < ndevices; d++)
        same = same && own(data, d) == kernel;
    if (same)
        return true;
    kernel->on = calloc(ndevices, sizeof(cl_kernel));
    for (unsigned d = 0; kernel->on && d < ndevices; d++) {
        struct cx_kernel *of = own(data, d);
        kernel->on[d] = of && of != kernel ? cx_kernel_ref(of) : of;
    }
    return kernel->on;
}

/* The kernels of a program's units. */
struct made {
    struct cx_program *program;
    unsigned count;
    struct cx_kernel **kernel;
};

/* The one of the device's unit. The units stay as they are, since there are kernels. */
static struct cx_kernel *made_for(const void *data, unsigned d)
{
    const struct made *made = data;
    const struct cx_device *device = made->program->context->devices[d];
    const unsigned own = cx_program_device_of(made->program, device);

    for (unsigned i = 0; own < made->program->division.ndevices && i < made->count; i++)
        if (made->kernel[i]->program == made->program->division.units[own] &&
            cx_program_serves(made->kernel[i]->program, device))
            return made->kernel[i];
    return NULL;
}

/* Makes the kernels of attached functions; takes the attachments over. The first one is the program's. */
static cl_int make_kernels(struct made *made, struct cx_function *const *functions, unsigned count)
{
    cl_int error = CL_SUCCESS;

    for (unsigned i = 0; i < count; i++) {
        cl_int failed;
        struct cx_kernel *kernel = make_kernel(functions[i], &failed);
        if (kernel)
            made->kernel[made->count++] = kernel;
        else if (error == CL_SUCCESS)
            error = failed;
    }
    if (!made->count)
        return error;
    struct cx_kernel *first = made->kernel[0];
    for (unsigned i = 1; i < made->count; i++)
        if (!alike(first->function, made->kernel[i]->function))
            return CL_INVALID_KERNEL_DEFINITION;
    first->whole = cx_program_ref(made->program);
    return stand_in(first, made_for, made) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

/* The program's kernel of that name. NULL: *error tells why. */
static struct cx_kernel *create(struct cx_program *program, const char *name, cl_int *error)
{
    struct cx_function **functions = calloc(program->division.ndevices, sizeof(*functions));
    struct made made = {program, 0, calloc(program->division.ndevices, sizeof(cl_kernel))};
    unsigned count;

    *error = functions && made.kernel ? attach(program, name, functions, &count) : CL_OUT_OF_HOST_MEMORY;
    if (*error == CL_SUCCESS)
        *error = make_kernels(&made, functions, count);
    struct cx_kernel *kernel = *error == CL_SUCCESS ? made.kernel[0] : NULL;
    for (unsigned i = kernel ? 1 : 0; i < made.count; i++)
        cx_kernel_unref(&made.kernel[i]);
    free(made.kernel);
    free(functions);
    return kernel;
}

cl_kernel cx_clCreateKernel(cl_program handle, const char *kernel_name, cl_int *errcode_ret)
{
    struct cx_program *program = cx_program_from(handle);
    struct cx_kernel *kernel = NULL;
    cl_int error = CL_SUCCESS;

    if (!program)
        error = CX_FAIL(CL_INVALID_PROGRAM, "not a program");
    else if (!kernel_name)
        error = CX_FAIL(CL_INVALID_VALUE, "the name is NULL");
    else if (!(kernel = create(program, kernel_name, &error)))
        CX_FAIL(error, "the program is not built, has no kernel of that name, or no driver makes it");
    if (kernel && program->context->listeners.made_kernel)
        program->context->listeners.made_kernel(kernel);
    if (errcode_ret)
        *errcode_ret = error;
    return (cl_kernel)kernel;
}

/* One by one: a driver is known that fails on a program's kernels asked for all at once. Leaves out those
 * whose arguments differ between devices. Without an array it only counts. */
static cl_int make_all(struct cx_program *program, char *names, cl_uint room, cl_kernel *kernels,
                       cl_uint *count)
{
    cl_int error = CL_SUCCESS;
    char *name;

    while ((name = strsep(&names, ";")) && error == CL_SUCCESS) {
        struct cx_kernel *kernel = create(program, name, &error);
        if (!kernel && error == CL_INVALID_KERNEL_DEFINITION && program->division.ndevices > 1)
            error = CL_SUCCESS;
        if (!kernel)
            continue;
        if (kernels && *count < room)
            kernels[*count] = (cl_kernel)kernel;
        else
            cx_kernel_unref(&kernel);
        ++*count;
        if (kernels && *count > room)
            error = CL_INVALID_VALUE;
    }
    for (cl_uint k = 0; kernels && error != CL_SUCCESS && k < *count && k < room; k++)
        cx_object_release_app(&cx_kernel_from(kernels[k])->base);
    return error;
}

cl_int cx_clCreateKernelsInProgram(cl_program handle, cl_uint num_kernels, cl_kernel *kernels,
                                   cl_uint *num_kernels_ret)
{
    struct cx_program *program = cx_program_from(handle);
    cl_int error;
    size_t declared;
    cl_uint count = 0;

    if (!program)
        return CX_FAIL(CL_INVALID_PROGRAM, "not a program");
    char *names = cx_program_kernels(program, &declared, &error);
    if (names && program->division.ndevices == 1 && (!kernels || num_kernels < declared)) {
        count = (cl_uint)declared;
        error = kernels ? CL_INVALID_VALUE : CL_SUCCESS;
    } else if (names && *names) {
        error = make_all(program, names, num_kernels, kernels, &count);
    }
    free(names);
    if (error != CL_SUCCESS)
        return CX_FAIL(error, "the program is not built, there is no room, or no driver makes a kernel");
    if (num_kernels_ret)
        *num_kernels_ret = count;
    return CL_SUCCESS;
}

/* A copy of one unit's kernel. */
static struct cx_kernel *clone_one(struct cx_kernel *kernel)
{
    cx_lock(&kernel->program->lock);
    kernel->program->build.nattached++;
    cx_unlock(&kernel->program->lock);
    cx_lock(&kernel->lock);
    struct cx_args *args = cx_args_clone(kernel->args);
    cx_unlock(&kernel->lock);
    return kernel_new(kernel->function, args);
}

/* A kernel, and copies of what stands for it: one a device of the context. */
struct clones {
    struct cx_kernel *of;
    struct cx_kernel **copy;
};

static struct cx_kernel *clone_for(const void *data, unsigned d)
{
    const struct clones *clones = data;
    return clones->copy[d];
}

/* Copies what stands for the kernel, each once. false: no memory. */
static bool clone_all(struct clones *clones, struct cx_kernel *clone)
{
    struct cx_kernel *const *on = clones->of->on;

    for (unsigned d = 0; d < clone->program->context->ndevices; d++) {
        unsigned e = 0;
        while (e < d && on[e] != on[d])
            e++;
        if (!on[d])
            continue;
        if (on[d] == clones->of)
            clones->copy[d] = cx_kernel_ref(clone);
        else if (!(clones->copy[d] = e < d ? cx_kernel_ref(clones->copy[e]) : clone_one(on[d])))
            return false;
    }
    return stand_in(clone, clone_for, clones);
}

static struct cx_kernel *clone_kernel(struct cx_kernel *kernel)
{
    const unsigned ndevices = kernel->program->context->ndevices;
    struct cx_kernel *clone = clone_one(kernel);

    if (!clone)
        return NULL;
    clone->whole = cx_program_ref(kernel->whole);
    if (!kernel->on)
        return clone;
    struct clones clones = {kernel, calloc(ndevices, sizeof(cl_kernel))};
    const bool done = clones.copy && clone_all(&clones, clone);
    for (unsigned d = 0; clones.copy && d < ndevices; d++)
        cx_kernel_unref(&clones.copy[d]);
    free(clones.copy);
    if (!done)
        cx_kernel_unref(&clone);
    return clone;
}

cl_kernel cx_clCloneKernel(cl_kernel handle, cl_int *errcode_ret)
{
    struct cx_kernel *kernel = cx_kernel_from(handle), *clone = NULL;
    cl_int error = CL_SUCCESS;

    if (!kernel)
        error = CX_FAIL(CL_INVALID_KERNEL, "not a kernel");
    else if (!(clone = clone_kernel(kernel)))
        error = CX_FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for the kernel");
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
