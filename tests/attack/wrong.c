/* SPDX-License-Identifier: MIT */
/*
 * Calls of an attack that must fail, with objects that live: wrong sizes, places, flags, objects of another
 * context, arguments left out. The negative tests hold each call to the specification's code; here they come
 * between commands in flight, and must leave no trace.
 */
#include "world.h"

#include <stdint.h>

struct with {
    struct mem *buffer, *other, *image, *any; /* other: of another context, or NULL */
    struct kernel *kernel;
    struct program *program;
    cl_context context;     /* the buffer's, where its handle is ours */
    cl_command_queue queue; /* the buffer's */
    cl_event event;
    unsigned char bytes[64];
};

static cl_int read_beyond(struct with *o)
{
    return clEnqueueReadBuffer(o->queue, o->buffer->handle, CL_FALSE, o->buffer->bytes - 8, 16, o->bytes, 0,
                               NULL, NULL);
}
static cl_int read_to_nowhere(struct with *o)
{
    return clEnqueueReadBuffer(o->queue, o->buffer->handle, CL_TRUE, 0, 16, NULL, 0, NULL, NULL);
}
static cl_int write_beyond(struct with *o)
{
    return clEnqueueWriteBuffer(o->queue, o->buffer->handle, CL_FALSE, SIZE_MAX - 3, 16, o->bytes, 0, NULL,
                                NULL);
}
static cl_int read_without_queue(struct with *o)
{
    return clEnqueueReadBuffer(NULL, o->buffer->handle, CL_FALSE, 0, 16, o->bytes, 0, NULL, NULL);
}
static cl_int read_nothing_there(struct with *o)
{
    return clEnqueueReadBuffer(o->queue, NULL, CL_FALSE, 0, 16, o->bytes, 0, NULL, NULL);
}
static cl_int wait_list_missing(struct with *o)
{
    return clEnqueueReadBuffer(o->queue, o->buffer->handle, CL_FALSE, 0, 16, o->bytes, 2, NULL, NULL);
}
static cl_int wait_list_unasked(struct with *o)
{
    return clEnqueueReadBuffer(o->queue, o->buffer->handle, CL_FALSE, 0, 16, o->bytes, 0, &o->event, NULL);
}
static cl_int wait_list_of_nothing(struct with *o)
{
    const cl_event nothing = NULL;
    return clEnqueueReadBuffer(o->queue, o->buffer->handle, CL_FALSE, 0, 16, o->bytes, 1, &nothing, NULL);
}
static cl_int copy_between_contexts(struct with *o)
{
    return o->other
               ? clEnqueueCopyBuffer(o->queue, o->buffer->handle, o->other->handle, 0, 0, 16, 0, NULL, NULL)
               : 1;
}
static cl_int read_of_other_context(struct with *o)
{
    return o->other
               ? clEnqueueReadBuffer(o->queue, o->other->handle, CL_FALSE, 0, 16, o->bytes, 0, NULL, NULL)
               : 1;
}
static cl_int copy_overlapping(struct with *o)
{
    return clEnqueueCopyBuffer(o->queue, o->buffer->handle, o->buffer->handle, 0, 8, 16, 0, NULL, NULL);
}
static cl_int fill_with_three(struct with *o)
{
    return clEnqueueFillBuffer(o->queue, o->buffer->handle, o->bytes, 3, 0, 6, 0, NULL, NULL);
}
static cl_int fill_unaligned(struct with *o)
{
    return clEnqueueFillBuffer(o->queue, o->buffer->handle, o->bytes, 8, 4, 16, 0, NULL, NULL);
}
static cl_int fill_with_nothing(struct with *o)
{
    return clEnqueueFillBuffer(o->queue, o->buffer->handle, NULL, 4, 0, 16, 0, NULL, NULL);
}
static cl_int fill_beyond(struct with *o)
{
    return clEnqueueFillBuffer(o->queue, o->buffer->handle, o->bytes, 4, o->buffer->bytes, 4, 0, NULL, NULL);
}
static cl_int rect_of_nothing(struct with *o)
{
    const size_t at[3] = {0, 0, 0}, region[3] = {4, 0, 1};
    return clEnqueueReadBufferRect(o->queue, o->buffer->handle, CL_FALSE, at, at, region, 0, 0, 0, 0,
                                   o->bytes, 0, NULL, NULL);
}
static cl_int rect_beyond(struct with *o)
{
    const size_t at[3] = {0, 0, 0}, region[3] = {4, 4000, 1};
    return clEnqueueReadBufferRect(o->queue, o->buffer->handle, CL_FALSE, at, at, region, 0, 0, 0, 0,
                                   o->bytes, 0, NULL, NULL);
}
static cl_int rect_with_short_rows(struct with *o)
{
    const size_t at[3] = {0, 0, 0}, region[3] = {8, 2, 1};
    return clEnqueueReadBufferRect(o->queue, o->buffer->handle, CL_FALSE, at, at, region, 4, 0, 0, 0,
                                   o->bytes, 0, NULL, NULL);
}
static cl_int map_beyond(struct with *o)
{
    cl_int code = 1;
    clEnqueueMapBuffer(o->queue, o->buffer->handle, CL_FALSE, CL_MAP_READ, o->buffer->bytes - 1, 2, 0, NULL,
                       NULL, &code);
    return code;
}
static cl_int map_with_odd_flags(struct with *o)
{
    cl_int code = 1;
    clEnqueueMapBuffer(o->queue, o->buffer->handle, CL_FALSE, (cl_map_flags)1 << 20, 0, 2, 0, NULL, NULL,
                       &code);
    return code;
}
static cl_int unmap_what_is_not(struct with *o)
{
    return clEnqueueUnmapMemObject(o->queue, o->buffer->handle, o->bytes, 0, NULL, NULL);
}
static cl_int window_beyond(struct with *o)
{
    const cl_buffer_region region = {0, o->buffer->bytes + 1};
    cl_int code = 1;
    if (o->buffer->kind == MEM_BUFFER)
        clCreateSubBuffer(o->buffer->handle, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    return code;
}
static cl_int window_of_nothing(struct with *o)
{
    const cl_buffer_region region = {0, 0};
    cl_int code = 1;
    if (o->buffer->kind == MEM_BUFFER)
        clCreateSubBuffer(o->buffer->handle, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    return code;
}
static cl_int window_misaligned(struct with *o)
{
    const cl_buffer_region region = {4, 64};
    cl_int code = 1;
    if (o->buffer->kind == MEM_BUFFER)
        clCreateSubBuffer(o->buffer->handle, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    return code;
}
static cl_int window_of_window(struct with *o)
{
    const cl_buffer_region region = {0, 64};
    cl_int code = 1;
    if (o->buffer->kind == MEM_WINDOW)
        clCreateSubBuffer(o->buffer->handle, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    return code;
}
static cl_int buffer_of_nothing(struct with *o)
{
    cl_int code = 1;
    if (o->context)
        clCreateBuffer(o->context, 0, 0, NULL, &code);
    return code;
}
static cl_int buffer_with_host_unasked(struct with *o)
{
    cl_int code = 1;
    if (o->context)
        clCreateBuffer(o->context, 0, 64, o->bytes, &code);
    return code;
}
static cl_int buffer_with_both(struct with *o)
{
    cl_int code = 1;
    if (o->context)
        clCreateBuffer(o->context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, NULL, &code);
    return code;
}
static cl_int image_read_beyond(struct with *o)
{
    const size_t at[3] = {20, 0, 0}, region[3] = {20, 1, 1};
    return o->image ? clEnqueueReadImage(o->queue, o->image->handle, CL_FALSE, at, region, 0, 0, o->bytes, 0,
                                         NULL, NULL)
                    : 1;
}
static cl_int image_read_deep(struct with *o)
{
    const size_t at[3] = {0, 0, 0}, region[3] = {2, 1, 2};
    return o->image ? clEnqueueReadImage(o->queue, o->image->handle, CL_FALSE, at, region, 0, 0, o->bytes, 0,
                                         NULL, NULL)
                    : 1;
}
static cl_int image_read_of_buffer(struct with *o)
{
    const size_t at[3] = {0, 0, 0}, region[3] = {2, 1, 1};
    return clEnqueueReadImage(o->queue, o->buffer->handle, CL_FALSE, at, region, 0, 0, o->bytes, 0, NULL,
                              NULL);
}
static cl_int argument_beyond(struct with *o)
{
    return o->kernel ? clSetKernelArg(o->kernel->handle, 9, 4, o->bytes) : 1;
}
static cl_int argument_of_odd_size(struct with *o)
{
    return o->kernel ? clSetKernelArg(o->kernel->handle, 0, 3, &o->buffer->handle) : 1;
}
static cl_int launch_without_dimensions(struct with *o)
{
    const size_t size = 64;
    return o->kernel
               ? clEnqueueNDRangeKernel(o->queue, o->kernel->handle, 0, NULL, &size, NULL, 0, NULL, NULL)
               : 1;
}
static cl_int launch_of_nothing(struct with *o)
{
    const size_t size = 64;
    return clEnqueueNDRangeKernel(o->queue, NULL, 1, NULL, &size, NULL, 0, NULL, NULL);
}
/* A kernel that was just made has no arguments. */
static cl_int launch_unset(struct with *o)
{
    const size_t size = 64;
    cl_int code = 1;
    cl_kernel kernel =
        o->program && o->program->built ? clCreateKernel(o->program->handle, "scale", &code) : NULL;
    if (!kernel)
        return code;
    code = clEnqueueNDRangeKernel(w.context[o->program->context].queue[0].handle, kernel, 1, NULL, &size,
                                  NULL, 0, NULL, NULL);
    clReleaseKernel(kernel);
    return code;
}
static cl_int launch_uneven(struct with *o)
{
    const size_t size = 64, local = 7;
    cl_int code = 1, k = 1;
    cl_kernel kernel = o->program && o->program->built && o->program->context == o->buffer->context
                           ? clCreateKernel(o->program->handle, "scale", &code)
                           : NULL;
    if (!kernel)
        return code;
    clSetKernelArg(kernel, 0, sizeof(cl_mem), &o->buffer->handle);
    clSetKernelArg(kernel, 1, sizeof(k), &k);
    code = clEnqueueNDRangeKernel(o->queue, kernel, 1, NULL, &size, &local, 0, NULL, NULL);
    clReleaseKernel(kernel);
    return code;
}
static cl_int kernel_of_no_name(struct with *o)
{
    cl_int code = 1;
    if (o->program)
        clCreateKernel(o->program->handle, "nobody", &code);
    return code;
}
static cl_int build_with_odd_options(struct with *o)
{
    return o->program && !o->program->built && !o->program->linked
               ? clBuildProgram(o->program->handle, 0, NULL, "-cl-no-such-option", NULL, NULL)
               : 1;
}
static cl_int build_for_null(struct with *o)
{
    return o->program ? clBuildProgram(o->program->handle, 1, NULL, "", NULL, NULL) : 1;
}
static cl_int build_telling_nobody(struct with *o)
{
    return o->program ? clBuildProgram(o->program->handle, 0, NULL, "", NULL, o) : 1;
}
static cl_int program_of_nothing(struct with *o)
{
    cl_int code = 1;
    if (o->context)
        clCreateProgramWithSource(o->context, 0, NULL, NULL, &code);
    return code;
}
static cl_int program_of_noise(struct with *o)
{
    const size_t size = sizeof(o->bytes);
    const unsigned char *bytes = o->bytes;
    cl_int code = 1, each = 0;
    cl_program program =
        o->context ? clCreateProgramWithBinary(o->context, 1, &w.device, &size, &bytes, &each, &code) : NULL;
    if (program)
        clReleaseProgram(program);
    return code;
}
static cl_int status_of_command(struct with *o)
{
    return o->event ? clSetUserEventStatus(o->event, CL_COMPLETE) : 1;
}
static cl_int status_not_final(struct with *o)
{
    cl_int code = 1;
    cl_event event = o->context ? clCreateUserEvent(o->context, &code) : NULL;
    if (!event)
        return code;
    code = clSetUserEventStatus(event, CL_RUNNING);
    clSetUserEventStatus(event, CL_COMPLETE);
    clReleaseEvent(event);
    return code;
}
static cl_int status_twice(struct with *o)
{
    cl_int code = 1;
    cl_event event = o->context ? clCreateUserEvent(o->context, &code) : NULL;
    if (!event)
        return code;
    clSetUserEventStatus(event, CL_COMPLETE);
    code = clSetUserEventStatus(event, CL_COMPLETE);
    clReleaseEvent(event);
    return code;
}
static cl_int wait_for_nothing(struct with *o)
{
    (void)o;
    return clWaitForEvents(0, NULL);
}
static cl_int profile_unasked(struct with *o)
{
    cl_ulong time;
    cl_int code = 1;
    cl_event event = o->context ? clCreateUserEvent(o->context, &code) : NULL;
    if (!event)
        return code;
    code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(time), &time, NULL);
    clSetUserEventStatus(event, CL_COMPLETE);
    clReleaseEvent(event);
    return code;
}
static cl_int ask_what_is_not(struct with *o)
{
    return clGetMemObjectInfo(o->any->handle, 0x7777, sizeof(o->bytes), o->bytes, NULL);
}
static cl_int ask_without_room(struct with *o)
{
    return clGetMemObjectInfo(o->any->handle, CL_MEM_SIZE, 1, o->bytes, NULL);
}
static cl_int migrate_nothing(struct with *o)
{
    return clEnqueueMigrateMemObjects(o->queue, 0, NULL, 0, 0, NULL, NULL);
}
static cl_int migrate_oddly(struct with *o)
{
    return clEnqueueMigrateMemObjects(o->queue, 1, &o->buffer->handle, (cl_mem_migration_flags)1 << 30, 0,
                                      NULL, NULL);
}
static cl_int queue_with_odd_properties(struct with *o)
{
    const cl_queue_properties odd[] = {0x7777, 1, 0};
    cl_int code = 1;
    if (o->context)
        clCreateCommandQueueWithProperties(o->context, w.device, odd, &code);
    return code;
}
static cl_int sampler_of_odd_mode(struct with *o)
{
    cl_int code = 1;
    if (o->context)
        clCreateSampler(o->context, CL_TRUE, 0x7777, CL_FILTER_NEAREST, &code);
    return code;
}

#define CALL(name, code)                                                                                     \
    {                                                                                                        \
        #name, name, code                                                                                    \
    }
static const struct {
    const char *name;
    cl_int (*call)(struct with *);
    cl_int code; /* the specification's; 0: depends on more than is looked at here */
} calls[] = {
    CALL(read_beyond, CL_INVALID_VALUE),
    CALL(read_to_nowhere, CL_INVALID_VALUE),
    CALL(write_beyond, CL_INVALID_VALUE),
    CALL(read_without_queue, CL_INVALID_COMMAND_QUEUE),
    CALL(read_nothing_there, CL_INVALID_MEM_OBJECT),
    CALL(wait_list_missing, CL_INVALID_EVENT_WAIT_LIST),
    CALL(wait_list_unasked, CL_INVALID_EVENT_WAIT_LIST),
    CALL(wait_list_of_nothing, CL_INVALID_EVENT_WAIT_LIST),
    CALL(copy_between_contexts, CL_INVALID_CONTEXT),
    CALL(read_of_other_context, CL_INVALID_CONTEXT),
    CALL(copy_overlapping, CL_MEM_COPY_OVERLAP),
    CALL(fill_with_three, CL_INVALID_VALUE),
    CALL(fill_unaligned, CL_INVALID_VALUE),
    CALL(fill_with_nothing, CL_INVALID_VALUE),
    CALL(fill_beyond, CL_INVALID_VALUE),
    CALL(rect_of_nothing, CL_INVALID_VALUE),
    CALL(rect_beyond, CL_INVALID_VALUE),
    CALL(rect_with_short_rows, CL_INVALID_VALUE),
    CALL(map_beyond, CL_INVALID_VALUE),
    CALL(map_with_odd_flags, CL_INVALID_VALUE),
    CALL(unmap_what_is_not, CL_INVALID_VALUE),
    CALL(window_beyond, CL_INVALID_VALUE),
    CALL(window_of_nothing, CL_INVALID_BUFFER_SIZE),
    CALL(window_misaligned, CL_MISALIGNED_SUB_BUFFER_OFFSET),
    CALL(window_of_window, CL_INVALID_MEM_OBJECT),
    CALL(buffer_of_nothing, CL_INVALID_BUFFER_SIZE),
    CALL(buffer_with_host_unasked, CL_INVALID_HOST_PTR),
    CALL(buffer_with_both, CL_INVALID_VALUE),
    CALL(image_read_beyond, CL_INVALID_VALUE),
    CALL(image_read_deep, CL_INVALID_VALUE),
    CALL(image_read_of_buffer, CL_INVALID_MEM_OBJECT),
    CALL(argument_beyond, CL_INVALID_ARG_INDEX),
    CALL(argument_of_odd_size, CL_INVALID_ARG_SIZE),
    CALL(launch_without_dimensions, CL_INVALID_WORK_DIMENSION),
    CALL(launch_of_nothing, CL_INVALID_KERNEL),
    CALL(launch_unset, CL_INVALID_KERNEL_ARGS),
    CALL(launch_uneven, CL_INVALID_WORK_GROUP_SIZE),
    CALL(kernel_of_no_name, 0),
    CALL(build_with_odd_options, 0),
    CALL(build_for_null, CL_INVALID_VALUE),
    CALL(build_telling_nobody, CL_INVALID_VALUE),
    CALL(program_of_nothing, CL_INVALID_VALUE),
    CALL(program_of_noise, CL_INVALID_BINARY),
    CALL(status_of_command, CL_INVALID_EVENT),
    CALL(status_not_final, CL_INVALID_VALUE),
    CALL(status_twice, CL_INVALID_OPERATION),
    CALL(wait_for_nothing, CL_INVALID_VALUE),
    CALL(profile_unasked, CL_PROFILING_INFO_NOT_AVAILABLE),
    CALL(ask_what_is_not, CL_INVALID_VALUE),
    CALL(ask_without_room, CL_INVALID_VALUE),
    CALL(migrate_nothing, CL_INVALID_VALUE),
    CALL(migrate_oddly, CL_INVALID_VALUE),
    CALL(queue_with_odd_properties, CL_INVALID_VALUE),
    CALL(sampler_of_odd_mode, CL_INVALID_VALUE),
};

void step_wrong(void)
{
    const unsigned what = roll(sizeof(calls) / sizeof(calls[0]));
    struct with with = {.buffer = pick_mem(-1, MEM_BUFFER, true), .any = pick_mem(-1, MEM_BUFFER, false)};
    if (!with.buffer)
        return;
    const unsigned context = with.buffer->context;
    with.other = pick_mem((int)((context + 1) % CONTEXTS), MEM_BUFFER, true);
    with.image = pick_mem((int)context, MEM_IMAGE, true);
    with.kernel = pick_kernel();
    if (with.kernel && with.kernel->context != context)
        with.kernel = NULL;
    with.program = pick_program();
    with.queue = w.context[context].queue[0].handle;
    with.context = w.context[context].closed ? NULL : w.context[context].handle;
    for (unsigned i = 0; i < w.nevents; i++)
        if (w.happening[i].event && !w.happening[i].tainted)
            with.event = w.happening[i].event;
    tell(0, "wrong %s", calls[what].name);
    if (w.spare) /* PoCL 3.1 takes some of these, and crashes on others: the negative tests know */
        return;
    const cl_int code = calls[what].call(&with);
    if (code == CL_SUCCESS || (code < 0 && calls[what].code && code != calls[what].code))
        wrong("%s gives %d, not %d", calls[what].name, code, calls[what].code);
}
