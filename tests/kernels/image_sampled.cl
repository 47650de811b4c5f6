/* SPDX-License-Identifier: MIT */
/* An image is read. */
// expect: split
// kernel: image_sampled
// arg: image2d float4 X 1
// arg: buffer float4 X
// reads: 0 known
__kernel void image_sampled(__read_only image2d_t in, __global float4 *out)
{
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    out[get_global_id(0)] = read_imagef(in, s, (int2)(get_global_id(0), 0));
}
