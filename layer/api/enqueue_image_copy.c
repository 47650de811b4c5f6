/* SPDX-License-Identifier: MIT */
/*
 * Commands on images that touch no memory of the program: copies between images and buffers, and fills.
 * Planned as all commands on images are (enqueue_image.c).
 */
#include "layer/api/enqueue_image.h"
#include "layer/base/entry.h"
#include "layer/base/log.h"

#include <string.h>

/* ---- at the host copy ---- */

/* Rows, slices: those of the region of texels, also of a buffer's side, where they are close together. */
static cl_int run_host_copy(struct cx_job *job, struct cx_worker *worker)
{
    const struct cx_image_transfer *t = (struct cx_image_transfer *)job->command;
    const size_t region[3] = {t->bytes, t->region[1], t->region[2]};
    const struct cx_rect dense = {.row = t->bytes, .slice = t->bytes * t->region[1]};
    const struct cx_block *to = &t->to.block, *from = &t->from.block;
    const struct cx_rect to_rect = {.row = to->stride[0], .slice = to->stride[1]};
    const struct cx_rect from_rect = {.row = from->stride[0], .slice = from->stride[1]};
    job->times.start_ns = cx_clock_ns();
    cx_enqueue_rect_copy(t->to.mem->storage->host + to->lo, t->to.mem->image ? &to_rect : &dense,
                         t->from.mem->storage->host + from->lo, t->from.mem->image ? &from_rect : &dense,
                         region);
    job->times.end_ns = cx_clock_ns();
    return CL_SUCCESS;
}

static cl_int run_host_fill(struct cx_job *job, struct cx_worker *worker)
{
    const struct cx_image_transfer *t = (struct cx_image_transfer *)job->command;
    const struct cx_block *to = &t->to.block;
    const size_t element = t->to.mem->image->element;
    unsigned char *first = t->to.mem->storage->host + to->lo;
    job->times.start_ns = cx_clock_ns();
    for (size_t at = 0; at < t->bytes; at += element)
        memcpy(first + at, t->pixel, element);
    for (size_t z = 0; z < t->region[2]; z++)
        for (size_t y = z ? 0 : 1; y < t->region[1]; y++)
            memcpy(first + y * to->stride[0] + z * to->stride[1], first, t->bytes);
    job->times.end_ns = cx_clock_ns();
    return CL_SUCCESS;
}

/* ---- at a member ---- */

/* A buffer's side goes by its root: PoCL 3.1 crashes on copies between images and sub-buffers. */
static cl_mem real_side(const struct cx_image_side *side, const struct cx_worker *worker)
{
    return cx_mem_real(side->mem->image ? side->mem : side->mem->root, worker->index);
}

static cl_int run_member_copy(struct cx_job *job, struct cx_worker *worker)
{
    const struct cx_image_transfer *t = (struct cx_image_transfer *)job->command;
    const cl_icd_dispatch *cl = worker->device->cl;
    cl_mem from = real_side(&t->from, worker), to = real_side(&t->to, worker);
    if (!t->to.mem->image)
        return cl->clEnqueueCopyImageToBuffer(worker->queue, from, to, t->from.origin, t->region,
                                              (size_t)t->to.block.lo, 0, NULL, &job->event);
    if (!t->from.mem->image)
        return cl->clEnqueueCopyBufferToImage(worker->queue, from, to, (size_t)t->from.block.lo, t->to.origin,
                                              t->region, 0, NULL, &job->event);
    return cl->clEnqueueCopyImage(worker->queue, from, to, t->from.origin, t->to.origin, t->region, 0, NULL,
                                  &job->event);
}

static cl_int run_member_fill(struct cx_job *job, struct cx_worker *worker)
{
    const struct cx_image_transfer *t = (struct cx_image_transfer *)job->command;
    return worker->device->cl->clEnqueueFillImage(worker->queue, cx_mem_real(t->to.mem, worker->index),
                                                  t->color, t->to.origin, t->region, 0, NULL, &job->event);
}

/* ---- entry points ---- */

/* Two objects of the queue's context. */
static cl_int check_two(const char *function, cl_command_queue handle, const struct cx_mem *from,
                        const struct cx_mem *to, cl_uint nwait, const cl_event *list, struct cx_queue **queue)
{
    cl_int error = cx_enqueue_check(function, handle, from, nwait, list, queue);
    if (error != CL_SUCCESS)
        return error;
    if (!from || !to)
        return cx_fail(function, CL_INVALID_MEM_OBJECT, "no memory object of ours, or not of the right kind");
    if (to->context != (*queue)->context)
        return cx_fail(function, CL_INVALID_CONTEXT, "queue and memory object are of different contexts");
    return CL_SUCCESS;
}

static bool same_format(const struct cx_image *a, const struct cx_image *b)
{
    return a->format.image_channel_order == b->format.image_channel_order &&
           a->format.image_channel_data_type == b->format.image_channel_data_type;
}

static bool overlap(const size_t *a, const size_t *b, const size_t *region)
{
    for (unsigned d = 0; d < 3; d++)
        if (a[d] >= b[d] + region[d] || b[d] >= a[d] + region[d])
            return false;
    return true;
}

static cl_int submit(struct cx_image_transfer *t, cl_uint nwait, const cl_event *list, cl_event *event)
{
    struct cx_command *command = &t->base;
    return cx_command_submit(&command, nwait, list, event, false);
}

cl_int CL_API_CALL cx_clEnqueueCopyImage(cl_command_queue handle, cl_mem src, cl_mem dst,
                                         const size_t *src_origin, const size_t *dst_origin,
                                         const size_t *region, cl_uint nwait, const cl_event *list,
                                         cl_event *event)
{
    const char *function = "clEnqueueCopyImage";
    struct cx_mem *from = cx_image_from(src), *to = cx_image_from(dst);
    struct cx_queue *queue;
    cl_int error = check_two(function, handle, from, to, nwait, list, &queue);
    if (error != CL_SUCCESS)
        return error;
    if (!same_format(from->image, to->image))
        return cx_fail(function, CL_IMAGE_FORMAT_MISMATCH, "the images' formats differ");
    if ((error = cx_enqueue_image_region(function, from, src_origin, region)) != CL_SUCCESS ||
        (error = cx_enqueue_image_region(function, to, dst_origin, region)) != CL_SUCCESS)
        return error;
    if (from == to && overlap(src_origin, dst_origin, region))
        return cx_fail(function, CL_MEM_COPY_OVERLAP, "source and destination overlap");
    struct cx_image_transfer *t = cx_enqueue_image_new(queue, CL_COMMAND_COPY_IMAGE, region);
    if (!t)
        return cx_fail(function, CL_OUT_OF_HOST_MEMORY, "no memory for a command");
    cx_enqueue_image_side(&t->from, from, src_origin, region);
    cx_enqueue_image_side(&t->to, to, dst_origin, region);
    t->bytes = region[0] * from->image->element;
    t->on_host = run_host_copy;
    t->on_member = run_member_copy;
    return submit(t, nwait, list, event);
}

/* Texels of the image, and as many bytes of the buffer; `into`: the image is written. */
static cl_int enqueue_beside(const char *function, cl_command_queue handle, struct cx_mem *image,
                             struct cx_mem *buffer, const size_t *origin, const size_t *region, size_t offset,
                             bool into, cl_uint nwait, const cl_event *list, cl_event *event)
{
    struct cx_queue *queue;
    size_t bytes;
    cl_int error = check_two(function, handle, image, buffer, nwait, list, &queue);
    if (error != CL_SUCCESS ||
        (error = cx_enqueue_image_region(function, image, origin, region)) != CL_SUCCESS)
        return error;
    bytes = region[0] * region[1] * region[2] * image->image->element; /* no more than the image has */
    if ((error = cx_enqueue_range(function, buffer, offset, bytes)) != CL_SUCCESS)
        return error;
    struct cx_image_transfer *t = cx_enqueue_image_new(
        queue, into ? CL_COMMAND_COPY_BUFFER_TO_IMAGE : CL_COMMAND_COPY_IMAGE_TO_BUFFER, region);
    if (!t)
        return cx_fail(function, CL_OUT_OF_HOST_MEMORY, "no memory for a command");
    cx_enqueue_image_side(into ? &t->to : &t->from, image, origin, region);
    cx_enqueue_image_buffer_side(into ? &t->from : &t->to, buffer, offset, bytes);
    t->bytes = region[0] * image->image->element;
    t->on_host = run_host_copy;
    t->on_member = run_member_copy;
    return submit(t, nwait, list, event);
}

cl_int CL_API_CALL cx_clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem image, cl_mem buffer,
                                                 const size_t *origin, const size_t *region, size_t offset,
                                                 cl_uint nwait, const cl_event *list, cl_event *event)
{
    return enqueue_beside("clEnqueueCopyImageToBuffer", queue, cx_image_from(image), cx_buffer_from(buffer),
                          origin, region, offset, false, nwait, list, event);
}

cl_int CL_API_CALL cx_clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem buffer, cl_mem image,
                                                 size_t offset, const size_t *origin, const size_t *region,
                                                 cl_uint nwait, const cl_event *list, cl_event *event)
{
    return enqueue_beside("clEnqueueCopyBufferToImage", queue, cx_image_from(image), cx_buffer_from(buffer),
                          origin, region, offset, true, nwait, list, event);
}

cl_int CL_API_CALL cx_clEnqueueFillImage(cl_command_queue handle, cl_mem image, const void *color,
                                         const size_t *origin, const size_t *region, cl_uint nwait,
                                         const cl_event *list, cl_event *event)
{
    const char *function = "clEnqueueFillImage";
    struct cx_mem *mem = cx_image_from(image);
    struct cx_queue *queue;
    cl_int error = cx_enqueue_check(function, handle, mem, nwait, list, &queue);
    if (error != CL_SUCCESS)
        return error;
    if (!mem)
        return cx_fail(function, CL_INVALID_MEM_OBJECT, "no image of ours");
    if (!color)
        return cx_fail(function, CL_INVALID_VALUE, "no colour");
    if ((error = cx_enqueue_image_region(function, mem, origin, region)) != CL_SUCCESS)
        return error;
    struct cx_image_transfer *t = cx_enqueue_image_new(queue, CL_COMMAND_FILL_IMAGE, region);
    if (!t)
        return cx_fail(function, CL_OUT_OF_HOST_MEMORY, "no memory for a command");
    cx_enqueue_image_side(&t->to, mem, origin, region);
    t->bytes = region[0] * mem->image->element;
    /* a depth image's colour is one number, and no more may be there */
    memcpy(t->color, color, mem->image->format.image_channel_order == CL_DEPTH ? 4 : sizeof(t->color));
    cx_image_format_pixel(&mem->image->format, color, t->pixel);
    t->on_host = run_host_fill;
    t->on_member = run_member_fill;
    return submit(t, nwait, list, event);
}
