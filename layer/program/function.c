/* SPDX-License-Identifier: MIT */
/*
 * Kernel functions: what the members' drivers say about one kernel name of a program, asked once and shared
 * by all kernels of that name.
 *
 * A real kernel of each member is kept for such questions (function->check); launches use others
 * (kernel_bind.c). What a parameter is, drivers tell only where they keep argument info, which they are asked
 * to where a program's text speaks of images (cx_program_driver_options); else the analysis tells once it is
 * ready; else what the program sets must do (kernel_arg.c).
 */
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/program/program.h"
#include "layer/program/build_deferred.h"
#include "layer/program/function.h"
#include "layer/report/kernel_table.h"
#include "layer/report/live.h"
#include "layer/timeline/worker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct cx_real_device *device_of(const struct cx_function *function, unsigned member)
{
    return function->program->context->workers[member].device;
}

void cx_function_init(struct cx_function *function, struct cx_program *program, unsigned index, char *name)
{
    *function = (struct cx_function){.name = name, .program = program, .index = index};
    function->stats = cx_kernel_table_function(name);
    function->live = cx_live_name_kernel(name);
    function->algo = cx_options_algo(name);
    cx_lock_init(&function->lock, CX_RANK_FUNCTION);
}

void cx_function_finish(struct cx_function *function)
{
    for (unsigned m = 0; function->check && m < function->program->context->nmembers; m++)
        if (function->check[m])
            device_of(function, m)->cl->clReleaseKernel(function->check[m]);
    if (function->history)
        function->forget(function->history);
    free(function->check);
    free(function->group_limit);
    free(function->local_bytes);
    free(function->summary);
    free(function->variant_limit);
    free(function->params);
    free(function->name);
    cx_lock_finish(&function->lock);
}

/* Parameter kind by what the driver takes: NULL of a handle's size, then a NULL handle. Both PoCL and
 * NVIDIA's driver tell buffers, local memory and values apart so; images and samplers count as values. */
static enum cx_param_kind probe_kind(const struct cx_function *function, unsigned member, unsigned index)
{
    const cl_icd_dispatch *cl = device_of(function, member)->cl;
    cl_kernel real = function->check[member];
    cl_mem none = NULL;

    if (cl->clSetKernelArg(real, index, sizeof(none), NULL))
        return CX_PARAM_VALUE;
    return cl->clSetKernelArg(real, index, sizeof(none), &none) ? CX_PARAM_LOCAL : CX_PARAM_MEM;
}

/* Whether a type's name is that of an image: a program may have types of its own that begin alike. */
static bool is_image(const char *type)
{
    static const char *const dimensions[] = {"image1d", "image2d", "image3d"};
    static const char *const rest[] = {
        "_t",
        "_array_t",
        "_buffer_t",
        "_depth_t",
        "_array_depth_t",
        "_msaa_t",
        "_array_msaa_t",
        "_msaa_depth_t",
        "_array_msaa_depth_t",
    };
    for (unsigned d = 0; d < sizeof(dimensions) / sizeof(dimensions[0]); d++)
        for (unsigned r = 0; !strncmp(type, dimensions[d], 7) && r < sizeof(rest) / sizeof(rest[0]); r++)
            if (!strcmp(type + 7, rest[r]))
                return true;
    return false;
}

static bool is_pipe(const struct cx_function *function, unsigned member, unsigned index)
{
    cl_kernel_arg_type_qualifier qualifier = 0;
    return !device_of(function, member)
                ->cl->clGetKernelArgInfo(function->check[member], index, CL_KERNEL_ARG_TYPE_QUALIFIER,
                                         sizeof(qualifier), &qualifier, NULL) &&
           qualifier & CL_KERNEL_ARG_TYPE_PIPE;
}

/* Parameter kind by what the driver says, where it does (*told). */
static enum cx_param_kind ask_kind(const struct cx_function *function, unsigned member, unsigned index,
                                   bool *reported)
{
    const cl_icd_dispatch *cl = device_of(function, member)->cl;
    cl_kernel real = function->check[member];
    cl_kernel_arg_address_qualifier address = 0;
    char type[256] = "";

    if (!cl->clGetKernelArgInfo ||
        cl->clGetKernelArgInfo(real, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(address), &address, NULL))
        return probe_kind(function, member, index);
    size_t size = 0;
    *reported = true;
    if (cl->clGetKernelArgInfo(real, index, CL_KERNEL_ARG_TYPE_NAME, 0, NULL, &size) || size > sizeof(type) ||
        cl->clGetKernelArgInfo(real, index, CL_KERNEL_ARG_TYPE_NAME, sizeof(type), type, NULL)) {
        *reported = false;
        *type = 0;
    }
    type[sizeof(type) - 1] = 0;
    if (is_image(type))
        return CX_PARAM_IMAGE;
    if (!strcmp(type, "sampler_t"))
        return CX_PARAM_SAMPLER;
    if (!strcmp(type, "queue_t") || is_pipe(function, member, index))
        return CX_PARAM_OTHER;
    switch (address) {
    case CL_KERNEL_ARG_ADDRESS_GLOBAL:
    case CL_KERNEL_ARG_ADDRESS_CONSTANT:
        return CX_PARAM_MEM;
    case CL_KERNEL_ARG_ADDRESS_LOCAL:
        return CX_PARAM_LOCAL;
    case CL_KERNEL_ARG_ADDRESS_PRIVATE:
        return CX_PARAM_VALUE;
    default:
        *reported = false;
        return probe_kind(function, member, index);
    }
}

static void learn_param(struct cx_function *function, unsigned member, unsigned index)
{
    const cl_icd_dispatch *cl = device_of(function, member)->cl;
    struct cx_param *param = &function->params[index];
    param->access = CL_KERNEL_ARG_ACCESS_NONE;
    param->kind = ask_kind(function, member, index, &param->reported);
    if (param->reported && param->kind == CX_PARAM_IMAGE)
        cl->clGetKernelArgInfo(function->check[member], index, CL_KERNEL_ARG_ACCESS_QUALIFIER,
                               sizeof(param->access), &param->access, NULL);
}

/* Whether the member takes values of the sizes that those before it have taken. */
static cl_int try_sizes(const struct cx_function *function, unsigned member, cl_kernel real)
{
    cl_int error = CL_SUCCESS;

    for (unsigned i = 0; function->params && i < function->nargs && error == CL_SUCCESS; i++) {
        const struct cx_param *param = &function->params[i];
        void *zeros =
            param->reported && param->kind == CX_PARAM_VALUE && param->size ? calloc(1, param->size) : NULL;
        if (zeros)
            error = device_of(function, member)->cl->clSetKernelArg(real, i, param->size, zeros);
        free(zeros);
    }
    return error;
}

/* Local memory of a kernel that has no arguments yet; 0 where nobody asks for it. */
static cl_ulong local_bytes(const struct cx_real_device *device, cl_kernel real)
{
    cl_ulong bytes = 0;
    if (!device->multiprocessor.warps ||
        device->cl->clGetKernelWorkGroupInfo(real, device->id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(bytes),
                                             &bytes, NULL))
        return 0;
    return bytes;
}

/* Asks one member; false when it cannot make the kernel, or has other arguments than the members before. */
static bool learn_member(struct cx_function *function, unsigned member, bool first, cl_int *error)
{
    const struct cx_real_device *device = device_of(function, member);
    cl_program program = function->program->members[member].real[CX_VARIANT_PLAIN];
    cl_uint nargs = 0;

    cl_kernel real = device->cl->clCreateKernel(program, function->name, error);
    if (!real)
        return false;
    function->local_bytes[member] = local_bytes(device, real);
    *error = device->cl->clGetKernelInfo(real, CL_KERNEL_NUM_ARGS, sizeof(nargs), &nargs, NULL);
    if (*error == CL_SUCCESS && !first && nargs != function->nargs)
        *error = CL_INVALID_KERNEL_DEFINITION;
    if (*error == CL_SUCCESS)
        *error = try_sizes(function, member, real);
    if (*error != CL_SUCCESS) {
        device->cl->clReleaseKernel(real);
        return false;
    }
    if (first)
        function->nargs = nargs;
    if (device->cl->clGetKernelWorkGroupInfo(real, device->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof(size_t),
                                             &function->group_limit[member], NULL))
        function->group_limit[member] = device->limits.max_group_size;
    size_t required[3] = {0, 0, 0};
    if (first && !device->cl->clGetKernelWorkGroupInfo(real, device->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                                       sizeof(required), required, NULL))
        memcpy(function->required, required, sizeof(required));
    atomic_store_explicit(&function->check[member], real, memory_order_release);
    return true;
}

static void tell_left_out(const struct cx_function *function, unsigned member, cl_int error)
{
    cx_info(CX_TOPIC_PROGRAM, "kernel %s of program %" PRIu64 " is left out on %s: %s", function->name,
            function->program->base.id, device_of(function, member)->name, cx_cl_name(error));
}

/* Asks all members that built the program. The caller holds the lock. */
static cl_int learn(struct cx_function *function)
{
    const struct cx_program *program = function->program;
    unsigned count = program->context->nmembers, found = 0;
    cl_int first_error = CL_INVALID_KERNEL_NAME;

    if (!function->check)
        function->check = calloc(count, sizeof(*function->check));
    if (!function->group_limit)
        function->group_limit = calloc(count, sizeof(size_t));
    if (!function->local_bytes)
        function->local_bytes = calloc(count, sizeof(*function->local_bytes));
    if (!function->variant_limit)
        function->variant_limit = calloc((size_t)count * CX_VARIANT_COUNT, sizeof(size_t));
    if (!function->summary)
        function->summary = calloc(count, sizeof(*function->summary));
    if (!function->check || !function->group_limit || !function->local_bytes || !function->variant_limit ||
        !function->summary)
        return CL_OUT_OF_HOST_MEMORY;
    for (unsigned k = 0; k < count; k++) {
        unsigned member = cx_program_member_at(program, k);
        cl_int error = CL_SUCCESS;
        if (!cx_program_runs_on(program, member))
            continue;
        if (learn_member(function, member, found == 0, &error)) {
            found++;
        } else {
            if (first_error == CL_INVALID_KERNEL_NAME)
                first_error = error;
            tell_left_out(function, member, error);
        }
    }
    if (!found)
        return first_error;
    function->params = calloc(function->nargs + 1, sizeof(*function->params));
    if (!function->params)
        return CL_OUT_OF_HOST_MEMORY;
    unsigned first = 0;
    while (!function->check[cx_program_member_at(program, first)])
        first++;
    for (unsigned i = 0; i < function->nargs; i++)
        learn_param(function, cx_program_member_at(program, first), i);
    return CL_SUCCESS;
}

cl_int cx_function_learn(struct cx_function *function)
{
    cx_lock(&function->lock);
    if (!atomic_load(&function->known)) {
        function->error = learn(function);
        if (function->error != CL_SUCCESS && cx_build_deferred_any(function->program)) {
            cx_unlock(&function->lock);
            cx_build_deferred_wait(function->program, ~0u);
            cx_lock(&function->lock);
            if (!atomic_load(&function->known))
                function->error = learn(function);
        }
        atomic_store(&function->known, true);
    }
    cx_unlock(&function->lock);
    return function->error;
}

void cx_function_adopt(struct cx_function *function, unsigned member)
{
    cl_int error = CL_SUCCESS;

    cx_lock(&function->lock);
    if (atomic_load(&function->known) && function->error == CL_SUCCESS && !function->check[member] &&
        !learn_member(function, member, false, &error))
        tell_left_out(function, member, error);
    cx_unlock(&function->lock);
}

/* The drivers keep the value in the checking kernels, which are never launched. All members must take it:
 * some look at sizes less closely than others. A size that was taken once is taken again without asking. */
cl_int cx_function_try(struct cx_function *function, unsigned index, size_t size, const void *value)
{
    struct cx_param *param = &function->params[index];
    cl_int error = CL_SUCCESS;

    if (value && param->kind == CX_PARAM_VALUE &&
        atomic_load_explicit(&param->size, memory_order_relaxed) == size)
        return CL_SUCCESS;
    cx_lock(&function->lock);
    for (unsigned m = 0; error == CL_SUCCESS && m < function->program->context->nmembers; m++)
        if (function->check[m])
            error = device_of(function, m)->cl->clSetKernelArg(function->check[m], index, size, value);
    if (error == CL_SUCCESS && value)
        atomic_store_explicit(&param->size, size, memory_order_relaxed);
    cx_unlock(&function->lock);
    return error;
}
