/* SPDX-License-Identifier: MIT */
/*
 * What a program tells about itself: clGetProgramInfo and clGetProgramBuildInfo. The answers speak of one
 * device, the virtual one.
 */
#include "layer/device.h"
#include "layer/entry.h"
#include "layer/log.h"
#include "layer/program.h"
#include "layer/worker.h"

#include <stdlib.h>
#include <string.h>

/* Number and names of the kernels, for a program whose last build made an executable. */
static cl_int info_kernels(struct cx_program *program, cl_program_info param, size_t room, void *value,
                           size_t *size_ret)
{
    cl_int error = CL_INVALID_PROGRAM_EXECUTABLE;

    pthread_mutex_lock(&program->lock);
    if (!program->building && program->status == CL_BUILD_SUCCESS && program->kernel_names)
        error = param == CL_PROGRAM_NUM_KERNELS
                    ? CX_INFO(size_t, program->nfunctions, room, value, size_ret)
                    : cx_info_string(program->kernel_names, room, value, size_ret);
    pthread_mutex_unlock(&program->lock);
    return error;
}

struct takers {
    unsigned char **to;
    unsigned count;
};

static void take_binary(void *data, const void *binary, size_t size)
{
    const struct takers *takers = data;
    for (unsigned d = 0; d < takers->count; d++)
        if (takers->to[d])
            memcpy(takers->to[d], binary, size);
}

/* One binary for every device of the context, all alike; a NULL in the program's array leaves one out. */
static cl_int info_binaries(struct cx_program *program, size_t room, void *value, size_t *size_ret)
{
    struct takers takers = {value, program->context->ndevices};
    const size_t size = takers.count * sizeof(*takers.to);
    if (value && room < size)
        return CL_INVALID_VALUE;
    if (value)
        cx_program_binary(program, take_binary, &takers);
    if (size_ret)
        *size_ret = size;
    return CL_SUCCESS;
}

static cl_int info_binary_sizes(struct cx_program *program, size_t room, void *value, size_t *size_ret)
{
    const size_t count = program->context->ndevices;
    size_t bytes = 0;
    if (value && room < count * sizeof(bytes))
        return CL_INVALID_VALUE;
    if (value)
        bytes = cx_program_binary(program, NULL, NULL);
    for (size_t d = 0; value && d < count; d++)
        ((size_t *)value)[d] = bytes;
    if (size_ret)
        *size_ret = count * sizeof(bytes);
    return CL_SUCCESS;
}

/* Whether a member's build says yes. Source has neither constructors nor destructors. */
static cl_bool any_says(struct cx_program *program, cl_program_info param)
{
    cl_bool any = CL_FALSE;
    pthread_mutex_lock(&program->lock);
    for (unsigned m = 0; program->il && !program->building && m < program->context->nmembers; m++) {
        const struct cx_real_device *device = program->context->workers[m].device;
        cl_bool answer = CL_FALSE;
        if (cx_program_runs_on(program, m) &&
            !device->cl->clGetProgramInfo(program->members[m].real[CX_VARIANT_PLAIN], param, sizeof(answer),
                                          &answer, NULL) &&
            answer)
            any = CL_TRUE;
    }
    pthread_mutex_unlock(&program->lock);
    return any;
}

static cl_int info_il(const struct cx_program *program, size_t room, void *value, size_t *size_ret)
{
    size_t size = 0;
    const void *text = program->il ? cx_il_text(program->il, &size) : NULL;

    return cx_info_bytes(text, size, room, value, size_ret);
}

static cl_int program_info(struct cx_program *program, cl_program_info param, size_t room, void *value,
                           size_t *size_ret)
{
    switch (param) {
    case CL_PROGRAM_REFERENCE_COUNT:
        return CX_INFO(cl_uint, cx_object_app_refs(&program->base), room, value, size_ret);
    case CL_PROGRAM_CONTEXT:
        return CX_INFO(cl_context, (cl_context)program->context, room, value, size_ret);
    case CL_PROGRAM_NUM_DEVICES:
        return CX_INFO(cl_uint, program->context->ndevices, room, value, size_ret);
    case CL_PROGRAM_DEVICES:
        return cx_info_bytes(program->context->devices, program->context->ndevices * sizeof(cl_device_id),
                             room, value, size_ret);
    case CL_PROGRAM_SOURCE:
        return cx_info_string(program->source ? program->source : "", room, value, size_ret);
    case CL_PROGRAM_BINARY_SIZES:
        return info_binary_sizes(program, room, value, size_ret);
    case CL_PROGRAM_BINARIES:
        return info_binaries(program, room, value, size_ret);
    case CL_PROGRAM_NUM_KERNELS:
    case CL_PROGRAM_KERNEL_NAMES:
        return info_kernels(program, param, room, value, size_ret);
    case CL_PROGRAM_IL:
        return info_il(program, room, value, size_ret);
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        return CX_INFO(cl_bool, any_says(program, param), room, value, size_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int cx_clGetProgramInfo(cl_program handle, cl_program_info param_name, size_t param_value_size,
                           void *param_value, size_t *param_value_size_ret)
{
    struct cx_program *program = cx_program_from(handle);
    if (!program)
        return CX_FAIL(CL_INVALID_PROGRAM, "not a program");
    cl_int error = program_info(program, param_name, param_value_size, param_value, param_value_size_ret);
    return error == CL_SUCCESS ? error : CX_FAIL(error, "unknown query, too little room, or not built");
}

/* The log of member m's build; NULL: none, or the build was left for later, when the program had its answer.
 */
static const char *log_of(const struct cx_program *program, unsigned m)
{
    return program->members[m].told ? program->members[m].log : NULL;
}

/* The members' logs as one; free() it. NULL: no memory. The caller holds the lock. */
static char *join_logs(const struct cx_program *program)
{
    const struct cx_context *context = program->context;
    const char *only = "";
    unsigned count = 0;
    size_t size = 1;

    for (unsigned m = 0; m < context->nmembers; m++) {
        const char *log = log_of(program, m);
        if (!log)
            continue;
        count++;
        only = log;
        size += strlen(context->workers[m].device->name) + strlen(log) + 3;
    }
    if (count < 2)
        return strdup(only);
    char *joined = malloc(size), *end = joined;
    for (unsigned m = 0; joined && m < context->nmembers; m++) {
        const char *log = log_of(program, m);
        if (!log)
            continue;
        end = stpcpy(stpcpy(end, context->workers[m].device->name), ":\n");
        end = stpcpy(end, log);
        if (end[-1] != '\n')
            end = stpcpy(end, "\n");
    }
    return joined;
}

static cl_int info_log(const struct cx_program *program, size_t room, void *value, size_t *size_ret)
{
    if (program->building) /* the members write their logs now */
        return cx_info_string("", room, value, size_ret);
    char *log = join_logs(program);
    if (!log)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int error = cx_info_string(log, room, value, size_ret);
    free(log);
    return error;
}

/* Bytes of program-scope variables: the most that any member needs. */
static size_t variable_bytes(const struct cx_program *program)
{
    size_t most = 0;

    for (unsigned m = 0; m < program->context->nmembers; m++) {
        const struct cx_real_device *device = program->context->workers[m].device;
        size_t bytes = 0;
        if (cx_program_runs_on(program, m) &&
            !device->cl->clGetProgramBuildInfo(program->members[m].real[CX_VARIANT_PLAIN], device->id,
                                               CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof(bytes),
                                               &bytes, NULL) &&
            bytes > most)
            most = bytes;
    }
    return most;
}

static cl_int build_info(const struct cx_program *program, cl_program_build_info param, size_t room,
                         void *value, size_t *size_ret)
{
    switch (param) {
    case CL_PROGRAM_BUILD_STATUS:
        return CX_INFO(cl_build_status, program->status, room, value, size_ret);
    case CL_PROGRAM_BUILD_OPTIONS:
        return cx_info_string(program->options, room, value, size_ret);
    case CL_PROGRAM_BUILD_LOG:
        return info_log(program, room, value, size_ret);
    case CL_PROGRAM_BINARY_TYPE:
        return CX_INFO(cl_program_binary_type,
                       program->building ? CL_PROGRAM_BINARY_TYPE_NONE : program->binary_type, room, value,
                       size_ret); /* a build owns what it makes */
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        return CX_INFO(size_t, program->building ? 0 : variable_bytes(program), room, value, size_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int cx_clGetProgramBuildInfo(cl_program handle, cl_device_id device, cl_program_build_info param_name,
                                size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    struct cx_program *program = cx_program_from(handle);
    if (!program)
        return CX_FAIL(CL_INVALID_PROGRAM, "not a program");
    const struct cx_device *of = cx_device_from(device);
    if (!of || !cx_context_has_device(program->context, of))
        return CX_FAIL(CL_INVALID_DEVICE, "not a device of the program");
    if (param_name == CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE)
        cx_program_late_wait(program, ~0u); /* the most that any needs */
    pthread_mutex_lock(&program->lock);
    cl_int error = build_info(program, param_name, param_value_size, param_value, param_value_size_ret);
    pthread_mutex_unlock(&program->lock);
    return error == CL_SUCCESS ? error : CX_FAIL(error, "unknown query or too little room");
}
