/* SPDX-License-Identifier: MIT */
/* Layers of lines. */
// expect: split
// kernel: image_lines
// dims: 2
// arg: image1d_array uchar4 X Y
// arg: image1d_array uchar4 X Y
// way: 1 own
// on: 64/16,8/2
// part: 1..2 writes 1 512..1024 exact
__kernel void image_lines(__read_only image1d_array_t in, __write_only image1d_array_t out)
{
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(out, at, read_imageui(in, s, at) ^ 1);
}
