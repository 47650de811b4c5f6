/* SPDX-License-Identifier: MIT */
/* Vectors of 16 bytes. */
// expect: split
// kernel: vector_four
// arg: buffer float4 X
// arg: buffer float4 X
__kernel void vector_four(__global const float4 *in, __global float4 *out)
{
    int i = get_global_id(0);
    out[i] = in[i].wzyx * 2.0f;
}
