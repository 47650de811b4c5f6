/* SPDX-License-Identifier: MIT */
/*
 * One call at a time for a driver that may not be called from two threads at once.
 *
 * oclgrind runs queued commands in whichever threads flush or wait, and keeps one kernel at a time in mind
 * for a context: two threads in it at once end the process. Its calls that make, release, enqueue or wait for
 * something go through one lock, which a callback may take again. What it waits for it runs in the same
 * thread, and no event of another driver or of the program ever reaches it, so that nobody waits under the
 * lock for someone who needs it. Previous stage: drivers.c.
 */
#include "layer/driver/drivers.h"
#include "layer/base/lock.h"

#include <pthread.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct cx_lock lock;
static cl_icd_dispatch theirs; /* of the one driver this is for; written once */

#define SERIAL(type, name, parameters, arguments)                                                            \
    static type CL_API_CALL serial_##name parameters                                                         \
    {                                                                                                        \
        cx_lock(&lock);                                                                                      \
        type result = theirs.name arguments;                                                                 \
        cx_unlock(&lock);                                                                                    \
        return result;                                                                                       \
    }
// clang-format off
SERIAL(cl_int, clEnqueueReadBuffer, (cl_command_queue a, cl_mem b, cl_bool c, size_t d, size_t e, void *f, cl_uint g, const cl_event *h, cl_event *i), (a, b, c, d, e, f, g, h, i))
SERIAL(cl_int, clEnqueueWriteBuffer, (cl_command_queue a, cl_mem b, cl_bool c, size_t d, size_t e, const void *f, cl_uint g, const cl_event *h, cl_event *i), (a, b, c, d, e, f, g, h, i))
SERIAL(cl_int, clEnqueueReadBufferRect, (cl_command_queue a, cl_mem b, cl_bool c, const size_t *d, const size_t *e, const size_t *f, size_t g, size_t h, size_t i, size_t j, void *k, cl_uint l, const cl_event *m, cl_event *n), (a, b, c, d, e, f, g, h, i, j, k, l, m, n))
SERIAL(cl_int, clEnqueueWriteBufferRect, (cl_command_queue a, cl_mem b, cl_bool c, const size_t *d, const size_t *e, const size_t *f, size_t g, size_t h, size_t i, size_t j, const void *k, cl_uint l, const cl_event *m, cl_event *n), (a, b, c, d, e, f, g, h, i, j, k, l, m, n))
SERIAL(cl_int, clEnqueueFillBuffer, (cl_command_queue a, cl_mem b, const void *c, size_t d, size_t e, size_t f, cl_uint g, const cl_event *h, cl_event *i), (a, b, c, d, e, f, g, h, i))
SERIAL(cl_int, clEnqueueCopyBuffer, (cl_command_queue a, cl_mem b, cl_mem c, size_t d, size_t e, size_t f, cl_uint g, const cl_event *h, cl_event *i), (a, b, c, d, e, f, g, h, i))
SERIAL(cl_int, clEnqueueCopyBufferRect, (cl_command_queue a, cl_mem b, cl_mem c, const size_t *d, const size_t *e, const size_t *f, size_t g, size_t h, size_t i, size_t j, cl_uint k, const cl_event *l, cl_event *m), (a, b, c, d, e, f, g, h, i, j, k, l, m))
SERIAL(cl_int, clEnqueueReadImage, (cl_command_queue a, cl_mem b, cl_bool c, const size_t *d, const size_t *e, size_t f, size_t g, void *h, cl_uint i, const cl_event *j, cl_event *k), (a, b, c, d, e, f, g, h, i, j, k))
SERIAL(cl_int, clEnqueueWriteImage, (cl_command_queue a, cl_mem b, cl_bool c, const size_t *d, const size_t *e, size_t f, size_t g, const void *h, cl_uint i, const cl_event *j, cl_event *k), (a, b, c, d, e, f, g, h, i, j, k))
SERIAL(cl_int, clEnqueueFillImage, (cl_command_queue a, cl_mem b, const void *c, const size_t *d, const size_t *e, cl_uint f, const cl_event *g, cl_event *h), (a, b, c, d, e, f, g, h))
SERIAL(cl_int, clEnqueueCopyImage, (cl_command_queue a, cl_mem b, cl_mem c, const size_t *d, const size_t *e, const size_t *f, cl_uint g, const cl_event *h, cl_event *i), (a, b, c, d, e, f, g, h, i))
SERIAL(cl_int, clEnqueueCopyImageToBuffer, (cl_command_queue a, cl_mem b, cl_mem c, const size_t *d, const size_t *e, size_t f, cl_uint g, const cl_event *h, cl_event *i), (a, b, c, d, e, f, g, h, i))
SERIAL(cl_int, clEnqueueCopyBufferToImage, (cl_command_queue a, cl_mem b, cl_mem c, size_t d, const size_t *e, const size_t *f, cl_uint g, const cl_event *h, cl_event *i), (a, b, c, d, e, f, g, h, i))
SERIAL(void *, clEnqueueMapBuffer, (cl_command_queue a, cl_mem b, cl_bool c, cl_map_flags d, size_t e, size_t f, cl_uint g, const cl_event *h, cl_event *i, cl_int *j), (a, b, c, d, e, f, g, h, i, j))
SERIAL(cl_int, clEnqueueUnmapMemObject, (cl_command_queue a, cl_mem b, void *c, cl_uint d, const cl_event *e, cl_event *f), (a, b, c, d, e, f))
SERIAL(cl_int, clEnqueueNDRangeKernel, (cl_command_queue a, cl_kernel b, cl_uint c, const size_t *d, const size_t *e, const size_t *f, cl_uint g, const cl_event *h, cl_event *i), (a, b, c, d, e, f, g, h, i))
SERIAL(cl_int, clEnqueueMarker, (cl_command_queue a, cl_event *b), (a, b))
SERIAL(cl_int, clFinish, (cl_command_queue a), (a))
SERIAL(cl_int, clFlush, (cl_command_queue a), (a))
SERIAL(cl_int, clWaitForEvents, (cl_uint a, const cl_event *b), (a, b))
SERIAL(cl_int, clRetainEvent, (cl_event a), (a))
SERIAL(cl_int, clReleaseEvent, (cl_event a), (a))
SERIAL(cl_mem, clCreateBuffer, (cl_context a, cl_mem_flags b, size_t c, void *d, cl_int *e), (a, b, c, d, e))
SERIAL(cl_mem, clCreateSubBuffer, (cl_mem a, cl_mem_flags b, cl_buffer_create_type c, const void *d, cl_int *e), (a, b, c, d, e))
SERIAL(cl_mem, clCreateImage, (cl_context a, cl_mem_flags b, const cl_image_format *c, const cl_image_desc *d, void *e, cl_int *f), (a, b, c, d, e, f))
SERIAL(cl_int, clRetainMemObject, (cl_mem a), (a))
SERIAL(cl_int, clReleaseMemObject, (cl_mem a), (a))
SERIAL(cl_sampler, clCreateSampler, (cl_context a, cl_bool b, cl_addressing_mode c, cl_filter_mode d, cl_int *e), (a, b, c, d, e))
SERIAL(cl_int, clReleaseSampler, (cl_sampler a), (a))
SERIAL(cl_program, clCreateProgramWithSource, (cl_context a, cl_uint b, const char **c, const size_t *d, cl_int *e), (a, b, c, d, e))
SERIAL(cl_program, clCreateProgramWithBinary, (cl_context a, cl_uint b, const cl_device_id *c, const size_t *d, const unsigned char **e, cl_int *f, cl_int *g), (a, b, c, d, e, f, g))
SERIAL(cl_int, clReleaseProgram, (cl_program a), (a))
SERIAL(cl_kernel, clCreateKernel, (cl_program a, const char *b, cl_int *c), (a, b, c))
SERIAL(cl_int, clReleaseKernel, (cl_kernel a), (a))
SERIAL(cl_int, clSetKernelArg, (cl_kernel a, cl_uint b, size_t c, const void *d), (a, b, c, d))
SERIAL(cl_command_queue, clCreateCommandQueue, (cl_context a, cl_device_id b, cl_command_queue_properties c, cl_int *d), (a, b, c, d))
SERIAL(cl_int, clReleaseCommandQueue, (cl_command_queue a), (a))
SERIAL(cl_int, clReleaseContext, (cl_context a), (a))
SERIAL(cl_int, clBuildProgram, (cl_program a, cl_uint b, const cl_device_id *c, const char *d, void(CL_CALLBACK *e)(cl_program, void *), void *f), (a, b, c, d, e, f))
SERIAL(cl_context, clCreateContext, (const cl_context_properties *a, cl_uint b, const cl_device_id *c, void(CL_CALLBACK *d)(const char *, const void *, size_t, void *), void *e, cl_int *f), (a, b, c, d, e, f))
SERIAL(cl_int, clSetEventCallback, (cl_event a, cl_int b, void(CL_CALLBACK *c)(cl_event, cl_int, void *), void *d), (a, b, c, d))
// clang-format on

static void init(void)
{
    cx_lock_init_recursive(&lock, CX_RANK_SERIALIZE);
}

void cx_serialize(const char *platform, cl_icd_dispatch *table)
{
    if (!platform || strcmp(platform, "Oclgrind") != 0 || theirs.clFinish)
        return;
    pthread_once(&once, init);
    theirs = *table;
#define SERIALISE(name)                                                                                      \
    if (table->name)                                                                                         \
        table->name = serial_##name;
    // clang-format off
    SERIALISE(clEnqueueReadBuffer)
    SERIALISE(clEnqueueWriteBuffer)
    SERIALISE(clEnqueueReadBufferRect)
    SERIALISE(clEnqueueWriteBufferRect)
    SERIALISE(clEnqueueFillBuffer)
    SERIALISE(clEnqueueCopyBuffer)
    SERIALISE(clEnqueueCopyBufferRect)
    SERIALISE(clEnqueueReadImage)
    SERIALISE(clEnqueueWriteImage)
    SERIALISE(clEnqueueFillImage)
    SERIALISE(clEnqueueCopyImage)
    SERIALISE(clEnqueueCopyImageToBuffer)
    SERIALISE(clEnqueueCopyBufferToImage)
    SERIALISE(clEnqueueMapBuffer)
    SERIALISE(clEnqueueUnmapMemObject)
    SERIALISE(clEnqueueNDRangeKernel)
    SERIALISE(clEnqueueMarker)
    SERIALISE(clFinish)
    SERIALISE(clFlush)
    SERIALISE(clWaitForEvents)
    SERIALISE(clRetainEvent)
    SERIALISE(clReleaseEvent)
    SERIALISE(clCreateBuffer)
    SERIALISE(clCreateSubBuffer)
    SERIALISE(clCreateImage)
    SERIALISE(clRetainMemObject)
    SERIALISE(clReleaseMemObject)
    SERIALISE(clCreateSampler)
    SERIALISE(clReleaseSampler)
    SERIALISE(clCreateProgramWithSource)
    SERIALISE(clCreateProgramWithBinary)
    SERIALISE(clReleaseProgram)
    SERIALISE(clCreateKernel)
    SERIALISE(clReleaseKernel)
    SERIALISE(clSetKernelArg)
    SERIALISE(clCreateCommandQueue)
    SERIALISE(clReleaseCommandQueue)
    SERIALISE(clReleaseContext)
    SERIALISE(clBuildProgram)
    SERIALISE(clCreateContext)
    SERIALISE(clSetEventCallback)
    // clang-format on
}
