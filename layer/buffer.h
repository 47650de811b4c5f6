/* SPDX-License-Identifier: MIT */
/*
 * Memory objects: the host copy, one shadow a member, and the map that says who holds which bytes.
 *
 * The host copy is the program's own memory (CL_MEM_USE_HOST_PTR) or ours, page-aligned, allocated when first needed.
 * Members that work in place (worker->place == CX_PLACE_HOST) have a shadow made over the host copy; others own memory.
 * A sub-buffer is a window on its root: it has no map of its own, only real sub-buffers.
 * Thread-safety: map, shadows' allocation and mappings under context->lock.
 */
#ifndef CX_LAYER_BUFFER_H
#define CX_LAYER_BUFFER_H

#include "layer/coherence.h"
#include "layer/context.h"

struct cx_mem_map; /* one clEnqueueMapBuffer not yet unmapped */

struct cx_mem {
    struct cx_object base;
    struct cx_context *context; /* a reference */
    struct cx_mem *root;        /* itself, or the parent of a sub-buffer (a reference then) */
    size_t origin, size;        /* bytes; origin within root */
    cl_mem_flags flags;         /* as the queries tell them */
    cl_mem_properties *properties;
    size_t nproperties;
    void *host_ptr;             /* the program's, with USE_HOST_PTR */
    struct cx_mem_destructor *destructors;
    /* root only */
    unsigned char *host;        /* host copy, NULL until needed */
    bool host_is_ours;
    struct cx_coherence *coherence;
    struct cx_command *unsettled; /* a launch whose owners are not known yet; others touching this wait for it */
    struct cx_mem_map *maps;
    unsigned nmaps;
    /* one a member */
    cl_mem *real; /* shadow of a root, window of a sub-buffer; NULL until needed */
};

CX_OBJECT_CASTS(mem, cl_mem, CX_TAG_MEM)

/* The root's host copy, allocated at the first call. NULL: out of memory. Caller holds context->lock. */
unsigned char *cx_mem_host(struct cx_mem *mem);
/* Allocates member m's shadow of the root and, for a sub-buffer, its window. Caller holds context->lock.
 * Errors: the driver's (CL_MEM_OBJECT_ALLOCATION_FAILURE: the caller leaves the member out). */
cl_int cx_mem_prepare(struct cx_mem *mem, unsigned member);
/* The real object prepared before, for kernel arguments and transfers. */
cl_mem cx_mem_real(const struct cx_mem *mem, unsigned member);

#endif
