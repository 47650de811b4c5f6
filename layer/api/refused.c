/* SPDX-License-Identifier: MIT */
/*
 * Entry points of the OpenCL 3.0 core that the layer does not offer: pipes and queues on the
 * device. Those that get handles of ours check them first, so that a wrong one is told as such, and then
 * refuse with the code that the spec gives for a device without the feature; the device's queries
 * (device_info.c) say the same. Signatures are checked against entry.h.
 */
#include "layer/timeline/context.h"
#include "layer/object/device.h"
#include "layer/base/entry.h"
#include "layer/base/log.h"

static const char no_pipes[] = "the device does not support pipes";

#define FUNCTION (__func__ + 3) /* cx_clFinish is told as clFinish */

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

/* ---- what is asked of devices ---- */

cl_int cx_clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device, cl_command_queue queue)
{
    const struct cx_context *of = cx_context_from(context);
    const struct cx_device *own = cx_device_from(device);
    (void)queue; /* the specification asks about it last */
    if (!of)
        return CX_FAIL(CL_INVALID_CONTEXT, "not a context");
    if (!own || !cx_context_has_device(of, own))
        return CX_FAIL(CL_INVALID_DEVICE, "not a device of the context");
    return CX_FAIL(CL_INVALID_OPERATION, "the device has no queues of its own");
}

/* Programs that look for a device to share GL objects with call this whether or not cl_khr_gl_sharing is
 * there. */
cl_int cx_clGetGLContextInfoKHR(const cl_context_properties *properties, cl_gl_context_info param_name,
                                size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    return CX_FAIL(CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR, "the device shares nothing with GL");
}
