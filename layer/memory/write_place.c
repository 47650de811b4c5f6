/* SPDX-License-Identifier: MIT */
/*
 * Chooses the place for new contents of memory objects. See write_place.h.
 */
#include "layer/memory/write_place.h"
#include "layer/driver/account.h"
#include "layer/memory/buffer.h"
#include "layer/memory/svm.h"
#include "layer/timeline/context.h"
#include "layer/timeline/worker.h"

enum { TRIES = 8, PERIOD = 16 };

void cx_write_place_used(struct cx_mem *root, unsigned place, enum cx_use_kind kind, double risk)
{
    struct cx_context *context = root->context;
    struct cx_use *use = &root->storage->use;
    if (use->written)
        use->times = 0;
    use->times += use->times < 2;
    if (kind == CX_USE_TRIAL) /* what the next one may lose is known better now */
        use->risk = context->memory.use.risk = 0;
    if (kind == CX_USE_TRIAL || (use->used && !use->written))
        return;
    use->used = true;
    use->written = false;
    use->kind = context->memory.use.kind = kind;
    if (risk > 0)
        use->risk = context->memory.use.risk = risk;
    use->at = context->memory.use.at = kind == CX_USE_OPEN ? CX_PLACE_HOST : place;
    if (kind == CX_USE_OPEN)
        context->memory.use.tries = 0;
}

/* Whether the member is open, and works for the root on memory of its own. */
static bool has_own(const struct cx_mem *root, const struct cx_worker *worker)
{
    return cx_mem_place(root, worker) != CX_PLACE_HOST && cx_worker_is_open(worker) &&
           !atomic_load(&worker->left_out);
}

/* Such members; *last: the place of one. */
static unsigned count_places(const struct cx_mem *root, unsigned *last)
{
    const struct cx_context *context = root->context;
    unsigned own = 0;
    for (unsigned m = 0; m < context->nmembers; m++) {
        const struct cx_worker *worker = &context->workers[m];
        if (!has_own(root, worker))
            continue;
        own++;
        *last = cx_mem_place(root, worker);
    }
    return own;
}

/* Its device takes an object of that size. */
static bool has_room(const struct cx_mem *root, const struct cx_worker *worker)
{
    return root->size <= worker->device->limits.max_alloc || root->real[worker->index];
}

static bool fits(const struct cx_mem *root, unsigned place)
{
    const struct cx_worker *worker = &root->context->workers[place - 1];
    return cx_mem_place(root, worker) == place && has_own(root, worker) && has_room(root, worker);
}

/* Whether the host copy is tried where launches stay whole. `tries` is the context's, since what holds for
 * one object holds for those that launches use with it. */
static bool tries_host(struct cx_context *context, const struct cx_use *use, enum cx_use_kind kind)
    CX_HOLDS(cx_context_locked)
{
    if (kind == CX_USE_WHOLE)
        return false;
    const unsigned n = context->memory.use.tries++;
    if ((use->used && !use->tried) || n % PERIOD == PERIOD - 1)
        return true;
    if (kind != CX_USE_DEAR)
        return use->times < 2 && n < TRIES;
    const double risk = use->used ? use->risk : context->memory.use.risk;
    return !(risk > 0) || !context->account || risk <= cx_account_left(context->account);
}

/* Of several devices. */
static unsigned choose(struct cx_mem *root) CX_HOLDS(cx_context_locked)
{
    struct cx_context *context = root->context;
    const struct cx_use *use = &root->storage->use;
    const unsigned at = use->used ? use->at : context->memory.use.at;
    const enum cx_use_kind kind = use->used ? use->kind : (enum cx_use_kind)context->memory.use.kind;
    if (at == CX_PLACE_HOST || !fits(root, at) ||
        context->workers[at - 1].device->type & CL_DEVICE_TYPE_CPU || tries_host(context, use, kind))
        return CX_PLACE_HOST;
    return at;
}

unsigned cx_write_place_of(struct cx_mem *root)
{
    const struct cx_context *context = root->context;
    struct cx_use *use = &root->storage->use;
    unsigned place = CX_PLACE_HOST;
    if (root->storage->svm)
        return atomic_load(&context->workers[root->storage->svm->owner].left_out) ? CX_PLACE_HOST
                                                                                  : cx_svm_place(root);
    const unsigned own = count_places(root, &place);
    if (own < 2) {
        const struct cx_worker *worker = &context->workers[context->fastest];
        const bool only = own == 1 && place == cx_mem_place(root, worker);
        use->written = true;
        use->written_to = only ? place : CX_PLACE_HOST;
        return only && has_room(root, worker) ? place : CX_PLACE_HOST;
    }
    if (!use->written) {
        use->written = true;
        use->written_to = choose(root);
        use->tried |= use->written_to == CX_PLACE_HOST;
    }
    place = use->written_to;
    return place != CX_PLACE_HOST && fits(root, place) ? place : CX_PLACE_HOST;
}
