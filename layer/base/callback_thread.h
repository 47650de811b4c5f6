/* SPDX-License-Identifier: MIT */
/*
 * A thread of the layer that runs tasks which must not run in a driver's or a worker's thread: the program's
 * callbacks, and the end of a context whose last reference a worker dropped. There is one for the process; it
 * is started when it is first needed and never joined. If the system gives no thread, tasks wait until
 * another thread calls cx_callback_thread_help. Tasks run one after the other, in the order in which they
 * were posted, with no lock held. Thread-safe.
 */
#ifndef CX_LAYER_BASE_CALLBACK_THREAD_H
#define CX_LAYER_BASE_CALLBACK_THREAD_H

#include <stdbool.h>

/* Queues task(data) for that thread. Without memory, the calling thread runs it. Called by launch/ and
 * timeline/. */
void cx_callback_thread_post(void (*task)(void *data), void *data);
/* Like cx_callback_thread_post, for a task that waits for a worker's thread to end: no worker's thread runs
 * it. Called by api/context.c. */
void cx_callback_thread_post_end(void (*task)(void *data), void *data);
/* Runs the tasks queued so far if there is no thread for them and no other thread is running them. A thread
 * calls it before it waits for a callback, with no lock held. worker: the caller is a worker's thread.
 * Returns whether it ran any. Called by api/ and timeline/. */
bool cx_callback_thread_help(bool worker);

/* Starts a thread for task(data), which may wait for long. False: no thread could be started. Called by
 * exit_guard.c, task_queue.c and memory/pinned_pool.c. */
bool cx_callback_thread_detach(void (*task)(void *data), void *data);

#endif
