/* SPDX-License-Identifier: MIT */
/*
 * Of the threads that libcoexec.so makes, those from the NO_THREADS-th on cannot be had, as with a limit on a
 * container's processes; with NO_THREADS_COUNT only so many of them. In a program that exports its symbols
 * this stands in for the C library's function.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static unsigned long from_environment(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 10) : otherwise;
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                                          void *(*body)(void *), void *data)
{
    static _Atomic(create_function *) next;
    static atomic_ulong seen;
    Dl_info caller;
    if (!atomic_load(&next))
        atomic_store(&next, (create_function *)dlsym(RTLD_NEXT, "pthread_create"));
    if (dladdr(__builtin_return_address(0), &caller) && caller.dli_fname &&
        strstr(caller.dli_fname, "libcoexec.so")) {
        const unsigned long i = atomic_fetch_add(&seen, 1), from = from_environment("NO_THREADS", ~0ul);
        if (i >= from && i - from < from_environment("NO_THREADS_COUNT", ~0ul))
            return EAGAIN;
    }
    return atomic_load(&next)(thread, attributes, body, data);
}
