/* SPDX-License-Identifier: MIT */
/*
 * Marks that say which function wrote a memory object last. See result_mark.h.
 */
#include "layer/memory/result_mark.h"
#include "layer/memory/buffer.h"

#include <stdlib.h>

struct cx_result_uses {
    atomic_uint refs;
    struct cx_result_use arg[CX_RESULT_USE_ARGS];
};

struct cx_result_uses *cx_result_uses_new(void)
{
    struct cx_result_uses *result_uses = calloc(1, sizeof(*result_uses));
    if (result_uses)
        atomic_init(&result_uses->refs, 1);
    return result_uses;
}

void cx_result_uses_unref(struct cx_result_uses **result_uses)
{
    if (*result_uses && atomic_fetch_sub_explicit(&(*result_uses)->refs, 1, memory_order_acq_rel) == 1)
        free(*result_uses);
    *result_uses = NULL;
}

struct cx_result_use *cx_result_uses_of(struct cx_result_uses *result_uses, unsigned arg)
{
    return &result_uses->arg[arg];
}

void cx_result_mark(struct cx_mem *root, struct cx_result_uses *result_uses, unsigned arg)
{
    cx_result_unmark(root);
    atomic_fetch_add_explicit(&result_uses->refs, 1, memory_order_relaxed);
    root->storage->written_by = result_uses;
    root->storage->written_arg = arg;
}

struct cx_result_use *cx_result_marked(const struct cx_mem *root)
{
    return root->storage->written_by ? &root->storage->written_by->arg[root->storage->written_arg] : NULL;
}

void cx_result_unmark(struct cx_mem *root)
{
    cx_result_uses_unref(&root->storage->written_by);
}
