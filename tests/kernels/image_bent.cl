/* SPDX-License-Identifier: MIT */
/* An image read at computed floating-point places, by repetition. */
// expect: split
// kernel: image_bent
// dims: 2
// arg: image2d unorm4 X Y
// arg: image2d unorm4 X Y
// cut: 1 by 1
// part: 4..6 reads 0 0..8192
// part: 4..6 writes 1 4096..6144 exact
// way: 1 own
__kernel void image_bent(__read_only image2d_t in, __write_only image2d_t out)
{
    const sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float2 from = (float2)(at.x * 0.013f + 0.1f, at.y * 0.017f + 0.2f);
    write_imagef(out, at, read_imagef(in, s, from));
}
