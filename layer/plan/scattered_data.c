/* SPDX-License-Identifier: MIT */
/*
 * When data that lies in parts is brought together. See scattered_data.h.
 */
#include "layer/plan/scattered_data.h"
#include "layer/base/log.h"
#include "layer/plan/kernel_history.h"
#include "layer/plan/plan_size.h"

/* Seconds before the price is asked for, and of the price for each piece that is to be moved. */
#define LEAST         1e-3
#define PIECE_SECONDS 2e-6

static double price_of(const struct cx_launch *launch, const struct cx_worker *worker)
    CX_HOLDS(cx_context_locked)
{
    double price = 0;
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        if (!mem)
            continue;
        uint64_t lacking[64] = {0};
        cx_coherence_lacking(mem->storage->coherence, mem->origin, mem->origin + mem->size, lacking);
        const struct cx_plan_bring bring = cx_plan_bring(worker, mem->root, lacking);
        price += bring.host + bring.others +
                 PIECE_SECONDS * (double)cx_coherence_segments(mem->storage->coherence);
    }
    return price;
}

static struct cx_scattered *scattered_of(const struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    struct cx_kernel_history *history =
        cx_kernel_history_of(launch->request.kernel->function, launch->base.context->nmembers);
    return history ? &history->scattered : NULL;
}

bool cx_scattered_gathers(struct cx_launch *launch, const struct cx_worker *worker)
{
    struct cx_scattered *scattered = scattered_of(launch);
    if (!scattered || scattered->seconds < (scattered->price > LEAST ? scattered->price : LEAST))
        return false;
    scattered->price = price_of(launch, worker);
    if (scattered->seconds < scattered->price)
        return false;
    cx_debug(CX_TOPIC_PLAN, "%s: all of its buffers go to %s, as planning what it touches has taken %.3f ms",
             launch->request.kernel->function->name, worker->device->name, scattered->seconds * 1e3);
    *scattered = (struct cx_scattered){0};
    return true;
}

void cx_scattered_took(struct cx_launch *launch, double seconds)
{
    struct cx_scattered *scattered = scattered_of(launch);
    if (scattered)
        scattered->seconds += seconds;
}
