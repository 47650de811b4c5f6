/* SPDX-License-Identifier: MIT */
/*
 * Marks on memory objects: which kernel function wrote the object last, through which argument. The marks'
 * data is reference-counted, so a mark may outlive the function. result_use.h uses them. Thread-safety:
 * context->lock.
 */
#ifndef CX_LAYER_MEMORY_RESULT_MARK_H
#define CX_LAYER_MEMORY_RESULT_MARK_H

#include "layer/timeline/context.h"

#include <stdbool.h>

struct cx_mem;

enum { CX_RESULT_USE_ARGS = 16 }; /* arguments of a function that are tracked */

/* How the results are used that launches of a function write through one argument. */
struct cx_result_use {
    unsigned streak; /* launches in a row whose results the host used next */
    bool wronged;    /* that was predicted once and did not happen */
    bool mapped;     /* the last use was a mapping of the host copy */
};

/* The uses of one function's results; reference-counted by the function and by the objects with its mark. */
struct cx_result_uses;

/* NULL: no memory. Called by plan/result_use.c. */
struct cx_result_uses *cx_result_uses_new(void);
/* Nulls the pointer; accepts NULL. The last reference may go without a lock. Called by buffer.c and
 * plan/kernel_history.c. */
void cx_result_uses_unref(struct cx_result_uses **result_uses);
/* arg: below CX_RESULT_USE_ARGS. Called by plan/result_use.c. */
struct cx_result_use *cx_result_uses_of(struct cx_result_uses *result_uses, unsigned arg);

/* Marks the root, replacing the mark it has. Called by plan/result_use.c. */
void cx_result_mark(struct cx_mem *root, struct cx_result_uses *result_uses, unsigned arg)
    CX_HOLDS(cx_context_locked);
/* The data of the root's mark; NULL: it has none. Called by plan/result_use.c. */
struct cx_result_use *cx_result_marked(const struct cx_mem *root) CX_HOLDS(cx_context_locked);
/* Removes the mark. Called by plan/result_use.c. */
void cx_result_unmark(struct cx_mem *root);

#endif
