/* SPDX-License-Identifier: MIT */
/*
 * What making memory takes. See making_cost.h.
 */
#include "layer/plan/making_cost.h"
#include "layer/memory/transport.h"
#include "layer/plan/result_use.h"
#include "layer/timeline/worker.h"

#include <math.h>
#include <string.h>

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

/* Bytes of the argument's region that the place lacks, and that come to it through the host copy, as other
 * members alone have them. */
static double through_host(const struct cx_mem *mem, const struct cx_access_interval *read, unsigned place,
                           uint64_t *lacking) CX_HOLDS(cx_context_locked)
{
    struct cx_near near;
    if (place == CX_PLACE_HOST || read->lo >= read->hi)
        return 0;
    memset(lacking, 0, 64 * sizeof(*lacking));
    cx_coherence_lacking(mem->storage->coherence, mem->origin + read->lo, mem->origin + read->hi, lacking);
    cx_transports_near(mem->root, place, &near);
    uint64_t bytes = lacking[place] < lacking[CX_PLACE_HOST] ? lacking[place] : lacking[CX_PLACE_HOST];
    for (unsigned p = 1; p <= mem->context->nmembers; p++)
        if (near.any >> p & 1 && lacking[p] < bytes)
            bytes = lacking[p];
    return (double)bytes;
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
            bytes += (all ? 1 : split->part[i]) *
                     through_host(mem, read, cx_mem_place(mem->root, worker), split->scratch);
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
    const unsigned home = cx_mem_place(mem->root, &context->workers[split->plan->member[split->best]]);
    const bool expected = cx_result_use_expects(launch->request.kernel->function->history, arg) > 0;
    struct cx_near near;
    double part = 0;
    if (write->lo >= write->hi || home == CX_PLACE_HOST)
        return 0;
    cx_transports_near(mem->root, home, &near);
    for (unsigned i = 0; i < split->plan->n; i++) {
        const unsigned place = cx_mem_place(mem->root, &context->workers[split->plan->member[i]]);
        if (place != CX_PLACE_HOST && (expected || (i != split->best && !(near.any >> place & 1))))
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
