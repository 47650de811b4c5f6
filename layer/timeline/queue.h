/* SPDX-License-Identifier: MIT */
/*
 * Command queues of the program: order only. The real queues belong to the workers.
 *
 * In-order: each command waits (for being planned) for the one before. Out-of-order: only for wait lists and
 * barriers. Thread-safety: guarded by context->lock.
 */
#ifndef CX_LAYER_TIMELINE_QUEUE_H
#define CX_LAYER_TIMELINE_QUEUE_H

#include "layer/timeline/command.h"

/* The program's queues, and the layer's own behind command buffers (command_buffer.h). */
enum cx_queue_role {
    CX_QUEUE_PROGRAM,
    CX_QUEUE_REPLAY, /* orders the commands of one enqueued command buffer */
    CX_QUEUE_CHECK,  /* commands given to it are dropped: their arguments have been checked, no more */
};

struct cx_queue {
    struct cx_object base;
    enum cx_queue_role role;
    struct cx_context *context; /* a reference */
    struct cx_device *device;   /* a reference */
    uint64_t members;   /* of the context that the device has, as bits: they may run this queue's launches */
    unsigned fastest;   /* of these */
    unsigned trace_row; /* its row in the trace */
    cl_command_queue_properties properties;
    cl_queue_properties
        *given; /* the list of clCreateCommandQueueWithProperties, with its closing 0, or NULL */
    size_t ngiven;
    bool in_order;
    unsigned last_member; /* 1 + the member that ran its last whole launch; 0: none yet; context->lock */
    uint64_t next_number;
    uint64_t pushed; /* commands with lower numbers were flushed: they run without being asked again */
    struct cx_command *unsettled, *unsettled_tail; /* in order of enqueue */
    struct cx_command *barrier;  /* last unsettled barrier of an out-of-order queue; a reference */
    uint64_t *frontier;          /* as in command.h: covers every settled command */
    uint64_t *barrier_frontier;  /* what the last settled barrier covered */
    atomic_int unreported_error; /* the first error of a command whose event nobody has, until told */
};

CX_OBJECT_CASTS(queue, cl_command_queue, CX_TAG_QUEUE)

/* A queue of the layer's own with the order, device and profiling of this one. NULL: no memory. */
struct cx_queue *cx_queue_like(const struct cx_queue *queue, enum cx_queue_role role);

/* Whether a member of the context may run the queue's launches. */
static inline bool cx_queue_takes(const struct cx_queue *queue, unsigned member)
{
    return queue->members >> member & 1;
}

/* Links a new command behind what the queue's order makes it wait for. `barrier` commands wait for all before
 * them and hold up all after them; `all` (markers without a wait list) waits for all before. context->lock
 * held. */
void cx_queue_link(struct cx_queue *queue, struct cx_command *command, bool all, bool barrier);
/* A command of this queue failed, and nobody has its event: the next clFinish or blocking command tells. */
void cx_queue_failed(struct cx_queue *queue, cl_int error);
/* CL_OUT_OF_RESOURCES where a command failed and nobody was told yet; who asks tells. */
cl_int cx_queue_tell(struct cx_queue *queue);
/* Takes a settled command out and widens the cones. context->lock held. */
void cx_queue_settled(struct cx_queue *queue, struct cx_command *command);

#endif
