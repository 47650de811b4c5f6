/* SPDX-License-Identifier: MIT */
/*
 * cl_khr_command_buffer 0.9.8: lists of commands that are recorded once and enqueued many times.
 *
 * The members' own command buffers are not used, since a recorded launch is planned anew at each enqueue:
 * what it reads and writes, and where its data is, may differ. A command is recorded as its arguments; the
 * enqueue function checks them, called with a queue that drops its commands (CX_QUEUE_CHECK). An enqueue of
 * the command buffer enqueues all recorded commands in an internal queue, behind a gate. The program's
 * command opens the gate when its turn comes in the program's queue, and is complete when all of them are.
 *
 * Previous stage: the enqueue_*.c entry points. Next: command.h. Thread-safety: buffer->lock guards the
 * fields marked so; the others never change.
 */
#ifndef CX_LAYER_API_COMMAND_BUFFER_H
#define CX_LAYER_API_COMMAND_BUFFER_H

#include "layer/object/command_buffer_api.h"
#include "layer/timeline/queue.h"
#include "layer/base/lock.h"

struct cx_recorded;

struct cx_command_buffer {
    struct cx_object base;
    struct cx_queue *queue; /* the queue given at creation; a reference */
    struct cx_queue *check; /* the queue for checking arguments; a reference */
    bool simultaneous;
    cl_command_buffer_properties_khr *given; /* with the closing 0, or NULL */
    size_t ngiven;

    struct cx_lock lock; /* guards what follows; commands do not change once finalized */
    bool finalized;
    struct cx_recorded **commands;
    unsigned ncommands, room_commands;
    struct cx_command **flying; /* enqueued and not known to be complete; references */
    unsigned nflying, room_flying;
};

CX_OBJECT_CASTS(command_buffer, cl_command_buffer_khr, CX_TAG_COMMAND_BUFFER)

/* Enqueues a recorded command behind `first` and the events that its wait list's sync points stand for.
 * Called by command_buffer.c. */
cl_int cx_command_buffer_enqueue_recorded(const struct cx_recorded *recorded, struct cx_queue *queue,
                                          cl_event first, const cl_event *points, cl_event *event);
void cx_command_buffer_free_recorded(struct cx_recorded *recorded);

/* The entry points. The program gets them by name (icd.c), since the loader's table has no slots for them. */
#define CX_COMMAND_BUFFER_ENTRIES                                                                            \
    CX_ENTRY(clCreateCommandBufferKHR)                                                                       \
    CX_ENTRY(clFinalizeCommandBufferKHR)                                                                     \
    CX_ENTRY(clRetainCommandBufferKHR)                                                                       \
    CX_ENTRY(clReleaseCommandBufferKHR)                                                                      \
    CX_ENTRY(clEnqueueCommandBufferKHR)                                                                      \
    CX_ENTRY(clCommandBarrierWithWaitListKHR)                                                                \
    CX_ENTRY(clCommandCopyBufferKHR)                                                                         \
    CX_ENTRY(clCommandCopyBufferRectKHR)                                                                     \
    CX_ENTRY(clCommandCopyBufferToImageKHR)                                                                  \
    CX_ENTRY(clCommandCopyImageKHR)                                                                          \
    CX_ENTRY(clCommandCopyImageToBufferKHR)                                                                  \
    CX_ENTRY(clCommandFillBufferKHR)                                                                         \
    CX_ENTRY(clCommandFillImageKHR)                                                                          \
    CX_ENTRY(clCommandNDRangeKernelKHR)                                                                      \
    CX_ENTRY(clCommandSVMMemcpyKHR)                                                                          \
    CX_ENTRY(clCommandSVMMemFillKHR)                                                                         \
    CX_ENTRY(clGetCommandBufferInfoKHR)

cl_command_buffer_khr CL_API_CALL
cx_clCreateCommandBufferKHR(cl_uint count, const cl_command_queue *queues,
                            const cl_command_buffer_properties_khr *properties, cl_int *errcode_ret);
cl_int CL_API_CALL cx_clFinalizeCommandBufferKHR(cl_command_buffer_khr buffer);
cl_int CL_API_CALL cx_clRetainCommandBufferKHR(cl_command_buffer_khr buffer);
cl_int CL_API_CALL cx_clReleaseCommandBufferKHR(cl_command_buffer_khr buffer);
cl_int CL_API_CALL cx_clEnqueueCommandBufferKHR(cl_uint count, cl_command_queue *queues,
                                                cl_command_buffer_khr buffer, cl_uint nwait,
                                                const cl_event *list, cl_event *event);
cl_int CL_API_CALL cx_clGetCommandBufferInfoKHR(cl_command_buffer_khr buffer, cl_command_buffer_info_khr name,
                                                size_t room, void *value, size_t *size_ret);
cl_int CL_API_CALL cx_clCommandNDRangeKernelKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                                const cl_command_properties_khr *properties, cl_kernel kernel,
                                                cl_uint dims, const size_t *offset, const size_t *global,
                                                const size_t *local, cl_uint nwait,
                                                const cl_sync_point_khr *list, cl_sync_point_khr *point,
                                                cl_mutable_command_khr *handle);
cl_int CL_API_CALL cx_clCommandSVMMemcpyKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                            const cl_command_properties_khr *properties, void *dst,
                                            const void *src, size_t size, cl_uint nwait,
                                            const cl_sync_point_khr *list, cl_sync_point_khr *point,
                                            cl_mutable_command_khr *handle);
cl_int CL_API_CALL cx_clCommandSVMMemFillKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                             const cl_command_properties_khr *properties, void *to,
                                             const void *pattern, size_t pattern_size, size_t size,
                                             cl_uint nwait, const cl_sync_point_khr *list,
                                             cl_sync_point_khr *point, cl_mutable_command_khr *handle);
/* Functions that gained a parameter `properties` after 0.9.1, at the front of the parameters that are slots
 * here. A slot is an integer or a pointer, each passed in a register or stack word of its own. A program
 * built against 0.9.1 passes one less, and its first slot is a memory object of ours or a list's length, by
 * which it is recognised. */
typedef uintptr_t cx_slot;
cl_int CL_API_CALL cx_clCommandBarrierWithWaitListKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                                      cx_slot a, cx_slot b, cx_slot c, cx_slot d, cx_slot e);
cl_int CL_API_CALL cx_clCommandCopyBufferKHR(cl_command_buffer_khr buffer, cl_command_queue queue, cx_slot a,
                                             cx_slot b, cx_slot c, cx_slot d, cx_slot e, cx_slot f, cx_slot g,
                                             cx_slot h, cx_slot i, cx_slot j);
cl_int CL_API_CALL cx_clCommandCopyBufferRectKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                                 cx_slot a, cx_slot b, cx_slot c, cx_slot d, cx_slot e,
                                                 cx_slot f, cx_slot g, cx_slot h, cx_slot i, cx_slot j,
                                                 cx_slot k, cx_slot l, cx_slot m, cx_slot n);
cl_int CL_API_CALL cx_clCommandCopyBufferToImageKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                                    cx_slot a, cx_slot b, cx_slot c, cx_slot d, cx_slot e,
                                                    cx_slot f, cx_slot g, cx_slot h, cx_slot i, cx_slot j);
cl_int CL_API_CALL cx_clCommandCopyImageKHR(cl_command_buffer_khr buffer, cl_command_queue queue, cx_slot a,
                                            cx_slot b, cx_slot c, cx_slot d, cx_slot e, cx_slot f, cx_slot g,
                                            cx_slot h, cx_slot i, cx_slot j);
cl_int CL_API_CALL cx_clCommandCopyImageToBufferKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                                    cx_slot a, cx_slot b, cx_slot c, cx_slot d, cx_slot e,
                                                    cx_slot f, cx_slot g, cx_slot h, cx_slot i, cx_slot j);
cl_int CL_API_CALL cx_clCommandFillBufferKHR(cl_command_buffer_khr buffer, cl_command_queue queue, cx_slot a,
                                             cx_slot b, cx_slot c, cx_slot d, cx_slot e, cx_slot f, cx_slot g,
                                             cx_slot h, cx_slot i, cx_slot j);
cl_int CL_API_CALL cx_clCommandFillImageKHR(cl_command_buffer_khr buffer, cl_command_queue queue, cx_slot a,
                                            cx_slot b, cx_slot c, cx_slot d, cx_slot e, cx_slot f, cx_slot g,
                                            cx_slot h, cx_slot i);

#endif
