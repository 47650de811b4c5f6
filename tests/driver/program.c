/* SPDX-License-Identifier: MIT */
/* Stub driver: programs. "Compiling" finds the kernels by name; one that kernels.c does not know is an error.
 */
#include "calls.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>

enum { MAX_FUNCTIONS = sizeof(((struct stub_program *)0)->functions) / sizeof(void *) };

static void program_destroy(struct stub_object *object)
{
    struct stub_program *program = (struct stub_program *)object;
    stub_object_unref(&program->context->base);
    free(program->source);
    free(program->options);
    free(program->log);
    free(program);
}

static char *join(cl_uint count, const char **strings, const size_t *lengths)
{
    size_t total = 0, at = 0;
    for (cl_uint i = 0; i < count; i++)
        total += lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
    char *text = malloc(total + 1);
    for (cl_uint i = 0; text && i < count; i++) {
        size_t length = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
        memcpy(text + at, strings[i], length);
        at += length;
    }
    if (text)
        text[total] = '\0';
    return text;
}

struct stub_program *stub_program_new(struct stub_context *context, char *source, cl_int *error)
{
    struct stub_program *program = source ? calloc(1, sizeof(*program)) : NULL;
    if (!program) {
        free(source);
        *error = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    stub_object_init(&program->base, STUB_PROGRAM, stub_new_id(STUB_PROGRAM), program_destroy);
    stub_object_ref(&context->base);
    program->context = context;
    program->source = source;
    program->splits = strstr(source, "coexec__") != NULL;
    program->status = CL_BUILD_NONE;
    return program;
}

CL_API_ENTRY cl_program CL_API_CALL stub_clCreateProgramWithSource(cl_context handle, cl_uint count,
                                                                   const char **strings,
                                                                   const size_t *lengths, cl_int *error)
{
    struct stub_fault fault = stub_call("clCreateProgramWithSource", "c%u count=%u", stub_id(handle), count);
    struct stub_context *context = STUB_OF(context, handle, STUB_CONTEXT);
    struct stub_program *program = NULL;
    cl_int code = fault.code ? fault.code : context ? CL_SUCCESS : CL_INVALID_CONTEXT;
    if (!code && (count == 0 || !strings))
        code = CL_INVALID_VALUE;
    for (cl_uint i = 0; !code && i < count; i++)
        code = strings[i] ? CL_SUCCESS : CL_INVALID_VALUE;
    char *source = code ? NULL : join(count, strings, lengths);
    if (!code)
        program = stub_program_new(context, source, &code);
    if (error)
        *error = code;
    return (cl_program)program;
}

/* The name after "kernel void", or NULL where this is no kernel. */
static const char *kernel_name(const char *after_kernel, size_t *length)
{
    const char *at = after_kernel + strspn(after_kernel, " \t\r\n");
    if (strncmp(at, "void", 4) != 0 || !isspace((unsigned char)at[4]))
        return NULL;
    at += 4;
    at += strspn(at, " \t\r\n");
    *length = 0;
    while (isalnum((unsigned char)at[*length]) || at[*length] == '_')
        (*length)++;
    return *length ? at : NULL;
}

/* The build log: a message and what it is about. */
static void set_log(struct stub_program *program, const char *message, const char *about)
{
    char text[256];
    snprintf(text, sizeof(text), "%s%s", message, about);
    free(program->log);
    program->log = strdup(text);
}

cl_int stub_program_compile(struct stub_program *program)
{
    char name[64];
    size_t length;
    program->nfunctions = 0;
    set_log(program, "", "");
    if (strstr(program->source, "stub_syntax_error")) {
        set_log(program, "1:1: error: ", "syntax");
        return CL_BUILD_PROGRAM_FAILURE;
    }
    for (const char *at = program->source; (at = strstr(at, "kernel")); at += 6) {
        const char *found = kernel_name(at + 6, &length);
        if (!found || length >= sizeof(name) || program->nfunctions == MAX_FUNCTIONS)
            continue;
        memcpy(name, found, length);
        name[length] = '\0';
        const struct stub_function *function = stub_function_find(name);
        if (!function) {
            set_log(program, "error: the stub has no native kernel ", name);
            return CL_BUILD_PROGRAM_FAILURE;
        }
        program->functions[program->nfunctions++] = function;
    }
    return CL_SUCCESS;
}

static bool takes_options(const struct stub_program *program)
{
    char word[64];
    const char *refused =
        stub_config_word("STUB_REFUSES", program->context->devices[0]->index, "", word, sizeof(word));
    return !*refused || !strstr(program->options, refused);
}

CL_API_ENTRY cl_int CL_API_CALL stub_clBuildProgram(cl_program handle, cl_uint count,
                                                    const cl_device_id *devices, const char *options,
                                                    void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    struct stub_fault fault =
        stub_call("clBuildProgram", "p%u options=\"%.200s\"", stub_id(handle), options ? options : "");
    struct stub_program *program = STUB_OF(program, handle, STUB_PROGRAM);
    if (!program)
        return CL_INVALID_PROGRAM;
    if ((!notify && data) || (count == 0) != (devices == NULL))
        return CL_INVALID_VALUE;
    if (program->made_ready)
        return CL_INVALID_OPERATION;
    free(program->options);
    program->options = strdup(options ? options : "");
    cl_int code = fault.code;
    if (code)
        set_log(program, "error: ", "injected");
    else
        code = takes_options(program) ? stub_program_compile(program) : CL_INVALID_BUILD_OPTIONS;
    program->status = code ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
    if (notify)
        notify(handle, data);
    return code;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clUnloadPlatformCompiler(cl_platform_id platform)
{
    return stub_object_of(platform, STUB_PLATFORM) ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clRetainProgram(cl_program handle)
{
    struct stub_fault fault = stub_call("clRetainProgram", "p%u", stub_id(handle));
    struct stub_program *program = STUB_OF(program, handle, STUB_PROGRAM);
    if (fault.code || !program)
        return fault.code ? fault.code : CL_INVALID_PROGRAM;
    stub_object_ref(&program->base);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clReleaseProgram(cl_program handle)
{
    struct stub_fault fault = stub_call("clReleaseProgram", "p%u", stub_id(handle));
    struct stub_program *program = STUB_OF(program, handle, STUB_PROGRAM);
    if (fault.code || !program)
        return fault.code ? fault.code : CL_INVALID_PROGRAM;
    stub_object_unref(&program->base);
    return CL_SUCCESS;
}

static cl_int kernel_names(const struct stub_program *program, size_t room, void *value, size_t *size_ret)
{
    char text[2048] = "";
    for (unsigned i = 0; i < program->nfunctions; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof(text) - used, "%s%s", i ? ";" : "",
                 stub_function_name(program->functions[i]));
    }
    return STUB_TEXT(text);
}

CL_API_ENTRY cl_int CL_API_CALL stub_clGetProgramInfo(cl_program handle, cl_program_info what, size_t room,
                                                      void *value, size_t *size_ret)
{
    struct stub_program *program = STUB_OF(program, handle, STUB_PROGRAM);
    size_t sizes[STUB_MAX_DEVICES];
    if (!program)
        return CL_INVALID_PROGRAM;
    bool built = program->status == CL_BUILD_SUCCESS;
    switch (what) {
    case CL_PROGRAM_REFERENCE_COUNT:
        return STUB_INFO(cl_uint, atomic_load(&program->base.refs));
    case CL_PROGRAM_CONTEXT:
        return STUB_INFO(cl_context, (cl_context)program->context);
    case CL_PROGRAM_NUM_DEVICES:
        return STUB_INFO(cl_uint, program->context->ndevices);
    case CL_PROGRAM_DEVICES:
        return stub_info(program->context->devices, program->context->ndevices * sizeof(void *), room, value,
                         size_ret);
    case CL_PROGRAM_SOURCE:
        return STUB_TEXT(program->source);
    case CL_PROGRAM_BINARY_SIZES:
        for (unsigned i = 0; i < program->context->ndevices; i++)
            sizes[i] = built ? strlen(program->source) + 5 : 0;
        return stub_info(sizes, program->context->ndevices * sizeof(size_t), room, value, size_ret);
    case CL_PROGRAM_BINARIES: /* "stub:" and the source */
        for (unsigned i = 0; value && built && i < program->context->ndevices; i++)
            if (((char **)value)[i])
                memcpy(mempcpy(((char **)value)[i], "stub:", 5), program->source, strlen(program->source));
        if (size_ret)
            *size_ret = program->context->ndevices * sizeof(char *);
        return CL_SUCCESS;
    case CL_PROGRAM_NUM_KERNELS:
        return built ? STUB_INFO(size_t, program->nfunctions) : CL_INVALID_PROGRAM_EXECUTABLE;
    case CL_PROGRAM_KERNEL_NAMES:
        return built ? kernel_names(program, room, value, size_ret) : CL_INVALID_PROGRAM_EXECUTABLE;
    default:
        return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL stub_clGetProgramBuildInfo(cl_program handle, cl_device_id device,
                                                           cl_program_build_info what, size_t room,
                                                           void *value, size_t *size_ret)
{
    struct stub_program *program = STUB_OF(program, handle, STUB_PROGRAM);
    if (!program)
        return CL_INVALID_PROGRAM;
    if (!stub_object_of(device, STUB_DEVICE))
        return CL_INVALID_DEVICE;
    switch (what) {
    case CL_PROGRAM_BUILD_STATUS:
        return STUB_INFO(cl_build_status, program->status);
    case CL_PROGRAM_BUILD_OPTIONS:
        return STUB_TEXT(program->options ? program->options : "");
    case CL_PROGRAM_BUILD_LOG:
        return STUB_TEXT(program->log ? program->log : "");
    case CL_PROGRAM_BINARY_TYPE:
        return STUB_INFO(cl_program_binary_type, program->status == CL_BUILD_SUCCESS
                                                     ? CL_PROGRAM_BINARY_TYPE_EXECUTABLE
                                                     : CL_PROGRAM_BINARY_TYPE_NONE);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        return STUB_INFO(size_t, 0);
    default:
        return CL_INVALID_VALUE;
    }
}
