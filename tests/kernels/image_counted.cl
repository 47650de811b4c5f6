/* SPDX-License-Identifier: MIT */
/* Atomics beside an image that is read. */
// expect: split
// kernel: image_counted
// dims: 2
// arg: image2d uchar4 X Y
// arg: buffer uint 256 zero
// cut: 1 by 1
// part: 4..6 reads 0 4096..6144
// part: 4..6 writes 1 0..1024
// part: 4..6 reads 1 0..1024
// way: 1 private add 4
__kernel void image_counted(__read_only image2d_t in, __global uint *bins)
{
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    uint4 v = read_imageui(in, s, (int2)(get_global_id(0), get_global_id(1)));
    atomic_inc(&bins[v.x & 255]);
}
