/* SPDX-License-Identifier: MIT */
/* 64-bit integers. */
// expect: split
// kernel: wide_mix
// arg: buffer ulong X
// arg: buffer ulong X
// part: 8..10 reads 0 4096..5120
// way: 1 own
// part: 8..10 writes 1 4096..5120 exact
__kernel void wide_mix(__global const ulong *in, __global ulong *out)
{
    ulong v = in[get_global_id(0)];
    v ^= v >> 31;
    v *= 0x9e3779b97f4a7c15ul;
    out[get_global_id(0)] = rotate(v, (ulong)17) + get_global_id(0);
}
