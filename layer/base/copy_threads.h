/* SPDX-License-Identifier: MIT */
/*
 * A pool of threads that copy host memory. Threads are started when tasks wait for them, at most seven and at
 * most half of the machine's cores, and stay; all contexts share them. If no thread is free, or none can be
 * started, the sender runs its task itself in cx_copy_threads_finish.
 */
#ifndef CX_LAYER_BASE_COPY_THREADS_H
#define CX_LAYER_BASE_COPY_THREADS_H

/* One task. It is the first member of the sender's struct that holds its data; the sender owns both. */
struct cx_copy_task {
    void (*run)(struct cx_copy_task *task); /* called in a thread of the pool, or in the sender's */
    struct cx_copy_task *next;
    enum { CX_COPY_TASK_WAITS, CX_COPY_TASK_RUNS, CX_COPY_TASK_OVER } state; /* guarded by the pool's lock */
};

/* Queues a task. The oldest task runs first. The struct must stay in place until cx_copy_threads_finish
 * returns. Any thread. Called by copy.c, copy_chunks.c and memory/transport_ring.c. */
void cx_copy_threads_send(struct cx_copy_task *task);
/* Returns when the task is over; runs it in the calling thread if no other thread has begun it. The sender
 * calls it. Called by copy.c, copy_chunks.c and memory/transport_ring.c. */
void cx_copy_threads_finish(struct cx_copy_task *task);

#endif
