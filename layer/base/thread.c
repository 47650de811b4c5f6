/* SPDX-License-Identifier: MIT */
/*
 * Threads of the layer. See thread.h.
 */
#include "layer/base/thread.h"
#include "layer/base/log.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>

/* Whatever the program's own limit is: LLVM recurses deeply. Only what is touched costs memory. */
enum { STACK = 8 << 20 };

static atomic_bool is_short;

bool cx_thread_start(pthread_t *thread, void *(*body)(void *data), void *data)
{
    sigset_t all, old;
    pthread_attr_t attributes;
    pthread_t detached;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    if (!thread)
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    const int error = pthread_create(thread ? thread : &detached, &attributes, body, data);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!error)
        return true;
    atomic_store(&is_short, true);
    cx_log_once(
        CX_LEVEL_WARN, CX_TOPIC_WORKER,
        "the system gives no more threads (%s): whoever waits for work does it, and launches may run whole",
        strerror(error));
    return false;
}

bool cx_thread_short(void)
{
    return atomic_load_explicit(&is_short, memory_order_relaxed);
}
