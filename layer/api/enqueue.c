/* SPDX-License-Identifier: MIT */
/*
 * Checks and small helpers that all enqueue functions share.
 */
#include "layer/api/enqueue.h"
#include "layer/base/log.h"
#include "layer/memory/svm.h"

#include <stdlib.h>
#include <string.h>

cl_int cx_enqueue_check(const char *function, cl_command_queue handle, const struct cx_mem *mem,
                        cl_uint nwait, const cl_event *list, struct cx_queue **queue)
{
    *queue = cx_queue_from(handle);
    if (!*queue)
        return cx_fail(function, CL_INVALID_COMMAND_QUEUE, "no queue of ours");
    if (mem && mem->context != (*queue)->context)
        return cx_fail(function, CL_INVALID_CONTEXT, "queue and memory object are of different contexts");
    cl_int error = cx_command_wait_list_check((*queue)->context, nwait, list);
    return error == CL_SUCCESS ? error : cx_fail(function, error, "the wait list");
}

cl_int cx_enqueue_range(const char *function, const struct cx_mem *mem, size_t offset, size_t size)
{
    if (size == 0 || offset > mem->size || size > mem->size - offset)
        return cx_fail(function, CL_INVALID_VALUE, "the range is empty or reaches beyond the buffer");
    return CL_SUCCESS;
}

size_t cx_enqueue_rect_offset(const struct cx_rect *rect)
{
    return rect->origin[2] * rect->slice + rect->origin[1] * rect->row + rect->origin[0];
}

size_t cx_enqueue_rect_span(const struct cx_rect *rect, const size_t region[3])
{
    return (region[2] - 1) * rect->slice + (region[1] - 1) * rect->row + region[0];
}

/* a * b + c, or false where it does not fit */
static bool muladd(size_t a, size_t b, size_t c, size_t *out)
{
    size_t product;
    return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(product, c, out);
}

cl_int cx_enqueue_rect(const char *function, struct cx_rect *rect, const size_t region[3], size_t bytes)
{
    size_t end, least;
    for (unsigned i = 0; i < 3; i++)
        if (region[i] == 0 || rect->origin[i] > SIZE_MAX - region[i])
            return cx_fail(function, CL_INVALID_VALUE, "an empty region, or one past all bounds");
    if (rect->row == 0)
        rect->row = region[0];
    if (rect->row < region[0] || !muladd(region[1], rect->row, 0, &least))
        return cx_fail(function, CL_INVALID_VALUE, "a row pitch under the width of the region");
    if (rect->slice == 0)
        rect->slice = least;
    if (rect->slice < least || rect->slice % rect->row)
        return cx_fail(function, CL_INVALID_VALUE,
                       "a slice pitch under the region's or no multiple of the row's");
    if (!muladd(rect->origin[2] + region[2] - 1, rect->slice, rect->origin[0] + region[0], &end) ||
        !muladd(rect->origin[1] + region[1] - 1, rect->row, end, &end) || (bytes && end > bytes))
        return cx_fail(function, CL_INVALID_VALUE, "the region reaches beyond the buffer");
    return CL_SUCCESS;
}

void cx_enqueue_rect_copy(unsigned char *to, const struct cx_rect *to_rect, const unsigned char *from,
                          const struct cx_rect *from_rect, const size_t region[3])
{
    to += cx_enqueue_rect_offset(to_rect);
    from += cx_enqueue_rect_offset(from_rect);
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            memcpy(to + z * to_rect->slice + y * to_rect->row,
                   from + z * from_rect->slice + y * from_rect->row, region[0]);
}

void cx_enqueue_order_read(const struct cx_command *command, const struct cx_worker *worker,
                           struct cx_job *job)
{
    if (cx_mem_is_apart(command->context))
        cx_command_after_memory(command, worker, job);
    else
        cx_command_after_frontier(command, job);
}

cl_int cx_enqueue_show(struct cx_command *command, struct cx_mem *mem, uint64_t lo, uint64_t hi)
{
    struct cx_mem *root = mem->root;
    return root->storage->svm && root->storage->svm->fine
               ? cx_transfer_to(command, root, lo, hi, cx_svm_place(root), NULL)
               : CL_SUCCESS;
}

bool cx_enqueue_own(struct cx_mem *root, uint64_t lo, uint64_t hi, unsigned place)
{
    root->context->memory.use.written += hi - lo;
    return cx_coherence_own(root->storage->coherence, lo, hi, place);
}

struct cx_job *cx_enqueue_host_writer(struct cx_command *command, struct cx_mem *root, uint64_t lo,
                                      uint64_t hi, cl_int (*run)(struct cx_job *, struct cx_worker *))
{
    struct cx_worker *host = cx_context_host(command->context);
    struct cx_job *job = cx_mem_host(root) ? cx_command_job(command) : NULL;
    if (!job)
        return NULL;
    job->run = run;
    if (!cx_coherence_host_write(root->storage->coherence, lo, hi, host->index, host->timeline.planned + 1,
                                 job->deps)) {
        cx_job_free(job);
        return NULL;
    }
    return job;
}

unsigned cx_enqueue_write_place(struct cx_mem *mem)
{
    unsigned place = cx_write_place_of(mem->root);
    if (place != CX_PLACE_HOST && cx_mem_prepare(mem, place - 1) != CL_SUCCESS)
        place = CX_PLACE_HOST;
    return place;
}

cl_int cx_enqueue_host_access(const char *function, const struct cx_mem *mem, cl_mem_flags forbidden)
{
    if (mem->flags & (forbidden | CL_MEM_HOST_NO_ACCESS))
        return cx_fail(function, CL_INVALID_OPERATION, "the buffer's flags forbid the host this access");
    return CL_SUCCESS;
}

unsigned cx_enqueue_copy_place(struct cx_mem *from, uint64_t lo, uint64_t hi, struct cx_mem *to)
{
    uint64_t holders = cx_coherence_holders(from->storage->coherence, lo, hi);
    unsigned best = cx_enqueue_write_place(to->root);
    if (holders && !(holders >> best & 1))
        best = (unsigned)__builtin_ctzll(holders);
    if (best != CX_PLACE_HOST &&
        (atomic_load(&cx_mem_place_worker(from->context, best)->left_out) ||
         cx_mem_prepare(from, best - 1) != CL_SUCCESS || cx_mem_prepare(to, best - 1) != CL_SUCCESS))
        best = CX_PLACE_HOST;
    return best;
}
