/* SPDX-License-Identifier: MIT */
/* A permutation: where it writes is data. */
// expect: split
// kernel: scattered
// arg: buffer int X
// arg: buffer int X order
// arg: buffer int X
// part: 8..10 reads 0 2048..2560
// part: 8..10 reads 1 2048..2560
// writes: 2 unknown
// way: 2 merge 4
__kernel void scattered(__global const int *in, __global const int *index, __global int *out)
{
    size_t i = get_global_id(0);
    out[index[i]] = in[i];
}
