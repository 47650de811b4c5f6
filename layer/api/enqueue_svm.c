/* SPDX-License-Identifier: MIT */
/*
 * Commands on shared virtual memory. Copies, fills and mappings are those of buffers once it is known which
 * allocation a pointer points into (svm.h); freeing is a job of the host's worker.
 */
#include "layer/api/enqueue.h"
#include "layer/base/entry.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/memory/svm.h"

#include <stdlib.h>
#include <string.h>

#define FUNCTION (__func__ + 3)

/* Queue and wait list, and that the context has such memory at all. */
static cl_int check(const char *function, cl_command_queue handle, cl_uint nwait, const cl_event *list,
                    struct cx_queue **queue)
{
    cl_int error = cx_enqueue_check(function, handle, NULL, nwait, list, queue);
    if (error == CL_SUCCESS && cx_svm_owner((*queue)->context) == (*queue)->context->nmembers)
        error = cx_fail(function, CL_INVALID_OPERATION, "no device has shared virtual memory");
    return error;
}

/* A command that is done by the host alone. */
struct host_command {
    struct cx_command base;
    cl_int (*run)(struct cx_job *, struct cx_worker *);
    /* free */
    void(CL_CALLBACK *call)(cl_command_queue, cl_uint, void *[], void *);
    void *data;
    cl_uint count;
    void **pointers; /* owned */
    /* copy between the program's own memory */
    void *to;
    const void *from;
    size_t size;
};

static void drop(struct cx_command *command)
{
    struct host_command *own = (struct host_command *)command;
    free(own->pointers);
    own->pointers = NULL;
}

static void plan_host(struct cx_command *command) CX_HOLDS(cx_context_locked)
{
    const struct host_command *own = (struct host_command *)command;
    struct cx_job *job = cx_job_new(command->context);
    if (!job) {
        cx_command_fail(command, CL_OUT_OF_HOST_MEMORY);
        return;
    }
    job->run = own->run;
    job->kind.waits = own->call != NULL; /* the program's callback: not in a thread of the program's */
    cx_command_after_frontier(command, job);
    cx_command_add_job(command, cx_context_host(command->context), job);
    cx_command_settle(command);
}

static const struct cx_command_ops ops = {.plan = plan_host, .drop = drop};

static struct host_command *host_command_new(struct cx_queue *queue, cl_command_type type,
                                             cl_int (*run)(struct cx_job *, struct cx_worker *))
{
    struct host_command *own =
        (struct host_command *)cx_command_new(queue->context, queue, sizeof(*own), type, &ops);
    if (own)
        own->run = run;
    return own;
}

/* ---- free ---- */

static cl_int run_free(struct cx_job *job, struct cx_worker *worker)
{
    const struct host_command *own = (struct host_command *)job->command;
    cx_lock_none_held("clEnqueueSVMFree");
    if (own->call)
        own->call((cl_command_queue)own->base.queue, own->count, own->pointers, own->data);
    else
        for (cl_uint i = 0; i < own->count; i++)
            if (own->pointers[i] && !cx_svm_free(worker->context, own->pointers[i]))
                cx_warn(CX_TOPIC_DATA, "clEnqueueSVMFree: no allocation begins at one of the pointers");
    return CL_SUCCESS;
}

cl_int CL_API_CALL cx_clEnqueueSVMFree(cl_command_queue handle, cl_uint count, void *pointers[],
                                       void(CL_CALLBACK *call)(cl_command_queue, cl_uint, void *[], void *),
                                       void *data, cl_uint nwait, const cl_event *list, cl_event *event)
{
    struct cx_queue *queue;
    cl_int error = check(FUNCTION, handle, nwait, list, &queue);
    if (error != CL_SUCCESS)
        return error;
    if ((count == 0) != (pointers == NULL))
        return CX_FAIL(CL_INVALID_VALUE, "a count without pointers, or pointers without a count");
    struct host_command *own = host_command_new(queue, CL_COMMAND_SVM_FREE, run_free);
    if (own && count && !(own->pointers = malloc(count * sizeof(*own->pointers)))) {
        cx_object_release_app(&own->base.base);
        own = NULL;
    }
    if (!own)
        return CX_FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for a command");
    if (count)
        memcpy(own->pointers, pointers, count * sizeof(*own->pointers));
    own->count = count;
    own->call = call;
    own->data = data;
    struct cx_command *command = &own->base;
    return cx_command_submit(&command, nwait, list, event, false);
}

/* ---- copy ---- */

static cl_int run_copy(struct cx_job *job, struct cx_worker *worker)
{
    const struct host_command *own = (struct host_command *)job->command;
    (void)worker;
    job->times.start_ns = cx_clock_ns();
    memcpy(own->to, own->from, own->size);
    job->times.end_ns = cx_clock_ns();
    return CL_SUCCESS;
}

/* Neither end is shared virtual memory. */
static cl_int copy_on_host(struct cx_queue *queue, void *to, const void *from, size_t size,
                           const struct cx_transfer_wait *wait)
{
    struct host_command *own = host_command_new(queue, CL_COMMAND_SVM_MEMCPY, run_copy);
    if (!own)
        return CL_OUT_OF_HOST_MEMORY;
    own->to = to;
    own->from = from;
    own->size = size;
    struct cx_command *command = &own->base;
    return cx_command_submit(&command, wait->nwait, wait->list, wait->event, wait->blocking);
}

/* The allocation behind a pointer, or NULL with CL_SUCCESS for the program's own memory. */
static cl_int end_of_copy(const char *function, struct cx_queue *queue, const void *pointer, size_t size,
                          struct cx_mem **root, size_t *offset)
{
    *root = cx_svm_find(queue->context, pointer, 1, offset);
    if (*root && size > (*root)->size - *offset) {
        cx_mem_unref(root);
        return cx_fail(function, CL_INVALID_VALUE, "the range reaches beyond the allocation");
    }
    return CL_SUCCESS;
}

static cl_int copy(struct cx_queue *queue, struct cx_mem *to, size_t to_offset, void *to_pointer,
                   struct cx_mem *from, size_t from_offset, const void *from_pointer, size_t size,
                   const struct cx_transfer_wait *wait)
{
    const cl_command_type type = CL_COMMAND_SVM_MEMCPY;
    if (!size || (!to && !from))
        return copy_on_host(queue, to_pointer, from_pointer, size, wait);
    if (to && from)
        return cx_enqueue_transfer_copy(queue, type, to, to_offset, from, from_offset, size, wait);
    if (to)
        return cx_enqueue_transfer_linear(queue, type, to, to_offset, size, (void *)(uintptr_t)from_pointer,
                                          true, wait);
    return cx_enqueue_transfer_linear(queue, type, from, from_offset, size, to_pointer, false, wait);
}

cl_int CL_API_CALL cx_clEnqueueSVMMemcpy(cl_command_queue handle, cl_bool blocking, void *to,
                                         const void *from, size_t size, cl_uint nwait, const cl_event *list,
                                         cl_event *event)
{
    const struct cx_transfer_wait wait = {nwait, list, event, blocking};
    const uintptr_t a = (uintptr_t)to, b = (uintptr_t)from;
    struct cx_mem *to_root = NULL, *from_root = NULL;
    size_t to_offset = 0, from_offset = 0;
    struct cx_queue *queue;
    cl_int error = check(FUNCTION, handle, nwait, list, &queue);
    if (error != CL_SUCCESS)
        return error;
    if (!to || !from)
        return CX_FAIL(CL_INVALID_VALUE, "no memory to copy to or from");
    if (a < b + size && b < a + size)
        return CX_FAIL(CL_MEM_COPY_OVERLAP, "source and destination overlap");
    error = end_of_copy(FUNCTION, queue, to, size, &to_root, &to_offset);
    if (error == CL_SUCCESS)
        error = end_of_copy(FUNCTION, queue, from, size, &from_root, &from_offset);
    if (error == CL_SUCCESS)
        error = copy(queue, to_root, to_offset, to, from_root, from_offset, from, size, &wait);
    cx_mem_unref(&to_root);
    cx_mem_unref(&from_root);
    return error;
}

/* ---- fill ---- */

cl_int CL_API_CALL cx_clEnqueueSVMMemFill(cl_command_queue handle, void *pointer, const void *pattern,
                                          size_t pattern_size, size_t size, cl_uint nwait,
                                          const cl_event *list, cl_event *event)
{
    const struct cx_transfer_wait wait = {nwait, list, event, false};
    struct cx_queue *queue;
    size_t offset;
    cl_int error = check(FUNCTION, handle, nwait, list, &queue);
    if (error != CL_SUCCESS)
        return error;
    if (!pointer || !pattern)
        return CX_FAIL(CL_INVALID_VALUE, "no memory to fill, or no pattern");
    if (pattern_size == 0 || pattern_size > 128 || (pattern_size & (pattern_size - 1)))
        return CX_FAIL(CL_INVALID_VALUE, "no pattern of 1, 2, 4 ... 128 bytes");
    if ((uintptr_t)pointer % pattern_size || size % pattern_size)
        return CX_FAIL(CL_INVALID_VALUE, "pointer or size is no multiple of the pattern");
    struct cx_mem *root = cx_svm_find(queue->context, pointer, size, &offset);
    if (!root)
        return CX_FAIL(CL_INVALID_VALUE, "the range is not in shared virtual memory");
    error = cx_enqueue_transfer_fill(queue, CL_COMMAND_SVM_MEMFILL, root, offset, size, pattern, pattern_size,
                                     &wait);
    cx_mem_unref(&root);
    return error;
}

/* ---- map ---- */

cl_int CL_API_CALL cx_clEnqueueSVMMap(cl_command_queue handle, cl_bool blocking, cl_map_flags flags,
                                      void *pointer, size_t size, cl_uint nwait, const cl_event *list,
                                      cl_event *event)
{
    const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    const struct cx_transfer_wait wait = {nwait, list, event, blocking};
    void *mapped;
    struct cx_queue *queue;
    size_t offset;
    cl_int error = check(FUNCTION, handle, nwait, list, &queue);
    if (error != CL_SUCCESS)
        return error;
    if (!pointer || size == 0)
        return CX_FAIL(CL_INVALID_VALUE, "no memory to map");
    if ((flags & ~known) ||
        ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE))))
        return CX_FAIL(CL_INVALID_VALUE, "map flags are unknown or exclude each other");
    struct cx_mem *root = cx_svm_find(queue->context, pointer, size, &offset);
    if (!root)
        return CX_FAIL(CL_INVALID_VALUE, "the range is not in shared virtual memory");
    const struct cx_block block = cx_block_of(offset, size);
    error = cx_enqueue_map_begin(queue, CL_COMMAND_SVM_MAP, root, &block, flags, &mapped, &wait);
    cx_mem_unref(&root);
    return error;
}

cl_int CL_API_CALL cx_clEnqueueSVMUnmap(cl_command_queue handle, void *pointer, cl_uint nwait,
                                        const cl_event *list, cl_event *event)
{
    const struct cx_transfer_wait wait = {nwait, list, event, false};
    struct cx_queue *queue;
    size_t offset;
    cl_int error = check(FUNCTION, handle, nwait, list, &queue);
    if (error != CL_SUCCESS)
        return error;
    struct cx_mem *root = pointer ? cx_svm_find(queue->context, pointer, 1, &offset) : NULL;
    if (!root)
        return CX_FAIL(CL_INVALID_VALUE, "the pointer is none into shared virtual memory");
    error = cx_enqueue_map_end(queue, CL_COMMAND_SVM_UNMAP, root, pointer, &wait);
    cx_mem_unref(&root);
    return error == CL_INVALID_VALUE ? CX_FAIL(error, "nothing is mapped at this pointer") : error;
}

/* ---- migrate ---- */

cl_int CL_API_CALL cx_clEnqueueSVMMigrateMem(cl_command_queue handle, cl_uint count, const void **pointers,
                                             const size_t *sizes, cl_mem_migration_flags flags, cl_uint nwait,
                                             const cl_event *list, cl_event *event)
{
    const cl_mem_migration_flags known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    const struct cx_transfer_wait wait = {nwait, list, event, false};
    struct cx_queue *queue;
    size_t offset;
    cl_int error = check(FUNCTION, handle, nwait, list, &queue);
    if (error != CL_SUCCESS)
        return error;
    if (count == 0 || !pointers || (flags & ~known))
        return CX_FAIL(CL_INVALID_VALUE, "no pointers, or unknown flags");
    struct cx_mem **mems = calloc(count, sizeof(struct cx_mem *));
    if (!mems)
        return CX_FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for a command");
    for (cl_uint i = 0; i < count; i++) {
        mems[i] = cx_svm_find(queue->context, pointers[i], sizes ? sizes[i] : 0, &offset);
        if (mems[i])
            continue;
        while (i-- > 0)
            cx_mem_unref(&mems[i]);
        free(mems);
        return CX_FAIL(CL_INVALID_VALUE, "a range is not in shared virtual memory");
    }
    const bool to_host =
        (flags & CL_MIGRATE_MEM_OBJECT_HOST) && !(flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED);
    return cx_enqueue_transfer_migrate(queue, CL_COMMAND_SVM_MIGRATE_MEM, mems, count, to_host, &wait);
}
