/* SPDX-License-Identifier: MIT */
/* From one image to another, both larger than the range. */
// expect: split
// kernel: image_copied
// dims: 2
// arg: image2d uchar4 X+7 Y+3
// arg: image2d uchar4 X+5 Y+1
// way: 1 own
// on: 64/16,64/16
// part: 1..2 writes 1 4416..8812
__kernel void image_copied(__read_only image2d_t in, __write_only image2d_t out)
{
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(out, at, read_imageui(in, s, at));
}
