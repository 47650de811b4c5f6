/* SPDX-License-Identifier: MIT */
/*
 * A driver that lacks a function which it calls.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_icd.h>

extern cl_int in_no_library(cl_uint count, cl_platform_id *platforms, cl_uint *found);

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint count, cl_platform_id *platforms,
                                                       cl_uint *found)
{
    return in_no_library(count, platforms, found);
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    return name && *name == 'c' ? (void *)clIcdGetPlatformIDsKHR : NULL;
}
