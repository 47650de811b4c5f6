/* SPDX-License-Identifier: MIT */
/*
 * Random commands on memory that several objects show at once: buffers, windows that overlap, lines and
 * planes of texels on them (rows with padding), shared virtual memory, images with memory of the program's;
 * parts mapped while others go on; objects released while used and made anew; user events that fail; kernels
 * with odd sizes, offsets, required sizes, data-dependent places and atomics. All is held against plain
 * memory.
 *
 * MIXED_SEED=s MIXED_CASES=n MIXED_THREADS=t: seeds s, s + 1, ..., in t threads each. MIXED_STEPS=n stops
 * early, MIXED_TRACE=1 tells what is done. Knows nothing of coexec, but PoCL 3.1 alone crashes on it.
 */
#include "cl_fixture.h"
#include "mixed_transfers.h"

#include <pthread.h>
#include <stdio.h>

static const char source[] =
    "#define P (int2)(get_global_id(0), get_global_id(1))\n"
    "__constant sampler_t at = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | "
    "CLK_FILTER_NEAREST;\n"
    "struct pair { uint a; uchar b[3]; ushort c; };\n"
    "__constant uint table[5] = {3, 1, 4, 1, 5};\n"
    "__kernel void mix_(__global uint *out, __global const uint *in, uint k, uint n)\n"
    "{ uint i = get_global_id(0); if (i < n) out[i] = in[i] * 3 + k; }\n"
    "__kernel void shift(__global uint *out, __global const uint *in, uint s, uint n)\n"
    "{ uint i = get_global_id(0); if (i < n) out[i] = in[(i + s) % n] ^ i; }\n"
    "__kernel void same(__global uint *a, __global const uint *b, uint o, uint n)\n"
    "{ uint i = get_global_id(0); if (i < n) a[i + o] = b[i] * 5 + i; }\n"
    "__kernel void places(__global uint *out, __global const uint *in, __global const uint *index)\n"
    "{ uint i = get_global_id(0); out[index[i] & 255] = in[i] + 9; }\n"
    "__kernel void bins(__global uint *out, __global const uint *in, uint n)\n"
    "{ uint i = get_global_id(0); if (i < n) atomic_add(&out[in[i] & 31], in[i] | 1); }\n"
    "__kernel void space(__global uint *out, __global const uint *in, uint w, uint h)\n"
    "{ uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), i = (z * h + y) * w + x;\n"
    "  out[i] += in[i] ^ (x + (y << 8) + (z << 16)) ^ (uint)get_global_offset(0); }\n"
    "__kernel void put_line(__write_only image1d_buffer_t to, __global const uint *in)\n"
    "{ int i = get_global_id(0); write_imageui(to, i, (uint4)(in[i] * 7)); }\n"
    "__kernel void take_line(__global uint *out, __read_only image1d_buffer_t in)\n"
    "{ int i = get_global_id(0); out[i] += read_imageui(in, i).x; }\n"
    "__kernel void put_plane(__write_only image2d_t to, __global const uint *in, uint k)\n"
    "{ int2 p = P; write_imageui(to, p, (uint4)(in[p.x] + p.y * k)); }\n"
    "__kernel void take_plane(__global uint *out, __read_only image2d_t in, uint w)\n"
    "{ int2 p = P; out[p.y * w + p.x] ^= read_imageui(in, at, p + (int2)(1, 1)).x; }\n"
    "__kernel void blur(__write_only image2d_t to, __read_only image2d_t in)\n"
    "{ int2 p = P; write_imageui(to, p, read_imageui(in, at, p) + read_imageui(in, at, p + (int2)(-1, 2))); "
    "}\n"
    "__kernel void layers(__write_only image2d_array_t to, __global const uint *in)\n"
    "{ int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
    "  write_imageui(to, p, (uint4)(in[p.x] + p.y * 100 + p.z)); }\n"
    "__attribute__((reqd_work_group_size(8, 2, 1)))\n"
    "__kernel void tile(__global uint *out, __global const uint *in)\n"
    "{ __local uint t[16]; uint w = get_global_size(0), l = get_local_id(1) * 8 + get_local_id(0),\n"
    "  i = get_global_id(1) * w + get_global_id(0); t[l] = in[i]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[i] = t[15 - l] + get_group_id(0) * 3 + get_num_groups(1); }\n"
    "__kernel void fields(__global uint *x, struct pair p, uint n)\n"
    "{ uint i = get_global_id(0); if (i < n) x[i] = x[i] * p.a + p.b[i % 3] + p.c * table[i % 5]; }\n"
    "__kernel void total(__global uint *out, __global const uint *in, __local uint *room, uint n)\n"
    "{ uint i = get_global_id(0), l = get_local_id(0), s = 0; room[l] = i < n ? in[i] : 0;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); if (l) return; for (l = 0; l < get_local_size(0); l++) s += room[l];\n"
    "  atomic_add(out, s); }\n"
    "__kernel void longer(__global uint *x, uint n)\n"
    "{ uint i = get_global_id(0); if (i >= n) return; uint v = x[i];\n"
    "  for (uint j = 0; j < i % 61 * 9; j++) v = v * 1664525 + 1013904223; x[i] = v; }\n";

enum {
    MIX,
    SHIFT,
    SAME,
    PLACES,
    BINS,
    SPACE,
    PUT_LINE,
    TAKE_LINE,
    PUT_PLANE,
    TAKE_PLANE,
    BLUR,
    LAYERS,
    TILE,
    FIELDS,
    TOTAL,
    LONGER,
    KERNELS
};
static const char *const names[KERNELS + 1] = {
    "mix_",       "shift", "same",   "places", "bins",   "space", "put_line", "take_line", "put_plane",
    "take_plane", "blur",  "layers", "tile",   "fields", "total", "longer",   NULL};

/* ---- kernels ---- */

static _Thread_local cl_kernel kernel;
static _Thread_local cl_uint nargs;

static void take(unsigned what)
{
    kernel = w->kernel[what];
    nargs = 0;
}

static void set_port(const struct port *port)
{
    must(port->mem ? clSetKernelArg(kernel, nargs++, sizeof(port->mem), &port->mem)
                   : clSetKernelArgSVMPointer(kernel, nargs++, port->root->host + port->offset));
}

static void set_uint(cl_uint value)
{
    must(clSetKernelArg(kernel, nargs++, sizeof(value), &value));
}

static void launch(cl_uint dims, const size_t *offset, const size_t *global, const size_t *local)
{
    must(clEnqueueNDRangeKernel(w->to, kernel, dims, offset, global, local, w->nwait, waits(), &w->event));
    end();
}

/* At least n items in one dimension: some local sizes, or none given. */
static void launch_line(size_t n)
{
    static const size_t sizes[] = {16, 7, 0};
    const size_t local = sizes[roll(3)], odd = n <= 61 ? 61 : n <= 210 ? 210 : 16 * ((n + 15) / 16);
    const size_t global = local ? (n + local - 1) / local * local : odd;
    launch(1, NULL, &global, local ? &local : NULL);
}

/* Whether elements [0, n) of one and [0, m) of the other are apart. */
static bool apart(const struct port *a, size_t n, const struct port *b, size_t m)
{
    return a->root != b->root || a->offset + 4 * n <= b->offset || b->offset + 4 * m <= a->offset;
}

static size_t room_of(const struct port *a, const struct port *b)
{
    return (b && b->bytes < a->bytes ? b->bytes : a->bytes) / 4;
}

/* Two roots or the same, out and in. */
static bool two_ports(struct port *out, struct port *in)
{
    struct root *to = root_pick(ROOT_BUFFER, true), *from = root_pick(ROOT_BUFFER, false);
    if (!to || !from)
        return false;
    *out = port_of_bytes(to);
    *in = port_of_bytes(roll(4) ? from : to);
    return true;
}

static void touch_ports(const struct port *out, const struct port *in)
{
    begin(false);
    touch(out->root, true);
    if (in && in->root != out->root)
        touch(in->root, false);
}

static cl_uint plain(const struct port *port, size_t i)
{
    return *port_at(port, i, 0, 0);
}

static void do_mix(void)
{
    struct port out, in;
    const cl_uint k = roll(1000);
    if (!two_ports(&out, &in))
        return;
    const size_t n = 1 + roll((unsigned)room_of(&out, &in));
    const unsigned what = roll(2) ? MIX : SHIFT;
    if (!apart(&out, n, &in, n) && (what == SHIFT || out.offset != in.offset))
        return;
    touch_ports(&out, &in);
    take(what);
    set_port(&out);
    set_port(&in);
    set_uint(k);
    set_uint((cl_uint)n);
    for (size_t i = 0; i < n && !w->fails; i++)
        *port_at(&out, i, 0, 0) = what == MIX ? plain(&in, i) * 3 + k : plain(&in, (i + k) % n) ^ (cl_uint)i;
    note("%s of %zu, %u.%zu from %u.%zu", names[what], n, (unsigned)(out.root - w->root), out.offset,
         (unsigned)(in.root - w->root), in.offset);
    launch_line(n);
}

/* Each item reads by one object what it writes by another. */
static void do_same(void)
{
    struct root *root = root_pick(ROOT_BUFFER, true);
    if (!root)
        return;
    struct port a = port_of_bytes(root), b = port_of_bytes(root);
    if (b.offset < a.offset || b.offset >= a.offset + a.bytes)
        return;
    const size_t o = (b.offset - a.offset) / 4;
    size_t room = a.bytes / 4 - o;
    room = room < b.bytes / 4 ? room : b.bytes / 4;
    const size_t n = 1 + roll((unsigned)room);
    begin(false);
    touch(root, true);
    take(SAME);
    set_port(&a);
    set_port(&b);
    set_uint((cl_uint)o);
    set_uint((cl_uint)n);
    for (size_t i = 0; i < n && !w->fails; i++)
        *port_at(&b, i, 0, 0) = plain(&b, i) * 5 + (cl_uint)i;
    note("same of %zu, %u.%zu by %zu", n, (unsigned)(root - w->root), a.offset, b.offset);
    launch_line(n);
}

/* The index is written on the device, too. */
static void do_places(void)
{
    struct port out, in;
    struct root *third = root_pick(ROOT_BUFFER, true);
    if (!two_ports(&out, &in) || !third || third == out.root || third == in.root)
        return;
    struct port index = port_of_bytes(third);
    if (!apart(&out, 256, &in, 256) || index.bytes < 1024 || room_of(&out, &in) < 256)
        return;
    cl_uint permuted[256];
    const cl_uint by = 1 + 2 * roll(128), from = roll(256);
    for (cl_uint i = 0; i < 256; i++)
        permuted[i] = (i * by + from) & 255;
    begin(true); /* opened gates: the index must come */
    touch(third, true);
    must(index.mem ? clEnqueueWriteBuffer(w->to, index.mem, CL_TRUE, 0, 1024, permuted, w->nwait, waits(),
                                          &w->event)
                   : clEnqueueSVMMemcpy(w->to, CL_TRUE, third->host + index.offset, permuted, 1024, w->nwait,
                                        waits(), &w->event));
    memcpy(port_at(&index, 0, 0, 0), permuted, 1024);
    end();
    touch_ports(&out, &in);
    touch(third, false);
    take(PLACES);
    set_port(&out);
    set_port(&in);
    set_port(&index);
    for (size_t i = 0; i < 256 && !w->fails; i++)
        *port_at(&out, permuted[i], 0, 0) = plain(&in, i) + 9;
    note("places in %u from %u by %u", (unsigned)(out.root - w->root), (unsigned)(in.root - w->root),
         (unsigned)(third - w->root));
    const size_t global = 256, local = 16;
    launch(1, NULL, &global, &local);
}

static void do_atomics(void)
{
    struct port out, in;
    const unsigned what = roll(2) ? BINS : TOTAL;
    if (!two_ports(&out, &in))
        return;
    const size_t n = 1 + roll((unsigned)in.bytes / 4);
    if (!apart(&out, what == BINS ? 32 : 1, &in, n))
        return;
    touch_ports(&out, &in);
    take(what);
    set_port(&out);
    set_port(&in);
    if (what == TOTAL)
        must(clSetKernelArg(kernel, nargs++, 16 * sizeof(cl_uint), NULL));
    set_uint((cl_uint)n);
    for (size_t i = 0; i < n && !w->fails; i++) {
        const cl_uint v = plain(&in, i);
        *port_at(&out, what == BINS ? v & 31 : 0, 0, 0) += what == BINS ? v | 1 : v;
    }
    note("%s of %zu, %u.%zu from %u.%zu", names[what], n, (unsigned)(out.root - w->root), out.offset,
         (unsigned)(in.root - w->root), in.offset);
    const size_t local = what == TOTAL || roll(2) ? 16 : 7, global = (n + local - 1) / local * local;
    launch(1, NULL, &global, &local);
}

static void do_space(void)
{
    static const size_t locals[3][3] = {{1, 1, 1}, {3, 2, 1}, {2, 1, 3}};
    struct port out, in;
    const size_t *local = locals[roll(3)];
    size_t global[3] = {local[0] * (1 + roll(4)), local[1] * (1 + roll(6)), local[2] * (1 + roll(3))},
           offset[3] = {roll(2) ? roll(4) : 0, roll(2) ? roll(5) : 0, roll(2) ? roll(2) : 0};
    if (!two_ports(&out, &in))
        return;
    const size_t width = offset[0] + global[0] + roll(3), height = offset[1] + global[1],
                 n = width * height * (offset[2] + global[2]);
    if (n > room_of(&out, &in) || (!apart(&out, n, &in, n) && out.offset != in.offset))
        return;
    touch_ports(&out, &in);
    take(SPACE);
    set_port(&out);
    set_port(&in);
    set_uint((cl_uint)width);
    set_uint((cl_uint)height);
    for (size_t z = offset[2]; z < offset[2] + global[2] && !w->fails; z++)
        for (size_t y = offset[1]; y < offset[1] + global[1]; y++)
            for (size_t x = offset[0]; x < offset[0] + global[0]; x++) {
                const size_t i = (z * height + y) * width + x;
                *port_at(&out, i, 0, 0) +=
                    plain(&in, i) ^ (cl_uint)(x + (y << 8) + (z << 16)) ^ (cl_uint)offset[0];
            }
    note("space %zu %zu %zu in %u.%zu from %u.%zu", global[0], global[1], global[2],
         (unsigned)(out.root - w->root), out.offset, (unsigned)(in.root - w->root), in.offset);
    launch(3, offset, global, local);
}

static void do_tile(void)
{
    static const size_t local[2] = {8, 2};
    struct port out, in;
    const size_t global[2] = {8 * (1 + roll(6)), 2 * (1 + roll(8))}, n = global[0] * global[1];
    if (!two_ports(&out, &in) || n > room_of(&out, &in) || !apart(&out, n, &in, n))
        return;
    touch_ports(&out, &in);
    take(TILE);
    set_port(&out);
    set_port(&in);
    for (size_t y = 0; y < global[1] && !w->fails; y++)
        for (size_t x = 0; x < global[0]; x++)
            *port_at(&out, y * global[0] + x, 0, 0) =
                plain(&in, (y / 2 * 2 + 1 - y % 2) * global[0] + x / 8 * 8 + 7 - x % 8) +
                (cl_uint)(x / 8 * 3 + global[1] / 2);
    note("tile %zu %zu", global[0], global[1]);
    launch(2, NULL, global, roll(2) ? local : NULL);
}

static void do_alone(void)
{
    struct root *root = root_pick(ROOT_BUFFER, true);
    struct {
        cl_uint a;
        cl_uchar b[3];
        cl_ushort c;
    } pair = {0};
    if (!root)
        return;
    const struct port x = port_of_bytes(root);
    const size_t n = 1 + roll((unsigned)x.bytes / 4);
    const unsigned what = roll(2) ? FIELDS : LONGER;
    begin(false);
    touch(root, true);
    take(what);
    set_port(&x);
    noise(&pair, sizeof(pair));
    if (what == FIELDS)
        must(clSetKernelArg(kernel, nargs++, sizeof(pair), &pair));
    set_uint((cl_uint)n);
    for (size_t i = 0; i < n && !w->fails; i++) {
        static const cl_uint table[5] = {3, 1, 4, 1, 5};
        cl_uint *v = port_at(&x, i, 0, 0);
        if (what == FIELDS)
            *v = *v * pair.a + pair.b[i % 3] + pair.c * table[i % 5];
        for (size_t j = 0; j < i % 61 * 9 && what == LONGER; j++)
            *v = *v * 1664525 + 1013904223;
    }
    memset(&pair, 0, sizeof(pair));
    note("%s of %zu in %u.%zu", names[what], n, (unsigned)(root - w->root), x.offset);
    launch_line(n);
}

/* ---- kernels on images ---- */

static void do_line(void)
{
    struct root *first = root_pick(ROOT_BUFFER, true), *second = root_pick(ROOT_BUFFER, true);
    if (!first || !second || first == second || !first->line || !second->mem)
        return; /* PoCL 3.1 crashes where such an image is a kernel's only memory object */
    const struct port line = port_of_line(first), other = port_of_bytes(second);
    const size_t room = line.width < other.bytes / 4 ? line.width : other.bytes / 4, local = roll(2) ? 16 : 7,
                 global = room / local * local;
    const bool put = roll(2);
    touch_ports(put ? &line : &other, put ? &other : &line);
    take(put ? PUT_LINE : TAKE_LINE);
    set_port(put ? &line : &other);
    set_port(put ? &other : &line);
    for (size_t i = 0; i < global && !w->fails; i++)
        if (put)
            *port_at(&line, i, 0, 0) = plain(&other, i) * 7;
        else
            *port_at(&other, i, 0, 0) += plain(&line, i);
    note("%s of %zu, %u and %u", put ? "put_line" : "take_line", global, (unsigned)(first - w->root),
         (unsigned)(second - w->root));
    launch(1, NULL, &global, &local);
}

static cl_uint clamped(const struct port *port, long x, long y)
{
    const long width = (long)port->width, height = (long)port->height;
    x = x < 0 ? 0 : x < width ? x : width - 1;
    y = y < 0 ? 0 : y < height ? y : height - 1;
    return *port_at(port, (size_t)x, (size_t)y, 0);
}

static bool pick_plane(struct port *port, bool write)
{
    struct root *root = root_pick(roll(2) ? ROOT_PLANE : ROOT_BUFFER, write);
    if (!root || root->kind == ROOT_SHARED)
        return false;
    *port = port_of_plane(root);
    return port->mem != NULL;
}

static const size_t tile_size[2] = {4, 2};

/* A part of the plane, in whole tiles. */
static bool pick_part(const struct port *plane, size_t offset[2], size_t global[2])
{
    const bool all = roll(2);
    const size_t extent[2] = {plane->width, plane->height};
    for (unsigned d = 0; d < 2; d++) {
        offset[d] = all ? 0 : roll((unsigned)extent[d]);
        global[d] = (extent[d] - offset[d]) / tile_size[d] * tile_size[d];
        if (!all && global[d])
            global[d] = tile_size[d] * (1 + roll((unsigned)(global[d] / tile_size[d])));
    }
    return global[0] && global[1];
}

static void do_plane(void)
{
    const bool put = roll(2);
    struct root *root = root_pick(ROOT_BUFFER, !put);
    struct port plane;
    size_t offset[2], global[2];
    const cl_uint k = roll(1000);
    if (!root || !root->mem || !pick_plane(&plane, put) || plane.root == root ||
        !pick_part(&plane, offset, global))
        return;
    const struct port other = port_of_bytes(root);
    const size_t right = offset[0] + global[0], low = offset[1] + global[1];
    if (put ? right * 4 > other.bytes : ((low - 1) * plane.width + right) * 4 > other.bytes)
        return;
    touch_ports(put ? &plane : &other, put ? &other : &plane);
    take(put ? PUT_PLANE : TAKE_PLANE);
    set_port(put ? &plane : &other);
    set_port(put ? &other : &plane);
    set_uint(put ? k : (cl_uint)plane.width);
    for (size_t y = offset[1]; y < low && !w->fails; y++)
        for (size_t x = offset[0]; x < right; x++)
            if (put)
                *port_at(&plane, x, y, 0) = plain(&other, x) + (cl_uint)y * k;
            else
                *port_at(&other, y * plane.width + x, 0, 0) ^= clamped(&plane, (long)x + 1, (long)y + 1);
    note("%s %zu,%zu from %zu,%zu: plane %u (%zu x %zu) and %u", put ? "put_plane" : "take_plane", global[0],
         global[1], offset[0], offset[1], (unsigned)(plane.root - w->root), plane.width, plane.height,
         (unsigned)(root - w->root));
    launch(2, offset, global, tile_size);
}

static void do_blur(void)
{
    struct port to, from;
    size_t offset[2], global[2];
    if (!pick_plane(&to, true) || !pick_plane(&from, false) || to.root == from.root ||
        !pick_part(&to, offset, global))
        return;
    touch_ports(&to, &from);
    take(BLUR);
    set_port(&to);
    set_port(&from);
    for (size_t y = offset[1]; y < offset[1] + global[1] && !w->fails; y++)
        for (size_t x = offset[0]; x < offset[0] + global[0]; x++)
            *port_at(&to, x, y, 0) =
                clamped(&from, (long)x, (long)y) + clamped(&from, (long)x - 1, (long)y + 2);
    note("blur %zu,%zu from %zu,%zu: %u (%zu x %zu) from %u", global[0], global[1], offset[0], offset[1],
         (unsigned)(to.root - w->root), to.width, to.height, (unsigned)(from.root - w->root));
    launch(2, offset, global, tile_size);
}

static void do_layers(void)
{
    struct root *root = root_pick(ROOT_LAYERS, true), *second = root_pick(ROOT_BUFFER, false);
    static const size_t local[3] = {4, 1, 1};
    if (!root || !second)
        return;
    const struct port to = port_of_layers(root), in = port_of_bytes(second);
    const size_t global[3] = {to.width / 4 * 4, to.height, to.layers};
    touch_ports(&to, &in);
    take(LAYERS);
    set_port(&to);
    set_port(&in);
    for (size_t z = 0; z < global[2] && !w->fails; z++)
        for (size_t y = 0; y < global[1]; y++)
            for (size_t x = 0; x < global[0]; x++)
                *port_at(&to, x, y, z) = plain(&in, x) + (cl_uint)(y * 100 + z);
    note("layers of %u", (unsigned)(root - w->root));
    launch(3, NULL, global, local);
}

/* ---- a case ---- */

static cl_context context;
static cl_program program;

/* What a curious program asks while others work. */
static void pry(void)
{
    cl_int status = 0;
    cl_uint count = 0;
    size_t size = 0;
    if (w->noutcomes) {
        const struct outcome *outcome = &w->outcome[roll(w->noutcomes)];
        must(
            clGetEventInfo(outcome->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
        must_be(status <= CL_QUEUED && (outcome->fails || status >= CL_COMPLETE), "status %d", status);
    }
    const struct root *root = &w->root[roll(MIXED_ROOTS)];
    if (root->mem) {
        must(clGetMemObjectInfo(root->mem, CL_MEM_MAP_COUNT, sizeof(count), &count, NULL));
        must(clGetMemObjectInfo(root->mem, CL_MEM_SIZE, sizeof(size), &size, NULL));
    }
    const unsigned k = roll(KERNELS);
    must(clGetKernelWorkGroupInfo(w->kernel[k], cl.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(size), &size,
                                  NULL));
}

static void one_step(void)
{
    static void (*const steps[])(void) = {do_mix,   do_mix,   do_same,  do_places, do_atomics, do_atomics,
                                          do_space, do_tile,  do_alone, do_alone,  do_line,    do_line,
                                          do_plane, do_plane, do_blur,  do_blur,   do_layers};
    const unsigned what = roll(40);
    struct root *root = &w->root[roll(MIXED_ROOTS)];
    if (what < 20)
        steps[roll(sizeof(steps) / sizeof(steps[0]))]();
    else if (what < 28)
        transfer_bytes();
    else if (what < 33)
        transfer_texels();
    else if (what < 35)
        root_renew(root);
    else if (what < 38 && root->mapped)
        root_unmap(root);
    else if (what == 38)
        pry();
    else if (what == 39 && roll(4) == 0)
        must(clFinish((open_gates(), w->queue[roll(w->nqueues)])));
}

static unsigned from_env(const char *name, unsigned fallback)
{
    const char *value = getenv(name);
    return value ? (unsigned)strtoul(value, NULL, 10) : fallback;
}

static void *run_world(void *data)
{
    const unsigned seed = *(const unsigned *)data, steps = from_env("MIXED_STEPS", 150);
    struct world *world = malloc(sizeof(*world));
    world_open(world, context, cl.device, program, names, seed);
    for (w->step = 0; w->step < steps; w->step++)
        one_step();
    world_close();
    free(world);
    return NULL;
}

START_TEST(mixed)
{
    enum { MOST = 4 };
    const unsigned first = from_env("MIXED_SEED", 1) + (unsigned)_i, nthreads = from_env("MIXED_THREADS", 1);
    pthread_t threads[MOST];
    unsigned seed[MOST];
    const char *text = source;
    cl_int code;
    printf("# seed %u\n", first);
    fflush(stdout);
    context = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &code);
    cl_ok(code);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    cl_ok(code);
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    for (unsigned t = 0; t < nthreads && t < MOST; t++) {
        seed[t] = first + 100000 * t;
        ck_assert_int_eq(pthread_create(&threads[t], NULL, run_world, &seed[t]), 0);
    }
    for (unsigned t = 0; t < nthreads && t < MOST; t++)
        ck_assert_int_eq(pthread_join(threads[t], NULL), 0);
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseContext(context));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mixed");
    TCase *tcase = tcase_create("mixed");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, cl_open_device, NULL);
    tcase_add_loop_test(tcase, mixed, 0, (int)from_env("MIXED_CASES", 8));
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
