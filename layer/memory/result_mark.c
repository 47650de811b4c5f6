/* SPDX-License-Identifier: MIT */
/*
 * Who wrote a memory object last. See result_mark.h.
 */
#include "layer/memory/result_mark.h"
#include "layer/memory/buffer.h"

#include <stdlib.h>

struct cx_follows {
    atomic_uint refs;
    struct cx_follow arg[CX_FOLLOWED];
};

struct cx_follows *cx_follows_new(void)
{
    struct cx_follows *follows = calloc(1, sizeof(*follows));
    if (follows)
        atomic_init(&follows->refs, 1);
    return follows;
}

void cx_follows_unref(struct cx_follows **follows)
{
    if (*follows && atomic_fetch_sub_explicit(&(*follows)->refs, 1, memory_order_acq_rel) == 1)
        free(*follows);
    *follows = NULL;
}

struct cx_follow *cx_follows_of(struct cx_follows *follows, unsigned arg)
{
    return &follows->arg[arg];
}

void cx_result_mark(struct cx_mem *root, struct cx_follows *follows, unsigned arg)
{
    cx_result_unmark(root);
    atomic_fetch_add_explicit(&follows->refs, 1, memory_order_relaxed);
    root->written_by = follows;
    root->written_arg = arg;
}

struct cx_follow *cx_result_marked(const struct cx_mem *root)
{
    return root->written_by ? &root->written_by->arg[root->written_arg] : NULL;
}

void cx_result_unmark(struct cx_mem *root)
{
    cx_follows_unref(&root->written_by);
}
