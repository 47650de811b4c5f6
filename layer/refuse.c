/* SPDX-License-Identifier: MIT */
/*
 * Entry points of the OpenCL 3.0 core that the layer does not offer: images, samplers, pipes, native kernels,
 * queues on the device. Each checks the handles it gets, so that a wrong handle is told as such, and then
 * refuses with the code that the spec gives for a device without the feature; the device's queries
 * (device_info.c) say the same. Signatures are checked against entry.h.
 */
#include "layer/device.h"
#include "layer/entry.h"
#include "layer/log.h"

static const char no_images[] = "the device does not support images";
static const char no_pipes[] = "the device does not support pipes";

#define FUNCTION (__func__ + 3) /* cx_clFinish is told as clFinish */

/* The answer of a command: INVALID_COMMAND_QUEUE, or INVALID_OPERATION for that reason. */
static cl_int refuse_command(const char *function, cl_command_queue queue, const char *reason)
{
    if (!cx_object_cast(queue, CX_TAG_QUEUE))
        return cx_fail(function, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    return cx_fail(function, CL_INVALID_OPERATION, reason);
}

/* The answer of a clCreate function: no object, and the code in *errcode_ret. */
static void *refuse_object(const char *function, cl_context context, const char *reason, cl_int *errcode_ret)
{
    cl_int code = cx_object_cast(context, CX_TAG_CONTEXT)
                      ? cx_fail(function, CL_INVALID_OPERATION, reason)
                      : cx_fail(function, CL_INVALID_CONTEXT, "not a context");
    if (errcode_ret)
        *errcode_ret = code;
    return NULL;
}

/* ---- images ---- */

cl_mem cx_clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                        const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret)
{
    return refuse_object(FUNCTION, context, no_images, errcode_ret);
}

cl_mem cx_clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                      cl_mem_flags flags, const cl_image_format *image_format,
                                      const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret)
{
    return refuse_object(FUNCTION, context, no_images, errcode_ret);
}

cl_mem cx_clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                          size_t image_width, size_t image_height, size_t image_row_pitch, void *host_ptr,
                          cl_int *errcode_ret)
{
    return refuse_object(FUNCTION, context, no_images, errcode_ret);
}

cl_mem cx_clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                          size_t image_width, size_t image_height, size_t image_depth, size_t image_row_pitch,
                          size_t image_slice_pitch, void *host_ptr, cl_int *errcode_ret)
{
    return refuse_object(FUNCTION, context, no_images, errcode_ret);
}

/* No refusal: without images there are simply no formats. */
cl_int cx_clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type image_type,
                                     cl_uint num_entries, cl_image_format *image_formats,
                                     cl_uint *num_image_formats)
{
    if (!cx_object_cast(context, CX_TAG_CONTEXT))
        return CX_FAIL(CL_INVALID_CONTEXT, "not a context");
    if (image_formats && num_entries == 0)
        return CX_FAIL(CL_INVALID_VALUE, "a list of formats without room");
    if (num_image_formats)
        *num_image_formats = 0;
    return CL_SUCCESS;
}

cl_int cx_clGetImageInfo(cl_mem image, cl_image_info param_name, size_t param_value_size, void *param_value,
                         size_t *param_value_size_ret)
{
    return CX_FAIL(CL_INVALID_MEM_OBJECT, "not an image: there are none");
}

cl_int cx_clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking_read,
                             const size_t *origin, const size_t *region, size_t row_pitch, size_t slice_pitch,
                             void *ptr, cl_uint num_events, const cl_event *wait_list, cl_event *event)
{
    return refuse_command(FUNCTION, queue, no_images);
}

cl_int cx_clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking_write,
                              const size_t *origin, const size_t *region, size_t row_pitch,
                              size_t slice_pitch, const void *ptr, cl_uint num_events,
                              const cl_event *wait_list, cl_event *event)
{
    return refuse_command(FUNCTION, queue, no_images);
}

cl_int cx_clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *fill_color,
                             const size_t *origin, const size_t *region, cl_uint num_events,
                             const cl_event *wait_list, cl_event *event)
{
    return refuse_command(FUNCTION, queue, no_images);
}

cl_int cx_clEnqueueCopyImage(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
                             const size_t *to_origin, const size_t *region, cl_uint num_events,
                             const cl_event *wait_list, cl_event *event)
{
    return refuse_command(FUNCTION, queue, no_images);
}

cl_int cx_clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem image, cl_mem buffer,
                                     const size_t *origin, const size_t *region, size_t offset,
                                     cl_uint num_events, const cl_event *wait_list, cl_event *event)
{
    return refuse_command(FUNCTION, queue, no_images);
}

cl_int cx_clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem buffer, cl_mem image, size_t offset,
                                     const size_t *origin, const size_t *region, cl_uint num_events,
                                     const cl_event *wait_list, cl_event *event)
{
    return refuse_command(FUNCTION, queue, no_images);
}

void *cx_clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking_map, cl_map_flags map_flags,
                           const size_t *origin, const size_t *region, size_t *row_pitch, size_t *slice_pitch,
                           cl_uint num_events, const cl_event *wait_list, cl_event *event,
                           cl_int *errcode_ret)
{
    cl_int code = refuse_command(FUNCTION, queue, no_images);
    if (errcode_ret)
        *errcode_ret = code;
    return NULL;
}

/* ---- samplers: of no use without images, and the spec refuses them then ---- */

cl_sampler cx_clCreateSampler(cl_context context, cl_bool normalized_coords,
                              cl_addressing_mode addressing_mode, cl_filter_mode filter_mode,
                              cl_int *errcode_ret)
{
    return refuse_object(FUNCTION, context, no_images, errcode_ret);
}

cl_sampler cx_clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *properties,
                                            cl_int *errcode_ret)
{
    return refuse_object(FUNCTION, context, no_images, errcode_ret);
}

cl_int cx_clRetainSampler(cl_sampler sampler)
{
    return CX_FAIL(CL_INVALID_SAMPLER, "not a sampler: there are none");
}

cl_int cx_clReleaseSampler(cl_sampler sampler)
{
    return CX_FAIL(CL_INVALID_SAMPLER, "not a sampler: there are none");
}

cl_int cx_clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name, size_t param_value_size,
                           void *param_value, size_t *param_value_size_ret)
{
    return CX_FAIL(CL_INVALID_SAMPLER, "not a sampler: there are none");
}

/* ---- pipes ---- */

cl_mem cx_clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet_size, cl_uint max_packets,
                       const cl_pipe_properties *properties, cl_int *errcode_ret)
{
    return refuse_object(FUNCTION, context, no_pipes, errcode_ret);
}

cl_int cx_clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size, void *param_value,
                        size_t *param_value_size_ret)
{
    return CX_FAIL(CL_INVALID_MEM_OBJECT, "not a pipe: there are none");
}

/* ---- native kernels: the device executes kernels only (CL_DEVICE_EXECUTION_CAPABILITIES) ---- */

cl_int cx_clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *function)(void *), void *arguments,
                                size_t size, cl_uint num_objects, const cl_mem *objects,
                                const void **locations, cl_uint num_events, const cl_event *wait_list,
                                cl_event *event)
{
    return refuse_command(FUNCTION, queue, "the device does not execute native kernels");
}

/* ---- what is asked of devices ---- */

cl_int cx_clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device, cl_command_queue queue)
{
    if (!cx_object_cast(context, CX_TAG_CONTEXT))
        return CX_FAIL(CL_INVALID_CONTEXT, "not a context");
    if (!cx_device_from(device))
        return CX_FAIL(CL_INVALID_DEVICE, "not a device");
    if (!cx_object_cast(queue, CX_TAG_QUEUE))
        return CX_FAIL(CL_INVALID_COMMAND_QUEUE, "not a command queue");
    return CX_FAIL(CL_INVALID_OPERATION, "the device has no queues of its own");
}

/* Programs that look for a device to share GL objects with call this whether or not cl_khr_gl_sharing is
 * there. */
cl_int cx_clGetGLContextInfoKHR(const cl_context_properties *properties, cl_gl_context_info param_name,
                                size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    return CX_FAIL(CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR, "the device shares nothing with GL");
}
