/* SPDX-License-Identifier: MIT */
/*
 * Memory of one size that is needed again and again, a few dozen pieces at a time: glibc keeps seven freed
 * pieces of a size where they cost nothing, all others cost a launch a tenth of a microsecond each way.
 * Thread-safe. Built with AddressSanitizer nothing is kept, so that what is used too long is found.
 */
#ifndef CX_LAYER_BASE_FREELIST_H
#define CX_LAYER_BASE_FREELIST_H

#include "layer/base/lock.h"

#include <stddef.h>

struct cx_freelist {
    struct cx_lock lock;
    void *first; /* each begins with the next one */
    unsigned n;
};
#define CX_FREELIST_NONE                                                                                     \
    {                                                                                                        \
        CX_LOCK_INIT(CX_RANK_FREELIST), NULL, 0                                                              \
    }

/* Memory of the size that all pieces here have; its content is anything. NULL: no memory. Called by
 * program/kernel.c and timeline/worker.c. */
void *cx_freelist_take(struct cx_freelist *freelist, size_t size);
/* Takes it back; NULL is fine. Called by program/kernel.c and timeline/worker.c. */
void cx_freelist_give(struct cx_freelist *freelist, void *memory);
/* Frees what is kept. Called by api/context.c. */
void cx_freelist_free(struct cx_freelist *freelist);

#endif
