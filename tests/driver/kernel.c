/* SPDX-License-Identifier: MIT */
/* Stub driver: kernel objects, their arguments and queries. What the kernels do stands in kernels.c. */
#include "calls.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void kernel_destroy(struct stub_object *object)
{
    struct stub_kernel *kernel = (struct stub_kernel *)object;
    stub_object_unref(&kernel->program->base);
    free(kernel);
}

static struct stub_kernel *kernel_new(struct stub_program *program, const struct stub_function *function)
{
    struct stub_kernel *kernel = calloc(1, sizeof(*kernel));
    if (!kernel)
        return NULL;
    stub_object_init(&kernel->base, STUB_KERNEL, stub_new_id(STUB_KERNEL), kernel_destroy);
    stub_object_ref(&program->base);
    kernel->program = program;
    kernel->function = function;
    return kernel;
}

CL_API_ENTRY cl_kernel CL_API_CALL stub_clCreateKernel(cl_program handle, const char *name, cl_int *error)
{
    struct stub_fault fault = stub_call("clCreateKernel", "p%u name=%s", stub_id(handle), name ? name : "");
    struct stub_program *program = STUB_OF(program, handle, STUB_PROGRAM);
    const struct stub_function *function = NULL;
    struct stub_kernel *kernel = NULL;
    cl_int code = fault.code ? fault.code : program ? CL_SUCCESS : CL_INVALID_PROGRAM;
    if (!code && !name)
        code = CL_INVALID_VALUE;
    if (!code && program->status != CL_BUILD_SUCCESS)
        code = CL_INVALID_PROGRAM_EXECUTABLE;
    for (unsigned i = 0; !code && i < program->nfunctions; i++) {
        if (strcmp(stub_function_name(program->functions[i]), name) == 0)
            function = program->functions[i];
    }
    if (!code && !function)
        code = CL_INVALID_KERNEL_NAME;
    if (!code && !(kernel = kernel_new(program, function)))
        code = CL_OUT_OF_HOST_MEMORY;
    if (error)
        *error = code;
    return (cl_kernel)kernel;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clCreateKernelsInProgram(cl_program handle, cl_uint room,
                                                              cl_kernel *kernels, cl_uint *count)
{
    struct stub_fault fault = stub_call("clCreateKernelsInProgram", "p%u room=%u", stub_id(handle), room);
    struct stub_program *program = STUB_OF(program, handle, STUB_PROGRAM);
    if (fault.code || !program)
        return fault.code ? fault.code : CL_INVALID_PROGRAM;
    if (program->status != CL_BUILD_SUCCESS)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    if (kernels && room < program->nfunctions)
        return CL_INVALID_VALUE;
    for (unsigned i = 0; kernels && i < program->nfunctions; i++) {
        kernels[i] = (cl_kernel)kernel_new(program, program->functions[i]);
        if (!kernels[i])
            return CL_OUT_OF_HOST_MEMORY;
    }
    if (count)
        *count = program->nfunctions;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clRetainKernel(cl_kernel handle)
{
    struct stub_fault fault = stub_call("clRetainKernel", "k%u", stub_id(handle));
    struct stub_kernel *kernel = STUB_OF(kernel, handle, STUB_KERNEL);
    if (fault.code || !kernel)
        return fault.code ? fault.code : CL_INVALID_KERNEL;
    stub_object_ref(&kernel->base);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clReleaseKernel(cl_kernel handle)
{
    struct stub_fault fault = stub_call("clReleaseKernel", "k%u", stub_id(handle));
    struct stub_kernel *kernel = STUB_OF(kernel, handle, STUB_KERNEL);
    if (fault.code || !kernel)
        return fault.code ? fault.code : CL_INVALID_KERNEL;
    stub_object_unref(&kernel->base);
    return CL_SUCCESS;
}

static cl_int set_buffer(struct stub_arg *arg, size_t size, const void *value)
{
    cl_mem mem = value ? *(const cl_mem *)value : NULL;
    if (size != sizeof(cl_mem))
        return CL_INVALID_ARG_SIZE;
    if (mem && !stub_object_of(mem, STUB_MEM))
        return CL_INVALID_MEM_OBJECT;
    arg->mem = STUB_OF(mem, mem, STUB_MEM);
    return CL_SUCCESS;
}

static cl_int set_arg(struct stub_arg *arg, char kind, size_t size, const void *value)
{
    cl_int code = CL_SUCCESS;
    if (kind == 'b') {
        code = set_buffer(arg, size, value);
    } else if (kind == 'l') {
        code = value ? CL_INVALID_ARG_VALUE : size == 0 ? CL_INVALID_ARG_SIZE : CL_SUCCESS;
    } else {
        const size_t want = kind == 'u' ? sizeof(cl_ulong) : sizeof(cl_int);
        code = size != want ? CL_INVALID_ARG_SIZE : value ? CL_SUCCESS : CL_INVALID_ARG_VALUE;
        if (!code)
            memcpy(arg->value, value, size);
    }
    if (!code) {
        arg->set = true;
        arg->size = size;
    }
    return code;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clSetKernelArg(cl_kernel handle, cl_uint index, size_t size,
                                                    const void *value)
{
    struct stub_kernel *kernel = STUB_OF(kernel, handle, STUB_KERNEL);
    bool known = kernel && index < stub_function_nargs(kernel->function);
    char kind = known ? stub_function_arg(kernel->function, index) : '?', text[24] = "";
    if (kind == 'b' && size == sizeof(cl_mem) && value)
        snprintf(text, sizeof(text), " b%u", stub_id(*(void *const *)value));
    else if (kind == 'i' && size == sizeof(cl_int) && value)
        snprintf(text, sizeof(text), " %d", *(const cl_int *)value);
    struct stub_fault fault =
        stub_call("clSetKernelArg", "k%u index=%u size=%zu%s", stub_id(handle), index, size, text);
    if (fault.code || !kernel)
        return fault.code ? fault.code : CL_INVALID_KERNEL;
    return known ? set_arg(&kernel->args[index], kind, size, value) : CL_INVALID_ARG_INDEX;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clGetKernelInfo(cl_kernel handle, cl_kernel_info what, size_t room,
                                                     void *value, size_t *size_ret)
{
    struct stub_kernel *kernel = STUB_OF(kernel, handle, STUB_KERNEL);
    if (!kernel)
        return CL_INVALID_KERNEL;
    switch (what) {
    case CL_KERNEL_FUNCTION_NAME:
        return STUB_TEXT(stub_function_name(kernel->function));
    case CL_KERNEL_NUM_ARGS:
        return STUB_INFO(cl_uint, stub_function_nargs(kernel->function));
    case CL_KERNEL_REFERENCE_COUNT:
        return STUB_INFO(cl_uint, atomic_load(&kernel->base.refs));
    case CL_KERNEL_CONTEXT:
        return STUB_INFO(cl_context, (cl_context)kernel->program->context);
    case CL_KERNEL_PROGRAM:
        return STUB_INFO(cl_program, (cl_program)kernel->program);
    case CL_KERNEL_ATTRIBUTES:
        return STUB_TEXT("");
    default:
        return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL stub_clGetKernelArgInfo(cl_kernel handle, cl_uint index,
                                                        cl_kernel_arg_info what, size_t room, void *value,
                                                        size_t *size_ret)
{
    struct stub_kernel *kernel = STUB_OF(kernel, handle, STUB_KERNEL);
    char name[16];
    if (!kernel)
        return CL_INVALID_KERNEL;
    if (!strcmp(stub_config_text("STUB_ARG_INFO", "1"), "0"))
        return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    if (index >= stub_function_nargs(kernel->function))
        return CL_INVALID_ARG_INDEX;
    char kind = stub_function_arg(kernel->function, index);
    snprintf(name, sizeof(name), "arg%u", index);
    switch (what) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        return STUB_INFO(cl_kernel_arg_address_qualifier, kind == 'b'   ? CL_KERNEL_ARG_ADDRESS_GLOBAL
                                                          : kind == 'l' ? CL_KERNEL_ARG_ADDRESS_LOCAL
                                                                        : CL_KERNEL_ARG_ADDRESS_PRIVATE);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        return STUB_INFO(cl_kernel_arg_access_qualifier, CL_KERNEL_ARG_ACCESS_NONE);
    case CL_KERNEL_ARG_TYPE_NAME:
        return STUB_TEXT(kind == 'i' ? "int" : "int*");
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        return STUB_INFO(cl_kernel_arg_type_qualifier, CL_KERNEL_ARG_TYPE_NONE);
    case CL_KERNEL_ARG_NAME:
        return STUB_TEXT(name);
    default:
        return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL stub_clGetKernelWorkGroupInfo(cl_kernel handle, cl_device_id device_handle,
                                                              cl_kernel_work_group_info what, size_t room,
                                                              void *value, size_t *size_ret)
{
    struct stub_kernel *kernel = STUB_OF(kernel, handle, STUB_KERNEL);
    struct stub_device *device = STUB_OF(device, device_handle, STUB_DEVICE);
    if (!kernel)
        return CL_INVALID_KERNEL;
    if (!device && device_handle)
        return CL_INVALID_DEVICE;
    if (!device)
        device = kernel->program->context->devices[0];
    switch (what) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        return STUB_INFO(size_t, kernel->program->splits ? device->split_group : device->kernel_group);
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return stub_info((size_t[]){0, 0, 0}, 3 * sizeof(size_t), room, value, size_ret);
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return STUB_INFO(size_t, (size_t)stub_config_number("STUB_MULTIPLE", device->index, 1));
    case CL_KERNEL_LOCAL_MEM_SIZE:
        return STUB_INFO(cl_ulong, (cl_ulong)stub_config_number("STUB_LOCAL", device->index, 0));
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        return STUB_INFO(cl_ulong, (cl_ulong)stub_config_number("STUB_PRIVATE", device->index, 0));
    default:
        return CL_INVALID_VALUE;
    }
}
