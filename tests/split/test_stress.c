/* SPDX-License-Identifier: MIT */
/*
 * Random command graphs against a plain C model: several queues in and out of order, wait lists, user events
 * that another thread completes late, markers, barriers, buffers of all kinds with windows on them, every
 * transfer, mappings, and kernels of different access patterns. Each command waits for those it conflicts
 * with, and for nothing else, so what the memory must hold follows from the order of enqueue. All bytes are
 * compared. STRESS_CASES=n runs n seeds, STRESS_SEED=s begins at s, STRESS_STEP=0 stays there. Knows nothing
 * of coexec.
 */
#include "cl_fixture.h"
#include "late_events.h"
#include "stress_kernels.h"
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { MAX_QUEUES = 4, MAX_BUFFERS = 5, MAX_COMMANDS = 512, MAX_OF_ONE = 4 };

/* A buffer with what it must hold, and windows on it. */
struct buffer {
    cl_mem mem;
    size_t size;
    unsigned char *model, *host; /* host: the program's memory of USE_HOST_PTR */
    unsigned nwindows;
    cl_mem window[2];
    size_t origin[2], window_size[2];
};

/* What a command touches: through a buffer or a window. */
struct view {
    struct buffer *buffer;
    cl_mem mem;
    size_t origin, size;
    bool window;
};

struct access {
    const struct buffer *buffer;
    size_t lo, hi;
    bool write;
    unsigned queue, index;
    cl_event event;
};

/* Program memory of a read or write; alive to the end. */
struct area {
    unsigned char *data, *want; /* want: NULL for sources */
    size_t size;
    cl_event event;
    unsigned queue, index;
};

static struct {
    cl_context context;
    cl_kernel kernel[KINDS];
    unsigned nqueues, nbuffers, nareas, naccesses, nevents, ncommands;
    cl_command_queue queue[MAX_QUEUES];
    bool in_order[MAX_QUEUES];
    unsigned barrier[MAX_QUEUES]; /* commands of the queue before this index are over for later ones */
    struct buffer buffer[MAX_BUFFERS];
    cl_mem indexes;
    struct area area[MAX_COMMANDS];
    struct access access[MAX_COMMANDS * MAX_OF_ONE];
    cl_event event[MAX_COMMANDS * 2];
    bool gates;
    /* the command being made */
    unsigned to, nwaits, first_access;
    cl_event wait[MAX_COMMANDS * 2];
} s;

static cl_event make_gate(void)
{
    cl_int error;
    cl_event gate = clCreateUserEvent(s.context, &error);
    cl_ok(error);
    s.event[s.nevents++] = gate;
    return gate;
}

/* ---- order ---- */

static void wait_for(cl_event event, unsigned queue, unsigned index)
{
    if (queue == s.to && (s.in_order[queue] || index < s.barrier[queue]))
        return;
    for (unsigned i = 0; i < s.nwaits; i++)
        if (s.wait[i] == event)
            return;
    s.wait[s.nwaits++] = event;
}

static void begin(void)
{
    s.to = cl_roll(s.nqueues);
    s.nwaits = 0;
    s.first_access = s.naccesses;
}

/* The command touches [lo, hi) of a view. Windows and their buffer are never touched at the same time. */
static void touch(const struct view *view, size_t lo, size_t hi, bool write)
{
    struct access own = {.buffer = view->buffer, .write = write};
    own.lo = view->window ? 0 : lo;
    own.hi = view->window ? view->buffer->size : hi;
    for (unsigned i = 0; i < s.first_access; i++) {
        const struct access *other = &s.access[i];
        if (other->buffer == own.buffer && (write || other->write) && other->lo < own.hi &&
            own.lo < other->hi)
            wait_for(other->event, other->queue, other->index);
    }
    s.access[s.naccesses++] = own;
}

/* Puts a marker or barrier in place of the wait list, or a gate into it, now and then. */
static cl_event vary_waits(void)
{
    cl_event gate = NULL;
    if (s.gates && cl_roll(6) == 0)
        s.wait[s.nwaits++] = gate = make_gate();
    if (s.nwaits && cl_roll(5) == 0) {
        cl_event marker;
        cl_ok(clEnqueueMarkerWithWaitList(s.queue[cl_roll(s.nqueues)], s.nwaits, s.wait, &marker));
        s.event[s.nevents++] = s.wait[0] = marker;
        s.nwaits = 1;
    } else if (s.nwaits && cl_roll(5) == 0) {
        cl_ok(clEnqueueBarrierWithWaitList(s.queue[s.to], s.nwaits, s.wait, NULL));
        s.nwaits = 0;
    } else if (cl_roll(12) == 0) {
        cl_ok(clEnqueueBarrierWithWaitList(s.queue[s.to], 0, NULL, NULL));
        s.barrier[s.to] = s.ncommands;
    }
    return gate;
}

static void end(cl_event event, cl_event gate)
{
    s.event[s.nevents++] = event;
    for (unsigned i = s.first_access; i < s.naccesses; i++) {
        s.access[i].event = event;
        s.access[i].queue = s.to;
        s.access[i].index = s.ncommands;
    }
    s.ncommands++;
    if (gate) {
        cl_ok(clFlush(s.queue[s.to])); /* PoCL needs it */
        late_add(gate);                /* only now, so that the command finds it closed */
    }
}

static void flush_all(void)
{
    for (unsigned q = 0; q < s.nqueues; q++)
        cl_ok(clFlush(s.queue[q]));
}

/* ---- choices ---- */

static struct view pick_view(void)
{
    struct buffer *buffer = &s.buffer[cl_roll(s.nbuffers)];
    struct view view = {buffer, buffer->mem, 0, buffer->size, false};
    if (buffer->nwindows && cl_roll(2)) {
        unsigned w = cl_roll(buffer->nwindows);
        view = (struct view){buffer, buffer->window[w], buffer->origin[w], buffer->window_size[w], true};
    }
    return view;
}

static bool disjoint(const struct view *a, const struct view *b)
{
    return a->buffer != b->buffer || a->origin + a->size <= b->origin || b->origin + b->size <= a->origin;
}

static void pick_range(size_t room, size_t unit, size_t *offset, size_t *size)
{
    size_t units = room / unit, first = cl_roll((unsigned)units);
    size_t count = 1 + cl_roll((unsigned)(units - first));
    *offset = first * unit;
    *size = count * unit;
}

static struct area *new_area(size_t size)
{
    struct area *area = &s.area[s.nareas++];
    *area = (struct area){.data = malloc(size), .size = size};
    ck_assert_ptr_nonnull(area->data);
    cl_noise(area->data, size);
    return area;
}

static void filled(struct area *area, cl_event event)
{
    area->event = event;
    area->queue = s.to;
    area->index = s.ncommands;
}

/* ---- transfers ---- */

static void do_read(void)
{
    struct view view = pick_view();
    size_t offset, size;
    cl_event event;
    pick_range(view.size, 1, &offset, &size);
    begin();
    touch(&view, view.origin + offset, view.origin + offset + size, false);
    struct area *area = new_area(size);
    area->want = malloc(size);
    memcpy(area->want, view.buffer->model + view.origin + offset, size);
    cl_event gate = vary_waits();
    bool blocking = !gate && cl_roll(6) == 0;
    if (blocking)
        flush_all();
    cl_ok(clEnqueueReadBuffer(s.queue[s.to], view.mem, blocking, offset, size, area->data, s.nwaits,
                              s.nwaits ? s.wait : NULL, &event));
    filled(area, event);
    end(event, gate);
}

/* From fresh memory, or from what an earlier read brings. */
static void do_write(void)
{
    struct view view = pick_view();
    struct area *from = NULL;
    size_t offset, size;
    cl_event event;
    pick_range(view.size, 1, &offset, &size);
    begin();
    for (unsigned tries = 0; tries < 3 && s.nareas && !from; tries++) {
        from = &s.area[cl_roll(s.nareas)];
        if (!from->want)
            from = NULL;
    }
    if (from) {
        size = size < from->size ? size : from->size;
        wait_for(from->event, from->queue, from->index);
    } else {
        from = new_area(size);
    }
    touch(&view, view.origin + offset, view.origin + offset + size, true);
    memcpy(view.buffer->model + view.origin + offset, from->want ? from->want : from->data, size);
    cl_event gate = vary_waits();
    cl_ok(clEnqueueWriteBuffer(s.queue[s.to], view.mem, CL_FALSE, offset, size, from->data, s.nwaits,
                               s.nwaits ? s.wait : NULL, &event));
    end(event, gate);
}

static void do_fill(void)
{
    struct view view = pick_view();
    unsigned char pattern[16];
    size_t unit = (size_t)1 << cl_roll(5), offset, size;
    cl_event event;
    pick_range(view.size, unit, &offset, &size);
    cl_noise(pattern, unit);
    begin();
    touch(&view, view.origin + offset, view.origin + offset + size, true);
    for (size_t i = 0; i < size; i++)
        view.buffer->model[view.origin + offset + i] = pattern[i % unit];
    cl_event gate = vary_waits();
    cl_ok(clEnqueueFillBuffer(s.queue[s.to], view.mem, pattern, unit, offset, size, s.nwaits,
                              s.nwaits ? s.wait : NULL, &event));
    end(event, gate);
}

static void do_copy(void)
{
    struct view from = pick_view(), to = pick_view();
    size_t at, offset, size, room;
    cl_event event;
    if (!disjoint(&from, &to))
        return;
    pick_range(to.size, 1, &offset, &size);
    at = cl_roll((unsigned)from.size);
    room = from.size - at;
    size = size < room ? size : room;
    begin();
    touch(&from, from.origin + at, from.origin + at + size, false);
    touch(&to, to.origin + offset, to.origin + offset + size, true);
    memcpy(to.buffer->model + to.origin + offset, from.buffer->model + from.origin + at, size);
    cl_event gate = vary_waits();
    cl_ok(clEnqueueCopyBuffer(s.queue[s.to], from.mem, to.mem, at, offset, size, s.nwaits,
                              s.nwaits ? s.wait : NULL, &event));
    end(event, gate);
}

struct rect {
    size_t origin[3], row, slice;
};

static size_t rect_at(const struct rect *rect, size_t y, size_t z)
{
    return (rect->origin[2] + z) * rect->slice + (rect->origin[1] + y) * rect->row + rect->origin[0];
}

/* A place for the region in `room` bytes. */
static bool pick_rect(struct rect *rect, const size_t region[3], size_t room)
{
    rect->row = region[0] + cl_roll(20);
    rect->slice = rect->row * (region[1] + cl_roll(3));
    rect->origin[0] = cl_roll((unsigned)(rect->row - region[0]) + 1);
    rect->origin[1] = cl_roll((unsigned)(rect->slice / rect->row - region[1]) + 1);
    rect->origin[2] = cl_roll(3);
    return (rect->origin[2] + region[2]) * rect->slice <= room;
}

static void copy_rect(unsigned char *to, const struct rect *to_rect, const unsigned char *from,
                      const struct rect *from_rect, const size_t region[3])
{
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            memcpy(to + rect_at(to_rect, y, z), from + rect_at(from_rect, y, z), region[0]);
}

static void touch_rect(const struct view *view, const struct rect *rect, const size_t region[3], bool write)
{
    size_t end = rect_at(rect, region[1] - 1, region[2] - 1) + region[0];
    touch(view, view->origin + rect_at(rect, 0, 0), view->origin + end, write);
}

static void do_rect(void)
{
    const size_t region[3] = {1 + cl_roll(90), 1 + cl_roll(8), 1 + cl_roll(4)};
    enum { READ, WRITE, COPY } what = cl_roll(3);
    struct view view = pick_view(), other = pick_view();
    struct rect rect, second;
    cl_event event;
    size_t room = what == COPY ? other.size : 1 << 14;
    if (!pick_rect(&rect, region, view.size) || !pick_rect(&second, region, room) ||
        (what == COPY && !disjoint(&view, &other)))
        return;
    if (what == COPY && (view.window || other.window) && !cl_is_coexec()) /* PoCL 3.1 crashes */
        return;
    unsigned char *model = view.buffer->model + view.origin;
    begin();
    touch_rect(&view, &rect, region, what != READ);
    if (what == COPY) {
        touch_rect(&other, &second, region, false);
        copy_rect(model, &rect, other.buffer->model + other.origin, &second, region);
        cl_event gate = vary_waits();
        cl_ok(clEnqueueCopyBufferRect(s.queue[s.to], other.mem, view.mem, second.origin, rect.origin, region,
                                      second.row, second.slice, rect.row, rect.slice, s.nwaits,
                                      s.nwaits ? s.wait : NULL, &event));
        end(event, gate);
        return;
    }
    struct area *area = new_area(room);
    cl_event gate = vary_waits();
    if (what == READ) {
        area->want = malloc(room);
        memcpy(area->want, area->data, room);
        copy_rect(area->want, &second, model, &rect, region);
        cl_ok(clEnqueueReadBufferRect(s.queue[s.to], view.mem, CL_FALSE, rect.origin, second.origin, region,
                                      rect.row, rect.slice, second.row, second.slice, area->data, s.nwaits,
                                      s.nwaits ? s.wait : NULL, &event));
        filled(area, event);
    } else {
        copy_rect(model, &rect, area->data, &second, region);
        cl_ok(clEnqueueWriteBufferRect(s.queue[s.to], view.mem, CL_FALSE, rect.origin, second.origin, region,
                                       rect.row, rect.slice, second.row, second.slice, area->data, s.nwaits,
                                       s.nwaits ? s.wait : NULL, &event));
    }
    end(event, gate);
}

static void do_map(void)
{
    static const cl_map_flags choice[] = {CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE,
                                          CL_MAP_WRITE_INVALIDATE_REGION};
    cl_map_flags flags = choice[cl_roll(4)];
    struct view view = pick_view();
    bool write = flags != CL_MAP_READ;
    size_t offset, size;
    cl_event event;
    cl_int error;
    pick_range(view.size, 1, &offset, &size);
    unsigned char *model = view.buffer->model + view.origin + offset;
    begin();
    touch(&view, view.origin + offset, view.origin + offset + size, write);
    flush_all();
    unsigned char *at = clEnqueueMapBuffer(s.queue[s.to], view.mem, CL_TRUE, flags, offset, size, s.nwaits,
                                           s.nwaits ? s.wait : NULL, &event, &error);
    cl_ok(error);
    end(event, NULL);
    if (flags != CL_MAP_WRITE_INVALIDATE_REGION)
        ck_assert_mem_eq(at, model, size);
    if (write) {
        size_t part = flags == CL_MAP_WRITE_INVALIDATE_REGION ? size : 1 + cl_roll((unsigned)size);
        cl_noise(at, part);
        memcpy(model, at, part);
    }
    begin();
    touch(&view, view.origin + offset, view.origin + offset + size, write);
    cl_ok(clEnqueueUnmapMemObject(s.queue[s.to], view.mem, at, s.nwaits, s.nwaits ? s.wait : NULL, &event));
    end(event, NULL);
}

/* ---- kernels ---- */

static void set_args(enum stress_kind kind, cl_mem in, cl_mem out, size_t local, cl_uint k)
{
    const struct stress_traits traits = stress_traits(kind);
    cl_kernel kernel = s.kernel[kind];
    cl_uint n = 0;
    if (!traits.in_place)
        cl_set_mem(kernel, n++, in);
    if (traits.indexed)
        cl_set_mem(kernel, n++, s.indexes);
    cl_set_mem(kernel, n++, out);
    if (kind == GROUP_SUM)
        cl_ok(clSetKernelArg(kernel, n, local * sizeof(cl_uint), NULL));
    else if (traits.takes_k)
        cl_ok(clSetKernelArg(kernel, n, sizeof(k), &k));
}

static void do_kernel(void)
{
    enum stress_kind kind = cl_roll(KINDS);
    const struct stress_traits traits = stress_traits(kind);
    struct view in = pick_view(), out = pick_view();
    size_t local[2] = {cl_roll(2) ? 16 : 64, 1}, global[2] = {0, 1}, offset[2] = {0, 0};
    size_t room = stress_room(kind, in.size, out.size), items = room;
    cl_uint dims = 1, k = cl_roll(1000);
    cl_event event;
    if (!room || (!traits.in_place && !disjoint(&in, &out)))
        return;
    if (!traits.indexed && kind != TURN && kind != STENCIL && cl_roll(2))
        items = (1 + cl_roll((unsigned)room / 64)) * 64;
    if ((kind == ONE || kind == IN_PLACE || kind == SOME) && cl_roll(3) == 0)
        offset[0] = cl_roll((unsigned)(room - items) + 1);
    if (kind == STENCIL)
        k = (cl_uint)items - cl_roll(64);
    global[0] = items;
    if (kind == TURN) {
        dims = 2;
        k = 32;
        global[0] = k;
        global[1] = items / k;
        local[0] = 16;
        local[1] = 2;
    }
    size_t end_of = offset[0] + items, lo = offset[0] * sizeof(cl_uint);
    size_t out_hi =
        kind == GROUP_SUM ? items / local[0] * sizeof(cl_uint) : stress_bytes(traits.out_bytes, end_of);
    begin();
    if (!traits.in_place)
        touch(&in, in.origin + lo, in.origin + stress_bytes(traits.in_bytes, end_of), traits.writes_in);
    touch(&out, out.origin + lo, out.origin + out_hi, true);
    stress_model(kind, (cl_uint *)(void *)(in.buffer->model + in.origin),
                 (cl_uint *)(void *)(out.buffer->model + out.origin), offset[0], items, local[0], k);
    set_args(kind, in.mem, out.mem, local[0], k);
    cl_event gate = vary_waits();
    cl_ok(clEnqueueNDRangeKernel(s.queue[s.to], s.kernel[kind], dims, offset[0] ? offset : NULL, global,
                                 local, s.nwaits, s.nwaits ? s.wait : NULL, &event));
    end(event, gate);
}

/* A buffer that nobody wrote before a kernel writes all of it, here and there; gone before that ends. */
static void do_fresh(void)
{
    static const enum stress_kind choice[] = {SCATTER, SCATTER_BYTES, SCATTER_SHORTS, SCATTER_LONGS};
    enum stress_kind kind = choice[cl_roll(4)];
    const size_t items = INDEXES, local = 16, size = items * stress_traits(kind).out_bytes;
    struct view in = pick_view();
    cl_event event;
    cl_int error;
    if (in.size < INDEXES * sizeof(cl_uint))
        return;
    cl_mem out = clCreateBuffer(s.context, CL_MEM_READ_WRITE, size, NULL, &error);
    cl_ok(error);
    begin();
    touch(&in, in.origin, in.origin + items * sizeof(cl_uint), false);
    struct area *area = new_area(size);
    area->want = malloc(size);
    stress_model(kind, (cl_uint *)(void *)(in.buffer->model + in.origin), (cl_uint *)(void *)area->want, 0,
                 items, local, 0);
    set_args(kind, in.mem, out, local, 0);
    cl_event gate = vary_waits();
    cl_ok(clEnqueueNDRangeKernel(s.queue[s.to], s.kernel[kind], 1, NULL, &items, &local, s.nwaits,
                                 s.nwaits ? s.wait : NULL, &event));
    end(event, gate);
    begin();
    wait_for(event, s.nqueues, 0);
    cl_ok(clEnqueueReadBuffer(s.queue[s.to], out, CL_FALSE, 0, size, area->data, s.nwaits, s.wait, &event));
    filled(area, event);
    end(event, NULL);
    cl_ok(clReleaseMemObject(out));
}

/* ---- a case ---- */

static atomic_bool gone;

static void CL_CALLBACK context_gone(cl_context context, void *unused)
{
    atomic_store(&gone, true);
}

static void make_buffer(struct buffer *buffer, size_t align)
{
    cl_int error;
    size_t size = 4096 * (1 + (size_t)cl_roll(6)) + 64 * (size_t)cl_roll(8);
    unsigned char *noise = NULL;
    *buffer = (struct buffer){.size = size, .model = malloc(size)};
    cl_noise(buffer->model, size);
    if (cl_roll(3) == 0) {
        ck_assert_int_eq(posix_memalign((void **)&noise, 4096, size), 0);
        buffer->host = noise;
        memcpy(noise, buffer->model, size);
    } else {
        noise = buffer->model;
    }
    buffer->mem = clCreateBuffer(s.context, buffer->host ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR, size,
                                 noise, &error);
    cl_ok(error);
    buffer->nwindows = cl_roll(3);
    for (unsigned w = 0; w < buffer->nwindows; w++) {
        size_t origin = cl_roll((unsigned)(size / 2 / align)) * align, room = size - origin;
        cl_buffer_region region = {origin, (1 + cl_roll((unsigned)(room / 64))) * 64};
        if (region.size < 256)
            region.size = 256;
        buffer->origin[w] = region.origin;
        buffer->window_size[w] = region.size;
        buffer->window[w] = clCreateSubBuffer(buffer->mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
        cl_ok(error);
    }
}

static void make_kernels(void)
{
    const char *source = stress_text;
    cl_int error;
    cl_program program = clCreateProgramWithSource(s.context, 1, &source, NULL, &error);
    cl_ok(error);
    cl_ok(clBuildProgram(program, 1, &cl.device, "", NULL, NULL));
    for (unsigned i = 0; i < KINDS; i++) {
        s.kernel[i] = clCreateKernel(program, stress_name[i], &error);
        cl_ok(error);
    }
    cl_ok(clReleaseProgram(program));
}

static void open_case(unsigned seed)
{
    cl_uint align_bits;
    cl_int error;
    cl_seed(seed);
    s.context = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &error);
    cl_ok(error);
    s.gates = cl_user_events_work();
    s.nqueues = 1 + cl_roll(MAX_QUEUES);
    for (unsigned q = 0; q < s.nqueues; q++) {
        s.in_order[q] = !cl_out_of_order_works() || cl_roll(2);
        cl_command_queue_properties properties =
            (s.in_order[q] ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) |
            (cl_roll(2) ? CL_QUEUE_PROFILING_ENABLE : 0);
        s.queue[q] = clCreateCommandQueue(s.context, cl.device, properties, &error);
        cl_ok(error);
    }
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(align_bits), &align_bits, NULL));
    s.nbuffers = 2 + cl_roll(MAX_BUFFERS - 1);
    for (unsigned b = 0; b < s.nbuffers; b++)
        make_buffer(&s.buffer[b], align_bits / 8 > 64 ? align_bits / 8 : 64);
    cl_uint index[INDEXES];
    for (unsigned i = 0; i < INDEXES; i++)
        index[i] = stress_index(i);
    s.indexes =
        clCreateBuffer(s.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(index), index, &error);
    cl_ok(error);
    make_kernels();
    late_start();
}

static void check_profile(cl_event event)
{
    static const cl_profiling_info list[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                             CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
    cl_ulong before = 0, now = 0;
    for (unsigned i = 0; i < 4; i++) {
        cl_int error = clGetEventProfilingInfo(event, list[i], sizeof(now), &now, NULL);
        if (error == CL_PROFILING_INFO_NOT_AVAILABLE)
            return;
        cl_ok(error);
        if (cl_is_coexec()) /* PoCL 3.1's maps and user events run backwards */
            ck_assert_uint_le(before, now);
        before = now;
    }
}

static void check_events(void)
{
    for (unsigned i = 0; i < s.nevents; i++) {
        cl_int status = 99;
        cl_ok(clWaitForEvents(1, &s.event[i]));
        cl_ok(clGetEventInfo(s.event[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
        ck_assert_int_eq(status, CL_COMPLETE);
        check_profile(s.event[i]);
        cl_ok(clReleaseEvent(s.event[i]));
    }
}

static void check_memory(void)
{
    for (unsigned i = 0; i < s.nareas; i++) {
        if (s.area[i].want)
            ck_assert_mem_eq(s.area[i].data, s.area[i].want, s.area[i].size);
        free(s.area[i].data);
        free(s.area[i].want);
    }
    for (unsigned b = 0; b < s.nbuffers; b++) {
        struct buffer *buffer = &s.buffer[b];
        cl_int error;
        unsigned char *at = clEnqueueMapBuffer(s.queue[0], buffer->mem, CL_TRUE, CL_MAP_READ, 0, buffer->size,
                                               0, NULL, NULL, &error);
        cl_ok(error);
        ck_assert_mem_eq(at, buffer->model, buffer->size);
        if (buffer->host)
            ck_assert_ptr_eq(at, buffer->host);
        cl_ok(clEnqueueUnmapMemObject(s.queue[0], buffer->mem, at, 0, NULL, NULL));
    }
    cl_ok(clFinish(s.queue[0]));
}

static void close_case(void)
{
    bool tell = cl_is_coexec(); /* PoCL 3.1 has no such callback */
    if (tell)
        cl_ok(clSetContextDestructorCallback(s.context, context_gone, NULL));
    for (unsigned i = 0; i < KINDS; i++)
        cl_ok(clReleaseKernel(s.kernel[i]));
    for (unsigned q = 0; q < s.nqueues; q++)
        cl_ok(clReleaseCommandQueue(s.queue[q]));
    for (unsigned b = 0; b < s.nbuffers; b++) {
        for (unsigned w = 0; w < s.buffer[b].nwindows; w++)
            cl_ok(clReleaseMemObject(s.buffer[b].window[w]));
        cl_ok(clReleaseMemObject(s.buffer[b].mem));
        free(s.buffer[b].model);
    }
    cl_ok(clReleaseMemObject(s.indexes));
    cl_ok(clReleaseContext(s.context));
    while (tell && !atomic_load(&gone)) /* whoever still holds something lets the test time out */
        usleep(1000);
    for (unsigned b = 0; b < s.nbuffers; b++)
        free(s.buffer[b].host);
}

static unsigned from_env(const char *name, unsigned fallback)
{
    const char *value = getenv(name);
    return value ? (unsigned)strtoul(value, NULL, 10) : fallback;
}

START_TEST(graph)
{
    static void (*const command[])(void) = {do_read, do_write, do_fill,   do_copy,   do_rect,   do_map,
                                            do_rect, do_fresh, do_kernel, do_kernel, do_kernel, do_kernel};
    unsigned seed = from_env("STRESS_SEED", 1) + (unsigned)_i * from_env("STRESS_STEP", 1);
    printf("# seed %u\n", seed);
    open_case(seed);
    unsigned count = 30 + cl_roll(120);
    while (s.ncommands < count) {
        command[cl_roll(sizeof(command) / sizeof(command[0]))]();
        if (cl_roll(8) == 0)
            cl_ok(clFlush(s.queue[cl_roll(s.nqueues)]));
    }
    flush_all();
    if (cl_roll(2)) /* wait for events alone, else finish first */
        for (unsigned q = 0; q < s.nqueues; q++)
            cl_ok(clFinish(s.queue[q]));
    late_stop();
    check_events();
    check_memory();
    close_case();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stress");
    TCase *tcase = tcase_create("stress");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, cl_open_device, NULL);
    tcase_add_loop_test(tcase, graph, 0, (int)from_env("STRESS_CASES", 20));
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
