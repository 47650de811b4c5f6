/* SPDX-License-Identifier: MIT */
/*
 * Mapping: the program gets a pointer into the host copy, so mapping moves only what the host copy lacks, and
 * unmapping after writing makes the host copy the owner. Of an image that is the mapped rows and nothing
 * between them: others may be at work there. Shared virtual memory on a device with memory of its
 * own is mapped by its driver: there the program looks at the owner's place (svm.h).
 */
#include "layer/api/enqueue_image.h"
#include "layer/base/entry.h"
#include "layer/plan/result_use.h"
#include "layer/base/log.h"
#include "layer/launch/read_ahead.h"
#include "layer/memory/svm.h"

#include <stdlib.h>

struct mapping {
    struct cx_command base;
    struct cx_mem *mem; /* a reference */
    struct cx_block block;
    cl_map_flags flags;
    struct cx_pending_read pending_read; /* of a buffer, to look at */
};

static void drop(struct cx_command *command)
{
    cx_mem_unref(&((struct mapping *)command)->mem);
}

/* The program itself touches the host copy; the job only has the right place in time. */
static cl_int run_nothing(struct cx_job *job, struct cx_worker *worker)
{
    job->times.start_ns = job->times.end_ns = cx_clock_ns();
    return CL_SUCCESS;
}

static bool writes(cl_map_flags flags)
{
    return flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
}

static cl_int run_svm_map(struct cx_job *job, struct cx_worker *worker)
{
    const struct mapping *mapping = (struct mapping *)job->command;
    return worker->device->cl->clEnqueueSVMMap(
        worker->queue, CL_FALSE, mapping->flags, mapping->mem->storage->svm->pointer + mapping->block.lo,
        (size_t)(cx_block_end(&mapping->block) - mapping->block.lo), 0, NULL, &job->event);
}

static cl_int run_svm_unmap(struct cx_job *job, struct cx_worker *worker)
{
    const struct mapping *mapping = (struct mapping *)job->command;
    return worker->device->cl->clEnqueueSVMUnmap(
        worker->queue, mapping->mem->storage->svm->pointer + mapping->block.lo, 0, NULL, &job->event);
}

static void own(struct mapping *mapping, const struct cx_byte_ranges *ranges, unsigned place)
    CX_HOLDS(cx_context_locked)
{
    for (size_t i = 0; i < ranges->count; i++)
        (void)cx_enqueue_own(mapping->mem->root, ranges->range[i].lo, ranges->range[i].hi, place);
}

/* The job of a mapping in a member's own place, where other timelines do not look. */
static void plan_own(struct mapping *mapping, const struct cx_byte_ranges *ranges, struct cx_job *job,
                     unsigned place, bool unmap) CX_HOLDS(cx_context_locked)
{
    struct cx_command *command = &mapping->base;
    job->run = unmap ? run_svm_unmap : run_svm_map;
    job->times.wanted = cx_command_is_timed(command);
    cx_command_after_frontier(command, job);
    if (writes(mapping->flags))
        own(mapping, ranges, place);
    cx_command_add_job(command, cx_mem_place_worker(command->context, place), job);
    cx_command_settle(command);
}

static void plan_pieces(struct cx_command *command, bool unmap, const struct cx_byte_ranges *ranges)
    CX_HOLDS(cx_context_locked)
{
    struct mapping *mapping = (struct mapping *)command;
    struct cx_mem *root = mapping->mem->root;
    struct cx_worker *host = cx_context_host(command->context);
    const uint64_t lo = mapping->block.lo, hi = cx_block_end(&mapping->block);
    const unsigned place = cx_mem_map_place(root);
    cl_int error = CL_SUCCESS;

    if (place != CX_PLACE_HOST)
        error = cx_mem_prepare(root, place - 1);
    if (error == CL_SUCCESS && !unmap && !(mapping->flags & CL_MAP_WRITE_INVALIDATE_REGION))
        error = cx_transfer_ranges(command, root, ranges->range, ranges->count, place, NULL);
    struct cx_job *job = error == CL_SUCCESS ? cx_job_new(command->context) : NULL;
    if (!job) {
        cx_command_fail(command, error == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : error);
        return;
    }
    if (place != CX_PLACE_HOST) {
        plan_own(mapping, ranges, job, place, unmap);
        return;
    }
    job->run = run_nothing;
    job->kind.brief = true;
    cx_command_after_frontier(command, job);
    if (writes(mapping->flags)) {
        cx_coherence_host_write(root->storage->coherence, lo, hi, host->index, host->timeline.planned + 1,
                                job->deps);
        own(mapping, ranges, CX_PLACE_HOST);
    } else {
        cx_coherence_host_read(root->storage->coherence, lo, hi, host->index, host->timeline.planned + 1,
                               job->deps);
    }
    cx_command_add_job(command, host, job);
    cx_command_settle(command);
}

static void plan_both(struct cx_command *command, bool unmap) CX_HOLDS(cx_context_locked)
{
    struct mapping *mapping = (struct mapping *)command;
    struct cx_byte_ranges ranges;
    if (cx_unsettled_blocks(command, mapping->mem))
        return;
    if (mapping->base.pending_read)
        cx_result_use_read(mapping->mem->root, (size_t)(mapping->pending_read.hi - mapping->pending_read.lo),
                           true);
    if (cx_byte_ranges_of_block(&ranges, &mapping->block))
        plan_pieces(command, unmap, &ranges);
    else
        cx_command_fail(command, CL_OUT_OF_HOST_MEMORY);
    cx_byte_ranges_finish(&ranges);
}

static void plan_map(struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    plan_both(command, false);
}

static void plan_unmap(struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    plan_both(command, true);
}

static const struct cx_command_ops map_ops = {.plan = plan_map, .drop = drop};
static const struct cx_command_ops unmap_ops = {.plan = plan_unmap, .drop = drop};

static struct mapping *mapping_new(struct cx_queue *queue, struct cx_mem *mem, cl_command_type type,
                                   const struct cx_command_ops *ops)
{
    struct mapping *mapping =
        (struct mapping *)cx_command_new(queue->context, queue, sizeof(*mapping), type, ops);
    if (mapping)
        mapping->mem = cx_mem_ref(mem);
    return mapping;
}

/* Notes the mapping and gives the program's pointer, which is known before the command is planned. */
static void *note_map(struct cx_mem *mem, const struct cx_block *block, cl_map_flags flags)
{
    struct cx_mem_map *map = malloc(sizeof(*map));
    unsigned char *pointer = NULL;
    cx_context_lock(mem->context);
    const struct cx_svm *svm = mem->storage->svm;
    unsigned char *host = !map ? NULL : svm ? svm->pointer : cx_mem_host(mem);
    if (host) {
        pointer = host + block->lo;
        *map = (struct cx_mem_map){
            .next = mem->storage->maps, .pointer = pointer, .block = *block, .flags = flags};
        mem->storage->maps = map;
        mem->nmaps++;
    }
    cx_context_unlock(mem->context);
    if (!pointer)
        free(map);
    return pointer;
}

/* Takes the newest mapping at this pointer out of the list. */
static bool take_map(struct cx_mem *mem, const void *pointer, struct cx_mem_map *taken)
{
    struct cx_mem_map *found = NULL;
    cx_context_lock(mem->context);
    for (struct cx_mem_map **link = &mem->storage->maps; *link && !found; link = &(*link)->next)
        if ((*link)->pointer == pointer) {
            found = *link;
            *link = found->next;
            break;
        }
    if (found && mem->nmaps)
        mem->nmaps--;
    cx_context_unlock(mem->context);
    if (!found)
        return false;
    *taken = *found;
    free(found);
    return true;
}

cl_int cx_enqueue_map_begin(struct cx_queue *queue, cl_command_type type, struct cx_mem *mem,
                            const struct cx_block *block, cl_map_flags flags, void **pointer,
                            const struct cx_transfer_wait *wait)
{
    struct mapping *mapping = mapping_new(queue, mem, type, &map_ops);
    *pointer = mapping ? note_map(mem, block, flags) : NULL;
    if (!*pointer) {
        if (mapping)
            cx_object_release_app(&mapping->base.base);
        return CL_MAP_FAILURE;
    }
    struct cx_command *command = &mapping->base;
    mapping->block = *block;
    mapping->flags = flags;
    if (type == CL_COMMAND_MAP_BUFFER && flags & CL_MAP_READ && !mem->storage->svm) {
        mapping->pending_read = (struct cx_pending_read){
            .root = mem->root, .lo = block->lo, .hi = cx_block_end(block), .pointer = *pointer, .map = true};
        command->pending_read = &mapping->pending_read;
    }
    cl_int error = cx_command_submit(&command, wait->nwait, wait->list, wait->event, wait->blocking);
    struct cx_mem_map map;
    if (error != CL_SUCCESS) /* the program gets no pointer to unmap */
        take_map(mem, *pointer, &map);
    return error;
}

static cl_int check_flags(const char *function, const struct cx_mem *mem, cl_map_flags flags)
{
    const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    cl_int error = CL_SUCCESS;
    if ((flags & ~known) ||
        ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE))))
        return cx_fail(function, CL_INVALID_VALUE, "map flags are unknown or exclude each other");
    if (flags & CL_MAP_READ)
        error = cx_enqueue_host_access(function, mem, CL_MEM_HOST_WRITE_ONLY);
    if (error == CL_SUCCESS && writes(flags))
        error = cx_enqueue_host_access(function, mem, CL_MEM_HOST_READ_ONLY);
    return error;
}

void *CL_API_CALL cx_clEnqueueMapBuffer(cl_command_queue handle, cl_mem buffer, cl_bool blocking,
                                        cl_map_flags flags, size_t offset, size_t size, cl_uint nwait,
                                        const cl_event *list, cl_event *event, cl_int *errcode_ret)
{
    const char *function = "clEnqueueMapBuffer";
    struct cx_mem *mem = cx_buffer_from(buffer);
    struct cx_queue *queue;
    void *pointer = NULL;
    cl_int error = cx_enqueue_check(function, handle, mem, nwait, list, &queue);
    if (error == CL_SUCCESS && !mem)
        error = cx_fail(function, CL_INVALID_MEM_OBJECT, "no buffer of ours");
    if (error == CL_SUCCESS && (error = check_flags(function, mem, flags)) == CL_SUCCESS &&
        (error = cx_enqueue_range(function, mem, offset, size)) == CL_SUCCESS) {
        const struct cx_transfer_wait wait = {nwait, list, event, blocking};
        const struct cx_block block = cx_block_of(mem->origin + offset, size);
        error = cx_enqueue_map_begin(queue, CL_COMMAND_MAP_BUFFER, mem, &block, flags, &pointer, &wait);
        if (error == CL_MAP_FAILURE)
            error = cx_fail(function, error, "no memory for the host copy");
    }
    if (errcode_ret)
        *errcode_ret = error;
    return error == CL_SUCCESS ? pointer : NULL;
}

/* Pitches of the host copy, which are those that the image's queries tell. */
static cl_int give_pitches(const char *function, const struct cx_mem *mem, size_t *row_pitch,
                           size_t *slice_pitch)
{
    const cl_image_desc *desc = &mem->image->desc;
    if (!row_pitch || (desc->image_slice_pitch && !slice_pitch))
        return cx_fail(function, CL_INVALID_VALUE, "no place for a pitch");
    *row_pitch = desc->image_row_pitch;
    if (slice_pitch)
        *slice_pitch = desc->image_slice_pitch;
    return CL_SUCCESS;
}

void *CL_API_CALL cx_clEnqueueMapImage(cl_command_queue handle, cl_mem image, cl_bool blocking,
                                       cl_map_flags flags, const size_t *origin, const size_t *region,
                                       size_t *row_pitch, size_t *slice_pitch, cl_uint nwait,
                                       const cl_event *list, cl_event *event, cl_int *errcode_ret)
{
    const char *function = "clEnqueueMapImage";
    struct cx_mem *mem = cx_image_from(image);
    struct cx_queue *queue;
    void *pointer = NULL;
    cl_int error = cx_enqueue_check(function, handle, mem, nwait, list, &queue);
    if (error == CL_SUCCESS && !mem)
        error = cx_fail(function, CL_INVALID_MEM_OBJECT, "no image of ours");
    if (error == CL_SUCCESS && (error = check_flags(function, mem, flags)) == CL_SUCCESS &&
        (error = cx_enqueue_image_region(function, mem, origin, region)) == CL_SUCCESS &&
        (error = give_pitches(function, mem, row_pitch, slice_pitch)) == CL_SUCCESS) {
        const struct cx_transfer_wait wait = {nwait, list, event, blocking};
        const struct cx_block block = cx_image_block(mem, origin, region);
        error = cx_enqueue_map_begin(queue, CL_COMMAND_MAP_IMAGE, mem, &block, flags, &pointer, &wait);
        if (error == CL_MAP_FAILURE)
            error = cx_fail(function, error, "no memory for the host copy");
    }
    if (errcode_ret)
        *errcode_ret = error;
    return error == CL_SUCCESS ? pointer : NULL;
}

cl_int cx_enqueue_map_end(struct cx_queue *queue, cl_command_type type, struct cx_mem *mem,
                          const void *pointer, const struct cx_transfer_wait *wait)
{
    struct cx_mem_map map;
    struct mapping *mapping = mapping_new(queue, mem, type, &unmap_ops);
    if (!mapping)
        return CL_OUT_OF_HOST_MEMORY;
    if (!take_map(mem, pointer, &map)) {
        cx_object_release_app(&mapping->base.base);
        return CL_INVALID_VALUE;
    }
    struct cx_command *command = &mapping->base;
    mapping->block = map.block;
    mapping->flags = map.flags;
    return cx_command_submit(&command, wait->nwait, wait->list, wait->event, wait->blocking);
}

cl_int CL_API_CALL cx_clEnqueueUnmapMemObject(cl_command_queue handle, cl_mem buffer, void *pointer,
                                              cl_uint nwait, const cl_event *list, cl_event *event)
{
    struct cx_mem *mem = cx_mem_from(buffer);
    struct cx_queue *queue;
    cl_int error = cx_enqueue_check(__func__ + 3, handle, mem, nwait, list, &queue);
    if (error != CL_SUCCESS)
        return error;
    if (!mem)
        return CX_FAIL(CL_INVALID_MEM_OBJECT, "no memory object of ours");
    const struct cx_transfer_wait wait = {nwait, list, event, false};
    error = cx_enqueue_map_end(queue, CL_COMMAND_UNMAP_MEM_OBJECT, mem, pointer, &wait);
    return error == CL_INVALID_VALUE ? CX_FAIL(error, "nothing is mapped at this pointer") : error;
}
