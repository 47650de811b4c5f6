/* SPDX-License-Identifier: MIT */
/*
 * Host memory behind buffers: page-aligned, and where it pays pinned, so that every GPU of the driver that
 * pinned it moves it at the link's full speed, while CPU devices use it in place.
 *
 * A CL_MEM_USE_HOST_PTR buffer over the pages, mapped once and kept so, pins them for every device of that
 * driver (measured on NVIDIA; docs/gpus.md). Pinning costs about as much as a copy, so pinned pages are kept
 * for the next buffer of about their size, and given back when nobody took them for a while, when others need
 * room below COEXEC_PINNED_MAX, and with the context. Pages that are not pinned are freed at once.
 *
 * Each context has a pool; the bound is one for the process. Thread-safe, without context->lock; drivers are
 * called under no lock. Previous stage: buffer.c. Who decides when to pin: pin_policy.h.
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

struct cx_pool {
    struct cx_pool *next;  /* of those with free pages */
    struct cx_pages *free; /* pinned; the longest free last */
    unsigned busy;         /* pages taken out that are being given back now */
    bool listed;
};

/* A context's. NULL: out of memory. */
struct cx_pool *cx_pool_new(void);
/* Pages for so many bytes: pinned ones that are free, or new ones. NULL: out of memory. */
struct cx_pages *cx_pool_take(struct cx_pool *pool, size_t bytes);
/* The pages of a buffer that goes; nothing uses them any more. Nulls the pointer; accepts NULL. */
void cx_pool_give(struct cx_pool *pool, struct cx_pages **pages);
/* The same for pages that no buffer had: they go back to the system, and are of no pool any more. */
void cx_pool_drop(struct cx_pages **pages);
/* Pins them through a device. False: the bound is reached (*again: worth another try later), or the driver
 * cannot. At most one thread at a time for the same pages. */
bool cx_pool_pin(struct cx_pages *pages, cl_context context, const struct cx_real_device *device,
                 bool *again);
/* Gives all back; all pages taken were given. */
void cx_pool_finish(struct cx_pool *pool);
/* The same for one that cx_pool_new made, which goes, too; accepts NULL. */
void cx_pool_delete(struct cx_pool *pool);

/* Other pinned memory counts, too: whether so much more may be pinned (then it counts until released). Free
 * pages are given back first where that makes room. */
bool cx_pinned_reserve(uint64_t bytes);
void cx_pinned_release(uint64_t bytes);

/* For the summary. Bytes. */
struct cx_pinned_numbers {
    uint64_t bound, now, most;
    uint64_t pinned, reused;         /* times pages were pinned, and taken pinned from a pool */
    uint64_t refused, refused_bytes; /* times the bound was in the way */
    uint64_t idle;                   /* times pages were given back since nobody took them */
};
void cx_pinned_get(struct cx_pinned_numbers *numbers);
/* A line about them, where anything was pinned. */
void cx_pinned_print(FILE *out);

#endif
