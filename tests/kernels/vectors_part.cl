/* SPDX-License-Identifier: MIT */
/* Two components of four are written. */
// expect: split
// kernel: vectors_part
// arg: buffer float4 X
// part: 8..10 writes 0 8192..10240 exact
// part: 8..10 reads 0 8192..10240
// way: 0 own
__kernel void vectors_part(__global float4 *data)
{
    data[get_global_id(0)].yw = (float2)(1.0f, -1.0f);
}
