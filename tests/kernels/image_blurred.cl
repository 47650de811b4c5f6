/* SPDX-License-Identifier: MIT */
/* Neighbours of an image, clamped at its border. */
// expect: split
// kernel: image_blurred
// dims: 2
// arg: image2d int4 X Y
// arg: image2d int4 X Y
// way: 1 own
// reads: 0 known
__kernel void image_blurred(__read_only image2d_t in, __write_only image2d_t out)
{
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    int4 sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += read_imagei(in, s, at + (int2)(dx, dy)) / 9;
    write_imagei(out, at, sum);
}
