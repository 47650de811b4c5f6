/* SPDX-License-Identifier: MIT */
/* Blocks of transforms: the bits of a place say which item and which of its stores it is of. */
// expect: split
// kernel: stores_by_bits
// arg: buffer int X
// arg: buffer int X*2+32768
// arg: buffer int X*2+32768
// way: 1 merge 4
// way: 2 own
__kernel void stores_by_bits(__global const int *in, __global int *out, __global int *other)
{
    uint i = get_global_id(0), item = i % 4, at = i / 4;
    size_t to = (at / 4096) * 32768 + at % 4096;
    out[to + (2 * item) * 4096] = in[i];
    out[to + (2 * item + 1) * 4096] = ~in[i];
    other[to + (item + 0) * 4096] = in[i] + 1;
    other[to + (item + 4) * 4096] = in[i] - 1;
}
