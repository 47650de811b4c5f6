/* SPDX-License-Identifier: MIT */
/*
 * Shared virtual memory: clSVMAlloc and clSVMFree, and finding the allocation behind a pointer. See svm.h.
 */
#include "layer/memory/svm.h"
#include "layer/object/device.h"
#include "layer/base/entry.h"
#include "layer/base/log.h"

#include <stdlib.h>
#include <string.h>
/* Its own answer to a lack of memory is exit(). */
#define HASH_NONFATAL_OOM            1
#define uthash_nonfatal_oom(element) ((element)->left_out = true)
#include <uthash.h>

struct cx_svm_window {
    size_t offset;
    struct cx_mem *mem;         /* a reference */
    bool left_out;              /* no memory to enter it */
    struct cx_svm_window *next; /* of those to be dropped */
    UT_hash_handle hh;
};

enum { FEW_WINDOWS = 256 };

/* ---- the owner ---- */

static cl_device_svm_capabilities capabilities_of(const struct cx_real_device *device)
{
    const cl_device_svm_capabilities coarse = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER,
                                     fine = CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
    cl_device_svm_capabilities caps = 0;
    if (device->version_number < 200 || !device->cl->clSVMAlloc || !device->cl->clEnqueueSVMMap ||
        device->cl->clGetDeviceInfo(device->id, CL_DEVICE_SVM_CAPABILITIES, sizeof(caps), &caps, NULL) !=
            CL_SUCCESS ||
        !(caps & coarse))
        return 0;
    /* not the program's own memory: other members would not see it */
    return caps & (coarse | fine | (caps & fine ? CL_DEVICE_SVM_ATOMICS : 0));
}

cl_device_svm_capabilities cx_svm_capabilities(struct cx_real_device *const *members, unsigned count,
                                               bool common, unsigned *owner)
{
    cl_device_svm_capabilities result = 0, all = ~(cl_device_svm_capabilities)0;
    double best = -1;
    for (unsigned m = 0; m < count; m++) {
        const cl_device_svm_capabilities caps = capabilities_of(members[m]);
        all &= caps;
        if (!caps || members[m]->nominal_gflops <= best)
            continue;
        best = members[m]->nominal_gflops;
        result = caps;
        if (owner)
            *owner = m;
    }
    return common ? result & all : result;
}

void cx_svm_choose_owner(struct cx_context *context)
{
    struct cx_real_device *members[64];
    unsigned count = context->nmembers < 64 ? context->nmembers : 64;
    for (unsigned m = 0; m < count; m++)
        members[m] = context->workers[m].device;
    context->memory.svm.capabilities =
        cx_svm_capabilities(members, count, cx_device_get()->common, &context->memory.svm.owner);
    if (!context->memory.svm.capabilities)
        context->memory.svm.owner = context->nmembers;
}

/* A real buffer over shared virtual memory must be that memory, or the layer could not move it. */
static bool is_one_memory(const struct cx_worker *worker, cl_command_queue queue, cl_mem real,
                          unsigned char *memory, size_t size)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    unsigned char got[64] = {0}, put[64];
    memset(put, 0x5a, sizeof(put));
    if (cl->clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, memory, size, 0, NULL, NULL) != CL_SUCCESS)
        return false;
    memset(memory, 0xa5, size);
    if (cl->clEnqueueSVMUnmap(queue, memory, 0, NULL, NULL) != CL_SUCCESS ||
        cl->clEnqueueReadBuffer(queue, real, CL_TRUE, 0, size, got, 0, NULL, NULL) != CL_SUCCESS ||
        got[0] != 0xa5 || got[size - 1] != 0xa5 ||
        cl->clEnqueueWriteBuffer(queue, real, CL_TRUE, 0, size, put, 0, NULL, NULL) != CL_SUCCESS ||
        cl->clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, memory, size, 0, NULL, NULL) != CL_SUCCESS)
        return false;
    bool same = memory[0] == 0x5a && memory[size - 1] == 0x5a;
    return cl->clEnqueueSVMUnmap(queue, memory, 0, NULL, NULL) == CL_SUCCESS && same;
}

static bool probe(const struct cx_worker *worker)
{
    const cl_icd_dispatch *cl = worker->device->cl;
    const size_t size = 64;
    cl_int error = CL_SUCCESS;
    bool good = false;
    unsigned char *memory = cl->clSVMAlloc(worker->real_context, CL_MEM_READ_WRITE, size, 0);
    if (!memory)
        return false;
    cl_mem real = cl->clCreateBuffer(worker->real_context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size,
                                     memory, &error);
    if (error == CL_SUCCESS) {
        cl_command_queue queue =
            cl->clCreateCommandQueue(worker->real_context, worker->device->id, 0, &error);
        if (error == CL_SUCCESS) {
            good = is_one_memory(worker, queue, real, memory, size);
            cl->clFinish(queue);
            cl->clReleaseCommandQueue(queue);
        }
        cl->clReleaseMemObject(real);
    }
    cl->clSVMFree(worker->real_context, memory);
    return good;
}

/* Whether the owner's driver works as the layer needs; tried once in each context. */
static bool owner_works(struct cx_context *context, unsigned owner)
{
    enum { UNKNOWN, WORKS, FAILS };
    int state = atomic_load(&context->memory.svm.state);
    if (state == UNKNOWN) {
        struct cx_worker *worker = &context->workers[owner];
        state = cx_worker_ensure(worker) == CL_SUCCESS && probe(worker) ? WORKS : FAILS;
        if (atomic_exchange(&context->memory.svm.state, state) == UNKNOWN && state == FAILS)
            cx_warn(CX_TOPIC_DATA,
                    "%s has shared virtual memory that cannot be used: a buffer over it is "
                    "other memory",
                    context->workers[owner].device->name);
    }
    return state == WORKS;
}

/* ---- the list of a context, sorted by address; context->lock held ---- */

/* How many allocations begin at or before this address. */
static size_t upto(const struct cx_context_svm *svm, const void *pointer) CX_HOLDS(cx_context_locked)
{
    size_t lo = 0, hi = svm->n;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if ((uintptr_t)svm->list[middle]->storage->svm->pointer <= (uintptr_t)pointer)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static bool list_add(struct cx_context_svm *svm, struct cx_mem *root) CX_HOLDS(cx_context_locked)
{
    if (svm->n == svm->room) {
        size_t room = svm->room ? 2 * svm->room : 8;
        struct cx_mem **grown = realloc(svm->list, room * sizeof(struct cx_mem *));
        if (!grown)
            return false;
        svm->list = grown;
        svm->room = room;
    }
    size_t at = upto(svm, root->storage->svm->pointer);
    memmove(&svm->list[at + 1], &svm->list[at], (svm->n - at) * sizeof(struct cx_mem *));
    svm->list[at] = root;
    svm->n++;
    return true;
}

static struct cx_mem *list_take(struct cx_context_svm *svm, const void *pointer) CX_HOLDS(cx_context_locked)
{
    size_t at = upto(svm, pointer);
    struct cx_mem *root = at ? svm->list[at - 1] : NULL;
    if (!root || root->storage->svm->pointer != pointer)
        return NULL;
    svm->n--;
    memmove(&svm->list[at - 1], &svm->list[at], (svm->n - at + 1) * sizeof(struct cx_mem *));
    return root;
}

/* The allocation that holds the range, or ends where the pointer points to. */
static struct cx_mem *list_find(const struct cx_context_svm *svm, const void *pointer, size_t size,
                                size_t *offset) CX_HOLDS(cx_context_locked)
{
    size_t at = upto(svm, pointer);
    struct cx_mem *root = at ? svm->list[at - 1] : NULL;
    if (!root)
        return NULL;
    *offset = (size_t)((uintptr_t)pointer - (uintptr_t)root->storage->svm->pointer);
    return *offset <= root->size && size <= root->size - *offset ? root : NULL;
}

struct cx_mem *cx_svm_find(struct cx_context *context, const void *pointer, size_t size, size_t *offset)
{
    cx_context_lock(context);
    struct cx_mem *root = list_find(&context->memory.svm, pointer, size ? size : 1, offset);
    if (root)
        cx_mem_ref(root);
    cx_context_unlock(context);
    return root;
}

/* ---- windows ---- */

/* One that cannot be entered goes to `unused`: whoever asked has its reference. */
static struct cx_mem *window_at(struct cx_mem *root, size_t offset, struct cx_svm_window **unused)
{
    struct cx_svm_window *window = NULL;
    HASH_FIND(hh, root->storage->svm->windows, &offset, sizeof(offset), window);
    if (window)
        return window->mem;
    window = malloc(sizeof(*window));
    if (!window)
        return NULL;
    *window = (struct cx_svm_window){.offset = offset};
    window->mem = cx_mem_create(root->context, root, offset, root->size - offset, root->flags);
    if (!window->mem) {
        free(window);
        return NULL;
    }
    HASH_ADD(hh, root->storage->svm->windows, offset, sizeof(window->offset), window);
    if (window->left_out) {
        window->next = *unused;
        *unused = window;
        return window->mem;
    }
    struct cx_mem *held = root; /* the root keeps the window, not the other way round */
    window->mem->cached = true;
    cx_mem_unref(&held);
    return window->mem;
}

/* Takes out windows that no kernel names, once there are many. */
static struct cx_svm_window *take_unused(struct cx_svm *svm)
{
    struct cx_svm_window *window, *next, *unused = NULL;
    if (HASH_COUNT(svm->windows) < svm->most_windows)
        return NULL;
    HASH_ITER(hh, svm->windows, window, next)
    {
        if (atomic_load(&window->mem->base.refs) > 1)
            continue;
        HASH_DEL(svm->windows, window);
        window->next = unused;
        unused = window;
    }
    svm->most_windows = 2 * HASH_COUNT(svm->windows) + FEW_WINDOWS;
    return unused;
}

static void drop_unused(struct cx_svm_window *unused)
{
    while (unused) {
        struct cx_svm_window *window = unused;
        unused = window->next;
        cx_mem_unref(&window->mem);
        free(window);
    }
}

struct cx_mem *cx_svm_argument(struct cx_context *context, const void *pointer, cl_int *error)
{
    struct cx_svm_window *unused = NULL;
    size_t offset;
    cx_context_lock(context);
    struct cx_mem *root = list_find(&context->memory.svm, pointer, 0, &offset), *mem = root;
    if (root && offset) {
        unused = take_unused(root->storage->svm);
        mem = window_at(root, offset, &unused);
    }
    if (mem)
        cx_mem_ref(mem);
    cx_context_unlock(context);
    drop_unused(unused);
    if (!mem)
        *error = root ? CL_OUT_OF_HOST_MEMORY : CL_INVALID_ARG_VALUE;
    return mem;
}

void cx_svm_drop_windows(struct cx_mem *root)
{
    struct cx_svm_window *window, *next;
    if (!root->storage->svm)
        return;
    HASH_ITER(hh, root->storage->svm->windows, window, next)
    {
        HASH_DEL(root->storage->svm->windows, window);
        cx_mem_retire(window->mem); /* kernels may name it still */
        cx_mem_unref(&window->mem);
        free(window);
    }
}

/* ---- life ---- */

void cx_svm_finish(struct cx_mem *root)
{
    if (!root->storage->svm)
        return;
    const struct cx_worker *owner = &root->context->workers[root->storage->svm->owner];
    owner->device->cl->clSVMFree(owner->real_context, root->storage->svm->pointer);
    free(root->storage->svm);
    root->storage->svm = NULL;
}

bool cx_svm_free(struct cx_context *context, const void *pointer)
{
    cx_context_lock(context);
    struct cx_mem *root = list_take(&context->memory.svm, pointer);
    cx_context_unlock(context);
    if (root)
        cx_object_release_app(&root->base);
    return root;
}

/* The reason why an allocation is refused, or NULL. */
static const char *refusal(const struct cx_context *context, unsigned owner, cl_svm_mem_flags flags,
                           size_t size, cl_uint alignment)
{
    const cl_svm_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY,
                           known = access | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    const cl_svm_mem_flags one = flags & access;
    if (owner == context->nmembers)
        return "no device has shared virtual memory";
    const cl_device_svm_capabilities caps = context->memory.svm.capabilities;
    if ((flags & ~known) || (one & (one - 1)))
        return "flags are unknown or exclude each other";
    if ((flags & CL_MEM_SVM_ATOMICS) && !(flags & CL_MEM_SVM_FINE_GRAIN_BUFFER))
        return "CL_MEM_SVM_ATOMICS without CL_MEM_SVM_FINE_GRAIN_BUFFER";
    if ((flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) && !(caps & CL_DEVICE_SVM_FINE_GRAIN_BUFFER))
        return "the device has no fine-grained buffers";
    if ((flags & CL_MEM_SVM_ATOMICS) && !(caps & CL_DEVICE_SVM_ATOMICS))
        return "the device has no atomics on shared virtual memory";
    if (size == 0 || size > cx_device_get()->max_alloc)
        return "size is 0 or over CL_DEVICE_MAX_MEM_ALLOC_SIZE";
    if ((alignment & (alignment - 1)) || alignment > sizeof(cl_long16))
        return "the alignment is no power of two, or over the largest type's";
    return NULL;
}

/* The object is new, so the lock, which its parts need, is not taken. */
static struct cx_mem *allocate(struct cx_context *context, unsigned owner, cl_svm_mem_flags flags,
                               size_t size, cl_uint alignment) CX_UNCHECKED
{
    const struct cx_worker *worker = &context->workers[owner];
    const struct cx_real_device *device = worker->device;
    const cl_mem_flags access = flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY);
    struct cx_mem *root =
        cx_mem_create(context, NULL, 0, size, access ? access : (cl_mem_flags)CL_MEM_READ_WRITE);
    struct cx_svm *svm = root ? calloc(1, sizeof(*svm)) : NULL;
    if (svm)
        svm->pointer = device->cl->clSVMAlloc(worker->real_context, flags, size, alignment);
    if (!svm || !svm->pointer) {
        free(svm);
        cx_mem_unref(&root);
        return NULL;
    }
    svm->owner = owner;
    svm->fine = flags & CL_MEM_SVM_FINE_GRAIN_BUFFER;
    root->storage->svm = svm;
    /* memory that the host sees only while it is mapped is a place of its own even on a device in place */
    if (!(device->type & CL_DEVICE_TYPE_CPU) &&
        !(context->memory.svm.capabilities & CL_DEVICE_SVM_FINE_GRAIN_BUFFER))
        root->storage->apart |= UINT64_C(1) << owner;
    if (cx_svm_place(root) == CX_PLACE_HOST)
        root->storage->host = svm->pointer;
    else if (svm->fine && cx_mem_prepare(root, owner) != CL_SUCCESS) /* its bytes are there from now on */
        cx_mem_unref(&root);
    return root;
}

void *CL_API_CALL cx_clSVMAlloc(cl_context handle, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    struct cx_context *context = cx_context_from(handle);
    if (!context) {
        CX_FAIL(CL_INVALID_CONTEXT, "no context of ours");
        return NULL;
    }
    const unsigned owner = cx_svm_owner(context);
    const char *reason = refusal(context, owner, flags, size, alignment);
    if (!reason && !owner_works(context, owner))
        reason = "the owner's driver does not do what is needed";
    if (reason) {
        CX_FAIL(CL_INVALID_VALUE, reason);
        return NULL;
    }
    struct cx_mem *root = allocate(context, owner, flags, size, alignment);
    if (root) {
        cx_context_lock(context);
        bool added = list_add(&context->memory.svm, root);
        cx_context_unlock(context);
        if (!added)
            cx_mem_unref(&root);
    }
    if (!root) {
        CX_FAIL(CL_OUT_OF_RESOURCES, "no memory on the device");
        return NULL;
    }
    cx_debug(CX_TOPIC_DATA, "%zu bytes of shared virtual memory are object %llu on %s", size,
             (unsigned long long)root->base.id, context->workers[owner].device->name);
    return root->storage->svm->pointer;
}

void CL_API_CALL cx_clSVMFree(cl_context handle, void *pointer)
{
    struct cx_context *context = cx_context_from(handle);
    if (!context)
        CX_FAIL(CL_INVALID_CONTEXT, "no context of ours");
    else if (pointer && !cx_svm_free(context, pointer))
        CX_FAIL(CL_INVALID_VALUE, "no allocation begins at this pointer");
}
