/* SPDX-License-Identifier: MIT */
/* Layers of pictures. */
// expect: split
// kernel: image_layers
// dims: 3
// arg: image2d_array uint X Y Z
// arg: image2d_array uint X Y Z
// cut: 2 by 1
// part: 2..4 reads 0 2048..4096
// part: 2..4 writes 1 2048..4096 exact
// way: 1 own
__kernel void image_layers(__read_only image2d_array_t in, __write_only image2d_array_t out)
{
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    write_imageui(out, at, read_imageui(in, s, at) + (uint)get_image_array_size(out));
}
