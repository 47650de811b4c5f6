/* SPDX-License-Identifier: MIT */
/*
 * The history of a kernel function. See kernel_history.h.
 */
#include "layer/plan/kernel_history.h"
#include "layer/plan/judged_package.h"
#include "layer/program/kernel.h"
#include "scheduler/memory.h"

#include <stdlib.h>

void cx_cached_verdict_unref(struct cx_cached_verdict **judged)
{
    if (*judged && --(*judged)->refs == 0) {
        cx_access_destroy(&(*judged)->access);
        cx_judged_package_forget(*judged);
        free(*judged);
    }
    *judged = NULL;
}

/* With the function. */
static void forget(struct cx_kernel_history *history) CX_UNCHECKED
{
    for (unsigned i = 0; i < CX_VERDICTS; i++)
        cx_cached_verdict_unref(&history->verdicts.cached[i]);
    for (unsigned i = 0; i < CX_KERNEL_MEMORIES; i++)
        free(history->shapes.memories[i]);
    free(history->records);
    free(history->times);
    free(history->moves);
    free(history->tuning);
    cx_result_uses_unref(&history->result_uses);
    free(history);
}

struct cx_kernel_history *cx_kernel_history_of(struct cx_function *function, unsigned nmembers)
{
    struct cx_kernel_history *history = function->history;
    if (history)
        return history;
    history = calloc(1, sizeof(*history));
    if (history) {
        history->records = calloc(nmembers, sizeof(*history->records));
        history->times = calloc(nmembers, sizeof(*history->times));
        history->moves = calloc(nmembers, sizeof(*history->moves));
    }
    if (history && !(history->records && history->times && history->moves)) {
        forget(history);
        history = NULL;
    }
    function->history = history;
    function->forget = forget;
    return history;
}

struct cx_memory *cx_kernel_history_memory(const struct cx_kernel_history *history, uint64_t groups)
{
    for (unsigned i = 0; i < CX_KERNEL_MEMORIES; i++)
        if (history->shapes.memories[i] && history->shapes.memories[i]->cost_model.groups == groups)
            return history->shapes.memories[i];
    return NULL;
}
