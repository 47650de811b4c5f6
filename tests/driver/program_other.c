/* SPDX-License-Identifier: MIT */
/*
 * Stub driver: programs that are no source. All of them are: a binary is "stub:" and then source, a program
 * in the intermediate language SPIR-V's magic number and then source, built-in kernels those of kernels.c.
 */
#include "calls.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *stub_offer(const char *name, const struct stub_device *device, char *room, size_t size)
{
    const char *word = stub_config_word(name, device->index, "", room, size);
    return strcmp(word, "none") == 0 ? "" : word;
}

static cl_program give(struct stub_context *context, char *source, cl_int code, cl_int *error)
{
    struct stub_program *program = NULL;
    if (!code)
        program = stub_program_new(context, source, &code);
    if (error)
        *error = code;
    return (cl_program)program;
}

CL_API_ENTRY cl_program CL_API_CALL stub_clCreateProgramWithBinary(cl_context handle, cl_uint count,
                                                                   const cl_device_id *devices,
                                                                   const size_t *lengths,
                                                                   const unsigned char **binaries,
                                                                   cl_int *status, cl_int *error)
{
    struct stub_fault fault = stub_call("clCreateProgramWithBinary", "c%u count=%u", stub_id(handle), count);
    struct stub_context *context = STUB_OF(context, handle, STUB_CONTEXT);
    cl_int code = fault.code ? fault.code : context ? CL_SUCCESS : CL_INVALID_CONTEXT;
    char *source = NULL;
    if (!code && (count != 1 || !devices || !lengths || !binaries))
        code = CL_INVALID_VALUE;
    if (!code && (lengths[0] < 5 || memcmp(binaries[0], "stub:", 5) != 0))
        code = CL_INVALID_BINARY;
    if (!code)
        source = strndup((const char *)binaries[0] + 5, lengths[0] - 5);
    if (status)
        *status = code;
    return give(context, source, code, error);
}

CL_API_ENTRY cl_program CL_API_CALL stub_clCreateProgramWithIL(cl_context handle, const void *il,
                                                               size_t length, cl_int *error)
{
    struct stub_fault fault = stub_call("clCreateProgramWithIL", "c%u length=%zu", stub_id(handle), length);
    struct stub_context *context = STUB_OF(context, handle, STUB_CONTEXT);
    cl_int code = fault.code ? fault.code : context ? CL_SUCCESS : CL_INVALID_CONTEXT;
    char *source = NULL, room[64];
    if (!code && !*stub_offer("STUB_IL", context->devices[0], room, sizeof(room)))
        code = CL_INVALID_OPERATION;
    if (!code && (!il || length < 4 || memcmp(il, "\x03\x02\x23\x07", 4) != 0))
        code = CL_INVALID_VALUE;
    if (!code)
        source = strndup((const char *)il + 4, length - 4);
    return give(context, source, code, error);
}

/* Constants 1 to 3 are there, four bytes each. */
CL_API_ENTRY cl_int CL_API_CALL stub_clSetProgramSpecializationConstant(cl_program handle, cl_uint id,
                                                                        size_t size, const void *value)
{
    int number = 0;
    if (value && size == sizeof(number))
        memcpy(&number, value, sizeof(number));
    struct stub_fault fault =
        stub_call("clSetProgramSpecializationConstant", "p%u id=%u value=%d", stub_id(handle), id, number);
    if (fault.code || !stub_object_of(handle, STUB_PROGRAM))
        return fault.code ? fault.code : CL_INVALID_PROGRAM;
    if (id < 1 || id > 3)
        return CL_INVALID_SPEC_ID;
    return value && size == sizeof(number) ? CL_SUCCESS : CL_INVALID_VALUE;
}

static bool has_word(const char *list, const char *word, size_t length)
{
    for (; *list; list += strspn(list, ";")) {
        size_t own = strcspn(list, ";");
        if (own == length && memcmp(list, word, length) == 0)
            return true;
        list += own;
    }
    return false;
}

CL_API_ENTRY cl_program CL_API_CALL stub_clCreateProgramWithBuiltInKernels(cl_context handle, cl_uint count,
                                                                           const cl_device_id *devices,
                                                                           const char *names, cl_int *error)
{
    struct stub_fault fault =
        stub_call("clCreateProgramWithBuiltInKernels", "c%u %s", stub_id(handle), names);
    struct stub_context *context = STUB_OF(context, handle, STUB_CONTEXT);
    cl_int code = fault.code ? fault.code : context ? CL_SUCCESS : CL_INVALID_CONTEXT;
    char room[256], text[2048] = "";
    if (!code && (count != 1 || !devices || !names))
        code = CL_INVALID_VALUE;
    for (const char *name = names; !code && *name; name += strspn(name, ";")) {
        size_t length = strcspn(name, ";"), used = strlen(text);
        if (!has_word(stub_offer("STUB_BUILTINS", context->devices[0], room, sizeof(room)), name, length))
            code = CL_INVALID_VALUE;
        snprintf(text + used, sizeof(text) - used, "kernel void %.*s\n", (int)length, name);
        name += length;
    }
    cl_program made = give(context, code ? NULL : strdup(text), code, error);
    struct stub_program *program = (struct stub_program *)made;
    if (program) {
        program->made_ready = true;
        program->status = stub_program_compile(program) ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
    }
    return made;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clGetKernelSubGroupInfo(cl_kernel handle, cl_device_id device_handle,
                                                             cl_kernel_sub_group_info what, size_t input_size,
                                                             const void *input, size_t room, void *value,
                                                             size_t *size_ret)
{
    char word[16];
    const struct stub_device *device = STUB_OF(device, device_handle, STUB_DEVICE);
    (void)input_size, (void)input;
    if (!stub_object_of(handle, STUB_KERNEL))
        return CL_INVALID_KERNEL;
    size_t size = device ? strtoul(stub_offer("STUB_SUB_GROUP", device, word, sizeof(word)), NULL, 10) : 0;
    if (!size)
        return CL_INVALID_OPERATION;
    return what == CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE ? STUB_INFO(size_t, size) : CL_INVALID_VALUE;
}
