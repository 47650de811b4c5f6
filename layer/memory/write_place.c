/* SPDX-License-Identifier: MIT */
/*
 * Where new contents of memory objects go. See write_place.h.
 */
#include "layer/memory/write_place.h"
#include "layer/memory/buffer.h"
#include "layer/memory/svm.h"
#include "layer/timeline/context.h"
#include "layer/timeline/worker.h"

enum { TRIES = 8, PERIOD = 64 };

void cx_mem_used(struct cx_mem *root, unsigned place)
{
    struct cx_use *use = &root->use;
    use->used = true;
    use->at = place;
    use->times += use->times < 2;
    root->context->used = true;
    root->context->used_at = place;
    if (place == CX_PLACE_HOST)
        root->context->tries = 0;
}

/* Open members with memory of their own for the root; *last: the place of one. */
static unsigned count_places(const struct cx_mem *root, unsigned *last)
{
    const struct cx_context *context = root->context;
    unsigned own = 0;
    for (unsigned m = 0; m < context->nmembers; m++) {
        const struct cx_worker *worker = &context->workers[m];
        const unsigned at = cx_mem_place(root, worker);
        if (at == CX_PLACE_HOST || !cx_worker_is_open(worker) || atomic_load(&worker->left_out))
            continue;
        own++;
        *last = at;
    }
    return own;
}

static bool fits(const struct cx_mem *root, unsigned place)
{
    const struct cx_worker *worker = &root->context->workers[place - 1];
    return cx_mem_place(root, worker) == place && cx_worker_is_open(worker) &&
           !atomic_load(&worker->left_out) &&
           (root->size <= worker->device->max_alloc || root->real[worker->index]);
}

/* Of several devices. A CPU has the host copy as near as memory of its own. */
static unsigned choose(struct cx_mem *root)
{
    struct cx_context *context = root->context;
    const unsigned at = root->use.used ? root->use.at : context->used ? context->used_at : CX_PLACE_HOST;
    if (at == CX_PLACE_HOST || !fits(root, at) || context->workers[at - 1].device->type & CL_DEVICE_TYPE_CPU)
        return CX_PLACE_HOST;
    if (!root->use.used || root->use.times > 1)
        return at;
    const unsigned n = context->tries++;
    return n < TRIES || n % PERIOD == 0 ? CX_PLACE_HOST : at;
}

unsigned cx_mem_write_place(struct cx_mem *root)
{
    const struct cx_context *context = root->context;
    unsigned place = CX_PLACE_HOST;
    if (root->svm)
        return atomic_load(&context->workers[root->svm->owner].left_out) ? CX_PLACE_HOST : cx_svm_place(root);
    const unsigned own = count_places(root, &place);
    if (own == 1)
        return place == cx_mem_place(root, &context->workers[context->fastest]) && fits(root, place)
                   ? place
                   : CX_PLACE_HOST;
    if (own == 0)
        return CX_PLACE_HOST;
    if (root->use.used && root->use.times == 0)
        return root->use.written != CX_PLACE_HOST && fits(root, root->use.written) ? root->use.written
                                                                                   : CX_PLACE_HOST;
    root->use.written = choose(root);
    root->use.times = 0;
    return root->use.written;
}
