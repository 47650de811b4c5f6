/* SPDX-License-Identifier: MIT */
/*
 * Rectangular transfers: read, write, copy. A rectangle is judged by the interval it spans: that interval is
 * made valid where the rectangle is read or partly overwritten, and one place does the whole of it.
 */
#include "layer/api/enqueue.h"
#include "layer/base/entry.h"
#include "layer/base/log.h"
#include "layer/report/transfer_counts.h"

#include <stdlib.h>
#include <string.h>

struct rect_transfer {
    struct cx_command base;
    struct cx_mem *mem;         /* the buffer read or written; a reference */
    struct cx_mem *from;        /* copied from; a reference or NULL */
    struct cx_rect rect, other; /* in mem; in the program's memory or in from */
    size_t region[3];
    unsigned char *pointer;
};

struct span {
    uint64_t lo, hi; /* of the root */
};

static struct span span_of(const struct cx_mem *mem, const struct cx_rect *rect, const size_t region[3])
{
    uint64_t lo = mem->origin + cx_enqueue_rect_offset(rect);
    return (struct span){lo, lo + cx_enqueue_rect_span(rect, region)};
}

static void drop(struct cx_command *command)
{
    struct rect_transfer *transfer = (struct rect_transfer *)command;
    cx_mem_unref(&transfer->mem);
    cx_mem_unref(&transfer->from);
}

static void finish_plan(struct cx_command *command, cl_int error) CX_HOLDS(cx_context_locked)
{
    if (error == CL_SUCCESS)
        cx_command_settle(command);
    else
        cx_command_fail(command, error);
}

/* A job that runs on the worker of a place: `host` for the host copy, `member` on a device. */
static struct cx_job *place_job(struct cx_command *command, unsigned place, struct cx_worker **worker,
                                cl_int (*host)(struct cx_job *, struct cx_worker *),
                                cl_int (*member)(struct cx_job *, struct cx_worker *))
{
    struct cx_job *job = cx_job_new(command->context);
    if (!job)
        return NULL;
    *worker = place == CX_PLACE_HOST ? cx_context_host(command->context)
                                     : cx_mem_place_worker(command->context, place);
    job->run = place == CX_PLACE_HOST ? host : member;
    job->times.wanted = place != CX_PLACE_HOST && cx_command_is_timed(command);
    return job;
}

/* ---- read ---- */

static cl_int run_host_read(struct cx_job *job, struct cx_worker *worker)
{
    const struct rect_transfer *t = (struct rect_transfer *)job->command;
    cx_enqueue_rect_copy(t->pointer, &t->other, t->mem->storage->host + t->mem->origin, &t->rect, t->region);
    return CL_SUCCESS;
}

static cl_int run_member_read(struct cx_job *job, struct cx_worker *worker)
{
    const struct rect_transfer *t = (struct rect_transfer *)job->command;
    cx_transfer_counts_add(CX_ROUTE_RECT, false, (uint64_t)t->region[0] * t->region[1] * t->region[2]);
    return worker->device->cl->clEnqueueReadBufferRect(
        worker->queue, t->mem->real[worker->index], CL_FALSE, t->rect.origin, t->other.origin, t->region,
        t->rect.row, t->rect.slice, t->other.row, t->other.slice, t->pointer, 0, NULL, &job->event);
}

static void plan_read(struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    struct rect_transfer *t = (struct rect_transfer *)command;
    struct cx_mem *root = t->mem->root;
    struct span span = span_of(t->mem, &t->rect, t->region);
    struct cx_worker *worker = NULL;
    cl_int error = CL_SUCCESS;

    if (cx_unsettled_blocks(command, t->mem))
        return;
    uint64_t holders = cx_coherence_holders(root->storage->coherence, span.lo, span.hi);
    unsigned place = holders ? (unsigned)__builtin_ctzll(holders) : CX_PLACE_HOST;
    if (place != CX_PLACE_HOST && cx_mem_prepare(t->mem, place - 1) != CL_SUCCESS)
        place = CX_PLACE_HOST;
    if (place == CX_PLACE_HOST && !cx_mem_host(root))
        error = CL_OUT_OF_HOST_MEMORY;
    if (error == CL_SUCCESS)
        error = cx_transfer_to(command, root, span.lo, span.hi, place, NULL);
    struct cx_job *job =
        error == CL_SUCCESS ? place_job(command, place, &worker, run_host_read, run_member_read) : NULL;
    if (job) {
        cx_enqueue_order_read(command, worker, job);
        if (place == CX_PLACE_HOST)
            cx_coherence_host_read(root->storage->coherence, span.lo, span.hi, worker->index,
                                   worker->timeline.planned + 1, job->deps);
        cx_command_add_job(command, worker, job);
    }
    finish_plan(command, job ? CL_SUCCESS : error == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : error);
}

static const struct cx_command_ops read_ops = {.plan = plan_read, .drop = drop};

/* ---- write ---- */

/* For those that write: see cx_command_ops.lost. What lies between the rows came along. */
static void lost(struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    const struct rect_transfer *t = (struct rect_transfer *)command;
    struct span span = span_of(t->mem, &t->rect, t->region);
    cx_coherence_void(t->mem->storage->coherence, span.lo, span.hi);
}

static cl_int run_host_write(struct cx_job *job, struct cx_worker *worker)
{
    const struct rect_transfer *t = (struct rect_transfer *)job->command;
    cx_enqueue_rect_copy(t->mem->storage->host + t->mem->origin, &t->rect, t->pointer, &t->other, t->region);
    return CL_SUCCESS;
}

static cl_int run_member_write(struct cx_job *job, struct cx_worker *worker)
{
    const struct rect_transfer *t = (struct rect_transfer *)job->command;
    cx_transfer_counts_add(CX_ROUTE_RECT, true, (uint64_t)t->region[0] * t->region[1] * t->region[2]);
    return worker->device->cl->clEnqueueWriteBufferRect(
        worker->queue, t->mem->real[worker->index], CL_FALSE, t->rect.origin, t->other.origin, t->region,
        t->rect.row, t->rect.slice, t->other.row, t->other.slice, t->pointer, 0, NULL, &job->event);
}

/* Makes `place` the owner of what the job overwrites in the object, keeping what lies between the rows. */
static cl_int own_span(struct cx_mem *mem, struct span span, unsigned place, const struct cx_worker *worker,
                       struct cx_job *job) CX_HOLDS(cx_context_locked)
{
    struct cx_coherence *map = mem->storage->coherence;
    if (place == CX_PLACE_HOST && !cx_coherence_host_write(map, span.lo, span.hi, worker->index,
                                                           worker->timeline.planned + 1, job->deps))
        return CL_OUT_OF_HOST_MEMORY;
    return cx_enqueue_own(mem->root, span.lo, span.hi, place) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

static void plan_write(struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    struct rect_transfer *t = (struct rect_transfer *)command;
    struct span span = span_of(t->mem, &t->rect, t->region);
    struct cx_worker *worker = NULL;

    if (cx_unsettled_blocks(command, t->mem))
        return;
    unsigned place = cx_enqueue_write_place(t->mem);
    cl_int error = place == CX_PLACE_HOST && !cx_mem_host(t->mem) ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
    if (error == CL_SUCCESS)
        error = cx_transfer_to(command, t->mem->root, span.lo, span.hi, place, NULL);
    struct cx_job *job =
        error == CL_SUCCESS ? place_job(command, place, &worker, run_host_write, run_member_write) : NULL;
    if (error == CL_SUCCESS && !job)
        error = CL_OUT_OF_HOST_MEMORY;
    if (error == CL_SUCCESS)
        error = own_span(t->mem, span, place, worker, job);
    if (error == CL_SUCCESS) {
        cx_command_after_frontier(command, job);
        cx_command_add_job(command, worker, job);
        error = cx_enqueue_show(command, t->mem, span.lo, span.hi);
    } else {
        free(job);
    }
    finish_plan(command, error);
}

static const struct cx_command_ops write_ops = {.plan = plan_write, .lost = lost, .drop = drop};

struct rect_args {
    cl_bool blocking;
    const size_t *buffer_origin, *host_origin, *region;
    size_t buffer_row, buffer_slice, host_row, host_slice;
    void *pointer;
    bool write;
};

static cl_int enqueue_rect(const char *function, cl_command_queue handle, cl_mem buffer,
                           const struct rect_args *args, cl_uint nwait, const cl_event *list, cl_event *event)
{
    struct cx_mem *mem = cx_buffer_from(buffer);
    struct cx_queue *queue;
    cl_int error = cx_enqueue_check(function, handle, mem, nwait, list, &queue);
    if (error != CL_SUCCESS)
        return error;
    if (!mem)
        return cx_fail(function, CL_INVALID_MEM_OBJECT, "no buffer of ours");
    if (!args->pointer || !args->buffer_origin || !args->host_origin || !args->region)
        return cx_fail(function, CL_INVALID_VALUE, "a pointer, origin or region is NULL");
    struct cx_rect rect = {.row = args->buffer_row, .slice = args->buffer_slice};
    struct cx_rect other = {.row = args->host_row, .slice = args->host_slice};
    memcpy(rect.origin, args->buffer_origin, sizeof(rect.origin));
    memcpy(other.origin, args->host_origin, sizeof(other.origin));
    if ((error = cx_enqueue_rect(function, &rect, args->region, mem->size)) != CL_SUCCESS ||
        (error = cx_enqueue_rect(function, &other, args->region, 0)) != CL_SUCCESS ||
        (error = cx_enqueue_host_access(
             function, mem, args->write ? CL_MEM_HOST_READ_ONLY : CL_MEM_HOST_WRITE_ONLY)) != CL_SUCCESS)
        return error;
    struct cx_command *command =
        cx_command_new(queue->context, queue, sizeof(struct rect_transfer),
                       args->write ? CL_COMMAND_WRITE_BUFFER_RECT : CL_COMMAND_READ_BUFFER_RECT,
                       args->write ? &write_ops : &read_ops);
    if (!command)
        return cx_fail(function, CL_OUT_OF_HOST_MEMORY, "no memory for a command");
    struct rect_transfer *transfer = (struct rect_transfer *)command;
    transfer->mem = cx_mem_ref(mem);
    transfer->rect = rect;
    transfer->other = other;
    memcpy(transfer->region, args->region, sizeof(transfer->region));
    transfer->pointer = args->pointer;
    return cx_command_submit(&command, nwait, list, event, args->blocking);
}

cl_int CL_API_CALL cx_clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                              const size_t *buffer_origin, const size_t *host_origin,
                                              const size_t *region, size_t buffer_row_pitch,
                                              size_t buffer_slice_pitch, size_t host_row_pitch,
                                              size_t host_slice_pitch, void *pointer, cl_uint nwait,
                                              const cl_event *list, cl_event *event)
{
    const struct rect_args args = {
        blocking,           buffer_origin,  host_origin,      region,  buffer_row_pitch,
        buffer_slice_pitch, host_row_pitch, host_slice_pitch, pointer, false};
    return enqueue_rect("clEnqueueReadBufferRect", queue, buffer, &args, nwait, list, event);
}

cl_int CL_API_CALL cx_clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                               const size_t *buffer_origin, const size_t *host_origin,
                                               const size_t *region, size_t buffer_row_pitch,
                                               size_t buffer_slice_pitch, size_t host_row_pitch,
                                               size_t host_slice_pitch, const void *pointer, cl_uint nwait,
                                               const cl_event *list, cl_event *event)
{
    const struct rect_args args = {blocking,
                                   buffer_origin,
                                   host_origin,
                                   region,
                                   buffer_row_pitch,
                                   buffer_slice_pitch,
                                   host_row_pitch,
                                   host_slice_pitch,
                                   (void *)(uintptr_t)pointer,
                                   true};
    return enqueue_rect("clEnqueueWriteBufferRect", queue, buffer, &args, nwait, list, event);
}

/* ---- copy ---- */

static cl_int run_host_copy(struct cx_job *job, struct cx_worker *worker)
{
    const struct rect_transfer *t = (struct rect_transfer *)job->command;
    cx_enqueue_rect_copy(t->mem->storage->host + t->mem->origin, &t->rect,
                         t->from->storage->host + t->from->origin, &t->other, t->region);
    return CL_SUCCESS;
}

/* Between whole buffers: PoCL 3.1 crashes on windows. */
static cl_int run_member_copy(struct cx_job *job, struct cx_worker *worker)
{
    const struct rect_transfer *t = (struct rect_transfer *)job->command;
    const size_t to[3] = {t->mem->origin + cx_enqueue_rect_offset(&t->rect)};
    const size_t from[3] = {t->from->origin + cx_enqueue_rect_offset(&t->other)};
    return worker->device->cl->clEnqueueCopyBufferRect(
        worker->queue, t->from->root->real[worker->index], t->mem->root->real[worker->index], from, to,
        t->region, t->other.row, t->other.slice, t->rect.row, t->rect.slice, 0, NULL, &job->event);
}

static void plan_copy(struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    struct rect_transfer *t = (struct rect_transfer *)command;
    struct span to = span_of(t->mem, &t->rect, t->region), from = span_of(t->from, &t->other, t->region);
    struct cx_worker *worker = NULL;

    if (cx_unsettled_blocks(command, t->from) || cx_unsettled_blocks(command, t->mem))
        return;
    unsigned place = cx_enqueue_copy_place(t->from, from.lo, from.hi, t->mem);
    if (t->from != t->mem && t->from->root == t->mem->root)
        place = CX_PLACE_HOST; /* to a driver it is one buffer, within which pitches must be equal */
    cl_int error = place == CX_PLACE_HOST && (!cx_mem_host(t->from) || !cx_mem_host(t->mem))
                       ? CL_OUT_OF_HOST_MEMORY
                       : CL_SUCCESS;
    if (error == CL_SUCCESS)
        error = cx_transfer_to(command, t->from->root, from.lo, from.hi, place, NULL);
    if (error == CL_SUCCESS)
        error = cx_transfer_to(command, t->mem->root, to.lo, to.hi, place, NULL);
    struct cx_job *job =
        error == CL_SUCCESS ? place_job(command, place, &worker, run_host_copy, run_member_copy) : NULL;
    if (error == CL_SUCCESS && !job)
        error = CL_OUT_OF_HOST_MEMORY;
    if (error == CL_SUCCESS && place == CX_PLACE_HOST)
        cx_coherence_host_read(t->from->storage->coherence, from.lo, from.hi, worker->index,
                               worker->timeline.planned + 1, job->deps);
    if (error == CL_SUCCESS)
        error = own_span(t->mem, to, place, worker, job);
    if (error == CL_SUCCESS) {
        cx_command_add_job(command, worker, job);
        error = cx_enqueue_show(command, t->mem, to.lo, to.hi);
    } else {
        free(job);
    }
    finish_plan(command, error);
}

static const struct cx_command_ops copy_ops = {.plan = plan_copy, .lost = lost, .drop = drop};

/* Whether two rectangles of one buffer share a byte. With equal pitches the spec's own test: overlap in all
 * three directions, or along a row or slice that wraps; else the intervals decide. */
static bool rects_overlap(const struct cx_rect *a, const struct cx_rect *b, const size_t region[3])
{
    size_t a_lo = cx_enqueue_rect_offset(a), b_lo = cx_enqueue_rect_offset(b);
    if (a_lo >= b_lo + cx_enqueue_rect_span(b, region) || b_lo >= a_lo + cx_enqueue_rect_span(a, region))
        return false;
    if (a->row != b->row || a->slice != b->slice)
        return true;
    size_t distance = a_lo > b_lo ? a_lo - b_lo : b_lo - a_lo;
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++) {
            size_t at = z * a->slice + y * a->row; /* a row of the lower one against the upper one's rows */
            if (at > distance ? at - distance >= region[0] : distance - at >= region[0])
                continue;
            return true;
        }
    return false;
}

cl_int CL_API_CALL cx_clEnqueueCopyBufferRect(cl_command_queue handle, cl_mem src, cl_mem dst,
                                              const size_t *src_origin, const size_t *dst_origin,
                                              const size_t *region, size_t src_row_pitch,
                                              size_t src_slice_pitch, size_t dst_row_pitch,
                                              size_t dst_slice_pitch, cl_uint nwait, const cl_event *list,
                                              cl_event *event)
{
    const char *function = "clEnqueueCopyBufferRect";
    struct cx_mem *from = cx_buffer_from(src), *to = cx_buffer_from(dst);
    struct cx_queue *queue;
    cl_int error = cx_enqueue_check(function, handle, from, nwait, list, &queue);
    if (error != CL_SUCCESS)
        return error;
    if (!from || !to)
        return cx_fail(function, CL_INVALID_MEM_OBJECT, "no buffer of ours");
    if (to->context != queue->context)
        return cx_fail(function, CL_INVALID_CONTEXT, "queue and memory object are of different contexts");
    if (!src_origin || !dst_origin || !region)
        return cx_fail(function, CL_INVALID_VALUE, "an origin or region is NULL");
    struct cx_rect from_rect = {.row = src_row_pitch, .slice = src_slice_pitch};
    struct cx_rect to_rect = {.row = dst_row_pitch, .slice = dst_slice_pitch};
    memcpy(from_rect.origin, src_origin, sizeof(from_rect.origin));
    memcpy(to_rect.origin, dst_origin, sizeof(to_rect.origin));
    if ((error = cx_enqueue_rect(function, &from_rect, region, from->size)) != CL_SUCCESS ||
        (error = cx_enqueue_rect(function, &to_rect, region, to->size)) != CL_SUCCESS)
        return error;
    if (from == to && (from_rect.row != to_rect.row || from_rect.slice != to_rect.slice))
        return cx_fail(function, CL_INVALID_VALUE, "different pitches within one buffer");
    struct cx_rect a = from_rect, b = to_rect;
    a.origin[0] += from->origin;
    b.origin[0] += to->origin;
    if (from->root == to->root && rects_overlap(&a, &b, region))
        return cx_fail(function, CL_MEM_COPY_OVERLAP, "source and destination overlap");
    struct cx_command *command = cx_command_new(queue->context, queue, sizeof(struct rect_transfer),
                                                CL_COMMAND_COPY_BUFFER_RECT, &copy_ops);
    if (!command)
        return cx_fail(function, CL_OUT_OF_HOST_MEMORY, "no memory for a command");
    struct rect_transfer *transfer = (struct rect_transfer *)command;
    transfer->mem = cx_mem_ref(to);
    transfer->from = cx_mem_ref(from);
    transfer->rect = to_rect;
    transfer->other = from_rect;
    memcpy(transfer->region, region, sizeof(transfer->region));
    return cx_command_submit(&command, nwait, list, event, false);
}
