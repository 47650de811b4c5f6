/* SPDX-License-Identifier: MIT */
/*
 * Shared virtual memory: allocations, and what a pointer points into.
 *
 * Every allocation of a context lives at the address that one real device gave it: its home, the fastest
 * member that offers coarse-grained buffers. It is a memory object like any other (buffer.h), with a host
 * copy, shadows on the other members and a map of who holds what; only the home's place is the allocation
 * itself, reached there through a real buffer made over it. Where the home works in place that is the host
 * copy. A pointer into the middle of an allocation, as a kernel argument, is a window on it.
 *
 * Which launches must run whole at home says svm_rules.h; all others are planned as with buffers.
 *
 * Previous stage: the entry points here and in enqueue_svm.c. Next: buffer.h.
 * Thread-safety: the list of allocations and windows under context->lock.
 */
#ifndef CX_LAYER_MEMORY_SVM_H
#define CX_LAYER_MEMORY_SVM_H

#include "layer/memory/buffer.h"
#include "layer/timeline/context.h"

struct cx_svm_window;

/* What makes a memory object an allocation of shared virtual memory (cx_mem.svm of a root). */
struct cx_svm {
    unsigned char *pointer; /* the home driver's and the program's */
    unsigned owner;         /* a member */
    bool fine;
    struct cx_svm_window *windows; /* for kernel arguments, by offset; those that no kernel names may go */
    unsigned most_windows;         /* before that is looked at */
};

/* CL_DEVICE_SVM_CAPABILITIES of these members together, as far as the layer keeps them: those of the home,
 * whose index *home (may be NULL) becomes, or with `common` what all have. 0: there is no home. */
cl_device_svm_capabilities cx_svm_capabilities(struct cx_real_device *const *members, unsigned count,
                                               bool common, unsigned *owner);
/* The member that is home in this context, or nmembers where there is none. */
static inline unsigned cx_svm_owner(const struct cx_context *context)
{
    return context->svm_owner;
}
/* For the context's creation: chooses its home among the members. */
void cx_svm_choose_owner(struct cx_context *context);

/* The allocation that holds [pointer, pointer + size), with a reference for the caller, and where in it
 * (bytes). NULL: none does. Caller holds no lock. */
struct cx_mem *cx_svm_find(struct cx_context *context, const void *pointer, size_t size, size_t *offset);
/* The object that stands for this pointer as a kernel argument, with a reference for the caller: the
 * allocation, or a window from the pointer to its end, which is of use while the allocation lives. NULL with
 * CL_INVALID_ARG_VALUE or CL_OUT_OF_HOST_MEMORY in *error. Caller holds no lock. */
struct cx_mem *cx_svm_argument(struct cx_context *context, const void *pointer, cl_int *error);
/* Takes the allocation at `pointer` from the program; it goes with its last use. False: there is none. */
bool cx_svm_free(struct cx_context *context, const void *pointer);
/* For mem_destroy: the windows, before the real objects; then the allocation. */
void cx_svm_drop_windows(struct cx_mem *root);
void cx_svm_finish(struct cx_mem *root);

/* The place of the allocation itself. */
static inline unsigned cx_svm_place(const struct cx_mem *root)
{
    return cx_mem_place(root, &root->context->workers[root->svm->owner]);
}

#endif
