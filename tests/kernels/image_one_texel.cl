/* SPDX-License-Identifier: MIT */
/* All work-items write the same texel. */
// expect: whole (work-groups write one texel)
// kernel: image_one_texel
// arg: image2d uint 3 3
// reason: write-overlap
__kernel void image_one_texel(__write_only image2d_t out)
{
    write_imageui(out, (int2)(1, 1), (uint4)(5)); // here
}
