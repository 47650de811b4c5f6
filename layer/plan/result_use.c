/* SPDX-License-Identifier: MIT */
/*
 * Predicts who uses the results of launches. See result_use.h.
 */
#include "layer/plan/result_use.h"
#include "layer/plan/plan.h"
#include "layer/plan/launch_prepare.h"

void cx_result_use_launch(const struct cx_args *args, const struct cx_summary_kernel *summary,
                          struct cx_kernel_history *history, const struct cx_worker *worker,
                          enum cx_use_kind kind, double risk)
{
    const unsigned n = args->count < CX_RESULT_USE_ARGS ? args->count : CX_RESULT_USE_ARGS;
    for (unsigned i = 0; i < args->count; i++) {
        struct cx_mem *mem = cx_args_mem(args, i);
        struct cx_result_use *use = mem ? cx_result_marked(mem->root) : NULL;
        if (mem && !cx_write_place_stays(&mem->storage->use, kind))
            cx_write_place_used(mem->root, worker ? cx_mem_place(mem->root, worker) : CX_PLACE_HOST, kind,
                                risk);
        if (!use)
            continue;
        use->wronged |= use->streak > 0;
        use->streak = 0;
        cx_result_unmark(mem->root);
    }
    if (history && !history->result_uses)
        history->result_uses = cx_result_uses_new();
    for (unsigned i = 0; i < n && history && history->result_uses && summary; i++) {
        const struct cx_mem *mem = cx_args_mem(args, i);
        if (mem && cx_launch_args_may_write(args, summary, i))
            cx_result_mark(mem->root, history->result_uses, i);
    }
}

void cx_result_use_read(struct cx_mem *root, size_t bytes, bool maps)
{
    struct cx_result_use *use = cx_result_marked(root);
    if (!use || bytes < root->size / 2)
        return;
    use->streak++;
    use->mapped = maps;
    cx_result_unmark(root);
}

unsigned cx_result_use_expects(const struct cx_kernel_history *history, unsigned arg)
{
    const struct cx_result_use *use = history && history->result_uses && arg < CX_RESULT_USE_ARGS
                                          ? cx_result_uses_of(history->result_uses, arg)
                                          : NULL;
    return use && use->streak > use->wronged ? use->streak : 0;
}

bool cx_result_use_maps(const struct cx_kernel_history *history, unsigned arg)
{
    return cx_result_use_expects(history, arg) && cx_result_uses_of(history->result_uses, arg)->mapped;
}
