/* SPDX-License-Identifier: MIT */
/*
 * Who uses the results of launches. See result_use.h.
 */
#include "layer/plan/result_use.h"
#include "layer/plan/plan.h"
#include "layer/plan/launch_prepare.h"

void cx_follow_launch(const struct cx_args *args, const struct cx_summary_kernel *summary,
                      struct cx_learned *learned)
{
    const unsigned n = args->count < CX_FOLLOWED ? args->count : CX_FOLLOWED;
    for (unsigned i = 0; i < args->count; i++) {
        struct cx_mem *mem = cx_args_mem(args, i);
        struct cx_follow *follow = mem ? cx_result_marked(mem->root) : NULL;
        if (!follow)
            continue;
        follow->wronged |= follow->held > 0;
        follow->held = 0;
        cx_result_unmark(mem->root);
    }
    if (learned && !learned->follows)
        learned->follows = cx_follows_new();
    for (unsigned i = 0; i < n && learned && learned->follows && summary; i++) {
        const struct cx_mem *mem = cx_args_mem(args, i);
        if (mem && cx_args_may_write(args, summary, i))
            cx_result_mark(mem->root, learned->follows, i);
    }
}

void cx_follow_read(struct cx_mem *root, size_t bytes, bool maps)
{
    struct cx_follow *follow = cx_result_marked(root);
    if (!follow || bytes < root->size / 2)
        return;
    follow->held++;
    follow->mapped = maps;
    cx_result_unmark(root);
}

unsigned cx_follow_expects(const struct cx_learned *learned, unsigned arg)
{
    const struct cx_follow *follow =
        learned && learned->follows && arg < CX_FOLLOWED ? cx_follows_of(learned->follows, arg) : NULL;
    return follow && follow->held > follow->wronged ? follow->held : 0;
}

bool cx_follow_maps(const struct cx_learned *learned, unsigned arg)
{
    return cx_follow_expects(learned, arg) && cx_follows_of(learned->follows, arg)->mapped;
}
