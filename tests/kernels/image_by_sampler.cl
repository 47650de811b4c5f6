/* SPDX-License-Identifier: MIT */
/* The sampler is an argument. */
// expect: split
// kernel: image_by_sampler
// run: no
// dims: 2
// arg: image2d float4 X Y
// arg: null
// arg: buffer float4 X*Y
// cut: 1 by 1
// part: 4..6 reads 0 0..32768
// part: 4..6 writes 2 16384..24576 exact
// way: 2 own
__kernel void image_by_sampler(__read_only image2d_t in, sampler_t s, __global float4 *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * get_image_width(in) + x] = read_imagef(in, s, (float2)(x + 0.5f, y + 0.5f));
}
