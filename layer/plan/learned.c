/* SPDX-License-Identifier: MIT */
/*
 * What is known of a kernel function. See learned.h.
 */
#include "layer/plan/learned.h"
#include "layer/plan/plan.h"
#include "layer/plan/plan_size.h"
#include "layer/plan/plan_stake.h"

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

void cx_launch_learn_held(struct cx_launch *launch, unsigned member, uint64_t groups, double seconds,
                          bool first)
{
    struct cx_context *context = launch->base.context;
    struct cx_learned *learned = cx_function_learned(launch->kernel->function, context->nmembers);
    if (!learned || groups == 0 || !(seconds > 0))
        return;
    const uint64_t fill = cx_plan_fill(context->workers[member].device, &launch->geometry);
    if (first)
        cx_speed_record_first(&learned->records[member], groups, fill, seconds);
    else
        cx_speed_record_update(&learned->records[member], groups, fill, seconds);
}

void cx_launch_learn(struct cx_launch *launch, unsigned member, uint64_t groups, double seconds, bool first)
{
    struct cx_context *context = launch->base.context;
    if (groups == 0 || !(seconds > 0))
        return;
    pthread_mutex_lock(&context->lock);
    cx_launch_learn_held(launch, member, groups, seconds, first);
    pthread_mutex_unlock(&context->lock);
}

void cx_launch_learn_package(struct cx_launch *launch, unsigned member, enum cx_variant variant,
                             bool at_start, uint64_t groups, double seconds)
{
    struct cx_context *context = launch->base.context;
    if (groups == 0 || !(seconds > 0))
        return;
    pthread_mutex_lock(&context->lock);
    const bool first = cx_launch_first(launch, member, variant, at_start);
    cx_launch_learn_held(launch, member, groups, seconds, first);
    pthread_mutex_unlock(&context->lock);
    if (first)
        cx_launch_compiled_keep(launch, member, variant, at_start, 0);
}

void cx_launch_learn_whole(struct cx_launch *launch, unsigned member, uint64_t groups, double seconds)
{
    struct cx_context *context = launch->base.context;
    if (!(seconds > 0))
        return;
    pthread_mutex_lock(&context->lock);
    const bool first = cx_launch_first(launch, member, CX_VARIANT_PLAIN, true);
    cx_launch_learn_held(launch, member, groups, seconds, first);
    cx_plan_length_tell(launch, member, seconds, first);
    pthread_mutex_unlock(&context->lock);
}
