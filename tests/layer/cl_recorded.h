/* SPDX-License-Identifier: MIT */
/* The functions of cl_khr_command_buffer, by name from the platform: `recorded.create` and so on. */
#ifndef CX_TESTS_LAYER_CL_RECORDED_H
#define CX_TESTS_LAYER_CL_RECORDED_H

#include "cl_fixture.h"

#include <CL/cl_ext.h>

extern struct cl_recorded {
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
void cl_recorded_find(void);
/* Asserts success. */
cl_command_buffer_khr cl_recorded_create(cl_command_queue queue, cl_command_buffer_flags_khr flags);

#endif
