/* SPDX-License-Identifier: MIT */
/* Stub driver: the calls it implements, declared from the standard's own prototypes so that none can drift.
 */
#ifndef CX_TESTS_DRIVER_CALLS_H
#define CX_TESTS_DRIVER_CALLS_H

#include "stub.h"

#define STUB_CALLS(X)                                                                                        \
    X(GetPlatformInfo)                                                                                       \
    X(GetDeviceIDs)                                                                                          \
    X(GetDeviceInfo)                                                                                         \
    X(CreateSubDevices)                                                                                      \
    X(RetainDevice)                                                                                          \
    X(ReleaseDevice)                                                                                         \
    X(CreateContext)                                                                                         \
    X(CreateContextFromType)                                                                                 \
    X(RetainContext)                                                                                         \
    X(ReleaseContext)                                                                                        \
    X(GetContextInfo)                                                                                        \
    X(GetSupportedImageFormats)                                                                              \
    X(CreateCommandQueue)                                                                                    \
    X(CreateCommandQueueWithProperties)                                                                      \
    X(RetainCommandQueue)                                                                                    \
    X(ReleaseCommandQueue)                                                                                   \
    X(GetCommandQueueInfo)                                                                                   \
    X(Flush)                                                                                                 \
    X(Finish)                                                                                                \
    X(CreateBuffer)                                                                                          \
    X(CreateBufferWithProperties)                                                                            \
    X(CreateSubBuffer)                                                                                       \
    X(RetainMemObject)                                                                                       \
    X(ReleaseMemObject)                                                                                      \
    X(GetMemObjectInfo)                                                                                      \
    X(SetMemObjectDestructorCallback)                                                                        \
    X(CreateProgramWithSource)                                                                               \
    X(CreateProgramWithBinary)                                                                               \
    X(CreateProgramWithIL)                                                                                   \
    X(CreateProgramWithBuiltInKernels)                                                                       \
    X(SetProgramSpecializationConstant)                                                                      \
    X(GetKernelSubGroupInfo)                                                                                 \
    X(BuildProgram)                                                                                          \
    X(RetainProgram)                                                                                         \
    X(ReleaseProgram)                                                                                        \
    X(GetProgramInfo)                                                                                        \
    X(GetProgramBuildInfo)                                                                                   \
    X(UnloadPlatformCompiler)                                                                                \
    X(CreateKernel)                                                                                          \
    X(CreateKernelsInProgram)                                                                                \
    X(RetainKernel)                                                                                          \
    X(ReleaseKernel)                                                                                         \
    X(SetKernelArg)                                                                                          \
    X(GetKernelInfo)                                                                                         \
    X(GetKernelArgInfo)                                                                                      \
    X(GetKernelWorkGroupInfo)                                                                                \
    X(CreateUserEvent)                                                                                       \
    X(SetUserEventStatus)                                                                                    \
    X(SetEventCallback)                                                                                      \
    X(WaitForEvents)                                                                                         \
    X(GetEventInfo)                                                                                          \
    X(GetEventProfilingInfo)                                                                                 \
    X(RetainEvent)                                                                                           \
    X(ReleaseEvent)                                                                                          \
    X(EnqueueReadBuffer)                                                                                     \
    X(EnqueueWriteBuffer)                                                                                    \
    X(EnqueueCopyBuffer)                                                                                     \
    X(EnqueueReadBufferRect)                                                                                 \
    X(EnqueueWriteBufferRect)                                                                                \
    X(EnqueueCopyBufferRect)                                                                                 \
    X(EnqueueFillBuffer)                                                                                     \
    X(EnqueueMapBuffer)                                                                                      \
    X(EnqueueUnmapMemObject)                                                                                 \
    X(EnqueueMigrateMemObjects)                                                                              \
    X(EnqueueNDRangeKernel)                                                                                  \
    X(EnqueueTask)                                                                                           \
    X(EnqueueMarker)                                                                                         \
    X(EnqueueBarrier)                                                                                        \
    X(EnqueueWaitForEvents)                                                                                  \
    X(EnqueueMarkerWithWaitList)                                                                             \
    X(EnqueueBarrierWithWaitList)                                                                            \
    X(GetExtensionFunctionAddressForPlatform)

#define STUB_DECLARE(call) extern __typeof__(cl##call) stub_cl##call;
STUB_CALLS(STUB_DECLARE)
#undef STUB_DECLARE

#endif
