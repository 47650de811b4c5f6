/* SPDX-License-Identifier: MIT */
/*
 * Stub driver: mapping. A device that works in place, or memory asked for with CL_MEM_ALLOC_HOST_PTR, is
 * mapped as it is; otherwise the program gets a staging copy (its own memory with CL_MEM_USE_HOST_PTR),
 * written back at unmap.
 */
#include "calls.h"
#include <stdlib.h>
#include <string.h>

enum { MAP_ALIGNMENT = 128 };

static cl_int run_map(struct stub_command *command)
{
    const struct stub_map *map = command->map;
    const unsigned char *data = command->from.mem->data + map->offset;
    if (map->pointer != data && !(map->flags & CL_MAP_WRITE_INVALIDATE_REGION))
        memcpy(map->pointer, data, map->size);
    return CL_SUCCESS;
}

static void map_free(struct stub_map *map)
{
    free(map->staging);
    free(map);
}

static cl_int run_unmap(struct stub_command *command)
{
    struct stub_map *map = command->map;
    struct stub_mem *mem = command->from.mem;
    unsigned char *data = mem->data + map->offset;
    if (map->pointer != data && (map->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)))
        memcpy(data, map->pointer, map->size);
    map_free(map);
    return CL_SUCCESS;
}

static struct stub_map *map_new(struct stub_mem *mem, size_t offset, size_t size, cl_map_flags flags)
{
    struct stub_map *map = calloc(1, sizeof(*map));
    if (!map)
        return NULL;
    map->offset = offset;
    map->size = size;
    map->flags = flags;
    if (mem->host_ptr) {
        map->pointer = (unsigned char *)mem->host_ptr + offset;
    } else if (mem->context->devices[0]->in_place || (mem->flags & CL_MEM_ALLOC_HOST_PTR)) {
        map->pointer = mem->data + offset;
    } else {
        size_t lead = offset % MAP_ALIGNMENT;
        map->staging =
            aligned_alloc(MAP_ALIGNMENT, (lead + size + MAP_ALIGNMENT - 1) / MAP_ALIGNMENT * MAP_ALIGNMENT);
        map->pointer = map->staging ? map->staging + lead : NULL;
        if (map->staging)
            memset(map->staging, 0x5a, lead + size);
    }
    if (!map->pointer) {
        free(map);
        return NULL;
    }
    return map;
}

CL_API_ENTRY void *CL_API_CALL stub_clEnqueueMapBuffer(cl_command_queue queue, cl_mem handle,
                                                       cl_bool blocking, cl_map_flags flags, size_t offset,
                                                       size_t size, cl_uint nwaits, const cl_event *waits,
                                                       cl_event *event, cl_int *error)
{
    struct stub_fault fault =
        stub_call("clEnqueueMapBuffer", "q%u b%u blocking=%u flags=%#lx offset=%zu size=%zu waits=%u",
                  stub_id(queue), stub_id(handle), blocking, (unsigned long)flags, offset, size, nwaits);
    struct stub_mem *mem = STUB_OF(mem, handle, STUB_MEM);
    struct stub_command *command = NULL;
    struct stub_map *map = NULL;
    void *pointer = NULL;
    cl_int code = mem ? CL_SUCCESS : CL_INVALID_MEM_OBJECT;
    if (!code && (size == 0 || offset > mem->size || size > mem->size - offset))
        code = CL_INVALID_VALUE;
    if (!code)
        command = stub_command_new(queue, CL_COMMAND_MAP_BUFFER, nwaits, waits, &fault, &code);
    if (command && !(map = map_new(mem, offset, size, flags))) {
        stub_command_drop(command);
        code = CL_MAP_FAILURE;
    }
    if (map) {
        pointer = map->pointer;
        command->run = run_map;
        command->map = map;
        command->from.mem = mem;
        stub_object_ref(&mem->base);
        pthread_mutex_lock(&stub_lock);
        map->next = mem->maps;
        mem->maps = map;
        pthread_mutex_unlock(&stub_lock);
        code = stub_command_submit(command, blocking, event);
    }
    if (error)
        *error = code;
    return code ? NULL : pointer;
}

/* Takes the map that this pointer begins out of the list. */
static struct stub_map *take_map(struct stub_mem *mem, const void *pointer)
{
    pthread_mutex_lock(&stub_lock);
    struct stub_map **link = &mem->maps;
    while (*link && (*link)->pointer != pointer)
        link = &(*link)->next;
    struct stub_map *map = *link;
    if (map)
        *link = map->next;
    pthread_mutex_unlock(&stub_lock);
    return map;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem handle,
                                                             void *pointer, cl_uint nwaits,
                                                             const cl_event *waits, cl_event *event)
{
    struct stub_fault fault =
        stub_call("clEnqueueUnmapMemObject", "q%u b%u waits=%u", stub_id(queue), stub_id(handle), nwaits);
    struct stub_mem *mem = STUB_OF(mem, handle, STUB_MEM);
    cl_int code = CL_SUCCESS;
    if (!mem)
        return CL_INVALID_MEM_OBJECT;
    struct stub_command *command =
        stub_command_new(queue, CL_COMMAND_UNMAP_MEM_OBJECT, nwaits, waits, &fault, &code);
    if (!command)
        return code;
    command->map = take_map(mem, pointer);
    if (!command->map) {
        stub_command_drop(command);
        return CL_INVALID_VALUE;
    }
    command->run = run_unmap;
    command->from.mem = mem;
    stub_object_ref(&mem->base);
    return stub_command_submit(command, CL_FALSE, event);
}
