/* SPDX-License-Identifier: MIT */
/*
 * Linear transfers: read, write, fill, copy, migrate. Rectangles are in enqueue_rect.c, mappings in
 * enqueue_map.c.
 *
 * A read gathers straight into the program's memory from every owner at once. A write goes to where the next
 * reader most likely is (cx_write_place_of). Fills and copies run where the data is.
 */
#include "layer/memory/host_copy.h"
#include "layer/memory/device_copy.h"
#include "layer/api/enqueue.h"
#include "layer/base/entry.h"
#include "layer/plan/result_use.h"
#include "layer/base/log.h"
#include "layer/launch/read_ahead.h"

#include <stdlib.h>
#include <string.h>

/* What the host copies within less time than another thread may need to take it over, where all cores are in
 * use (3 ms were seen): the thread that enqueues does it, if nothing is before it. */
#define BRIEF_BYTES (UINT64_C(1) << 20)

struct transfer {
    struct cx_command base;
    struct cx_mem *mem;  /* read, written, filled, or copied to; a reference */
    struct cx_mem *from; /* copied from; a reference or NULL */
    uint64_t lo, hi;     /* of mem's root */
    uint64_t from_lo;    /* of from's root */
    unsigned char *pointer;
    struct cx_pending_read pending_read; /* the same, of a read */
    size_t pattern_size;
    unsigned char pattern[128];
    struct cx_mem **mems; /* migrated */
    unsigned nmems;
    bool to_host;
};

static void drop(struct cx_command *command)
{
    struct transfer *transfer = (struct transfer *)command;
    cx_mem_unref(&transfer->mem);
    cx_mem_unref(&transfer->from);
    for (unsigned i = 0; i < transfer->nmems; i++)
        cx_mem_unref(&transfer->mems[i]);
    free(transfer->mems);
    free(transfer->pending_read.delivered);
    transfer->pending_read.delivered = NULL;
    transfer->mems = NULL;
    transfer->nmems = 0;
}

/* For those that write: see cx_command_ops.lost. */
static void lost(struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    const struct transfer *transfer = (struct transfer *)command;
    cx_coherence_void(transfer->mem->storage->coherence, transfer->lo, transfer->hi);
}

static const struct cx_command_ops empty_ops = {.plan = cx_command_settle, .drop = drop}; /* no bytes */

static struct transfer *transfer_new(struct cx_queue *queue, struct cx_mem *mem, cl_command_type type,
                                     const struct cx_command_ops *ops)
{
    struct transfer *transfer =
        (struct transfer *)cx_command_new(queue->context, queue, sizeof(*transfer), type, ops);
    if (transfer && mem)
        transfer->mem = cx_mem_ref(mem);
    return transfer;
}

/* Takes the transfer over. */
static cl_int submit(struct transfer *transfer, const struct cx_transfer_wait *wait)
{
    struct cx_command *command = &transfer->base;
    return cx_command_submit(&command, wait->nwait, wait->list, wait->event, wait->blocking);
}

static bool is_brief(const struct transfer *transfer)
{
    return transfer->hi - transfer->lo <= BRIEF_BYTES;
}

static void add_host_job(struct cx_command *command, struct cx_job *job) CX_HOLDS(cx_context_locked)
{
    cx_command_add_job(command, cx_context_host(command->context), job);
}

/* ---- read ---- */

static cl_int run_host_read(struct cx_job *job, struct cx_worker *worker)
{
    const struct cx_transfer_list *transfers = job->data;
    job->times.start_ns = cx_clock_ns();
    for (unsigned i = 0; i < transfers->count; i++) {
        const struct cx_transfer_item *item = &transfers->item[i];
        cx_host_copy(item->root->context, item->host, item->root->storage->host + item->lo,
                     (size_t)(item->hi - item->lo));
    }
    job->times.end_ns = cx_clock_ns();
    return CL_SUCCESS;
}

/* Adds what of a piece lies between the missing runs, of which the first is the *next-th. */
static bool add_between(struct cx_transfer_list *transfers, const struct transfer *transfer,
                        const struct cx_byte_range *range, const struct cx_move *moves, size_t count,
                        size_t *next)
{
    uint64_t at = range->lo;
    bool ok = true;
    while (at < range->hi && ok) {
        const bool missing = *next < count && moves[*next].lo < range->hi;
        const uint64_t end = missing ? moves[*next].lo : range->hi;
        if (at < end)
            ok = cx_transfer_list_add(transfers, transfer->mem->root, NULL, at, end,
                                      transfer->pointer + (at - transfer->lo));
        at = missing ? moves[(*next)++].hi : end;
    }
    return ok;
}

/* What the host copy holds of the pieces between the missing runs, in one job of the host's worker. */
static cl_int read_from_host(struct transfer *transfer, const struct cx_byte_range *ranges, size_t npieces,
                             const struct cx_move *moves, size_t count) CX_HOLDS(cx_context_locked)
{
    struct cx_command *command = &transfer->base;
    struct cx_worker *host = cx_context_host(command->context);
    struct cx_mem *root = transfer->mem->root;
    struct cx_transfer_list transfers = {.upload = false};
    size_t next = 0;
    for (size_t i = 0; i < npieces; i++)
        if (!add_between(&transfers, transfer, &ranges[i], moves, count, &next)) {
            cx_transfer_list_finish(&transfers, NULL);
            return CL_OUT_OF_HOST_MEMORY;
        }
    if (!transfers.count)
        return CL_SUCCESS;
    if (!cx_mem_host(root)) { /* valid everywhere means never written: any contents will do */
        cx_transfer_list_finish(&transfers, NULL);
        return CL_OUT_OF_HOST_MEMORY;
    }
    struct cx_job *job = cx_transfer_list_job(host, &transfers);
    if (!job)
        return CL_OUT_OF_HOST_MEMORY;
    const struct cx_transfer_list *own = job->data;
    job->run = run_host_read;
    job->times.wanted = false;
    job->kind.brief = is_brief(transfer);
    cx_enqueue_order_read(command, host, job);
    for (unsigned i = 0; i < own->count; i++)
        cx_coherence_host_read(root->storage->coherence, own->item[i].lo, own->item[i].hi, host->index,
                               host->timeline.planned + 1, job->deps);
    add_host_job(command, job);
    return CL_SUCCESS;
}

/* A call that blocks waits by itself for what takes its driver long: no other thread has to do it. */
static void keep_here(const struct cx_command *command, struct cx_job *job)
{
    job->kind.waits = job->kind.waits && !cx_command_blocks_here(command);
}

/* What member `from` holds of the missing runs, straight into the program's memory. */
static cl_int read_from_member(struct transfer *transfer, unsigned from, const struct cx_move *moves,
                               size_t count) CX_HOLDS(cx_context_locked)
{
    struct cx_command *command = &transfer->base;
    struct cx_mem *root = transfer->mem->root;
    struct cx_worker *worker = cx_mem_place_worker(command->context, from);
    struct cx_transfer_list transfers = {.upload = false};
    for (size_t i = 0; i < count; i++) {
        if (moves[i].from != from)
            continue;
        if (!cx_transfer_list_add(&transfers, root, root->real[worker->index], moves[i].lo, moves[i].hi,
                                  transfer->pointer + (moves[i].lo - transfer->lo))) {
            cx_transfer_list_finish(&transfers, NULL);
            return CL_OUT_OF_HOST_MEMORY;
        }
    }
    if (!transfers.count)
        return CL_SUCCESS;
    const bool all = transfers.count == count;
    struct cx_job *job = cx_transfer_list_job(worker, &transfers);
    if (!job)
        return CL_OUT_OF_HOST_MEMORY;
    if (all)
        keep_here(command, job);
    job->times.wanted = cx_command_is_timed(command);
    cx_enqueue_order_read(command, worker, job);
    cx_command_add_job(command, worker, job);
    return CL_SUCCESS;
}

/* The program reads a USE_HOST_PTR buffer into that very memory. */
static bool inside_host(const struct transfer *transfer)
{
    const struct cx_mem *root = transfer->mem->root;
    const unsigned char *end = transfer->pointer + (transfer->hi - transfer->lo);
    return root->storage->host && transfer->pointer < root->storage->host + root->size &&
           end > root->storage->host;
}

static void plan_read(struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    struct transfer *transfer = (struct transfer *)command;
    struct cx_mem *root = transfer->mem->root;
    struct cx_move *moves = NULL;
    size_t count = 0, nleft = 0;
    cl_int error = CL_SUCCESS;

    if (cx_unsettled_blocks(command, transfer->mem))
        return;
    cx_result_use_read(root, (size_t)(transfer->hi - transfer->lo), false);
    struct cx_byte_range *left = cx_read_ahead_left(&transfer->pending_read, &nleft);
    if (!left)
        error = CL_OUT_OF_HOST_MEMORY;
    else if (inside_host(transfer))
        error = cx_transfer_to(command, root, transfer->lo, transfer->hi, CX_PLACE_HOST, NULL);
    for (size_t i = 0; i < nleft && error == CL_SUCCESS; i++)
        if (!cx_coherence_missing(root->storage->coherence, left[i].lo, left[i].hi, CX_PLACE_HOST, &moves,
                                  &count))
            error = CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < count && error == CL_SUCCESS; i++)
        if (moves[i].from == CX_PLACE_NONE)
            error = cx_transfer_lost(root);
    for (unsigned from = 1; from <= command->context->nmembers && error == CL_SUCCESS; from++)
        error = read_from_member(transfer, from, moves, count);
    if (error == CL_SUCCESS)
        error = read_from_host(transfer, left, nleft, moves, count);
    free(left);
    free(moves);
    if (error == CL_SUCCESS)
        cx_command_settle(command);
    else
        cx_command_fail(command, error);
}

static const struct cx_command_ops read_ops = {.plan = plan_read, .drop = drop};

/* ---- write ---- */

static cl_int run_host_write(struct cx_job *job, struct cx_worker *worker)
{
    const struct transfer *transfer = (struct transfer *)job->command;
    job->times.start_ns = cx_clock_ns();
    cx_host_copy(transfer->mem->context, transfer->mem->storage->host + transfer->lo, transfer->pointer,
                 (size_t)(transfer->hi - transfer->lo));
    job->times.end_ns = cx_clock_ns();
    return CL_SUCCESS;
}

/* The end of planning, with the job that writes in its place. */
static void settle_written(struct transfer *transfer) CX_HOLDS(cx_context_locked)
{
    cl_int error = cx_enqueue_show(&transfer->base, transfer->mem, transfer->lo, transfer->hi);
    if (error == CL_SUCCESS)
        cx_command_settle(&transfer->base);
    else
        cx_command_fail(&transfer->base, error);
}

static void plan_write(struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    struct transfer *transfer = (struct transfer *)command;
    struct cx_mem *root = transfer->mem->root;
    struct cx_worker *worker = cx_context_host(command->context);
    struct cx_job *job = NULL;

    if (cx_unsettled_blocks(command, transfer->mem))
        return;
    unsigned place = cx_enqueue_write_place(root);
    if (inside_host(transfer))
        place = CX_PLACE_HOST;
    if (place == CX_PLACE_HOST) {
        job = cx_enqueue_host_writer(command, root, transfer->lo, transfer->hi, run_host_write);
        if (job)
            job->kind.brief = is_brief(transfer);
    } else {
        struct cx_transfer_list transfers = {.upload = true};
        worker = cx_mem_place_worker(command->context, place);
        if (cx_transfer_list_add(&transfers, root, root->real[worker->index], transfer->lo, transfer->hi,
                                 transfer->pointer))
            job = cx_transfer_list_job(worker, &transfers);
        if (job) {
            keep_here(command, job);
            job->times.wanted = cx_command_is_timed(command);
        }
    }
    if (!job || !cx_enqueue_own(root, transfer->lo, transfer->hi, place)) {
        cx_command_fail(command, CL_OUT_OF_HOST_MEMORY);
        return;
    }
    cx_command_after_frontier(command, job);
    cx_command_add_job(command, worker, job);
    settle_written(transfer);
}

static const struct cx_command_ops write_ops = {.plan = plan_write, .lost = lost, .drop = drop};

cl_int cx_enqueue_transfer_linear(struct cx_queue *queue, cl_command_type type, struct cx_mem *mem,
                                  uint64_t lo, size_t size, void *pointer, bool write,
                                  const struct cx_transfer_wait *wait)
{
    struct transfer *transfer = transfer_new(queue, mem, type, write ? &write_ops : &read_ops);
    if (!transfer)
        return CL_OUT_OF_HOST_MEMORY;
    transfer->lo = lo;
    transfer->hi = lo + size;
    transfer->pointer = pointer;
    if (size == 0)
        transfer->base.ops = &empty_ops;
    if (!write && size) {
        transfer->pending_read = (struct cx_pending_read){
            .root = mem->root, .lo = transfer->lo, .hi = transfer->hi, .pointer = transfer->pointer};
        transfer->base.pending_read = &transfer->pending_read;
    }
    return submit(transfer, wait);
}

static cl_int enqueue_linear(const char *function, cl_command_queue handle, cl_mem buffer, cl_bool blocking,
                             size_t offset, size_t size, void *pointer, bool write, cl_uint nwait,
                             const cl_event *list, cl_event *event)
{
    struct cx_mem *mem = cx_buffer_from(buffer);
    struct cx_queue *queue;
    cl_int error = cx_enqueue_check(function, handle, mem, nwait, list, &queue);
    if (error != CL_SUCCESS)
        return error;
    if (!mem)
        return cx_fail(function, CL_INVALID_MEM_OBJECT, "no buffer of ours");
    if (!pointer)
        return cx_fail(function, CL_INVALID_VALUE, "no memory to read into or write from");
    if (size == 0 && offset <= mem->size) /* fine since OpenCL 2.1 */
        error = CL_SUCCESS;
    else
        error = cx_enqueue_range(function, mem, offset, size);
    if (error != CL_SUCCESS ||
        (error = cx_enqueue_host_access(
             function, mem, write ? CL_MEM_HOST_READ_ONLY : CL_MEM_HOST_WRITE_ONLY)) != CL_SUCCESS)
        return error;
    const struct cx_transfer_wait wait = {nwait, list, event, blocking};
    return cx_enqueue_transfer_linear(queue, write ? CL_COMMAND_WRITE_BUFFER : CL_COMMAND_READ_BUFFER, mem,
                                      mem->origin + offset, size, pointer, write, &wait);
}

cl_int CL_API_CALL cx_clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                          size_t offset, size_t size, void *pointer, cl_uint nwait,
                                          const cl_event *list, cl_event *event)
{
    return enqueue_linear("clEnqueueReadBuffer", queue, buffer, blocking, offset, size, pointer, false, nwait,
                          list, event);
}

cl_int CL_API_CALL cx_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                           size_t offset, size_t size, const void *pointer, cl_uint nwait,
                                           const cl_event *list, cl_event *event)
{
    return enqueue_linear("clEnqueueWriteBuffer", queue, buffer, blocking, offset, size,
                          (void *)(uintptr_t)pointer, true, nwait, list, event);
}

/* ---- fill ---- */

static cl_int run_host_fill(struct cx_job *job, struct cx_worker *worker)
{
    const struct transfer *transfer = (struct transfer *)job->command;
    unsigned char *to = transfer->mem->storage->host + transfer->lo;
    size_t size = transfer->hi - transfer->lo, done = transfer->pattern_size;
    job->times.start_ns = cx_clock_ns();
    memcpy(to, transfer->pattern, transfer->pattern_size);
    for (; done < size; done *= 2) /* what is filled so far is the next pattern */
        memcpy(to + done, to, done < size - done ? done : size - done);
    job->times.end_ns = cx_clock_ns();
    return CL_SUCCESS;
}

static cl_int run_member_fill(struct cx_job *job, struct cx_worker *worker)
{
    const struct transfer *transfer = (struct transfer *)job->command;
    return worker->device->cl->clEnqueueFillBuffer(worker->queue, transfer->mem->root->real[worker->index],
                                                   transfer->pattern, transfer->pattern_size, transfer->lo,
                                                   transfer->hi - transfer->lo, 0, NULL, cx_job_event(job));
}

static void plan_fill(struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    struct transfer *transfer = (struct transfer *)command;
    struct cx_mem *root = transfer->mem->root;
    struct cx_worker *worker = cx_context_host(command->context);
    struct cx_job *job;

    if (cx_unsettled_blocks(command, transfer->mem))
        return;
    unsigned place = cx_enqueue_write_place(root);
    if (place == CX_PLACE_HOST) {
        job = cx_enqueue_host_writer(command, root, transfer->lo, transfer->hi, run_host_fill);
    } else {
        worker = cx_mem_place_worker(command->context, place);
        job = cx_job_new(command->context);
        if (job) {
            job->run = run_member_fill;
            job->times.wanted = cx_command_is_timed(command);
        }
    }
    if (!job || !cx_coherence_own(root->storage->coherence, transfer->lo, transfer->hi, place)) {
        cx_command_fail(command, CL_OUT_OF_HOST_MEMORY);
        return;
    }
    cx_command_add_job(command, worker, job);
    settle_written(transfer);
}

static const struct cx_command_ops fill_ops = {.plan = plan_fill, .lost = lost, .drop = drop};

cl_int cx_enqueue_transfer_fill(struct cx_queue *queue, cl_command_type type, struct cx_mem *mem, uint64_t lo,
                                size_t size, const void *pattern, size_t pattern_size,
                                const struct cx_transfer_wait *wait)
{
    struct transfer *transfer = transfer_new(queue, mem, type, &fill_ops);
    if (!transfer)
        return CL_OUT_OF_HOST_MEMORY;
    transfer->lo = lo;
    transfer->hi = lo + size;
    transfer->pattern_size = pattern_size;
    transfer->base.inside = true;
    memcpy(transfer->pattern, pattern, pattern_size);
    if (size == 0)
        transfer->base.ops = &empty_ops;
    return submit(transfer, wait);
}

cl_int CL_API_CALL cx_clEnqueueFillBuffer(cl_command_queue handle, cl_mem buffer, const void *pattern,
                                          size_t pattern_size, size_t offset, size_t size, cl_uint nwait,
                                          const cl_event *list, cl_event *event)
{
    struct cx_mem *mem = cx_buffer_from(buffer);
    struct cx_queue *queue;
    cl_int error = cx_enqueue_check(__func__ + 3, handle, mem, nwait, list, &queue);
    if (error != CL_SUCCESS)
        return error;
    if (!mem)
        return CX_FAIL(CL_INVALID_MEM_OBJECT, "no buffer of ours");
    if (!pattern || pattern_size == 0 || pattern_size > 128 || (pattern_size & (pattern_size - 1)))
        return CX_FAIL(CL_INVALID_VALUE, "no pattern of 1, 2, 4 ... 128 bytes");
    if (offset % pattern_size || size % pattern_size)
        return CX_FAIL(CL_INVALID_VALUE, "offset or size is no multiple of the pattern");
    if (offset > mem->size || size > mem->size - offset)
        return CX_FAIL(CL_INVALID_VALUE, "the range reaches beyond the buffer");
    const struct cx_transfer_wait wait = {nwait, list, event, false};
    return cx_enqueue_transfer_fill(queue, CL_COMMAND_FILL_BUFFER, mem, mem->origin + offset, size, pattern,
                                    pattern_size, &wait);
}

/* ---- copy ---- */

static cl_int run_host_copy(struct cx_job *job, struct cx_worker *worker)
{
    const struct transfer *transfer = (struct transfer *)job->command;
    job->times.start_ns = cx_clock_ns();
    memcpy(transfer->mem->storage->host + transfer->lo, transfer->from->storage->host + transfer->from_lo,
           transfer->hi - transfer->lo);
    job->times.end_ns = cx_clock_ns();
    return CL_SUCCESS;
}

static cl_int run_member_copy(struct cx_job *job, struct cx_worker *worker)
{
    const struct transfer *transfer = (struct transfer *)job->command;
    return cx_device_copy(worker, transfer->from->root->real[worker->index], transfer->from_lo,
                          transfer->mem->root->real[worker->index], transfer->lo, transfer->hi - transfer->lo,
                          cx_job_event(job));
}

static void plan_copy(struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    struct transfer *transfer = (struct transfer *)command;
    struct cx_mem *from = transfer->from->root, *to = transfer->mem->root;
    struct cx_worker *worker = cx_context_host(command->context);
    uint64_t from_hi = transfer->from_lo + (transfer->hi - transfer->lo);

    if (cx_unsettled_blocks(command, transfer->from) || cx_unsettled_blocks(command, transfer->mem))
        return;
    unsigned place = cx_enqueue_copy_place(transfer->from, transfer->from_lo, from_hi, transfer->mem);
    cl_int error = cx_transfer_to(command, from, transfer->from_lo, from_hi, place, NULL);
    struct cx_job *job = NULL;
    if (error == CL_SUCCESS && place == CX_PLACE_HOST && cx_mem_host(from)) {
        job = cx_enqueue_host_writer(command, to, transfer->lo, transfer->hi, run_host_copy);
        if (job)
            cx_coherence_host_read(from->storage->coherence, transfer->from_lo, from_hi, worker->index,
                                   worker->timeline.planned + 1, job->deps);
    } else if (error == CL_SUCCESS && place != CX_PLACE_HOST && (job = cx_job_new(command->context))) {
        worker = cx_mem_place_worker(command->context, place);
        job->run = run_member_copy;
        job->times.wanted = cx_command_is_timed(command);
    }
    if (!job || !cx_coherence_own(to->storage->coherence, transfer->lo, transfer->hi, place)) {
        cx_command_fail(command, error == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : error);
        return;
    }
    cx_command_add_job(command, worker, job);
    settle_written(transfer);
}

static const struct cx_command_ops copy_ops = {.plan = plan_copy, .lost = lost, .drop = drop};

cl_int cx_enqueue_transfer_copy(struct cx_queue *queue, cl_command_type type, struct cx_mem *to, uint64_t lo,
                                struct cx_mem *from, uint64_t from_lo, size_t size,
                                const struct cx_transfer_wait *wait)
{
    struct transfer *transfer = transfer_new(queue, to, type, &copy_ops);
    if (!transfer)
        return CL_OUT_OF_HOST_MEMORY;
    transfer->from = cx_mem_ref(from);
    transfer->from_lo = from_lo;
    transfer->base.inside = true;
    transfer->lo = lo;
    transfer->hi = lo + size;
    return submit(transfer, wait);
}

cl_int CL_API_CALL cx_clEnqueueCopyBuffer(cl_command_queue handle, cl_mem src, cl_mem dst, size_t src_offset,
                                          size_t dst_offset, size_t size, cl_uint nwait, const cl_event *list,
                                          cl_event *event)
{
    struct cx_mem *from = cx_buffer_from(src), *to = cx_buffer_from(dst);
    struct cx_queue *queue;
    cl_int error = cx_enqueue_check(__func__ + 3, handle, from, nwait, list, &queue);
    if (error != CL_SUCCESS)
        return error;
    if (!from || !to)
        return CX_FAIL(CL_INVALID_MEM_OBJECT, "no buffer of ours");
    if (to->context != queue->context)
        return CX_FAIL(CL_INVALID_CONTEXT, "queue and memory object are of different contexts");
    if ((error = cx_enqueue_range(__func__ + 3, from, src_offset, size)) != CL_SUCCESS ||
        (error = cx_enqueue_range(__func__ + 3, to, dst_offset, size)) != CL_SUCCESS)
        return error;
    uint64_t a = from->origin + src_offset, b = to->origin + dst_offset;
    if (from->root == to->root && a < b + size && b < a + size)
        return CX_FAIL(CL_MEM_COPY_OVERLAP, "source and destination overlap");
    const struct cx_transfer_wait wait = {nwait, list, event, false};
    return cx_enqueue_transfer_copy(queue, CL_COMMAND_COPY_BUFFER, to, b, from, a, size, &wait);
}

/* ---- migrate ---- */

static void plan_migrate(struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    struct transfer *transfer = (struct transfer *)command;
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < transfer->nmems; i++)
        if (cx_unsettled_blocks(command, transfer->mems[i]))
            return;
    for (unsigned i = 0; i < transfer->nmems && transfer->to_host && error == CL_SUCCESS; i++) {
        struct cx_mem *mem = transfer->mems[i];
        const unsigned place = cx_mem_map_place(mem->root);
        if (place != CX_PLACE_HOST && (error = cx_mem_prepare(mem->root, place - 1)) != CL_SUCCESS)
            break;
        error = cx_transfer_to(command, mem->root, mem->origin, mem->origin + mem->size, place, NULL);
    }
    if (error == CL_SUCCESS)
        cx_command_settle(command);
    else
        cx_command_fail(command, error);
}

static const struct cx_command_ops migrate_ops = {.plan = plan_migrate, .drop = drop};

cl_int cx_enqueue_transfer_migrate(struct cx_queue *queue, cl_command_type type, struct cx_mem **mems,
                                   cl_uint count, bool to_host, const struct cx_transfer_wait *wait)
{
    struct transfer *transfer = transfer_new(queue, NULL, type, &migrate_ops);
    if (!transfer) {
        for (cl_uint i = 0; i < count; i++)
            cx_mem_unref(&mems[i]);
        free(mems);
        return CL_OUT_OF_HOST_MEMORY;
    }
    transfer->mems = mems;
    transfer->nmems = count;
    transfer->to_host = to_host;
    return submit(transfer, wait);
}

cl_int CL_API_CALL cx_clEnqueueMigrateMemObjects(cl_command_queue handle, cl_uint count,
                                                 const cl_mem *objects, cl_mem_migration_flags flags,
                                                 cl_uint nwait, const cl_event *list, cl_event *event)
{
    const cl_mem_migration_flags known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    struct cx_queue *queue;
    cl_int error = cx_enqueue_check(__func__ + 3, handle, NULL, nwait, list, &queue);
    if (error != CL_SUCCESS)
        return error;
    if (count == 0 || !objects || (flags & ~known))
        return CX_FAIL(CL_INVALID_VALUE, "no objects, or unknown flags");
    for (cl_uint i = 0; i < count; i++) {
        if (!cx_mem_from(objects[i]))
            return CX_FAIL(CL_INVALID_MEM_OBJECT, "no memory object of ours");
        if (cx_mem_from(objects[i])->context != queue->context)
            return CX_FAIL(CL_INVALID_CONTEXT, "queue and memory object are of different contexts");
    }
    struct cx_mem **mems = calloc(count, sizeof(struct cx_mem *));
    if (!mems)
        return CX_FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for a command");
    for (cl_uint i = 0; i < count; i++)
        mems[i] = cx_mem_ref(cx_mem_from(objects[i]));
    const bool to_host =
        (flags & CL_MIGRATE_MEM_OBJECT_HOST) && !(flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED);
    const struct cx_transfer_wait wait = {nwait, list, event, false};
    return cx_enqueue_transfer_migrate(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, mems, count, to_host, &wait);
}
