/* SPDX-License-Identifier: MIT */
/*
 * What drivers take. See take.h.
 */
#include "layer/plan/take.h"
#include "layer/plan/plan.h"
#include "layer/timeline/queue.h"
#include "layer/program/kernel_bind.h"

#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t number)
{
    return (hash ^ number) * UINT64_C(0x100000001b3);
}

/* All that drivers refuse a launch by, save buffers: the size of groups, whether some are smaller, and local
 * memory. */
static uint64_t form_of(const struct cx_launch *launch)
{
    const struct cx_access_geometry *geometry = &launch->request.geometry;
    uint64_t form = mix(UINT64_C(0xcbf29ce484222325), geometry->work_dim);
    for (unsigned d = 0; d < geometry->work_dim && launch->request.local_given; d++) {
        form = mix(form, geometry->local[d]);
        form = mix(form, geometry->global[d] % geometry->local[d] != 0);
    }
    for (unsigned i = 0; i < launch->request.args->count; i++)
        if (launch->request.args->arg[i].kind == CX_ARGS_LOCAL)
            form = mix(form, launch->request.args->arg[i].size);
    return form ? form : 1;
}

static struct cx_takes *takes_of(const struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    struct cx_kernel_history *history =
        cx_kernel_history_of(launch->request.kernel->function, launch->base.context->nmembers);
    return history ? &history->takes : NULL;
}

/* NULL: the form was not seen, or there is no memory. */
static struct cx_take *find(const struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    struct cx_takes *takes = takes_of(launch);
    for (unsigned i = 0; takes && i < CX_TAKE_FORMS; i++)
        if (takes->of[i].form == launch->acceptance.form)
            return &takes->of[i];
    return NULL;
}

static struct cx_take *find_or_add(const struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    struct cx_take *take = find(launch);
    struct cx_takes *takes = take ? NULL : takes_of(launch);
    if (!takes)
        return take;
    memmove(&takes->of[1], &takes->of[0], (CX_TAKE_FORMS - 1) * sizeof(takes->of[0]));
    takes->of[0] = (struct cx_take){.form = launch->acceptance.form};
    return &takes->of[0];
}

/* Members that may be tried. */
static uint64_t takers(const struct cx_launch *launch)
{
    uint64_t members = 0;
    for (unsigned m = 0; m < launch->base.context->nmembers; m++)
        if (cx_queue_takes(launch->base.queue, m) && cx_kernel_runs_on(launch->request.kernel, m))
            members |= UINT64_C(1) << m;
    return members;
}

void cx_take_begin(struct cx_launch *launch)
{
    launch->acceptance.form = form_of(launch);
    const struct cx_take *take = find(launch);
    launch->acceptance.refused = launch->acceptance.tried;
    if (take && takers(launch) & ~(launch->acceptance.tried | take->refused))
        launch->acceptance.refused |= take->refused;
}

bool cx_take_refused(const struct cx_launch *launch, unsigned member)
{
    return launch->acceptance.refused >> member & 1;
}

bool cx_take_known(const struct cx_launch *launch, unsigned member)
{
    const struct cx_take *take = launch->acceptance.form ? find(launch) : NULL;
    return take && take->taken >> member & 1;
}

void cx_take_note(struct cx_launch *launch, unsigned member)
{
    struct cx_take *take = find_or_add(launch);
    if (!take)
        return;
    take->taken |= UINT64_C(1) << member;
    take->refused &= ~(UINT64_C(1) << member);
}

bool cx_take_refuse(struct cx_launch *launch, unsigned member, int error)
{
    struct cx_context *context = launch->base.context;
    int waits = CX_ASKED_WAITS;
    cx_context_lock(context);
    struct cx_take *take = find_or_add(launch);
    if (take) {
        take->refused |= UINT64_C(1) << member;
        take->taken &= ~(UINT64_C(1) << member);
    }
    cx_context_unlock(context);
    return atomic_compare_exchange_strong(&launch->base.asked, &waits, error);
}
