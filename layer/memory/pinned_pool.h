/* SPDX-License-Identifier: MIT */
/*
 * Host memory of buffers: page-aligned and, if it pays, pinned, so that all GPUs of the driver that pinned it
 * transfer at the link's full speed, while CPU devices use it in place.
 *
 * A CL_MEM_USE_HOST_PTR buffer over the pages that stays mapped pins them for every device of that driver
 * (measured on NVIDIA; docs/gpus.md). Pinning costs about as much as a copy, so the pool stores pinned pages
 * for the next buffer of about their size. They are freed if unused for a while, if others need room below
 * COEXEC_PINNED_MAX, and with the context. Pages that are not pinned are freed at once.
 *
 * Each context has a pool; the bound is for the process. Thread-safe, without context->lock; drivers are
 * called with no lock held. Previous stage: buffer.c. pin_policy.h decides when to pin.
 */
#ifndef CX_LAYER_MEMORY_PINNED_POOL_H
#define CX_LAYER_MEMORY_PINNED_POOL_H

#include "layer/driver/device.h"

#include <stdatomic.h>

struct cx_pages {
    struct cx_pages *next; /* among the free ones of a pool */
    unsigned char *memory; /* page-aligned; what it holds is undefined */
    size_t bytes;          /* whole pages */
    atomic_bool pinned;
    /* of the pinning */
    const struct cx_real_device *device;
    cl_mem registered;
    cl_command_queue queue; /* for the mapping alone, so that it waits for nothing */
    void *mapped;
    uint64_t free_since_ns;
};

struct cx_pinned_pool {
    struct cx_pinned_pool *next; /* in the list of pools with free pages */
    struct cx_pages *free;       /* pinned; the longest free last */
    unsigned busy;               /* pages taken out that are being freed now */
    bool listed;
};

/* Makes a context's pool. NULL: no memory. Called by api/context.c. */
struct cx_pinned_pool *cx_pinned_pool_new(void);
/* Pages for that many bytes: free pinned ones, or new ones. pins: they will probably be pinned, and are large
 * ones if that can be. NULL: no memory. Called by buffer.c, transport_ring.c and tools/coexec_links.c. */
struct cx_pages *cx_pinned_pool_take(struct cx_pinned_pool *pool, size_t bytes, bool pins);
/* Gives back the pages of a buffer that is destroyed. Nulls the pointer; accepts NULL. Called by buffer.c
 * and tools/coexec_links.c. */
void cx_pinned_pool_give(struct cx_pinned_pool *pool, struct cx_pages **pages);
/* Frees pages without storing them in a pool. Called by transport_ring.c. */
void cx_pinned_pool_drop(struct cx_pages **pages);
/* Pins pages through a device. False: the bound is reached (*again: another try later may succeed), or the
 * driver cannot. One thread at a time for the same pages. Called by pin_policy.c, transport_ring.c and
 * tools/coexec_links.c. */
bool cx_pinned_pool_pin(struct cx_pages *pages, cl_context context, const struct cx_real_device *device,
                        bool *again);
/* Frees all free pages; all pages taken have been given back. Called by tools/coexec_links.c. */
void cx_pinned_pool_finish(struct cx_pinned_pool *pool);
/* Like cx_pinned_pool_finish, and frees the pool; accepts NULL. Called by api/context.c. */
void cx_pinned_pool_delete(struct cx_pinned_pool *pool);

/* Reserve and release pinned memory below the bound. False: there is no room, even after free pages are
 * freed. Called by pinned_pool.c for each pinning. */
bool cx_pinned_reserve(uint64_t bytes);
void cx_pinned_release(uint64_t bytes);

/* Numbers for the summary, in bytes unless stated otherwise. Used by cx_pinned_print and tests. */
struct cx_pinned_numbers {
    uint64_t bound, now, most;
    uint64_t pinned, reused;         /* times pages were pinned, and taken pinned from a pool */
    uint64_t refused, refused_bytes; /* times the bound was in the way */
    uint64_t idle;                   /* times pages were freed since they were unused */
};
void cx_pinned_get(struct cx_pinned_numbers *numbers);
/* Prints a line with the numbers if anything was pinned. Called through a pointer set in api/context.c. */
void cx_pinned_print(FILE *out);

#endif
