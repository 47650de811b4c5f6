/* SPDX-License-Identifier: MIT */
/*
 * Who uses the results of launches. See result_use.h.
 */
#include "layer/plan/result_use.h"
#include "layer/plan/plan.h"

#include <stdlib.h>

struct cx_follows {
    atomic_uint refs;
    struct cx_follow arg[CX_FOLLOWED];
};

void cx_follows_unref(struct cx_follows **follows)
{
    if (*follows && atomic_fetch_sub_explicit(&(*follows)->refs, 1, memory_order_acq_rel) == 1)
        free(*follows);
    *follows = NULL;
}

/* Takes the mark off. */
static void forget(struct cx_mem *root)
{
    cx_follows_unref(&root->written_by);
}

static void mark(struct cx_mem *root, struct cx_follows *follows, unsigned arg)
{
    forget(root);
    atomic_fetch_add_explicit(&follows->refs, 1, memory_order_relaxed);
    root->written_by = follows;
    root->written_arg = arg;
}

void cx_follow_launch(const struct cx_args *args, const struct cx_summary_kernel *summary,
                      struct cx_learned *learned)
{
    const unsigned n = args->count < CX_FOLLOWED ? args->count : CX_FOLLOWED;
    for (unsigned i = 0; i < args->count; i++) {
        struct cx_mem *mem = cx_args_mem(args, i);
        if (!mem || !mem->root->written_by)
            continue;
        struct cx_follow *follow = &mem->root->written_by->arg[mem->root->written_arg];
        follow->wronged |= follow->held > 0;
        follow->held = 0;
        forget(mem->root);
    }
    if (learned && !learned->follows && (learned->follows = calloc(1, sizeof(*learned->follows))))
        atomic_init(&learned->follows->refs, 1);
    for (unsigned i = 0; i < n && learned && learned->follows && summary; i++) {
        const struct cx_mem *mem = cx_args_mem(args, i);
        if (mem && cx_args_may_write(args, summary, i))
            mark(mem->root, learned->follows, i);
    }
}

void cx_follow_read(struct cx_mem *root, size_t bytes, bool maps)
{
    if (!root->written_by || bytes < root->size / 2)
        return;
    struct cx_follow *follow = &root->written_by->arg[root->written_arg];
    follow->held++;
    follow->mapped = maps;
    forget(root);
}

unsigned cx_follow_expects(const struct cx_learned *learned, unsigned arg)
{
    const struct cx_follow *follow =
        learned && learned->follows && arg < CX_FOLLOWED ? &learned->follows->arg[arg] : NULL;
    return follow && follow->held > follow->wronged ? follow->held : 0;
}

bool cx_follow_maps(const struct cx_learned *learned, unsigned arg)
{
    return cx_follow_expects(learned, arg) && learned->follows->arg[arg].mapped;
}
