/* SPDX-License-Identifier: MIT */
/*
 * Memory kept for the next of its kind. See freelist.h.
 */
#include "layer/base/freelist.h"

#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
enum { MOST = 0 };
#else
enum { MOST = 64 };
#endif

void *cx_spares_take(struct cx_spares *spares, size_t size)
{
    cx_lock(&spares->lock);
    void **memory = spares->first;
    if (memory) {
        spares->first = *memory;
        spares->n--;
    }
    cx_unlock(&spares->lock);
    return memory ? memory : malloc(size);
}

void cx_spares_give(struct cx_spares *spares, void *memory)
{
    cx_lock(&spares->lock);
    if (memory && spares->n + 1 <= MOST) {
        *(void **)memory = spares->first;
        spares->first = memory;
        spares->n++;
        memory = NULL;
    }
    cx_unlock(&spares->lock);
    free(memory);
}

void cx_spares_free(struct cx_spares *spares)
{
    while (spares->first) {
        void **memory = spares->first;
        spares->first = *memory;
        free(memory);
    }
    spares->n = 0;
}
