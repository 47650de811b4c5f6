/* SPDX-License-Identifier: MIT */
/* An image is written, each texel by its own work-item. */
// expect: split
// kernel: image_filled
// dims: 2
// arg: image2d float4 X Y
// way: 0 own
// on: 64/16,64/16
// cut: 1
// part: 1..2 writes 0 16384..32768 exact
__kernel void image_filled(__write_only image2d_t out)
{
    int x = get_global_id(0), y = get_global_id(1);
    write_imagef(out, (int2)(x, y), (float4)((float)x, (float)y, 0.5f, 1.0f));
}
