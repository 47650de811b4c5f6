/* SPDX-License-Identifier: MIT */
/*
 * Free lists. See freelist.h.
 */
#include "layer/base/freelist.h"

#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
enum { MOST = 0 };
#else
enum { MOST = 64 };
#endif

void *cx_freelist_take(struct cx_freelist *freelist, size_t size)
{
    cx_lock(&freelist->lock);
    void **memory = freelist->first;
    if (memory) {
        freelist->first = *memory;
        freelist->n--;
    }
    cx_unlock(&freelist->lock);
    return memory ? memory : malloc(size);
}

void cx_freelist_give(struct cx_freelist *freelist, void *memory)
{
    cx_lock(&freelist->lock);
    if (memory && freelist->n + 1 <= MOST) {
        *(void **)memory = freelist->first;
        freelist->first = memory;
        freelist->n++;
        memory = NULL;
    }
    cx_unlock(&freelist->lock);
    free(memory);
}
