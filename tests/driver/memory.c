/* SPDX-License-Identifier: MIT */
/*
 * Stub driver: buffers. Each has memory of its own, filled with a pattern nobody would take for data, unless
 * it is made over the program's memory by a driver that works in place; so what was not moved there is not
 * there.
 */
#include "calls.h"
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 4096, GARBAGE = 0xa5 };

static void account(struct stub_context *context, size_t size, bool add)
{
    for (unsigned i = 0; i < context->ndevices; i++) {
        if (add)
            atomic_fetch_add(&context->devices[i]->allocated, size);
        else
            atomic_fetch_sub(&context->devices[i]->allocated, size);
    }
}

static void mem_destroy(struct stub_object *object)
{
    struct stub_mem *mem = (struct stub_mem *)object;
    while (mem->destructors) {
        struct stub_destructor *next = mem->destructors->next;
        mem->destructors->notify((cl_mem)mem, mem->destructors->data);
        free(mem->destructors);
        mem->destructors = next;
    }
    if (mem->owned)
        account(mem->context, mem->size, false);
    free(mem->owned);
    if (mem->parent)
        stub_object_unref(&mem->parent->base);
    stub_object_unref(&mem->context->base);
    free(mem);
}

static struct stub_mem *mem_new(struct stub_context *context, cl_mem_flags flags, size_t size)
{
    struct stub_mem *mem = calloc(1, sizeof(*mem));
    if (!mem)
        return NULL;
    stub_object_init(&mem->base, STUB_MEM, stub_new_id(STUB_MEM), mem_destroy);
    stub_object_ref(&context->base);
    mem->context = context;
    mem->flags = flags;
    mem->size = size;
    return mem;
}

static cl_int check_flags(cl_mem_flags flags, const void *host_ptr)
{
    const cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    const cl_mem_flags host = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
    const cl_mem_flags pointer = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    if (flags & ~(access | host | pointer | CL_MEM_ALLOC_HOST_PTR))
        return CL_INVALID_VALUE;
    if (__builtin_popcountll(flags & access) > 1 || __builtin_popcountll(flags & host) > 1)
        return CL_INVALID_VALUE;
    if ((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR)))
        return CL_INVALID_VALUE;
    return !host_ptr == !(flags & pointer) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

static cl_int check_room(const struct stub_context *context, size_t size)
{
    if (size == 0)
        return CL_INVALID_BUFFER_SIZE;
    for (unsigned i = 0; i < context->ndevices; i++) {
        if (size > context->devices[i]->max_alloc &&
            !stub_config_number("STUB_BEYOND", context->devices[i]->index, 0))
            return CL_INVALID_BUFFER_SIZE;
        if (atomic_load(&context->devices[i]->allocated) + size > context->devices[i]->memory)
            return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    }
    return CL_SUCCESS;
}

static cl_int mem_allocate(struct stub_mem *mem, void *host_ptr)
{
    mem->host_ptr = mem->flags & CL_MEM_USE_HOST_PTR ? host_ptr : NULL;
    if (mem->host_ptr && mem->context->devices[0]->in_place) {
        mem->data = host_ptr;
        return CL_SUCCESS;
    }
    size_t rounded = (mem->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    mem->owned = mem->data = aligned_alloc(ALIGNMENT, rounded);
    if (!mem->owned)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    account(mem->context, mem->size, true);
    if (stub_config_models())
        return CL_SUCCESS;
    if (host_ptr)
        memcpy(mem->data, host_ptr, mem->size);
    else
        memset(mem->data, GARBAGE, mem->size);
    return CL_SUCCESS;
}

static cl_mem create_buffer(cl_context handle, cl_mem_flags flags, size_t size, void *host_ptr, cl_int *error)
{
    struct stub_fault fault =
        stub_call("clCreateBuffer", "c%u flags=%#lx size=%zu", stub_id(handle), (unsigned long)flags, size);
    struct stub_context *context = STUB_OF(context, handle, STUB_CONTEXT);
    struct stub_mem *mem = NULL;
    cl_int code = fault.code ? fault.code : context ? CL_SUCCESS : CL_INVALID_CONTEXT;
    if (!code)
        code = check_flags(flags, host_ptr);
    if (!code)
        code = check_room(context, size);
    if (!(flags & (CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)))
        flags |= CL_MEM_READ_WRITE;
    if (!code && !(mem = mem_new(context, flags, size)))
        code = CL_OUT_OF_HOST_MEMORY;
    if (!code)
        code = mem_allocate(mem, host_ptr);
    if (code && mem) {
        stub_object_unref(&mem->base);
        mem = NULL;
    }
    if (error)
        *error = code;
    return (cl_mem)mem;
}

CL_API_ENTRY cl_mem CL_API_CALL stub_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
                                                    void *host_ptr, cl_int *error)
{
    return create_buffer(context, flags, size, host_ptr, error);
}

CL_API_ENTRY cl_mem CL_API_CALL stub_clCreateBufferWithProperties(cl_context context,
                                                                  const cl_mem_properties *properties,
                                                                  cl_mem_flags flags, size_t size,
                                                                  void *host_ptr, cl_int *error)
{
    if (!properties || !properties[0])
        return create_buffer(context, flags, size, host_ptr, error);
    if (error)
        *error = CL_INVALID_PROPERTY;
    return NULL;
}

static cl_int check_region(const struct stub_mem *parent, cl_buffer_create_type type,
                           const cl_buffer_region *region)
{
    if (!parent || parent->parent)
        return CL_INVALID_MEM_OBJECT;
    if (type != CL_BUFFER_CREATE_TYPE_REGION || !region)
        return CL_INVALID_VALUE;
    if (region->size == 0)
        return CL_INVALID_BUFFER_SIZE;
    if (region->origin > parent->size || region->size > parent->size - region->origin)
        return CL_INVALID_VALUE;
    return region->origin % 128 ? CL_MISALIGNED_SUB_BUFFER_OFFSET : CL_SUCCESS;
}

CL_API_ENTRY cl_mem CL_API_CALL stub_clCreateSubBuffer(cl_mem handle, cl_mem_flags flags,
                                                       cl_buffer_create_type type, const void *info,
                                                       cl_int *error)
{
    struct stub_mem *parent = STUB_OF(mem, handle, STUB_MEM), *mem = NULL;
    const cl_buffer_region *region = info;
    struct stub_fault fault = stub_call("clCreateSubBuffer", "b%u origin=%zu size=%zu", stub_id(handle),
                                        region ? region->origin : 0, region ? region->size : 0);
    cl_int code = fault.code ? fault.code : check_region(parent, type, region);
    const size_t align =
        code ? 0 : (size_t)stub_config_number("STUB_ALIGN", parent->context->devices[0]->index, 1024) / 8;
    if (!code && region->origin % align)
        code = CL_MISALIGNED_SUB_BUFFER_OFFSET;
    if (!code && !(mem = mem_new(parent->context, flags ? flags : parent->flags, region->size)))
        code = CL_OUT_OF_HOST_MEMORY;
    if (!code) {
        stub_object_ref(&parent->base);
        mem->parent = parent;
        mem->origin = region->origin;
        mem->data = parent->data + region->origin;
        mem->host_ptr = parent->host_ptr ? (unsigned char *)parent->host_ptr + region->origin : NULL;
    }
    if (error)
        *error = code;
    return (cl_mem)mem;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clRetainMemObject(cl_mem handle)
{
    struct stub_fault fault = stub_call("clRetainMemObject", "b%u", stub_id(handle));
    struct stub_mem *mem = STUB_OF(mem, handle, STUB_MEM);
    if (fault.code || !mem)
        return fault.code ? fault.code : CL_INVALID_MEM_OBJECT;
    stub_object_ref(&mem->base);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clReleaseMemObject(cl_mem handle)
{
    struct stub_fault fault = stub_call("clReleaseMemObject", "b%u", stub_id(handle));
    struct stub_mem *mem = STUB_OF(mem, handle, STUB_MEM);
    if (fault.code || !mem)
        return fault.code ? fault.code : CL_INVALID_MEM_OBJECT;
    stub_object_unref(&mem->base);
    return CL_SUCCESS;
}

static cl_uint map_count(struct stub_mem *mem)
{
    cl_uint count = 0;
    pthread_mutex_lock(&stub_lock);
    for (const struct stub_map *map = mem->maps; map; map = map->next)
        count++;
    pthread_mutex_unlock(&stub_lock);
    return count;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clGetMemObjectInfo(cl_mem handle, cl_mem_info what, size_t room,
                                                        void *value, size_t *size_ret)
{
    struct stub_mem *mem = STUB_OF(mem, handle, STUB_MEM);
    if (!mem)
        return CL_INVALID_MEM_OBJECT;
    switch (what) {
    case CL_MEM_TYPE:
        return STUB_INFO(cl_mem_object_type, CL_MEM_OBJECT_BUFFER);
    case CL_MEM_FLAGS:
        return STUB_INFO(cl_mem_flags, mem->flags);
    case CL_MEM_SIZE:
        return STUB_INFO(size_t, mem->size);
    case CL_MEM_HOST_PTR:
        return STUB_INFO(void *, mem->host_ptr);
    case CL_MEM_MAP_COUNT:
        return STUB_INFO(cl_uint, map_count(mem));
    case CL_MEM_REFERENCE_COUNT:
        return STUB_INFO(cl_uint, atomic_load(&mem->base.refs));
    case CL_MEM_CONTEXT:
        return STUB_INFO(cl_context, (cl_context)mem->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        return STUB_INFO(cl_mem, (cl_mem)mem->parent);
    case CL_MEM_OFFSET:
        return STUB_INFO(size_t, mem->origin);
    case CL_MEM_USES_SVM_POINTER:
        return STUB_INFO(cl_bool, CL_FALSE);
    case CL_MEM_PROPERTIES:
        return stub_info(NULL, 0, room, value, size_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL
stub_clSetMemObjectDestructorCallback(cl_mem handle, void(CL_CALLBACK *notify)(cl_mem, void *), void *data)
{
    struct stub_fault fault = stub_call("clSetMemObjectDestructorCallback", "b%u", stub_id(handle));
    struct stub_mem *mem = STUB_OF(mem, handle, STUB_MEM);
    if (fault.code || !mem)
        return fault.code ? fault.code : CL_INVALID_MEM_OBJECT;
    struct stub_destructor *destructor = notify ? malloc(sizeof(*destructor)) : NULL;
    if (!destructor)
        return notify ? CL_OUT_OF_HOST_MEMORY : CL_INVALID_VALUE;
    destructor->notify = notify;
    destructor->data = data;
    pthread_mutex_lock(&stub_lock);
    destructor->next = mem->destructors;
    mem->destructors = destructor;
    pthread_mutex_unlock(&stub_lock);
    return CL_SUCCESS;
}
