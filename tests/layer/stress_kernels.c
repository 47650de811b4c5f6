/* SPDX-License-Identifier: MIT */
/* The kernels of test_stress.c, in OpenCL C and in C. */
#include "stress_kernels.h"

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
    "{ atomic_add(&bins[in[get_global_id(0)] % 16], 3); }\n";

const char *const stress_name[KINDS] = {"one",    "stencil", "in_place", "group_sum", "scatter",
                                        "gather", "some",    "turn",     "count"};

cl_uint stress_index(cl_uint i)
{
    return (i * 397 + 11) % INDEXES;
}

void stress_model(enum stress_kind kind, const cl_uint *in, cl_uint *out, size_t first, size_t items,
                  size_t local, cl_uint k)
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
        case KINDS:
            break;
        }
    }
}
