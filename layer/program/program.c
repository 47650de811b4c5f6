/* SPDX-License-Identifier: MIT */
/*
 * Programs: making them, their life, and what they know about their kernel functions.
 *
 * Real programs are made by the builds (build.c, link.c), so each build starts from fresh ones.
 * Previous stage: context.c. Next: program_unit.c, build.c, then kernel.c.
 */
#include "layer/program/program.h"
#include "layer/program/function.h"
#include "layer/program/program_binary.h"
#include "layer/program/program_il.h"
#include "layer/program/program_unit.h"
#include "layer/source/analysis.h"
#include "layer/object/device.h"
#include "layer/base/entry.h"
#include "layer/source/macro_identity.h"
#include "layer/base/log.h"
#include "layer/source/vendor_options.h"
#include "layer/timeline/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cl_icd_dispatch *table_of(const struct cx_program *program, unsigned member)
{
    return program->context->workers[member].device->cl;
}

static void clear_functions(struct cx_program *program)
{
    for (unsigned f = 0; f < program->kernels.nfunctions; f++)
        cx_function_finish(&program->kernels.functions[f]);
    for (unsigned f = 0; f < program->kernels.nmore; f++)
        cx_function_finish(&program->kernels.more[f]);
    free(program->kernels.functions);
    free(program->kernels.more);
    free(program->kernels.names);
    program->kernels.functions = program->kernels.more = NULL;
    program->kernels.nfunctions = program->kernels.nmore = 0;
    program->kernels.names = NULL;
}

void cx_program_clear(struct cx_program *program)
{
    clear_functions(program);
    cx_analysis_release(&program->analysed.analysis);
    for (unsigned m = 0; program->members && m < program->context->nmembers; m++) {
        struct cx_program_member *member = &program->members[m];
        for (unsigned v = 0; v < CX_VARIANT_COUNT; v++) {
            if (member->real[v])
                table_of(program, m)->clReleaseProgram(member->real[v]);
            member->real[v] = NULL;
            atomic_store(&member->state[v], CX_BUILD_NONE);
            atomic_store(&member->expected_ns[v], 0);
        }
        free(member->log);
        member->log = NULL;
        member->log_shown = false;
        member->moved = CX_FILES_SAME;
        member->error = CL_SUCCESS;
    }
    free(program->build.binary);
    program->build.binary = NULL;
    free(program->build.text);
    program->build.text = NULL;
    free(program->build.text_options);
    program->build.text_options = NULL;
    atomic_store(&program->build.variables_owner, 0);
    program->build.binary_type = CL_PROGRAM_BINARY_TYPE_NONE;
}

static void program_destroy(struct cx_object *object)
{
    struct cx_program *program = (struct cx_program *)object;

    cx_program_units_finish(program);
    cx_program_clear(program);
    free(program->members);
    free(program->origin.source);
    free(program->origin.builtins);
    cx_program_binary_unref(&program->origin.stored);
    cx_program_il_unref(&program->origin.il, program->context);
    free(program->build.options);
    pthread_cond_destroy(&program->changed);
    cx_lock_finish(&program->lock);
    cx_lock_finish(&program->division.lock);
    cx_context_unref(&program->context);
    free(program);
}

struct cx_program *cx_program_blank(struct cx_context *context, char *source)
{
    struct cx_program *program = calloc(1, sizeof(*program));
    if (!program) {
        free(source);
        return NULL;
    }
    cx_object_init(&program->base, CX_TAG_PROGRAM, program_destroy);
    program->context = cx_context_ref(context);
    program->origin.source = source;
    program->build.options = strdup("");
    program->build.status = CL_BUILD_NONE;
    program->build.binary_type = CL_PROGRAM_BINARY_TYPE_NONE;
    program->analysed.why_not.reason = CX_NO_SUMMARY_NOT_BUILT;
    cx_lock_init(&program->lock, CX_RANK_PROGRAM);
    cx_lock_init(&program->division.lock, CX_RANK_UNITS);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&program->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    program->members = calloc(context->nmembers, sizeof(*program->members));
    if (!program->build.options || !program->members)
        cx_program_unref(&program);
    return program;
}

unsigned cx_program_member_at(const struct cx_program *program, unsigned k)
{
    unsigned fastest = program->context->fastest;
    if (k == 0)
        return fastest;
    return k <= fastest ? k - 1 : k;
}

bool cx_program_runs_on(const struct cx_program *program, unsigned member)
{
    return atomic_load_explicit(&program->members[member].state[CX_VARIANT_PLAIN], memory_order_acquire) ==
           CX_BUILD_READY;
}

enum cx_files_moved cx_program_moved(const struct cx_program *program, unsigned member)
{
    const struct cx_program_member *of = &program->members[member];
    const unsigned state = atomic_load_explicit(&of->state[CX_VARIANT_PLAIN], memory_order_acquire);
    return state == CX_BUILD_FAILED ? of->moved : CX_FILES_SAME;
}

bool cx_program_compatible(const struct cx_program *program, unsigned a, unsigned b,
                           struct cx_no_summary *why)
{
    if (a == b)
        return true;
    if (program->analysed.analysis)
        return cx_analysis_same(program->analysed.analysis, a, b, why);
    if (why)
        *why = program->analysed.why_not;
    return false;
}

struct cx_function *cx_program_find(const struct cx_program *program, const char *name)
{
    for (unsigned f = 0; f < program->kernels.nfunctions; f++)
        if (!strcmp(program->kernels.functions[f].name, name))
            return &program->kernels.functions[f];
    for (unsigned f = 0; f < program->kernels.nmore; f++)
        if (!strcmp(program->kernels.more[f].name, name))
            return &program->kernels.more[f];
    return NULL;
}

bool cx_program_may_take_images(const struct cx_program *program)
{
    return !program->origin.source || strstr(program->origin.source, "image") ||
           strstr(program->build.options, "image") ||
           cx_macro_identity_includes(program->origin.source, program->build.options);
}

char *cx_program_driver_options(const struct cx_program *program, unsigned member, const char *options)
{
    static const char telling[] = "-cl-kernel-arg-info";
    char *own = cx_vendor_options(&program->context->members, member, options), *text = NULL;
    if (!own || program->origin.il || !program->origin.source || !strstr(program->origin.source, "image") ||
        strstr(own, telling))
        return own;
    if (asprintf(&text, "%s%s%s", own, *own ? " " : "", telling) < 0)
        text = NULL;
    free(own);
    return text;
}

/* Member m's kernel names, separated by ;, or NULL; free() them. */
static char *names_of(const struct cx_program *program, unsigned member)
{
    cl_program real = program->members[member].real[CX_VARIANT_PLAIN];
    const cl_icd_dispatch *cl = table_of(program, member);
    size_t size = 0;

    if (program->origin.builtins) /* drivers may not name them again */
        return cx_program_runs_on(program, member) ? strdup(program->origin.builtins) : NULL;
    if (!cx_program_runs_on(program, member) ||
        cl->clGetProgramInfo(real, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size) || !size)
        return NULL;
    char *names = calloc(1, size + 1);
    if (names && cl->clGetProgramInfo(real, CL_PROGRAM_KERNEL_NAMES, size, names, NULL))
        *names = 0;
    return names;
}

/* Adds those of the names that are not there yet to a list of the program's, which has room for all of them.
 */
static cl_int add_functions(struct cx_program *program, char *names, struct cx_function *list,
                            unsigned *count)
{
    char *rest = names, *name;

    while ((name = strsep(&rest, ";"))) {
        if (!*name || cx_program_find(program, name))
            continue;
        char *copy = strdup(name);
        if (!copy)
            return CL_OUT_OF_HOST_MEMORY;
        cx_function_init(&list[*count], program, program->kernels.nfunctions + program->kernels.nmore, copy);
        ++*count;
    }
    return CL_SUCCESS;
}

static char *join_names(const struct cx_program *program)
{
    size_t size = 1;

    for (unsigned f = 0; f < program->kernels.nfunctions; f++)
        size += strlen(program->kernels.functions[f].name) + 1;
    char *names = malloc(size), *end = names;
    if (!names)
        return NULL;
    *names = 0;
    for (unsigned f = 0; f < program->kernels.nfunctions; f++) {
        if (f)
            *end++ = ';';
        end = stpcpy(end, program->kernels.functions[f].name);
    }
    return names;
}

/* Makes a list of the functions that members name and the program does not know yet. */
static cl_int list_new(struct cx_program *program, struct cx_function **list, unsigned *listed)
{
    unsigned count = program->context->nmembers;
    char **names = calloc(count, sizeof(*names));
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    size_t room = 1;

    for (unsigned k = 0; names && k < count; k++) {
        names[k] = names_of(program, cx_program_member_at(program, k));
        for (const char *c = names[k]; c; c = strchr(c + 1, ';'))
            room++;
    }
    if (names)
        *list = calloc(room, sizeof(**list));
    if (*list)
        error = CL_SUCCESS;
    for (unsigned k = 0; k < count && error == CL_SUCCESS; k++)
        if (names[k])
            error = add_functions(program, names[k], *list, listed);
    for (unsigned k = 0; names && k < count; k++)
        free(names[k]);
    free(names);
    return error;
}

cl_int cx_program_list_functions(struct cx_program *program)
{
    cl_int error = list_new(program, &program->kernels.functions, &program->kernels.nfunctions);

    if (error == CL_SUCCESS && !(program->kernels.names = join_names(program)))
        error = CL_OUT_OF_HOST_MEMORY;
    return error;
}

void cx_program_list_more(struct cx_program *program)
{
    if (!program->kernels.more)
        list_new(program, &program->kernels.more, &program->kernels.nmore);
}

/* A length may reach past the string's end: such a string ends at its 0 like everybody's. */
static size_t length_of(const char *text, size_t given)
{
    return given ? strnlen(text, given) : strlen(text);
}

/* The strings of clCreateProgramWithSource as one; NULL: no memory. */
static char *join_strings(cl_uint count, const char **strings, const size_t *lengths)
{
    size_t size = 1;

    for (cl_uint i = 0; i < count; i++)
        size += length_of(strings[i], lengths ? lengths[i] : 0);
    char *text = malloc(size), *end = text;
    if (!text)
        return NULL;
    for (cl_uint i = 0; i < count; i++) {
        size_t length = length_of(strings[i], lengths ? lengths[i] : 0);
        memcpy(end, strings[i], length);
        end += length;
    }
    *end = 0;
    return text;
}

cl_program cx_clCreateProgramWithSource(cl_context handle, cl_uint count, const char **strings,
                                        const size_t *lengths, cl_int *errcode_ret)
{
    struct cx_context *context = cx_context_from(handle);
    struct cx_program *program = NULL;
    cl_int error = CL_SUCCESS;
    bool missing = count == 0 || !strings;

    for (cl_uint i = 0; !missing && i < count; i++)
        missing = !strings[i];
    if (!context) {
        error = CX_FAIL(CL_INVALID_CONTEXT, "not a context");
    } else if (missing) {
        error = CX_FAIL(CL_INVALID_VALUE, "no strings, or one of them is NULL");
    } else {
        char *source = join_strings(count, strings, lengths);
        program = source ? cx_program_new(context, 0, NULL, source) : NULL;
        if (!program)
            error = CX_FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for the source");
    }
    if (errcode_ret)
        *errcode_ret = error;
    return (cl_program)program;
}

cl_int cx_clRetainProgram(cl_program handle)
{
    struct cx_program *program = cx_program_from(handle);
    if (!program)
        return CX_FAIL(CL_INVALID_PROGRAM, "not a program");
    cx_object_retain_app(&program->base);
    return CL_SUCCESS;
}

cl_int cx_clReleaseProgram(cl_program handle)
{
    struct cx_program *program = cx_program_from(handle);
    if (!program)
        return CX_FAIL(CL_INVALID_PROGRAM, "not a program");
    if (!cx_object_release_app(&program->base))
        return CX_FAIL(CL_INVALID_PROGRAM, "released already");
    return CL_SUCCESS;
}

cl_int cx_clUnloadCompiler(void)
{
    return CL_SUCCESS; /* a hint; split variants may still need the drivers' compilers */
}

cl_int cx_clUnloadPlatformCompiler(cl_platform_id handle)
{
    if (!cx_platform_from(handle))
        return CX_FAIL(CL_INVALID_PLATFORM, "not a platform");
    return CL_SUCCESS;
}
