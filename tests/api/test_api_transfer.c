/* SPDX-License-Identifier: MIT */
/*
 * Reads, writes, copies, fills, rectangles, maps and migration against a model of each buffer in plain
 * memory, with kernels that change the buffers in between: whatever was enqueued before must be seen after.
 */
#include "cl_fixture.h"
#include <string.h>

enum { SIZE = 10000 };

static const char source[] = "__kernel void bump(__global uchar *data) { data[get_global_id(0)] += 3; }\n"
                             "__kernel void blend(__global uchar *out, __global const uchar *in)\n"
                             "{ size_t i = get_global_id(0); out[i] = out[i] ^ (in[i] + 1); }\n";

/* A buffer and what must be in it. */
struct pair {
    cl_mem mem;
    unsigned char *model, *host; /* host: its memory with USE_HOST_PTR */
    size_t size;
};

static struct pair pair_new(cl_mem_flags flags, size_t size)
{
    struct pair pair = {.size = size, .model = malloc(size)};
    cl_noise(pair.model, size);
    if (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) {
        pair.host = malloc(size);
        memcpy(pair.host, pair.model, size);
    }
    pair.mem = cl_buffer(flags, size, pair.host);
    if (!pair.host)
        cl_write(pair.mem, pair.model, size);
    return pair;
}

static void pair_check(const struct pair *pair)
{
    unsigned char *got = malloc(pair->size);
    cl_read(pair->mem, got, pair->size);
    ck_assert_mem_eq(got, pair->model, pair->size);
    free(got);
}

static void pair_free(struct pair *pair)
{
    cl_ok(clReleaseMemObject(pair->mem));
    free(pair->model);
    free(pair->host);
}

/* The four kinds of buffer that the loops run over. */
static const cl_mem_flags kinds[] = {0, CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR, CL_MEM_ALLOC_HOST_PTR};
enum { KINDS = 4 };

static void random_part(size_t size, size_t *offset, size_t *length)
{
    *offset = cl_roll((unsigned)size);
    *length = 1 + cl_roll((unsigned)(size - *offset));
}

static void step_write(struct pair *pair, cl_command_queue queue, cl_bool blocking)
{
    size_t offset, length;
    random_part(pair->size, &offset, &length);
    cl_noise(pair->model + offset, length);
    unsigned char *from = malloc(length);
    memcpy(from, pair->model + offset, length);
    cl_ok(clEnqueueWriteBuffer(queue, pair->mem, blocking, offset, length, from, 0, NULL, NULL));
    if (!blocking)
        cl_ok(clFinish(queue));
    free(from);
}

static void step_read(const struct pair *pair, cl_command_queue queue, cl_bool blocking)
{
    size_t offset, length;
    random_part(pair->size, &offset, &length);
    unsigned char *to = malloc(length);
    cl_ok(clEnqueueReadBuffer(queue, pair->mem, blocking, offset, length, to, 0, NULL, NULL));
    if (!blocking)
        cl_ok(clFinish(queue));
    ck_assert_mem_eq(to, pair->model + offset, length);
    free(to);
}

static void step_fill(struct pair *pair, cl_command_queue queue)
{
    unsigned char pattern[128];
    size_t unit = (size_t)1 << cl_roll(8), offset, length;
    cl_noise(pattern, unit);
    random_part(pair->size, &offset, &length);
    offset = offset / unit * unit;
    length = (length + unit - 1) / unit * unit;
    while (offset + length > pair->size)
        length -= unit;
    if (length == 0)
        return;
    cl_ok(clEnqueueFillBuffer(queue, pair->mem, pattern, unit, offset, length, 0, NULL, NULL));
    for (size_t i = 0; i < length; i++)
        pair->model[offset + i] = pattern[i % unit];
}

static void step_copy(struct pair *from, struct pair *to, cl_command_queue queue)
{
    size_t from_at, to_at, length, longest;
    random_part(from->size, &from_at, &length);
    to_at = cl_roll((unsigned)to->size);
    longest = to->size - to_at;
    if (length > longest)
        length = longest;
    cl_ok(clEnqueueCopyBuffer(queue, from->mem, to->mem, from_at, to_at, length, 0, NULL, NULL));
    memcpy(to->model + to_at, from->model + from_at, length);
}

static void step_kernel(struct pair *pair, const struct pair *other, cl_kernel bump, cl_kernel blend,
                        cl_command_queue queue)
{
    size_t items = 1 + cl_roll((unsigned)pair->size), offset = cl_roll((unsigned)(pair->size - items + 1));
    cl_kernel kernel = cl_roll(2) ? bump : blend;
    cl_set_mem(kernel, 0, pair->mem);
    if (kernel == blend)
        cl_set_mem(kernel, 1, other->mem);
    items = items / 50 * 50 + 50 <= pair->size - offset ? items / 50 * 50 + 50 : items;
    const size_t local = items % 50 ? 1 : 50; /* of few values: PoCL compiles a kernel for each */
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, &offset, &items, &local, 0, NULL, NULL));
    for (size_t i = offset; i < offset + items; i++)
        pair->model[i] =
            kernel == bump ? pair->model[i] + 3 : pair->model[i] ^ (unsigned char)(other->model[i] + 1);
}

static void step_map(struct pair *pair, cl_command_queue queue)
{
    static const cl_map_flags how[] = {CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE,
                                       CL_MAP_WRITE_INVALIDATE_REGION};
    cl_map_flags flags = how[cl_roll(4)];
    size_t offset, length;
    cl_int error;
    cl_bool blocking = cl_roll(2);
    random_part(pair->size, &offset, &length);
    unsigned char *map =
        clEnqueueMapBuffer(queue, pair->mem, blocking, flags, offset, length, 0, NULL, NULL, &error);
    cl_ok(error);
    if (!blocking)
        cl_ok(clFinish(queue));
    if (!(flags & CL_MAP_WRITE_INVALIDATE_REGION))
        ck_assert_mem_eq(map, pair->model + offset, length);
    if (flags & CL_MAP_WRITE_INVALIDATE_REGION || (flags & CL_MAP_WRITE && cl_roll(2))) {
        cl_noise(map, length);
        memcpy(pair->model + offset, map, length);
    }
    cl_ok(clEnqueueUnmapMemObject(queue, pair->mem, map, 0, NULL, NULL));
}

struct kernels {
    cl_kernel bump, blend;
};

static struct kernels kernels_new(void)
{
    cl_int error;
    cl_program program = cl_build(source, NULL);
    struct kernels kernels;
    kernels.bump = clCreateKernel(program, "bump", &error);
    cl_ok(error);
    kernels.blend = clCreateKernel(program, "blend", &error);
    cl_ok(error);
    cl_ok(clReleaseProgram(program));
    return kernels;
}

static void kernels_free(struct kernels *kernels)
{
    cl_ok(clReleaseKernel(kernels->bump));
    cl_ok(clReleaseKernel(kernels->blend));
}

static void random_step(struct pair *pairs, unsigned count, const struct kernels *kernels,
                        cl_command_queue queue)
{
    struct pair *one = &pairs[cl_roll(count)], *other = &pairs[cl_roll(count)];
    switch (cl_roll(7)) {
    case 0:
        step_write(one, queue, cl_roll(2));
        break;
    case 1:
        step_read(one, queue, cl_roll(2));
        break;
    case 2:
        step_fill(one, queue);
        break;
    case 3:
        if (one != other)
            step_copy(one, other, queue);
        break;
    case 4:
        step_map(one, queue);
        break;
    default:
        if (one != other)
            step_kernel(one, other, kernels->bump, kernels->blend, queue);
        break;
    }
}

/* All kinds of buffer in one random interleaving of everything, on one queue. */
/* No bytes at all: a command like any other, with an event. */
START_TEST(empty_transfers)
{
    cl_int value = 5, got = 0, status = 1;
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(value), &value);
    cl_event event;
    cl_ok(clEnqueueReadBuffer(cl.queue, mem, CL_FALSE, 0, 0, &got, 0, NULL, &event));
    cl_ok(clEnqueueWriteBuffer(cl.queue, mem, CL_TRUE, sizeof(value), 0, &got, 1, &event, NULL));
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
    ck_assert_int_eq(status, CL_COMPLETE);
    cl_expect(clEnqueueReadBuffer(cl.queue, mem, CL_TRUE, sizeof(value) + 1, 0, &got, 0, NULL, NULL),
              CL_INVALID_VALUE);
    cl_read(mem, &got, sizeof(got));
    ck_assert_int_eq(got, value);
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

START_TEST(everything_interleaved)
{
    struct pair pairs[KINDS];
    cl_seed((uint64_t)_i + 11);
    struct kernels kernels = kernels_new();
    for (unsigned k = 0; k < KINDS; k++)
        pairs[k] = pair_new(kinds[k], SIZE);
    for (int step = 0; step < 400; step++)
        random_step(pairs, KINDS, &kernels, cl.queue);
    for (unsigned k = 0; k < KINDS; k++) {
        pair_check(&pairs[k]);
        pair_free(&pairs[k]);
    }
    kernels_free(&kernels);
}
END_TEST

/* The same over two queues, with a finish at each change of queue. */
START_TEST(two_queues_in_turn)
{
    struct pair pairs[KINDS];
    cl_seed((uint64_t)_i + 77);
    cl_command_queue queues[2] = {cl.queue, cl_queue(0)};
    struct kernels kernels = kernels_new();
    for (unsigned k = 0; k < KINDS; k++)
        pairs[k] = pair_new(kinds[k], SIZE);
    for (int turn = 0; turn < 40; turn++) {
        for (unsigned step = cl_roll(8); step > 0; step--)
            random_step(pairs, KINDS, &kernels, queues[turn % 2]);
        cl_ok(clFinish(queues[turn % 2]));
    }
    for (unsigned k = 0; k < KINDS; k++) {
        pair_check(&pairs[k]);
        pair_free(&pairs[k]);
    }
    kernels_free(&kernels);
    cl_ok(clReleaseCommandQueue(queues[1]));
}
END_TEST

/* A parent and overlapping windows: one model, several handles. */
START_TEST(sub_buffers_interleaved)
{
    cl_uint bits;
    cl_int error;
    cl_seed((uint64_t)_i + 501);
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(bits), &bits, NULL));
    size_t align = bits / 8, size = (SIZE / align + 1) * align;
    struct kernels kernels = kernels_new();
    struct pair parent = pair_new(kinds[_i % KINDS], size), other = pair_new(0, size), views[4];
    views[0] = parent;
    for (size_t v = 1; v < 4; v++) {
        size_t blocks = size / align, first = cl_roll((unsigned)blocks - 1);
        cl_buffer_region region = {first * align, (1 + cl_roll((unsigned)(blocks - first - 1))) * align};
        views[v] = (struct pair){.size = region.size, .model = parent.model + region.origin};
        views[v].mem = clCreateSubBuffer(parent.mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
        cl_ok(error);
    }
    for (int step = 0; step < 250; step++) {
        struct pair *view = &views[cl_roll(4)];
        switch (cl_roll(6)) {
        case 0:
            step_write(view, cl.queue, cl_roll(2));
            break;
        case 1:
            step_read(view, cl.queue, cl_roll(2));
            break;
        case 2:
            step_map(view, cl.queue);
            break;
        case 3:
            step_copy(&other, view, cl.queue);
            break;
        default:
            step_kernel(view, &other, kernels.bump, kernels.blend, cl.queue);
            break;
        }
    }
    for (int v = 0; v < 4; v++)
        pair_check(&views[v]);
    for (int v = 1; v < 4; v++)
        cl_ok(clReleaseMemObject(views[v].mem));
    pair_free(&parent);
    pair_free(&other);
    kernels_free(&kernels);
}
END_TEST

/* A box within two grids, as the rect calls take it. */
struct box {
    size_t region[3], origin[2][3], row[2], slice[2], bytes[2];
};

static struct box random_box(void)
{
    struct box box;
    for (int d = 0; d < 3; d++)
        box.region[d] = 1 + cl_roll(d ? 7 : 40);
    for (int end = 0; end < 2; end++) {
        for (int d = 0; d < 3; d++)
            box.origin[end][d] = cl_roll(d ? 4 : 20);
        bool tight = cl_roll(4) == 0;
        size_t row = box.region[0] + box.origin[end][0] + cl_roll(9);
        size_t slice = row * (box.region[1] + box.origin[end][1] + cl_roll(3));
        if (tight) { /* zero pitches: rows and slices of the region itself */
            box.origin[end][0] = box.origin[end][1] = 0;
            row = box.region[0];
            slice = row * box.region[1];
        }
        box.row[end] = tight ? 0 : row;
        box.slice[end] = tight ? 0 : slice;
        box.bytes[end] = (box.origin[end][2] + box.region[2]) * slice;
    }
    return box;
}

static size_t box_at(const struct box *box, int end, size_t y, size_t z)
{
    size_t row = box->row[end] ? box->row[end] : box->region[0];
    size_t slice = box->slice[end] ? box->slice[end] : row * box->region[1];
    return (z + box->origin[end][2]) * slice + (y + box->origin[end][1]) * row + box->origin[end][0];
}

static void box_copy(const struct box *box, unsigned char *to, int to_end, const unsigned char *from,
                     int from_end)
{
    for (size_t z = 0; z < box->region[2]; z++) {
        for (size_t y = 0; y < box->region[1]; y++)
            memcpy(to + box_at(box, to_end, y, z), from + box_at(box, from_end, y, z), box->region[0]);
    }
}

START_TEST(rectangles)
{
    enum { ROOM = 32768 };
    static unsigned char host[ROOM], model_host[ROOM];
    cl_seed((uint64_t)_i + 31);
    for (int round = 0; round < 60; round++) {
        struct box box = random_box();
        ck_assert_uint_le(box.bytes[1], ROOM);
        struct pair one = pair_new(kinds[cl_roll(KINDS)], box.bytes[0]);
        struct pair two = pair_new(kinds[cl_roll(KINDS)], box.bytes[1]);
        cl_bool blocking = cl_roll(2);
        cl_noise(host, ROOM);
        memcpy(model_host, host, ROOM);
        switch (cl_roll(3)) {
        case 0:
            cl_ok(clEnqueueReadBufferRect(cl.queue, one.mem, blocking, box.origin[0], box.origin[1],
                                          box.region, box.row[0], box.slice[0], box.row[1], box.slice[1],
                                          host, 0, NULL, NULL));
            box_copy(&box, model_host, 1, one.model, 0);
            break;
        case 1:
            cl_ok(clEnqueueWriteBufferRect(cl.queue, one.mem, blocking, box.origin[0], box.origin[1],
                                           box.region, box.row[0], box.slice[0], box.row[1], box.slice[1],
                                           host, 0, NULL, NULL));
            box_copy(&box, one.model, 0, host, 1);
            break;
        default:
            cl_ok(clEnqueueCopyBufferRect(cl.queue, one.mem, two.mem, box.origin[0], box.origin[1],
                                          box.region, box.row[0], box.slice[0], box.row[1], box.slice[1], 0,
                                          NULL, NULL));
            box_copy(&box, two.model, 1, one.model, 0);
            break;
        }
        cl_ok(clFinish(cl.queue));
        ck_assert_mem_eq(host, model_host, ROOM);
        pair_check(&one);
        pair_check(&two);
        pair_free(&one);
        pair_free(&two);
    }
}
END_TEST

START_TEST(copy_within_one_buffer)
{
    struct pair pair = pair_new(0, SIZE);
    cl_ok(clEnqueueCopyBuffer(cl.queue, pair.mem, pair.mem, 0, SIZE / 2, SIZE / 2, 0, NULL, NULL));
    memcpy(pair.model + SIZE / 2, pair.model, SIZE / 2);
    pair_check(&pair);
    cl_expect(clEnqueueCopyBuffer(cl.queue, pair.mem, pair.mem, 0, 10, SIZE / 2, 0, NULL, NULL),
              CL_MEM_COPY_OVERLAP);
    cl_expect(clEnqueueCopyBuffer(cl.queue, pair.mem, pair.mem, 10, 0, SIZE / 2, 0, NULL, NULL),
              CL_MEM_COPY_OVERLAP);
    pair_check(&pair);
    pair_free(&pair);
}
END_TEST

START_TEST(maps_overlap_for_reading)
{
    cl_int error;
    cl_uint maps;
    for (unsigned k = 0; k < KINDS; k++) {
        struct pair pair = pair_new(kinds[k], SIZE);
        unsigned char *a =
            clEnqueueMapBuffer(cl.queue, pair.mem, CL_TRUE, CL_MAP_READ, 100, 500, 0, NULL, NULL, &error);
        cl_ok(error);
        unsigned char *b =
            clEnqueueMapBuffer(cl.queue, pair.mem, CL_TRUE, CL_MAP_READ, 300, 2000, 0, NULL, NULL, &error);
        cl_ok(error);
        cl_ok(clGetMemObjectInfo(pair.mem, CL_MEM_MAP_COUNT, sizeof(maps), &maps, NULL));
        ck_assert_uint_eq(maps, 2);
        ck_assert_mem_eq(a, pair.model + 100, 500);
        ck_assert_mem_eq(b, pair.model + 300, 2000);
        cl_ok(clEnqueueUnmapMemObject(cl.queue, pair.mem, a, 0, NULL, NULL));
        cl_ok(clFinish(cl.queue));
        ck_assert_mem_eq(b, pair.model + 300, 2000);
        cl_ok(clEnqueueUnmapMemObject(cl.queue, pair.mem, b, 0, NULL, NULL));
        cl_ok(clFinish(cl.queue));
        cl_ok(clGetMemObjectInfo(pair.mem, CL_MEM_MAP_COUNT, sizeof(maps), &maps, NULL));
        ck_assert_uint_eq(maps, 0);
        pair_free(&pair);
    }
}
END_TEST

/* Two parts mapped for writing at once, then a kernel over all. */
START_TEST(maps_of_two_parts)
{
    cl_int error;
    struct kernels kernels = kernels_new();
    for (unsigned k = 0; k < KINDS; k++) {
        struct pair pair = pair_new(kinds[k], SIZE);
        unsigned char *a = clEnqueueMapBuffer(cl.queue, pair.mem, CL_FALSE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
                                              3000, 0, NULL, NULL, &error);
        cl_ok(error);
        unsigned char *b =
            clEnqueueMapBuffer(cl.queue, pair.mem, CL_TRUE, CL_MAP_WRITE, 3000, 3000, 0, NULL, NULL, &error);
        cl_ok(error);
        memset(a, 1, 3000);
        memset(b + 1000, 2, 1000);
        memset(pair.model, 1, 3000);
        memset(pair.model + 4000, 2, 1000);
        cl_ok(clEnqueueUnmapMemObject(cl.queue, pair.mem, b, 0, NULL, NULL));
        cl_ok(clEnqueueUnmapMemObject(cl.queue, pair.mem, a, 0, NULL, NULL));
        cl_set_mem(kernels.bump, 0, pair.mem);
        cl_launch(kernels.bump, SIZE);
        for (int i = 0; i < SIZE; i++)
            pair.model[i] += 3;
        pair_check(&pair);
        pair_free(&pair);
    }
    kernels_free(&kernels);
}
END_TEST

/* The pointer of a USE_HOST_PTR map is the program's own, offset included. */
START_TEST(map_of_host_pointer)
{
    cl_int error;
    struct kernels kernels = kernels_new();
    struct pair pair = pair_new(CL_MEM_USE_HOST_PTR, SIZE);
    cl_set_mem(kernels.bump, 0, pair.mem);
    cl_launch(kernels.bump, SIZE);
    for (int i = 0; i < SIZE; i++)
        pair.model[i] += 3;
    unsigned char *map = clEnqueueMapBuffer(cl.queue, pair.mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 128,
                                            SIZE - 128, 0, NULL, NULL, &error);
    cl_ok(error);
    ck_assert_ptr_eq(map, pair.host + 128);
    ck_assert_mem_eq(map, pair.model + 128, SIZE - 128);
    map[0] = pair.model[128] = 99;
    cl_ok(clEnqueueUnmapMemObject(cl.queue, pair.mem, map, 0, NULL, NULL));
    pair_check(&pair);
    pair_free(&pair);
    kernels_free(&kernels);
}
END_TEST

START_TEST(migrate)
{
    struct pair one = pair_new(0, SIZE), two = pair_new(CL_MEM_USE_HOST_PTR, SIZE);
    cl_mem mems[2] = {one.mem, two.mem};
    cl_event event;
    cl_ok(clEnqueueMigrateMemObjects(cl.queue, 2, mems, 0, 0, NULL, NULL));
    cl_ok(clEnqueueMigrateMemObjects(cl.queue, 2, mems, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, &event));
    cl_ok(clWaitForEvents(1, &event));
    cl_ok(clReleaseEvent(event));
    pair_check(&one);
    pair_check(&two);
    cl_expect(clEnqueueMigrateMemObjects(cl.queue, 0, mems, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueMigrateMemObjects(cl.queue, 1, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueMigrateMemObjects(cl.queue, 1, mems, (cl_mem_migration_flags)1 << 20, 0, NULL, NULL),
              CL_INVALID_VALUE);
    pair_free(&one);
    pair_free(&two);
}
END_TEST

START_TEST(linear_errors)
{
    char room[16];
    cl_mem mem = cl_buffer(0, SIZE, NULL), other = cl_buffer(0, 8, NULL);
    cl_expect(clEnqueueReadBuffer(NULL, mem, CL_TRUE, 0, 4, room, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_expect(clEnqueueReadBuffer(cl.queue, NULL, CL_TRUE, 0, 4, room, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    cl_expect(clEnqueueReadBuffer(cl.queue, mem, CL_TRUE, 0, 4, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueReadBuffer(cl.queue, mem, CL_TRUE, SIZE - 3, 4, room, 0, NULL, NULL),
              CL_INVALID_VALUE);
    cl_expect(clEnqueueWriteBuffer(cl.queue, mem, CL_TRUE, (size_t)-4, 8, room, 0, NULL, NULL),
              CL_INVALID_VALUE);
    cl_expect(clEnqueueWriteBuffer(cl.queue, mem, CL_TRUE, SIZE + 1, 1, room, 0, NULL, NULL),
              CL_INVALID_VALUE);
    cl_expect(clEnqueueReadBuffer(cl.queue, mem, CL_TRUE, 0, 4, room, 1, NULL, NULL),
              CL_INVALID_EVENT_WAIT_LIST);
    cl_event none = NULL;
    cl_expect(clEnqueueReadBuffer(cl.queue, mem, CL_TRUE, 0, 4, room, 0, &none, NULL),
              CL_INVALID_EVENT_WAIT_LIST);
    cl_expect(clEnqueueReadBuffer(cl.queue, mem, CL_TRUE, 0, 4, room, 1, &none, NULL),
              CL_INVALID_EVENT_WAIT_LIST);
    cl_expect(clEnqueueCopyBuffer(cl.queue, mem, other, 0, 4, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueCopyBuffer(cl.queue, mem, NULL, 0, 4, 8, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    cl_expect(clEnqueueFillBuffer(cl.queue, mem, room, 3, 0, 9, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueFillBuffer(cl.queue, mem, room, 4, 2, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueFillBuffer(cl.queue, mem, room, 4, 0, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueFillBuffer(cl.queue, mem, NULL, 4, 0, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueFillBuffer(cl.queue, other, room, 4, 4, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseMemObject(other));
}
END_TEST

START_TEST(map_errors)
{
    cl_int error;
    char elsewhere;
    cl_mem mem = cl_buffer(0, SIZE, NULL);
    ck_assert_ptr_null(
        clEnqueueMapBuffer(cl.queue, mem, CL_TRUE, CL_MAP_READ, SIZE - 4, 8, 0, NULL, NULL, &error));
    cl_expect(error, CL_INVALID_VALUE);
    if (cl_is_coexec()) { /* PoCL 3.1 takes flags that exclude each other */
        ck_assert_ptr_null(clEnqueueMapBuffer(cl.queue, mem, CL_TRUE,
                                              CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 8, 0, NULL,
                                              NULL, &error));
        cl_expect(error, CL_INVALID_VALUE);
    }
    ck_assert_ptr_null(clEnqueueMapBuffer(cl.queue, NULL, CL_TRUE, CL_MAP_READ, 0, 8, 0, NULL, NULL, &error));
    cl_expect(error, CL_INVALID_MEM_OBJECT);
    cl_expect(clEnqueueUnmapMemObject(cl.queue, mem, &elsewhere, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clEnqueueUnmapMemObject(cl.queue, NULL, &elsewhere, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

/* What the host may not do with a buffer made so. */
START_TEST(host_access_errors)
{
    char room[16] = {0};
    cl_int error;
    cl_mem read_only = cl_buffer(CL_MEM_HOST_READ_ONLY, SIZE, NULL);
    cl_mem write_only = cl_buffer(CL_MEM_HOST_WRITE_ONLY, SIZE, NULL);
    cl_mem nothing = cl_buffer(CL_MEM_HOST_NO_ACCESS, SIZE, NULL);
    cl_expect(clEnqueueWriteBuffer(cl.queue, read_only, CL_TRUE, 0, 4, room, 0, NULL, NULL),
              CL_INVALID_OPERATION);
    cl_expect(clEnqueueReadBuffer(cl.queue, write_only, CL_TRUE, 0, 4, room, 0, NULL, NULL),
              CL_INVALID_OPERATION);
    cl_expect(clEnqueueReadBuffer(cl.queue, nothing, CL_TRUE, 0, 4, room, 0, NULL, NULL),
              CL_INVALID_OPERATION);
    ck_assert_ptr_null(
        clEnqueueMapBuffer(cl.queue, nothing, CL_TRUE, CL_MAP_READ, 0, 8, 0, NULL, NULL, &error));
    cl_expect(error, CL_INVALID_OPERATION);
    ck_assert_ptr_null(
        clEnqueueMapBuffer(cl.queue, read_only, CL_TRUE, CL_MAP_WRITE, 0, 8, 0, NULL, NULL, &error));
    cl_expect(error, CL_INVALID_OPERATION);
    cl_ok(clEnqueueCopyBuffer(cl.queue, nothing, read_only, 0, 0, SIZE, 0, NULL, NULL)); /* the device may */
    cl_ok(clReleaseMemObject(read_only));
    cl_ok(clReleaseMemObject(write_only));
    cl_ok(clReleaseMemObject(nothing));
}
END_TEST

START_TEST(rectangle_errors)
{
    char room[64] = {0};
    const size_t zero[3] = {0, 0, 0}, region[3] = {4, 2, 1}, empty[3] = {4, 0, 1}, far[3] = {SIZE, 0, 0};
    cl_mem mem = cl_buffer(0, SIZE, NULL);
    cl_expect(
        clEnqueueReadBufferRect(cl.queue, mem, CL_TRUE, zero, zero, empty, 0, 0, 0, 0, room, 0, NULL, NULL),
        CL_INVALID_VALUE);
    cl_expect(
        clEnqueueReadBufferRect(cl.queue, mem, CL_TRUE, far, zero, region, 0, 0, 0, 0, room, 0, NULL, NULL),
        CL_INVALID_VALUE);
    cl_expect(
        clEnqueueReadBufferRect(cl.queue, mem, CL_TRUE, zero, zero, region, 3, 0, 0, 0, room, 0, NULL, NULL),
        CL_INVALID_VALUE); /* a row pitch below the region's row */
    cl_expect(
        clEnqueueWriteBufferRect(cl.queue, mem, CL_TRUE, zero, zero, region, 4, 7, 0, 0, room, 0, NULL, NULL),
        CL_INVALID_VALUE); /* a slice pitch below the region's slice */
    cl_expect(
        clEnqueueWriteBufferRect(cl.queue, mem, CL_TRUE, zero, zero, region, 0, 0, 0, 0, NULL, 0, NULL, NULL),
        CL_INVALID_VALUE);
    const size_t near[3] = {1, 0, 0};
    cl_expect(clEnqueueCopyBufferRect(cl.queue, mem, mem, zero, near, region, 8, 16, 8, 16, 0, NULL, NULL),
              CL_MEM_COPY_OVERLAP);
    if (cl_is_coexec()) /* PoCL 3.1 crashes */
        cl_expect(clEnqueueCopyBufferRect(cl.queue, mem, NULL, zero, zero, region, 0, 0, 0, 0, 0, NULL, NULL),
                  CL_INVALID_MEM_OBJECT);
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("api_transfer");
    TCase *tcase = cl_case(suite, "transfer");
    tcase_add_loop_test(tcase, everything_interleaved, 0, 6);
    tcase_add_loop_test(tcase, two_queues_in_turn, 0, 3);
    tcase_add_loop_test(tcase, sub_buffers_interleaved, 0, 4);
    tcase_add_loop_test(tcase, rectangles, 0, 4);
    tcase_add_test(tcase, empty_transfers);
    tcase_add_test(tcase, copy_within_one_buffer);
    tcase_add_test(tcase, maps_overlap_for_reading);
    tcase_add_test(tcase, maps_of_two_parts);
    tcase_add_test(tcase, map_of_host_pointer);
    tcase_add_test(tcase, migrate);
    tcase_add_test(tcase, linear_errors);
    tcase_add_test(tcase, map_errors);
    tcase_add_test(tcase, host_access_errors);
    tcase_add_test(tcase, rectangle_errors);
    return tap_run(suite);
}
