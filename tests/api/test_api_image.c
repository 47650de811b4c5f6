/* SPDX-License-Identifier: MIT */
/*
 * Images of every type against a model of their texels in plain memory: reads, writes, copies, fills, maps
 * with pitches, copies beside buffers, and kernels that read and write in between, in random order; on one
 * queue, and on several out of order, where each command waits only for those that touch the same images.
 */
#include "cl_fixture.h"

/* One kernel a type: texels of `to` in the range become those of `from` with bits turned by position. */
static const char source[] =
    "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"
    "__constant sampler_t at = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | "
    "CLK_FILTER_NEAREST;\n"
    "#define TURNED(v, x, y, z) ((v) ^ (uint4)(1, (x) & 1, (y) & 1, (z) & 1))\n"
    "__kernel void turn_1d(__write_only image1d_t to, __read_only image1d_t from)\n"
    "{ int x = get_global_id(0); uint4 v = read_imageui(from, at, x); write_imageui(to, x, TURNED(v, x, 0, "
    "0)); }\n"
    "__kernel void turn_1d_buffer(__write_only image1d_buffer_t to, __read_only image1d_buffer_t from)\n"
    "{ int x = get_global_id(0); uint4 v = read_imageui(from, x); write_imageui(to, x, TURNED(v, x, 0, 0)); "
    "}\n"
    "__kernel void turn_1d_array(__write_only image1d_array_t to, __read_only image1d_array_t from)\n"
    "{ int2 p = (int2)(get_global_id(0), get_global_id(1)); uint4 v = read_imageui(from, at, p);\n"
    "  write_imageui(to, p, TURNED(v, p.x, p.y, 0)); }\n"
    "__kernel void turn_2d(__write_only image2d_t to, __read_only image2d_t from)\n"
    "{ int2 p = (int2)(get_global_id(0), get_global_id(1)); uint4 v = read_imageui(from, at, p);\n"
    "  write_imageui(to, p, TURNED(v, p.x, p.y, 0)); }\n"
    "__kernel void turn_2d_array(__write_only image2d_array_t to, __read_only image2d_array_t from)\n"
    "{ int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
    "  uint4 v = read_imageui(from, at, p); write_imageui(to, p, TURNED(v, p.x, p.y, p.z)); }\n"
    "__kernel void turn_3d(__write_only image3d_t to, __read_only image3d_t from)\n"
    "{ int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
    "  uint4 v = read_imageui(from, at, p); write_imageui(to, p, TURNED(v, p.x, p.y, p.z)); }\n";

struct kind {
    cl_mem_object_type type;
    const char *name;
    size_t extent[3]; /* as regions count */
};
static const struct kind kinds[] = {
    {CL_MEM_OBJECT_IMAGE1D, "turn_1d", {53, 1, 1}},
    {CL_MEM_OBJECT_IMAGE1D_BUFFER, "turn_1d_buffer", {70, 1, 1}},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, "turn_1d_array", {19, 6, 1}},
    {CL_MEM_OBJECT_IMAGE2D, "turn_2d", {24, 18, 1}},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, "turn_2d_array", {9, 6, 4}},
    {CL_MEM_OBJECT_IMAGE3D, "turn_3d", {8, 7, 5}},
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static const struct {
    cl_image_format format;
    size_t channels, width; /* bytes of a channel */
} formats[] = {
    {{CL_RGBA, CL_UNSIGNED_INT8}, 4, 1},  {{CL_R, CL_UNSIGNED_INT32}, 1, 4},
    {{CL_RGBA, CL_UNSIGNED_INT16}, 4, 2}, {{CL_R, CL_UNSIGNED_INT8}, 1, 1},
    {{CL_RGBA, CL_UNSIGNED_INT32}, 4, 4},
};
enum { FORMATS = sizeof(formats) / sizeof(*formats) };

/* An image, what must be in it (texels close together), and the memory it was given. */
struct picture {
    const struct kind *kind;
    unsigned format;
    size_t texel, bytes, row, slice; /* row, slice: pitches of `host` */
    cl_mem mem, buffer;
    unsigned char *model, *host;
};

static size_t model_at(const struct picture *p, size_t x, size_t y, size_t z)
{
    return ((z * p->kind->extent[1] + y) * p->kind->extent[0] + x) * p->texel;
}

/* Bytes from one layer or row to the next, and between slices, in memory with these pitches. */
static void steps(const struct picture *p, size_t row, size_t slice, size_t step[2])
{
    step[0] = p->kind->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? slice : row;
    step[1] = slice;
}

static void give_memory(struct picture *p, cl_image_desc *desc)
{
    const size_t *extent = p->kind->extent;
    const bool layers = p->kind->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    size_t step[2];
    p->row = (extent[0] + cl_roll(5)) * p->texel;
    p->slice = p->row * (layers ? 1 : extent[1] + cl_roll(3));
    steps(p, p->row, p->slice, step);
    p->host = calloc(extent[1] * extent[2] + 64, p->row + p->slice);
    for (size_t z = 0; z < extent[2]; z++)
        for (size_t y = 0; y < extent[1]; y++)
            memcpy(p->host + z * step[1] + y * step[0], p->model + model_at(p, 0, y, z),
                   extent[0] * p->texel);
    desc->image_row_pitch = p->row;
    if (layers || extent[2] > 1)
        desc->image_slice_pitch = p->slice;
}

static struct picture picture_new(const struct kind *kind, unsigned format, cl_mem_flags flags)
{
    struct picture p = {.kind = kind, .format = format};
    cl_image_desc desc = {.image_type = kind->type, .image_width = kind->extent[0]};
    const size_t none[3] = {0, 0, 0};
    cl_int error;
    p.texel = formats[format].channels * formats[format].width;
    p.bytes = kind->extent[0] * kind->extent[1] * kind->extent[2] * p.texel;
    p.model = malloc(p.bytes);
    cl_noise(p.model, p.bytes);
    if (kind->type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        desc.image_array_size = kind->extent[1];
    else
        desc.image_height = kind->extent[1];
    *(kind->type == CL_MEM_OBJECT_IMAGE3D ? &desc.image_depth : &desc.image_array_size) =
        kind->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? kind->extent[1] : kind->extent[2];
    if (kind->type == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
        p.host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) ? malloc(p.bytes) : NULL;
        if (p.host)
            memcpy(p.host, p.model, p.bytes);
        desc.buffer = p.buffer = cl_buffer(flags, p.bytes, p.host);
        flags = 0;
    } else if (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) {
        give_memory(&p, &desc);
    }
    p.mem =
        clCreateImage(cl.context, flags, &formats[format].format, &desc, p.buffer ? NULL : p.host, &error);
    cl_expect(error, CL_SUCCESS);
    if (!p.host)
        cl_ok(
            clEnqueueWriteImage(cl.queue, p.mem, CL_TRUE, none, kind->extent, 0, 0, p.model, 0, NULL, NULL));
    return p;
}

static void picture_free(struct picture *p)
{
    cl_ok(clReleaseMemObject(p->mem));
    if (p->buffer)
        cl_ok(clReleaseMemObject(p->buffer));
    cl_ok(clFinish(cl.queue));
    free(p->model);
    free(p->host);
}

struct box {
    size_t origin[3], region[3];
};

enum { MOST_STEPS = 64, MOST_WAITS = 2 * MOST_STEPS };

/* How the next command is enqueued. `later`: memory it touches is looked at when all is over. */
static struct {
    cl_command_queue queue;
    cl_uint nwait;
    cl_event wait[MOST_WAITS], event;
    bool later;
} how;

/* Program memory of commands that may still run, and what it must hold then (NULL: nothing to tell). */
static struct {
    unsigned char *memory, *want;
    size_t bytes;
} kept[MOST_STEPS];
static unsigned nkept;

static const cl_event *waits(void)
{
    return how.nwait ? how.wait : NULL;
}

static cl_event *event(void)
{
    return how.later ? &how.event : NULL;
}

static void keep(unsigned char *memory, unsigned char *want, size_t bytes)
{
    kept[nkept].memory = memory;
    kept[nkept].want = want;
    kept[nkept++].bytes = bytes;
}

static void check_kept(void)
{
    for (unsigned i = 0; i < nkept; i++) {
        if (kept[i].want)
            for (size_t b = 0; b < kept[i].bytes; b++)
                ck_assert_msg(kept[i].memory[b] == kept[i].want[b], "read %u, byte %zu", i, b);
        free(kept[i].memory);
        free(kept[i].want);
    }
    nkept = 0;
}

static void one_queue(void)
{
    memset(&how, 0, sizeof(how));
    how.queue = cl.queue;
}

static struct box random_box(const struct picture *p)
{
    struct box box;
    const bool whole = cl_roll(4) == 0;
    for (unsigned d = 0; d < 3; d++) {
        const unsigned extent = (unsigned)p->kind->extent[d];
        box.origin[d] = whole || cl_roll(4) == 0 ? 0 : cl_roll(extent);
        box.region[d] = whole ? extent : 1 + cl_roll(extent - (unsigned)box.origin[d]);
    }
    return box;
}

/* Between memory with pitches and the model. */
static void model_copy(struct picture *p, const struct box *box, unsigned char *memory, const size_t step[2],
                       bool in)
{
    for (size_t z = 0; z < box->region[2]; z++)
        for (size_t y = 0; y < box->region[1]; y++) {
            unsigned char *texels =
                p->model + model_at(p, box->origin[0], box->origin[1] + y, box->origin[2] + z);
            unsigned char *row = memory + z * step[1] + y * step[0];
            if (in)
                memcpy(texels, row, box->region[0] * p->texel);
            else
                ck_assert_mem_eq(row, texels, box->region[0] * p->texel);
        }
}

static void check(struct picture *p)
{
    const struct box all = {{0, 0, 0}, {p->kind->extent[0], p->kind->extent[1], p->kind->extent[2]}};
    const size_t step[2] = {all.region[0] * p->texel, all.region[0] * all.region[1] * p->texel};
    unsigned char *got = malloc(p->bytes);
    cl_ok(clEnqueueReadImage(cl.queue, p->mem, CL_TRUE, all.origin, all.region, 0, 0, got, 0, NULL, NULL));
    model_copy(p, &all, got, step, false);
    free(got);
}

/* Pitches for a box in memory, sometimes left to the driver; *bytes they need. */
static void random_pitches(const struct picture *p, const struct box *box, size_t *row, size_t *slice,
                           size_t step[2], size_t *bytes)
{
    const bool layers = p->kind->type == CL_MEM_OBJECT_IMAGE1D_ARRAY, given = cl_roll(2);
    const size_t width = box->region[0] * p->texel;
    *row = given ? width + cl_roll(4) * p->texel : width;
    *slice = layers ? *row : *row * (box->region[1] + (given ? cl_roll(3) : 0));
    steps(p, *row, *slice, step);
    *bytes = *row + *slice * (box->region[2] + (layers ? box->region[1] : 0)) + *row * box->region[1];
    if (!given)
        *row = *slice = 0;
    else if (!layers && p->kind->extent[2] == 1)
        *slice = 0;
}

static void step_write(struct picture *p)
{
    const struct box box = random_box(p);
    size_t row, slice, step[2], bytes;
    random_pitches(p, &box, &row, &slice, step, &bytes);
    unsigned char *from = malloc(bytes);
    cl_noise(from, bytes);
    cl_bool blocking = !how.later && cl_roll(2);
    cl_ok(clEnqueueWriteImage(how.queue, p->mem, blocking, box.origin, box.region, row, slice, from,
                              how.nwait, waits(), event()));
    model_copy(p, &box, from, step, true);
    if (!blocking && !how.later)
        cl_ok(clFinish(how.queue));
    keep(from, NULL, 0);
    if (!how.later)
        check_kept();
}

static void step_read(struct picture *p)
{
    const struct box box = random_box(p);
    size_t row, slice, step[2], bytes;
    random_pitches(p, &box, &row, &slice, step, &bytes);
    unsigned char *to = calloc(1, bytes), *want = calloc(1, bytes);
    for (size_t z = 0; z < box.region[2]; z++)
        for (size_t y = 0; y < box.region[1]; y++)
            memcpy(want + z * step[1] + y * step[0],
                   p->model + model_at(p, box.origin[0], box.origin[1] + y, box.origin[2] + z),
                   box.region[0] * p->texel);
    cl_ok(clEnqueueReadImage(how.queue, p->mem, !how.later, box.origin, box.region, row, slice, to, how.nwait,
                             waits(), event()));
    keep(to, want, bytes);
    if (!how.later)
        check_kept();
}

static void step_fill(struct picture *p)
{
    const struct box box = random_box(p);
    cl_uint color[4];
    unsigned char *texels = malloc(box.region[0] * p->texel);
    for (unsigned c = 0; c < 4; c++)
        color[c] = cl_roll(256);
    for (size_t x = 0; x < box.region[0]; x++)
        for (size_t c = 0; c < formats[p->format].channels; c++)
            memcpy(texels + x * p->texel + c * formats[p->format].width, &color[c], formats[p->format].width);
    cl_ok(clEnqueueFillImage(how.queue, p->mem, color, box.origin, box.region, how.nwait, waits(), event()));
    model_copy(p, &box, texels, (size_t[2]){0, 0}, true);
    free(texels);
}

static void step_copy(struct picture *to, struct picture *from)
{
    const struct box a = random_box(to);
    struct box b = a;
    for (unsigned d = 0; d < 3; d++)
        b.origin[d] = cl_roll((unsigned)(from->kind->extent[d] - b.region[d]) + 1);
    cl_ok(clEnqueueCopyImage(how.queue, from->mem, to->mem, b.origin, a.origin, a.region, how.nwait, waits(),
                             event()));
    for (size_t z = 0; z < a.region[2]; z++)
        for (size_t y = 0; y < a.region[1]; y++)
            memcpy(to->model + model_at(to, a.origin[0], a.origin[1] + y, a.origin[2] + z),
                   from->model + model_at(from, b.origin[0], b.origin[1] + y, b.origin[2] + z),
                   a.region[0] * to->texel);
}

/* Out of one image into a buffer, and from there into another. */
static void step_beside(struct picture *to, struct picture *from)
{
    const struct box a = random_box(to);
    struct box b = a;
    for (unsigned d = 0; d < 3; d++)
        b.origin[d] = cl_roll((unsigned)(from->kind->extent[d] - b.region[d]) + 1);
    const size_t bytes = a.region[0] * a.region[1] * a.region[2] * to->texel, offset = cl_roll(4) * to->texel;
    cl_mem buffer = cl_buffer(0, offset + bytes + 16, NULL);
    cl_event out;
    cl_ok(clEnqueueCopyImageToBuffer(how.queue, from->mem, buffer, b.origin, b.region, offset, how.nwait,
                                     waits(), &out));
    cl_ok(
        clEnqueueCopyBufferToImage(how.queue, buffer, to->mem, offset, a.origin, a.region, 1, &out, event()));
    cl_ok(clReleaseEvent(out));
    for (size_t z = 0; z < a.region[2]; z++)
        for (size_t y = 0; y < a.region[1]; y++)
            memcpy(to->model + model_at(to, a.origin[0], a.origin[1] + y, a.origin[2] + z),
                   from->model + model_at(from, b.origin[0], b.origin[1] + y, b.origin[2] + z),
                   a.region[0] * to->texel);
    cl_ok(clReleaseMemObject(buffer));
}

static void step_map(struct picture *p)
{
    static const cl_map_flags ways[] = {CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE,
                                        CL_MAP_WRITE_INVALIDATE_REGION};
    const struct box box = random_box(p);
    const cl_map_flags flags = ways[cl_roll(4)];
    size_t row = 0, slice = 0, step[2];
    cl_int error;
    unsigned char *mapped = clEnqueueMapImage(how.queue, p->mem, CL_TRUE, flags, box.origin, box.region, &row,
                                              &slice, how.nwait, waits(), NULL, &error);
    cl_expect(error, CL_SUCCESS);
    steps(p, row, slice, step);
    if (flags != CL_MAP_WRITE_INVALIDATE_REGION)
        model_copy(p, &box, mapped, step, false);
    for (size_t z = 0; z < box.region[2] && flags != CL_MAP_READ; z++)
        for (size_t y = 0; y < box.region[1]; y++)
            cl_noise(mapped + z * step[1] + y * step[0], box.region[0] * p->texel);
    if (flags != CL_MAP_READ)
        model_copy(p, &box, mapped, step, true);
    cl_ok(clEnqueueUnmapMemObject(how.queue, p->mem, mapped, 0, NULL, event()));
}

/* The kernel over a box; the model does the same to each channel that the format has. */
static void step_kernel(cl_program program, struct picture *to, const struct picture *from)
{
    struct box box = random_box(to);
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, to->kind->name, &error);
    cl_expect(error, CL_SUCCESS);
    if (cl_roll(2))
        for (unsigned d = 0; d < 3; d++) {
            box.origin[d] = 0;
            box.region[d] = to->kind->extent[d];
        }
    cl_set_mem(kernel, 0, to->mem);
    cl_set_mem(kernel, 1, from->mem);
    cl_uint dims = to->kind->extent[2] > 1 ? 3 : to->kind->extent[1] > 1 ? 2 : 1;
    cl_ok(clEnqueueNDRangeKernel(how.queue, kernel, dims, box.origin, box.region, (size_t[3]){1, 1, 1},
                                 how.nwait, waits(), event()));
    for (size_t z = box.origin[2]; z < box.origin[2] + box.region[2]; z++)
        for (size_t y = box.origin[1]; y < box.origin[1] + box.region[1]; y++)
            for (size_t x = box.origin[0]; x < box.origin[0] + box.region[0]; x++) {
                const unsigned turn[4] = {1, x & 1, y & 1, z & 1};
                const size_t at = model_at(to, x, y, z);
                memcpy(to->model + at, from->model + at, to->texel);
                for (size_t c = 0; c < formats[to->format].channels; c++)
                    to->model[at + c * formats[to->format].width] ^= (unsigned char)turn[c];
            }
    cl_ok(clReleaseKernel(kernel));
}

static void step_migrate(const struct picture *p)
{
    cl_ok(clEnqueueMigrateMemObjects(how.queue, 1, &p->mem, cl_roll(2) ? CL_MIGRATE_MEM_OBJECT_HOST : 0,
                                     how.nwait, waits(), event()));
}

static const cl_mem_flags given[] = {0, CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR, CL_MEM_ALLOC_HOST_PTR};

/* `to` is written by all steps but 1 and 6; steps 3, 4 and from 7 on read `from`. */
static void random_step(cl_program program, unsigned what, struct picture *to, struct picture *from)
{
    switch (what) {
    case 0:
        step_write(to);
        break;
    case 1:
        step_read(to);
        break;
    case 2:
        step_fill(to);
        break;
    case 3:
        step_copy(to, from);
        break;
    case 4:
        step_beside(to, from);
        break;
    case 5:
        step_map(to);
        break;
    case 6:
        step_migrate(to);
        break;
    default:
        step_kernel(program, to, from);
    }
}

START_TEST(random_commands)
{
    const struct kind *kind = &kinds[_i];
    cl_program program = cl_build(source, "");
    one_queue();
    for (unsigned round = 0; round < 12; round++) {
        cl_seed(1000 * (unsigned)_i + round);
        struct picture p[2] = {picture_new(kind, round % FORMATS, given[cl_roll(4)]),
                               picture_new(kind, round % FORMATS, given[cl_roll(4)])};
        check(&p[0]);
        for (unsigned step = 0; step < 30; step++) {
            const unsigned a = cl_roll(2);
            random_step(program, cl_roll(10), &p[a], &p[1 - a]);
        }
        check(&p[0]);
        check(&p[1]);
        picture_free(&p[0]);
        picture_free(&p[1]);
    }
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* Of one picture: its last writer, and who read it since. */
struct history {
    cl_event writer, reader[MOST_STEPS];
    unsigned nreaders;
};

static void wait_for(cl_event event)
{
    for (cl_uint i = 0; i < how.nwait; i++)
        if (how.wait[i] == event)
            return;
    how.wait[how.nwait++] = event;
}

static void wait_history(const struct history *history, bool write)
{
    if (history->writer)
        wait_for(history->writer);
    for (unsigned i = 0; write && i < history->nreaders; i++)
        wait_for(history->reader[i]);
}

static void note_history(struct history *history, bool write)
{
    if (write) {
        history->nreaders = 0;
        history->writer = how.event;
    } else {
        history->reader[history->nreaders++] = how.event;
    }
}

enum { PICTURES = 4, QUEUES = 3 };

START_TEST(out_of_order)
{
    const struct kind *kind = &kinds[_i];
    cl_program program = cl_build(source, "");
    cl_command_queue queue[QUEUES];
    for (unsigned q = 0; q < QUEUES; q++)
        queue[q] = cl_queue(q && cl_out_of_order_works() ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    for (unsigned round = 0; round < 6; round++) {
        struct picture p[PICTURES];
        struct history history[PICTURES] = {0};
        cl_event events[MOST_STEPS];
        unsigned nevents = 0;
        cl_seed(7000 + 1000 * (unsigned)_i + round);
        for (unsigned i = 0; i < PICTURES; i++)
            p[i] = picture_new(kind, round % FORMATS, given[cl_roll(4)]);
        for (unsigned step = 0; step < 40; step++) {
            const unsigned to = cl_roll(PICTURES), from = (to + 1 + cl_roll(PICTURES - 1)) % PICTURES,
                           what = cl_roll(10);
            const bool reads_from = what == 3 || what == 4 || what > 6, writes = what != 1 && what != 6;
            one_queue();
            how.queue = queue[cl_roll(QUEUES)];
            how.later = true;
            wait_history(&history[to], writes);
            if (reads_from)
                wait_history(&history[from], false);
            random_step(program, what, &p[to], &p[from]);
            events[nevents++] = how.event;
            note_history(&history[to], writes);
            if (reads_from)
                note_history(&history[from], false);
        }
        for (unsigned q = 0; q < QUEUES; q++)
            cl_ok(clFinish(queue[q]));
        check_kept();
        while (nevents)
            cl_ok(clReleaseEvent(events[--nevents]));
        for (unsigned i = 0; i < PICTURES; i++) {
            check(&p[i]);
            picture_free(&p[i]);
        }
    }
    for (unsigned q = 0; q < QUEUES; q++)
        cl_ok(clReleaseCommandQueue(queue[q]));
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* The program sees its own memory after a map, pitches and all. */
START_TEST(host_memory)
{
    const struct kind *kind = &kinds[_i];
    size_t row, slice, step[2];
    cl_int error;
    if (kind->type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
        return;
    cl_seed(7);
    one_queue();
    cl_program program = cl_build(source, "");
    struct picture p = picture_new(kind, 0, CL_MEM_USE_HOST_PTR), other = picture_new(kind, 0, 0);
    const struct box all = {{0, 0, 0}, {kind->extent[0], kind->extent[1], kind->extent[2]}};
    step_kernel(program, &p, &other);
    unsigned char *mapped = clEnqueueMapImage(cl.queue, p.mem, CL_TRUE, CL_MAP_READ, all.origin, all.region,
                                              &row, &slice, 0, NULL, NULL, &error);
    cl_expect(error, CL_SUCCESS);
    ck_assert_ptr_eq(mapped, p.host);
    steps(&p, p.row, p.slice, step);
    model_copy(&p, &all, p.host, step, false);
    cl_ok(clEnqueueUnmapMemObject(cl.queue, p.mem, mapped, 0, NULL, NULL));
    picture_free(&p);
    picture_free(&other);
    cl_ok(clReleaseProgram(program));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("image");
    TCase *tcase = cl_case(suite, "texels");
    tcase_add_loop_test(tcase, random_commands, 0, KINDS);
    tcase_add_loop_test(tcase, out_of_order, 0, KINDS);
    tcase_add_loop_test(tcase, host_memory, 0, KINDS);
    return tap_run(suite);
}
