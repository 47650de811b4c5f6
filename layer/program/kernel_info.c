/* SPDX-License-Identifier: MIT */
/*
 * What a kernel tells about itself: clGetKernelInfo, clGetKernelArgInfo, clGetKernelWorkGroupInfo. Work-group
 * sizes and memory are what the fastest member's driver says of the program's own kernel, as programs see it
 * bare: they size launches by it. Variants, and members that take less, are the planner's matter.
 */
#include "layer/object/device.h"
#include "layer/base/entry.h"
#include "layer/base/log.h"
#include "layer/base/split_policy.h"
#include "layer/program/program.h"
#include "layer/program/build_deferred.h"
#include "layer/program/kernel_bind.h"
#include "layer/program/kernel_info.h"
#include "layer/program/program_unit.h"
#include "layer/access/summary.h"
#include "layer/timeline/worker.h"

#include <stdlib.h>
#include <string.h>

/* The k-th member in order of preference and its checking kernel; NULL where it does not run the kernel. */
static cl_kernel check_at(const struct cx_kernel *kernel, unsigned k, const struct cx_real_device **device)
{
    unsigned member = cx_program_member_at(kernel->program, k);

    *device = kernel->program->context->workers[member].device;
    return cx_kernel_runs_on(kernel, member) ? kernel->function->check[member] : NULL;
}

static unsigned members_of(const struct cx_kernel *kernel)
{
    return kernel->program->context->nmembers;
}

/* The attributes as the first driver that tells any does. */
static cl_int info_attributes(const struct cx_kernel *kernel, size_t room, void *value, size_t *size_ret)
{
    for (unsigned k = 0; k < members_of(kernel); k++) {
        const struct cx_real_device *device;
        cl_kernel check = check_at(kernel, k, &device);
        size_t size = 0;
        if (check && !device->cl->clGetKernelInfo(check, CL_KERNEL_ATTRIBUTES, 0, NULL, &size) && size > 1)
            return device->cl->clGetKernelInfo(check, CL_KERNEL_ATTRIBUTES, room, value, size_ret);
    }
    return cx_object_info_string("", room, value, size_ret);
}

static cl_int kernel_info(struct cx_kernel *kernel, cl_kernel_info param, size_t room, void *value,
                          size_t *size_ret)
{
    switch (param) {
    case CL_KERNEL_FUNCTION_NAME:
        return cx_object_info_string(kernel->function->name, room, value, size_ret);
    case CL_KERNEL_NUM_ARGS:
        return CX_INFO(cl_uint, kernel->nargs, room, value, size_ret);
    case CL_KERNEL_REFERENCE_COUNT:
        return CX_INFO(cl_uint, cx_object_app_refs(&kernel->base), room, value, size_ret);
    case CL_KERNEL_CONTEXT:
        return CX_INFO(cl_context, (cl_context)kernel->program->context, room, value, size_ret);
    case CL_KERNEL_PROGRAM:
        return CX_INFO(cl_program, (cl_program)kernel->whole, room, value, size_ret);
    case CL_KERNEL_ATTRIBUTES:
        return info_attributes(kernel, room, value, size_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int cx_clGetKernelInfo(cl_kernel handle, cl_kernel_info param_name, size_t param_value_size,
                          void *param_value, size_t *param_value_size_ret)
{
    struct cx_kernel *kernel = cx_kernel_from(handle);
    if (!kernel)
        return CX_FAIL(CL_INVALID_KERNEL, "not a kernel");
    cl_int error = kernel_info(kernel, param_name, param_value_size, param_value, param_value_size_ret);
    return error == CL_SUCCESS ? error : CX_FAIL(error, "unknown query or too little room");
}

/* What the analysis knows of an argument, for drivers that keep nothing though the build options ask for it.
 */
static cl_int analysed_arg_info(const struct cx_kernel *kernel, cl_uint index, cl_kernel_arg_info param,
                                size_t room, void *value, size_t *size_ret)
{
    static const cl_kernel_arg_address_qualifier spaces[] = {
        [CX_ARG_GLOBAL] = CL_KERNEL_ARG_ADDRESS_GLOBAL, [CX_ARG_CONSTANT] = CL_KERNEL_ARG_ADDRESS_CONSTANT,
        [CX_ARG_LOCAL] = CL_KERNEL_ARG_ADDRESS_LOCAL,   [CX_ARG_VALUE] = CL_KERNEL_ARG_ADDRESS_PRIVATE,
        [CX_ARG_IMAGE] = CL_KERNEL_ARG_ADDRESS_GLOBAL,  [CX_ARG_OTHER] = CL_KERNEL_ARG_ADDRESS_PRIVATE,
    };
    const struct cx_summary_kernel *summary = cx_kernel_summary(kernel, NULL);
    bool known =
        summary && index < summary->narg && strstr(kernel->program->build.options, "-cl-kernel-arg-info");
    const struct cx_summary_arg *arg = known ? &summary->arg[index] : NULL;

    if (arg && param == CL_KERNEL_ARG_NAME && *arg->name)
        return cx_object_info_string(arg->name, room, value, size_ret);
    if (arg && param == CL_KERNEL_ARG_TYPE_NAME && *arg->type)
        return cx_object_info_string(arg->type, room, value, size_ret);
    if (arg && param == CL_KERNEL_ARG_ADDRESS_QUALIFIER && arg->kind < sizeof(spaces) / sizeof(*spaces))
        return CX_INFO(cl_kernel_arg_address_qualifier, spaces[arg->kind], room, value, size_ret);
    if (arg && param == CL_KERNEL_ARG_ACCESS_QUALIFIER && arg->kind != CX_ARG_IMAGE)
        return CX_INFO(cl_kernel_arg_access_qualifier, CL_KERNEL_ARG_ACCESS_NONE, room, value, size_ret);
    return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
}

/* As the first driver tells that tells any. */
static cl_int driver_arg_info(const struct cx_kernel *kernel, cl_uint index, cl_kernel_arg_info param,
                              size_t room, void *value, size_t *size_ret)
{
    cl_int error = CL_KERNEL_ARG_INFO_NOT_AVAILABLE;

    for (unsigned k = 0; k < members_of(kernel); k++) {
        const struct cx_real_device *device;
        cl_kernel check = check_at(kernel, k, &device);
        if (!check || !device->cl->clGetKernelArgInfo)
            continue;
        cl_int answer = device->cl->clGetKernelArgInfo(check, index, param, room, value, size_ret);
        if (answer == CL_SUCCESS)
            return CL_SUCCESS;
        if (error == CL_KERNEL_ARG_INFO_NOT_AVAILABLE)
            error = answer;
    }
    return error;
}

cl_int cx_clGetKernelArgInfo(cl_kernel handle, cl_uint arg_index, cl_kernel_arg_info param_name,
                             size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    struct cx_kernel *kernel = cx_kernel_from(handle);
    cl_int error = CL_KERNEL_ARG_INFO_NOT_AVAILABLE;

    if (!kernel)
        return CX_FAIL(CL_INVALID_KERNEL, "not a kernel");
    if (arg_index >= kernel->nargs)
        return CX_FAIL(CL_INVALID_ARG_INDEX, "the kernel has fewer arguments");
    error =
        driver_arg_info(kernel, arg_index, param_name, param_value_size, param_value, param_value_size_ret);
    if (error == CL_KERNEL_ARG_INFO_NOT_AVAILABLE && !cx_split_policy_bounded() &&
        cx_build_deferred_any(kernel->program)) {
        cx_build_deferred_wait(kernel->program, ~0u);
        error = driver_arg_info(kernel, arg_index, param_name, param_value_size, param_value,
                                param_value_size_ret);
    }
    if (error == CL_KERNEL_ARG_INFO_NOT_AVAILABLE)
        error = analysed_arg_info(kernel, arg_index, param_name, param_value_size, param_value,
                                  param_value_size_ret);
    return error == CL_SUCCESS ? error : CX_FAIL(error, "no driver tells");
}

/* A kernel of a member's that was given nothing yet; NULL where its driver makes none. */
static cl_kernel make_real(const struct cx_kernel *kernel, unsigned member, enum cx_variant variant)
{
    cl_int error;
    return kernel->program->context->workers[member].device->cl->clCreateKernel(
        kernel->program->members[member].real[variant], kernel->function->name, &error);
}

/* The first member, in order of preference, that runs the kernel; the number of members: none. */
static unsigned first_member(const struct cx_kernel *kernel)
{
    for (unsigned k = 0; k < members_of(kernel); k++) {
        const unsigned member = cx_program_member_at(kernel->program, k);
        if (cx_kernel_runs_on(kernel, member))
            return member;
    }
    return members_of(kernel);
}

static size_t group_size(const struct cx_kernel *kernel)
{
    const unsigned first = first_member(kernel);
    const bool common = kernel->program->context->devices[0]->common;
    return cx_kernel_group_limit(kernel, common || first == members_of(kernel) ? CX_ALL_MEMBERS : first);
}

static cl_ulong private_size(const struct cx_kernel *kernel)
{
    const unsigned first = first_member(kernel);
    cl_ulong answer = 0;
    if (first == members_of(kernel))
        return 0;
    const struct cx_real_device *device = kernel->program->context->workers[first].device;
    const cl_int error =
        device->cl->clGetKernelWorkGroupInfo(kernel->function->check[first], device->id,
                                             CL_KERNEL_PRIVATE_MEM_SIZE, sizeof(answer), &answer, NULL);
    return error == CL_SUCCESS ? answer : 0;
}

/* What a member's driver says of a kernel with these arguments. */
static cl_ulong ask_local(const struct cx_kernel *kernel, unsigned member, const struct cx_args *args)
{
    const struct cx_real_device *device = kernel->program->context->workers[member].device;
    cl_kernel real = make_real(kernel, member, CX_VARIANT_PLAIN);
    cl_int error = real ? CL_SUCCESS : CL_INVALID_KERNEL;
    cl_ulong answer = 0;

    for (unsigned i = 0; i < args->count && error == CL_SUCCESS; i++)
        if (args->arg[i].kind == CX_ARGS_LOCAL)
            error = device->cl->clSetKernelArg(real, i, args->arg[i].size, NULL);
    if (error == CL_SUCCESS)
        error = device->cl->clGetKernelWorkGroupInfo(real, device->id, CL_KERNEL_LOCAL_MEM_SIZE,
                                                     sizeof(answer), &answer, NULL);
    if (real)
        device->cl->clReleaseKernel(real);
    return error == CL_SUCCESS ? answer : 0;
}

/* Local memory whose size is not set counts as none: the checking kernels cannot be asked, which hold what
 * was tried on them. given: the program's kernel, which has the arguments. */
static cl_ulong local_size(const struct cx_kernel *kernel, struct cx_kernel *given)
{
    const unsigned first = first_member(kernel);
    cx_lock(&given->lock);
    struct cx_args *args = given->args;
    atomic_fetch_add_explicit(&args->holders, CX_ARGS_OWNER, memory_order_relaxed);
    cx_unlock(&given->lock);
    const cl_ulong answer = first < members_of(kernel) ? ask_local(kernel, first, args) : 0;
    cx_args_drop(&args);
    return answer;
}

/* The fastest member's; 1 where no driver tells. */
static size_t preferred_multiple(const struct cx_kernel *kernel)
{
    for (unsigned k = 0; k < members_of(kernel); k++) {
        const struct cx_real_device *device;
        cl_kernel check = check_at(kernel, k, &device);
        size_t multiple = 0;
        if (check &&
            !device->cl->clGetKernelWorkGroupInfo(check, device->id,
                                                  CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                                  sizeof(multiple), &multiple, NULL) &&
            multiple)
            return multiple;
    }
    return 1;
}

/* Only custom devices and built-in kernels have a largest global size. */
static cl_int largest_launch(const struct cx_kernel *kernel, size_t room, void *value, size_t *size_ret)
{
    for (unsigned k = 0; kernel->program->origin.builtins && k < members_of(kernel); k++) {
        const struct cx_real_device *device;
        cl_kernel check = check_at(kernel, k, &device);
        if (check && !device->cl->clGetKernelWorkGroupInfo(check, device->id, CL_KERNEL_GLOBAL_WORK_SIZE,
                                                           room, value, size_ret))
            return CL_SUCCESS;
    }
    return CL_INVALID_VALUE;
}

/* What stands for the kernel on this device (NULL: its only one); NULL: it is not for that. */
static struct cx_kernel *kernel_on(struct cx_kernel *kernel, cl_device_id device)
{
    const struct cx_program *program = kernel->whole;
    const struct cx_device *of = device ? cx_device_from(device) : program->division.devices[0];

    if ((!device && program->division.ndevices > 1) ||
        cx_program_device(program, of) == program->division.ndevices)
        return NULL;
    return cx_kernel_on(kernel, of);
}

static cl_int group_info(const struct cx_kernel *kernel, struct cx_kernel *given,
                         cl_kernel_work_group_info param, size_t room, void *value, size_t *size_ret)
{
    switch (param) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        return CX_INFO(size_t, group_size(kernel), room, value, size_ret);
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return cx_object_info_bytes(kernel->function->required, sizeof(kernel->function->required), room,
                                    value, size_ret);
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return CX_INFO(size_t, preferred_multiple(kernel), room, value, size_ret);
    case CL_KERNEL_LOCAL_MEM_SIZE:
        return CX_INFO(cl_ulong, local_size(kernel, given), room, value, size_ret);
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        return CX_INFO(cl_ulong, private_size(kernel), room, value, size_ret);
    case CL_KERNEL_GLOBAL_WORK_SIZE:
        return largest_launch(kernel, room, value, size_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int cx_clGetKernelWorkGroupInfo(cl_kernel handle, cl_device_id device,
                                   cl_kernel_work_group_info param_name, size_t param_value_size,
                                   void *param_value, size_t *param_value_size_ret)
{
    struct cx_kernel *given = cx_kernel_from(handle), *kernel;
    if (!given)
        return CX_FAIL(CL_INVALID_KERNEL, "not a kernel");
    if (!(kernel = kernel_on(given, device)))
        return CX_FAIL(CL_INVALID_DEVICE, "not a device of the kernel, or none while it has several");
    cl_int error = group_info(kernel, given, param_name, param_value_size, param_value, param_value_size_ret);
    return error == CL_SUCCESS ? error : CX_FAIL(error, "unknown query or too little room");
}

/* The answer of the first member, in order of preference, that runs the kernel. */
cl_int cx_clGetKernelSubGroupInfo(cl_kernel handle, cl_device_id device, cl_kernel_sub_group_info param_name,
                                  size_t input_value_size, const void *input_value, size_t param_value_size,
                                  void *param_value, size_t *param_value_size_ret)
{
    struct cx_kernel *kernel = cx_kernel_from(handle);
    const struct cx_real_device *real = NULL;
    cl_kernel check = NULL;

    if (!kernel)
        return CX_FAIL(CL_INVALID_KERNEL, "not a kernel");
    if (!(kernel = kernel_on(kernel, device)))
        return CX_FAIL(CL_INVALID_DEVICE, "not a device of the kernel, or none while it has several");
    for (unsigned k = 0; k < members_of(kernel) && !check; k++)
        check = check_at(kernel, k, &real);
    cl_int error = CL_INVALID_OPERATION;
    if (check && real->cl->clGetKernelSubGroupInfo)
        error = real->cl->clGetKernelSubGroupInfo(check, real->id, param_name, input_value_size, input_value,
                                                  param_value_size, param_value, param_value_size_ret);
    else if (check && real->cl->clGetKernelSubGroupInfoKHR)
        error =
            real->cl->clGetKernelSubGroupInfoKHR(check, real->id, param_name, input_value_size, input_value,
                                                 param_value_size, param_value, param_value_size_ret);
    return error == CL_SUCCESS ? error : CX_FAIL(error, "no sub-groups, or a wrong query");
}

size_t cx_kernel_group_most(const struct cx_kernel *kernel, unsigned member)
{
    if (cx_build_deferred_on(kernel->program, member) && !cx_kernel_runs_on(kernel, member))
        return kernel->program->context->workers[member].device->limits.max_group_size;
    return cx_kernel_group_limit(kernel, member);
}

size_t cx_kernel_group_limit(const struct cx_kernel *kernel, unsigned member)
{
    size_t least = 0;

    if (member != CX_ALL_MEMBERS)
        return cx_kernel_runs_on(kernel, member) ? kernel->function->group_limit[member] : 0;
    for (unsigned m = 0; m < members_of(kernel); m++) {
        size_t limit = cx_kernel_group_most(kernel, m);
        if (limit && (!least || limit < least))
            least = limit;
    }
    return least;
}

void cx_kernel_required_size(const struct cx_kernel *kernel, size_t size[3])
{
    memcpy(size, kernel->function->required, sizeof(kernel->function->required));
}

/* Asks the driver with a kernel made for that; 0 when it makes none. */
static size_t ask_limit(const struct cx_kernel *kernel, unsigned member, enum cx_variant variant)
{
    const struct cx_real_device *device = kernel->program->context->workers[member].device;
    cl_kernel real = make_real(kernel, member, variant);
    size_t limit = 0;

    if (!real)
        return 0;
    if (device->cl->clGetKernelWorkGroupInfo(real, device->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof(limit),
                                             &limit, NULL))
        limit = 0;
    device->cl->clReleaseKernel(real);
    return limit;
}

size_t cx_kernel_variant_limit(const struct cx_kernel *kernel, unsigned member, enum cx_variant variant)
{
    struct cx_function *function = kernel->function;

    if (variant == CX_VARIANT_PLAIN || !cx_kernel_variant_ready(kernel, member, variant))
        return cx_kernel_group_limit(kernel, member);
    cx_lock(&function->lock);
    size_t *limit = &function->variant_limit[(size_t)member * CX_VARIANT_COUNT + variant];
    if (!*limit)
        *limit = ask_limit(kernel, member, variant);
    size_t answer = *limit;
    cx_unlock(&function->lock);
    return answer;
}
