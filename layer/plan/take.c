/* SPDX-License-Identifier: MIT */
/*
 * What drivers take. See take.h.
 */
#include "layer/plan/take.h"
#include "layer/plan/plan.h"
#include "layer/timeline/queue.h"
#include "layer/program/kernel_bind.h"
#include "layer/program/kernel_info.h"

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
static struct cx_take *find_form(const struct cx_launch *launch, uint64_t form) CX_HOLDS(cx_context_locked)
{
    struct cx_takes *takes = takes_of(launch);
    for (unsigned i = 0; takes && i < CX_TAKE_FORMS; i++)
        if (takes->of[i].form == form)
            return &takes->of[i];
    return NULL;
}

/* Of the whole launch. */
static struct cx_take *find(const struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    return launch->acceptance.form ? find_form(launch, launch->acceptance.form) : NULL;
}

static struct cx_take *find_or_add(const struct cx_launch *launch, uint64_t form) CX_HOLDS(cx_context_locked)
{
    struct cx_take *take = find_form(launch, form);
    struct cx_takes *takes = take ? NULL : takes_of(launch);
    if (!takes)
        return take;
    memmove(&takes->of[1], &takes->of[0], (CX_TAKE_FORMS - 1) * sizeof(takes->of[0]));
    takes->of[0] = (struct cx_take){.form = form};
    return &takes->of[0];
}

/* By which packages of such launches are recorded. */
static uint64_t package_form(const struct cx_launch *launch, enum cx_variant variant)
    CX_HOLDS(cx_context_locked)
{
    const uint64_t form = mix(launch->acceptance.form, 1 + (uint64_t)variant);
    return form ? form : 1;
}

static void note(struct cx_take *take, unsigned member, bool accepted)
{
    const uint64_t bit = UINT64_C(1) << member;
    if (!take)
        return;
    take->taken = accepted ? take->taken | bit : take->taken & ~bit;
    take->refused = accepted ? take->refused & ~bit : take->refused | bit;
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
    const struct cx_take *take = find(launch);
    return take && take->taken >> member & 1;
}

void cx_take_note(struct cx_launch *launch, unsigned member)
{
    note(find_or_add(launch, launch->acceptance.form), member, true);
}

bool cx_take_refuse(struct cx_launch *launch, unsigned member, int error)
{
    struct cx_context *context = launch->base.context;
    int waits = CX_ASKED_WAITS;
    cx_context_lock(context);
    note(find_or_add(launch, launch->acceptance.form), member, false);
    cx_context_unlock(context);
    return atomic_compare_exchange_strong(&launch->base.asked, &waits, error);
}

/* ---- packages ---- */

bool cx_take_any_known(const struct cx_launch *launch)
{
    const struct cx_take *take = find(launch);
    return take && take->taken & takers(launch);
}

/* Whether the member accepted the whole launch, or one just like it did. */
static bool is_likely(const struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_take *take = find(launch);
    for (unsigned m = 0; take && m < context->nmembers; m++)
        if (take->taken >> m & 1 && (m == member || cx_context_alike(context, m, member)))
            return !((take->refused | launch->acceptance.refused) >> member & 1);
    return false;
}

enum cx_why cx_take_forbids(const struct cx_launch *launch, unsigned member, enum cx_variant variant,
                            size_t items)
{
    const struct cx_kernel *kernel = launch->request.kernel;
    const size_t limit = cx_kernel_variant_limit(kernel, member, variant);
    if (!launch->acceptance.beyond)
        return limit >= items ? CX_WHY_NONE : CX_WHY_GROUP_SIZE;
    const struct cx_take *packages = find_form(launch, package_form(launch, variant));
    if (packages && packages->refused >> member & 1)
        return CX_WHY_REFUSED;
    if (!is_likely(launch, member))
        return CX_WHY_BEYOND;
    return limit >= cx_kernel_group_limit(kernel, member) ? CX_WHY_NONE : CX_WHY_GROUP_SIZE;
}

bool cx_take_packages_known(const struct cx_launch *launch, const struct cx_split_plan *plan)
{
    bool known = true;
    for (unsigned p = 0; p < plan->n + plan->probes && known && launch->acceptance.beyond; p++) {
        const struct cx_take *take = find_form(launch, package_form(launch, plan->variant[p]));
        known = take && take->taken >> plan->member[p] & 1;
    }
    return known;
}

void cx_take_note_package(struct cx_launch *launch, unsigned member, enum cx_variant variant, bool accepted)
{
    if (launch->acceptance.beyond)
        note(find_or_add(launch, package_form(launch, variant)), member, accepted);
}
