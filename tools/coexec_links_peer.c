/* SPDX-License-Identifier: MIT */
/*
 * Measuring copies between peers. See coexec_links.h. A context of the layer's own is put together of what
 * the measured devices have open already, so that its way of sharing memory is what is measured.
 */
#include "tools/coexec_links_inside.h"
#include "layer/timeline/command.h"
#include "layer/memory/peer.h"
#include "layer/timeline/worker.h"

#include <stdlib.h>

enum { TRIES = 4, SMALL = 65536 };

struct side {
    cl_mem real;
    struct cx_peer_memory *memory;
};

/* Best time in ns of a copy that is waited for; 0: it fails. */
static uint64_t time_copy(struct cx_peers *peers, const struct side *from, const struct side *to,
                          unsigned member, size_t bytes)
{
    struct cx_peer_stream stream;
    uint64_t best = UINT64_MAX;
    if (cx_peer_enter(peers, member, &stream) != 0)
        return 0;
    for (unsigned i = 0; i < TRIES && best; i++) {
        const uint64_t start = cx_clock_ns();
        const bool ok =
            stream.cuda->copy(to->memory->pointer, from->memory->pointer, bytes, stream.stream) == 0 &&
            stream.cuda->stream_wait(stream.stream) == 0;
        const uint64_t ns = cx_clock_ns() - start;
        best = !ok ? 0 : i > 0 && ns < best ? ns : best;
    }
    cx_peer_leave(&stream);
    return best;
}

/* The same by the destination's OpenCL queue, over a second object for the source's memory. */
static uint64_t time_queue(const struct cx_end *end, cl_mem from, cl_mem to, size_t bytes)
{
    const cl_icd_dispatch *cl = end->device->cl;
    uint64_t best = UINT64_MAX;
    for (unsigned i = 0; i < TRIES && best; i++) {
        const uint64_t start = cx_clock_ns();
        const bool ok =
            cl->clEnqueueCopyBuffer(end->queue, from, to, 0, 0, bytes, 0, NULL, NULL) == CL_SUCCESS &&
            cl->clFinish(end->queue) == CL_SUCCESS;
        const uint64_t ns = cx_clock_ns() - start;
        best = !ok ? 0 : i > 0 && ns < best ? ns : best;
    }
    return best;
}

static void measure_queue(struct cx_links *links, struct cx_context *context, const struct cx_end *ends,
                          const struct side *side, unsigned from, unsigned to)
{
    cl_int error;
    cl_mem alias = cx_peer_import(context, to, side[from].memory, &error);
    if (!alias)
        return;
    const uint64_t ns = time_queue(&ends[to], alias, side[to].real, links->bytes);
    links->queue[from * links->n + to] = ns ? (double)links->bytes / (double)ns : 0;
    links->queue_us[from * links->n + to] = (double)time_queue(&ends[to], alias, side[to].real, SMALL) * 1e-3;
    cx_peer_release(context, to, alias);
}

static void measure_pairs(struct cx_links *links, struct cx_context *context, const struct cx_end *ends,
                          const struct side *side)
{
    for (unsigned from = 0; from < links->n; from++)
        for (unsigned to = 0; to < links->n; to++) {
            if (!cx_peer_reaches(context->memory.peers, from, to) || !side[from].real || !side[to].real)
                continue;
            const uint64_t ns = time_copy(context->memory.peers, &side[from], &side[to], to, links->bytes);
            const uint64_t small = time_copy(context->memory.peers, &side[from], &side[to], to, SMALL);
            links->peers = true;
            links->peer[from * links->n + to] = ns ? (double)links->bytes / (double)ns : 0;
            links->peer_us[from * links->n + to] = (double)small * 1e-3;
            measure_queue(links, context, ends, side, from, to);
        }
}

bool cx_links_measure_peers(struct cx_links *links, const struct cx_end *ends)
{
    struct cx_context context = {.nmembers = links->n};
    struct side *side = calloc(links->n + 1u, sizeof(*side));
    struct cx_worker *workers = context.workers = calloc(links->n + 1u, sizeof(*workers));
    bool all = side && workers;
    for (unsigned m = 0; m < links->n && all; m++) {
        workers[m] = (struct cx_worker){
            .context = &context, .index = m, .real_context = ends[m].context, .state = CX_WORKER_OPEN};
        workers[m].device = (struct cx_real_device *)(uintptr_t)ends[m].device;
        workers[m].queue = ends[m].queue;
        workers[m].place = ends[m].device->probe.in_place || !ends[m].own ? 0 : 1 + m;
    }
    if (all)
        cx_peers_look(&context);
    if (context.memory.peers)
        cx_peers_open(&context);
    for (unsigned m = 0; m < links->n && context.memory.peers; m++)
        side[m].real = cx_peer_allocate(&context, m, links->bytes, &side[m].memory);
    if (context.memory.peers)
        measure_pairs(links, &context, ends, side);
    for (unsigned m = 0; m < links->n && context.memory.peers; m++) {
        if (side[m].real)
            cx_peer_release(&context, m, side[m].real);
        cx_peer_free(&context, m, &side[m].memory);
    }
    cx_peers_finish(context.memory.peers);
    free(workers);
    free(side);
    return all;
}
