/* SPDX-License-Identifier: MIT */
/*
 * Recording into command buffers: a command is stored as the arguments of its enqueue function. That function
 * checks them now, with a queue that drops its commands, and is called with them at each enqueue. Next stage:
 * command_buffer.c.
 */
#include "layer/api/command_buffer.h"
#include "layer/api/enqueue.h"
#include "layer/base/entry.h"
#include "layer/memory/image.h"
#include "layer/program/kernel.h"
#include "layer/object/handle_set.h"
#include "layer/base/log.h"

#include <stdlib.h>
#include <string.h>

enum { PATTERN_MAX = 128 };

/* The arguments of an enqueue, as its type uses them. */
struct call {
    cl_command_type type;
    cl_mem from, to;
    cl_kernel kernel;
    struct cx_args *args;   /* launches: captured; NULL: as set now */
    cl_uint dims;           /* launches */
    const size_t *sizes[3]; /* origin there, here and region; or offset, global and local size */
    size_t number[4];       /* offsets and sizes, or pitches */
    void *svm_to;           /* shared virtual memory, which the program keeps */
    const void *svm_from;
    const void *pattern; /* fills: pattern or colour */
    size_t pattern_size;
};

struct cx_recorded {
    struct call call; /* its objects are referenced; its pointers are NULL or to what follows */
    size_t sizes[3][3];
    unsigned char pattern[PATTERN_MAX];
    cl_uint nwait;
    cl_sync_point_khr wait[];
};

static cl_int enqueue_call(const struct call *call, struct cx_queue *to, cl_uint nwait, const cl_event *list,
                           cl_event *event)
{
    const cl_command_queue queue = (cl_command_queue)to;
    const size_t *const *sizes = call->sizes, *number = call->number;
    switch (call->type) {
    case CL_COMMAND_BARRIER:
        return cx_clEnqueueBarrierWithWaitList(queue, nwait, list, event);
    case CL_COMMAND_COPY_BUFFER:
        return cx_clEnqueueCopyBuffer(queue, call->from, call->to, number[0], number[1], number[2], nwait,
                                      list, event);
    case CL_COMMAND_COPY_BUFFER_RECT:
        return cx_clEnqueueCopyBufferRect(queue, call->from, call->to, sizes[0], sizes[1], sizes[2],
                                          number[0], number[1], number[2], number[3], nwait, list, event);
    case CL_COMMAND_COPY_BUFFER_TO_IMAGE:
        return cx_clEnqueueCopyBufferToImage(queue, call->from, call->to, number[0], sizes[1], sizes[2],
                                             nwait, list, event);
    case CL_COMMAND_COPY_IMAGE:
        return cx_clEnqueueCopyImage(queue, call->from, call->to, sizes[0], sizes[1], sizes[2], nwait, list,
                                     event);
    case CL_COMMAND_COPY_IMAGE_TO_BUFFER:
        return cx_clEnqueueCopyImageToBuffer(queue, call->from, call->to, sizes[0], sizes[2], number[0],
                                             nwait, list, event);
    case CL_COMMAND_FILL_BUFFER:
        return cx_clEnqueueFillBuffer(queue, call->to, call->pattern, call->pattern_size, number[0],
                                      number[1], nwait, list, event);
    case CL_COMMAND_FILL_IMAGE:
        return cx_clEnqueueFillImage(queue, call->to, call->pattern, sizes[1], sizes[2], nwait, list, event);
    case CL_COMMAND_SVM_MEMCPY:
        return cx_clEnqueueSVMMemcpy(queue, CL_FALSE, call->svm_to, call->svm_from, number[0], nwait, list,
                                     event);
    case CL_COMMAND_SVM_MEMFILL:
        return cx_clEnqueueSVMMemFill(queue, call->svm_to, call->pattern, call->pattern_size, number[0],
                                      nwait, list, event);
    default:
        return cx_enqueue_recorded(to, (struct cx_kernel *)call->kernel, call->args, call->dims, sizes, nwait,
                                   list, event);
    }
}

cl_int cx_command_buffer_enqueue_recorded(const struct cx_recorded *recorded, struct cx_queue *queue,
                                          cl_event first, const cl_event *points, cl_event *event)
{
    /* a barrier without a wait list waits for all before it, so for `first` as well */
    const bool all = recorded->call.type == CL_COMMAND_BARRIER && recorded->nwait == 0;
    cl_event *list = malloc((recorded->nwait + 1) * sizeof(*list));
    if (!list)
        return CL_OUT_OF_HOST_MEMORY;
    list[0] = first;
    for (cl_uint i = 0; i < recorded->nwait; i++)
        list[i + 1] = points[recorded->wait[i] - 1];
    cl_int error =
        enqueue_call(&recorded->call, queue, all ? 0 : recorded->nwait + 1, all ? NULL : list, event);
    free(list);
    return error;
}

static void drop_mem(cl_mem handle)
{
    struct cx_mem *mem = (struct cx_mem *)handle;
    cx_mem_unref(&mem);
}

void cx_command_buffer_free_recorded(struct cx_recorded *recorded)
{
    struct cx_kernel *kernel = (struct cx_kernel *)recorded->call.kernel;
    drop_mem(recorded->call.from);
    drop_mem(recorded->call.to);
    cx_args_unref(&recorded->call.args);
    cx_kernel_unref(&kernel);
    free(recorded);
}

/* A copy of checked arguments that keeps what they name. NULL: no memory. */
static struct cx_recorded *keep_call(const struct call *call, cl_uint nwait, const cl_sync_point_khr *list)
{
    struct cx_recorded *recorded = calloc(1, sizeof(*recorded) + nwait * sizeof(*list));
    struct cx_kernel *kernel = (struct cx_kernel *)call->kernel;
    unsigned missing;
    if (!recorded)
        return NULL;
    recorded->call = *call;
    if (kernel && !(recorded->call.args = cx_kernel_capture(kernel, &missing))) {
        free(recorded);
        return NULL;
    }
    if (kernel)
        cx_kernel_ref(kernel);
    if (call->from)
        cx_mem_ref(cx_mem_from(call->from));
    if (call->to)
        cx_mem_ref(cx_mem_from(call->to));
    for (unsigned i = 0; i < 3; i++) {
        if (!call->sizes[i])
            continue;
        memcpy(recorded->sizes[i], call->sizes[i], (kernel ? call->dims : 3) * sizeof(size_t));
        recorded->call.sizes[i] = recorded->sizes[i];
    }
    if (call->pattern) {
        memcpy(recorded->pattern, call->pattern, call->pattern_size);
        recorded->call.pattern = recorded->pattern;
    }
    recorded->nwait = nwait;
    if (nwait)
        memcpy(recorded->wait, list, nwait * sizeof(*list));
    return recorded;
}

/* buffer->lock held. */
static bool append(struct cx_command_buffer *buffer, struct cx_recorded *recorded)
{
    if (buffer->ncommands == buffer->room_commands) {
        const unsigned room = buffer->room_commands ? 2 * buffer->room_commands : 8;
        struct cx_recorded **grown = realloc(buffer->commands, room * sizeof(struct cx_recorded *));
        if (!grown)
            return false;
        buffer->commands = grown;
        buffer->room_commands = room;
    }
    buffer->commands[buffer->ncommands++] = recorded;
    return true;
}

/* What all functions that record end with. */
struct order {
    cl_command_queue queue; /* of other extensions */
    const cl_command_properties_khr *properties;
    cl_uint nwait;
    const cl_sync_point_khr *list;
    cl_sync_point_khr *point;
    cl_mutable_command_khr *handle; /* of other extensions */
};

/* buffer->lock held. */
static cl_int check_order(const char *function, const struct cx_command_buffer *buffer,
                          const struct order *order)
{
    if (order->queue)
        return cx_fail(function, CL_INVALID_COMMAND_QUEUE, "a queue was given: there is only one");
    if (buffer->finalized)
        return cx_fail(function, CL_INVALID_OPERATION, "the command buffer is finalized");
    if (order->properties && *order->properties)
        return cx_fail(function, CL_INVALID_VALUE, "no property of recorded commands is known");
    if (order->handle)
        return cx_fail(function, CL_INVALID_VALUE, "recorded commands cannot be changed");
    if ((order->nwait == 0) != (order->list == NULL))
        return cx_fail(function, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, "a list without length or otherwise");
    for (cl_uint i = 0; i < order->nwait; i++)
        if (order->list[i] == 0 || order->list[i] > buffer->ncommands)
            return cx_fail(function, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, "no such sync point");
    return CL_SUCCESS;
}

static cl_int record(const char *function, cl_command_buffer_khr handle, struct call *call,
                     const struct order *order)
{
    struct cx_command_buffer *buffer = cx_command_buffer_from(handle);
    if (!buffer)
        return cx_fail(function, CL_INVALID_COMMAND_BUFFER_KHR, "no command buffer of ours");
    cx_lock(&buffer->lock);
    cl_int error = check_order(function, buffer, order);
    if (error == CL_SUCCESS)
        error = enqueue_call(call, buffer->check, 0, NULL, NULL);
    if (error == CL_SUCCESS) {
        struct cx_recorded *recorded = keep_call(call, order->nwait, order->list);
        if (!recorded || !append(buffer, recorded)) {
            if (recorded)
                cx_command_buffer_free_recorded(recorded);
            error = cx_fail(function, CL_OUT_OF_HOST_MEMORY, "no memory for a command");
        }
    }
    if (error == CL_SUCCESS && order->point)
        *order->point = buffer->ncommands; /* the first is 1 */
    cx_unlock(&buffer->lock);
    return error;
}

/* ---- which signature ---- */

/* The arguments behind those that both signatures have, by the older one's places. */
struct slots {
    const cx_slot *at;
    const cl_command_properties_khr *properties;
};

/* No list of properties lies so low: it is the length of another list. */
enum { MOST_POINTS = 4096 };

/* A handle of ours where today's programs have properties tells that the program was built against 0.9.1.
 * NULL in its place tells nothing: then the arguments are taken for today's. */
static struct slots read_slots(const cx_slot *slot)
{
    const bool older = slot[0] && (slot[0] < MOST_POINTS || cx_handle_set_has((const void *)slot[0]));
    return older ? (struct slots){slot, NULL}
                 : (struct slots){slot + 1, (const cl_command_properties_khr *)slot[0]};
}

/* Where the arguments were not those of today they may be anything. */
static cl_mem mem_at(const struct slots *slots, unsigned i)
{
    return cx_handle_set_has((const void *)slots->at[i]) ? (cl_mem)slots->at[i] : NULL;
}

static const size_t *sizes_at(const struct slots *slots, unsigned i)
{
    return (const size_t *)slots->at[i];
}

/* What all end with; a cl_uint need not fill its slot. */
static struct order order_at(const struct slots *slots, cl_command_queue queue, unsigned i)
{
    return (struct order){.queue = queue,
                          .properties = slots->properties,
                          .nwait = (cl_uint)slots->at[i],
                          .list = (const cl_sync_point_khr *)slots->at[i + 1],
                          .point = (cl_sync_point_khr *)slots->at[i + 2],
                          .handle = (cl_mutable_command_khr *)slots->at[i + 3]};
}

/* ---- entry points ---- */

cl_int CL_API_CALL cx_clCommandBarrierWithWaitListKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                                      cx_slot a, cx_slot b, cx_slot c, cx_slot d, cx_slot e)
{
    const cx_slot slot[] = {a, b, c, d, e};
    const struct slots slots = read_slots(slot);
    const struct order order = order_at(&slots, queue, 0);
    return record(__func__ + 3, buffer, &(struct call){.type = CL_COMMAND_BARRIER}, &order);
}

cl_int CL_API_CALL cx_clCommandCopyBufferKHR(cl_command_buffer_khr buffer, cl_command_queue queue, cx_slot a,
                                             cx_slot b, cx_slot c, cx_slot d, cx_slot e, cx_slot f, cx_slot g,
                                             cx_slot h, cx_slot i, cx_slot j)
{
    const cx_slot slot[] = {a, b, c, d, e, f, g, h, i, j};
    const struct slots slots = read_slots(slot);
    const struct order order = order_at(&slots, queue, 5);
    struct call call = {.type = CL_COMMAND_COPY_BUFFER,
                        .from = mem_at(&slots, 0),
                        .to = mem_at(&slots, 1),
                        .number = {slots.at[2], slots.at[3], slots.at[4]}};
    return record(__func__ + 3, buffer, &call, &order);
}

cl_int CL_API_CALL cx_clCommandCopyBufferRectKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                                 cx_slot a, cx_slot b, cx_slot c, cx_slot d, cx_slot e,
                                                 cx_slot f, cx_slot g, cx_slot h, cx_slot i, cx_slot j,
                                                 cx_slot k, cx_slot l, cx_slot m, cx_slot n)
{
    const cx_slot slot[] = {a, b, c, d, e, f, g, h, i, j, k, l, m, n};
    const struct slots slots = read_slots(slot);
    const struct order order = order_at(&slots, queue, 9);
    struct call call = {.type = CL_COMMAND_COPY_BUFFER_RECT,
                        .from = mem_at(&slots, 0),
                        .to = mem_at(&slots, 1),
                        .sizes = {sizes_at(&slots, 2), sizes_at(&slots, 3), sizes_at(&slots, 4)},
                        .number = {slots.at[5], slots.at[6], slots.at[7], slots.at[8]}};
    return record(__func__ + 3, buffer, &call, &order);
}

cl_int CL_API_CALL cx_clCommandCopyBufferToImageKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                                    cx_slot a, cx_slot b, cx_slot c, cx_slot d, cx_slot e,
                                                    cx_slot f, cx_slot g, cx_slot h, cx_slot i, cx_slot j)
{
    const cx_slot slot[] = {a, b, c, d, e, f, g, h, i, j};
    const struct slots slots = read_slots(slot);
    const struct order order = order_at(&slots, queue, 5);
    struct call call = {.type = CL_COMMAND_COPY_BUFFER_TO_IMAGE,
                        .from = mem_at(&slots, 0),
                        .to = mem_at(&slots, 1),
                        .sizes = {NULL, sizes_at(&slots, 3), sizes_at(&slots, 4)},
                        .number = {slots.at[2]}};
    return record(__func__ + 3, buffer, &call, &order);
}

cl_int CL_API_CALL cx_clCommandCopyImageKHR(cl_command_buffer_khr buffer, cl_command_queue queue, cx_slot a,
                                            cx_slot b, cx_slot c, cx_slot d, cx_slot e, cx_slot f, cx_slot g,
                                            cx_slot h, cx_slot i, cx_slot j)
{
    const cx_slot slot[] = {a, b, c, d, e, f, g, h, i, j};
    const struct slots slots = read_slots(slot);
    const struct order order = order_at(&slots, queue, 5);
    struct call call = {.type = CL_COMMAND_COPY_IMAGE,
                        .from = mem_at(&slots, 0),
                        .to = mem_at(&slots, 1),
                        .sizes = {sizes_at(&slots, 2), sizes_at(&slots, 3), sizes_at(&slots, 4)}};
    return record(__func__ + 3, buffer, &call, &order);
}

cl_int CL_API_CALL cx_clCommandCopyImageToBufferKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                                    cx_slot a, cx_slot b, cx_slot c, cx_slot d, cx_slot e,
                                                    cx_slot f, cx_slot g, cx_slot h, cx_slot i, cx_slot j)
{
    const cx_slot slot[] = {a, b, c, d, e, f, g, h, i, j};
    const struct slots slots = read_slots(slot);
    const struct order order = order_at(&slots, queue, 5);
    struct call call = {.type = CL_COMMAND_COPY_IMAGE_TO_BUFFER,
                        .from = mem_at(&slots, 0),
                        .to = mem_at(&slots, 1),
                        .sizes = {sizes_at(&slots, 2), NULL, sizes_at(&slots, 3)},
                        .number = {slots.at[4]}};
    return record(__func__ + 3, buffer, &call, &order);
}

cl_int CL_API_CALL cx_clCommandFillBufferKHR(cl_command_buffer_khr buffer, cl_command_queue queue, cx_slot a,
                                             cx_slot b, cx_slot c, cx_slot d, cx_slot e, cx_slot f, cx_slot g,
                                             cx_slot h, cx_slot i, cx_slot j)
{
    const cx_slot slot[] = {a, b, c, d, e, f, g, h, i, j};
    const struct slots slots = read_slots(slot);
    const struct order order = order_at(&slots, queue, 5);
    struct call call = {.type = CL_COMMAND_FILL_BUFFER,
                        .to = mem_at(&slots, 0),
                        .pattern = (const void *)slots.at[1],
                        .pattern_size = slots.at[2],
                        .number = {slots.at[3], slots.at[4]}};
    return record(__func__ + 3, buffer, &call, &order);
}

cl_int CL_API_CALL cx_clCommandFillImageKHR(cl_command_buffer_khr buffer, cl_command_queue queue, cx_slot a,
                                            cx_slot b, cx_slot c, cx_slot d, cx_slot e, cx_slot f, cx_slot g,
                                            cx_slot h, cx_slot i)
{
    const cx_slot slot[] = {a, b, c, d, e, f, g, h, i};
    const struct slots slots = read_slots(slot);
    const struct order order = order_at(&slots, queue, 4);
    const struct cx_mem *mem = cx_image_from(mem_at(&slots, 0));
    const bool depth = mem && mem->image->format.image_channel_order == CL_DEPTH; /* one number */
    struct call call = {.type = CL_COMMAND_FILL_IMAGE,
                        .to = mem_at(&slots, 0),
                        .pattern = (const void *)slots.at[1],
                        .pattern_size = depth ? sizeof(cl_float) : sizeof(cl_float4),
                        .sizes = {NULL, sizes_at(&slots, 2), sizes_at(&slots, 3)}};
    return record(__func__ + 3, buffer, &call, &order);
}

cl_int CL_API_CALL cx_clCommandNDRangeKernelKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                                const cl_command_properties_khr *properties, cl_kernel kernel,
                                                cl_uint dims, const size_t *offset, const size_t *global,
                                                const size_t *local, cl_uint nwait,
                                                const cl_sync_point_khr *list, cl_sync_point_khr *point,
                                                cl_mutable_command_khr *handle)
{
    struct call call = {
        .type = CL_COMMAND_NDRANGE_KERNEL, .kernel = kernel, .dims = dims, .sizes = {offset, global, local}};
    return record(__func__ + 3, buffer, &call,
                  &(struct order){queue, properties, nwait, list, point, handle});
}

cl_int CL_API_CALL cx_clCommandSVMMemcpyKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                            const cl_command_properties_khr *properties, void *dst,
                                            const void *src, size_t size, cl_uint nwait,
                                            const cl_sync_point_khr *list, cl_sync_point_khr *point,
                                            cl_mutable_command_khr *handle)
{
    struct call call = {.type = CL_COMMAND_SVM_MEMCPY, .svm_to = dst, .svm_from = src, .number = {size}};
    return record(__func__ + 3, buffer, &call,
                  &(struct order){queue, properties, nwait, list, point, handle});
}

cl_int CL_API_CALL cx_clCommandSVMMemFillKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                             const cl_command_properties_khr *properties, void *to,
                                             const void *pattern, size_t pattern_size, size_t size,
                                             cl_uint nwait, const cl_sync_point_khr *list,
                                             cl_sync_point_khr *point, cl_mutable_command_khr *handle)
{
    struct call call = {.type = CL_COMMAND_SVM_MEMFILL,
                        .svm_to = to,
                        .pattern = pattern,
                        .pattern_size = pattern_size,
                        .number = {size}};
    return record(__func__ + 3, buffer, &call,
                  &(struct order){queue, properties, nwait, list, point, handle});
}
