/* SPDX-License-Identifier: MIT */
/*
 * Shared virtual memory: allocations, and finding the allocation of a pointer.
 *
 * One real device, the owner, gives every allocation of a context its address: the fastest member that offers
 * coarse-grained buffers. An allocation is a memory object like any other (buffer.h), with a host copy,
 * shadows on the other members and a coherence map; only the owner's place is the allocation itself, used
 * through a real buffer made over it. If the owner works in place, that is the host copy. A pointer into the
 * middle of an allocation, passed as a kernel argument, is a window on it. svm_rules.h says which launches
 * must run whole on the owner; all others are planned as with buffers.
 *
 * Previous stage: the entry points here and in enqueue_svm.c. Next: buffer.h. Thread-safety: the list of
 * allocations and windows under context->lock.
 */
#ifndef CX_LAYER_MEMORY_SVM_H
#define CX_LAYER_MEMORY_SVM_H

#include "layer/memory/buffer.h"
#include "layer/timeline/context.h"

struct cx_svm_window;

/* The additional data of an allocation of shared virtual memory (cx_storage.svm). */
struct cx_svm {
    unsigned char *pointer; /* of the owner's driver and the program */
    unsigned owner;         /* a member */
    bool fine;
    struct cx_svm_window *windows; /* for kernel arguments, by offset; those without a kernel may be freed */
    unsigned most_windows;         /* up to this number none is freed */
};

/* CL_DEVICE_SVM_CAPABILITIES that the layer offers for these members: those of the owner, whose index *owner
 * (may be NULL) gets, or with `common` those that all members have. 0: there is no owner. Called by
 * api/device_info.c. */
cl_device_svm_capabilities cx_svm_capabilities(struct cx_real_device *const *members, unsigned count,
                                               bool common, unsigned *owner);
/* The owner in this context; nmembers: there is none. Called by memory/, api/, plan/ and program/. */
static inline unsigned cx_svm_owner(const struct cx_context *context)
{
    return context->memory.svm.owner;
}
/* Chooses the owner among the members, when the context is made. Called by api/context.c. */
void cx_svm_choose_owner(struct cx_context *context);

/* The allocation that holds [pointer, pointer + size), with a reference for the caller, and where in it
 * (bytes). NULL: none does. Caller holds no lock. Called by buffer.c, api/enqueue_svm.c and
 * program/kernel_arg.c. */
struct cx_mem *cx_svm_find(struct cx_context *context, const void *pointer, size_t size, size_t *offset);
/* The object to use for this pointer as a kernel argument, with a reference for the caller: the allocation,
 * or a window from the pointer to its end, which is valid while the allocation lives. NULL with
 * CL_INVALID_ARG_VALUE or CL_OUT_OF_HOST_MEMORY in *error. Caller holds no lock. Called by
 * program/kernel_arg.c. */
struct cx_mem *cx_svm_argument(struct cx_context *context, const void *pointer, cl_int *error);
/* The program frees the allocation at `pointer`; it is destroyed after its last use. False: there is none.
 * Called by api/enqueue_svm.c. */
bool cx_svm_free(struct cx_context *context, const void *pointer);
/* Called when the memory object is destroyed: free the windows before the real objects, then the allocation.
 */
void cx_svm_drop_windows(struct cx_mem *root);
void cx_svm_finish(struct cx_mem *root);

/* The place of the allocation itself. Called by memory/, api/ and plan/. */
static inline unsigned cx_svm_place(const struct cx_mem *root)
{
    return cx_mem_place(root, &root->context->workers[root->storage->svm->owner]);
}

#endif
