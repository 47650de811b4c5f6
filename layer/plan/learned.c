/* SPDX-License-Identifier: MIT */
/*
 * What is known of a kernel function. See learned.h.
 */
#include "layer/plan/learned.h"
#include "layer/program/kernel.h"
#include "scheduler/memory.h"

#include <stdlib.h>

void cx_judged_unref(struct cx_judged **judged)
{
    if (*judged && --(*judged)->refs == 0) {
        cx_access_destroy(&(*judged)->access);
        free(*judged);
    }
    *judged = NULL;
}

/* With the function. */
static void forget(struct cx_learned *learned)
{
    for (size_t i = 0; i < sizeof(learned->judged) / sizeof(*learned->judged); i++)
        cx_judged_unref(&learned->judged[i]);
    for (size_t i = 0; i < sizeof(learned->memories) / sizeof(*learned->memories); i++)
        free(learned->memories[i]);
    free(learned->records);
    cx_follows_unref(&learned->follows);
    free(learned);
}

struct cx_learned *cx_function_learned(struct cx_function *function, unsigned nmembers)
{
    struct cx_learned *learned = function->learned;
    if (learned)
        return learned;
    learned = calloc(1, sizeof(*learned));
    if (learned && !(learned->records = calloc(nmembers, sizeof(*learned->records)))) {
        free(learned);
        learned = NULL;
    }
    function->learned = learned;
    function->forget = forget;
    return learned;
}

struct cx_memory *cx_learned_memory(const struct cx_learned *learned, uint64_t groups)
{
    for (unsigned i = 0; i < sizeof(learned->memories) / sizeof(*learned->memories); i++)
        if (learned->memories[i] && learned->memories[i]->taught.groups == groups)
            return learned->memories[i];
    return NULL;
}
