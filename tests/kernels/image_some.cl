/* SPDX-License-Identifier: MIT */
/* Which texels are written depends on what is read; each by its own work-item. */
// expect: split
// kernel: image_some
// dims: 2
// arg: image2d uint X Y
// arg: image2d uint X Y
// cut: 1 by 1
// part: 4..6 reads 0 4096..6144
// part: 4..6 writes 1 4096..6144
// way: 1 own
__kernel void image_some(__read_only image2d_t in, __write_only image2d_t out)
{
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    uint v = read_imageui(in, s, at).x;
    if (v & 1)
        write_imageui(out, at, (uint4)(v >> 1));
}
