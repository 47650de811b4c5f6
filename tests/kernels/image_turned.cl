/* SPDX-License-Identifier: MIT */
/* An image turned by a quarter. */
// expect: split
// kernel: image_turned
// dims: 2
// arg: image2d ushort4 X Y
// arg: image2d ushort4 Y X
// cut: 0 by 1
// part: 4..6 reads 0 256..16256 boxed
// part: 4..6 writes 1 8192..12288 exact
// way: 1 own
__kernel void image_turned(__read_only image2d_t in, __write_only image2d_t out)
{
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int x = get_global_id(0), y = get_global_id(1);
    write_imageui(out, (int2)(y, x), read_imageui(in, s, (int2)(x, y)));
}
