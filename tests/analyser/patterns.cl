/* SPDX-License-Identifier: MIT */
/* Expectations (lines with an exclamation mark) are read by test_kernels.c, which says how they are written. */

/* what is only read may be an image too */
//! read_picture on 1024/64 splits 0
//! read_picture on 1024/64 part 1..2 out writes 1024..2048 exact
kernel void read_picture(read_only image2d_t picture, global float4 *out)
{
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;
    out[get_global_id(0)] = read_imagef(picture, s, (int2)(get_global_id(0), 0));
}

float4 fetch(read_only image2d_t picture, int x)
{
    return read_imagef(picture, (int2)(x, 0)) + get_image_width(picture);
}

//! picture_in_helper on 1024/64 splits 0
kernel void picture_in_helper(read_only image2d_t picture, global float4 *out)
{
    out[get_global_id(0)] = fetch(picture, get_global_id(0));
}
