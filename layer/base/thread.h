/* SPDX-License-Identifier: MIT */
/*
 * The layer's own threads. Where the system gives none (a limit on processes or memory), whoever waits does
 * what they would do: worker.c, callback_thread.c, copy_threads.c. Thread-safe.
 */
#ifndef CX_LAYER_BASE_THREAD_H
#define CX_LAYER_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread that takes none of the program's signals, with room on its stack for a driver's compiler.
 * thread: to be joined; NULL: it is detached. False: none can be had, which is told once. Called by
 * callback_thread.c, copy_threads.c, program/build.c and timeline/worker.c. */
bool cx_thread_start(pthread_t *thread, void *(*body)(void *data), void *data);
/* Whether that was so at any time. Called by timeline/command.c and timeline/worker.c. */
bool cx_thread_short(void);

#endif
