/* SPDX-License-Identifier: MIT */
/* A volume is read. */
// expect: split
// kernel: image_space
// dims: 3
// arg: image3d float4 X Y Z
// arg: buffer float4 X*Y*Z
// cut: 2 by 1
// part: 2..4 reads 0 8192..16384
// part: 2..4 writes 1 8192..16384 exact
// way: 1 own
__kernel void image_space(__read_only image3d_t in, __global float4 *out)
{
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    int i = (at.z * get_image_height(in) + at.y) * get_image_width(in) + at.x;
    out[i] = read_imagef(in, s, at + (int4)(0, 0, 1, 0));
}
