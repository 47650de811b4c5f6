/* SPDX-License-Identifier: MIT */
/* A window for additions and another part of the buffer only read. */
// expect: any
// kernel: tally_apart_aliased
// arg: buffer uint X*32+64
// arg: window 0 X*32 64
// arg: buffer uint X
// reason: atomic-mixed
__kernel void tally_apart_aliased(__global const uint *values, __global uint *bins, __global uint *out)
{
    size_t i = get_global_id(0);
    atomic_inc(&bins[values[i] & 63]);
    out[i] = values[i] * 3;
}
