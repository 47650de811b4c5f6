/* SPDX-License-Identifier: MIT */
/* The order of a transform: bits of the index reversed. */
// arg: buffer float X
// kernel: bits_reversed_order
// arg: buffer float X
// size: 1024
// local: 64
// expect: any
// part: 8..10 reads 0 2048..2560
// way: 1 merge 4
// writes: 1 unknown
__kernel void bits_reversed_order(__global const float *in, __global float *out)
{
    uint i = get_global_id(0), r = 0;
    for (int b = 0; b < 10; b++)
        r |= ((i >> b) & 1) << (9 - b);
    out[r] = in[i];
}
