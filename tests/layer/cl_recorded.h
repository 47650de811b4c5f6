/* SPDX-License-Identifier: MIT */
/* The functions of cl_khr_command_buffer, by name from the platform: `recorded.create` and so on. */
#ifndef CX_TESTS_LAYER_CL_RECORDED_H
#define CX_TESTS_LAYER_CL_RECORDED_H

#include "cl_fixture.h"

#include <CL/cl_ext.h>

static struct {
    clCreateCommandBufferKHR_fn create;
    clFinalizeCommandBufferKHR_fn finalize;
    clRetainCommandBufferKHR_fn retain;
    clReleaseCommandBufferKHR_fn release;
    clEnqueueCommandBufferKHR_fn enqueue;
    clCommandBarrierWithWaitListKHR_fn barrier;
    clCommandCopyBufferKHR_fn copy;
    clCommandCopyBufferRectKHR_fn copy_rect;
    clCommandCopyBufferToImageKHR_fn to_image;
    clCommandCopyImageKHR_fn copy_image;
    clCommandCopyImageToBufferKHR_fn from_image;
    clCommandFillBufferKHR_fn fill;
    clCommandFillImageKHR_fn fill_image;
    clCommandNDRangeKernelKHR_fn kernel;
    clGetCommandBufferInfoKHR_fn info;
} recorded;

/* In a checked fixture, behind cl_open. */
static void cl_recorded_find(void)
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

#endif
