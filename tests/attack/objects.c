/* SPDX-License-Identifier: MIT */
/* Objects of an attack: made, retained and released in any order, also while commands use them. */
#include "world.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_uint ended, destroyed;

static void CL_CALLBACK on_end(cl_event event, cl_int status, void *data)
{
    (void)event;
    atomic_fetch_add(&ended, status == CL_COMPLETE || data ? 1 : 1000000);
}

static void CL_CALLBACK on_destroyed(cl_mem mem, void *data)
{
    (void)mem;
    (void)data;
    atomic_fetch_add(&destroyed, 1);
}

void event_callback(cl_event event)
{
    w.callbacks_wanted++;
    if (!event)
        atomic_fetch_add(&ended, 1);
    else if (clSetEventCallback(event, CL_COMPLETE, on_end, how.tainted ? &w : NULL) != CL_SUCCESS)
        wrong("clSetEventCallback fails");
}

/* ---- choices ---- */

struct mem *pick_mem(int context, enum mem_kind kind, bool usable)
{
    struct mem *fit[MEMS];
    unsigned count = 0;
    for (unsigned m = 0; m < MEMS; m++) {
        struct mem *mem = &w.mem[m];
        const bool buffers = kind == MEM_BUFFER && mem->kind == MEM_WINDOW;
        if (mem->kind &&
            (kind == MEM_NONE ? mem->kind != MEM_SHARED || !usable : mem->kind == kind || buffers) &&
            (context < 0 || mem->context == (unsigned)context) && !(usable && mem->root->mapped))
            fit[count++] = mem;
    }
    return count ? fit[roll(count)] : NULL;
}

unsigned pick_open_context(void)
{
    const unsigned first = roll(CONTEXTS);
    for (unsigned i = 0; i < CONTEXTS; i++)
        if (!w.context[(first + i) % CONTEXTS].closed)
            return (first + i) % CONTEXTS;
    return CONTEXTS;
}

/* ---- memory ---- */

static struct root *new_root(void)
{
    if (w.nroots == ROOTS)
        wrong("too many roots");
    return &w.root[w.nroots++];
}

static cl_mem make_buffer(unsigned context, struct mem *mem, cl_int *code)
{
    static const cl_mem_flags flags[] = {CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR,
                                         CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR};
    const unsigned kind = roll(3);
    mem->root = new_root();
    mem->bytes = 4 * (512 + 64 * roll(5));
    void *host = aligned_alloc(4096, 4096);
    noise(host, mem->bytes);
    cl_mem handle = clCreateBuffer(w.context[context].handle, flags[kind], mem->bytes, host, code);
    if (kind == 0)
        mem->root->host = host;
    else
        free(host);
    return handle;
}

static cl_mem make_window(const struct mem *of, struct mem *mem, cl_int *code)
{
    const size_t steps = (of->bytes - 4 * 320) / w.align + 1;
    cl_buffer_region region = {.origin = w.align * roll((unsigned)steps)};
    region.size = 4 * 320 + 4 * roll((unsigned)((of->bytes - 4 * 320 - region.origin) / 4 + 1));
    mem->root = of->root;
    mem->bytes = region.size;
    return clCreateSubBuffer(of->handle, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, code);
}

static cl_mem make_image(unsigned context, struct mem *mem, cl_int *code)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
    const bool use = roll(3) == 0;
    unsigned char *host = aligned_alloc(4096, IMAGE_BYTES);
    mem->root = new_root();
    mem->bytes = IMAGE_BYTES;
    noise(host, IMAGE_BYTES);
    cl_mem handle = clCreateImage(w.context[context].handle, use ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR,
                                  &format, &desc, host, code);
    if (use)
        mem->root->host = host;
    else
        free(host);
    return handle;
}

static cl_mem make_line(const struct mem *of, struct mem *mem, cl_int *code)
{
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 320, .mem_object = of->handle};
    mem->root = of->root;
    mem->bytes = 4 * 320;
    return clCreateImage(w.context[of->context].handle, 0, &format, &desc, NULL, code);
}

void make_mem(unsigned context, enum mem_kind kind)
{
    static const char *const names[] = {"", "buffer", "window", "image", "line", "shared"};
    struct mem *of =
        kind == MEM_WINDOW || kind == MEM_LINE ? pick_mem((int)context, MEM_BUFFER, false) : NULL;
    struct mem made = {.kind = kind, .context = context};
    unsigned m = 0;
    cl_int code = 1;
    while (m < MEMS && w.mem[m].kind)
        m++;
    if (m == MEMS || ((kind == MEM_WINDOW || kind == MEM_LINE) && (!of || of->kind != MEM_BUFFER)))
        return;
    if (kind == MEM_SHARED) {
        made.root = new_root();
        if (!make_shared(context, &made))
            wrong("no shared memory");
        tell(0, "shared %u of context %u, %zu bytes", m, context, made.bytes);
        made.root->users++;
        w.mem[m] = made;
        return;
    }
    made.handle = kind == MEM_BUFFER   ? make_buffer(context, &made, &code)
                  : kind == MEM_WINDOW ? make_window(of, &made, &code)
                  : kind == MEM_IMAGE  ? make_image(context, &made, &code)
                                       : make_line(of, &made, &code);
    tell(code, "%s %u of context %u, %zu bytes", names[kind], m, context, made.bytes);
    if ((code == CL_SUCCESS) != (made.handle != NULL))
        wrong("an object with code %d", code);
    if (!made.handle)
        return;
    made.root->users++;
    if (roll(3) == 0 && clSetMemObjectDestructorCallback(made.handle, on_destroyed, NULL) == CL_SUCCESS)
        w.destroyed_wanted++;
    for (; roll(4) == 0 && clRetainMemObject(made.handle) == CL_SUCCESS;)
        made.retained++;
    w.mem[m] = made;
}

void unmap(struct mem *mem)
{
    const size_t bytes = mem->kind == MEM_IMAGE ? IMAGE_BYTES : mem->bytes;
    if (mem->map_flags != CL_MAP_READ)
        noise(mem->mapped, bytes);
    begin(mem->context, false);
    how.nwait = 0; /* it waits for nothing that fails */
    how.tainted = false;
    touch(mem->root);
    void *mapped = mem->mapped;
    mem->root->mapped = false;
    mem->mapped = NULL;
    ready();
    done(clEnqueueUnmapMemObject(how.queue->handle, mem->handle, mapped, how.nwait, waits(), event()),
         "unmap");
}

void release_mem(struct mem *mem)
{
    if (mem->mapped)
        unmap(mem);
    if (mem->shared) {
        release_shared(mem);
        mem->kind = MEM_NONE;
        return;
    }
    for (; mem->retained; mem->retained--)
        clReleaseMemObject(mem->handle);
    tell(clReleaseMemObject(mem->handle), "release mem %u", (unsigned)(mem - w.mem));
    mem->root->users--;
    mem->kind = MEM_NONE;
}

/* ---- contexts and queues ---- */

static void make_queue(struct context *context, unsigned q)
{
    cl_int code = 1;
    const cl_queue_properties out[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    struct queue *queue = &context->queue[q];
    queue->in_order = q && roll(2);
    queue->handle =
        queue->in_order
            ? clCreateCommandQueue(context->handle, w.device, roll(2) ? CL_QUEUE_PROFILING_ENABLE : 0, &code)
            : clCreateCommandQueueWithProperties(context->handle, w.device, out, &code);
    tell(code, "queue %u", q);
    if (!queue->handle)
        wrong("no queue");
}

static void change_queue(unsigned c)
{
    struct context *context = &w.context[c];
    const unsigned q = 1 + roll(QUEUES - 1);
    struct queue *queue = &context->queue[q];
    if (queue->handle) {
        if (roll(2))
            open_gates();
        tell(clReleaseCommandQueue(queue->handle), "release queue %u of %u", q, c);
        queue->handle = NULL;
    } else if (!context->closed) {
        make_queue(context, q);
    }
}

void step_object(void)
{
    static const enum mem_kind kinds[] = {MEM_BUFFER, MEM_BUFFER, MEM_WINDOW, MEM_IMAGE, MEM_LINE};
    const unsigned c = pick_open_context(), what = roll(16);
    struct mem *mem = pick_mem(-1, MEM_NONE, false);
    cl_int code = 1;
    if (what < 4 && c < CONTEXTS)
        make_mem(c, kinds[roll(5)]);
    else if (what < 6 && mem)
        release_mem(mem);
    else if (what == 6 && c < CONTEXTS && roll(2))
        make_mem(c, MEM_SHARED);
    else if (what < 12)
        step_program(c);
    else if (what == 12 && c < CONTEXTS && w.ngates < GATES) {
        w.gate[w.ngates] = (struct gate){clCreateUserEvent(w.context[c].handle, &code), c, roll(3) == 0};
        tell(code, "gate of context %u", c);
        w.ngates += code == CL_SUCCESS;
    } else if (what == 13 && w.ngates)
        open_gate(roll(w.ngates));
    else if (what == 14)
        change_queue(roll(CONTEXTS));
    else if (what == 15 && c && c < CONTEXTS && roll(8) == 0) {
        tell(clReleaseContext(w.context[c].handle), "close context %u", c);
        w.context[c].closed = true;
    }
}

/* ---- beginning and end ---- */

void open_world(void)
{
    cl_uint align = 0;
    cl_int code = clGetPlatformIDs(1, &w.platform, NULL);
    if (code || clGetDeviceIDs(w.platform, CL_DEVICE_TYPE_ALL, 1, &w.device, NULL))
        wrong("no device");
    clGetDeviceInfo(w.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(align), &align, NULL);
    w.align = align / 8 > 128 ? align / 8 : 128;
    for (unsigned c = 0; c < CONTEXTS; c++) {
        w.context[c].handle = clCreateContext(NULL, 1, &w.device, NULL, NULL, &code);
        if (!w.context[c].handle)
            wrong("no context");
        for (unsigned q = 0; q < 2; q++)
            make_queue(&w.context[c], q);
        make_mem(c, MEM_BUFFER);
        make_mem(c, c ? MEM_BUFFER : MEM_IMAGE);
    }
}

static void await(atomic_uint *count, unsigned wanted, const char *what)
{
    for (unsigned i = 0; i < (w.spare ? 1u : 3000u) && atomic_load(count) < wanted; i++)
        usleep(10000);
    if (atomic_load(count) != wanted && !w.spare) /* PoCL 3.1 forgets some */
        wrong("%u of %u %s", atomic_load(count), wanted, what);
    tell(0, "%u %s", wanted, what);
}

void close_world(void)
{
    meet();
    for (unsigned left = 200; left--;) { /* in any order, most of them twice or more often looked at */
        const unsigned c = roll(CONTEXTS), m = roll(MEMS), k = roll(KERNELS), p = roll(PROGRAMS);
        if (w.mem[m].kind)
            release_mem(&w.mem[m]);
        if (w.kernel[k].handle)
            release_kernel(&w.kernel[k]);
        if (w.program[p].handle)
            release_program(&w.program[p]);
        if (!w.context[c].closed) {
            tell(clReleaseContext(w.context[c].handle), "close context %u", c);
            w.context[c].closed = true;
        }
    }
    for (unsigned m = 0; m < MEMS; m++)
        if (w.mem[m].kind)
            release_mem(&w.mem[m]);
    meet();
    await(&ended, w.callbacks_wanted, "ends told");
    for (unsigned i = 0; i < KERNELS + PROGRAMS; i++) {
        if (i < KERNELS && w.kernel[i].handle)
            release_kernel(&w.kernel[i]);
        if (i < PROGRAMS && w.program[i].handle)
            release_program(&w.program[i]);
    }
    for (unsigned c = 0; c < CONTEXTS; c++) {
        for (unsigned q = 0; q < QUEUES; q++)
            if (w.context[c].queue[q].handle)
                clReleaseCommandQueue(w.context[c].queue[q].handle);
        if (!w.context[c].closed)
            clReleaseContext(w.context[c].handle);
    }
    await(&destroyed, w.destroyed_wanted, "ends of objects told");
    for (unsigned r = 0; r < w.nroots; r++)
        free(w.root[r].host);
}
