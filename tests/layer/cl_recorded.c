/* SPDX-License-Identifier: MIT */
/* Recorded commands. See cl_recorded.h. */
#include "cl_recorded.h"

struct cl_recorded recorded;

void cl_recorded_find(void)
{
    const struct {
        void *to;
        const char *name;
    } functions[] = {
        {&recorded.create, "clCreateCommandBufferKHR"},
        {&recorded.finalize, "clFinalizeCommandBufferKHR"},
        {&recorded.retain, "clRetainCommandBufferKHR"},
        {&recorded.release, "clReleaseCommandBufferKHR"},
        {&recorded.enqueue, "clEnqueueCommandBufferKHR"},
        {&recorded.barrier, "clCommandBarrierWithWaitListKHR"},
        {&recorded.copy, "clCommandCopyBufferKHR"},
        {&recorded.copy_rect, "clCommandCopyBufferRectKHR"},
        {&recorded.to_image, "clCommandCopyBufferToImageKHR"},
        {&recorded.copy_image, "clCommandCopyImageKHR"},
        {&recorded.from_image, "clCommandCopyImageToBufferKHR"},
        {&recorded.fill, "clCommandFillBufferKHR"},
        {&recorded.fill_image, "clCommandFillImageKHR"},
        {&recorded.kernel, "clCommandNDRangeKernelKHR"},
        {&recorded.info, "clGetCommandBufferInfoKHR"},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = clGetExtensionFunctionAddressForPlatform(cl.platform, functions[i].name);
        ck_assert_msg(found != NULL, "no %s", functions[i].name);
        memcpy(functions[i].to, &found, sizeof found);
    }
}

cl_command_buffer_khr cl_recorded_create(cl_command_queue queue, cl_command_buffer_flags_khr flags)
{
    const cl_command_buffer_properties_khr properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0};
    cl_int error;
    cl_command_buffer_khr buffer = recorded.create(1, &queue, flags ? properties : NULL, &error);
    cl_ok(error);
    ck_assert_ptr_nonnull(buffer);
    return buffer;
}
