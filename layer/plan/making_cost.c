/* SPDX-License-Identifier: MIT */
/*
 * What making memory takes. See making_cost.h.
 */
#include "layer/plan/making_cost.h"
#include "layer/memory/transport.h"
#include "layer/plan/plan_size.h"
#include "layer/plan/result_use.h"
#include "layer/timeline/worker.h"

#include <math.h>

/* Memory that is made on a GPU (an H100 took 0.2 to 0.4 ms for 256 MB) and on another device, bytes a second
 * at least, and seconds for each object. */
#define GPU_MADE_BYTES_PER_S 400e9
#define MADE_BYTES_PER_S     10e9
#define MADE_SECONDS         100e-6
/* Pages of a host copy that are written for the first time. An H100's host took 35 ms for 100 MB, and 5 ms
 * once they were there (docs/field.md). */
#define PAGES_BYTES_PER_S 3e9

double cx_making_objects(const struct cx_launch *launch, const struct cx_worker *worker)
{
    const double rate = worker->device->type & CL_DEVICE_TYPE_GPU ? GPU_MADE_BYTES_PER_S : MADE_BYTES_PER_S;
    double seconds = 0;
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        if (mem && cx_mem_place(mem->root, worker) != CX_PLACE_HOST && !mem->root->real[worker->index])
            seconds += MADE_SECONDS + (double)mem->root->size / rate;
    }
    return seconds;
}

/* The places, as bits, from which bytes of the root will come to the worker's without the host, once it has
 * an object on both. */
static uint64_t near_places(const struct cx_mem *root, const struct cx_worker *worker)
    CX_HOLDS(cx_context_locked)
{
    struct cx_near near;
    uint64_t peers = cx_plan_peers(worker, root);
    cx_transports_near(root, cx_mem_place(root, worker), &near);
    for (unsigned m = 0; m < worker->context->nmembers && root->real[worker->index]; m++)
        if (root->real[m])
            peers &= ~(UINT64_C(1) << (1 + m));
    return near.any | peers;
}

/* Bytes of the argument's region that come to the worker's place through the host copy, as neither it nor a
 * place near it has them: each of these may have a part. */
static double through_host(const struct cx_mem *mem, const struct cx_access_interval *read,
                           const struct cx_worker *worker) CX_HOLDS(cx_context_locked)
{
    const unsigned place = cx_mem_place(mem->root, worker);
    if (place == CX_PLACE_HOST || read->lo >= read->hi)
        return 0;
    return (double)cx_coherence_lacking_all(
        mem->storage->coherence, mem->origin + read->lo, mem->origin + read->hi,
        near_places(mem->root, worker) | UINT64_C(1) << place | UINT64_C(1) << CX_PLACE_HOST);
}

/* Bytes of the argument's inputs: of a package that reads most of them all, of others the member's part. */
static double inputs(const struct cx_launch *launch, const struct cx_making *split, unsigned arg)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_mem *mem = cx_launch_mem(launch, arg);
    const struct cx_access_interval *read = &split->whole[arg].read;
    const struct cx_access_region *package = &split->whole[launch->request.args->count + arg];
    const bool all = cx_access_read_bytes(package) > (read->hi - read->lo) / 2;
    double bytes = 0;
    for (unsigned i = 0; i < split->plan->n; i++) {
        const struct cx_worker *worker = &launch->base.context->workers[split->plan->member[i]];
        if (split->part[i] > 0)
            bytes += (all ? 1 : split->part[i]) * through_host(mem, read, worker);
    }
    return bytes;
}

/* Bytes of the argument's results: what the host is expected to read comes by its copy while others are still
 * at work; else the program may use it where the launch would have run whole. */
static double results(const struct cx_launch *launch, const struct cx_making *split, unsigned arg)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_mem *mem = cx_launch_mem(launch, arg);
    const struct cx_access_interval *write = &split->whole[arg].write;
    const struct cx_worker *best = &context->workers[split->plan->member[split->best]];
    const bool expected = cx_result_use_expects(launch->request.kernel->function->history, arg) > 0;
    double part = 0;
    if (write->lo >= write->hi || cx_mem_place(mem->root, best) == CX_PLACE_HOST)
        return 0;
    const uint64_t near = near_places(mem->root, best);
    for (unsigned i = 0; i < split->plan->n; i++) {
        const unsigned place = cx_mem_place(mem->root, &context->workers[split->plan->member[i]]);
        if (place != CX_PLACE_HOST && (expected || (i != split->best && !(near >> place & 1))))
            part += split->part[i];
    }
    return part * (double)(write->hi - write->lo);
}

double cx_making_host_copies(const struct cx_launch *launch, const struct cx_making *split)
{
    double bytes = 0;
    for (unsigned i = 0; i < launch->request.args->count && split->whole; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        if (mem && !mem->storage->host)
            bytes += fmin(inputs(launch, split, i) + results(launch, split, i), (double)mem->root->size);
    }
    return bytes / PAGES_BYTES_PER_S;
}
