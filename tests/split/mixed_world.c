/* SPDX-License-Identifier: MIT */
/* The world of test_mixed.c. See mixed_world.h. */
#include "mixed_world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Thread_local struct world *w;
static _Thread_local unsigned the_seed;

void must_be(bool right, const char *format, ...)
{
    va_list args;
    if (right)
        return;
    fprintf(stderr, "seed %u step %u: ", the_seed, w->step);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n");
    if (getenv("MIXED_ABORT"))
        abort();
    _exit(3);
}

void note(const char *format, ...)
{
    va_list args;
    if (!getenv("MIXED_TRACE"))
        return;
    fprintf(stderr, "%u/%u ", the_seed, w->step);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n");
}

unsigned roll(unsigned below)
{
    w->state = w->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(w->state >> 33) % below;
}

void noise(void *room, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)room)[i] = (unsigned char)roll(256);
}

/* ---- order ---- */

void open_gate(unsigned g)
{
    must(clSetUserEventStatus(w->gate[g].event, w->gate[g].fails ? -77 : CL_COMPLETE));
    must(clReleaseEvent(w->gate[g].event));
    w->gate[g] = w->gate[--w->ngates];
}

void open_gates(void)
{
    while (w->ngates)
        open_gate(roll(w->ngates));
}

static void wait_for(cl_event event)
{
    for (cl_uint i = 0; i < w->nwait; i++)
        if (w->wait[i] == event)
            return;
    w->wait[w->nwait++] = event;
}

void begin(bool blocking)
{
    cl_int code;
    w->to = w->queue[roll(w->nqueues)];
    w->nwait = 0;
    w->ntouched = 0;
    w->fails = false;
    w->event = NULL;
    if (blocking) {
        open_gates();
    } else if (roll(12) == 0) {
        w->fails = roll(3) == 0;
        w->gate[w->ngates].event = clCreateUserEvent(w->context, &code);
        must(code);
        w->gate[w->ngates].fails = w->fails;
        w->wait[w->nwait++] = w->gate[w->ngates++].event;
    }
}

void touch(struct root *root, bool write)
{
    if (!w->silent && root->writer)
        wait_for(root->writer);
    for (unsigned i = 0; i < root->nreaders && write && !w->silent; i++)
        wait_for(root->reader[i]);
    w->touched[w->ntouched].root = root;
    w->touched[w->ntouched++].write = write;
}

const cl_event *waits(void)
{
    return w->nwait ? w->wait : NULL;
}

void end(void)
{
    w->outcome[w->noutcomes].event = w->event;
    w->outcome[w->noutcomes++].fails = w->fails;
    for (unsigned i = 0; i < w->ntouched && !w->fails; i++) {
        struct root *root = w->touched[i].root;
        if (w->touched[i].write) {
            root->writer = w->event;
            root->nreaders = 0;
        } else {
            root->reader[root->nreaders++] = w->event;
        }
    }
    if (roll(6) == 0)
        must(clFlush(w->to));
    if (w->ngates && roll(3) == 0)
        open_gate(roll(w->ngates));
}

unsigned char *area_new(size_t size)
{
    struct area *area = &w->area[w->nareas++];
    *area = (struct area){malloc(size + 1), NULL, size};
    noise(area->bytes, size);
    return area->bytes;
}

void area_wants(const unsigned char *bytes)
{
    struct area *area = &w->area[w->nareas - 1];
    area->want = malloc(area->size + 1);
    memcpy(area->want, bytes, area->size);
}

/* ---- memory ---- */

static cl_mem window_on(cl_mem mem, size_t origin, size_t bytes)
{
    const cl_buffer_region region = {origin, bytes};
    cl_int code;
    cl_mem window = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    must(code);
    return window;
}

static const cl_image_format texel = {CL_R, CL_UNSIGNED_INT32};

static void images_on(struct root *root)
{
    cl_int code;
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .mem_object = root->mem};
    desc.image_width = root->line_width = root->bytes / 4 - roll(100);
    root->line = clCreateImage(w->context, 0, &texel, &desc, NULL, &code);
    must(code);
    desc = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .mem_object = root->mem};
    root->plane_row = 128 * (1 + roll(3));
    desc.image_row_pitch = root->plane_row;
    desc.image_width = root->plane_width = root->plane_row / 4 - roll(31);
    desc.image_height = root->plane_height = root->bytes / root->plane_row - roll(4);
    root->plane = clCreateImage(w->context, 0, &texel, &desc, NULL, &code);
    must_be((code == CL_SUCCESS) == (root->plane != NULL), "image with code %d", code);
}

static void new_buffer(struct root *root)
{
    static const cl_mem_flags given[] = {CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR,
                                         CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR};
    const cl_mem_flags flags = given[roll(3)];
    cl_int code;
    root->bytes = 4096 * (1 + (size_t)roll(3)) + 128 * (size_t)roll(9);
    root->model = malloc(root->bytes);
    noise(root->model, root->bytes);
    if (root->kind == ROOT_SHARED) {
        root->host = clSVMAlloc(w->context, CL_MEM_READ_WRITE, root->bytes, 0);
        must_be(root->host != NULL, "no shared memory");
        must(clEnqueueSVMMemcpy(w->queue[0], CL_TRUE, root->host, root->model, root->bytes, 0, NULL, NULL));
        return;
    }
    if (flags & CL_MEM_USE_HOST_PTR) {
        root->host = aligned_alloc(4096, (root->bytes + 4095) / 4096 * 4096);
        memcpy(root->host, root->model, root->bytes);
    }
    root->mem = clCreateBuffer(w->context, flags, root->bytes, root->host ? root->host : root->model, &code);
    must(code);
    root->nwindows = roll(MIXED_WINDOWS + 1);
    for (unsigned i = 0; i < root->nwindows; i++) {
        struct window *window = &root->window[i];
        window->origin = 128 * (size_t)roll((unsigned)root->bytes / 128 - 8);
        window->bytes = 4 * (256 + (size_t)roll((unsigned)(root->bytes - window->origin) / 4 - 255));
        window->mem = window_on(root->mem, window->origin, window->bytes);
    }
    if (roll(2))
        images_on(root);
}

static void new_image(struct root *root)
{
    static const cl_mem_flags given[] = {0, CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR};
    const size_t none[3] = {0, 0, 0};
    const cl_mem_flags flags = given[roll(3)];
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D};
    cl_int code;
    root->width = desc.image_width = 16 + roll(40);
    root->height = desc.image_height = 8 + roll(30);
    root->layers = 1;
    if (root->kind == ROOT_LAYERS) {
        desc.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY;
        root->layers = desc.image_array_size = 2 + roll(4);
    }
    root->bytes = 4 * root->width * root->height * root->layers;
    root->model = malloc(root->bytes);
    noise(root->model, root->bytes);
    if (flags) {
        root->host_row = desc.image_row_pitch = 4 * (root->width + roll(9));
        root->host_slice = root->host_row * (root->height + (root->layers > 1 ? roll(3) : 0));
        desc.image_slice_pitch = root->layers > 1 ? root->host_slice : 0;
        const size_t room = (root->host_slice * root->layers + 4095) / 4096 * 4096;
        root->host = aligned_alloc(4096, room);
        memset(root->host, 0xa5, room);
        for (size_t z = 0; z < root->layers; z++)
            for (size_t y = 0; y < root->height; y++)
                memcpy(root->host + z * root->host_slice + y * root->host_row,
                       root->model + 4 * root->width * (z * root->height + y), 4 * root->width);
    }
    root->mem = clCreateImage(w->context, flags, &texel, &desc, root->host, &code);
    must(code);
    if (!flags) {
        const size_t all[3] = {root->width, root->height, root->layers};
        must(clEnqueueWriteImage(w->queue[0], root->mem, CL_TRUE, none, all, 0, 0, root->model, 0, NULL,
                                 NULL));
    } else if (!(flags & CL_MEM_USE_HOST_PTR)) {
        free(root->host);
        root->host = NULL;
    }
}

void root_new(struct root *root)
{
    const enum root_kind kind = root->kind;
    open_gates(); /* its contents are given by commands that block */
    *root = (struct root){.kind = kind};
    if (kind == ROOT_BUFFER || kind == ROOT_SHARED)
        new_buffer(root);
    else
        new_image(root);
    note("root %u kind %d: %zu bytes%s, %u windows", (unsigned)(root - w->root), kind, root->bytes,
         root->host ? " of the program" : "", root->nwindows);
}

static void root_release(struct root *root)
{
    if (root->mapped)
        root_unmap(root);
    if (root->kind == ROOT_SHARED) {
        void *pointer = root->host;
        begin(true);
        touch(root, true);
        must(clEnqueueSVMFree(w->to, 1, &pointer, NULL, NULL, w->nwait, waits(), &w->event));
        end();
    } else if (root->host) {
        w->garbage[w->ngarbage++] = root->host;
    }
    for (unsigned i = 0; i < root->nwindows; i++)
        must(clReleaseMemObject(root->window[i].mem));
    if (root->mem)
        must(clReleaseMemObject(root->mem));
    if (root->line)
        must(clReleaseMemObject(root->line));
    if (root->plane)
        must(clReleaseMemObject(root->plane));
    free(root->model);
}

void root_renew(struct root *root)
{
    root_release(root);
    root_new(root);
}

bool root_free(const struct root *root, bool write)
{
    return !root->mapped || (!write && !root->map_writes);
}

struct root *root_pick(int kind, bool write)
{
    const unsigned first = roll(MIXED_ROOTS);
    for (unsigned i = 0; i < MIXED_ROOTS; i++) {
        struct root *root = &w->root[(first + i) % MIXED_ROOTS];
        const bool bytes = root->kind == ROOT_BUFFER || root->kind == ROOT_SHARED;
        if ((kind < 0 || (kind == ROOT_BUFFER ? bytes : (int)root->kind == kind)) && root_free(root, write))
            return root;
    }
    return NULL;
}

void root_unmap(struct root *root)
{
    begin(false);
    touch(root, root->map_writes);
    if (w->fails) { /* the mapping would stay */
        open_gates();
        w->nwait = 0;
        w->fails = false;
        w->ntouched = 0;
        touch(root, root->map_writes);
    }
    note("unmap of %u", (unsigned)(root - w->root));
    must(root->mapped_by
             ? clEnqueueUnmapMemObject(w->to, root->mapped_by, root->mapped, w->nwait, waits(), &w->event)
             : clEnqueueSVMUnmap(w->to, root->mapped, w->nwait, waits(), &w->event));
    root->mapped = NULL;
    end();
}

static void check_bytes(const struct root *root, const unsigned char *got, const char *how)
{
    for (size_t i = 0; i < root->bytes; i++)
        must_be(got[i] == root->model[i], "%s root %u, byte %zu (row %zu, x %zu): %02x, not %02x", how,
                (unsigned)(root - w->root), i, root->width ? i / 4 / root->width : 0,
                root->width ? i / 4 % root->width : i / 4, got[i], root->model[i]);
}

void root_check(struct root *root)
{
    const size_t none[3] = {0, 0, 0}, all[3] = {root->width, root->height, root->layers};
    unsigned char *got = malloc(root->bytes);
    size_t row, slice;
    cl_int code;
    if (root->mapped)
        root_unmap(root);
    begin(true);
    touch(root, false);
    if (root->kind == ROOT_SHARED)
        code = clEnqueueSVMMemcpy(w->to, CL_TRUE, got, root->host, root->bytes, w->nwait, waits(), NULL);
    else if (root->kind == ROOT_BUFFER)
        code = clEnqueueReadBuffer(w->to, root->mem, CL_TRUE, 0, root->bytes, got, w->nwait, waits(), NULL);
    else
        code = clEnqueueReadImage(w->to, root->mem, CL_TRUE, none, all, 0, 0, got, w->nwait, waits(), NULL);
    must(code);
    check_bytes(root, got, "read of");
    free(got);
    if (!root->host || root->kind == ROOT_SHARED)
        return;
    unsigned char *mapped = root->width ? clEnqueueMapImage(w->to, root->mem, CL_TRUE, CL_MAP_READ, none, all,
                                                            &row, &slice, w->nwait, waits(), NULL, &code)
                                        : clEnqueueMapBuffer(w->to, root->mem, CL_TRUE, CL_MAP_READ, 0,
                                                             root->bytes, w->nwait, waits(), NULL, &code);
    must(code);
    must_be(mapped == root->host, "mapped elsewhere");
    if (!root->width)
        check_bytes(root, root->host, "host memory of");
    for (size_t z = 0; z < root->layers && root->width; z++)
        for (size_t y = 0; y < root->height; y++)
            must_be(memcmp(root->host + z * root->host_slice + y * root->host_row,
                           root->model + 4 * root->width * (z * root->height + y), 4 * root->width) == 0,
                    "host memory of image %u, layer %zu, row %zu", (unsigned)(root - w->root), z, y);
    must(clEnqueueUnmapMemObject(w->to, root->mem, mapped, 0, NULL, &w->event));
    end();
}

/* ---- ports ---- */

struct port port_of_bytes(struct root *root)
{
    struct port port = {.root = root, .mem = root->mem, .bytes = root->bytes};
    if (root->kind == ROOT_SHARED) {
        port.offset = 4 * (size_t)roll(200);
        port.bytes -= port.offset;
    } else if (root->nwindows && roll(2)) {
        const struct window *window = &root->window[roll(root->nwindows)];
        port.mem = window->mem;
        port.offset = window->origin;
        port.bytes = window->bytes;
    }
    return port;
}

struct port port_of_line(struct root *root)
{
    return (struct port){
        .root = root, .mem = root->line, .width = root->line_width, .height = 1, .layers = 1};
}

struct port port_of_plane(struct root *root)
{
    if (root->kind == ROOT_PLANE)
        return (struct port){.root = root,
                             .mem = root->mem,
                             .width = root->width,
                             .height = root->height,
                             .layers = 1,
                             .row = 4 * root->width};
    return (struct port){.root = root,
                         .mem = root->plane,
                         .width = root->plane_width,
                         .height = root->plane_height,
                         .layers = 1,
                         .row = root->plane_row};
}

struct port port_of_layers(struct root *root)
{
    return (struct port){.root = root,
                         .mem = root->mem,
                         .width = root->width,
                         .height = root->height,
                         .layers = root->layers,
                         .row = 4 * root->width,
                         .slice = 4 * root->width * root->height};
}

cl_uint *port_at(const struct port *port, size_t x, size_t y, size_t z)
{
    return (cl_uint *)(void *)(port->root->model + port->offset + 4 * x + port->row * y + port->slice * z);
}

/* ---- beginning and end ---- */

void world_open(struct world *world, cl_context context, cl_device_id device, cl_program program,
                const char *const *names, unsigned seed)
{
    static const enum root_kind kinds[MIXED_ROOTS] = {ROOT_BUFFER, ROOT_BUFFER, ROOT_BUFFER,
                                                      ROOT_SHARED, ROOT_PLANE,  ROOT_LAYERS};
    cl_int code;
    memset(world, 0, sizeof(*world));
    w = world;
    the_seed = seed;
    w->context = context;
    w->state = seed * 2 + 1;
    w->nqueues = 1 + roll(MIXED_QUEUES);
    w->silent = w->nqueues == 1 && roll(2);
    for (unsigned q = 0; q < w->nqueues; q++) {
        const cl_command_queue_properties properties =
            (w->silent || roll(2) ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) |
            (roll(2) ? CL_QUEUE_PROFILING_ENABLE : 0);
        w->queue[q] = clCreateCommandQueue(context, device, properties, &code);
        must(code);
    }
    for (unsigned i = 0; names[i]; i++) {
        w->kernel[i] = clCreateKernel(program, names[i], &code);
        must(code);
    }
    for (unsigned r = 0; r < MIXED_ROOTS; r++) {
        w->root[r].kind = kinds[r];
        root_new(&w->root[r]);
    }
}

static void check_outcomes(void)
{
    for (unsigned i = 0; i < w->noutcomes; i++) {
        cl_int status = 99, code = clWaitForEvents(1, &w->outcome[i].event);
        must_be(code == (w->outcome[i].fails ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS),
                "command %u: waiting gives %d", i, code);
        must(clGetEventInfo(w->outcome[i].event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
                            NULL));
        must_be(w->outcome[i].fails ? status < 0 : status == CL_COMPLETE, "command %u ends with %d", i,
                status);
        must(clReleaseEvent(w->outcome[i].event));
    }
}

void world_close(void)
{
    open_gates();
    for (unsigned r = 0; r < MIXED_ROOTS; r++)
        root_check(&w->root[r]);
    for (unsigned q = 0; q < w->nqueues; q++)
        must(clFinish(w->queue[q]));
    for (unsigned i = 0; i < w->nareas; i++) {
        const struct area *area = &w->area[i];
        for (size_t b = 0; b < area->size && area->want; b++)
            must_be(area->bytes[b] == area->want[b], "area %u, byte %zu: %02x, not %02x", i, b,
                    area->bytes[b], area->want[b]);
        free(area->bytes);
        free(area->want);
    }
    for (unsigned r = 0; r < MIXED_ROOTS; r++)
        root_release(&w->root[r]);
    check_outcomes();
    for (unsigned q = 0; q < w->nqueues; q++) {
        must(clFinish(w->queue[q]));
        must(clReleaseCommandQueue(w->queue[q]));
    }
    for (unsigned i = 0; i < MIXED_KERNELS && w->kernel[i]; i++)
        must(clReleaseKernel(w->kernel[i]));
    for (unsigned i = 0; i < w->ngarbage; i++)
        free(w->garbage[i]);
}
