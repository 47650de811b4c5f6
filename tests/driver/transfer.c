/* SPDX-License-Identifier: MIT */
/* Stub driver: reads, writes, copies, fills and migration. Every copy is a rectangle; a plain one has one
 * row. */
#include "calls.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A host end: its base, and the first byte within. */
static struct stub_end host_end(const void *host, size_t origin, size_t row, size_t slice)
{
    return (struct stub_end){
        .host = (unsigned char *)(uintptr_t)host, .origin = origin, .row = row, .slice = slice};
}

static struct stub_end mem_end(cl_mem mem, size_t origin, size_t row, size_t slice)
{
    return (struct stub_end){
        .mem = STUB_OF(mem, mem, STUB_MEM), .origin = origin, .row = row, .slice = slice};
}

static unsigned char *end_base(const struct stub_end *end)
{
    return (end->mem ? end->mem->data : end->host) + end->origin;
}

static cl_int run_copy(struct stub_command *command)
{
    const unsigned char *from = end_base(&command->from);
    unsigned char *to = end_base(&command->to);
    if (stub_config_models())
        return CL_SUCCESS;
    for (size_t z = 0; z < command->region[2]; z++) {
        for (size_t y = 0; y < command->region[1]; y++)
            memmove(to + z * command->to.slice + y * command->to.row,
                    from + z * command->from.slice + y * command->from.row, command->region[0]);
    }
    return CL_SUCCESS;
}

static cl_int run_fill(struct stub_command *command)
{
    unsigned char *to = end_base(&command->to);
    const size_t bytes = stub_config_models() ? 0 : command->region[0];
    for (size_t at = 0; at < bytes; at += command->pattern_size)
        memcpy(to + at, command->pattern, command->pattern_size);
    return CL_SUCCESS;
}

/* The last byte touched must lie in the buffer; a host end needs a pointer. */
static cl_int check_end(const struct stub_end *end, const size_t *region)
{
    if (!end->mem)
        return end->host ? CL_SUCCESS : CL_INVALID_VALUE;
    size_t last = end->origin + (region[2] - 1) * end->slice + (region[1] - 1) * end->row + region[0];
    return end->origin > end->mem->size || last > end->mem->size ? CL_INVALID_VALUE : CL_SUCCESS;
}

/* Whether a blocking write need not wait: what it writes is the driver's own now. */
static bool stage(struct stub_command *command)
{
    const double most = stub_config_number("STUB_STAGED", 0, 0);
    const size_t bytes = command->region[0];
    if ((double)bytes > most || command->from.mem || command->region[1] * command->region[2] != 1)
        return false;
    command->staged = malloc(bytes);
    if (!command->staged)
        return false;
    memcpy(command->staged, end_base(&command->from), bytes);
    command->from = host_end(command->staged, 0, 0, 0);
    return true;
}

struct copy {
    cl_command_queue queue;
    cl_command_type type;
    cl_bool blocking;
    struct stub_end from, to;
    bool from_mem, to_mem; /* must be buffers */
    size_t region[3];
    cl_uint nwaits;
    const cl_event *waits;
    cl_event *event;
};

static cl_int enqueue_copy(const struct copy *copy, const struct stub_fault *fault)
{
    cl_int code = CL_SUCCESS;
    if ((copy->from_mem && !copy->from.mem) || (copy->to_mem && !copy->to.mem))
        code = CL_INVALID_MEM_OBJECT;
    if (!code && (!copy->region[0] || !copy->region[1] || !copy->region[2]))
        code = CL_INVALID_VALUE;
    if (!code)
        code = check_end(&copy->from, copy->region);
    if (!code)
        code = check_end(&copy->to, copy->region);
    if (code)
        return code;
    struct stub_command *command =
        stub_command_new(copy->queue, copy->type, copy->nwaits, copy->waits, fault, &code);
    if (!command)
        return code;
    command->run = run_copy;
    command->from = copy->from;
    command->to = copy->to;
    memcpy(command->region, copy->region, sizeof(copy->region));
    if (command->from.mem)
        stub_object_ref(&command->from.mem->base);
    if (command->to.mem)
        stub_object_ref(&command->to.mem->base);
    return stub_command_submit(command, copy->blocking && !stage(command), copy->event);
}

CL_API_ENTRY cl_int CL_API_CALL stub_clEnqueueReadBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking,
                                                         size_t offset, size_t size, void *pointer,
                                                         cl_uint nwaits, const cl_event *waits,
                                                         cl_event *event)
{
    struct stub_fault fault =
        stub_call("clEnqueueReadBuffer", "q%u b%u blocking=%u offset=%zu size=%zu waits=%u", stub_id(queue),
                  stub_id(mem), blocking, offset, size, nwaits);
    struct copy copy = {queue,
                        CL_COMMAND_READ_BUFFER,
                        blocking,
                        mem_end(mem, offset, 0, 0),
                        host_end(pointer, 0, 0, 0),
                        true,
                        false,
                        {size, 1, 1},
                        nwaits,
                        waits,
                        event};
    return enqueue_copy(&copy, &fault);
}

CL_API_ENTRY cl_int CL_API_CALL stub_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem mem,
                                                          cl_bool blocking, size_t offset, size_t size,
                                                          const void *pointer, cl_uint nwaits,
                                                          const cl_event *waits, cl_event *event)
{
    struct stub_fault fault =
        stub_call("clEnqueueWriteBuffer", "q%u b%u blocking=%u offset=%zu size=%zu waits=%u", stub_id(queue),
                  stub_id(mem), blocking, offset, size, nwaits);
    struct copy copy = {queue,
                        CL_COMMAND_WRITE_BUFFER,
                        blocking,
                        host_end(pointer, 0, 0, 0),
                        mem_end(mem, offset, 0, 0),
                        false,
                        true,
                        {size, 1, 1},
                        nwaits,
                        waits,
                        event};
    return enqueue_copy(&copy, &fault);
}

CL_API_ENTRY cl_int CL_API_CALL stub_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                                         size_t from_offset, size_t to_offset, size_t size,
                                                         cl_uint nwaits, const cl_event *waits,
                                                         cl_event *event)
{
    struct stub_fault fault =
        stub_call("clEnqueueCopyBuffer", "q%u b%u b%u from=%zu to=%zu size=%zu waits=%u", stub_id(queue),
                  stub_id(from), stub_id(to), from_offset, to_offset, size, nwaits);
    const char *dear = getenv("STUB_COPY_CALL");
    if (dear)
        usleep((useconds_t)strtoul(dear, NULL, 10));
    struct copy copy = {queue,
                        CL_COMMAND_COPY_BUFFER,
                        CL_FALSE,
                        mem_end(from, from_offset, 0, 0),
                        mem_end(to, to_offset, 0, 0),
                        true,
                        true,
                        {size, 1, 1},
                        nwaits,
                        waits,
                        event};
    return enqueue_copy(&copy, &fault);
}

/* The pitches in force (0 means tight) and the first byte. */
static size_t rect_origin(const size_t *origin, const size_t *region, size_t *row, size_t *slice)
{
    *row = *row ? *row : region[0];
    *slice = *slice ? *slice : *row * region[1];
    return origin[2] * *slice + origin[1] * *row + origin[0];
}

CL_API_ENTRY cl_int CL_API_CALL stub_clEnqueueReadBufferRect(cl_command_queue queue, cl_mem mem,
                                                             cl_bool blocking, const size_t *origin,
                                                             const size_t *host_origin, const size_t *region,
                                                             size_t row, size_t slice, size_t host_row,
                                                             size_t host_slice, void *pointer, cl_uint nwaits,
                                                             const cl_event *waits, cl_event *event)
{
    struct stub_fault fault =
        stub_call("clEnqueueReadBufferRect", "q%u b%u blocking=%u region=%zux%zux%zu waits=%u",
                  stub_id(queue), stub_id(mem), blocking, region[0], region[1], region[2], nwaits);
    size_t at = rect_origin(origin, region, &row, &slice);
    size_t host_at = rect_origin(host_origin, region, &host_row, &host_slice);
    struct copy copy = {queue,
                        CL_COMMAND_READ_BUFFER_RECT,
                        blocking,
                        mem_end(mem, at, row, slice),
                        host_end(pointer, host_at, host_row, host_slice),
                        true,
                        false,
                        {region[0], region[1], region[2]},
                        nwaits,
                        waits,
                        event};
    return enqueue_copy(&copy, &fault);
}

CL_API_ENTRY cl_int CL_API_CALL stub_clEnqueueWriteBufferRect(
    cl_command_queue queue, cl_mem mem, cl_bool blocking, const size_t *origin, const size_t *host_origin,
    const size_t *region, size_t row, size_t slice, size_t host_row, size_t host_slice, const void *pointer,
    cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    struct stub_fault fault =
        stub_call("clEnqueueWriteBufferRect", "q%u b%u blocking=%u region=%zux%zux%zu waits=%u",
                  stub_id(queue), stub_id(mem), blocking, region[0], region[1], region[2], nwaits);
    size_t at = rect_origin(origin, region, &row, &slice);
    size_t host_at = rect_origin(host_origin, region, &host_row, &host_slice);
    struct copy copy = {queue,
                        CL_COMMAND_WRITE_BUFFER_RECT,
                        blocking,
                        host_end(pointer, host_at, host_row, host_slice),
                        mem_end(mem, at, row, slice),
                        false,
                        true,
                        {region[0], region[1], region[2]},
                        nwaits,
                        waits,
                        event};
    return enqueue_copy(&copy, &fault);
}

CL_API_ENTRY cl_int CL_API_CALL stub_clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to,
                                                             const size_t *from_origin,
                                                             const size_t *to_origin, const size_t *region,
                                                             size_t from_row, size_t from_slice,
                                                             size_t to_row, size_t to_slice, cl_uint nwaits,
                                                             const cl_event *waits, cl_event *event)
{
    struct stub_fault fault =
        stub_call("clEnqueueCopyBufferRect", "q%u b%u b%u region=%zux%zux%zu waits=%u", stub_id(queue),
                  stub_id(from), stub_id(to), region[0], region[1], region[2], nwaits);
    size_t from_at = rect_origin(from_origin, region, &from_row, &from_slice);
    size_t to_at = rect_origin(to_origin, region, &to_row, &to_slice);
    struct copy copy = {queue,
                        CL_COMMAND_COPY_BUFFER_RECT,
                        CL_FALSE,
                        mem_end(from, from_at, from_row, from_slice),
                        mem_end(to, to_at, to_row, to_slice),
                        true,
                        true,
                        {region[0], region[1], region[2]},
                        nwaits,
                        waits,
                        event};
    return enqueue_copy(&copy, &fault);
}

CL_API_ENTRY cl_int CL_API_CALL stub_clEnqueueFillBuffer(cl_command_queue queue, cl_mem handle,
                                                         const void *pattern, size_t pattern_size,
                                                         size_t offset, size_t size, cl_uint nwaits,
                                                         const cl_event *waits, cl_event *event)
{
    struct stub_fault fault =
        stub_call("clEnqueueFillBuffer", "q%u b%u pattern=%zu offset=%zu size=%zu waits=%u", stub_id(queue),
                  stub_id(handle), pattern_size, offset, size, nwaits);
    struct stub_mem *mem = STUB_OF(mem, handle, STUB_MEM);
    bool power = pattern_size && pattern_size <= 128 && !(pattern_size & (pattern_size - 1));
    cl_int code = mem ? CL_SUCCESS : CL_INVALID_MEM_OBJECT;
    if (!code && (!pattern || !power || offset % pattern_size || size % pattern_size || size == 0 ||
                  offset > mem->size || size > mem->size - offset))
        code = CL_INVALID_VALUE;
    struct stub_command *command =
        code ? NULL : stub_command_new(queue, CL_COMMAND_FILL_BUFFER, nwaits, waits, &fault, &code);
    if (!command)
        return code;
    command->run = run_fill;
    command->to = mem_end(handle, offset, 0, 0);
    stub_object_ref(&mem->base);
    command->region[0] = size;
    memcpy(command->pattern, pattern, pattern_size);
    command->pattern_size = pattern_size;
    return stub_command_submit(command, CL_FALSE, event);
}

CL_API_ENTRY cl_int CL_API_CALL stub_clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint count,
                                                                const cl_mem *mems,
                                                                cl_mem_migration_flags flags, cl_uint nwaits,
                                                                const cl_event *waits, cl_event *event)
{
    struct stub_fault fault = stub_call("clEnqueueMigrateMemObjects", "q%u count=%u flags=%#lx waits=%u",
                                        stub_id(queue), count, (unsigned long)flags, nwaits);
    cl_int code = count && mems ? CL_SUCCESS : CL_INVALID_VALUE;
    for (cl_uint i = 0; !code && i < count; i++)
        code = stub_object_of(mems[i], STUB_MEM) ? CL_SUCCESS : CL_INVALID_MEM_OBJECT;
    struct stub_command *command =
        code ? NULL : stub_command_new(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, nwaits, waits, &fault, &code);
    return command ? stub_command_submit(command, CL_FALSE, event) : code;
}
