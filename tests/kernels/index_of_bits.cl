/* SPDX-License-Identifier: MIT */
/* Places by the number of bits set. */
// expect: split
// kernel: index_of_bits
// arg: buffer int 4096
// arg: buffer int X*33
// reads: 0 unknown
// way: 1 merge 4
// writes: 1 unknown
__kernel void index_of_bits(__global const int *in, __global int *o)
{
    uint i = get_global_id(0);
    o[i * 33u + popcount(i)] = in[clz(i) * 8u];
}
