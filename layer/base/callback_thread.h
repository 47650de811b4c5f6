/* SPDX-License-Identifier: MIT */
/*
 * The layer's own thread for what must not run in a driver's or worker's thread: the program's callbacks, and
 * the end of contexts whose last reference a worker dropped. One a process, started when first needed, never
 * joined. Where there can be no thread, tasks wait for somebody who helps. Thread-safe. Tasks run one after
 * the other in the order given, with no lock held.
 */
#ifndef CX_LAYER_BASE_CALLBACK_THREAD_H
#define CX_LAYER_BASE_CALLBACK_THREAD_H

#include <stdbool.h>

/* Runs task(data) on the notify thread. Without memory it runs in the caller. Called by launch/ and
 * timeline/. */
void cx_notify_post(void (*task)(void *data), void *data);
/* The same; it is not run by a worker's thread, whose end it waits for. Called by api/context.c. */
void cx_notify_post_end(void (*task)(void *data), void *data);
/* Runs the tasks that have no thread to run them, unless another thread does so now. For whoever waits, or
 * could not wait for a callback otherwise, with no lock held; worker: a worker's thread. Gives whether it ran
 * any. Called by api/ and timeline/. */
bool cx_notify_help(bool worker);

/* Runs task(data) on a thread of its own, for work that may wait long. False: none could be started.
 * Called by exit_guard.c, task_queue.c and memory/pinned_pool.c. */
bool cx_notify_detach(void (*task)(void *data), void *data);

#endif
