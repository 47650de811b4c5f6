/* SPDX-License-Identifier: MIT */
/*
 * Memory objects: the host copy, one shadow a member, and the map that says who holds which bytes.
 *
 * The host copy is the program's own memory (CL_MEM_USE_HOST_PTR) or ours, page-aligned, allocated when first
 * needed. Members that work in place (cx_mem_place is CX_PLACE_HOST) have a shadow made over the host copy;
 * others own memory. A sub-buffer is a window on its root: it has no map of its own, only real sub-buffers.
 * Thread-safety: map, shadows' allocation and mappings under context->lock.
 */
#ifndef CX_LAYER_MEMORY_BUFFER_H
#define CX_LAYER_MEMORY_BUFFER_H

#include "layer/memory/coherence_map.h"
#include "layer/timeline/context.h"
#include "layer/memory/pin_policy.h"
#include "layer/memory/pinned_pool.h"
#include "layer/memory/write_place.h"
#include "layer/timeline/worker.h"

struct cx_mem_map;
struct cx_mem_destructor;
struct cx_peer_memory;
struct cx_result_uses;
struct cx_migration_buffer;
struct cx_svm;
struct cx_image;

struct cx_mem {
    struct cx_object base;
    struct cx_context *context; /* a reference */
    struct cx_mem *root;        /* itself, or the parent of a sub-buffer (a reference then) */
    size_t origin, size;        /* bytes; origin within root */
    cl_mem_flags flags;         /* as the queries tell them */
    cl_mem_properties *properties;
    size_t nproperties;
    void *host_ptr;         /* the program's, with USE_HOST_PTR */
    struct cx_image *image; /* image.h; NULL: a buffer */
    struct cx_mem_destructor *destructors;
    unsigned nmaps;        /* through this object */
    struct cx_mem *within; /* a sub-buffer of a buffer over shared virtual memory: that one (a reference) */
    struct cx_migration_buffer *migration; /* migration_credit.h; NULL: it does not count yet */
    struct cx_window *window; /* subbuffer_order.h: a sub-buffer's real ones whose release is the root's */
    bool cached; /* svm.h: a window that its root keeps, which therefore holds no reference on it */
    /* root only */
    struct cx_svm *svm;  /* svm.h: an allocation of shared virtual memory */
    unsigned char *host; /* host copy, NULL until needed */
    struct cx_pages
        *pages; /* pinned_pool.h: what it lies in where that is ours; NULL: the program's memory */
    uint64_t
        apart; /* members, as bits, that have a place of their own for this root whatever worker->place */
    struct cx_pin pin;
    struct cx_coherence *coherence;
    struct cx_command
        *unsettled; /* a launch whose owners are not known yet; others touching this wait for it */
    struct cx_result_uses
        *written_by;      /* result_mark.h: the function of the launch that wrote it last; NULL: used since */
    unsigned written_arg; /* ... and through which argument */
    struct cx_use use;    /* write_place.h */
    struct cx_mem_map *maps;      /* of any window; the newest first */
    struct cx_windows *windows;   /* subbuffer_order.h: real sub-buffers, one list a member; or NULL */
    struct cx_peer_memory **peer; /* peer.h: one a member, where its shadow lies in such memory; else NULL */
    cl_mem *aliases; /* alias.h: peers' objects over such memory, at home * members + member; or NULL */
    /* remote_access.h: bytes that launches used from elsewhere since the map's writes were so many */
    uint64_t remote_bytes, remote_since;
    double remote_missed; /* seconds that launches would have saved by doing so, before there was an alias */
    /* one a member */
    cl_mem *real; /* shadow of a root, window of a sub-buffer; NULL until needed */
};

CX_OBJECT_CASTS(mem, cl_mem, CX_TAG_MEM)

/* The buffer or sub-buffer behind a handle, or NULL for anything else. */
static inline struct cx_mem *cx_buffer_from(cl_mem handle)
{
    struct cx_mem *mem = cx_mem_from(handle);
    return mem && !mem->image ? mem : NULL;
}

/* Rows of bytes in a root: count[0] rows that are stride[0] apart, count[1] times, stride[1] apart. */
struct cx_block {
    uint64_t lo;  /* of the root */
    size_t bytes; /* of a row */
    size_t count[2], stride[2];
};
/* The byte behind the last one. */
static inline uint64_t cx_block_end(const struct cx_block *block)
{
    return block->lo + (block->count[0] - 1) * block->stride[0] + (block->count[1] - 1) * block->stride[1] +
           block->bytes;
}

static inline struct cx_block cx_block_of(uint64_t lo, size_t bytes)
{
    return (struct cx_block){lo, bytes, {1, 1}, {bytes, bytes}};
}

/* One clEnqueueMapBuffer or clEnqueueMapImage not yet unmapped. */
struct cx_mem_map {
    struct cx_mem_map *next;
    void *pointer;
    struct cx_block block;
    cl_map_flags flags;
};

/* What creating buffers and images have in common. */
#define CX_MEM_ACCESS_FLAGS (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)
#define CX_MEM_HOST_FLAGS   (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)
#define CX_MEM_PTR_FLAGS    (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)
/* Whether they are known and none excludes another. */
bool cx_mem_flags_valid(cl_mem_flags flags);
/* As the queries tell them: as given, or the default where none are. */
static inline cl_mem_flags cx_mem_flags_reported(cl_mem_flags given)
{
    return given ? given : (cl_mem_flags)CL_MEM_READ_WRITE;
}
/* The flags of a window on `parent`: its own access and host flags where given, the parent's otherwise.
 * False: they do not go together. */
bool cx_mem_window_flags(cl_mem_flags parent, cl_mem_flags *flags);
/* An object without contents; a window on the parent's root where there is one, origin counted from the root.
 * The caller checked the rest. NULL: no memory. */
struct cx_mem *cx_mem_create(struct cx_context *context, struct cx_mem *parent, size_t origin, size_t size,
                             cl_mem_flags flags);
/* Takes from a kept window whose root goes what it has of drivers; it counts as gone (cx_mem_is_live). */
void cx_mem_retire(struct cx_mem *mem);
/* The object to be referenced so that this one stays alive. */
static inline struct cx_mem *cx_mem_keeper(struct cx_mem *mem)
{
    return mem && mem->cached ? mem->root : mem;
}

/* Whose copy of this root the worker's device works on: CX_PLACE_HOST, or its own. */
static inline unsigned cx_mem_place(const struct cx_mem *root, const struct cx_worker *worker)
{
    return root->apart >> worker->index & 1 ? 1 + worker->index : worker->place;
}

/* Where the program looks at mapped bytes (enqueue_map.c). */
unsigned cx_mem_map_place(const struct cx_mem *root);
/* The worker that moves data into and out of a member's own place (place > 0). */
static inline struct cx_worker *cx_place_worker(const struct cx_context *context, unsigned place)
{
    return &context->workers[place - 1];
}

/* Whether launches reach no memory of the program's but by way of host copies of ours: then a command that
 * touches the program's memory need not wait for them. Caller holds context->lock. */
bool cx_mem_is_apart(const struct cx_context *context);

/* The root's host copy, allocated at the first call. NULL: out of memory. Caller holds context->lock. */
unsigned char *cx_mem_host(struct cx_mem *mem);
/* A real buffer in the device's own memory, with a margin behind it (host_pages.h) where that is the host's.
 */
cl_mem cx_mem_make_own(const struct cx_worker *worker, size_t size, cl_int *error);
/* Allocates member m's shadow of the root and, for a sub-buffer, its window. Caller holds context->lock.
 * Errors: the driver's (CL_MEM_OBJECT_ALLOCATION_FAILURE: the caller leaves the member out). */
cl_int cx_mem_prepare(struct cx_mem *mem, unsigned member);
/* The real object prepared before, for kernel arguments and transfers. */
cl_mem cx_mem_real(const struct cx_mem *mem, unsigned member);

#endif
