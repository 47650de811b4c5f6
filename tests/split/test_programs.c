/* SPDX-License-Identifier: MIT */
/*
 * Small programs as people write them, each held against its own plain C: sorts by many passes, a solver with
 * scalars on the host, a search by frontiers, elimination in tiles, life in images, clusters by atomics,
 * streams with two queues and callbacks, threads that share a kernel. Arguments are set between enqueues,
 * objects released at once, nothing is waited for unless it must be. Knows nothing of coexec.
 */
#include "cl_fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static cl_kernel kernel_in(cl_program program, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    cl_ok(error);
    return kernel;
}

static void set_uint(cl_kernel kernel, cl_uint index, cl_uint value)
{
    cl_ok(clSetKernelArg(kernel, index, sizeof(value), &value));
}

static void enqueue(cl_kernel kernel, size_t global, size_t local)
{
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &global, local ? &local : NULL, 0, NULL, NULL));
}

/* ---- sorting: digits counted by groups, scanned by one, scattered in order ---- */

static const char radix_source[] =
    "__kernel void count(__global const uint *in, __global uint *counts, uint shift, uint n, uint groups)\n"
    "{ __local uint bins[16]; uint l = get_local_id(0), i = get_global_id(0); if (l < 16) bins[l] = 0;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); if (i < n) atomic_inc(&bins[in[i] >> shift & 15]);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); if (l < 16) counts[l * groups + get_group_id(0)] = bins[l]; }\n"
    "__kernel void scan(__global uint *x, uint n)\n"
    "{ __local uint part[64]; uint l = get_local_id(0), each = (n + 63) / 64, s = 0, before = 0;\n"
    "  for (uint i = l * each; i < min((l + 1) * each, n); i++) s += x[i];\n"
    "  part[l] = s; barrier(CLK_LOCAL_MEM_FENCE); for (uint i = 0; i < l; i++) before += part[i];\n"
    "  for (uint i = l * each; i < min((l + 1) * each, n); i++) { s = x[i]; x[i] = before; before += s; } }\n"
    "__kernel void scatter(__global const uint *in, __global uint *out, __global const uint *counts,\n"
    "                      uint shift, uint n, uint groups)\n"
    "{ __local uint digit[64]; uint l = get_local_id(0), i = get_global_id(0), rank = 0;\n"
    "  uint v = i < n ? in[i] : 0; digit[l] = i < n ? v >> shift & 15 : 99; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (i >= n) return; for (uint j = 0; j < l; j++) rank += digit[j] == digit[l];\n"
    "  out[counts[digit[l] * groups + get_group_id(0)] + rank] = v; }\n"
    "__kernel void exchange(__global uint *x, uint block, uint step)\n"
    "{ uint i = get_global_id(0), o = i ^ step; if (o <= i) return; uint a = x[i], b = x[o];\n"
    "  if ((a > b) == ((i & block) == 0)) { x[i] = b; x[o] = a; } }\n";

static int by_value(const void *a, const void *b)
{
    const cl_uint x = *(const cl_uint *)a, y = *(const cl_uint *)b;
    return (x > y) - (x < y);
}

START_TEST(radix_sort)
{
    enum { N = 5003, GROUPS = (N + 63) / 64 };
    static cl_uint keys[N], got[N];
    cl_program program = cl_build(radix_source, "");
    cl_kernel count = kernel_in(program, "count"), scan = kernel_in(program, "scan"),
              scatter = kernel_in(program, "scatter");
    cl_noise(keys, sizeof(keys));
    cl_mem a = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(keys), keys), b = cl_buffer(0, sizeof(keys), NULL),
           counts = cl_buffer(0, 16 * GROUPS * sizeof(cl_uint), NULL);
    cl_set_mem(count, 1, counts);
    cl_set_mem(scan, 0, counts);
    cl_set_mem(scatter, 2, counts);
    set_uint(count, 3, N);
    set_uint(count, 4, GROUPS);
    set_uint(scan, 1, 16 * GROUPS);
    set_uint(scatter, 4, N);
    set_uint(scatter, 5, GROUPS);
    for (cl_uint shift = 0; shift < 32; shift += 4) {
        cl_set_mem(count, 0, a);
        set_uint(count, 2, shift);
        enqueue(count, GROUPS * 64, 64);
        enqueue(scan, 64, 64);
        cl_set_mem(scatter, 0, a);
        cl_set_mem(scatter, 1, b);
        set_uint(scatter, 3, shift);
        enqueue(scatter, GROUPS * 64, 64);
        cl_mem other = a;
        a = b;
        b = other;
    }
    cl_ok(clEnqueueReadBuffer(cl.queue, a, CL_FALSE, 0, sizeof(got), got, 0, NULL, NULL));
    cl_mem mems[] = {a, b, counts};
    for (unsigned i = 0; i < 3; i++)
        cl_ok(clReleaseMemObject(mems[i]));
    cl_kernel kernels[] = {count, scan, scatter};
    for (unsigned i = 0; i < 3; i++)
        cl_ok(clReleaseKernel(kernels[i]));
    cl_ok(clReleaseProgram(program));
    cl_ok(clFinish(cl.queue));
    qsort(keys, N, sizeof(keys[0]), by_value);
    ck_assert_mem_eq(got, keys, sizeof(keys));
}
END_TEST

START_TEST(bitonic_sort)
{
    enum { N = 2048 };
    static cl_uint keys[N], got[N];
    cl_program program = cl_build(radix_source, NULL);
    cl_kernel exchange = kernel_in(program, "exchange");
    cl_noise(keys, sizeof(keys));
    cl_mem x = cl_buffer(CL_MEM_USE_HOST_PTR, sizeof(keys), memcpy(got, keys, sizeof(keys)));
    cl_set_mem(exchange, 0, x);
    for (cl_uint block = 2; block <= N; block *= 2)
        for (cl_uint step = block / 2; step; step /= 2) {
            set_uint(exchange, 1, block);
            set_uint(exchange, 2, step);
            enqueue(exchange, N, 64);
        }
    qsort(keys, N, sizeof(keys[0]), by_value);
    cl_int error;
    const cl_uint *mapped =
        clEnqueueMapBuffer(cl.queue, x, CL_TRUE, CL_MAP_READ, 0, sizeof(keys), 0, NULL, NULL, &error);
    cl_ok(error);
    ck_assert_mem_eq(mapped, keys, sizeof(keys));
    cl_ok(clEnqueueUnmapMemObject(cl.queue, x, (void *)(uintptr_t)mapped, 0, NULL, NULL));
    cl_ok(clReleaseMemObject(x));
    cl_ok(clReleaseKernel(exchange));
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* ---- conjugate gradients on a plate, with sums by groups and scalars on the host ---- */

static const char solve_source[] =
    "#define AT(v, x, y) ((x) < 0 || (y) < 0 || (x) >= w || (y) >= h ? 0.0f : v[(y) * w + (x)])\n"
    "__kernel void apply(__global float *q, __global const float *p, int w, int h)\n"
    "{ int x = get_global_id(0), y = get_global_id(1); if (x >= w || y >= h) return;\n"
    "  q[y * w + x] = 4.5f * p[y * w + x] - AT(p, x - 1, y) - AT(p, x + 1, y) - AT(p, x, y - 1)\n"
    "      - AT(p, x, y + 1); }\n"
    "__kernel void dot_(__global const float *a, __global const float *b, __global float *sums, int n,\n"
    "                   __local float *room)\n"
    "{ int i = get_global_id(0), l = get_local_id(0); room[l] = i < n ? a[i] * b[i] : 0;\n"
    "  for (int s = get_local_size(0) / 2; s; s /= 2) { barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (l < s) room[l] += room[l + s]; }\n"
    "  if (l == 0) sums[get_group_id(0) + 3] = room[0]; }\n"
    "__kernel void axpy(__global float *y, __global const float *x, float a, float b, int n)\n"
    "{ int i = get_global_id(0); if (i < n) y[i] = a * x[i] + b * y[i]; }\n";

static struct {
    cl_kernel apply, dot, axpy;
    cl_mem sums;
    int w, h, n;
} cg;

static double dot(cl_mem a, cl_mem b)
{
    enum { MOST = 64 };
    const unsigned groups = (unsigned)(cg.n + 63) / 64;
    float sums[MOST];
    double all = 0;
    cl_set_mem(cg.dot, 0, a);
    cl_set_mem(cg.dot, 1, b);
    enqueue(cg.dot, groups * 64, 64);
    cl_ok(clEnqueueReadBuffer(cl.queue, cg.sums, CL_TRUE, 3 * sizeof(float), groups * sizeof(float), sums, 0,
                              NULL, NULL));
    for (unsigned i = 0; i < groups; i++)
        all += (double)sums[i];
    return all;
}

static void axpy(cl_mem y, cl_mem x, float a, float b)
{
    cl_set_mem(cg.axpy, 0, y);
    cl_set_mem(cg.axpy, 1, x);
    cl_ok(clSetKernelArg(cg.axpy, 2, sizeof(a), &a));
    cl_ok(clSetKernelArg(cg.axpy, 3, sizeof(b), &b));
    enqueue(cg.axpy, (size_t)(cg.n + 63) / 64 * 64, 64);
}

START_TEST(conjugate_gradients)
{
    enum { W = 61, H = 37, N = W * H };
    const size_t global[2] = {64, 40}, local[2] = {16, 2};
    const float zero = 0;
    static float right[N], x_got[N], back[N];
    cl_program program = cl_build(solve_source, "-cl-std=CL1.2");
    cg.apply = kernel_in(program, "apply");
    cg.dot = kernel_in(program, "dot_");
    cg.axpy = kernel_in(program, "axpy");
    cg.w = W;
    cg.h = H;
    cg.n = N;
    for (unsigned i = 0; i < N; i++)
        right[i] = (float)cl_roll(1000) / 100 - 5;
    cg.sums = cl_buffer(CL_MEM_WRITE_ONLY, 64 * sizeof(float), NULL);
    cl_mem x = cl_buffer(0, sizeof(right), NULL), q = cl_buffer(0, sizeof(right), NULL),
           r = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(right), right), p = cl_buffer(0, sizeof(right), NULL);
    cl_ok(clEnqueueFillBuffer(cl.queue, x, &zero, sizeof(zero), 0, sizeof(right), 0, NULL, NULL));
    cl_ok(clEnqueueCopyBuffer(cl.queue, r, p, 0, 0, sizeof(right), 0, NULL, NULL));
    cl_set_mem(cg.apply, 0, q);
    cl_set_int(cg.apply, 2, W);
    cl_set_int(cg.apply, 3, H);
    cl_set_mem(cg.dot, 2, cg.sums);
    cl_set_int(cg.dot, 3, N);
    cl_ok(clSetKernelArg(cg.dot, 4, 64 * sizeof(float), NULL));
    cl_set_int(cg.axpy, 4, N);
    double rr = dot(r, r), first = rr;
    unsigned steps = 0;
    for (; steps < 60 && rr > first * 1e-11; steps++) {
        cl_set_mem(cg.apply, 1, p);
        cl_ok(clEnqueueNDRangeKernel(cl.queue, cg.apply, 2, NULL, global, local, 0, NULL, NULL));
        const double alpha = rr / dot(p, q);
        axpy(x, p, (float)alpha, 1);
        axpy(r, q, (float)-alpha, 1);
        const double next = dot(r, r);
        axpy(p, r, 1, (float)(next / rr));
        rr = next;
    }
    ck_assert_msg(steps < 60, "no convergence: %g of %g", rr, first);
    cl_set_mem(cg.apply, 1, x);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, cg.apply, 2, NULL, global, local, 0, NULL, NULL));
    cl_read(x, x_got, sizeof(x_got));
    cl_read(q, back, sizeof(back));
    for (unsigned i = 0; i < N; i++)
        ck_assert_msg(back[i] - right[i] < 1e-3f && right[i] - back[i] < 1e-3f, "%u: %g, not %g", i,
                      (double)back[i], (double)right[i]);
    cl_mem mems[] = {x, q, r, p, cg.sums};
    for (unsigned i = 0; i < 5; i++)
        cl_ok(clReleaseMemObject(mems[i]));
    cl_kernel kernels[] = {cg.apply, cg.dot, cg.axpy};
    for (unsigned i = 0; i < 3; i++)
        cl_ok(clReleaseKernel(kernels[i]));
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* ---- breadth first, with a flag that the host looks at ---- */

static const char frontier_source[] =
    "__kernel void visit(__global const uint *first, __global const uint *edges, __global int *level,\n"
    "                    __global int *more, int depth, uint n)\n"
    "{ uint i = get_global_id(0); if (i >= n || level[i] != depth) return;\n"
    "  for (uint e = first[i]; e < first[i + 1]; e++) if (level[edges[e]] < 0) {\n"
    "    level[edges[e]] = depth + 1; *more = 1; } }\n"
    "__kernel void tally(__global const int *level, __global uint *found, uint n)\n"
    "{ uint i = get_global_id(0); if (i < n && level[i] >= 0) atomic_inc(&found[level[i] & 31]); }\n";

START_TEST(frontiers)
{
    enum { N = 3001, EACH = 3 };
    static cl_uint first[N + 1], edges[N * EACH], found[32], want_found[32];
    static cl_int level[N], want[N], list[N];
    const cl_uint none = 0;
    cl_int more = 1;
    cl_program program = cl_build(frontier_source, "");
    cl_kernel visit = kernel_in(program, "visit"), tally = kernel_in(program, "tally");
    for (unsigned i = 0; i < N; i++) {
        first[i + 1] = (i + 1) * EACH;
        level[i] = want[i] = -1;
        for (unsigned e = 0; e < EACH; e++)
            edges[i * EACH + e] = e ? (i + cl_roll(200)) % N : cl_roll(N / 2);
    }
    unsigned head = 0, tail = 1;
    want[0] = level[0] = list[0] = 0;
    while (head < tail) {
        const unsigned at = (unsigned)list[head++];
        want_found[want[at] & 31]++;
        for (unsigned e = first[at]; e < first[at + 1]; e++)
            if (want[edges[e]] < 0) {
                want[edges[e]] = want[at] + 1;
                list[tail++] = (cl_int)edges[e];
            }
    }
    cl_mem mems[] = {cl_buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(first), first),
                     cl_buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, sizeof(edges), edges),
                     cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(level), level), cl_buffer(0, sizeof(more), NULL),
                     cl_buffer(0, sizeof(found), NULL)};
    for (cl_uint i = 0; i < 4; i++)
        cl_set_mem(visit, i, mems[i]);
    set_uint(visit, 5, N);
    for (cl_int depth = 0; more && depth < N; depth++) {
        more = 0;
        cl_ok(clEnqueueWriteBuffer(cl.queue, mems[3], CL_FALSE, 0, sizeof(more), &more, 0, NULL, NULL));
        cl_set_int(visit, 4, depth);
        enqueue(visit, 3008, 64);
        cl_ok(clEnqueueReadBuffer(cl.queue, mems[3], CL_TRUE, 0, sizeof(more), &more, 0, NULL, NULL));
    }
    cl_ok(clEnqueueFillBuffer(cl.queue, mems[4], &none, sizeof(none), 0, sizeof(found), 0, NULL, NULL));
    cl_set_mem(tally, 0, mems[2]);
    cl_set_mem(tally, 1, mems[4]);
    set_uint(tally, 2, N);
    enqueue(tally, N, 0);
    cl_read(mems[2], level, sizeof(level));
    cl_read(mems[4], found, sizeof(found));
    ck_assert_mem_eq(level, want, sizeof(level));
    ck_assert_mem_eq(found, want_found, sizeof(found));
    for (unsigned i = 0; i < 5; i++)
        cl_ok(clReleaseMemObject(mems[i]));
    cl_ok(clReleaseKernel(visit));
    cl_ok(clReleaseKernel(tally));
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* ---- elimination in tiles, each a window of one buffer; numbers modulo 2^32, pivots odd ---- */

enum { TILE = 16, TILES = 5, SIDE = TILE * TILES, TILE_INTS = TILE * TILE };

static const char tile_source[] =
    "#define T 16\n"
    "uint inverse(uint a) { uint x = a; for (int i = 0; i < 5; i++) x *= 2 - a * x; return x; }\n"
    "__kernel void pivot(__global uint *a)\n" /* one group */
    "{ int r = get_local_id(0); for (int k = 0; k < T; k++) { barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    if (r > k) { uint f = a[r * T + k] *= inverse(a[k * T + k]);\n"
    "      for (int c = k + 1; c < T; c++) a[r * T + c] -= f * a[k * T + c]; } } }\n"
    "__kernel void right(__global uint *b, __global const uint *a)\n" /* b := L^-1 b, a column an item */
    "{ int c = get_global_id(0); for (int k = 0; k < T; k++) for (int r = k + 1; r < T; r++)\n"
    "    b[r * T + c] -= a[r * T + k] * b[k * T + c]; }\n"
    "__kernel void below(__global uint *b, __global const uint *a)\n" /* b := b U^-1, a row an item */
    "{ int r = get_global_id(0); for (int k = 0; k < T; k++) {\n"
    "    uint v = b[r * T + k] *= inverse(a[k * T + k]);\n"
    "    for (int c = k + 1; c < T; c++) b[r * T + c] -= v * a[k * T + c]; } }\n"
    "__kernel void update(__global uint *c, __global const uint *a, __global const uint *b)\n"
    "{ int x = get_global_id(0), y = get_global_id(1); uint s = 0;\n"
    "  for (int k = 0; k < T; k++) s += a[y * T + k] * b[k * T + x]; c[y * T + x] -= s; }\n";

static void on_tiles(cl_command_queue queue, cl_kernel kernel, cl_mem a, cl_mem b, cl_mem c)
{
    const size_t line[2] = {TILE, TILE}, local[2] = {c ? 8 : b ? 4 : TILE, 1};
    cl_set_mem(kernel, 0, a);
    if (b)
        cl_set_mem(kernel, 1, b);
    if (c)
        cl_set_mem(kernel, 2, c);
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, c ? 2 : 1, NULL, line, local, 0, NULL, NULL));
}

START_TEST(tiles)
{
    static cl_uint full[SIDE][SIDE], packed[TILES * TILES * TILE_INTS], got[TILES * TILES * TILE_INTS];
    cl_program program = cl_build(tile_source, "");
    cl_kernel pivot = kernel_in(program, "pivot"), right = kernel_in(program, "right"),
              below = kernel_in(program, "below"), update = kernel_in(program, "update");
    cl_mem tile[TILES * TILES];
    cl_int error;
    for (unsigned y = 0; y < SIDE; y++)
        for (unsigned x = 0; x < SIDE; x++)
            packed[(y / TILE * TILES + x / TILE) * TILE_INTS + y % TILE * TILE + x % TILE] = full[y][x] =
                x == y ? cl_roll(1u << 20) | 1 : cl_roll(1u << 20) & ~1u;
    for (unsigned k = 0; k < SIDE; k++)
        for (unsigned y = k + 1; y < SIDE; y++) {
            cl_uint inverse = full[k][k];
            for (int i = 0; i < 5; i++)
                inverse *= 2 - full[k][k] * inverse;
            full[y][k] *= inverse;
            for (unsigned x = k + 1; x < SIDE; x++)
                full[y][x] -= full[y][k] * full[k][x];
        }
    cl_mem all = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(packed), packed);
    for (unsigned t = 0; t < TILES * TILES; t++) {
        const cl_buffer_region region = {t * TILE_INTS * sizeof(cl_uint), TILE_INTS * sizeof(cl_uint)};
        tile[t] = clCreateSubBuffer(all, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
        cl_ok(error);
    }
    for (unsigned k = 0; k < TILES; k++) {
        on_tiles(cl.queue, pivot, tile[k * TILES + k], NULL, NULL);
        for (unsigned i = k + 1; i < TILES; i++) {
            on_tiles(cl.queue, right, tile[k * TILES + i], tile[k * TILES + k], NULL);
            on_tiles(cl.queue, below, tile[i * TILES + k], tile[k * TILES + k], NULL);
        }
        for (unsigned y = k + 1; y < TILES; y++)
            for (unsigned x = k + 1; x < TILES; x++)
                on_tiles(cl.queue, update, tile[y * TILES + x], tile[y * TILES + k], tile[k * TILES + x]);
    }
    for (unsigned t = 0; t < TILES * TILES; t++)
        cl_ok(clReleaseMemObject(tile[t]));
    cl_read(all, got, sizeof(got));
    for (unsigned y = 0; y < SIDE; y++)
        for (unsigned x = 0; x < SIDE; x++) {
            const cl_uint at = got[(y / TILE * TILES + x / TILE) * TILE_INTS + y % TILE * TILE + x % TILE];
            ck_assert_msg(at == full[y][x], "%u, %u: %u, not %u", x, y, at, full[y][x]);
        }
    cl_ok(clReleaseMemObject(all));
    cl_kernel kernels[] = {pivot, right, below, update};
    for (unsigned i = 0; i < 4; i++)
        cl_ok(clReleaseKernel(kernels[i]));
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* ---- life, in images ---- */

static const char life_source[] =
    "__constant sampler_t at = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
    "__kernel void step_(__read_only image2d_t now, __write_only image2d_t next)\n"
    "{ int2 p = (int2)(get_global_id(0), get_global_id(1)); uint n = 0;\n"
    "  if (p.x >= get_image_width(next) || p.y >= get_image_height(next)) return;\n"
    "  for (int y = -1; y <= 1; y++) for (int x = -1; x <= 1; x++)\n"
    "    n += x || y ? read_imageui(now, at, p + (int2)(x, y)).x : 0;\n"
    "  uint lives = read_imageui(now, at, p).x; write_imageui(next, p, (uint4)(n == 3 || (lives && n == "
    "2))); "
    "}\n";

START_TEST(life)
{
    enum { W = 67, H = 45, GENERATIONS = 23 };
    static unsigned char field[2][H + 2][W + 2], got[H][W];
    const size_t none[3] = {0, 0, 0}, all[3] = {W, H, 1}, global[2] = {72, 46}, local[2] = {8, 2};
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    cl_kernel kernel = cl_kernel_of(life_source, "step_");
    cl_mem image[2];
    cl_int error;
    size_t row;
    for (unsigned i = 0; i < 2; i++) {
        image[i] = clCreateImage(cl.context, 0, &format, &desc, NULL, &error);
        cl_ok(error);
    }
    unsigned char *mapped = clEnqueueMapImage(cl.queue, image[0], CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION,
                                              none, all, &row, NULL, 0, NULL, NULL, &error);
    cl_ok(error);
    for (unsigned y = 0; y < H; y++)
        for (unsigned x = 0; x < W; x++)
            mapped[y * row + x] = field[0][y + 1][x + 1] = cl_roll(3) == 0;
    cl_ok(clEnqueueUnmapMemObject(cl.queue, image[0], mapped, 0, NULL, NULL));
    for (unsigned g = 0; g < GENERATIONS; g++) {
        cl_set_mem(kernel, 0, image[g % 2]);
        cl_set_mem(kernel, 1, image[1 - g % 2]);
        cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 2, NULL, global, local, 0, NULL, NULL));
        for (unsigned y = 1; y <= H; y++)
            for (unsigned x = 1; x <= W; x++) {
                unsigned n = 0;
                for (unsigned i = 0; i < 9; i++)
                    n += i == 4 ? 0 : field[g % 2][y - 1 + i / 3][x - 1 + i % 3];
                field[1 - g % 2][y][x] = n == 3 || (field[g % 2][y][x] && n == 2);
            }
    }
    cl_ok(
        clEnqueueReadImage(cl.queue, image[GENERATIONS % 2], CL_FALSE, none, all, 0, 0, got, 0, NULL, NULL));
    for (unsigned i = 0; i < 2; i++)
        cl_ok(clReleaseMemObject(image[i]));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clFinish(cl.queue));
    for (unsigned y = 0; y < H; y++)
        for (unsigned x = 0; x < W; x++)
            ck_assert_msg(got[y][x] == field[GENERATIONS % 2][y + 1][x + 1], "%u, %u", x, y);
}
END_TEST

/* ---- clusters: sums by atomics, centres by the host ---- */

static const char cluster_source[] =
    "__kernel void assign(__global const int2 *points, __constant int2 *centres, __global uchar *label,\n"
    "                     __global int *sums, uint n, uint k)\n"
    "{ uint i = get_global_id(0), best = 0; if (i >= n) return; long least = 1L << 60;\n"
    "  for (uint c = 0; c < k; c++) { long dx = points[i].x - centres[c].x, dy = points[i].y - "
    "centres[c].y,\n"
    "    d = dx * dx + dy * dy; if (d < least) { least = d; best = c; } }\n"
    "  label[i] = best; atomic_add(&sums[best * 3], points[i].x); atomic_add(&sums[best * 3 + 1], "
    "points[i].y);\n"
    "  atomic_inc(&sums[best * 3 + 2]); }\n";

START_TEST(clusters)
{
    enum { N = 4001, K = 5, ROUNDS = 8 };
    static cl_int2 points[N];
    static cl_uchar label[N], want[N];
    cl_int2 centre[K];
    const cl_int zero = 0;
    cl_kernel kernel = cl_kernel_of(cluster_source, "assign");
    for (unsigned i = 0; i < N; i++)
        points[i] = (cl_int2){{(cl_int)cl_roll(1000) + (cl_int)(i % K) * 700, (cl_int)cl_roll(1000) - 400}};
    for (unsigned c = 0; c < K; c++)
        centre[c] = points[c * 31];
    cl_mem mems[] = {cl_buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(points), points),
                     cl_buffer(CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, sizeof(centre), NULL),
                     cl_buffer(CL_MEM_WRITE_ONLY, sizeof(label), NULL),
                     cl_buffer(0, K * 3 * sizeof(cl_int), NULL)};
    for (cl_uint i = 0; i < 4; i++)
        cl_set_mem(kernel, i, mems[i]);
    set_uint(kernel, 4, N);
    set_uint(kernel, 5, K);
    for (unsigned round = 0; round < ROUNDS; round++) {
        cl_int error, sums[K][3], model[K][3] = {{0}};
        cl_event filled, ran;
        cl_int2 *at = clEnqueueMapBuffer(cl.queue, mems[1], CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
                                         sizeof(centre), 0, NULL, NULL, &error);
        cl_ok(error);
        memcpy(at, centre, sizeof(centre));
        cl_ok(clEnqueueUnmapMemObject(cl.queue, mems[1], at, 0, NULL, NULL));
        cl_ok(clEnqueueFillBuffer(cl.queue, mems[3], &zero, sizeof(zero), 0, sizeof(sums), 0, NULL, &filled));
        const size_t global = (N + 63) / 64 * 64, local = 64;
        cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &global, &local, 1, &filled, &ran));
        cl_ok(clEnqueueReadBuffer(cl.queue, mems[3], CL_TRUE, 0, sizeof(sums), sums, 1, &ran, NULL));
        cl_ok(clReleaseEvent(filled));
        cl_ok(clReleaseEvent(ran));
        for (unsigned i = 0; i < N; i++) {
            cl_long least = (cl_long)1 << 60;
            for (unsigned c = 0; c < K; c++) {
                const cl_long dx = points[i].s[0] - centre[c].s[0], dy = points[i].s[1] - centre[c].s[1];
                if (dx * dx + dy * dy < least) {
                    least = dx * dx + dy * dy;
                    want[i] = (cl_uchar)c;
                }
            }
            model[want[i]][0] += points[i].s[0];
            model[want[i]][1] += points[i].s[1];
            model[want[i]][2]++;
        }
        ck_assert_mem_eq(sums, model, sizeof(sums));
        for (unsigned c = 0; c < K; c++)
            for (unsigned d = 0; d < 2 && sums[c][2]; d++)
                centre[c].s[d] = sums[c][d] / sums[c][2];
    }
    cl_read(mems[2], label, sizeof(label));
    ck_assert_mem_eq(label, want, sizeof(label));
    for (unsigned i = 0; i < 4; i++)
        cl_ok(clReleaseMemObject(mems[i]));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

/* ---- a stream through two buffers, with a queue for transfers and one for work ---- */

static const char stream_source[] =
    "__kernel void convert(__global const uchar *in, __global ushort *out, uint n, ushort k)\n"
    "{ uint i = get_global_id(0); if (i < n) out[i] = (ushort)(in[i] * k + (i > 0 ? in[i - 1] : 0)); }\n";

enum { CHUNK = 1500, CHUNKS = 17 };
static struct {
    pthread_mutex_t lock;
    unsigned done;
    cl_event go[CHUNKS]; /* opened by the callback of the chunk before */
} stream = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void CL_CALLBACK chunk_over(cl_event event, cl_int status, void *data)
{
    const unsigned chunk = (unsigned)(uintptr_t)data;
    (void)event;
    pthread_mutex_lock(&stream.lock);
    stream.done += status == CL_COMPLETE;
    pthread_mutex_unlock(&stream.lock);
    if (chunk + 2 < CHUNKS)
        clSetUserEventStatus(stream.go[chunk + 2], CL_COMPLETE);
}

START_TEST(streaming)
{
    static cl_uchar in[CHUNKS][CHUNK];
    static cl_ushort out[CHUNKS][CHUNK];
    cl_kernel kernel = cl_kernel_of(stream_source, "convert");
    cl_command_queue copies = cl_queue(0), work = cl_queue(CL_QUEUE_PROFILING_ENABLE);
    cl_mem from[2], to[2];
    cl_event read[CHUNKS], ran[CHUNKS];
    cl_int error;
    if (!cl_user_events_work())
        return;
    cl_noise(in, sizeof(in));
    for (unsigned i = 0; i < 2; i++) {
        from[i] = cl_buffer(CL_MEM_READ_ONLY, CHUNK, NULL);
        to[i] = cl_buffer(CL_MEM_WRITE_ONLY, CHUNK * sizeof(cl_ushort), NULL);
    }
    for (unsigned c = 0; c < CHUNKS; c++) {
        stream.go[c] = clCreateUserEvent(cl.context, &error);
        cl_ok(error);
    }
    for (unsigned c = 0; c < CHUNKS; c++) {
        const cl_ushort k = (cl_ushort)(3 + c);
        const size_t global = (CHUNK + 15) / 16 * 16, local = 16;
        cl_event wrote;
        cl_ok(clEnqueueWriteBuffer(copies, from[c % 2], CL_FALSE, 0, CHUNK, in[c], 1, &stream.go[c], &wrote));
        cl_ok(clFlush(copies));
        cl_set_mem(kernel, 0, from[c % 2]);
        cl_set_mem(kernel, 1, to[c % 2]);
        set_uint(kernel, 2, CHUNK);
        cl_ok(clSetKernelArg(kernel, 3, sizeof(k), &k));
        cl_ok(clEnqueueNDRangeKernel(work, kernel, 1, NULL, &global, &local, 1, &wrote, &ran[c]));
        cl_ok(
            clEnqueueReadBuffer(work, to[c % 2], CL_FALSE, 0, sizeof(out[c]), out[c], 1, &ran[c], &read[c]));
        cl_ok(clFlush(work));
        cl_ok(clReleaseEvent(wrote));
        cl_ok(clSetEventCallback(read[c], CL_COMPLETE, chunk_over, (void *)(uintptr_t)c));
    }
    cl_ok(clSetUserEventStatus(stream.go[0], CL_COMPLETE));
    cl_ok(clSetUserEventStatus(stream.go[1], CL_COMPLETE));
    cl_ok(clWaitForEvents(CHUNKS, read));
    for (unsigned c = 0; c < CHUNKS; c++) {
        cl_ulong start, end;
        cl_ok(clGetEventProfilingInfo(ran[c], CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL));
        cl_ok(clGetEventProfilingInfo(ran[c], CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
        ck_assert_uint_le(start, end);
        for (unsigned i = 0; i < CHUNK; i++)
            ck_assert_msg(out[c][i] == (cl_ushort)(in[c][i] * (3 + c) + (i ? in[c][i - 1] : 0)),
                          "chunk %u, %u", c, i);
    }
    for (;;) { /* callbacks may come after the wait */
        pthread_mutex_lock(&stream.lock);
        const unsigned done = stream.done;
        pthread_mutex_unlock(&stream.lock);
        if (done == CHUNKS)
            break;
        usleep(1000);
    }
    for (unsigned c = 0; c < CHUNKS; c++) {
        cl_ok(clReleaseEvent(read[c]));
        cl_ok(clReleaseEvent(ran[c]));
        cl_ok(clReleaseEvent(stream.go[c]));
    }
    for (unsigned i = 0; i < 2; i++) {
        cl_ok(clReleaseMemObject(from[i]));
        cl_ok(clReleaseMemObject(to[i]));
    }
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseCommandQueue(copies));
    cl_ok(clReleaseCommandQueue(work));
}
END_TEST

/* ---- threads that share kernel and context, each with a queue ---- */

enum { THREADS = 3, TURNS = 12, SHARE = 700 };
static struct {
    pthread_mutex_t lock;
    cl_kernel kernel;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *take_turns(void *data)
{
    const unsigned t = (unsigned)(uintptr_t)data;
    cl_ushort *got = malloc(SHARE * sizeof(*got));
    cl_uchar *in = malloc(SHARE);
    cl_int code;
    uintptr_t wrong = 0;
    cl_command_queue queue = clCreateCommandQueue(cl.context, cl.device, 0, &code);
    for (unsigned turn = 0; turn < TURNS && code == CL_SUCCESS; turn++) {
        const cl_ushort k = (cl_ushort)(t * 100 + turn);
        const cl_uint n = SHARE - turn;
        const size_t global = SHARE / 16 * 16 + 16;
        const size_t local = 16;
        for (unsigned i = 0; i < SHARE; i++)
            in[i] = (cl_uchar)(i * (t + 3) + turn);
        cl_mem from = clCreateBuffer(cl.context, CL_MEM_USE_HOST_PTR, SHARE, in, &code);
        cl_mem to = clCreateBuffer(cl.context, 0, SHARE * sizeof(*got), NULL, &code);
        pthread_mutex_lock(&shared.lock);
        code |= clSetKernelArg(shared.kernel, 0, sizeof(from), &from) |
                clSetKernelArg(shared.kernel, 1, sizeof(to), &to) |
                clSetKernelArg(shared.kernel, 2, sizeof(n), &n) |
                clSetKernelArg(shared.kernel, 3, sizeof(k), &k) |
                clEnqueueNDRangeKernel(queue, shared.kernel, 1, NULL, &global, &local, 0, NULL, NULL);
        pthread_mutex_unlock(&shared.lock);
        clReleaseMemObject(from);
        code |= clEnqueueReadBuffer(queue, to, CL_TRUE, 2 * sizeof(*got), (n - 2) * sizeof(*got), got, 0,
                                    NULL, NULL);
        clReleaseMemObject(to);
        for (unsigned i = 2; i < n; i++)
            wrong += got[i - 2] != (cl_ushort)(in[i] * k + in[i - 1]);
    }
    clReleaseCommandQueue(queue);
    free(got);
    free(in);
    return (void *)(code ? (uintptr_t)1000000 : wrong);
}

START_TEST(threads)
{
    pthread_t thread[THREADS];
    shared.kernel = cl_kernel_of(stream_source, "convert");
    for (uintptr_t t = 0; t < THREADS; t++)
        ck_assert_int_eq(pthread_create(&thread[t], NULL, take_turns, (void *)t), 0);
    for (unsigned t = 0; t < THREADS; t++) {
        void *wrong = NULL;
        pthread_join(thread[t], &wrong);
        ck_assert_uint_eq((uintptr_t)wrong, 0);
    }
    cl_ok(clReleaseKernel(shared.kernel));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("programs");
    TCase *tcase = cl_case(suite, "programs");
    tcase_add_test(tcase, radix_sort);
    tcase_add_test(tcase, bitonic_sort);
    tcase_add_test(tcase, conjugate_gradients);
    tcase_add_test(tcase, frontiers);
    tcase_add_test(tcase, tiles);
    tcase_add_test(tcase, life);
    tcase_add_test(tcase, clusters);
    tcase_add_test(tcase, streaming);
    tcase_add_test(tcase, threads);
    return tap_run(suite);
}
