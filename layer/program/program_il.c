/* SPDX-License-Identifier: MIT */
/*
 * Programs in an intermediate language, their specialization constants, and programs of built-in kernels.
 *
 * Both are offered as far as the members have them: a member that lacks them takes no part in such a program.
 * There is no source to analyse, so their launches run whole. A driver judges the program when it is made (a
 * real program of the fastest member that takes such is kept for that, and for the constants' checks); each
 * build makes real programs anew and gives them the constants set so far.
 * Previous stage: device_info.c says what there is. Next: build.c.
 */
#include "layer/object/device.h"
#include "layer/base/entry.h"
#include "layer/base/log.h"
#include "layer/program/program.h"
#include "layer/program/build.h"
#include "layer/program/program_binary.h"
#include "layer/program/program_il.h"
#include "layer/program/program_unit.h"
#include "layer/timeline/worker.h"
#include "layer/base/lock.h"

#include <stdlib.h>
#include <string.h>

struct constant {
    struct constant *next;
    cl_uint id;
    size_t size;
    unsigned char value[8]; /* a boolean, integer or floating-point number of up to 64 bits */
};

struct cx_il {
    atomic_uint refs; /* the units of one program */
    size_t size;
    unsigned char *text;
    struct cx_lock lock;
    struct constant *constants; /* under the lock */
    unsigned judge;             /* the member whose driver judged it */
    cl_program checked;         /* that driver's program, never built */
};

/* ---- what the devices offer ---- */

/* The device's answer, free() it; NULL: none, or an empty one. */
static char *info_text(const struct cx_real_device *device, cl_device_info query)
{
    size_t size = 0;

    if (device->cl->clGetDeviceInfo(device->id, query, 0, NULL, &size) || size < 2)
        return NULL;
    char *text = calloc(1, size + 1);
    if (text && (device->cl->clGetDeviceInfo(device->id, query, size, text, NULL) || !*text)) {
        free(text);
        text = NULL;
    }
    return text;
}

static bool takes_il(const struct cx_real_device *device)
{
    char *versions = device->cl->clCreateProgramWithIL ? info_text(device, CL_DEVICE_IL_VERSION) : NULL;
    free(versions);
    return versions;
}

char *cx_program_il_device_versions(const struct cx_device *device)
{
    bool all = takes_il(device->fastest);

    for (unsigned m = 0; device->common && m < device->nmembers; m++)
        all = all && takes_il(device->members[m]);
    return all ? info_text(device->fastest, CL_DEVICE_IL_VERSION) : NULL;
}

/* Whether `name` is one of the names in the list, which ; separates. */
static bool has_name(const char *list, const char *name, size_t length)
{
    while (list && *list) {
        size_t own = strcspn(list, ";");
        if (own == length && !strncmp(list, name, length))
            return true;
        list += own + (list[own] == ';');
    }
    return false;
}

/* Whether all the names of one list are in the other. */
static bool has_names(const char *list, const char *names)
{
    for (;;) {
        size_t length = strcspn(names, ";");
        if (!length || !has_name(list, names, length))
            return false;
        if (!names[length])
            return true;
        names += length + 1;
    }
}

char *cx_program_il_join_names(char *list, char *more)
{
    char *joined = list && more ? calloc(1, strlen(list) + strlen(more) + 2) : NULL;
    char *end = joined ? stpcpy(joined, list) : NULL;

    for (const char *name = more; joined && *name; name += strspn(name, ";")) {
        size_t length = strcspn(name, ";");
        if (!has_name(joined, name, length)) {
            if (end != joined)
                *end++ = ';';
            end = mempcpy(end, name, length);
            *end = 0;
        }
        name += length;
    }
    free(list);
    free(more);
    return joined;
}

/* Keeps the names that the other list has as well. */
static void keep_common(char *list, const char *other)
{
    char *to = list;

    for (const char *name = list; *name;) {
        size_t length = strcspn(name, ";");
        const char *next = name + length + (name[length] == ';');
        if (has_name(other, name, length)) {
            if (to != list)
                *to++ = ';';
            memmove(to, name, length);
            to += length;
        }
        name = next;
    }
    *to = 0;
}

char *cx_program_il_device_builtins(const struct cx_device *device)
{
    char *list = NULL;

    for (unsigned m = 0; m < device->nmembers; m++) {
        const struct cx_real_device *member = device->members[m];
        char *own = member->cl->clCreateProgramWithBuiltInKernels
                        ? info_text(member, CL_DEVICE_BUILT_IN_KERNELS)
                        : NULL;
        if (m && device->common) {
            if (list)
                keep_common(list, own ? own : "");
            free(own);
        } else if (list && own) {
            list = cx_program_il_join_names(list, own);
        } else if (own) {
            list = own;
        }
    }
    return list;
}

/* ---- intermediate languages ---- */

struct cx_il *cx_program_il_ref(struct cx_il *il)
{
    atomic_fetch_add_explicit(&il->refs, 1, memory_order_relaxed);
    return il;
}

void cx_program_il_unref(struct cx_il **il, const struct cx_context *context)
{
    struct cx_il *old = *il;

    *il = NULL;
    if (!old || atomic_fetch_sub_explicit(&old->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (struct constant *c = old->constants; c;) {
        struct constant *next = c->next;
        free(c);
        c = next;
    }
    if (old->checked)
        context->workers[old->judge].device->cl->clReleaseProgram(old->checked);
    cx_lock_finish(&old->lock);
    free(old->text);
    free(old);
}

const void *cx_program_il_text(const struct cx_il *il, size_t *size)
{
    *size = il->size;
    return il->text;
}

static cl_program create_real(const struct cx_program *program, unsigned member, cl_int *error)
{
    const struct cx_worker *worker = &program->context->workers[member];

    *error = CL_INVALID_OPERATION;
    if (!takes_il(worker->device))
        return NULL;
    return worker->device->cl->clCreateProgramWithIL(worker->real_context, program->origin.il->text,
                                                     program->origin.il->size, error);
}

cl_program cx_program_il_program(const struct cx_program *program, unsigned member, cl_int *error)
{
    const cl_icd_dispatch *cl = program->context->workers[member].device->cl;
    cl_program real = create_real(program, member, error);

    cx_lock(&program->origin.il->lock);
    for (const struct constant *c = program->origin.il->constants; real && c && *error == CL_SUCCESS;
         c = c->next)
        *error = cl->clSetProgramSpecializationConstant
                     ? cl->clSetProgramSpecializationConstant(real, c->id, c->size, c->value)
                     : CL_INVALID_OPERATION;
    cx_unlock(&program->origin.il->lock);
    if (real && *error != CL_SUCCESS) {
        cl->clReleaseProgram(real);
        real = NULL;
    }
    return real;
}

/* The first driver that takes such programs judges this one. */
static cl_int judge(struct cx_program *program)
{
    cl_int error = CL_INVALID_OPERATION;

    for (unsigned k = 0; k < program->context->nmembers; k++) {
        unsigned member = cx_program_member_at(program, k);
        cl_int failed;
        if (!takes_il(program->context->workers[member].device) ||
            cx_worker_ensure(&program->context->workers[member]) != CL_SUCCESS)
            continue;
        program->origin.il->checked = create_real(program, member, &failed);
        program->origin.il->judge = member;
        if (program->origin.il->checked)
            return CL_SUCCESS;
        if (error == CL_INVALID_OPERATION)
            error = failed;
    }
    return error;
}

static struct cx_il *il_new(const void *text, size_t size)
{
    struct cx_il *il = calloc(1, sizeof(*il));

    if (!il || !(il->text = malloc(size))) {
        free(il);
        return NULL;
    }
    memcpy(il->text, text, size);
    il->size = size;
    atomic_init(&il->refs, 1);
    cx_lock_init(&il->lock, CX_RANK_IL);
    return il;
}

cl_program cx_clCreateProgramWithIL(cl_context handle, const void *text, size_t length, cl_int *errcode_ret)
{
    struct cx_context *context = cx_context_from(handle);
    char *versions = context ? cx_program_il_device_versions(context->devices[0]) : NULL;
    struct cx_program *program = NULL;
    cl_int error = CL_SUCCESS;

    if (!context) {
        error = CX_FAIL(CL_INVALID_CONTEXT, "not a context");
    } else if (!versions) {
        error = CX_FAIL(CL_INVALID_OPERATION, "the device takes no intermediate language");
    } else if (!text || !length) {
        error = CX_FAIL(CL_INVALID_VALUE, "no program");
    } else if (!(program = cx_program_new(context, 0, NULL, NULL)) ||
               !(program->origin.il = il_new(text, length))) {
        error = CX_FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for the program");
    } else if ((error = judge(program)) != CL_SUCCESS) {
        CX_FAIL(error, "the driver refuses the program");
    }
    if (program && error != CL_SUCCESS)
        cx_program_unref(&program);
    free(versions);
    if (errcode_ret)
        *errcode_ret = error;
    return (cl_program)program;
}

/* The caller holds the lock. */
static cl_int keep_constant(struct cx_il *il, cl_uint id, size_t size, const void *value)
{
    struct constant *c = il->constants;

    while (c && c->id != id)
        c = c->next;
    if (size > sizeof(c->value))
        return CL_INVALID_VALUE;
    if (!c) {
        c = calloc(1, sizeof(*c));
        if (!c)
            return CL_OUT_OF_HOST_MEMORY;
        c->id = id;
        c->next = il->constants;
        il->constants = c;
    }
    c->size = size;
    memcpy(c->value, value, size);
    return CL_SUCCESS;
}

static bool any_takes_il(const struct cx_program *program)
{
    bool any = false;
    for (unsigned d = 0; d < program->division.ndevices && !any; d++) {
        char *versions = cx_program_il_device_versions(program->division.devices[d]);
        any = versions && *versions;
        free(versions);
    }
    return any;
}

cl_int cx_clSetProgramSpecializationConstant(cl_program handle, cl_uint spec_id, size_t spec_size,
                                             const void *spec_value)
{
    struct cx_program *program = cx_program_from(handle);
    struct cx_il *il = program ? program->origin.il : NULL;

    if (program && !il && !any_takes_il(program))
        return CX_FAIL(CL_INVALID_OPERATION, "no device takes an intermediate language");
    if (!il)
        return CX_FAIL(CL_INVALID_PROGRAM, "not a program in an intermediate language");
    if (!spec_value)
        return CX_FAIL(CL_INVALID_VALUE, "no value");
    const cl_icd_dispatch *cl = program->context->workers[il->judge].device->cl;
    if (!cl->clSetProgramSpecializationConstant)
        return CX_FAIL(CL_INVALID_OPERATION, "the driver has no specialization constants");
    cx_lock(&il->lock);
    cl_int error = cl->clSetProgramSpecializationConstant(il->checked, spec_id, spec_size, spec_value);
    if (error == CL_SUCCESS)
        error = keep_constant(il, spec_id, spec_size, spec_value);
    cx_unlock(&il->lock);
    return error == CL_SUCCESS ? error : CX_FAIL(error, "the driver refuses the constant");
}

/* ---- built-in kernels ---- */

static bool has_builtins(const struct cx_real_device *device, const char *names)
{
    char *own =
        device->cl->clCreateProgramWithBuiltInKernels ? info_text(device, CL_DEVICE_BUILT_IN_KERNELS) : NULL;
    const bool has = has_names(own, names);
    free(own);
    return has;
}

/* PoCL wants such a program to be built; drivers that do not refuse that, which is no harm. */
cl_int cx_program_il_builtin_step(struct cx_build *build, unsigned member, cl_program *real)
{
    const struct cx_program *program = build->program;
    const struct cx_worker *worker = &program->context->workers[member];
    const struct cx_real_device *device = worker->device;
    cl_int error = CL_BUILD_PROGRAM_FAILURE;

    if (has_builtins(device, program->origin.builtins))
        *real = device->cl->clCreateProgramWithBuiltInKernels(worker->real_context, 1, &device->id,
                                                              program->origin.builtins, &error);
    if (*real &&
        device->cl->clBuildProgram(*real, 1, &device->id, "", NULL, NULL) == CL_BUILD_PROGRAM_FAILURE)
        error = CL_BUILD_PROGRAM_FAILURE;
    return error;
}

/* Such a program can be used at once, where its drivers can build it: else clBuildProgram says so. */
static cl_int make_builtins(struct cx_program *program)
{
    struct cx_builds *builds;
    bool known = false;

    for (unsigned m = 0; m < program->context->nmembers && !known; m++)
        known = has_builtins(program->context->workers[m].device, program->origin.builtins);
    if (!known)
        return CL_INVALID_VALUE;
    builds = cx_builds_new(program, NULL, NULL);
    cl_int error = builds ? cx_builds_add(builds, 0, NULL, "") : CL_OUT_OF_HOST_MEMORY;

    if (error == CL_SUCCESS) {
        builds->build[0]->binary_type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
        builds->build[0]->step = cx_program_il_builtin_step;
        error = cx_builds_run(&builds);
    }
    cx_builds_destroy(&builds);
    if (error != CL_BUILD_PROGRAM_FAILURE)
        return error;
    program->build.status = CL_BUILD_NONE;
    return CL_SUCCESS;
}

cl_program cx_clCreateProgramWithBuiltInKernels(cl_context handle, cl_uint num_devices,
                                                const cl_device_id *device_list, const char *kernel_names,
                                                cl_int *errcode_ret)
{
    struct cx_program *program = NULL;
    cl_int error = cx_program_check_devices(handle, num_devices, device_list);

    if (error == CL_SUCCESS && !kernel_names)
        error = CL_INVALID_VALUE;
    if (error == CL_SUCCESS) {
        char *names = strdup(kernel_names);
        program = names ? cx_program_new(cx_context_from(handle), num_devices, device_list, NULL) : NULL;
        error = CL_OUT_OF_HOST_MEMORY;
        if (program) {
            program->origin.builtins = names;
            error = make_builtins(program);
        } else {
            free(names);
        }
    }
    if (error != CL_SUCCESS) {
        CX_FAIL(error, "no device has all of these built-in kernels, or wrong arguments");
        cx_program_unref(&program);
    }
    if (errcode_ret)
        *errcode_ret = error;
    return (cl_program)program;
}

cl_int cx_clSetProgramReleaseCallback(cl_program program, cx_program_notify pfn_notify, void *user_data)
{
    if (!cx_program_from(program))
        return CX_FAIL(CL_INVALID_PROGRAM, "not a program");
    if (!pfn_notify)
        return CX_FAIL(CL_INVALID_VALUE, "no callback");
    return CX_FAIL(CL_INVALID_OPERATION, "programs of the device have no global destructors");
}
