/* SPDX-License-Identifier: MIT */
/*
 * Starts threads of the layer. If the system gives none (a limit on processes or memory), the threads that
 * wait for their work do it instead: see worker.c, callback_thread.c and copy_threads.c. Thread-safe.
 */
#ifndef CX_LAYER_BASE_THREAD_H
#define CX_LAYER_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread that receives none of the program's signals, with a stack large enough for a driver's
 * compiler. thread: the caller joins it; NULL: it is detached. False: the system gives none, which is logged
 * once. Called by callback_thread.c, copy_threads.c, program/build.c and timeline/worker.c. */
bool cx_thread_start(pthread_t *thread, void *(*body)(void *data), void *data);
/* Whether cx_thread_start has ever failed. Called by timeline/command.c and timeline/worker.c. */
bool cx_thread_short(void);

#endif
