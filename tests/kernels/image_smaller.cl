/* SPDX-License-Identifier: MIT */
/* The range is larger than the image: what lies outside is guarded. */
// expect: split
// kernel: image_smaller
// dims: 2
// arg: image2d uint X-X/3 Y-Y/4
// arg: image2d uint X-X/3 Y-Y/4
// cut: 1 by 1
// part: 4..6 reads 0 2752..4128
// part: 4..6 writes 1 2752..4128 exact
// way: 1 own
__kernel void image_smaller(__read_only image2d_t in, __write_only image2d_t out)
{
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= get_image_width(out) || y >= get_image_height(out))
        return;
    write_imageui(out, (int2)(x, y), read_imageui(in, s, (int2)(x, y)) + 1);
}
