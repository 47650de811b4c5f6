/* SPDX-License-Identifier: MIT */
/*
 * The members' real kernels: made when first launched, and given only the arguments that changed since.
 *
 * Each kernel object has real kernels of its own for each member and variant, so two kernels of one function
 * never share driver state. They are touched by the thread that pumps the member's worker, one at a time.
 * Previous stage: a captured snapshot (kernel.c). Next: the driver's launch.
 */
#include "layer/source/analysis.h"
#include "layer/memory/buffer.h"
#include "layer/program/kernel.h"
#include "layer/base/log.h"
#include "layer/program/program.h"
#include "layer/program/build_deferred.h"
#include "layer/program/kernel_bind.h"
#include "layer/program/variant.h"
#include "layer/memory/sampler.h"
#include "layer/memory/svm.h"
#include "layer/timeline/worker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of launches of a kernel on a device that are kept in mind. */
enum { MOST_LAUNCHED = 16 };

struct cx_kernel_member {
    cl_kernel real[CX_VARIANT_COUNT];
    struct cx_args *held[CX_VARIANT_COUNT]; /* what the real kernel was given; NULL: unknown */
    bool svm[CX_VARIANT_COUNT];             /* whether that was ever shared virtual memory */
    atomic_bool left_out;
    uint64_t launched[MOST_LAUNCHED]; /* what launches were like */
    unsigned nlaunched;
};

static const struct cx_real_device *device_of(const struct cx_kernel *kernel, unsigned member)
{
    return kernel->program->context->workers[member].device;
}

struct cx_kernel_member *cx_kernel_members_create(unsigned count)
{
    return calloc(count, sizeof(struct cx_kernel_member));
}

void cx_kernel_members_destroy(struct cx_kernel *kernel)
{
    for (unsigned m = 0; kernel->members && m < kernel->program->context->nmembers; m++) {
        struct cx_kernel_member *member = &kernel->members[m];
        for (unsigned v = 0; v < CX_VARIANT_COUNT; v++) {
            if (member->real[v])
                device_of(kernel, m)->cl->clReleaseKernel(member->real[v]);
            cx_args_unbind(&member->held[v]);
        }
    }
    free(kernel->members);
    kernel->members = NULL;
}

static bool same_arg(const struct cx_arg *a, const struct cx_arg *b)
{
    if (a->kind != b->kind || a->size != b->size || a->kind == CX_ARGS_REAL)
        return false;
    if (a->kind == CX_ARGS_MEM)
        return a->mem_id == b->mem_id;
    if (a->kind == CX_ARGS_SAMPLER)
        return a->sampler == b->sampler;
    return a->kind != CX_ARGS_VALUE || !memcmp(a->value, b->value, a->size);
}

/* Not where a device's own copy stands in for it. */
static bool is_svm(const struct cx_arg *arg)
{
    return arg->kind == CX_ARGS_MEM && arg->svm;
}

static cl_int set_one(const struct cx_kernel *kernel, unsigned member, cl_kernel real, unsigned index,
                      const struct cx_arg *arg)
{
    const cl_icd_dispatch *cl = device_of(kernel, member)->cl;

    switch (arg->kind) {
    case CX_ARGS_VALUE:
        return cl->clSetKernelArg(real, index, arg->size, arg->value);
    case CX_ARGS_LOCAL:
        return cl->clSetKernelArg(real, index, arg->size, NULL);
    case CX_ARGS_MEM: {
        const struct cx_svm *svm = is_svm(arg) ? arg->mem->storage->svm : NULL;
        if (svm && svm->owner == member) /* addresses are the program's there */
            return cl->clSetKernelArgSVMPointer(real, index, svm->pointer + arg->mem->origin);
        cl_mem mem = arg->mem ? cx_mem_real(arg->mem, member) : NULL;
        return cl->clSetKernelArg(real, index, sizeof(mem), &mem);
    }
    case CX_ARGS_SAMPLER:
        return cl->clSetKernelArg(real, index, sizeof(cl_sampler), &arg->sampler->real[member]);
    case CX_ARGS_REAL:
        return cl->clSetKernelArg(real, index, sizeof(arg->real), &arg->real);
    case CX_ARGS_UNSET:
        break;
    }
    return CL_INVALID_KERNEL_ARGS;
}

/* Tells the owner's driver which allocations the kernel accesses without an argument. */
static cl_int set_svm_pointers(const struct cx_kernel *kernel, unsigned member, cl_kernel real,
                               const struct cx_args *held, const struct cx_args *args)
{
    const size_t size = args->nsvm * sizeof(*args->svm);
    if (!args->svm || cx_svm_owner(kernel->program->context) != member ||
        (held && held->nsvm == args->nsvm && memcmp(held->svm, args->svm, size) == 0) ||
        (!args->nsvm && (!held || !held->nsvm)))
        return CL_SUCCESS;
    const cl_int error =
        device_of(kernel, member)
            ->cl->clSetKernelExecInfo(real, CL_KERNEL_EXEC_INFO_SVM_PTRS, size, size ? args->svm : NULL);
    return size ? error : CL_SUCCESS; /* older drivers take no empty list; more than is needed does no harm */
}

/* NVIDIA's driver launches no kernel with a buffer for an argument that was shared virtual memory before:
 * such a real kernel is made anew. */
static void drop_spoilt(const struct cx_kernel *kernel, unsigned member, enum cx_variant variant,
                        const struct cx_args *args)
{
    struct cx_kernel_member *own = &kernel->members[member];
    const struct cx_args *held = own->held[variant];
    bool spoilt = own->svm[variant] && !held;
    for (unsigned i = 0; i < args->count && held && held != args; i++)
        spoilt |= is_svm(&held->arg[i]) && !is_svm(&args->arg[i]);
    if (spoilt && cx_svm_owner(kernel->program->context) == member) {
        device_of(kernel, member)->cl->clReleaseKernel(own->real[variant]);
        own->real[variant] = NULL;
        own->svm[variant] = false;
        cx_args_unbind(&own->held[variant]);
    }
}

/* NULL: the driver gives none. */
static cl_kernel make_real(const struct cx_kernel *kernel, unsigned member, enum cx_variant variant,
                           cl_int *error)
{
    return device_of(kernel, member)
        ->cl->clCreateKernel(kernel->program->members[member].real[variant], kernel->function->name, error);
}

void cx_kernel_foresee(struct cx_kernel *kernel)
{
    const unsigned member = kernel->program->context->fastest;
    cl_int error;
    if (device_of(kernel, member)->type & CL_DEVICE_TYPE_GPU &&
        cx_kernel_variant_ready(kernel, member, CX_VARIANT_PLAIN))
        kernel->members[member].real[CX_VARIANT_PLAIN] =
            make_real(kernel, member, CX_VARIANT_PLAIN, &error); /* else its first launch tries again */
}

/* PoCL compiles anew for each local size, with an offset or without, and for large ranges or small ones. */
static uint64_t kind_of_launch(enum cx_variant variant, unsigned dims, const size_t *offset,
                               const size_t *global, const size_t *local)
{
    uint64_t kind = 1 + (uint64_t)variant, largest = 0;
    for (unsigned d = 0; d < dims; d++) {
        kind = kind * 8191 + (local ? local[d] : 0);
        kind = kind * 3 + (offset && offset[d]);
        largest = global[d] > largest ? global[d] : largest;
    }
    for (; largest; largest >>= 1)
        kind += UINT64_C(1) << 56;
    return kind;
}

static bool has_launched(const struct cx_kernel_member *own, uint64_t kind)
{
    const unsigned count = own->nlaunched < MOST_LAUNCHED ? own->nlaunched : MOST_LAUNCHED;
    for (unsigned i = 0; i < count; i++)
        if (own->launched[i] == kind)
            return true;
    return false;
}

bool cx_kernel_is_new(const struct cx_kernel *kernel, unsigned m, enum cx_variant variant, unsigned dims,
                      const size_t *offset, const size_t *global, const size_t *local)
{
    return !has_launched(&kernel->members[m], kind_of_launch(variant, dims, offset, global, local));
}

bool cx_kernel_may_compile(struct cx_kernel *kernel, unsigned m, enum cx_variant variant, unsigned dims,
                           const size_t *offset, const size_t *global, const size_t *local)
{
    struct cx_kernel_member *own = &kernel->members[m];
    const uint64_t kind = kind_of_launch(variant, dims, offset, global, local);
    if (has_launched(own, kind))
        return false;
    own->launched[own->nlaunched++ % MOST_LAUNCHED] = kind;
    return true;
}

/* Has the values that a real kernel was given stay as they are, if they are the kernel's own and may change.
 * Gives an owner's reference, or NULL: they stay anyway. */
static struct cx_args *keep_values(struct cx_kernel *kernel, struct cx_args *held)
{
    cx_lock(&kernel->lock);
    const bool may_change = kernel->args == held;
    if (may_change)
        atomic_fetch_add_explicit(&held->holders, CX_ARGS_OWNER, memory_order_relaxed);
    cx_unlock(&kernel->lock);
    return may_change ? held : NULL;
}

/* Whether the argument changed in place since a real kernel was given the snapshot. */
static bool is_untold(const struct cx_args *held, unsigned index)
{
    return index < CX_ARGS_UNTOLD && atomic_load_explicit(&held->untold, memory_order_relaxed) >> index & 1;
}

/* Gives a real kernel what changed in place since it was given the snapshot. False: the driver refuses. */
static bool tell_untold(const struct cx_kernel *kernel, unsigned member, cl_kernel real, struct cx_args *args)
{
    uint64_t untold = atomic_load_explicit(&args->untold, memory_order_relaxed);
    if (!untold)
        return true;
    for (; untold; untold &= untold - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(untold);
        if (set_one(kernel, member, real, i, &args->arg[i]) != CL_SUCCESS)
            return false;
    }
    cx_args_told(args);
    return true;
}

cl_int cx_kernel_bind(struct cx_kernel *kernel, unsigned member, enum cx_variant variant,
                      struct cx_args *args, cl_kernel *real)
{
    struct cx_kernel_member *own = &kernel->members[member];
    cl_int error = CL_SUCCESS;

    if (own->svm[variant])
        drop_spoilt(kernel, member, variant, args);
    if (!own->real[variant]) {
        if (!cx_kernel_variant_ready(kernel, member, variant))
            return CL_INVALID_PROGRAM_EXECUTABLE;
        own->real[variant] = make_real(kernel, member, variant, &error);
        if (!own->real[variant])
            return error;
    }
    *real = own->real[variant];
    const struct cx_args *held = own->held[variant];
    if (held == args && tell_untold(kernel, member, *real, args))
        return CL_SUCCESS;
    struct cx_args *kept = held ? keep_values(kernel, own->held[variant]) : NULL;
    if (args->svm)
        error = set_svm_pointers(kernel, member, *real, held, args);
    for (unsigned i = 0; i < args->count && error == CL_SUCCESS; i++)
        if (!held || is_untold(held, i) || !same_arg(&held->arg[i], &args->arg[i])) {
            error = set_one(kernel, member, *real, i, &args->arg[i]);
            own->svm[variant] |= is_svm(&args->arg[i]);
        }
    cx_args_drop(&kept);
    cx_args_unbind(&own->held[variant]);
    if (error == CL_SUCCESS) {
        cx_args_bind(args);
        own->held[variant] = args;
    }
    return error;
}

/* The same as of one member: another summary only where cx_program_compatible says that the two differ. */
static const struct cx_summary_kernel *summary_on(const struct cx_kernel *kernel, unsigned member,
                                                  struct cx_no_summary *why)
{
    const struct cx_program *program = kernel->program;
    const struct cx_summary_kernel *found =
        atomic_load_explicit(&kernel->function->summary[member], memory_order_acquire);
    struct cx_no_summary reason = program->analysed.why_not;

    if (found) /* several look at each launch */
        return found;
    if (program->analysed.analysis) {
        const struct cx_summary *summary = cx_analysis_summary(program->analysed.analysis, member, &reason);
        if (summary) {
            found = cx_summary_find(summary, kernel->function->name);
            reason.reason = CX_NO_SUMMARY_NO_KERNEL;
        }
    }
    if (found && found->narg != kernel->nargs && !(found->flags & CX_SUMMARY_OPAQUE)) {
        found = NULL;
        reason.reason = CX_NO_SUMMARY_ARGUMENTS;
    }
    if (found)
        atomic_store_explicit(&kernel->function->summary[member], found, memory_order_release);
    else if (why)
        *why = reason;
    return found;
}

/* Whether the kernel has inline assembly. Where the analysis does not know, the program's text tells. */
static bool has_assembly(const struct cx_kernel *kernel, unsigned member)
{
    const struct cx_summary_kernel *summary = summary_on(kernel, member, NULL);

    return summary ? summary->flags & CX_SUMMARY_ONE_MODEL : kernel->program->analysed.assembles;
}

bool cx_kernel_is_foreign(const struct cx_kernel *kernel, unsigned member)
{
    const struct cx_context *context = kernel->program->context;

    if (!kernel->program->analysed.may_assemble)
        return false;
    for (unsigned k = 0; k < context->nmembers; k++) {
        const unsigned first = cx_program_member_at(kernel->program, k);
        if (atomic_load_explicit(&kernel->function->check[first], memory_order_acquire))
            return !cx_context_alike(context, first, member) && has_assembly(kernel, first);
    }
    return false;
}

bool cx_kernel_runs_on(const struct cx_kernel *kernel, unsigned member)
{
    return !cx_kernel_is_foreign(kernel, member) &&
           atomic_load_explicit(&kernel->function->check[member], memory_order_acquire) &&
           !atomic_load_explicit(&kernel->members[member].left_out, memory_order_relaxed) &&
           !atomic_load_explicit(&kernel->program->context->workers[member].left_out, memory_order_relaxed);
}

void cx_kernel_leave_out(struct cx_kernel *kernel, unsigned member, const char *why)
{
    bool others = false;
    cx_lock(&kernel->lock);
    for (unsigned m = 0; m < kernel->program->context->nmembers; m++)
        others |= m != member && (cx_kernel_runs_on(kernel, m) || cx_build_deferred_on(kernel->program, m));
    bool now = others && !atomic_exchange(&kernel->members[member].left_out, true);
    cx_unlock(&kernel->lock);
    if (now)
        cx_warn(CX_TOPIC_PROGRAM, "kernel %s (%" PRIu64 ") is left out on %s: %s", kernel->function->name,
                kernel->base.id, device_of(kernel, member)->name, why);
}

bool cx_kernel_variant_ready(const struct cx_kernel *kernel, unsigned member, enum cx_variant variant)
{
    const struct cx_program_member *state = &kernel->program->members[member];
    return cx_kernel_runs_on(kernel, member) &&
           atomic_load_explicit(&state->state[variant], memory_order_acquire) == CX_BUILD_READY;
}

bool cx_kernel_variant_failed(const struct cx_kernel *kernel, unsigned member, enum cx_variant variant)
{
    return atomic_load(&kernel->program->members[member].state[variant]) == CX_BUILD_FAILED;
}

void cx_kernel_variant_want(struct cx_kernel *kernel, enum cx_variant variant)
{
    cx_program_variant_want(kernel->program, variant);
}

bool cx_kernel_variant_wait(struct cx_kernel *kernel, enum cx_variant variant, unsigned ms)
{
    return cx_program_variant_wait(kernel->program, variant, ms);
}

const struct cx_summary_kernel *cx_kernel_summary(const struct cx_kernel *kernel, struct cx_no_summary *why)
{
    for (unsigned k = 0; k < kernel->program->context->nmembers; k++) {
        unsigned member = cx_program_member_at(kernel->program, k);
        if (cx_kernel_runs_on(kernel, member))
            return summary_on(kernel, member, why);
    }
    if (why)
        *why = (struct cx_no_summary){.reason = CX_NO_SUMMARY_NO_DEVICE};
    return NULL;
}

bool cx_kernel_summary_wait(const struct cx_kernel *kernel, unsigned ms)
{
    return !kernel->program->analysed.analysis || cx_analysis_wait(kernel->program->analysed.analysis, ms);
}
