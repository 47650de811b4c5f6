/* SPDX-License-Identifier: MIT */
/*
 * Reading an image whose texels have several owners: each gives its rows straight into the program's memory,
 * all at once. Previous stage: enqueue_image.c. Next: transfer.c.
 */
#include "layer/api/enqueue_image.h"

#include <stdlib.h>
#include <string.h>

/* Adds [lo, hi) of the root, as far as it lies in the region, row by row. */
static bool add_rows(struct cx_transfer_list *transfers, const struct cx_image_transfer *t, cl_mem real,
                     uint64_t lo, uint64_t hi)
{
    const struct cx_block *block = &t->from.block;
    for (size_t z = (size_t)((lo - block->lo) / block->stride[1]); z < block->count[1]; z++) {
        const uint64_t slice = block->lo + z * block->stride[1];
        for (size_t y = lo > slice ? (size_t)((lo - slice) / block->stride[0]) : 0; y < block->count[0];
             y++) {
            const uint64_t row = slice + y * block->stride[0];
            const uint64_t first = lo > row ? lo : row,
                           end = hi < row + block->bytes ? hi : row + block->bytes;
            if (row >= hi)
                return true;
            if (first < end && !cx_transfer_list_add(transfers, t->from.mem->root, real, first, end,
                                                     t->pointer + z * t->memory.slice + y * t->memory.row +
                                                         (size_t)(first - row)))
                return false;
        }
    }
    return true;
}

static cl_int run_host_rows(struct cx_job *job, struct cx_worker *worker)
{
    const struct cx_transfer_list *transfers = job->data;
    job->times.start_ns = cx_clock_ns();
    for (unsigned i = 0; i < transfers->count; i++) {
        const struct cx_transfer_item *item = &transfers->item[i];
        memcpy(item->host, item->root->storage->host + item->lo, (size_t)(item->hi - item->lo));
    }
    job->times.end_ns = cx_clock_ns();
    return CL_SUCCESS;
}

/* Queues the job of the runs, which are taken over, on the timeline of their place. */
static cl_int add_job(struct cx_image_transfer *t, struct cx_transfer_list *transfers, unsigned place)
    CX_HOLDS(cx_context_locked)
{
    struct cx_context *context = t->base.context;
    const bool host = place == CX_PLACE_HOST;
    struct cx_worker *worker = host ? cx_context_host(context) : cx_mem_place_worker(context, place);
    if (!transfers->count)
        return CL_SUCCESS;
    struct cx_job *job = cx_transfer_list_job(worker, transfers);
    if (!job)
        return CL_OUT_OF_HOST_MEMORY;
    job->times.wanted = !host && cx_command_is_timed(&t->base);
    if (host) {
        const struct cx_block *block = &t->from.block;
        job->run = run_host_rows;
        cx_coherence_host_read(t->from.mem->storage->coherence, block->lo, cx_block_end(block), worker->index,
                               worker->timeline.planned + 1, job->deps);
    }
    cx_enqueue_order_read(&t->base, worker, job);
    cx_command_add_job(&t->base, worker, job);
    return CL_SUCCESS;
}

/* What one place gives: its moves, or (the host copy) what lies between all moves. */
static cl_int read_place(struct cx_image_transfer *t, const struct cx_byte_ranges *ranges,
                         const struct cx_move *moves, size_t count, unsigned place)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_mem *root = t->from.mem->root;
    struct cx_transfer_list transfers = {.upload = false};
    size_t next = 0;
    bool ok = true;
    for (size_t i = 0; i < count && ok && place != CX_PLACE_HOST; i++)
        if (moves[i].from == place)
            ok = add_rows(&transfers, t, root->real[place - 1], moves[i].lo, moves[i].hi);
    for (size_t i = 0; i < ranges->count && ok && place == CX_PLACE_HOST; i++) {
        uint64_t at = ranges->range[i].lo;
        for (; next < count && moves[next].lo < ranges->range[i].hi && ok; next++) {
            ok = at >= moves[next].lo || add_rows(&transfers, t, NULL, at, moves[next].lo);
            at = moves[next].hi;
        }
        ok = ok && (at >= ranges->range[i].hi || add_rows(&transfers, t, NULL, at, ranges->range[i].hi));
    }
    if (ok)
        return add_job(t, &transfers, place);
    cx_transfer_list_finish(&transfers, NULL);
    return CL_OUT_OF_HOST_MEMORY;
}

cl_int cx_enqueue_image_read_owners(struct cx_image_transfer *t, const struct cx_byte_ranges *ranges)
{
    struct cx_mem *root = t->from.mem->root;
    struct cx_move *moves = NULL;
    size_t count = 0;
    cl_int error = cx_mem_host(root) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < ranges->count && error == CL_SUCCESS; i++)
        if (!cx_coherence_missing(root->storage->coherence, ranges->range[i].lo, ranges->range[i].hi,
                                  CX_PLACE_HOST, &moves, &count))
            error = CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < count && error == CL_SUCCESS; i++)
        if (moves[i].from == CX_PLACE_NONE)
            error = cx_transfer_lost(root);
    for (unsigned place = 0; place <= t->base.context->nmembers && error == CL_SUCCESS; place++)
        error = read_place(t, ranges, moves, count, place);
    free(moves);
    return error;
}
