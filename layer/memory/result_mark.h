/* SPDX-License-Identifier: MIT */
/*
 * Marks on memory objects: which kernel function wrote the object last, through which argument. Counted with
 * the function, so that a mark outlives it. What they are good for says result_use.h. Thread-safety:
 * context->lock.
 */
#ifndef CX_LAYER_MEMORY_RESULT_MARK_H
#define CX_LAYER_MEMORY_RESULT_MARK_H

#include <stdbool.h>

struct cx_mem;

enum { CX_RESULT_USE_ARGS = 16 }; /* arguments of a function that are followed */

/* What became of what launches of a function wrote through one argument. */
struct cx_result_use {
    unsigned streak; /* launches in a row whose results went to the host next */
    bool wronged;    /* it was expected, and did not happen */
    bool mapped;     /* the last time it was a mapping, into the host copy */
};

/* Of one function; counted: by the function, and by the objects with its mark. */
struct cx_result_uses;

/* NULL: no memory. */
struct cx_result_uses *cx_result_uses_new(void);
/* Nulls the pointer; accepts NULL. The last reference may go without a lock. */
void cx_result_uses_unref(struct cx_result_uses **result_uses);
/* arg: below CX_RESULT_USE_ARGS. */
struct cx_result_use *cx_result_uses_of(struct cx_result_uses *result_uses, unsigned arg);

/* Puts a mark on the root in place of the one it has. */
void cx_result_mark(struct cx_mem *root, struct cx_result_uses *result_uses, unsigned arg);
/* Whom the root's mark means; NULL: it has none. */
struct cx_result_use *cx_result_marked(const struct cx_mem *root);
/* Takes the mark off. */
void cx_result_unmark(struct cx_mem *root);

#endif
