/* SPDX-License-Identifier: MIT */
/* An image that is read and written, each texel by its own work-item. */
// expect: split
// kernel: image_in_place
// run: no
// options: -cl-std=CL2.0
// dims: 2
// arg: image2d float4 X Y
// cut: 1 by 1
// part: 4..6 writes 0 16384..24576 exact
// part: 4..6 reads 0 16384..24576
// way: 0 own
__kernel void image_in_place(__read_write image2d_t picture)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(picture, at, read_imagef(picture, at) * 0.5f);
}
