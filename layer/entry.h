/* SPDX-License-Identifier: MIT */
/*
 * The entry points behind the table that the loader calls (icd.c): each OpenCL function under the name
 * cx_<function>, declared with the type the OpenCL headers give it, so that a drifted signature does not
 * compile.
 *
 * Defined in the file of the object they work on, or in refuse.c where the layer does not offer them.
 * Previous stage: the ICD loader. Thread-safety: as OpenCL asks of the function.
 */
#ifndef CX_LAYER_ENTRY_H
#define CX_LAYER_ENTRY_H

#include <CL/cl.h>
#include <CL/cl_ext.h>

/* OpenCL 1.0 */
extern __typeof__(clGetPlatformIDs) cx_clGetPlatformIDs;
extern __typeof__(clGetPlatformInfo) cx_clGetPlatformInfo;
extern __typeof__(clGetDeviceIDs) cx_clGetDeviceIDs;
extern __typeof__(clGetDeviceInfo) cx_clGetDeviceInfo;
extern __typeof__(clCreateContext) cx_clCreateContext;
extern __typeof__(clCreateContextFromType) cx_clCreateContextFromType;
extern __typeof__(clRetainContext) cx_clRetainContext;
extern __typeof__(clReleaseContext) cx_clReleaseContext;
extern __typeof__(clGetContextInfo) cx_clGetContextInfo;
extern __typeof__(clCreateCommandQueue) cx_clCreateCommandQueue;
extern __typeof__(clRetainCommandQueue) cx_clRetainCommandQueue;
extern __typeof__(clReleaseCommandQueue) cx_clReleaseCommandQueue;
extern __typeof__(clGetCommandQueueInfo) cx_clGetCommandQueueInfo;
extern __typeof__(clSetCommandQueueProperty) cx_clSetCommandQueueProperty;
extern __typeof__(clCreateBuffer) cx_clCreateBuffer;
extern __typeof__(clCreateImage2D) cx_clCreateImage2D;
extern __typeof__(clCreateImage3D) cx_clCreateImage3D;
extern __typeof__(clRetainMemObject) cx_clRetainMemObject;
extern __typeof__(clReleaseMemObject) cx_clReleaseMemObject;
extern __typeof__(clGetSupportedImageFormats) cx_clGetSupportedImageFormats;
extern __typeof__(clGetMemObjectInfo) cx_clGetMemObjectInfo;
extern __typeof__(clGetImageInfo) cx_clGetImageInfo;
extern __typeof__(clCreateSampler) cx_clCreateSampler;
extern __typeof__(clRetainSampler) cx_clRetainSampler;
extern __typeof__(clReleaseSampler) cx_clReleaseSampler;
extern __typeof__(clGetSamplerInfo) cx_clGetSamplerInfo;
extern __typeof__(clCreateProgramWithSource) cx_clCreateProgramWithSource;
extern __typeof__(clCreateProgramWithBinary) cx_clCreateProgramWithBinary;
extern __typeof__(clRetainProgram) cx_clRetainProgram;
extern __typeof__(clReleaseProgram) cx_clReleaseProgram;
extern __typeof__(clBuildProgram) cx_clBuildProgram;
extern __typeof__(clUnloadCompiler) cx_clUnloadCompiler;
extern __typeof__(clGetProgramInfo) cx_clGetProgramInfo;
extern __typeof__(clGetProgramBuildInfo) cx_clGetProgramBuildInfo;
extern __typeof__(clCreateKernel) cx_clCreateKernel;
extern __typeof__(clCreateKernelsInProgram) cx_clCreateKernelsInProgram;
extern __typeof__(clRetainKernel) cx_clRetainKernel;
extern __typeof__(clReleaseKernel) cx_clReleaseKernel;
extern __typeof__(clSetKernelArg) cx_clSetKernelArg;
extern __typeof__(clGetKernelInfo) cx_clGetKernelInfo;
extern __typeof__(clGetKernelWorkGroupInfo) cx_clGetKernelWorkGroupInfo;
extern __typeof__(clWaitForEvents) cx_clWaitForEvents;
extern __typeof__(clGetEventInfo) cx_clGetEventInfo;
extern __typeof__(clRetainEvent) cx_clRetainEvent;
extern __typeof__(clReleaseEvent) cx_clReleaseEvent;
extern __typeof__(clGetEventProfilingInfo) cx_clGetEventProfilingInfo;
extern __typeof__(clFlush) cx_clFlush;
extern __typeof__(clFinish) cx_clFinish;
extern __typeof__(clEnqueueReadBuffer) cx_clEnqueueReadBuffer;
extern __typeof__(clEnqueueWriteBuffer) cx_clEnqueueWriteBuffer;
extern __typeof__(clEnqueueCopyBuffer) cx_clEnqueueCopyBuffer;
extern __typeof__(clEnqueueReadImage) cx_clEnqueueReadImage;
extern __typeof__(clEnqueueWriteImage) cx_clEnqueueWriteImage;
extern __typeof__(clEnqueueCopyImage) cx_clEnqueueCopyImage;
extern __typeof__(clEnqueueCopyImageToBuffer) cx_clEnqueueCopyImageToBuffer;
extern __typeof__(clEnqueueCopyBufferToImage) cx_clEnqueueCopyBufferToImage;
extern __typeof__(clEnqueueMapBuffer) cx_clEnqueueMapBuffer;
extern __typeof__(clEnqueueMapImage) cx_clEnqueueMapImage;
extern __typeof__(clEnqueueUnmapMemObject) cx_clEnqueueUnmapMemObject;
extern __typeof__(clEnqueueNDRangeKernel) cx_clEnqueueNDRangeKernel;
extern __typeof__(clEnqueueTask) cx_clEnqueueTask;
extern __typeof__(clEnqueueNativeKernel) cx_clEnqueueNativeKernel;
extern __typeof__(clEnqueueMarker) cx_clEnqueueMarker;
extern __typeof__(clEnqueueWaitForEvents) cx_clEnqueueWaitForEvents;
extern __typeof__(clEnqueueBarrier) cx_clEnqueueBarrier;
extern __typeof__(clGetExtensionFunctionAddress) cx_clGetExtensionFunctionAddress;

/* OpenCL 1.1 */
extern __typeof__(clSetEventCallback) cx_clSetEventCallback;
extern __typeof__(clCreateSubBuffer) cx_clCreateSubBuffer;
extern __typeof__(clSetMemObjectDestructorCallback) cx_clSetMemObjectDestructorCallback;
extern __typeof__(clCreateUserEvent) cx_clCreateUserEvent;
extern __typeof__(clSetUserEventStatus) cx_clSetUserEventStatus;
extern __typeof__(clEnqueueReadBufferRect) cx_clEnqueueReadBufferRect;
extern __typeof__(clEnqueueWriteBufferRect) cx_clEnqueueWriteBufferRect;
extern __typeof__(clEnqueueCopyBufferRect) cx_clEnqueueCopyBufferRect;

/* OpenCL 1.2 */
extern __typeof__(clCreateSubDevices) cx_clCreateSubDevices;
extern __typeof__(clRetainDevice) cx_clRetainDevice;
extern __typeof__(clReleaseDevice) cx_clReleaseDevice;
extern __typeof__(clCreateImage) cx_clCreateImage;
extern __typeof__(clCreateProgramWithBuiltInKernels) cx_clCreateProgramWithBuiltInKernels;
extern __typeof__(clCompileProgram) cx_clCompileProgram;
extern __typeof__(clLinkProgram) cx_clLinkProgram;
extern __typeof__(clUnloadPlatformCompiler) cx_clUnloadPlatformCompiler;
extern __typeof__(clGetKernelArgInfo) cx_clGetKernelArgInfo;
extern __typeof__(clEnqueueFillBuffer) cx_clEnqueueFillBuffer;
extern __typeof__(clEnqueueFillImage) cx_clEnqueueFillImage;
extern __typeof__(clEnqueueMigrateMemObjects) cx_clEnqueueMigrateMemObjects;
extern __typeof__(clEnqueueMarkerWithWaitList) cx_clEnqueueMarkerWithWaitList;
extern __typeof__(clEnqueueBarrierWithWaitList) cx_clEnqueueBarrierWithWaitList;
extern __typeof__(clGetExtensionFunctionAddressForPlatform) cx_clGetExtensionFunctionAddressForPlatform;

/* OpenCL 2.0 */
extern __typeof__(clCreateCommandQueueWithProperties) cx_clCreateCommandQueueWithProperties;
extern __typeof__(clCreatePipe) cx_clCreatePipe;
extern __typeof__(clGetPipeInfo) cx_clGetPipeInfo;
extern __typeof__(clSVMAlloc) cx_clSVMAlloc;
extern __typeof__(clSVMFree) cx_clSVMFree;
extern __typeof__(clEnqueueSVMFree) cx_clEnqueueSVMFree;
extern __typeof__(clEnqueueSVMMemcpy) cx_clEnqueueSVMMemcpy;
extern __typeof__(clEnqueueSVMMemFill) cx_clEnqueueSVMMemFill;
extern __typeof__(clEnqueueSVMMap) cx_clEnqueueSVMMap;
extern __typeof__(clEnqueueSVMUnmap) cx_clEnqueueSVMUnmap;
extern __typeof__(clCreateSamplerWithProperties) cx_clCreateSamplerWithProperties;
extern __typeof__(clSetKernelArgSVMPointer) cx_clSetKernelArgSVMPointer;
extern __typeof__(clSetKernelExecInfo) cx_clSetKernelExecInfo;

/* OpenCL 2.1 */
extern __typeof__(clCloneKernel) cx_clCloneKernel;
extern __typeof__(clCreateProgramWithIL) cx_clCreateProgramWithIL;
extern __typeof__(clEnqueueSVMMigrateMem) cx_clEnqueueSVMMigrateMem;
extern __typeof__(clGetDeviceAndHostTimer) cx_clGetDeviceAndHostTimer;
extern __typeof__(clGetHostTimer) cx_clGetHostTimer;
extern __typeof__(clGetKernelSubGroupInfo) cx_clGetKernelSubGroupInfo;
extern __typeof__(clSetDefaultDeviceCommandQueue) cx_clSetDefaultDeviceCommandQueue;

/* OpenCL 2.2 */
extern __typeof__(clSetProgramReleaseCallback) cx_clSetProgramReleaseCallback;
extern __typeof__(clSetProgramSpecializationConstant) cx_clSetProgramSpecializationConstant;

/* OpenCL 3.0 */
extern __typeof__(clCreateBufferWithProperties) cx_clCreateBufferWithProperties;
extern __typeof__(clCreateImageWithProperties) cx_clCreateImageWithProperties;
extern __typeof__(clSetContextDestructorCallback) cx_clSetContextDestructorCallback;

/* cl_khr_icd */
extern __typeof__(clIcdGetPlatformIDsKHR) cx_clIcdGetPlatformIDsKHR;

#endif
