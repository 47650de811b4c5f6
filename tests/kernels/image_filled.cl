/* SPDX-License-Identifier: MIT */
/* An image is written. */
// expect: whole (images)
// kernel: image_filled
// run: no
// dims: 2
// arg: null
// note: image-write
__kernel void image_filled(__write_only image2d_t out)
{
    write_imagef(out, (int2)(get_global_id(0), get_global_id(1)), (float4)(1.0f)); // here
}
