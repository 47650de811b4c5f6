/* SPDX-License-Identifier: MIT */
/*
 * cl_khr_command_buffer 0.9.1: lists of commands that are recorded once and enqueued many times.
 *
 * The members' own command buffers are not used: what a recorded launch reads and writes, and where its data
 * is, is another question at each enqueue. A command is recorded by its arguments, which the enqueue function
 * itself checks on a queue that drops what it is given. An enqueue replays all into a queue of its own,
 * behind a gate that the enqueued command opens when its turn comes in the program's queue, and that command
 * is over when all of them are.
 *
 * Previous stage: the enqueue_*.c entry points. Next: command.h. Thread-safety: buffer->lock guards what says
 * so; the rest never changes.
 */
#ifndef CX_LAYER_COMMAND_BUFFER_H
#define CX_LAYER_COMMAND_BUFFER_H

#include "layer/queue.h"

#include <CL/cl_ext.h>

struct cx_recorded;

struct cx_command_buffer {
    struct cx_object base;
    struct cx_queue *queue; /* of its creation; a reference */
    struct cx_queue *check; /* where arguments are checked; a reference */
    bool simultaneous;
    cl_command_buffer_properties_khr *given; /* with the closing 0, or NULL */
    size_t ngiven;

    pthread_mutex_t lock; /* guards the rest; commands stay as they are once finalized */
    bool finalized;
    struct cx_recorded **commands;
    unsigned ncommands, room_commands;
    struct cx_command **flying; /* enqueued and not seen to be over; references */
    unsigned nflying, room_flying;
};

CX_OBJECT_CASTS(command_buffer, cl_command_buffer_khr, CX_TAG_COMMAND_BUFFER)

/* Enqueues a recorded command behind `first` and behind what the sync points of its wait list became. */
cl_int cx_recorded_enqueue(const struct cx_recorded *recorded, struct cx_queue *queue, cl_event first,
                           const cl_event *points, cl_event *event);
void cx_recorded_free(struct cx_recorded *recorded);

/* The entry points: found by name (icd.c), as loaders of this version have no slots for them. */
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
    CX_ENTRY(clGetCommandBufferInfoKHR)
#define CX_ENTRY(name) extern __typeof__(name) cx_##name;
CX_COMMAND_BUFFER_ENTRIES
#undef CX_ENTRY

#endif
