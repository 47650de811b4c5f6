/* SPDX-License-Identifier: MIT */
/*
 * Free lists: each keeps a few dozen freed blocks of one size for the next user. glibc does so for seven
 * blocks of a size; each further one would cost a launch 0.1 us to allocate and as much to free. Built with
 * AddressSanitizer nothing is kept, so that a use after free is found. Thread-safe.
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

/* Takes a block, of the one size that this list has; its content is undefined. NULL: no memory. Called by
 * program/kernel.c. */
void *cx_freelist_take(struct cx_freelist *freelist, size_t size);
/* Gives a block back; accepts NULL. Called by program/kernel.c. */
void cx_freelist_give(struct cx_freelist *freelist, void *memory);

#endif
