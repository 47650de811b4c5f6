/* SPDX-License-Identifier: MIT */
/*
 * Queries of programs: clGetProgramInfo and clGetProgramBuildInfo. For each virtual device the answer is
 * about its unit (program_unit.c), and among that unit's members only about its own.
 */
#include "layer/object/device.h"
#include "layer/base/entry.h"
#include "layer/base/log.h"
#include "layer/base/split_policy.h"
#include "layer/program/program.h"
#include "layer/program/build_deferred.h"
#include "layer/program/program_binary.h"
#include "layer/program/program_il.h"
#include "layer/program/program_info.h"
#include "layer/program/program_unit.h"
#include "layer/timeline/worker.h"

#include <stdlib.h>
#include <string.h>

char *cx_program_kernels(struct cx_program *program, size_t *count, cl_int *error)
{
    char *joined = NULL;

    *error = CL_INVALID_PROGRAM_EXECUTABLE;
    *count = 0;
    cx_lock(&program->division.lock);
    for (unsigned d = 0; d < program->division.ndevices; d++) {
        struct cx_program *unit = program->division.units[d];
        if (!cx_program_first(program, d))
            continue;
        cx_lock(&unit->lock);
        if (!unit->build.running && unit->build.status == CL_BUILD_SUCCESS && unit->kernels.names) {
            joined = cx_program_il_join_names(joined ? joined : strdup(""), strdup(unit->kernels.names));
            *error = joined ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
        }
        cx_unlock(&unit->lock);
    }
    cx_unlock(&program->division.lock);
    for (const char *name = joined; name && *name; name += strspn(name, ";")) {
        ++*count;
        name += strcspn(name, ";");
    }
    return joined;
}

/* Number and names of the kernels, for a program whose last build made an executable for a device. */
static cl_int info_kernels(struct cx_program *program, cl_program_info param, size_t room, void *value,
                           size_t *size_ret)
{
    cl_int error;
    size_t count;
    char *names = cx_program_kernels(program, &count, &error);

    if (error == CL_SUCCESS)
        error = param == CL_PROGRAM_NUM_KERNELS ? CX_INFO(size_t, count, room, value, size_ret)
                                                : cx_object_info_string(names, room, value, size_ret);
    free(names);
    return error;
}

static void take_binary(void *data, const void *binary, size_t size)
{
    memcpy(data, binary, size);
}

/* The size of the d-th device's binary, which goes to `to` (NULL: nowhere). */
static size_t device_binary(struct cx_program *program, unsigned d, unsigned char *to)
{
    struct cx_program *unit = cx_program_unit(program, d);
    size_t size = 0;

    if (unit->origin.stored || cx_program_serves(unit, program->division.devices[d]))
        size = cx_program_binary_give(unit, to ? take_binary : NULL, to);
    cx_program_unref(&unit);
    return size;
}

/* One for each of the program's devices; a NULL in the program's array leaves one out. */
static cl_int info_binaries(struct cx_program *program, size_t room, void *value, size_t *size_ret)
{
    unsigned char **to = value;
    const size_t size = program->division.ndevices * sizeof(*to);
    if (to && room < size)
        return CL_INVALID_VALUE;
    for (unsigned d = 0; to && d < program->division.ndevices; d++)
        if (to[d])
            device_binary(program, d, to[d]);
    if (size_ret)
        *size_ret = size;
    return CL_SUCCESS;
}

static cl_int info_binary_sizes(struct cx_program *program, size_t room, void *value, size_t *size_ret)
{
    size_t *sizes = value;
    if (sizes && room < program->division.ndevices * sizeof(*sizes))
        return CL_INVALID_VALUE;
    for (unsigned d = 0; sizes && d < program->division.ndevices; d++)
        sizes[d] = device_binary(program, d, NULL);
    if (size_ret)
        *size_ret = program->division.ndevices * sizeof(*sizes);
    return CL_SUCCESS;
}

/* Whether a member's build says yes. Source has neither constructors nor destructors. */
static cl_bool unit_says(struct cx_program *unit, cl_program_info param)
{
    cl_bool any = CL_FALSE;
    cx_lock(&unit->lock);
    for (unsigned m = 0; unit->origin.il && !unit->build.running && m < unit->context->nmembers; m++) {
        const struct cx_real_device *device = unit->context->workers[m].device;
        cl_bool answer = CL_FALSE;
        if (cx_program_runs_on(unit, m) &&
            !device->cl->clGetProgramInfo(unit->members[m].real[CX_VARIANT_PLAIN], param, sizeof(answer),
                                          &answer, NULL) &&
            answer)
            any = CL_TRUE;
    }
    cx_unlock(&unit->lock);
    return any;
}

static cl_bool any_says(struct cx_program *program, cl_program_info param)
{
    cl_bool any = CL_FALSE;
    for (unsigned d = 0; d < program->division.ndevices && !any; d++) {
        struct cx_program *unit = cx_program_unit(program, d);
        any = unit_says(unit, param);
        cx_program_unref(&unit);
    }
    return any;
}

static cl_int info_il(const struct cx_program *program, size_t room, void *value, size_t *size_ret)
{
    size_t size = 0;
    const void *text = program->origin.il ? cx_program_il_text(program->origin.il, &size) : NULL;

    return cx_object_info_bytes(text, size, room, value, size_ret);
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
        return CX_INFO(cl_uint, program->division.ndevices, room, value, size_ret);
    case CL_PROGRAM_DEVICES:
        return cx_object_info_bytes(program->division.devices,
                                    program->division.ndevices * sizeof(cl_device_id), room, value, size_ret);
    case CL_PROGRAM_SOURCE:
        return cx_object_info_string(program->origin.source ? program->origin.source : "", room, value,
                                     size_ret);
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

/* One device of a program, and its unit. */
struct built {
    const struct cx_program *unit;
    const struct cx_device *device;
    uint64_t members; /* the device's, as bits */
};

/* The log of member m's build; NULL: none, it is not the device's, or the build was left for later, when the
 * program had its answer. */
static const char *log_of(const struct built *built, unsigned m)
{
    const struct cx_program_member *member = &built->unit->members[m];
    return built->members >> m & 1 && member->log_shown ? member->log : NULL;
}

/* The members' logs as one; free() it. NULL: no memory. The caller holds the lock. */
static char *join_logs(const struct built *built)
{
    const struct cx_context *context = built->unit->context;
    const char *only = "";
    unsigned count = 0;
    size_t size = 1;

    for (unsigned m = 0; m < context->nmembers; m++) {
        const char *log = log_of(built, m);
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
        const char *log = log_of(built, m);
        if (!log)
            continue;
        end = stpcpy(stpcpy(end, context->workers[m].device->name), ":\n");
        end = stpcpy(end, log);
        if (end[-1] != '\n')
            end = stpcpy(end, "\n");
    }
    return joined;
}

static cl_int info_log(const struct built *built, size_t room, void *value, size_t *size_ret)
{
    if (built->unit->build.running) /* the members write their logs now */
        return cx_object_info_string("", room, value, size_ret);
    char *log = join_logs(built);
    if (!log)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int error = cx_object_info_string(log, room, value, size_ret);
    free(log);
    return error;
}

/* Bytes of program-scope variables: the most that any of the device's members needs. */
static size_t variable_bytes(const struct built *built)
{
    const struct cx_program *unit = built->unit;
    size_t most = 0;

    for (unsigned m = 0; m < unit->context->nmembers; m++) {
        const struct cx_real_device *device = unit->context->workers[m].device;
        size_t bytes = 0;
        if (built->members >> m & 1 && cx_program_runs_on(unit, m) &&
            !device->cl->clGetProgramBuildInfo(unit->members[m].real[CX_VARIANT_PLAIN], device->id,
                                               CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof(bytes),
                                               &bytes, NULL) &&
            bytes > most)
            most = bytes;
    }
    return most;
}

/* The unit's, but a device none of whose members built it has failed. */
static cl_build_status status_of(const struct built *built)
{
    const bool failed = built->unit->build.status == CL_BUILD_SUCCESS && built->members &&
                        !cx_program_serves(built->unit, built->device);
    return failed ? CL_BUILD_ERROR : built->unit->build.status;
}

static cl_program_binary_type type_of(const struct built *built)
{
    return built->unit->build.running || status_of(built) == CL_BUILD_ERROR /* a build owns what it makes */
               ? CL_PROGRAM_BINARY_TYPE_NONE
               : built->unit->build.binary_type;
}

static cl_int build_info(const struct built *built, cl_program_build_info param, size_t room, void *value,
                         size_t *size_ret)
{
    switch (param) {
    case CL_PROGRAM_BUILD_STATUS:
        return CX_INFO(cl_build_status, status_of(built), room, value, size_ret);
    case CL_PROGRAM_BUILD_OPTIONS:
        return cx_object_info_string(built->unit->build.options, room, value, size_ret);
    case CL_PROGRAM_BUILD_LOG:
        return info_log(built, room, value, size_ret);
    case CL_PROGRAM_BINARY_TYPE:
        return CX_INFO(cl_program_binary_type, type_of(built), room, value, size_ret);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        return CX_INFO(size_t, built->unit->build.running ? 0 : variable_bytes(built), room, value, size_ret);
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
    const unsigned d = cx_program_device(program, cx_device_from(device));
    if (d == program->division.ndevices)
        return CX_FAIL(CL_INVALID_DEVICE, "not a device of the program");
    struct cx_program *unit = cx_program_unit(program, d);
    const struct built built = {unit, program->division.devices[d],
                                cx_context_members(program->context, program->division.devices[d])};
    if (param_name == CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE && !cx_split_policy_bounded())
        cx_build_deferred_wait(unit, ~0u); /* the most that any needs */
    cx_lock(&unit->lock);
    cl_int error = build_info(&built, param_name, param_value_size, param_value, param_value_size_ret);
    cx_unlock(&unit->lock);
    cx_program_unref(&unit);
    return error == CL_SUCCESS ? error : CX_FAIL(error, "unknown query or too little room");
}
