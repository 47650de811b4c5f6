/* SPDX-License-Identifier: MIT */
/*
 * clSetKernelArg: checks an argument as the spec says and puts it into the kernel's snapshot.
 *
 * Values and local sizes are judged by the members' drivers (function.c), buffers by us: no driver ever sees
 * a handle of the program's. A snapshot is changed in place while only the kernel holds it, else copied
 * first. Previous stage: kernel.c. Next: kernel_bind.c.
 */
#include "layer/memory/buffer.h"
#include "layer/base/entry.h"
#include "layer/memory/image.h"
#include "layer/program/kernel.h"
#include "layer/object/handle_set.h"
#include "layer/base/log.h"
#include "layer/program/program.h"
#include "layer/program/kernel_arg.h"
#include "layer/memory/sampler.h"
#include "layer/memory/svm.h"

#include <stdlib.h>
#include <string.h>

/* Room for a value of this size in the argument; keeps room that fits. false: no memory. */
static bool make_room(struct cx_arg *arg, size_t size)
{
    if (arg->value && arg->value != arg->small) {
        if (arg->size == size)
            return true;
        free(arg->value);
        arg->value = NULL;
    }
    arg->value = size <= sizeof(arg->small) ? arg->small : malloc(size);
    return arg->value;
}

/* Replaces the list of CL_KERNEL_EXEC_INFO_SVM_PTRS. false: no memory. */
static bool set_pointers(struct cx_args *args, const void *const *pointers, size_t count)
{
    const void **copy = calloc(count + 1, sizeof(*copy)); /* an empty list is one, too */
    if (!copy)
        return false;
    if (count)
        memcpy(copy, pointers, count * sizeof(*copy));
    free(args->svm);
    args->svm = copy;
    args->nsvm = count;
    return true;
}

struct cx_args *cx_args_clone(const struct cx_args *args)
{
    struct cx_args *clone = cx_args_new(args->count);
    bool done = clone;
    if (!clone)
        return NULL;
    memcpy(clone->arg, args->arg, args->count * sizeof(args->arg[0]));
    for (unsigned i = 0; i < args->count; i++) {
        const struct cx_arg *from = &args->arg[i];
        struct cx_arg *to = &clone->arg[i];
        if (from->sampler)
            to->sampler = cx_sampler_ref(from->sampler);
        if (from->window)
            to->window = cx_mem_ref(from->window);
        if (!from->value)
            continue;
        to->value = NULL;
        if (from->kind == CX_ARGS_VALUE && (done &= make_room(to, from->size)))
            memcpy(to->value, from->value, from->size);
    }
    if (!done || (args->svm && !set_pointers(clone, args->svm, args->nsvm)))
        cx_args_drop(&clone);
    return clone;
}

/* Makes the snapshot one that nobody else holds; the kernel's lock is held. false: no memory. */
static bool make_own(struct cx_kernel *kernel)
{
    bool values;
    if (cx_args_alone(kernel->args, &values))
        return true;
    struct cx_args *clone = cx_args_clone(kernel->args);
    if (!clone)
        return false;
    cx_args_drop(&kernel->args);
    kernel->args = clone;
    return true;
}

/* An argument as it is to be: a value, a local size, a memory object (may be NULL) or a sampler. */
struct given {
    enum cx_args_kind kind;
    size_t size;
    const void *value;
    struct cx_object *object;
};

/* Whether the argument is that already. */
static bool is_given(const struct cx_arg *arg, const struct given *given)
{
    if (arg->kind != given->kind || arg->size != given->size)
        return false;
    switch (given->kind) {
    case CX_ARGS_VALUE:
        return !memcmp(arg->value, given->value, given->size);
    case CX_ARGS_MEM:
        return arg->mem == (struct cx_mem *)given->object && (!arg->mem || arg->mem_id == given->object->id);
    case CX_ARGS_LOCAL:
        return true;
    case CX_ARGS_SAMPLER:
        return arg->sampler == (struct cx_sampler *)given->object;
    case CX_ARGS_UNSET:
    case CX_ARGS_REAL:
        break;
    }
    return false;
}

/* Another value of the same size, where everybody else who has the snapshot needs values no more: launches
 * that differ in a number make no snapshots. False: it is not so. The kernel's lock is held, which is that of
 * the one that is launched. */
static bool set_in_place(struct cx_kernel *kernel, unsigned index, const struct given *given)
{
    struct cx_args *args = kernel->args;
    struct cx_arg *arg = &args->arg[index];
    bool values;
    if (given->kind != CX_ARGS_VALUE || arg->kind != CX_ARGS_VALUE || arg->size != given->size ||
        index >= CX_ARGS_UNTOLD || kernel->on)
        return false;
    (void)cx_args_alone(args, &values);
    if (!values)
        return false;
    memcpy(arg->value, given->value, given->size);
    atomic_store_explicit(&args->untold,
                          atomic_load_explicit(&args->untold, memory_order_relaxed) | UINT64_C(1) << index,
                          memory_order_relaxed);
    return true;
}

/* Puts what is given into a snapshot that nobody else holds. false: no memory. */
static bool set_own(struct cx_arg *arg, const struct given *given)
{
    struct cx_mem *mem = given->kind == CX_ARGS_MEM ? (struct cx_mem *)given->object : NULL;
    if (given->kind == CX_ARGS_VALUE) {
        if (!make_room(arg, given->size)) {
            arg->kind = CX_ARGS_UNSET;
            return false;
        }
        memcpy(arg->value, given->value, given->size);
    }
    cx_sampler_unref(&arg->sampler);
    if (given->kind == CX_ARGS_SAMPLER)
        arg->sampler = cx_sampler_ref((struct cx_sampler *)given->object);
    arg->kind = given->kind;
    arg->size = given->size;
    arg->mem = mem;
    arg->mem_id = mem ? mem->base.id : 0;
    arg->svm = mem && mem->storage->svm && !mem->image;
    cx_mem_unref(&arg->window);
    if (mem && mem->cached)
        arg->window = cx_mem_ref(mem);
    return true;
}

/* Puts the checked argument into the snapshot. */
static cl_int store(struct cx_kernel *kernel, unsigned index, enum cx_args_kind kind, size_t size,
                    const void *value, struct cx_object *object)
{
    const struct given given = {kind, size, value, object};
    cx_lock(&kernel->lock);
    const bool done = is_given(&kernel->args->arg[index], &given) || set_in_place(kernel, index, &given) ||
                      (make_own(kernel) && set_own(&kernel->args->arg[index], &given));
    cx_unlock(&kernel->lock);
    return done ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

/* Whether a memory object (or NULL) is what the parameter wants, where it is known what that is: the driver
 * tells, or the program has no images. */
static cl_int check_kind(const struct cx_kernel *kernel, const struct cx_param *param,
                         const struct cx_mem *mem, const char **reason)
{
    const cl_mem_flags access = mem && mem->image ? mem->image->access : CL_MEM_READ_WRITE;

    if (!param->reported && (!mem || !mem->image || cx_program_may_take_images(kernel->program)))
        return CL_SUCCESS;
    if (param->kind == CX_PARAM_IMAGE && (!mem || !mem->image)) {
        *reason = "the argument is an image, and this is none";
        return CL_INVALID_MEM_OBJECT;
    }
    if (param->kind == CX_PARAM_MEM && mem && mem->image) {
        *reason = "the argument is a buffer, and this is an image";
        return CL_INVALID_MEM_OBJECT;
    }
    if ((param->access == CL_KERNEL_ARG_ACCESS_READ_ONLY && access == CL_MEM_WRITE_ONLY) ||
        (param->access == CL_KERNEL_ARG_ACCESS_WRITE_ONLY && access == CL_MEM_READ_ONLY)) {
        *reason = "the image's flags forbid what the kernel does with it";
        return CL_INVALID_ARG_VALUE;
    }
    return CL_SUCCESS;
}

static cl_int set_mem(struct cx_kernel *kernel, unsigned index, size_t size, const void *value,
                      const char **reason)
{
    struct cx_mem *mem = NULL;
    cl_mem handle = NULL;

    if (size != sizeof(cl_mem)) {
        *reason = "the argument is a memory object, the size is not a handle's";
        return CL_INVALID_ARG_SIZE;
    }
    if (!value && kernel->function->params[index].kind == CX_PARAM_IMAGE) {
        *reason = "the argument is an image, but NULL is given";
        return CL_INVALID_ARG_VALUE;
    }
    if (value)
        memcpy(&handle, value, sizeof(handle));
    if (handle) {
        mem = cx_handle_set_has(handle) ? cx_mem_from(handle) : NULL;
        if (!mem || mem->context != kernel->program->context) {
            *reason = "the argument is no memory object of the context";
            return CL_INVALID_MEM_OBJECT;
        }
    }
    cl_int error = check_kind(kernel, &kernel->function->params[index], mem, reason);
    return error == CL_SUCCESS ? store(kernel, index, CX_ARGS_MEM, size, NULL, mem ? &mem->base : NULL)
                               : error;
}

static cl_int set_sampler(struct cx_kernel *kernel, unsigned index, size_t size, const void *value,
                          const char **reason)
{
    struct cx_sampler *sampler = NULL;
    cl_sampler handle = NULL;

    if (size != sizeof(cl_sampler)) {
        *reason = "the argument is a sampler, the size is not a handle's";
        return CL_INVALID_ARG_SIZE;
    }
    if (!value) {
        *reason = "the argument is a sampler, but NULL is given";
        return CL_INVALID_SAMPLER;
    }
    memcpy(&handle, value, sizeof(handle));
    if (handle && cx_handle_set_has(handle))
        sampler = cx_sampler_from(handle);
    if (!sampler || sampler->context != kernel->program->context) {
        *reason = "the argument is no sampler of the context";
        return CL_INVALID_SAMPLER;
    }
    return store(kernel, index, CX_ARGS_SAMPLER, size, NULL, &sampler->base);
}

static cl_int set_local(struct cx_kernel *kernel, unsigned index, size_t size, const void *value,
                        const char **reason)
{
    if (value) {
        *reason = "the argument is local memory, the value is not NULL";
        return CL_INVALID_ARG_VALUE;
    }
    if (size == 0) {
        *reason = "local memory of size 0";
        return CL_INVALID_ARG_SIZE;
    }
    cl_int error = cx_kernel_try(kernel, index, size, NULL);
    *reason = "the driver refuses this local memory";
    return error == CL_SUCCESS ? store(kernel, index, CX_ARGS_LOCAL, size, NULL, NULL) : error;
}

/* Eight bytes that are the handle of a live object are taken for that object, in case a driver takes buffers,
 * images or samplers for values when it is probed: a number that equals such a handle is no accident. */
static cl_int set_value(struct cx_kernel *kernel, unsigned index, size_t size, const void *value,
                        const char **reason)
{
    void *handle = NULL;

    if (value && size == sizeof(handle))
        memcpy(&handle, value, sizeof(handle));
    if (handle && cx_handle_set_has(handle))
        return cx_sampler_from(handle) ? set_sampler(kernel, index, size, value, reason)
                                       : set_mem(kernel, index, size, value, reason);
    if (!value) {
        *reason = "the argument is a value, but NULL is given";
        return CL_INVALID_ARG_VALUE;
    }
    if (size == 0) {
        *reason = "a value of size 0";
        return CL_INVALID_ARG_SIZE;
    }
    cl_int error = cx_kernel_try(kernel, index, size, value);
    *reason = "the driver refuses this value";
    return error == CL_SUCCESS ? store(kernel, index, CX_ARGS_VALUE, size, value, NULL) : error;
}

static cl_int set_arg(struct cx_kernel *kernel, unsigned index, size_t size, const void *value,
                      const char **reason)
{
    switch (kernel->function->params[index].kind) {
    case CX_PARAM_MEM:
    case CX_PARAM_IMAGE:
        return set_mem(kernel, index, size, value, reason);
    case CX_PARAM_LOCAL:
        return set_local(kernel, index, size, value, reason);
    case CX_PARAM_VALUE:
        return set_value(kernel, index, size, value, reason);
    case CX_PARAM_SAMPLER:
        return set_sampler(kernel, index, size, value, reason);
    case CX_PARAM_OTHER:
        break;
    }
    *reason = "the argument is a pipe or queue, the device has none";
    return CL_INVALID_ARG_VALUE;
}

cl_int cx_clSetKernelArg(cl_kernel handle, cl_uint arg_index, size_t arg_size, const void *arg_value)
{
    struct cx_kernel *kernel = cx_kernel_from(handle);
    const char *reason = "no memory for the argument";

    if (!kernel)
        return CX_FAIL(CL_INVALID_KERNEL, "not a kernel");
    if (arg_index >= kernel->nargs)
        return CX_FAIL(CL_INVALID_ARG_INDEX, "the kernel has fewer arguments");
    cl_int error = set_arg(kernel, arg_index, arg_size, arg_value, &reason);
    return error == CL_SUCCESS ? error : CX_FAIL(error, reason);
}

/* ---- shared virtual memory ---- */

cl_int cx_clSetKernelArgSVMPointer(cl_kernel handle, cl_uint arg_index, const void *arg_value)
{
    struct cx_kernel *kernel = cx_kernel_from(handle);
    struct cx_mem *mem = NULL;
    cl_int error = CL_SUCCESS;

    if (!kernel)
        return CX_FAIL(CL_INVALID_KERNEL, "not a kernel");
    struct cx_context *context = kernel->program->context;
    if (cx_svm_owner(context) == context->nmembers)
        return CX_FAIL(CL_INVALID_OPERATION, "no device has shared virtual memory");
    if (arg_index >= kernel->nargs)
        return CX_FAIL(CL_INVALID_ARG_INDEX, "the kernel has fewer arguments");
    if (kernel->function->params[arg_index].kind != CX_PARAM_MEM)
        return CX_FAIL(CL_INVALID_ARG_VALUE, "the argument is no pointer to global or constant memory");
    if (arg_value && !(mem = cx_svm_argument(context, arg_value, &error)))
        return CX_FAIL(error, "the pointer is none into shared virtual memory");
    error = store(kernel, arg_index, CX_ARGS_MEM, sizeof(cl_mem), NULL, mem ? &mem->base : NULL);
    cx_mem_unref(&mem);
    return error == CL_SUCCESS ? error : CX_FAIL(error, "no memory for the argument");
}

static cl_int set_svm_pointers(const char *function, struct cx_kernel *kernel, size_t size, const void *value)
{
    struct cx_context *context = kernel->program->context;
    const void *const *pointers = value;
    const size_t count = size / sizeof(*pointers);
    size_t offset;

    if (size % sizeof(*pointers) || (count && !pointers))
        return cx_fail(function, CL_INVALID_VALUE, "the size is not that of pointers");
    for (size_t i = 0; i < count; i++) {
        struct cx_mem *root = cx_svm_find(context, pointers[i], 1, &offset);
        if (!root)
            return cx_fail(function, CL_INVALID_VALUE, "a pointer is none into shared virtual memory");
        cx_mem_unref(&root);
    }
    cx_lock(&kernel->lock);
    bool done = make_own(kernel) && set_pointers(kernel->args, pointers, count);
    cx_unlock(&kernel->lock);
    return done ? CL_SUCCESS : cx_fail(function, CL_OUT_OF_HOST_MEMORY, "no memory for the list");
}

cl_int cx_clSetKernelExecInfo(cl_kernel handle, cl_kernel_exec_info param_name, size_t param_value_size,
                              const void *param_value)
{
    struct cx_kernel *kernel = cx_kernel_from(handle);

    if (!kernel)
        return CX_FAIL(CL_INVALID_KERNEL, "not a kernel");
    const struct cx_context *context = kernel->program->context;
    if (cx_svm_owner(context) == context->nmembers)
        return CX_FAIL(CL_INVALID_OPERATION, "no device has shared virtual memory");
    const bool empties = param_name == CL_KERNEL_EXEC_INFO_SVM_PTRS && !param_value_size;
    if (!param_value && !empties)
        return CX_FAIL(CL_INVALID_VALUE, "no value");
    if (param_name == CL_KERNEL_EXEC_INFO_SVM_PTRS)
        return set_svm_pointers("clSetKernelExecInfo", kernel, param_value_size, param_value);
    if (param_name != CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM || param_value_size != sizeof(cl_bool))
        return CX_FAIL(CL_INVALID_VALUE, "unknown name, or not its size");
    if (*(const cl_bool *)param_value)
        return CX_FAIL(CL_INVALID_OPERATION, "the device has no fine-grained system memory");
    return CL_SUCCESS;
}
