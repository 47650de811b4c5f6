/* SPDX-License-Identifier: MIT */
/* The kernels of test_stress.c, in OpenCL C and in C. */
#include "stress_kernels.h"
#include <string.h>

const char stress_text[] =
    "__kernel void one(__global const uint *in, __global uint *out, uint k)\n"
    "{ size_t i = get_global_id(0); out[i] = in[i] * 3 + k + (uint)i; }\n"
    "__kernel void stencil(__global const uint *in, __global uint *out, uint n)\n"
    "{ uint i = get_global_id(0); if (i >= n) return;\n"
    "  uint l = i > 0 ? in[i - 1] : 7, r = i + 1 < n ? in[i + 1] : 9; out[i] = l + 2 * in[i] + 5 * r; }\n"
    "__kernel void in_place(__global uint *x, uint k)\n"
    "{ size_t i = get_global_id(0); x[i] = x[i] * 5 + k; }\n"
    "__kernel void group_sum(__global const uint *in, __global uint *out, __local uint *room)\n"
    "{ size_t l = get_local_id(0); room[l] = in[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (l == 0) { uint s = 0; for (size_t j = 0; j < get_local_size(0); j++) s = s * 31 + room[j];\n"
    "    out[get_group_id(0)] = s; } }\n"
    "__kernel void scatter(__global const uint *in, __global const uint *index, __global uint *out)\n"
    "{ size_t i = get_global_id(0); out[index[i]] = in[i] + 1; }\n"
    "__kernel void gather(__global const uint *in, __global const uint *index, __global uint *out)\n"
    "{ size_t i = get_global_id(0); out[i] = in[index[i]] + 2; }\n"
    "__kernel void some(__global const uint *in, __global uint *out, uint k)\n"
    "{ size_t i = get_global_id(0); if (in[i] % 3 == k % 3) out[i] = in[i] + k; }\n"
    "__kernel void turn(__global const uint *in, __global uint *out)\n"
    "{ size_t x = get_global_id(0), y = get_global_id(1);\n"
    "  out[y * get_global_size(0) + x] = in[x * get_global_size(1) + y] ^ (uint)x; }\n"
    "__kernel void count(__global const uint *in, __global uint *bins)\n"
    "{ atomic_add(&bins[in[get_global_id(0)] % 16], 3); }\n"
    "#define INDEXED(name, type) __kernel void name( \\\n"
    "  __global const uint *in, __global const uint *index, __global type *out)\n"
    "INDEXED(scatter_bytes, uchar) { size_t i = get_global_id(0); out[index[i]] = (uchar)(in[i] + 1); }\n"
    "INDEXED(scatter_shorts, ushort) { size_t i = get_global_id(0); out[index[i]] = (ushort)(in[i] + 1); }\n"
    "INDEXED(scatter_longs, ulong) { size_t i = get_global_id(0); out[index[i]] = in[i] * 0x100000001ul; }\n"
    "INDEXED(slots, uint) { size_t i = get_global_id(0); out[index[i] * 2 + (in[i] & 1)] = in[i]; }\n"
    "INDEXED(update, uint) { size_t i = get_global_id(0); out[index[i]] += in[i]; }\n"
    "__kernel void same(__global const uint *in, __global uint *out, uint k)\n"
    "{ uint v = in[get_global_id(0)]; if (v % 5 == k % 5) out[v / 5 % 48] = k; }\n"
    "__kernel void columns(__global const uint *in, __global uint *out)\n"
    "{ size_t i = get_global_id(0), w = get_global_size(0);\n"
    "  for (uint y = 0; y < 8; y++) out[y * w + i] = in[i * 8 + y]; }\n"
    "__kernel void pairs(__global uint *x)\n"
    "{ size_t i = get_global_id(0); uint l = i > 0 ? x[2 * i - 1] : 5; x[2 * i] += l ^ x[2 * i + 1]; }\n"
    "__kernel void two_scatter(__global uint *a, __global const uint *index, __global uint *out)\n"
    "{ size_t i = get_global_id(0); a[index[i]] = (uint)i * 7; out[1023 - index[i]] = (uint)i * 9; }\n"
    "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
    "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n"
    "#define TALLY(name, type, update) __kernel void tally_##name( \\\n"
    "  __global const uint *in, __global type *out) \\\n"
    "{ uint v = in[get_global_id(0)]; __global type *x = out + v % 48; update; }\n"
    "TALLY(add, uint, atomic_add(x, v))\nTALLY(sub, uint, atomic_sub(x, v))\n"
    "TALLY(inc, uint, atomic_inc(x))\nTALLY(dec, uint, atomic_dec(x))\n"
    "TALLY(min, int, atomic_min(x, (int)v))\nTALLY(max, int, atomic_max(x, (int)v))\n"
    "TALLY(umin, uint, atomic_min(x, v))\nTALLY(umax, uint, atomic_max(x, v))\n"
    "TALLY(and, uint, atomic_and(x, v))\nTALLY(or, uint, atomic_or(x, v))\nTALLY(xor, uint, atomic_xor(x, "
    "v))\n"
    "TALLY(long_add, ulong, atom_add(x, v * 0x100000001ul))\n"
    "TALLY(long_min, long, atom_min(x, (long)v * 0x40000000l - 0x7000000000000000l))\n"
    "__kernel void two_tally(__global uint *a, __global uint *out)\n"
    "{ uint i = get_global_id(0); atomic_add(a + i % 48, i); atomic_add(out + i * 5 % 48, 3); }\n";

const char *const stress_name[KINDS] = {"one",        "stencil",        "in_place",       "group_sum",
                                        "scatter",    "gather",         "some",           "turn",
                                        "count",      "scatter_bytes",  "scatter_shorts", "scatter_longs",
                                        "slots",      "update",         "same",           "columns",
                                        "pairs",      "two_scatter",    "tally_add",      "tally_sub",
                                        "tally_inc",  "tally_dec",      "tally_min",      "tally_max",
                                        "tally_umin", "tally_umax",     "tally_and",      "tally_or",
                                        "tally_xor",  "tally_long_add", "tally_long_min", "two_tally"};

cl_uint stress_index(cl_uint i)
{
    return (i * 397 + 11) % INDEXES;
}

struct stress_traits stress_traits(enum stress_kind kind)
{
    struct stress_traits traits = {.out_bytes = 4, .in_bytes = 4};
    traits.indexed = kind == SCATTER || kind == GATHER || (kind >= SCATTER_BYTES && kind <= UPDATE);
    traits.in_place = kind == IN_PLACE || kind == PAIRS;
    traits.writes_in = kind == TWO_SCATTER || kind == TWO_TALLY;
    traits.takes_k = kind == ONE || kind == STENCIL || kind == SOME || kind == SAME || kind == IN_PLACE;
    if (kind == TWO_SCATTER)
        traits.indexed = true;
    if (kind == SCATTER_BYTES)
        traits.out_bytes = 1;
    if (kind == SCATTER_SHORTS)
        traits.out_bytes = 2;
    if (kind == SCATTER_LONGS || kind == SLOTS || kind == PAIRS)
        traits.out_bytes = 8;
    if (kind == COLUMNS)
        traits.out_bytes = traits.in_bytes = ROWS * 4;
    if (kind == SAME || kind >= TALLY_ADD)
        traits.out_bytes = 0;
    if (kind == TWO_TALLY)
        traits.in_bytes = 0;
    return traits;
}

size_t stress_room(enum stress_kind kind, size_t in_size, size_t out_size)
{
    const struct stress_traits traits = stress_traits(kind);
    size_t room = out_size / (traits.out_bytes ? traits.out_bytes : 1);
    size_t in_room = in_size / (traits.in_bytes ? traits.in_bytes : 4);
    if ((!traits.out_bytes && room < BINS * sizeof(cl_ulong)) || (!traits.in_bytes && in_room < BINS))
        return 0;
    if (traits.in_bytes && !traits.in_place)
        room = traits.out_bytes && room < in_room ? room : in_room;
    if (!traits.indexed)
        return room / 64 * 64;
    return room >= INDEXES ? INDEXES : 0;
}

size_t stress_bytes(unsigned bytes, size_t items)
{
    return bytes ? items * bytes : BINS * sizeof(cl_ulong);
}

static cl_uint tally(enum stress_kind kind, cl_uint x, cl_uint v)
{
    switch (kind) {
    case TALLY_ADD:
        return x + v;
    case TALLY_SUB:
        return x - v;
    case TALLY_INC:
        return x + 1;
    case TALLY_DEC:
        return x - 1;
    case TALLY_MIN:
        return (cl_int)x < (cl_int)v ? x : v;
    case TALLY_MAX:
        return (cl_int)x > (cl_int)v ? x : v;
    case TALLY_UMIN:
        return x < v ? x : v;
    case TALLY_UMAX:
        return x > v ? x : v;
    case TALLY_AND:
        return x & v;
    case TALLY_OR:
        return x | v;
    default:
        return x ^ v;
    }
}

static void tally_long(enum stress_kind kind, unsigned char *at, cl_uint v)
{
    cl_ulong x;
    memcpy(&x, at, sizeof(x));
    if (kind == TALLY_LONG_ADD) {
        x += v * (cl_ulong)0x100000001;
    } else {
        cl_long y = (cl_long)v * 0x40000000 - 0x7000000000000000;
        x = (cl_long)x < y ? x : (cl_ulong)y;
    }
    memcpy(at, &x, sizeof(x));
}

/* The kinds whose units are not the model's. */
static void unlike(enum stress_kind kind, cl_uint v, size_t to, unsigned char *out)
{
    const cl_ushort narrow = (cl_ushort)(v + 1);
    const cl_ulong wide = v * (cl_ulong)0x100000001;
    if (kind == SCATTER_BYTES)
        out[to] = (unsigned char)(v + 1);
    else if (kind == SCATTER_SHORTS)
        memcpy(out + to * sizeof(narrow), &narrow, sizeof(narrow));
    else if (kind == SCATTER_LONGS)
        memcpy(out + to * sizeof(wide), &wide, sizeof(wide));
    else
        tally_long(kind, out + v % BINS * sizeof(wide), v);
}

void stress_model(enum stress_kind kind, cl_uint *in, cl_uint *out, size_t first, size_t items, size_t local,
                  cl_uint k)
{
    for (size_t i = first; i < first + items; i++) {
        cl_uint sum = 0;
        switch (kind) {
        case ONE:
            out[i] = in[i] * 3 + k + (cl_uint)i;
            break;
        case STENCIL:
            if (i < k)
                out[i] = (i > 0 ? in[i - 1] : 7) + 2 * in[i] + 5 * (i + 1 < k ? in[i + 1] : 9);
            break;
        case IN_PLACE:
            out[i] = out[i] * 5 + k;
            break;
        case GROUP_SUM:
            for (size_t j = 0; j < local && i % local == 0; j++)
                sum = sum * 31 + in[i + j];
            if (i % local == 0)
                out[i / local] = sum;
            break;
        case SCATTER:
            out[stress_index((cl_uint)i)] = in[i] + 1;
            break;
        case GATHER:
            out[i] = in[stress_index((cl_uint)i)] + 2;
            break;
        case SOME:
            if (in[i] % 3 == k % 3)
                out[i] = in[i] + k;
            break;
        case TURN: { /* out is k wide */
            size_t x = i % k, y = i / k;
            out[i] = in[x * (items / k) + y] ^ (cl_uint)x;
            break;
        }
        case COUNT:
            out[in[i] % 16] += 3;
            break;
        case SCATTER_BYTES:
        case SCATTER_SHORTS:
        case SCATTER_LONGS:
        case TALLY_LONG_ADD:
        case TALLY_LONG_MIN:
            unlike(kind, in[i], stress_index((cl_uint)i), (unsigned char *)out);
            break;
        case SLOTS:
            out[stress_index((cl_uint)i) * 2 + (in[i] & 1)] = in[i];
            break;
        case UPDATE:
            out[stress_index((cl_uint)i)] += in[i];
            break;
        case SAME:
            if (in[i] % 5 == k % 5)
                out[in[i] / 5 % BINS] = k;
            break;
        case COLUMNS:
            for (size_t y = 0; y < ROWS; y++)
                out[y * items + i] = in[i * ROWS + y];
            break;
        case PAIRS:
            out[2 * i] += (i > 0 ? out[2 * i - 1] : 5) ^ out[2 * i + 1];
            break;
        case TWO_SCATTER:
            in[stress_index((cl_uint)i)] = (cl_uint)i * 7;
            out[INDEXES - 1 - stress_index((cl_uint)i)] = (cl_uint)i * 9;
            break;
        case TWO_TALLY:
            in[i % BINS] += (cl_uint)i;
            out[i * 5 % BINS] += 3;
            break;
        case TALLY_ADD:
        case TALLY_SUB:
        case TALLY_INC:
        case TALLY_DEC:
        case TALLY_MIN:
        case TALLY_MAX:
        case TALLY_UMIN:
        case TALLY_UMAX:
        case TALLY_AND:
        case TALLY_OR:
        case TALLY_XOR:
            out[in[i] % BINS] = tally(kind, out[in[i] % BINS], in[i]);
            break;
        case KINDS:
            break;
        }
    }
}
