/* SPDX-License-Identifier: MIT */
/*
 * Command queues of the program. They only order commands; the real queues belong to the workers.
 *
 * In an in-order queue each command is planned after the one before; in an out-of-order queue only wait lists
 * and barriers order commands. Thread-safety: guarded by context->lock.
 */
#ifndef CX_LAYER_TIMELINE_QUEUE_H
#define CX_LAYER_TIMELINE_QUEUE_H

#include "layer/timeline/command.h"

/* The program's queues, and internal ones of command buffers (command_buffer.h). */
enum cx_queue_role {
    CX_QUEUE_PROGRAM,
    CX_QUEUE_REPLAY, /* orders the commands of one enqueued command buffer */
    CX_QUEUE_CHECK,  /* drops its commands: only their arguments are checked */
};

struct cx_queue {
    struct cx_object base;
    enum cx_queue_role role;
    struct cx_context *context; /* a reference */
    struct cx_device *device;   /* a reference */
    uint64_t members;           /* members of its device, as bits: they may run this queue's launches */
    unsigned fastest;           /* of these */
    unsigned trace_row;         /* its row in the trace */
    cl_command_queue_properties properties;
    cl_queue_properties
        *given; /* the list of clCreateCommandQueueWithProperties, with its closing 0, or NULL */
    size_t ngiven;
    bool in_order;
    /* 1 + the member that ran its last whole launch; 0: none yet */
    unsigned last_member CX_GUARDED_BY(cx_context_locked);
    uint64_t next_number CX_GUARDED_BY(cx_context_locked);
    uint64_t pushed CX_GUARDED_BY(cx_context_locked); /* commands with lower numbers were flushed */
    struct cx_command *unsettled CX_GUARDED_BY(cx_context_locked); /* in order of enqueue */
    struct cx_command *unsettled_tail CX_GUARDED_BY(cx_context_locked);
    /* last unsettled barrier of an out-of-order queue; a reference */
    struct cx_command *barrier CX_GUARDED_BY(cx_context_locked);
    /* the frontier (command.h) of all settled commands */
    uint64_t *frontier CX_GUARDED_BY(cx_context_locked);
    /* the frontier of the last settled barrier */
    uint64_t *barrier_frontier CX_GUARDED_BY(cx_context_locked);
    atomic_int unreported_error; /* the first error of a command without an event, until it is reported */
};

CX_OBJECT_CASTS(queue, cl_command_queue, CX_TAG_QUEUE)

/* Makes an internal queue with the order, device and profiling of this one. NULL: no memory. Called by
 * api/command_buffer.c. */
struct cx_queue *cx_queue_like(const struct cx_queue *queue, enum cx_queue_role role);

/* Whether a member of the context may run the queue's launches. Called by timeline/, api/, launch/ and
 * plan/. */
static inline bool cx_queue_takes(const struct cx_queue *queue, unsigned member)
{
    return queue->members >> member & 1;
}

/* Links a new command behind the commands that the queue's order requires. barrier: it waits for all before
 * it, and all later ones wait for it. all: it waits for all before it (a marker without a wait list).
 * context->lock held. Called by command.c. */
void cx_queue_link(struct cx_queue *queue, struct cx_command *command, bool all, bool barrier)
    CX_HOLDS(cx_context_locked);
/* Notes the error of a command without an event, which the next clFinish or blocking command reports.
 * Called by command.c and launch/replay.c. */
void cx_queue_failed(struct cx_queue *queue, cl_int error);
/* Returns CL_OUT_OF_RESOURCES once if such an error was noted; the caller reports it. Called by command.c. */
cl_int cx_queue_tell(struct cx_queue *queue);
/* Removes a settled command from the queue's list and raises the queue's frontiers. context->lock held.
 * Called by command.c. */
void cx_queue_settled(struct cx_queue *queue, struct cx_command *command) CX_HOLDS(cx_context_locked);

#endif
