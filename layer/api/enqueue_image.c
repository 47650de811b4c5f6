/* SPDX-License-Identifier: MIT */
/*
 * Commands on images: reads and writes of the program's memory, and the planning of all of them.
 *
 * A region is its rows of bytes: exactly these are made valid where the command reads, and change owner where
 * it writes, so that nothing beside them moves. One place does the whole of a command: the host copy by
 * copying rows, or a member by its driver's own command on its real objects. Mappings are in enqueue_map.c.
 */
#include "layer/api/enqueue_image.h"
#include "layer/base/entry.h"
#include "layer/base/log.h"

#include <stdlib.h>
#include <string.h>

static void drop(struct cx_command *command)
{
    struct cx_image_transfer *transfer = (struct cx_image_transfer *)command;
    cx_mem_unref(&transfer->to.mem);
    cx_mem_unref(&transfer->from.mem);
}

/* See cx_command_ops.lost. */
static void lost(struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    const struct cx_image_transfer *t = (struct cx_image_transfer *)command;
    struct cx_byte_ranges ranges;
    if (!t->to.mem)
        return;
    struct cx_coherence *map = t->to.mem->storage->coherence;
    if (!cx_byte_ranges_of_block(&ranges, &t->to.block))
        cx_coherence_void(map, t->to.block.lo, cx_block_end(&t->to.block));
    else
        for (size_t i = 0; i < ranges.count; i++)
            cx_coherence_void(map, ranges.range[i].lo, ranges.range[i].hi);
    cx_byte_ranges_finish(&ranges);
}

/* ---- planning ---- */

/* The lowest place that holds all of a block, or none (nmembers + 1). */
static unsigned holder(const struct cx_image_side *side, const struct cx_byte_ranges *ranges)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = side->mem->context;
    uint64_t holders = ~UINT64_C(0);
    for (size_t i = 0; i < ranges->count && holders; i++)
        holders &=
            cx_coherence_holders(side->mem->storage->coherence, ranges->range[i].lo, ranges->range[i].hi);
    return holders ? (unsigned)__builtin_ctzll(holders) : context->nmembers + 1;
}

/* Whether the member of a place works there on the object, and can. Images that are windows go by the host
 * copy: PoCL 3.1 fails on them. */
static bool usable(struct cx_mem *mem, unsigned place) CX_HOLDS(cx_context_locked)
{
    const struct cx_worker *worker = cx_mem_place_worker(mem->context, place);
    if (mem->image && mem->root != mem)
        return false;
    return cx_mem_place(mem->root, worker) == place && !atomic_load(&worker->left_out) &&
           cx_real_device_moves_images(worker->device) && cx_mem_prepare(mem, place - 1) == CL_SUCCESS;
}

/* NVIDIA's driver copies between no 1D array and a buffer. */
static bool is_refused(const struct cx_image_side *side, const struct cx_image_side *other)
{
    return side->mem && side->mem->image &&
           side->mem->image->desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY && other->mem &&
           !other->mem->image;
}

/* Where a command runs: where its source is, else where its target's next reader most likely is. */
static unsigned choose_place(struct cx_image_transfer *t, const struct cx_byte_ranges *source)
    CX_HOLDS(cx_context_locked)
{
    const unsigned none = t->base.context->nmembers + 1;
    unsigned place = t->to.mem ? cx_write_place_of(t->to.mem->root) : none;
    if (t->from.mem) {
        unsigned held = holder(&t->from, source);
        if (held < none)
            place = held;
    }
    if (place == none || place == CX_PLACE_HOST || is_refused(&t->to, &t->from) ||
        is_refused(&t->from, &t->to) || (t->to.mem && !usable(t->to.mem, place)) ||
        (t->from.mem && !usable(t->from.mem, place)))
        return CX_PLACE_HOST;
    return place;
}

/* What the job on the host copy must wait for, over all that lies between a block's first and last byte. */
static bool note_host(struct cx_image_side *side, bool write, const struct cx_worker *worker,
                      struct cx_job *job) CX_HOLDS(cx_context_locked)
{
    struct cx_coherence *map = side->mem->storage->coherence;
    const uint64_t lo = side->block.lo, hi = cx_block_end(&side->block);
    return write
               ? cx_coherence_host_write(map, lo, hi, worker->index, worker->timeline.planned + 1, job->deps)
               : cx_coherence_host_read(map, lo, hi, worker->index, worker->timeline.planned + 1, job->deps);
}

static bool own(struct cx_image_side *side, const struct cx_byte_ranges *ranges, unsigned place)
    CX_HOLDS(cx_context_locked)
{
    bool ok = true;
    for (size_t i = 0; i < ranges->count && ok; i++)
        ok = cx_enqueue_own(side->mem->root, ranges->range[i].lo, ranges->range[i].hi, place);
    return ok;
}

/* Queues the job at its place. Out of memory is all that can go wrong. */
static cl_int plan_at(struct cx_image_transfer *t, const struct cx_byte_ranges *target, unsigned place)
    CX_HOLDS(cx_context_locked)
{
    struct cx_context *context = t->base.context;
    const bool host = place == CX_PLACE_HOST;
    struct cx_worker *worker = host ? cx_context_host(context) : cx_mem_place_worker(context, place);
    struct cx_job *job = cx_job_new(context);
    if (!job)
        return CL_OUT_OF_HOST_MEMORY;
    job->run = host ? t->on_host : t->on_member;
    job->times.wanted = !host && cx_command_is_timed(&t->base);
    if (t->after_frontier)
        cx_command_after_frontier(&t->base, job);
    if ((host && t->from.mem && !note_host(&t->from, false, worker, job)) ||
        (host && t->to.mem && !note_host(&t->to, true, worker, job)) ||
        (t->to.mem && !own(&t->to, target, place))) {
        free(job);
        return CL_OUT_OF_HOST_MEMORY;
    }
    cx_command_add_job(&t->base, worker, job);
    return CL_SUCCESS;
}

/* Whether the program reads, into memory that is not the host copy, what no place holds alone. */
static bool has_owners(const struct cx_image_transfer *t, const struct cx_byte_ranges *source)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_mem *root = t->from.mem ? t->from.mem->root : NULL;
    if (!t->pointer || !root || holder(&t->from, source) <= t->base.context->nmembers)
        return false;
    const unsigned char *end =
        t->pointer + cx_enqueue_rect_span(&t->memory, (size_t[3]){t->bytes, t->region[1], t->region[2]});
    return !root->storage->host || t->pointer >= root->storage->host + root->size ||
           end <= root->storage->host;
}

static void plan(struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    struct cx_image_transfer *t = (struct cx_image_transfer *)command;
    struct cx_byte_ranges source = {0}, target = {0};
    if (cx_unsettled_blocks(command, t->from.mem) || cx_unsettled_blocks(command, t->to.mem))
        return;
    cl_int error = (!t->from.mem || cx_byte_ranges_of_block(&source, &t->from.block)) &&
                           (!t->to.mem || cx_byte_ranges_of_block(&target, &t->to.block))
                       ? CL_SUCCESS
                       : CL_OUT_OF_HOST_MEMORY;
    const bool owners = error == CL_SUCCESS && has_owners(t, &source);
    unsigned place = error == CL_SUCCESS && !owners ? choose_place(t, &source) : CX_PLACE_HOST;
    if (owners)
        error = cx_enqueue_image_read_owners(t, &source);
    if (error == CL_SUCCESS && place == CX_PLACE_HOST &&
        ((t->from.mem && !cx_mem_host(t->from.mem)) || (t->to.mem && !cx_mem_host(t->to.mem))))
        error = CL_OUT_OF_HOST_MEMORY;
    if (error == CL_SUCCESS && t->from.mem && !owners)
        error = cx_transfer_ranges(command, t->from.mem->root, source.range, source.count, place, NULL);
    if (error == CL_SUCCESS && !owners)
        error = plan_at(t, &target, place);
    if (error == CL_SUCCESS && t->to.mem)
        error = cx_enqueue_show(command, t->to.mem, t->to.block.lo, cx_block_end(&t->to.block));
    if (t->from.mem)
        cx_byte_ranges_finish(&source);
    if (t->to.mem) {
        cx_byte_ranges_finish(&target);
        cx_transfer_tidy(t->to.mem->root);
    }
    if (error == CL_SUCCESS)
        cx_command_settle(command);
    else
        cx_command_fail(command, error);
}

static const struct cx_command_ops ops = {.plan = plan, .lost = lost, .drop = drop};

struct cx_image_transfer *cx_enqueue_image_new(struct cx_queue *queue, cl_command_type type,
                                               const size_t region[3])
{
    struct cx_image_transfer *transfer =
        (struct cx_image_transfer *)cx_command_new(queue->context, queue, sizeof(*transfer), type, &ops);
    if (transfer)
        memcpy(transfer->region, region, sizeof(transfer->region));
    return transfer;
}

void cx_enqueue_image_side(struct cx_image_side *side, struct cx_mem *image, const size_t origin[3],
                           const size_t region[3])
{
    side->mem = cx_mem_ref(image);
    memcpy(side->origin, origin, sizeof(side->origin));
    side->block = cx_image_block(image, origin, region);
}

void cx_enqueue_image_buffer_side(struct cx_image_side *side, struct cx_mem *buffer, size_t offset,
                                  size_t bytes)
{
    side->mem = cx_mem_ref(buffer);
    side->origin[0] = offset;
    side->block = cx_block_of(buffer->origin + offset, bytes);
}

cl_int cx_enqueue_image_region(const char *function, const struct cx_mem *mem, const size_t *origin,
                               const size_t *region)
{
    if (!origin || !region)
        return cx_fail(function, CL_INVALID_VALUE, "an origin or region is NULL");
    for (unsigned d = 0; d < 3; d++)
        if (region[d] == 0 || origin[d] > mem->image->extent[d] ||
            region[d] > mem->image->extent[d] - origin[d])
            return cx_fail(function, CL_INVALID_VALUE, "the region is empty or reaches beyond the image");
    return CL_SUCCESS;
}

/* ---- reading and writing ---- */

static struct cx_rect rect_of(const struct cx_block *block)
{
    return (struct cx_rect){.row = block->stride[0], .slice = block->stride[1]};
}

static cl_int run_host_read(struct cx_job *job, struct cx_worker *worker)
{
    const struct cx_image_transfer *t = (struct cx_image_transfer *)job->command;
    const struct cx_rect from = rect_of(&t->from.block);
    const size_t region[3] = {t->bytes, t->region[1], t->region[2]};
    job->times.start_ns = cx_clock_ns();
    cx_enqueue_rect_copy(t->pointer, &t->memory, t->from.mem->storage->host + t->from.block.lo, &from,
                         region);
    job->times.end_ns = cx_clock_ns();
    return CL_SUCCESS;
}

static cl_int run_host_write(struct cx_job *job, struct cx_worker *worker)
{
    const struct cx_image_transfer *t = (struct cx_image_transfer *)job->command;
    const struct cx_rect to = rect_of(&t->to.block);
    const size_t region[3] = {t->bytes, t->region[1], t->region[2]};
    job->times.start_ns = cx_clock_ns();
    cx_enqueue_rect_copy(t->to.mem->storage->host + t->to.block.lo, &to, t->pointer, &t->memory, region);
    job->times.end_ns = cx_clock_ns();
    return CL_SUCCESS;
}

static cl_int run_member_read(struct cx_job *job, struct cx_worker *worker)
{
    const struct cx_image_transfer *t = (struct cx_image_transfer *)job->command;
    return worker->device->cl->clEnqueueReadImage(worker->queue, cx_mem_real(t->from.mem, worker->index),
                                                  CL_FALSE, t->from.origin, t->region, t->row_pitch,
                                                  t->slice_pitch, t->pointer, 0, NULL, &job->event);
}

static cl_int run_member_write(struct cx_job *job, struct cx_worker *worker)
{
    const struct cx_image_transfer *t = (struct cx_image_transfer *)job->command;
    return worker->device->cl->clEnqueueWriteImage(worker->queue, cx_mem_real(t->to.mem, worker->index),
                                                   CL_FALSE, t->to.origin, t->region, t->row_pitch,
                                                   t->slice_pitch, t->pointer, 0, NULL, &job->event);
}

struct io {
    cl_bool blocking;
    const size_t *origin, *region;
    size_t row_pitch, slice_pitch;
    void *pointer;
    bool write;
};

/* How the program's memory lies, from the pitches it gives. */
static cl_int lay_memory(const char *function, const struct cx_mem *mem, const struct io *io,
                         struct cx_rect *rect)
{
    const struct cx_image *image = mem->image;
    const size_t width = io->region[0] * image->element;
    const bool layers = image->desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    size_t row = io->row_pitch ? io->row_pitch : width, rows;
    if (row < width)
        return cx_fail(function, CL_INVALID_VALUE, "a row pitch under the width of the region");
    if (layers && io->slice_pitch && io->slice_pitch < row)
        return cx_fail(function, CL_INVALID_VALUE, "a slice pitch under the row pitch");
    if (layers && io->slice_pitch)
        row = io->slice_pitch;
    if (__builtin_mul_overflow(row, io->region[1], &rows))
        return cx_fail(function, CL_INVALID_VALUE, "a row pitch that no memory has");
    if (!layers && image->extent[2] > 1 && io->slice_pitch && io->slice_pitch < rows)
        return cx_fail(function, CL_INVALID_VALUE, "a slice pitch under the rows of the region");
    *rect = (struct cx_rect){.row = row, .slice = !layers && io->slice_pitch ? io->slice_pitch : rows};
    return CL_SUCCESS;
}

static cl_int enqueue_io(const char *function, cl_command_queue handle, cl_mem image, const struct io *io,
                         cl_uint nwait, const cl_event *list, cl_event *event)
{
    struct cx_mem *mem = cx_image_from(image);
    struct cx_queue *queue;
    struct cx_rect memory;
    cl_int error = cx_enqueue_check(function, handle, mem, nwait, list, &queue);
    if (error != CL_SUCCESS)
        return error;
    if (!mem)
        return cx_fail(function, CL_INVALID_MEM_OBJECT, "no image of ours");
    if (!io->pointer)
        return cx_fail(function, CL_INVALID_VALUE, "no memory to read into or write from");
    if ((error = cx_enqueue_image_region(function, mem, io->origin, io->region)) != CL_SUCCESS ||
        (error = lay_memory(function, mem, io, &memory)) != CL_SUCCESS ||
        (error = cx_enqueue_host_access(
             function, mem, io->write ? CL_MEM_HOST_READ_ONLY : CL_MEM_HOST_WRITE_ONLY)) != CL_SUCCESS)
        return error;
    struct cx_image_transfer *t =
        cx_enqueue_image_new(queue, io->write ? CL_COMMAND_WRITE_IMAGE : CL_COMMAND_READ_IMAGE, io->region);
    if (!t)
        return cx_fail(function, CL_OUT_OF_HOST_MEMORY, "no memory for a command");
    cx_enqueue_image_side(io->write ? &t->to : &t->from, mem, io->origin, io->region);
    t->bytes = io->region[0] * mem->image->element;
    t->memory = memory;
    cx_image_pitches(mem->image, memory.row, memory.slice, &t->row_pitch, &t->slice_pitch);
    t->pointer = io->pointer;
    t->on_host = io->write ? run_host_write : run_host_read;
    t->on_member = io->write ? run_member_write : run_member_read;
    t->after_frontier = true;
    struct cx_command *command = &t->base;
    return cx_command_submit(&command, nwait, list, event, io->blocking);
}

cl_int CL_API_CALL cx_clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                         const size_t *origin, const size_t *region, size_t row_pitch,
                                         size_t slice_pitch, void *pointer, cl_uint nwait,
                                         const cl_event *list, cl_event *event)
{
    const struct io io = {blocking, origin, region, row_pitch, slice_pitch, pointer, false};
    return enqueue_io("clEnqueueReadImage", queue, image, &io, nwait, list, event);
}

cl_int CL_API_CALL cx_clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                          const size_t *origin, const size_t *region, size_t row_pitch,
                                          size_t slice_pitch, const void *pointer, cl_uint nwait,
                                          const cl_event *list, cl_event *event)
{
    const struct io io = {blocking, origin, region, row_pitch, slice_pitch, (void *)(uintptr_t)pointer, true};
    return enqueue_io("clEnqueueWriteImage", queue, image, &io, nwait, list, event);
}
