/* SPDX-License-Identifier: MIT */
/*
 * Memory objects as the program sees them, with a shadow for each member; storage.h has the host copy, and
 * the map that says which of them are valid.
 *
 * The host copy is the program's memory (CL_MEM_USE_HOST_PTR) or page-aligned memory of the layer, allocated
 * when first needed. A shadow is a member's real buffer: made over the host copy for members that work in
 * place (cx_mem_place is CX_PLACE_HOST), otherwise with memory of its own. A sub-buffer is a window on its
 * root: it has no map of its own, only real sub-buffers. Thread-safety: map, shadows' allocation and mappings
 * under context->lock.
 */
#ifndef CX_LAYER_MEMORY_BUFFER_H
#define CX_LAYER_MEMORY_BUFFER_H

#include "layer/memory/storage.h"
#include "layer/timeline/context.h"
#include "layer/timeline/worker.h"

struct cx_mem_map;
struct cx_mem_destructor;
struct cx_migration_buffer;
struct cx_image;

/* A memory object as the program sees it. Constant once made, but for what names a lock. */
struct cx_mem {
    struct cx_object base;
    struct cx_context *context; /* a reference */
    struct cx_mem *root;        /* itself, or the parent of a sub-buffer (a reference then) */
    struct cx_storage *storage; /* the root's */
    size_t origin, size;        /* bytes; origin within root */
    cl_mem_flags flags;         /* as queries report them */
    cl_mem_properties *properties;
    size_t nproperties;
    void *host_ptr;         /* the program's, with USE_HOST_PTR */
    struct cx_image *image; /* image.h; NULL: a buffer */
    /* one a member: the shadow of a root, or the real sub-buffer of a sub-buffer; NULL until needed. Written
     * under context->lock (cx_mem_prepare); jobs planned since read it without */
    cl_mem *real;
    struct cx_mem_destructor *destructors;
    unsigned nmaps;                        /* through this object; context->lock */
    struct cx_migration_buffer *migration; /* migration_credit.h, context->lock; NULL: not counted yet */
    /* windows only */
    struct cx_mem *within;    /* of a buffer over shared virtual memory: that buffer (a reference) */
    struct cx_window *window; /* subbuffer_order.h, under its lock: its real sub-buffers that the root
                                 releases */
    bool cached; /* svm.h: a window cached by its root, on which it therefore holds no reference */
};

CX_OBJECT_CASTS(mem, cl_mem, CX_TAG_MEM)

/* The buffer or sub-buffer behind a handle, or NULL for anything else. Called by memory/ and api/. */
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
/* The byte behind the last one. Called by api/enqueue_image.c, api/enqueue_image_read.c and
 * api/enqueue_map.c. */
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

/* Shared by the creation of buffers and images. */
#define CX_MEM_ACCESS_FLAGS (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)
#define CX_MEM_HOST_FLAGS   (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)
#define CX_MEM_PTR_FLAGS    (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)
/* Whether the flags are known and none excludes another. Called by image.c and image_info.c. */
bool cx_mem_flags_valid(cl_mem_flags flags);
/* The flags as queries report them: as given, or the default if none were. Called by buffer.c and image.c. */
static inline cl_mem_flags cx_mem_flags_reported(cl_mem_flags given)
{
    return given ? given : (cl_mem_flags)CL_MEM_READ_WRITE;
}
/* Completes the flags of a window on a parent with these flags: its own access and host flags if given,
 * otherwise the parent's. False: they contradict each other. Called by image.c. */
bool cx_mem_window_flags(cl_mem_flags parent, cl_mem_flags *flags);
/* Makes an object without contents; with `parent`, a window on the parent's root, origin counted from the
 * root. The caller has checked the arguments. NULL: no memory. Called by image.c and svm.c. */
struct cx_mem *cx_mem_create(struct cx_context *context, struct cx_mem *parent, size_t origin, size_t size,
                             cl_mem_flags flags);
/* Releases the real objects of a cached window whose root is destroyed; the window is no longer a live
 * handle. Called by svm.c. */
void cx_mem_retire(struct cx_mem *mem);
/* The object to be referenced to keep this one alive. Called by program/kernel.c. */
static inline struct cx_mem *cx_mem_keeper(struct cx_mem *mem)
{
    return mem && mem->cached ? mem->root : mem;
}

/* The place on which the worker's device works for this root: CX_PLACE_HOST, or its own. Called by
 * memory/, api/, launch/ and plan/. */
static inline unsigned cx_mem_place(const struct cx_mem *root, const struct cx_worker *worker)
{
    return root->storage->apart >> worker->index & 1 ? 1 + worker->index : worker->place;
}

/* The place at which the program sees mapped bytes (enqueue_map.c). Called by api/enqueue_map.c,
 * api/enqueue_native.c and api/enqueue_transfer.c. */
unsigned cx_mem_map_place(const struct cx_mem *root);
/* The worker that moves data into and out of a member's own place (place > 0). Called by memory/, api/ and
 * launch/. */
static inline struct cx_worker *cx_mem_place_worker(const struct cx_context *context, unsigned place)
{
    return &context->workers[place - 1];
}

/* Whether launches reach the program's memory only through host copies of the layer; then a command that
 * accesses the program's memory need not wait for them. The caller holds context->lock. Called by
 * api/enqueue.c and plan/pending_reads.c. */
bool cx_mem_is_apart(const struct cx_context *context) CX_HOLDS(cx_context_locked);

/* The root's host copy, allocated at the first call. NULL: out of memory. Caller holds context->lock.
 * Called by memory/, api/ and launch/. */
unsigned char *cx_mem_host(struct cx_mem *mem) CX_HOLDS(cx_context_locked);
/* Makes a real buffer in the device's own memory; if that is host memory, with a margin behind it
 * (host_pages.h). Called by launch/failover.c, launch/private_copies.c and launch/verify_clone.c. */
cl_mem cx_mem_make_own(const struct cx_worker *worker, size_t size, cl_int *error);
/* Allocates member m's shadow of the root and, for a sub-buffer, its window. Caller holds context->lock.
 * Errors: the driver's (CL_MEM_OBJECT_ALLOCATION_FAILURE: the caller leaves the member out). Called by
 * memory/, api/ and plan/. */
cl_int cx_mem_prepare(struct cx_mem *mem, unsigned member) CX_HOLDS(cx_context_locked);
/* The real object prepared before, for kernel arguments and transfers. Called by api/enqueue_image.c,
 * api/enqueue_image_copy.c, launch/replay.c and program/kernel_bind.c. */
cl_mem cx_mem_real(const struct cx_mem *mem, unsigned member);

#endif
