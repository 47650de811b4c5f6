/* SPDX-License-Identifier: MIT */
/*
 * Buffers and sub-buffers: creation, queries; and what memory objects of all kinds share: shadows, the end.
 * Images are made in image.c.
 */
#include "layer/memory/buffer.h"
#include "layer/memory/alias.h"
#include "layer/timeline/command.h"
#include "layer/object/device.h"
#include "layer/base/entry.h"
#include "layer/memory/result_mark.h"
#include "layer/base/host_pages.h"
#include "layer/memory/image.h"
#include "layer/object/handle_set.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/memory/peer.h"
#include "layer/memory/transport.h"
#include "layer/memory/subbuffer_order.h"
#include "layer/memory/svm.h"
#include "layer/timeline/worker.h"

#include <stdlib.h>
#include <string.h>

struct cx_mem_destructor {
    struct cx_mem_destructor *next;
    void(CL_CALLBACK *call)(cl_mem, void *);
    void *data;
};

/* ---- life ---- */

static void call_destructors(struct cx_mem *mem)
{
    while (mem->destructors) {
        struct cx_mem_destructor *destructor = mem->destructors;
        mem->destructors = destructor->next;
        cx_lock_none_held("clSetMemObjectDestructorCallback");
        destructor->call((cl_mem)mem, destructor->data);
        free(destructor);
    }
}

static void release_real(struct cx_mem *mem)
{
    const bool is_root = mem->root == mem;
    if (is_root)
        cx_subbuffer_order_finish(mem);
    for (unsigned m = 0; mem->real && m < mem->context->nmembers; m++) {
        if (mem->real[m] && is_root && mem->storage->peer && mem->storage->peer[m])
            cx_peer_release(mem->context, m, mem->real[m]);
        else if (mem->real[m] && (is_root || !cx_subbuffer_order_over(mem, m)))
            mem->context->workers[m].device->cl->clReleaseMemObject(mem->real[m]);
        mem->real[m] = NULL;
    }
}

void cx_mem_retire(struct cx_mem *mem)
{
    cx_handle_set_remove(mem);
    release_real(mem);
}

/* Once the real objects are released. */
static void free_peer_memory(const struct cx_mem *root)
{
    struct cx_storage *storage = root->storage;
    for (unsigned m = 0; storage->peer && m < root->context->nmembers; m++)
        cx_peer_free(root->context, m, &storage->peer[m]);
    free(storage->peer);
}

/* Nobody has the root any more, so the lock, which its parts need, is not taken. */
static void storage_finish(struct cx_mem *root) CX_UNCHECKED
{
    struct cx_storage *storage = root->storage;
    struct cx_context *context = root->context;
    atomic_fetch_sub(&context->memory.nborrowed, (root->flags & CL_MEM_USE_HOST_PTR) != 0);
    cx_svm_finish(root);
    cx_result_uses_unref(&storage->written_by);
    cx_coherence_destroy(storage->coherence);
    cx_pinned_pool_give(context->memory.pool, &storage->pages);
    while (storage->maps) {
        struct cx_mem_map *map = storage->maps;
        storage->maps = map->next;
        free(map);
    }
}

static void mem_destroy(struct cx_object *object)
{
    struct cx_mem *mem = (struct cx_mem *)object;
    struct cx_context *context = mem->context;
    const bool is_root = mem->root == mem;
    struct cx_mem *parent = !is_root && !mem->cached ? mem->root : NULL;

    cx_handle_set_remove(mem);
    if (is_root) {
        cx_svm_drop_windows(mem);
        cx_alias_finish_all(mem);
    }
    release_real(mem);
    free(mem->real);
    if (is_root)
        free_peer_memory(mem);
    call_destructors(mem);
    if (is_root)
        storage_finish(mem);
    free(mem->migration);
    free(mem->properties);
    cx_mem_unref(&mem->within);
    cx_image_free(mem->image);
    free(mem);
    cx_mem_unref(&parent);
    cx_context_unref(&context);
}

/* The spec asks that the size suit one of the devices. */
static cl_ulong largest_alloc(const struct cx_context *context)
{
    cl_ulong most = 0;
    for (unsigned d = 0; d < context->ndevices; d++)
        most = context->devices[d]->max_alloc > most ? context->devices[d]->max_alloc : most;
    return most;
}

/* A root and its storage. */
struct root {
    struct cx_mem mem;
    struct cx_storage storage;
};

static struct cx_mem *root_new(const struct cx_context *context, size_t size)
{
    const unsigned places = context->nmembers + 1, timelines = cx_context_timelines(context);
    struct root *root = calloc(1, sizeof(*root));
    if (!root)
        return NULL;
    root->mem.root = &root->mem;
    root->mem.storage = &root->storage;
    root->storage.coherence = cx_transports_possible(context)
                                  ? cx_coherence_create_peers(size, places, timelines)
                                  : cx_coherence_create(size, places, timelines);
    return &root->mem;
}

static struct cx_mem *window_new(struct cx_mem *root)
{
    struct cx_mem *mem = calloc(1, sizeof(*mem));
    if (!mem)
        return NULL;
    mem->root = cx_mem_ref(root);
    mem->storage = root->storage;
    return mem;
}

struct cx_mem *cx_mem_create(struct cx_context *context, struct cx_mem *parent, size_t origin, size_t size,
                             cl_mem_flags flags)
{
    struct cx_mem *mem = parent ? window_new(parent->root) : root_new(context, size);
    if (!mem)
        return NULL;
    cx_object_init(&mem->base, CX_TAG_MEM, mem_destroy);
    mem->context = cx_context_ref(context);
    mem->origin = origin;
    mem->size = size;
    mem->flags = flags;
    if (!parent) {
        atomic_fetch_add(&context->memory.nborrowed, (flags & CL_MEM_USE_HOST_PTR) != 0);
        if (size <= largest_alloc(context)) /* else it may be refused (make_buffer) */
            cx_peers_use(context, size);
    }
    mem->real = calloc(context->nmembers, sizeof(*mem->real));
    if (!mem->real || !mem->storage->coherence || !cx_handle_set_add(mem)) {
        cx_object_unref(&mem->base);
        return NULL;
    }
    return mem;
}

bool cx_mem_is_apart(const struct cx_context *context)
{
    return context->memory.svm.n == 0 && atomic_load(&context->memory.nborrowed) == 0;
}

/* At most one of a set of flags that exclude each other. */
static bool one_of(cl_mem_flags flags, cl_mem_flags set)
{
    flags &= set;
    return (flags & (flags - 1)) == 0;
}

bool cx_mem_flags_valid(cl_mem_flags flags)
{
    if (flags & ~(cl_mem_flags)(CX_MEM_ACCESS_FLAGS | CX_MEM_HOST_FLAGS | CX_MEM_PTR_FLAGS))
        return false;
    if (!one_of(flags, CX_MEM_ACCESS_FLAGS) || !one_of(flags, CX_MEM_HOST_FLAGS))
        return false;
    return !((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)));
}

static cl_int check_buffer(const char *function, const struct cx_context *context, cl_mem_flags flags,
                           size_t size, const void *host_ptr)
{
    if (!context)
        return cx_fail(function, CL_INVALID_CONTEXT, "no context of ours");
    if (!cx_mem_flags_valid(flags))
        return cx_fail(function, CL_INVALID_VALUE, "flags are unknown or exclude each other");
    if (size == 0)
        return cx_fail(function, CL_INVALID_BUFFER_SIZE, "size is 0");
    bool wants = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    if (wants != (host_ptr != NULL))
        return cx_fail(function, CL_INVALID_HOST_PTR, "host_ptr does not go with the flags");
    return CL_SUCCESS;
}

/* The object is new, so the lock, which its parts need, is not taken. */
static cl_int fill_contents(struct cx_mem *mem, void *host_ptr) CX_UNCHECKED
{
    if (mem->flags & CL_MEM_USE_HOST_PTR)
        mem->storage->host = mem->host_ptr = host_ptr;
    if (mem->flags & CL_MEM_COPY_HOST_PTR) {
        unsigned char *host = cx_mem_host(mem);
        if (!host)
            return CL_MEM_OBJECT_ALLOCATION_FAILURE;
        memcpy(host, host_ptr, mem->size);
    }
    if (host_ptr && !cx_coherence_own(mem->storage->coherence, 0, mem->size, CX_PLACE_HOST))
        return CL_OUT_OF_HOST_MEMORY;
    return CL_SUCCESS;
}

/* A buffer over shared virtual memory is a window on the allocation; NULL in *mem: the memory is none. */
static cl_int create_over_svm(const char *function, struct cx_context *context, cl_mem_flags flags,
                              size_t size, void *host_ptr, struct cx_mem **mem)
{
    size_t offset;
    struct cx_mem *root = flags & CL_MEM_USE_HOST_PTR ? cx_svm_find(context, host_ptr, 1, &offset) : NULL;
    *mem = NULL;
    if (!root)
        return CL_SUCCESS;
    bool fits = size <= root->size - offset;
    if (fits && (*mem = cx_mem_create(context, root, offset, size, flags)))
        (*mem)->host_ptr = host_ptr;
    cx_mem_unref(&root);
    if (!fits)
        return cx_fail(function, CL_INVALID_BUFFER_SIZE, "size reaches beyond the shared virtual memory");
    return *mem ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

/* A GPU that alone works on memory of its own will be written to: its program expects allocation to take its
 * time here, not in the first transfer. Where it fails it is tried again then. */
static void foresee(struct cx_mem *mem)
{
    if (mem->root != mem || mem->flags & CL_MEM_USE_HOST_PTR)
        return;
    cx_context_lock(mem->context);
    const unsigned place = cx_write_place_of(mem);
    if (place != CX_PLACE_HOST && cx_mem_place_worker(mem->context, place)->device->type & CL_DEVICE_TYPE_GPU)
        (void)cx_mem_prepare(mem, place - 1);
    cx_context_unlock(mem->context);
}

/* Asks the members that are open. */
static bool try_beyond_limits(struct cx_mem *mem)
{
    const struct cx_context *context = mem->context;
    bool had = false;
    cx_context_lock(mem->context);
    for (unsigned m = 0; m < context->nmembers; m++) {
        const struct cx_worker *worker = &context->workers[m];
        cl_int error = CL_INVALID_BUFFER_SIZE;
        if (!cx_worker_is_open(worker) || cx_mem_place(mem, worker) == CX_PLACE_HOST ||
            mem->size > worker->device->limits.global_mem)
            continue;
        cl_mem real = worker->device->cl->clCreateBuffer(worker->real_context, CL_MEM_READ_WRITE, mem->size,
                                                         NULL, &error);
        cx_debug(CX_TOPIC_DATA, "%s: a buffer of %zu bytes, over its limit, %s", worker->device->name,
                 mem->size, error == CL_SUCCESS ? "is had" : "cannot be had");
        if (error == CL_SUCCESS)
            mem->real[m] = real;
        had |= error == CL_SUCCESS;
    }
    cx_context_unlock(mem->context);
    return had;
}

/* Some drivers have buffers larger than they tell (NVIDIA's 100 GB on an H200, of which it tells 35): one
 * over all limits is had by those members whose drivers give it now, and by no other. Members are opened for
 * it until one does. */
static bool beyond_limits(struct cx_mem *mem)
{
    bool had = false;
    if (mem->context->devices[0]->common)
        return false;
    while (!(had = try_beyond_limits(mem)) && cx_context_open_next(mem->context) < mem->context->nmembers)
        ;
    return had;
}

/* A buffer that the program asked for, in *mem, also where something went wrong afterwards. */
static cl_int make_buffer(const char *function, struct cx_context *context, cl_mem_flags flags, size_t size,
                          void *host_ptr, struct cx_mem **mem)
{
    *mem = cx_mem_create(context, NULL, 0, size, flags);
    if (!*mem)
        return CL_OUT_OF_HOST_MEMORY;
    if (size > largest_alloc(context)) {
        if (!beyond_limits(*mem))
            return cx_fail(function, CL_INVALID_BUFFER_SIZE, "size is over CL_DEVICE_MAX_MEM_ALLOC_SIZE");
        cx_peers_use(context, size);
    }
    const cl_int error = fill_contents(*mem, host_ptr);
    if (error == CL_SUCCESS)
        foresee(*mem);
    return error;
}

static cl_mem create_buffer(const char *function, cl_context handle, const cl_mem_properties *properties,
                            cl_mem_flags flags, size_t size, void *host_ptr, cl_int *errcode_ret)
{
    struct cx_context *context = cx_context_from(handle);
    struct cx_mem *mem = NULL;
    cl_int error = check_buffer(function, context, flags, size, host_ptr);

    if (error == CL_SUCCESS && properties && properties[0])
        error = cx_fail(function, CL_INVALID_PROPERTY, "unknown buffer property");
    if (error == CL_SUCCESS) {
        flags = cx_mem_flags_reported(flags);
        error = create_over_svm(function, context, flags, size, host_ptr, &mem);
    }
    if (error == CL_SUCCESS && !mem)
        error = make_buffer(function, context, flags, size, host_ptr, &mem);
    if (error == CL_SUCCESS) {
        if (mem && properties && (mem->properties = calloc(1, sizeof(*mem->properties))))
            mem->nproperties = 1;
    }
    if (error != CL_SUCCESS && mem) {
        cx_object_unref(&mem->base);
        mem = NULL;
    }
    if (errcode_ret)
        *errcode_ret = error;
    return (cl_mem)mem;
}

cl_mem CL_API_CALL cx_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
                                     cl_int *errcode_ret)
{
    return create_buffer("clCreateBuffer", context, NULL, flags, size, host_ptr, errcode_ret);
}

cl_mem CL_API_CALL cx_clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                                   cl_mem_flags flags, size_t size, void *host_ptr,
                                                   cl_int *errcode_ret)
{
    return create_buffer("clCreateBufferWithProperties", context, properties, flags, size, host_ptr,
                         errcode_ret);
}

/* ---- sub-buffers ---- */

bool cx_mem_window_flags(cl_mem_flags parent, cl_mem_flags *flags)
{
    cl_mem_flags own = *flags;
    if (!cx_mem_flags_valid(own) || (own & CX_MEM_PTR_FLAGS))
        return false;
    if ((parent & CL_MEM_WRITE_ONLY) && (own & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)))
        return false;
    if ((parent & CL_MEM_READ_ONLY) && (own & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)))
        return false;
    if ((parent & CL_MEM_HOST_WRITE_ONLY) && (own & CL_MEM_HOST_READ_ONLY))
        return false;
    if ((parent & CL_MEM_HOST_READ_ONLY) && (own & CL_MEM_HOST_WRITE_ONLY))
        return false;
    if ((parent & CL_MEM_HOST_NO_ACCESS) && (own & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)))
        return false;
    if (!(own & CX_MEM_ACCESS_FLAGS))
        own |= parent & CX_MEM_ACCESS_FLAGS;
    if (!(own & CX_MEM_HOST_FLAGS))
        own |= parent & CX_MEM_HOST_FLAGS;
    *flags = own | (parent & CX_MEM_PTR_FLAGS);
    return true;
}

static cl_int check_window(const struct cx_mem *parent, cl_mem_flags *flags, cl_buffer_create_type type,
                           const cl_buffer_region *region)
{
    const char *function = "clCreateSubBuffer";
    if (!parent || parent->within || (parent->root != parent && !parent->storage->svm))
        return cx_fail(function, CL_INVALID_MEM_OBJECT, "no buffer of ours, or a sub-buffer");
    if (type != CL_BUFFER_CREATE_TYPE_REGION || !region)
        return cx_fail(function, CL_INVALID_VALUE, "not a region");
    if (!cx_mem_window_flags(parent->flags, flags))
        return cx_fail(function, CL_INVALID_VALUE, "flags do not go with the buffer's");
    if (region->size == 0)
        return cx_fail(function, CL_INVALID_BUFFER_SIZE, "size is 0");
    if (region->origin > parent->size || region->size > parent->size - region->origin)
        return cx_fail(function, CL_INVALID_VALUE, "the region reaches beyond the buffer");
    if (region->origin % (cx_device_get()->base_align_bits / 8))
        return cx_fail(function, CL_MISALIGNED_SUB_BUFFER_OFFSET,
                       "the origin is not a multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN");
    return CL_SUCCESS;
}

cl_mem CL_API_CALL cx_clCreateSubBuffer(cl_mem handle, cl_mem_flags flags, cl_buffer_create_type type,
                                        const void *info, cl_int *errcode_ret)
{
    struct cx_mem *parent = cx_buffer_from(handle);
    const cl_buffer_region *region = info;
    struct cx_mem *mem = NULL;
    cl_int error = check_window(parent, &flags, type, region);
    if (error == CL_SUCCESS) {
        mem = cx_mem_create(parent->context, parent, parent->origin + region->origin, region->size, flags);
        if (!mem)
            error = CL_OUT_OF_HOST_MEMORY;
        else if (parent->host_ptr)
            mem->host_ptr = (char *)parent->host_ptr + region->origin;
        if (mem && parent->root != parent)
            mem->within = cx_mem_ref(parent);
    }
    if (errcode_ret)
        *errcode_ret = error;
    return (cl_mem)mem;
}

/* ---- memory behind it ---- */

/* Devices that compute in the host's memory pin nothing; it is as the driver alone would have it then. */
static bool pins(const struct cx_context *context)
{
    bool any = false;
    for (unsigned m = 0; m < context->nmembers; m++)
        any = any || !context->workers[m].device->unified_memory;
    return any;
}

unsigned char *cx_mem_host(struct cx_mem *mem)
{
    struct cx_mem *root = mem->root;
    if (!root->storage->host && (root->storage->pages = cx_pinned_pool_take(root->context->memory.pool,
                                                                            root->size, pins(root->context))))
        root->storage->host = root->storage->pages->memory;
    return root->storage->host;
}

cl_mem cx_mem_make_own(const struct cx_worker *worker, size_t size, cl_int *error)
{
    const struct cx_real_device *device = worker->device;
    const size_t margin = device->unified_memory ? cx_host_pages_margin(size) : 0;
    cl_mem real = NULL;
    if (margin && size <= device->limits.max_alloc && margin <= device->limits.max_alloc - size)
        real =
            device->cl->clCreateBuffer(worker->real_context, CL_MEM_READ_WRITE, size + margin, NULL, error);
    if (!real)
        real = device->cl->clCreateBuffer(worker->real_context, CL_MEM_READ_WRITE, size, NULL, error);
    return real;
}

/* A shadow in memory that the member's peers reach; false: it takes an ordinary one. */
static bool share_root(struct cx_mem *root, unsigned member)
{
    if (root->context->memory.peers && !root->storage->peer)
        root->storage->peer = calloc(root->context->nmembers, sizeof(struct cx_peer_memory *));
    return root->storage->peer &&
           (root->real[member] =
                cx_peer_allocate(root->context, member, root->size, &root->storage->peer[member])) != NULL;
}

static cl_int prepare_root(struct cx_mem *root, unsigned member) CX_HOLDS(cx_context_locked)
{
    const struct cx_worker *worker = &root->context->workers[member];
    void *host = NULL;
    cl_mem_flags flags = CL_MEM_READ_WRITE;
    cl_int error = CL_SUCCESS;

    if (root->real[member])
        return CL_SUCCESS;
    if (root->size > worker->device->limits.max_alloc && !root->image)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (root->storage->svm && root->storage->svm->owner == member) {
        flags |= CL_MEM_USE_HOST_PTR;
        host = root->storage->svm->pointer;
    } else if (cx_mem_place(root, worker) == CX_PLACE_HOST) {
        flags |= CL_MEM_USE_HOST_PTR;
        host = cx_mem_host(root);
        if (!host)
            return CL_OUT_OF_HOST_MEMORY;
    }
    if (!host && !root->image && share_root(root, member))
        return CL_SUCCESS;
    cl_mem real =
        root->image ? cx_image_make(root, member, host, NULL, &error)
        : !host     ? cx_mem_make_own(worker, root->size, &error)
                : worker->device->cl->clCreateBuffer(worker->real_context, flags, root->size, host, &error);
    if (error == CL_SUCCESS)
        root->real[member] = real;
    return error;
}

/* Where a window on shared virtual memory lies for a member that works on the program's bytes in place, so
 * that it needs no alignment; NULL: elsewhere. */
static void *window_in_place(const struct cx_mem *mem, unsigned member)
{
    const struct cx_mem *root = mem->root;
    if (!root->storage->svm)
        return NULL;
    if (root->storage->svm->owner == member)
        return root->storage->svm->pointer + mem->origin;
    return cx_mem_place(root, &root->context->workers[member]) == CX_PLACE_HOST
               ? root->storage->host + mem->origin
               : NULL;
}

/* The real object of a window: a part of the buffer, or an image made from what it was made from. */
static cl_mem make_window(struct cx_mem *mem, unsigned member, cl_int *error) CX_HOLDS(cx_context_locked)
{
    const struct cx_worker *worker = &mem->context->workers[member];
    if (mem->image) {
        *error = cx_mem_prepare(mem->image->from, member);
        return *error == CL_SUCCESS ? cx_image_make(mem, member, NULL, mem->image->from->real[member], error)
                                    : NULL;
    }
    void *place = window_in_place(mem, member);
    if (place)
        return worker->device->cl->clCreateBuffer(
            worker->real_context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, mem->size, place, error);
    if (mem->storage->svm) {
        cl_mem root = mem->root->real[member];
        if (mem->origin == 0 && (*error = worker->device->cl->clRetainMemObject(root)) == CL_SUCCESS)
            return root;
        /* The program checked the alignment of no pointer. NVIDIA's driver crashes when several overlapping
         * sub-buffers of one buffer are released (seen on H200, driver 580): a GPU gets none. */
        if (mem->origin % (worker->device->limits.base_align_bits / 8) ||
            !(worker->device->type & CL_DEVICE_TYPE_CPU)) {
            *error = CL_MISALIGNED_SUB_BUFFER_OFFSET;
            return NULL;
        }
    }
    return cx_subbuffer_order_make(mem, member, error);
}

cl_int cx_mem_prepare(struct cx_mem *mem, unsigned member)
{
    if (mem->real[member])
        return CL_SUCCESS;
    cl_int error = prepare_root(mem->root, member);
    if (error != CL_SUCCESS || mem == mem->root || (mem->cached && mem->storage->svm->owner == member))
        return error;
    cl_mem real = make_window(mem, member, &error);
    if (error == CL_SUCCESS)
        mem->real[member] = real;
    return error;
}

cl_mem cx_mem_real(const struct cx_mem *mem, unsigned member)
{
    return mem->real[member];
}

/* ---- queries ---- */

cl_int CL_API_CALL cx_clRetainMemObject(cl_mem handle)
{
    struct cx_mem *mem = cx_mem_from(handle);
    if (!mem)
        return CX_FAIL(CL_INVALID_MEM_OBJECT, "no memory object of ours");
    cx_object_retain_app(&mem->base);
    return CL_SUCCESS;
}

cl_int CL_API_CALL cx_clReleaseMemObject(cl_mem handle)
{
    struct cx_mem *mem = cx_mem_from(handle);
    if (!mem)
        return CX_FAIL(CL_INVALID_MEM_OBJECT, "no memory object of ours");
    if (!cx_object_release_app(&mem->base))
        return CX_FAIL(CL_INVALID_MEM_OBJECT, "released already");
    return CL_SUCCESS;
}

/* What a window was made from, or NULL. */
static struct cx_mem *parent_of(const struct cx_mem *mem)
{
    if (mem->image)
        return mem->image->from;
    return mem->within ? mem->within : mem->root == mem || mem->storage->svm ? NULL : mem->root;
}

cl_int CL_API_CALL cx_clGetMemObjectInfo(cl_mem handle, cl_mem_info name, size_t room, void *value,
                                         size_t *size_ret)
{
    struct cx_mem *mem = cx_mem_from(handle);
    if (!mem)
        return CX_FAIL(CL_INVALID_MEM_OBJECT, "no memory object of ours");
    switch (name) {
    case CL_MEM_TYPE:
        return CX_INFO(cl_mem_object_type, mem->image ? mem->image->desc.image_type : CL_MEM_OBJECT_BUFFER,
                       room, value, size_ret);
    case CL_MEM_FLAGS:
        return CX_INFO(cl_mem_flags, mem->flags, room, value, size_ret);
    case CL_MEM_SIZE:
        return CX_INFO(size_t, mem->size, room, value, size_ret);
    case CL_MEM_HOST_PTR:
        return CX_INFO(void *, mem->host_ptr, room, value, size_ret);
    case CL_MEM_MAP_COUNT:
        return CX_INFO(cl_uint, mem->nmaps, room, value, size_ret);
    case CL_MEM_REFERENCE_COUNT:
        return CX_INFO(cl_uint, cx_object_app_refs(&mem->base), room, value, size_ret);
    case CL_MEM_CONTEXT:
        return CX_INFO(cl_context, (cl_context)mem->context, room, value, size_ret);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        return CX_INFO(cl_mem, (cl_mem)parent_of(mem), room, value, size_ret);
    case CL_MEM_OFFSET:
        return CX_INFO(size_t, parent_of(mem) && !mem->image ? mem->origin - parent_of(mem)->origin : 0, room,
                       value, size_ret);
    case CL_MEM_USES_SVM_POINTER:
        return CX_INFO(cl_bool, mem->storage->svm != NULL, room, value, size_ret);
    case CL_MEM_PROPERTIES:
        return cx_object_info_bytes(mem->properties, mem->nproperties * sizeof(*mem->properties), room, value,
                                    size_ret);
    default:
        return CX_FAIL(CL_INVALID_VALUE, "unknown query");
    }
}

cl_int CL_API_CALL cx_clSetMemObjectDestructorCallback(cl_mem handle, void(CL_CALLBACK *call)(cl_mem, void *),
                                                       void *data)
{
    struct cx_mem *mem = cx_mem_from(handle);
    if (!mem)
        return CX_FAIL(CL_INVALID_MEM_OBJECT, "no memory object of ours");
    if (!call)
        return CX_FAIL(CL_INVALID_VALUE, "no callback");
    struct cx_mem_destructor *destructor = malloc(sizeof(*destructor));
    if (!destructor)
        return CX_FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for a callback");
    cx_context_lock(mem->context);
    *destructor = (struct cx_mem_destructor){.next = mem->destructors, .call = call, .data = data};
    mem->destructors = destructor;
    cx_context_unlock(mem->context);
    return CL_SUCCESS;
}

unsigned cx_mem_map_place(const struct cx_mem *root)
{
    return root->storage->svm ? cx_svm_place(root) : CX_PLACE_HOST;
}
