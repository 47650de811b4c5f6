/* SPDX-License-Identifier: MIT */
/* Vectors of 16 bytes. */
// expect: split
// kernel: vector_four
// arg: buffer float4 X
// arg: buffer float4 X
// part: 8..10 reads 0 8192..10240
// way: 1 own
// part: 8..10 writes 1 8192..10240 exact
__kernel void vector_four(__global const float4 *in, __global float4 *out)
{
    int i = get_global_id(0);
    out[i] = in[i].wzyx * 2.0f;
}
