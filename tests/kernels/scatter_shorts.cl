/* SPDX-License-Identifier: MIT */
/* A permutation of shorts. */
// expect: split
// kernel: scatter_shorts
// arg: buffer short X
// arg: buffer int X order
// arg: buffer short X
// part: 8..10 reads 0 1024..1280
// part: 8..10 reads 1 2048..2560
// writes: 2 unknown
// way: 2 merge 2
__kernel void scatter_shorts(__global const short *in, __global const int *index, __global short *out)
{
    size_t i = get_global_id(0);
    out[index[i]] = in[i] ^ 0x55;
}
