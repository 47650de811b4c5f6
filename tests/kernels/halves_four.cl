/* SPDX-License-Identifier: MIT */
/* Four halves at a time. */
// expect: split
// kernel: halves_four
// arg: buffer float4 X
// arg: buffer short X*4
// part: 1..2 writes 1 512..1024 exact
__kernel void halves_four(__global const float4 *in, __global half *out)
{
    size_t i = get_global_id(0);
    vstore_half4(in[i], i, out);
}
