/* SPDX-License-Identifier: MIT */
/* A permutation of 64-bit numbers. */
// expect: split
// kernel: scatter_longs
// arg: buffer long X
// arg: buffer int X order
// arg: buffer long X
// part: 8..10 reads 0 4096..5120
// part: 8..10 reads 1 2048..2560
// writes: 2 unknown
// way: 2 merge 8
__kernel void scatter_longs(__global const long *in, __global const int *index, __global long *out)
{
    size_t i = get_global_id(0);
    out[index[i]] = -in[i];
}
