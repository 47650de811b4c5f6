/* SPDX-License-Identifier: MIT */
#include "made_compiler.h"
#include "capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void(CL_CALLBACK *context_notify)(const char *, const void *, size_t, void *);
typedef void(CL_CALLBACK *program_notify)(cl_program, void *);

static cl_int CL_API_CALL no_info(cl_device_id device, cl_device_info info, size_t size, void *value,
                                  size_t *given)
{
    (void)device, (void)info, (void)size, (void)value, (void)given;
    return CL_INVALID_VALUE;
}

static cl_context CL_API_CALL make_context(const cl_context_properties *properties, cl_uint count,
                                           const cl_device_id *device, context_notify notify, void *data,
                                           cl_int *error)
{
    (void)properties, (void)count, (void)notify, (void)data, (void)error;
    return (cl_context)*device;
}

static cl_command_queue CL_API_CALL make_queue(cl_context context, cl_device_id device,
                                               cl_command_queue_properties properties, cl_int *error)
{
    (void)device, (void)properties, (void)error;
    return (cl_command_queue)context;
}

static cl_program CL_API_CALL make_program(cl_context context, cl_uint count, const char **text,
                                           const size_t *length, cl_int *error)
{
    struct made_compiler *compiler = (struct made_compiler *)context;

    (void)count, (void)length;
    free(compiler->source);
    compiler->source = strdup(*text);
    *error = CL_SUCCESS;
    return (cl_program)compiler;
}

static cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id *device,
                                const char *options, program_notify notify, void *data)
{
    struct made_compiler *compiler = (struct made_compiler *)program;

    (void)count, (void)device, (void)notify, (void)data;
    atomic_fetch_add(&compiler->builds, 1);
    usleep(compiler->sleep_ms * 1000);
    snprintf(compiler->options, sizeof(compiler->options), "%s", options);
    if (compiler->choke && strstr(compiler->source, compiler->choke))
        return CL_BUILD_PROGRAM_FAILURE;
    return compiler->error;
}

static cl_kernel CL_API_CALL make_kernel(cl_program program, const char *name, cl_int *error)
{
    (void)error;
    ck_assert_str_eq(name, "coexec_tell");
    return (cl_kernel)program;
}

static cl_mem CL_API_CALL make_buffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                                      cl_int *error)
{
    (void)flags, (void)size, (void)host, (void)error;
    return (cl_mem)context;
}

static cl_int CL_API_CALL set_arg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    (void)kernel, (void)index, (void)size, (void)value;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL enqueue(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                                  const size_t *offset, const size_t *global, const size_t *local,
                                  cl_uint count, const cl_event *events, cl_event *event)
{
    (void)queue, (void)kernel, (void)dims, (void)offset, (void)global, (void)local, (void)count;
    (void)events, (void)event;
    return CL_SUCCESS;
}

static const char *spelling(const struct made_compiler *compiler, const char *name)
{
    for (unsigned i = 0; i < 6 && compiler->macros[i][0]; i++)
        if (!strcmp(compiler->macros[i][0], name))
            return compiler->macros[i][1];
    return NULL;
}

/* What the program would have written: a line for each of its #ifdefs. */
static cl_int CL_API_CALL read_reported(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                        size_t offset, size_t size, void *data, cl_uint count,
                                        const cl_event *events, cl_event *event)
{
    const struct made_compiler *compiler = (const struct made_compiler *)buffer;
    char *to = data, name[64];

    (void)queue, (void)blocking, (void)offset, (void)size, (void)count, (void)events, (void)event;
    for (const char *at = compiler->source; (at = strstr(at, "#ifdef "));) {
        at += strlen("#ifdef ");
        ck_assert_int_eq(sscanf(at, "%63s", name), 1);
        const char *text = spelling(compiler, name);
        to += text ? sprintf(to, "+%s %s\n", name, text) : sprintf(to, "-%s\n", name);
    }
    strcpy(to, ".");
    return CL_SUCCESS;
}

#define RELEASE(name, type)                                                                                  \
    static cl_int CL_API_CALL name(type object)                                                              \
    {                                                                                                        \
        (void)object;                                                                                        \
        return CL_SUCCESS;                                                                                   \
    }
RELEASE(release_program, cl_program)
RELEASE(release_kernel, cl_kernel)
RELEASE(release_buffer, cl_mem)
RELEASE(release_queue, cl_command_queue)
RELEASE(release_context, cl_context)

const cl_icd_dispatch made_compiler_no_dispatch = {.clGetDeviceInfo = no_info};
const cl_icd_dispatch made_compiler_dispatch = {
    .clGetDeviceInfo = no_info,
    .clCreateContext = make_context,
    .clCreateCommandQueue = make_queue,
    .clCreateProgramWithSource = make_program,
    .clBuildProgram = build,
    .clCreateKernel = make_kernel,
    .clCreateBuffer = make_buffer,
    .clSetKernelArg = set_arg,
    .clEnqueueNDRangeKernel = enqueue,
    .clEnqueueReadBuffer = read_reported,
    .clReleaseProgram = release_program,
    .clReleaseKernel = release_kernel,
    .clReleaseMemObject = release_buffer,
    .clReleaseCommandQueue = release_queue,
    .clReleaseContext = release_context,
};
