/* SPDX-License-Identifier: MIT */
/*
 * Threads that copy beside those who ask for it. They are made when first needed and then kept, as many as
 * errands wait, up to half of the machine's cores or seven; all contexts share them. None may come: whoever
 * needs an errand done does it himself where nobody has begun it.
 *
 * Called by copy.c and copy_chunks.c.
 */
#ifndef CX_LAYER_BASE_COPY_THREADS_H
#define CX_LAYER_BASE_COPY_THREADS_H

/* Something to do; the first member of what it needs, which the sender owns. */
struct cx_copy_task {
    void (*run)(struct cx_copy_task *task); /* in a thread of the crew, or in the sender's */
    struct cx_copy_task *next;
    enum { CX_COPY_TASK_WAITS, CX_COPY_TASK_RUNS, CX_COPY_TASK_OVER } state; /* under the crew's lock */
};

/* Has the errand done as soon as a thread is free; the oldest goes first. It must stay where it is until
 * cx_copy_threads_finish. Any thread. Called by copy.c, copy_chunks.c and memory/transport_ring.c. */
void cx_copy_threads_send(struct cx_copy_task *task);
/* Returns when the errand is over; does it in this thread if none has begun it. By who sent it. Called by
 * copy.c, copy_chunks.c and memory/transport_ring.c. */
void cx_copy_threads_finish(struct cx_copy_task *task);

#endif
